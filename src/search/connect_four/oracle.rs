//! The slow obvious twin of the solver, and positions to compare the two on. It knows the rules only.

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::game::connect_four::board::{CELLS, COLUMNS};
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::{Game, Outcome};

/// The score of a position by plain minimax: it looks at every continuation to the end.
pub(super) fn score(position: &ConnectFour) -> i32 {
    match position.outcome() {
        Some(Outcome::Draw) => 0,
        Some(Outcome::Win(_)) => -(22 - position.stones().div_ceil(2).cast_signed()),
        None => position.moves().map(|mv| -score(&position.play(mv).unwrap())).max().unwrap(),
    }
}

/// Positions with about so many stones in which nobody has won. Nobody cares to win while they arise.
pub(super) fn positions(stones: RangeInclusive<u32>) -> impl Strategy<Value = ConnectFour> {
    (stones, vec(0..COLUMNS, 3 * CELLS as usize)).prop_map(|(stones, columns)| {
        columns.into_iter().fold(ConnectFour::default(), |position, column| {
            match position.play(Column(column)) {
                Ok(next) if next.stones() <= stones && next.outcome() != Some(Outcome::Win(!next.turn())) => {
                    next
                }
                _ => position,
            }
        })
    })
}
