//! The levels of a lobby's bot, as people choose and see them. For the mistakes of a level see `bot`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::alike::{did_you_mean, most_like};

/// How strong a bot plays; a greater level is stronger. The order is the protocol's too.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It errs almost always, unless the end is near.
    Beginner,
    /// It errs more often than not.
    Easy,
    /// It errs almost half of the time, by as little as possible.
    Fair,
    /// It errs now and then, by as little as possible.
    Strong,
    /// It does not err.
    #[default]
    Perfect,
}

/// The error for a word that is no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no level has this name; there are beginner, easy, fair, strong and perfect{}", did_you_mean(self.meant))]
pub struct BadLevel {
    /// The level that may be meant.
    pub meant: Option<&'static str>,
}

impl Level {
    /// The weakest level.
    pub const WEAKEST: Self = Self::Beginner;

    /// All levels, the weakest first.
    pub const ALL: [Self; 5] = [Self::Beginner, Self::Easy, Self::Fair, Self::Strong, Self::Perfect];

    /// The level's name, as it is typed and shown.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Level {
    type Err = BadLevel;

    /// Reads a level as people type it; capitals and surrounding blanks do not matter.
    fn from_str(text: &str) -> Result<Self, BadLevel> {
        let word = text.trim();
        let found = Self::ALL.into_iter().find(|level| word.eq_ignore_ascii_case(level.as_str()));
        found.ok_or_else(|| BadLevel { meant: most_like(word, Self::ALL.map(Self::as_str)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_read_as_it_is_written() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(format!(" {} ", level.as_str().to_uppercase()).parse(), Ok(level));
        }
    }

    #[test]
    fn a_word_that_is_no_level_is_told_those_that_are() {
        for word in ["", "weak", "perfec", "perfect easy", "3"] {
            let complaint = word.parse::<Level>().unwrap_err().to_string();
            assert!(Level::ALL.iter().all(|level| complaint.contains(level.as_str())), "{complaint}");
        }
    }

    #[test]
    fn the_levels_stand_in_their_order() {
        assert!(Level::ALL.is_sorted() && Level::default() == Level::Perfect);
    }
}
