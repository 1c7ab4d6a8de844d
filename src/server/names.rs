//! The names of everyone who is connected. No two are equal once they are folded (capitals and Unicode
//! forms), and none is a word by which a client refers to somebody.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::lobby::Name;

/// Words that stand for somebody in a client's sentences, and the bots' names.
const RESERVED: [&str; 5] = ["minimax", "maximin", "you", "somebody", "nobody"];

/// The last number that is tried in order after a name in use. Beyond it numbers are random, so that a crowd
/// of one name costs no long search.
const MAX_IN_TURN: u32 = 200;

/// The range of the random numbers.
const DRAWN: Range<u32> = 1_000..1_000_000;

/// The names in use, [folded](Name::folded). The lock is held for a look-up only.
#[derive(Debug, Default, Clone)]
pub(super) struct Names(Arc<Mutex<HashSet<String>>>);

/// A name that belongs to one connection as long as this lives.
#[derive(Debug)]
pub(super) struct NameClaim {
    name: Name,
    names: Names,
}

impl Names {
    /// Claims the name, with a number after it if it is taken, as [some words](RESERVED) always are.
    pub(super) fn claim(&self, wanted: &Name) -> NameClaim {
        let (mut in_use, mut number, mut name) = (self.0.lock(), 1, wanted.clone());
        loop {
            let folded = name.folded();
            if !RESERVED.contains(&folded.as_str()) && in_use.insert(folded) {
                break;
            }
            number = if number < MAX_IN_TURN { number + 1 } else { fastrand::u32(DRAWN) };
            name = wanted.numbered(number);
        }
        drop(in_use);
        NameClaim { name, names: self.clone() }
    }
}

impl NameClaim {
    pub(super) fn name(&self) -> &Name {
        &self.name
    }
}

impl Drop for NameClaim {
    fn drop(&mut self) {
        self.names.0.lock().remove(&self.name.folded());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_get_numbers_until_they_are_free_again() {
        let names = Names::default();
        let anna = Name::clean("Anna").unwrap();
        let first = names.claim(&anna);
        let second = names.claim(&Name::clean("anna").unwrap());
        assert_eq!((first.name().as_str(), second.name().as_str()), ("Anna", "anna-2"));
        drop(first);
        assert_eq!(names.claim(&anna).name().as_str(), "Anna");
    }

    #[test]
    fn the_lowest_free_number_is_given_even_if_another_player_chose_one() {
        let (names, anna) = (Names::default(), Name::clean("anna").unwrap());
        let chosen = names.claim(&Name::clean("anna-3").unwrap());
        let mut claims: Vec<_> = (0..4).map(|_| names.claim(&anna)).collect();
        let called = |claims: &[NameClaim]| -> Vec<_> {
            claims.iter().map(|claim| claim.name().as_str().to_owned()).collect()
        };
        assert_eq!(called(&claims), ["anna", "anna-2", "anna-4", "anna-5"]);
        claims.drain(1..3);
        claims.extend([(); 3].map(|()| names.claim(&anna)));
        assert_eq!(called(&claims), ["anna", "anna-5", "anna-2", "anna-4", "anna-6"]);
        drop((chosen, claims));
        assert!(names.0.lock().is_empty());
    }

    #[test]
    fn a_crowd_of_one_name_is_not_counted_through() {
        let (names, anna) = (Names::default(), Name::clean("anna").unwrap());
        let claims: Vec<_> = (0..3_000).map(|_| names.claim(&anna)).collect();
        let called: HashSet<_> = claims.iter().map(|claim| claim.name().folded()).collect();
        assert_eq!((called.len(), called.contains("anna-200")), (claims.len(), true));
    }

    #[test]
    fn nobody_is_called_as_the_bot_is_or_by_a_word_that_means_somebody_else() {
        for (wanted, given) in
            [("Minimax", "Minimax-2"), ("You", "You-2"), ("ｙou", "ｙou-2"), ("nobody", "nobody-2")]
        {
            assert_eq!(Names::default().claim(&Name::clean(wanted).unwrap()).name().as_str(), given);
        }
    }

    #[test]
    fn the_reserved_words_are_folded_and_the_bots_name_is_among_them() {
        assert!([Name::bot(), Name::other_bot()].iter().all(|bot| RESERVED.contains(&bot.folded().as_str())));
        assert!(RESERVED.iter().all(|word| Name::clean(word).unwrap().folded() == *word));
    }
}
