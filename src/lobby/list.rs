//! A list of bounded length: a longer one does not decode, and a claimed length reserves no memory.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A list of at most `MAX` items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> List<T, MAX> {
    /// The first `MAX` of these items.
    pub fn first_of(items: impl IntoIterator<Item = T>) -> Self {
        Self(items.into_iter().take(MAX).collect())
    }

    /// The items as a vector.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MAX: usize> Deref for List<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Items(PhantomData))
    }
}

struct Items<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Items<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {MAX} items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            if list.len() == MAX {
                return Err(A::Error::invalid_length(MAX + 1, &self));
            }
            list.push(item);
        }
        Ok(List(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_items_than_fit_are_refused_with_the_number_that_does() {
        let read = serde_json::from_str::<List<u8, 3>>;
        assert_eq!(read("[1, 2, 3]").unwrap().into_vec(), [1, 2, 3]);
        let refused = read("[1, 2, 3, 4]").unwrap_err().to_string();
        assert!(refused.starts_with("invalid length 4, expected at most 3 items"), "{refused}");
    }
}
