//! The choices of the form for a new game: the value of each in HTML, and what it stands for.

use crate::client::choices;
use crate::lobby::{Hints, Level, WhenAway};
use crate::wire::{BotWish, Starts};

/// What can be chosen for a term, each with its value in HTML.
pub(super) type Choices<T> = Vec<(String, T)>;

fn named<T, const N: usize>(names: [&str; N], values: [T; N]) -> Choices<T> {
    names.into_iter().map(str::to_owned).zip(values).collect()
}

/// Choices that are their own names.
fn plain<T: Copy + ToString, const N: usize>(values: [T; N]) -> Choices<T> {
    values.map(|value| (value.to_string(), value)).into()
}

pub(super) fn opponents() -> Choices<BotWish> {
    named(["soon", "bot", "people", "bots"], choices::OPPONENTS)
}

pub(super) fn starts() -> Choices<Starts> {
    named(["default", "me", "them"], choices::STARTS)
}

pub(super) fn hints() -> Choices<Hints> {
    named(["against-bots", "all", "watchers", "nobody"], choices::HINTS)
}

pub(super) fn absences() -> Choices<WhenAway> {
    named(["stand-in", "wait", "forfeit"], choices::ABSENCES)
}

pub(super) fn levels() -> Choices<Level> {
    plain(Level::ALL)
}

/// In milliseconds.
pub(super) fn times() -> Choices<u32> {
    plain(choices::TIMES)
}

pub(super) fn lengths() -> Choices<u8> {
    plain(choices::LENGTHS)
}

pub(super) fn yes_or_no() -> Choices<bool> {
    named(["yes", "no"], [true, false])
}
