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
        (Some(goal), Shape::Pile { left, modulus }) => counting(goal, left, modulus),
        (_, shape) => leaving(&shape),
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

/// The reason where a count is shown instead of the pile that is left.
fn counting(goal: u64, left: u64, modulus: u64) -> String {
    let rule = multiple(left, modulus);
    let count = goal - left;
    format!("it makes the count {count}: {left} short of {goal}, {rule}, so every reply can be answered")
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
            format!(
                "it makes the nim-sum 0, counting the remainders by {modulus}, so every reply can be answered"
            )
        }
    }
}

fn multiple(number: u64, modulus: u64) -> String {
    match number % modulus {
        0 => format!("a multiple of {modulus}"),
        _ => format!("one more than a multiple of {modulus}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Rules, for_each_reachable};

    fn start(text: &str) -> Nim {
        let mut parts = text.split(':');
        let name = parts.next().unwrap();
        NimVariant::parse(name, &parts.collect::<Vec<_>>()).unwrap().unwrap().start()
    }

    fn sum(lost: &Nim, modulus: Option<u64>) -> u64 {
        lost.piles()
            .iter()
            .map(|pile| modulus.map_or(*pile, |modulus| pile % modulus))
            .fold(0, |sum, n| sum ^ n)
    }

    /// Whether what is said of a lost position is so.
    fn is_true(lost: &Nim, shape: &Shape) -> bool {
        let misere = lost.ending() == Ending::Misere;
        let ones = lost.piles().iter().filter(|&&pile| pile == 1).count();
        match *shape {
            Shape::Over => lost.total() == 0 && !misere,
            Shape::LastOne => lost.total() == 1 && misere,
            Shape::Pile { left, modulus } => {
                left == lost.total() && left >= modulus && left % modulus == u64::from(misere)
            }
            Shape::Pair => lost.total() > 0 && sum(lost, None) == 0 && !misere,
            Shape::Ones { piles } => {
                misere && piles == ones && piles > 1 && piles % 2 == 1 && lost.total() == ones as u64
            }
            Shape::Remainders { modulus } => misere && sum(lost, Some(modulus)) == 1,
            Shape::NimSum { modulus } => sum(lost, modulus) == 0,
        }
    }

    #[test]
    fn what_is_said_of_a_lost_position_is_true() {
        for piles in ["20", "7-7", "5-5-5", "3-3-3-3"] {
            for limit in ["", ":max=1", ":max=2", ":max=3", ":max=9"] {
                for ending in ["normal", "misere"] {
                    for_each_reachable(&start(&format!("nim:{piles}{limit}:{ending}")), 10_000, |position| {
                        let said = !closed::is_lost(position) || is_true(position, &shape(position));
                        assert!(said, "{position:?}");
                    });
                }
            }
        }
    }
}
