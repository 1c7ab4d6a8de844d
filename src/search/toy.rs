//! Games for the tests of the searches: some that are made up, and Nim by its text.

use super::budget::Budget;
use super::evaluation::Evaluation;
use super::walk::Terms;
use super::{Score, Stop, Value, Verdict, minimax};
use crate::game::abstract_tree::AbstractTree;
use crate::game::nim::{Nim, NimVariant};
use crate::game::{Game, Illegal, Outcome, Rules, Side};

/// The start of a variant of Nim.
pub(super) fn nim(text: &str) -> Nim {
    let mut parts = text.split(':');
    let name = parts.next().unwrap();
    NimVariant::parse(name, &parts.collect::<Vec<_>>()).unwrap().unwrap().start()
}

/// A maze of rooms on floors: every move leads to a room one floor down, and some rooms are an end. Rooms are
/// shared by many ways, wins, draws and losses lie at all depths, and each seed is another game.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Maze {
    seed: u64,
    floor: u64,
    room: u64,
}

impl Maze {
    const FLOORS: u64 = 7;
    const ROOMS: u64 = 4;

    pub(super) fn new(seed: u64) -> Self {
        Self { seed, floor: 0, room: 0 }
    }

    /// A number that depends on the room and `what` is asked of it.
    fn lot(&self, what: u64) -> u64 {
        [self.floor, self.room, what].iter().fold(self.seed, |lot, part| {
            let mixed = (lot ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        })
    }
}

impl Game for Maze {
    type Move = u8;

    fn turn(&self) -> Side {
        if self.floor.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.floor == 0 || (self.floor < Self::FLOORS && !self.lot(100).is_multiple_of(4)) {
            return None;
        }
        Some(
            [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw]
                [(self.lot(101) % 3) as usize],
        )
    }

    fn moves(&self) -> impl Iterator<Item = u8> + '_ {
        (0..5).take_while(|&mv| u64::from(mv) < self.move_count())
    }

    fn move_count(&self) -> u64 {
        if self.outcome().is_some() { 0 } else { 1 + self.lot(102) % Self::ROOMS }
    }

    fn play(&self, mv: u8) -> Result<Self, Illegal> {
        if u64::from(mv) >= self.move_count() {
            return Err(Illegal("there is no such way".into()));
        }
        Ok(Self { seed: self.seed, floor: self.floor + 1, room: self.lot(mv.into()) % Self::ROOMS })
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

/// Positions from random play that plain minimax can solve, with its values: the same ones every time.
pub(super) fn samples<G: Game>(root: &G) -> Vec<(G, Value)> {
    let (mut luck, mut found) = (fastrand::Rng::with_seed(7), Vec::new());
    let stop = Stop::new();
    for _ in 0..40 {
        let mut position = root.clone();
        while let Some(mv) = luck.choice(position.moves().collect::<Vec<_>>()) {
            position = position.play(mv).unwrap();
            let few = Terms::plain(Budget { nodes: 5_000, plies: 100 }, &stop);
            if let Ok(answer) = minimax::search(&position, few) {
                found.push((position.clone(), answer.worth));
            }
        }
    }
    found
}

/// Games that are too large for plain minimax, though what they come to is not.
pub(super) const LARGE: [&str; 5] =
    ["java-tech:60", "nim:5-6-7", "nim:4-4-4-4:misere", "nim:9-9:max=4", "take:40:7"];

/// An opinion that has no ground, but is never the same for long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opinion;

impl Evaluation<Maze, Score> for Opinion {
    fn estimate(&self, position: &Maze) -> Score {
        Score::estimate(i32::try_from(position.lot(103) % 21).unwrap() - 10)
    }
}

impl Evaluation<Nim, Score> for Opinion {
    fn estimate(&self, position: &Nim) -> Score {
        let points = position.piles().iter().fold(7, |points, pile| points * 5 + pile) % 21;
        Score::estimate(i32::try_from(points).unwrap() - 10)
    }
}

impl<G: Game> Evaluation<G, Verdict> for Opinion {
    fn estimate(&self, _: &G) -> Verdict {
        Verdict::Draw
    }
}

/// The tree of the textbook, on which the order of min and max shows.
pub(super) fn textbook() -> AbstractTree {
    include_str!("../../tests/data/trees/textbook.tree").parse().unwrap()
}
