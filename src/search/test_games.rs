//! Games and oracles for the tests of the searches, and how much of a long test runs.

use std::env;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;

use super::evaluation::Heuristic;
use super::limits::Budget;
use super::run::{Params, SearchResult};
use super::{Score, Stop, Value, Verdict, minimax};
use crate::game::abstract_tree::AbstractTree;
use crate::game::connect_four::board::{CELLS, COLUMNS};
use crate::game::connect_four::{Column, ConnectFour, ConnectFourVariant};
use crate::game::nim::Nim;
use crate::game::{Game, Illegal, Outcome, Rules, Side, any};

/// How much of an exhaustive test runs: `few` in `cargo test`, `all` in `.ci/campaign`.
pub(crate) fn sample<T>(few: T, all: T) -> T {
    if env::var_os("NIM_CAMPAIGN").is_some() { all } else { few }
}

/// The start of a variant of any game.
pub(crate) fn start(text: &str) -> any::Position {
    text.parse::<any::Variant>().unwrap().start().position()
}

/// The start of a variant of Nim.
pub(crate) fn nim(text: &str) -> Nim {
    let any::Position::Nim(nim) = start(text) else { panic!("{text} is not Nim") };
    nim
}

/// A random game. Every move leads to a cell of the next layer, and some cells end the game. It has
/// transpositions, and wins, draws and losses at all depths. Each seed is another game.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Maze {
    seed: u64,
    layer: u64,
    cell: u64,
}

impl Maze {
    const LAYERS: u64 = 7;
    const CELLS_PER_LAYER: u64 = 4;

    pub(super) fn new(seed: u64) -> Self {
        Self { seed, layer: 0, cell: 0 }
    }

    /// A pseudo-random number for the cell and the purpose `what`.
    fn random(&self, what: u64) -> u64 {
        [self.layer, self.cell, what].iter().fold(self.seed, |lot, part| {
            let mixed = (lot ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        })
    }
}

impl Game for Maze {
    type Move = u8;

    fn turn(&self) -> Side {
        if self.layer.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.layer == 0 || (self.layer < Self::LAYERS && !self.random(100).is_multiple_of(4)) {
            return None;
        }
        Some(
            [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw]
                [(self.random(101) % 3) as usize],
        )
    }

    fn moves(&self) -> impl Iterator<Item = u8> + '_ {
        (0..5).take_while(|&mv| u64::from(mv) < self.move_count())
    }

    fn move_count(&self) -> u64 {
        if self.outcome().is_some() { 0 } else { 1 + self.random(102) % Self::CELLS_PER_LAYER }
    }

    fn play(&self, mv: u8) -> Result<Self, Illegal> {
        if u64::from(mv) >= self.move_count() {
            return Err(Illegal("there is no such way".into()));
        }
        Ok(Self {
            seed: self.seed,
            layer: self.layer + 1,
            cell: self.random(mv.into()) % Self::CELLS_PER_LAYER,
        })
    }
}

/// A game that never ends: a pendulum swings to the other side and back.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Pendulum(pub(super) Side);

impl Game for Pendulum {
    type Move = ();

    fn turn(&self) -> Side {
        self.0
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn moves(&self) -> impl Iterator<Item = ()> + '_ {
        std::iter::once(())
    }

    fn move_count(&self) -> u64 {
        1
    }

    fn play(&self, (): ()) -> Result<Self, Illegal> {
        Ok(Self(!self.0))
    }

    fn repeats(&self) -> bool {
        true
    }
}

/// Endgames of games that are too large for plain minimax, with their values: the positions of random play
/// (with a fixed seed) that it can solve.
pub(super) static ENDGAMES: LazyLock<Vec<(Nim, Value)>> = LazyLock::new(|| {
    let (mut rng, mut found) = (fastrand::Rng::with_seed(7), Vec::new());
    let stop = Stop::new();
    for text in ["java-tech:60", "nim:5-6-7", "nim:4-4-4-4:misere", "nim:9-9:max=4", "take:40:7"] {
        for _ in 0..sample(4, 40) {
            let mut position = nim(text);
            while let Some(mv) = rng.choice(position.moves().collect::<Vec<_>>()) {
                position = position.play(mv).unwrap();
                let few = Params::plain(Budget { nodes: sample(1_000, 5_000), plies: 100 }, &stop);
                if let Ok(SearchResult::<Score> { value, .. }) = minimax::search(&position, few) {
                    found.push((position.clone(), value.value()));
                }
            }
        }
    }
    found
});

/// An arbitrary heuristic, which varies from position to position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arbitrary;

impl Heuristic<Maze, Score> for Arbitrary {
    fn estimate(&self, position: &Maze) -> Score {
        Score::estimate(i32::try_from(position.random(103) % 21).unwrap() - 10)
    }
}

impl Heuristic<Nim, Score> for Arbitrary {
    fn estimate(&self, position: &Nim) -> Score {
        let points = position.piles().iter().fold(7, |points, pile| points * 5 + pile) % 21;
        Score::estimate(i32::try_from(points).unwrap() - 10)
    }
}

impl<G: Game> Heuristic<G, Verdict> for Arbitrary {
    fn estimate(&self, _: &G) -> Verdict {
        Verdict::Draw
    }
}

/// The textbook's tree, in which max and min alternate.
pub(super) fn textbook() -> AbstractTree {
    include_str!("../../tests/data/trees/textbook.tree").parse().unwrap()
}

/// The Connect Four position after these columns.
pub(super) fn connect_four(columns: &str) -> ConnectFour {
    ConnectFourVariant.read_position(columns).unwrap()
}

/// The score of a Connect Four position by plain minimax: the slow oracle of the solver.
pub(super) fn connect_four_score(position: &ConnectFour) -> i32 {
    match position.outcome() {
        Some(Outcome::Draw) => 0,
        Some(Outcome::Win(_)) => -(22 - position.stones().div_ceil(2).cast_signed()),
        None => position.moves().map(|mv| -connect_four_score(&position.play(mv).unwrap())).max().unwrap(),
    }
}

/// Connect Four positions with about this many stones in which nobody has won.
pub(super) fn connect_four_positions(stones: RangeInclusive<u32>) -> impl Strategy<Value = ConnectFour> {
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
