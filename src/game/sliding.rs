//! Games of sliding stones: points joined by lines, a stone on each but one, and a move slides a stone along a line
//! to the free point. Whoever cannot move has lost.
//!
//! Moves lead back to positions that were there before, and nothing here minds: what comes of that is the lobby's
//! affair. [`Ground`] is all that one game of this kind has of its own; [`face`] is how they are drawn and typed.

mod face;

pub use face::SlidingVariant;

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::{Game, Illegal, Outcome, Side};

/// The most points of a ground.
pub const MAX_POINTS: usize = 9;

/// What is on a point.
pub type Stone = Option<Side>;

/// What one game of this kind has of its own.
pub trait Ground: Copy + Eq + Hash + Debug + 'static {
    /// The name by which the game is chosen, and a few words on it.
    const FORM: &'static [(&'static str, &'static str)];

    /// The rules in two sentences.
    const RULES: &'static str;

    /// What each point is called, at most [`MAX_POINTS`] of them. The first name is written, the others are read too.
    const POINTS: &'static [&'static [&'static str]];

    /// The pairs of points that are joined by a line.
    const LINES: &'static [(u8, u8)];

    /// The stones before the first move, in the order of the points. One point is free.
    const START: &'static [Stone];

    /// The drawing, with `{name}` for what is on the point of that name.
    const DRAWING: &'static str;

    /// Why a stone may not go the way of `slide`, a line to the free point, if it may not.
    fn forbids(_position: &Sliding<Self>, _slide: Slide) -> Option<&'static str> {
        None
    }
}

/// A position: what is on each point, and who is to move.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sliding<G> {
    points: ArrayVec<Stone, MAX_POINTS>,
    turn: Side,
    ground: PhantomData<G>,
}

/// A move: the stone on point `from` goes to point `to`, both counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slide {
    /// Where the stone is.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

impl<G: Ground> Sliding<G> {
    /// The position before the first move.
    fn start() -> Self {
        Self::of(G::START.iter().copied().take(MAX_POINTS).collect(), Side::First)
    }

    fn of(points: ArrayVec<Stone, MAX_POINTS>, turn: Side) -> Self {
        Self { points, turn, ground: PhantomData }
    }

    /// The stone on a point, if there is one; none on a point that does not exist.
    pub fn stone(&self, point: u8) -> Stone {
        self.points.get(usize::from(point)).copied().flatten()
    }

    /// The free point.
    pub fn free(&self) -> u8 {
        // There always is one: a position starts with it, and a move leaves another behind.
        (0..).zip(&self.points).find(|(_, stone)| stone.is_none()).map_or(0, |(point, _)| point)
    }

    /// Whether a stone of the side to move may go this way.
    fn allows(&self, slide: Slide) -> bool {
        self.stone(slide.from) == Some(self.turn)
            && slide.to == self.free()
            && joined::<G>(slide)
            && G::forbids(self, slide).is_none()
    }

    /// Why `slide`, which is not legal here, is not.
    fn objection(&self, slide: Slide) -> String {
        let exists = |point: u8| usize::from(point) < G::POINTS.len();
        let (from, to) = (face::point_in_words::<G>(slide.from), face::point_in_words::<G>(slide.to));
        if !exists(slide.from) || !exists(slide.to) {
            return format!("there is no such point: they are {}", face::all_points::<G>());
        }
        match self.stone(slide.from) {
            _ if self.outcome().is_some() => "the game is over".into(),
            None => format!("no stone is on {from}"),
            Some(owner) if owner != self.turn => format!("the stone on {from} is the other side's"),
            _ if slide.to != self.free() => format!("{to} is not free"),
            _ if !joined::<G>(slide) => format!("no line joins {from} and {to}"),
            _ => G::forbids(self, slide).unwrap_or_default().into(),
        }
    }
}

fn joined<G: Ground>(slide: Slide) -> bool {
    G::LINES
        .iter()
        .any(|&(one, other)| (one, other) == (slide.from, slide.to) || (other, one) == (slide.from, slide.to))
}

impl<G: Ground> Game for Sliding<G> {
    type Move = Slide;

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.moves().next().is_none().then_some(Outcome::Win(!self.turn))
    }

    fn moves(&self) -> impl Iterator<Item = Slide> + '_ {
        let to = self.free();
        (0..).take(self.points.len()).map(move |from| Slide { from, to }).filter(|&slide| self.allows(slide))
    }

    fn move_count(&self) -> u64 {
        self.moves().map(|_| 1).sum()
    }

    fn play(&self, mv: Slide) -> Result<Self, Illegal> {
        if !self.allows(mv) {
            return Err(Illegal(self.objection(mv)));
        }
        let mut next = Self { turn: !self.turn, ..self.clone() };
        next.points.swap(mv.from.into(), mv.to.into());
        Ok(next)
    }

    fn repeats(&self) -> bool {
        true
    }
}
