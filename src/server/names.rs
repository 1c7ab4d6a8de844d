//! The names of everyone who is connected: no two are the same but for capitals and the way in which they are
//! encoded, and none is a word that a client says of somebody.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::lobby::Name;

/// Words that stand for somebody in a client's sentences, and the bots' names.
const RESERVED: [&str; 5] = ["minimax", "maximin", "you", "somebody", "nobody"];

/// The names in use. The lock is held for a look-up only.
#[derive(Debug, Default, Clone)]
pub(super) struct Names(Arc<Mutex<InUse>>);

#[derive(Debug, Default)]
struct InUse {
    /// Those that are given, [folded](Name::folded).
    given: HashSet<String>,
    /// The numbers after those that were asked for, [folded](Name::folded), as long as anybody who got one
    /// is here.
    numbers: HashMap<String, Numbers>,
}

/// The numbers after a name that many ask for: a whole class of them is numbered without counting through.
#[derive(Debug)]
struct Numbers {
    /// How many are here who got one.
    given: usize,
    /// None of those from here on was ever given.
    next: u32,
    /// Those below that were given back.
    free: BTreeSet<u32>,
}

/// A name that belongs to one connection as long as this lives.
#[derive(Debug)]
pub(super) struct NameClaim {
    name: Name,
    numbered: Option<Box<Numbered>>,
    names: Names,
}

/// What was asked for, [folded](Name::folded), and the number after it.
#[derive(Debug)]
struct Numbered {
    asked: String,
    number: u32,
}

impl Names {
    fn in_use(&self) -> MutexGuard<'_, InUse> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the name, with a number after it if it is taken, as [some words](RESERVED) always are.
    pub(super) fn claim(&self, wanted: &Name) -> NameClaim {
        let (mut in_use, asked) = (self.in_use(), wanted.folded());
        let (name, numbered) = if in_use.give(&asked) {
            (wanted.clone(), None)
        } else {
            let (name, number) = in_use.number(wanted, &asked);
            (name, Some(Box::new(Numbered { asked, number })))
        };
        drop(in_use);
        NameClaim { name, numbered, names: self.clone() }
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Self { given: 0, next: 2, free: BTreeSet::new() }
    }
}

impl Numbers {
    fn take(&mut self) -> u32 {
        self.free.pop_first().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }
}

impl InUse {
    /// Gives this name, folded, unless it is in use or reserved.
    fn give(&mut self, folded: &str) -> bool {
        !RESERVED.contains(&folded) && self.given.insert(folded.to_owned())
    }

    /// Gives this name with a number after it.
    fn number(&mut self, wanted: &Name, asked: &str) -> (Name, u32) {
        loop {
            let number = self.numbers.entry(asked.to_owned()).or_default().take();
            let name = wanted.numbered(number);
            if self.give(&name.folded()) {
                self.numbers.entry(asked.to_owned()).or_default().given += 1;
                return (name, number);
            }
        }
    }

    fn give_back(&mut self, claim: &NameClaim) {
        self.given.remove(&claim.name.folded());
        let Some(Numbered { asked, number }) = claim.numbered.as_deref() else { return };
        let Some(numbers) = self.numbers.get_mut(asked) else { return };
        numbers.given -= 1;
        numbers.free.insert(*number);
        if numbers.given == 0 {
            self.numbers.remove(asked);
        }
    }
}

impl NameClaim {
    pub(super) fn name(&self) -> &Name {
        &self.name
    }
}

impl Drop for NameClaim {
    fn drop(&mut self) {
        self.names.in_use().give_back(self);
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
        assert!(names.in_use().given.is_empty() && names.in_use().numbers.is_empty());
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
