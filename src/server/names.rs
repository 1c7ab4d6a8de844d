//! The names of everyone who is connected. No two look alike or are equal once they are folded (capitals and
//! Unicode forms), and none looks like a word by which a client refers to somebody.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::lobby::Name;

/// Words that stand for somebody in a client's sentences, and the bots' names.
const RESERVED: [&str; 8] =
    ["minimax", "maximin", "you", "somebody", "nobody", "the first side", "the second side", "the host"];

/// The last number that is tried in order after a name in use. Beyond it numbers are random, so that a crowd
/// of one name costs no long search.
const MAX_IN_TURN: u32 = 200;

/// The range of the random numbers.
const DRAWN: Range<u32> = 1_000..1_000_000;

/// The names in use and the reserved words, [folded](Name::folded) and by their [look](Name::look). The lock
/// is held for a look-up only.
#[derive(Debug, Clone)]
pub(super) struct Names(Arc<Mutex<HashSet<String>>>);

impl Default for Names {
    fn default() -> Self {
        let reserved = RESERVED.iter().filter_map(|word| Name::clean(word).ok());
        Self(Arc::new(Mutex::new(reserved.flat_map(|word| [word.folded(), word.look()]).collect())))
    }
}

/// A name that belongs to one connection as long as this lives.
#[derive(Debug)]
pub(super) struct NameClaim {
    name: Name,
    names: Names,
}

impl Names {
    /// Claims the name, with a number after it if one that looks alike is taken, as [some words](RESERVED)
    /// always are.
    pub(super) fn claim(&self, wanted: &Name) -> NameClaim {
        let (mut in_use, mut number, mut name) = (self.0.lock(), 1, wanted.clone());
        loop {
            let folded = name.folded();
            if !in_use.contains(&folded) {
                let look = name.look();
                if !in_use.contains(&look) {
                    in_use.extend([folded, look]);
                    break;
                }
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
        let mut in_use = self.names.0.lock();
        in_use.remove(&self.name.folded());
        in_use.remove(&self.name.look());
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
        assert_eq!(*names.0.lock(), *Names::default().0.lock());
    }

    #[test]
    fn a_crowd_of_one_name_is_not_counted_through() {
        let (names, anna) = (Names::default(), Name::clean("anna").unwrap());
        let claims: Vec<_> = (0..3_000).map(|_| names.claim(&anna)).collect();
        let called: HashSet<_> = claims.iter().map(|claim| claim.name().folded()).collect();
        assert_eq!((called.len(), called.contains("anna-200")), (claims.len(), true));
    }

    #[test]
    fn a_name_that_looks_like_one_in_use_gets_a_number() {
        for (first, second, given) in [
            ("coco", "сосо", "сосо-2"),
            ("Ian", "lan", "lan-2"),
            ("Zoe", "Zoë", "Zoë"),
            ("anna", "𝐚𝐧𝐧𝐚", "𝐚𝐧𝐧𝐚-2"),
            ("вася", "ВАСЯ", "ВАСЯ-2"),
        ] {
            let names = Names::default();
            let _first = names.claim(&Name::clean(first).unwrap());
            assert_eq!(names.claim(&Name::clean(second).unwrap()).name().as_str(), given);
        }
    }

    #[test]
    fn nobody_is_called_as_the_bot_is_or_by_a_word_that_means_somebody_else() {
        for (wanted, given) in [
            ("Minimax", "Minimax-2"),
            ("m1nimax", "m1nimax-2"),
            ("You", "You-2"),
            ("Y0u", "Y0u-2"),
            ("ｙou", "ｙou-2"),
            ("nobody", "nobody-2"),
            ("The host", "The host-2"),
        ] {
            assert_eq!(Names::default().claim(&Name::clean(wanted).unwrap()).name().as_str(), given);
        }
    }

    #[test]
    fn the_reserved_words_are_folded_and_the_bots_name_is_among_them() {
        assert!([Name::bot(), Name::other_bot()].iter().all(|bot| RESERVED.contains(&bot.folded().as_str())));
        assert!(RESERVED.iter().all(|word| Name::clean(word).unwrap().folded() == *word));
        assert!(RESERVED.iter().all(|word| Names::default().0.lock().contains(*word)));
    }
}
