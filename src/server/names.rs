//! The names of everyone who is connected: no two are the same but for capitals and the way in which they are encoded,
//! and none is a word that a client says of somebody.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::lobby::Name;

/// Words that stand for somebody in a client's sentences, and the bots' names.
const RESERVED: [&str; 5] = ["minimax", "maximin", "you", "somebody", "nobody"];

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
    /// Claims the name, with a number behind it if it is taken, as [some words](RESERVED) always are.
    pub(super) fn claim(&self, wanted: &Name) -> NameClaim {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut name = wanted.clone();
        let mut number = 2;
        while RESERVED.contains(&name.folded().as_str()) || !taken.insert(name.folded()) {
            name = wanted.numbered(number);
            number += 1;
        }
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
        let mut taken = self.names.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.remove(&self.name.folded());
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

    #[test]
    fn the_same_letters_in_another_encoding_are_the_same_name() {
        let names = Names::default();
        let _zoe = names.claim(&Name::clean("Zo\u{eb}").unwrap());
        let other = names.claim(&Name::clean("Zoe\u{308}").unwrap());
        assert!(other.name().as_str().ends_with("-2"), "{:?}", other.name());
    }
}
