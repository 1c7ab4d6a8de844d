//! Keys, revisions and ids of leases.

use std::fmt;

use bytes::Bytes;

/// A key of the engine. Keys are ordered by their bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Bytes);

impl Key {
    /// The key with these bytes.
    pub fn of(bytes: impl Into<Bytes>) -> Self {
        Self(bytes.into())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// What follows this prefix in the key, if it has the prefix.
    pub fn after(&self, prefix: &str) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()?.strip_prefix(prefix)
    }

    /// The first key behind all keys that begin with this one.
    #[must_use]
    pub fn behind_prefix(&self) -> Self {
        let mut end = self.0.to_vec();
        while let Some(last) = end.pop() {
            if last < u8::MAX {
                end.push(last + 1);
                return Self::of(end);
            }
        }
        // No key of this crate begins with these bytes.
        Self::of(vec![u8::MAX; 8])
    }

    /// The first key behind this one.
    #[must_use]
    pub fn next(&self) -> Self {
        Self::of([&self.0[..], &[0]].concat())
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self::of(text)
    }
}

impl From<&'static str> for Key {
    fn from(text: &'static str) -> Self {
        Self::of(text)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The number of a change of the whole engine. Each transaction that changes anything has the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl Revision {
    /// The revision after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_with_a_prefix_lie_between_it_and_the_key_behind_it() {
        for (prefix, end) in [("o/", "o0"), ("log/7", "log/8"), ("a", "b")] {
            assert_eq!(Key::from(prefix).behind_prefix(), Key::from(end));
        }
        assert_eq!(Key::of(vec![b'a', 0xff, 0xff]).behind_prefix(), Key::from("b"));
        assert_eq!(Key::from("a").next(), Key::of(vec![b'a', 0]));
    }
}
