//! The names of everyone who is connected: no two look the same.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::lobby::Name;

/// The names in use, folded to lower case. The lock is held for a look-up only.
#[derive(Debug, Default, Clone)]
pub(super) struct Names(Arc<Mutex<HashSet<String>>>);

/// A name that belongs to one connection as long as this lives.
#[derive(Debug)]
pub(super) struct NameClaim {
    name: Name,
    names: Names,
}

impl Names {
    /// Claims the name, with a number behind it if it is taken. The bot's name always is.
    pub(super) fn claim(&self, wanted: &Name) -> NameClaim {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut name = wanted.clone();
        let mut number = 2;
        while name.as_str().to_lowercase() == Name::bot().as_str()
            || !taken.insert(name.as_str().to_lowercase())
        {
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
        taken.remove(&self.name.as_str().to_lowercase());
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
    fn nobody_is_called_as_the_bot_is() {
        assert_eq!(Names::default().claim(&Name::clean("Minimax").unwrap()).name().as_str(), "Minimax-2");
    }
}
