//! Reasons for winning and losing moves in Nim, by Bouton's theory and the remainders of a limited pile.

use crate::game::nim::{Ending, Nim, NimVariant, Take};
use crate::game::{Game, Rules};
use crate::search::closed;

/// Why a position is lost for the side to move.
enum Shape {
    /// The game has been won.
    Over,
    /// One object is left, and taking it loses.
    LastOne,
    /// One pile with a limit on the moves: it is 0 modulo `modulus`, or 1 in misère play.
    Pile { left: u64, modulus: u64 },
    /// Two equal piles, in normal play.
    Pair,
    /// In misère play, an odd number of piles of 1.
    Ones { piles: usize },
    /// In misère play with a limit, an odd number of piles are 1 modulo `modulus`, and the others are 0.
    Remainders { modulus: u64 },
    /// The nim-sum is 0: of the piles, or of their remainders.
    NimSum { modulus: Option<u64> },
}

/// Why `take` wins, as a clause after the move; `None` if it does not win or is illegal.
pub(super) fn reason(variant: &NimVariant, before: &Nim, take: Take) -> Option<String> {
    let after = before.play(take).ok().filter(closed::is_lost)?;
    Some(match (variant.counts_to(), shape(&after)) {
        (Some(goal), Shape::Over) => format!("it reaches {goal}, which wins"),
        (Some(goal), Shape::Pile { left, modulus }) => counting(goal, left, modulus),
        (_, shape) => leaving(&shape),
    })
}

/// The maximum length of a list of piles in a sentence, in characters.
const MAX_PILE_LIST: usize = 40;

/// Why `take` loses to `reply`, as a clause after the move; `None` if the reply does not win or is illegal.
pub(super) fn refutation(variant: &NimVariant, before: &Nim, take: Take, reply: Take) -> Option<String> {
    let after = before.play(take).ok()?;
    let lost = after.play(reply).ok().filter(closed::is_lost)?;
    let replies = variant.write_move(&after, reply);
    let (verb, rest) = replies.split_once(' ')?;
    let answer = format!("the other side {verb}s {rest} and {}", left_to_you(variant, &lost));
    let left = variant.write_position(&after);
    let left = left.split(' ').next().filter(|piles| piles.len() <= MAX_PILE_LIST);
    Some(match (left, variant.counts_to()) {
        (None, _) => answer,
        (Some(count), Some(_)) => format!("it makes the count {count}: {answer}"),
        (Some(piles), None) => format!("it leaves {piles}: {answer}"),
    })
}

/// What a winning reply does, after "the other side takes 1 and".
fn left_to_you(variant: &NimVariant, lost: &Nim) -> String {
    match (variant.counts_to(), shape(lost)) {
        (Some(goal), Shape::Over) => format!("reaches {goal}"),
        (Some(goal), Shape::Pile { left, modulus }) => {
            format!("makes it {}, {left} short of {goal}: {}", goal - left, multiple(left, modulus))
        }
        (_, Shape::Over) => "wins, because nothing is left".into(),
        (_, Shape::LastOne) => "leaves 1, which you have to take".into(),
        (_, Shape::Pile { left, modulus }) => format!("leaves {left}, {}", multiple(left, modulus)),
        (_, Shape::Pair) => "leaves two equal piles".into(),
        (_, Shape::Ones { piles }) => format!("leaves {piles} piles of 1, an odd number"),
        (_, Shape::Remainders { modulus }) => {
            format!("leaves an odd number of piles that are one more than a multiple of {modulus}")
        }
        (_, Shape::NimSum { modulus }) => nim_sum(modulus),
    }
}

fn shape(lost: &Nim) -> Shape {
    let piles: Vec<u64> = lost.piles().iter().copied().filter(|&pile| pile > 0).collect();
    let modulus = lost.max().map(|max| max + 1);
    // A limit that no pile reaches does not matter.
    let effective = modulus.filter(|&modulus| piles.iter().any(|&pile| pile >= modulus));
    match (lost.ending(), piles.as_slice(), effective) {
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

/// The reason for a game that shows a count instead of the pile.
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
            "it leaves an odd number of piles that are one more than a multiple of {modulus}, and otherwise multiples of \
             {modulus}, so every reply can be answered"
        ),
        Shape::NimSum { modulus } => format!("it {}, so every reply can be answered", nim_sum(modulus)),
    }
}

fn nim_sum(modulus: Option<u64>) -> String {
    let counting = modulus.map(|modulus| format!(", counting the remainders modulo {modulus}"));
    format!("makes the nim-sum 0{}", counting.unwrap_or_default())
}

pub(super) fn multiple(number: u64, modulus: u64) -> String {
    match number % modulus {
        0 => format!("a multiple of {modulus}"),
        _ => format!("one more than a multiple of {modulus}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::for_each_reachable;

    fn variant(text: &str) -> NimVariant {
        let mut parts = text.split(':');
        let name = parts.next().unwrap();
        NimVariant::parse(name, &parts.collect::<Vec<_>>()).unwrap().unwrap()
    }

    #[test]
    fn every_losing_move_is_refuted_by_a_winning_reply() {
        for text in ["java-tech:12", "one-two-ten", "nim:2-3-4", "nim:2-3-4:misere", "nim:5-5:max=2:misere"] {
            let variant = variant(text);
            for_each_reachable(&variant.start(), 10_000, |position| {
                for take in position.moves() {
                    let after = position.play(take).unwrap();
                    let reply = closed::winning_takes(&after).next();
                    assert_eq!(
                        reply.is_some_and(|reply| refutation(&variant, position, take, reply).is_some()),
                        !closed::is_lost(&after) && after.outcome().is_none(),
                        "{position:?} {take:?}"
                    );
                }
            });
        }
    }

    fn sum(lost: &Nim, modulus: Option<u64>) -> u64 {
        lost.piles()
            .iter()
            .map(|pile| modulus.map_or(*pile, |modulus| pile % modulus))
            .fold(0, |sum, n| sum ^ n)
    }

    /// Whether the shape of a lost position is true.
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
    fn the_shape_of_a_lost_position_is_true() {
        for piles in ["20", "7-7", "5-5-5", "3-3-3-3"] {
            for limit in ["", ":max=1", ":max=2", ":max=3", ":max=9"] {
                for ending in ["normal", "misere"] {
                    let start = variant(&format!("nim:{piles}{limit}:{ending}")).start();
                    for_each_reachable(&start, 10_000, |position| {
                        let said = !closed::is_lost(position) || is_true(position, &shape(position));
                        assert!(said, "{position:?}");
                    });
                }
            }
        }
    }
}
