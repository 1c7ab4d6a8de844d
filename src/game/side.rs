//! The two sides of a game, a pair of values by side, and the outcome of a game.

use std::ops::{Index, IndexMut, Not};

use serde::{Deserialize, Serialize};

/// A side of the game: `First` makes the first move. `!side` is the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Moves at turns 0, 2, 4, …
    First,
    /// Moves at turns 1, 3, 5, …
    Second,
}

impl Side {
    /// Both sides, the first mover first.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];
}

impl Not for Side {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// A value for each side, indexed by [`Side`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BySide<T> {
    /// The value of [`Side::First`].
    pub first: T,
    /// The value of [`Side::Second`].
    pub second: T,
}

impl<T> BySide<T> {
    /// Calls `make` for each side, the first side first.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        Self { first: make(Side::First), second: make(Side::Second) }
    }

    /// Both sides with their values, first side first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        Side::BOTH.into_iter().zip([&self.first, &self.second])
    }

    /// Applies `change` to both values.
    #[must_use]
    pub fn map<U>(&self, mut change: impl FnMut(&T) -> U) -> BySide<U> {
        BySide { first: change(&self.first), second: change(&self.second) }
    }

    /// The values with the sides exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { first: self.second, second: self.first }
    }

    /// The side whose value satisfies `predicate`; the first side if both do.
    pub fn find(&self, predicate: impl Fn(&T) -> bool) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| predicate(&self[side]))
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}

/// The outcome of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// This side won, and the other lost.
    Win(Side),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// The side that won, if one did.
    pub fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw => None,
        }
    }
}
