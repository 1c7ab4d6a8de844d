//! The versions of the formats of what nodes write for each other: in etcd, and over tunnels.
//!
//! Every value and every tunnel begins with its format. All nodes write the same one, which all of them can read: the
//! newest format of the oldest node. A release reads all formats from the first one on, as what lies in etcd may be
//! old; a node says of itself which ones it can write.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A version of the formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Format(u8);

/// The oldest and the newest format that a node writes.
pub type Formats = (Format, Format);

impl Format {
    /// The first one.
    pub const FIRST: Self = Self(1);

    /// The newest one of this release. Tests know one more.
    const NEWEST: Self = Self(1);

    /// A format that only tests know: a segment has one more byte in front.
    #[cfg(test)]
    pub(crate) const TRIAL: Self = Self(2);

    /// The formats that this release writes.
    pub const WRITTEN: Formats = (Self::FIRST, Self::NEWEST);

    /// The format with this number, if this release can read it.
    pub fn known(number: u8) -> Option<Self> {
        let newest = Self::NEWEST.0 + u8::from(cfg!(test));
        (Self::FIRST.0..=newest).contains(&number).then_some(Self(number))
    }

    /// Whether only tests know it.
    pub(crate) fn is_trial(self) -> bool {
        cfg!(test) && self > Self::NEWEST
    }

    /// The byte that stands for it.
    pub fn number(self) -> u8 {
        self.0
    }

    /// As it stands in etcd: a decimal number.
    ///
    /// # Errors
    ///
    /// If it is none from 1 to 255.
    pub fn read(value: &[u8]) -> Result<Self, String> {
        let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
        number.filter(|number| *number > 0).map(Self).ok_or_else(|| "it is no number from 1 to 255".into())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
