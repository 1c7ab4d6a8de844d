//! Why a move in Nim wins, by the theory of Bouton and the remainders of a limited pile. It does not choose the move,
//! and has nothing to say of one that does not win.

use crate::game::Game;
use crate::game::nim::{Ending, Nim, NimVariant, Take};
use crate::search::closed;

/// What makes a position lost for the side that is to move.
enum Shape {
    /// The game has been won.
    Over,
    /// One object is left, and whoever takes it loses.
    LastOne,
    /// One pile with a limit on the moves: a remainder by `modulus` of 0, or in misère play of 1.
    Pile { left: u64, modulus: u64 },
    /// Two equal piles, in normal play.
    Pair,
    /// In misère play, an odd number of piles of 1.
    Ones { piles: usize },
    /// In misère play with a limit, an odd number of piles with a remainder of 1 by `modulus`, the others of 0.
    Remainders { modulus: u64 },
    /// The nim-sum is 0: of the piles, or of their remainders.
    NimSum { modulus: Option<u64> },
}

/// Why `take` wins, as a part of a sentence that follows it; `None` if it does not win or is not legal.
pub(super) fn reason(variant: &NimVariant, before: &Nim, take: Take) -> Option<String> {
    let after = before.play(take).ok().filter(closed::is_lost)?;
    Some(match (variant.counts_to(), shape(&after)) {
        (Some(goal), Shape::Over) => format!("it reaches {goal}, which wins"),
        (Some(goal), shape) => counting(goal, after.total(), &shape),
        (None, shape) => leaving(&shape),
    })
}

fn shape(lost: &Nim) -> Shape {
    let piles: Vec<u64> = lost.piles().iter().copied().filter(|&pile| pile > 0).collect();
    let modulus = lost.max().map(|max| max + 1);
    // A limit that no pile reaches is none.
    let felt = modulus.filter(|&modulus| piles.iter().any(|&pile| pile >= modulus));
    match (lost.ending(), piles.as_slice(), felt) {
        (_, [], _) => Shape::Over,
        (Ending::Misere, [1], _) => Shape::LastOne,
        (_, &[left], Some(modulus)) => Shape::Pile { left, modulus },
        (Ending::Normal, [one, other], _) if one == other => Shape::Pair,
        (Ending::Misere, ones, None) if ones.iter().all(|&pile| pile == 1) => {
            Shape::Ones { piles: ones.len() }
        }
        (Ending::Misere, _, Some(modulus)) if piles.iter().all(|pile| pile % modulus <= 1) => {
            Shape::Remainders { modulus }
        }
        (_, _, modulus) => Shape::NimSum { modulus },
    }
}

/// The reason where a count is shown instead of a pile.
fn counting(goal: u64, short: u64, shape: &Shape) -> String {
    let rule = match shape {
        Shape::Pile { left, modulus } => format!("{short} short of {goal}, {}", multiple(*left, *modulus)),
        _ => format!("{short} short of {goal}"),
    };
    format!("it makes the count {}: {rule}, so every reply can be answered", goal - short)
}

fn leaving(shape: &Shape) -> String {
    match *shape {
        Shape::Over => "it takes the last object, which wins".into(),
        Shape::LastOne => "it leaves 1, which the other side has to take".into(),
        Shape::Pile { left, modulus } => {
            format!("it leaves {left}: {}, so every reply can be answered", multiple(left, modulus))
        }
        Shape::Pair => "it leaves two equal piles, so every reply can be copied".into(),
        Shape::Ones { piles } => {
            format!("it leaves {piles} piles of 1: an odd number, so the other side has to take the last one")
        }
        Shape::Remainders { modulus } => format!(
            "it leaves an odd number of piles that are one more than a multiple of {modulus}, and else multiples of \
             {modulus}, so every reply can be answered"
        ),
        Shape::NimSum { modulus: None } => "it makes the nim-sum 0, so every reply can be answered".into(),
        Shape::NimSum { modulus: Some(modulus) } => {
            format!("it makes the nim-sum of the remainders by {modulus} 0, so every reply can be answered")
        }
    }
}

fn multiple(number: u64, modulus: u64) -> String {
    match number % modulus {
        0 => format!("a multiple of {modulus}"),
        _ => format!("one more than a multiple of {modulus}"),
    }
}
