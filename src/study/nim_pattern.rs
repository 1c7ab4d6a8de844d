//! The rule behind the lost positions of Nim, drawn for one position: the piles in binary with their
//! nim-sum, or the ladder of the lost piles where a move takes from one pile up to a limit. Also the numbers
//! that lose in Even or Odd.

use serde_json::json;

use super::StudyError;
use super::label::Named;
use super::nim::multiple;
use super::theory::{answers_in_words, parity};
use super::words::json_line;
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::even_or_odd::EvenOrOdd;
use crate::game::nim::{Ending, Nim, NimVariant};
use crate::game::{Game, Rules};
use crate::search::Verdict;
use crate::search::closed::even_or_odd::{MODULUS, is_lost, verdict as verdict_of};
use crate::search::closed::{self, nim_value};

/// A word in reasons that not everybody knows.
pub const NIM_SUM: &str = "nim-sum";

/// Its explanation, in one sentence.
pub const WHAT_THE_NIM_SUM_IS: &str = "The nim-sum: write the piles in binary below each other; it has a 1 \
                                       in each column with an odd number of ones, and a 0 in the others.";

/// The largest number of binary digits that are drawn: more have no room on a screen.
const MAX_BITS: u32 = 16;

/// The largest number of rungs of a ladder that are drawn.
const MAX_RUNGS: u64 = 12;

/// The largest number of tokens in the middle for which losing numbers are drawn; of more, the highest ones.
const MAX_MIDDLES: u64 = 40;

/// The mark below a column with an odd number of ones.
const ODD: &str = "^";

/// A drawing, and what it shows in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The lines of the drawing; none if the piles are too large for it.
    pub drawing: Vec<String>,
    /// What the drawing shows, a sentence each.
    pub words: Vec<String>,
}

impl Pattern {
    /// The pattern of a position of Nim; `None` for other games and for a finished one.
    pub fn of(board: &Board) -> Option<Self> {
        match (board.variant(), board.position()) {
            (Variant::Nim(variant), Position::Nim(nim)) if nim.outcome().is_none() => {
                Some(match (nim.piles(), nim.max()) {
                    (&[left], Some(max)) => ladder(board, &variant, &nim, left, max + 1),
                    _ => columns(board, &nim),
                })
            }
            _ => None,
        }
    }

    /// The drawing and the words as lines.
    pub fn lines(self) -> impl Iterator<Item = String> {
        self.drawing.into_iter().chain(self.words)
    }
}

/// The pattern of a position of Nim or of Even or Odd.
///
/// Refused if the game is over, and for other games.
fn pattern_of(board: &Board) -> Result<Pattern, StudyError> {
    match (board.position(), board.finish()) {
        (_, Some(_)) => Err(StudyError::over(board)),
        (Position::Nim(_), None) => Pattern::of(board).ok_or_else(|| StudyError::over(board)),
        (Position::EvenOrOdd(position), None) => Ok(parities(board, &position)),
        _ => Err(StudyError(format!(
            "{variant} is not a game of Nim: try nim:3-4-5 or java-tech, or nim-client study solve {variant}",
            variant = board.variant()
        ))),
    }
}

/// The pattern as text, below the game and the position.
///
/// Refused if the game is over, and for games other than Nim, and Even or Odd.
pub fn text(board: &Board) -> Result<String, StudyError> {
    let pattern = pattern_of(board)?;
    let lines: Vec<String> = pattern.lines().collect();
    Ok(format!("{} from {}\n{}\n", board.variant(), board.write_position(), lines.join("\n")))
}

/// The same as one line of JSON.
///
/// Refused as the text is.
pub fn json(board: &Board) -> Result<String, StudyError> {
    let Pattern { drawing, words } = pattern_of(board)?;
    Ok(json_line(&json!({
        "game": board.variant().text(),
        "position": board.write_position(),
        "to_move": board.variant().side(board.turn()),
        "drawing": drawing,
        "words": words,
    })))
}

/// The piles in binary, and their nim-sum.
fn columns(board: &Board, nim: &Nim) -> Pattern {
    let values: Vec<u64> = nim.piles().iter().map(|&pile| nim_value(nim, pile)).collect();
    let sum = values.iter().fold(0, |sum, value| sum ^ value);
    // A limit that no pile reaches does not matter.
    let modulus = nim.max().map(|max| max + 1).filter(|_| values != nim.piles());
    let rows = ('a'..).zip(nim.piles()).zip(&values).map(|((letter, pile), &value)| match modulus {
        None => (format!("pile {letter}"), pile.to_string(), value),
        Some(modulus) => (format!("pile {letter}"), format!("{pile} mod {modulus} = {value}"), value),
    });
    let rows: Vec<_> = rows.chain([(NIM_SUM.to_owned(), sum.to_string(), sum)]).collect();
    let bits = values.iter().fold(1, |bits, value| bits.max(u64::BITS - value.leading_zeros()));
    let words =
        [Some(WHAT_THE_NIM_SUM_IS.to_owned()), modulus.map(remainders), Some(verdict(board, nim, sum))];
    let misere = (nim.ending() == Ending::Misere).then(|| {
        let what = if modulus.is_some() { "remainder" } else { "pile" };
        format!("The last object loses, so once no {what} is more than 1, the side to move loses if the nim-sum is 1.")
    });
    Pattern {
        drawing: if bits <= MAX_BITS { drawn(&rows, bits, sum) } else { Vec::new() },
        words: words.into_iter().chain([misere]).flatten().collect(),
    }
}

/// A row for each pile, one for the sum, and the marks below its odd columns.
fn drawn(rows: &[(String, String, u64)], bits: u32, sum: u64) -> Vec<String> {
    let width = rows.iter().map(|(_, number, _)| number.len()).max().unwrap_or(0);
    let cells = |value: u64, one: &str, zero: &str| {
        let cells = (0..bits).rev().map(|bit| if value >> bit & 1 == 1 { one } else { zero });
        cells.collect::<Vec<_>>().join(" ")
    };
    let row = |(name, number, value): &(String, String, u64)| {
        format!("{name:<7}  {number:>width$}   {}", cells(*value, "1", "0"))
    };
    let marks =
        (sum > 0).then(|| format!("{:width$}{}", "", cells(sum, ODD, " ").trim_end(), width = width + 12));
    rows.iter().map(row).chain(marks).collect()
}

fn remainders(modulus: u64) -> String {
    format!(
        "A move takes at most {}, so a pile counts as its remainder after division by {modulus}.",
        modulus - 1
    )
}

/// Who wins by the nim-sum, and with which moves.
fn verdict(board: &Board, nim: &Nim, sum: u64) -> String {
    let columns = match (sum, sum.count_ones()) {
        (0, _) => "Every column has an even number of ones: the nim-sum is 0".to_owned(),
        (_, 1) => format!("One column has an odd number of ones: the nim-sum is {sum}"),
        (_, odd) => format!("{odd} columns have an odd number of ones: the nim-sum is {sum}"),
    };
    let winning: Vec<String> =
        closed::winning_takes(nim).map(|take| board.write_move(Move::Nim(take))).collect();
    match winning.as_slice() {
        [] => format!("{columns}, and the side to move loses."),
        moves => format!("{columns}, and the side to move wins with {}.", moves.join(" or ")),
    }
}

/// The lost piles, up to the one at the start of the game.
fn ladder(board: &Board, variant: &NimVariant, nim: &Nim, left: u64, modulus: u64) -> Pattern {
    let rest = u64::from(nim.ending() == Ending::Misere);
    // The one at the start may lie above the position; the drawing ends there.
    let most = variant.start().total();
    let top = most.checked_sub(rest).map_or(0, |above| above / modulus);
    let first = if top >= MAX_RUNGS { top + 1 - MAX_RUNGS } else { 0 };
    let shown = |pile: u64| variant.counts_to().map_or(pile, |goal| goal - pile).to_string();
    let mut rungs: Vec<String> = (first..=top).map(|rung| shown(rung * modulus + rest)).collect();
    if first > 0 {
        rungs.insert(0, "…".into());
    }
    if variant.counts_to().is_some() {
        rungs.reverse();
    }
    let each = multiple(rest, modulus);
    let rule = match variant.counts_to() {
        Some(goal) => {
            format!("The side that must move from these numbers loses: {goal} minus the number is {each}.")
        }
        None => format!("The side that must move from these piles loses: each is {each}."),
    };
    let here = shown(left);
    let answer = match closed::winning_takes(nim).next() {
        Some(take) => format!(
            "From {here}, {} leads to {}.",
            board.write_move(Move::Nim(take)),
            shown(left - take.count)
        ),
        None => format!("{here} is one of them. {}", answered(variant, left, rest, modulus)),
    };
    Pattern { drawing: vec![rungs.join(" ")], words: vec![rule, answer] }
}

/// How every move from a lost pile is answered. `rest` is the smallest lost pile.
fn answered(variant: &NimVariant, left: u64, rest: u64, modulus: u64) -> String {
    let Some(next) = left.checked_sub(modulus) else {
        return "You have to take the last one, which loses.".into();
    };
    let verb = if variant.counts_to().is_some() { "add" } else { "take" };
    let reply = match (variant.counts_to(), next == rest, next) {
        (Some(goal), true, _) => format!("reaches {goal}, which wins"),
        (Some(goal), false, next) => format!("makes {}", goal - next),
        (None, true, 0) => "wins, because nothing is left".into(),
        (None, true, next) => format!("leaves {next}, which you have to take"),
        (None, false, next) => format!("leaves {next}"),
    };
    format!(
        "Whatever you {verb}, the other side {verb}s so many that both together make {modulus}, and {reply}."
    )
}

/// The numbers of tokens in the middle that lose, for an even and for an odd heap of the side to move.
fn parities(board: &Board, position: &EvenOrOdd) -> Pattern {
    if position.total().is_multiple_of(2) {
        let words = "The number of tokens is even, so at the end both heaps are even or both odd: every game is a draw.";
        return Pattern { drawing: Vec::new(), words: vec![words.into()] };
    }
    let most = position.total();
    let first = most.saturating_sub(MAX_MIDDLES) / MODULUS * MODULUS;
    let row = |heap: u64| {
        let lost = (first..=most).filter(|&middle| is_lost(middle, heap)).map(|middle| middle.to_string());
        lost.collect::<Vec<_>>().join(" ")
    };
    let more = if first > 0 { "… " } else { "" };
    let (middle, heap) = (position.middle(), position.heaps()[position.turn()]);
    let best =
        position.moves().find(|&mv| position.play(mv).is_ok_and(|next| verdict_of(&next) == Verdict::Loss));
    let here = format!("{middle} with an {} heap", parity(heap));
    let answer = match best.and_then(|mv| Some((mv, position.play(mv).ok()?))) {
        Some((mv, next)) => format!(
            "From {here}, {} leaves {} to a side with an {} heap.",
            board.write_move(Move::EvenOrOdd(mv)),
            next.middle(),
            parity(next.heaps()[next.turn()])
        ),
        None => format!("{here} is one of them. {}", answers_in_words(middle)),
    };
    Pattern {
        drawing: vec![format!("even heap: {more}{}", row(0)), format!("odd heap:  {more}{}", row(1))],
        words: vec![
            "The side to move loses with this many tokens in the middle, by what its own heap is.".into(),
            format!("The numbers repeat after {MODULUS}."),
            answer,
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::for_each_reachable;

    fn pattern(variant: &str, position: &str) -> Pattern {
        Pattern::of(&variant.parse::<Variant>().unwrap().read_position(position).unwrap()).unwrap()
    }

    #[test]
    fn a_mark_stands_below_every_column_with_an_odd_number_of_ones() {
        for (variant, position) in
            [("nim:7-9-12", "7-9-12"), ("nim:9-9-9:max=3", "6-5-2"), ("nim:8-4", "8-4")]
        {
            let Pattern { drawing, .. } = pattern(variant, position);
            let (rows, marks) = drawing.split_at(position.split('-').count());
            let width = rows[0].len();
            let column = |at: usize| rows.iter().filter(|row| row.as_bytes()[at] == b'1').count();
            let start = rows[0].rfind("   ").unwrap() + 3;
            for at in (start..width).step_by(2) {
                let marked = marks[1].as_bytes().get(at) == Some(&b'^');
                assert_eq!(marked, column(at) % 2 == 1, "{drawing:#?}");
            }
        }
    }

    #[test]
    fn the_rungs_of_a_ladder_are_the_lost_piles() {
        for variant in ["java-tech:21", "zero-sum:11", "take:20:3", "take:7:9:misere", "one-two-ten"] {
            let parsed: Variant = variant.parse().unwrap();
            let start = parsed.start();
            let drawing = Pattern::of(&start).unwrap().drawing;
            let rungs: Vec<&str> = drawing[0].split(' ').collect();
            for_each_reachable(&start.position(), 1_000, |position| {
                let board = parsed.board(position.clone()).unwrap();
                let (pile, Position::Nim(nim)) = (board.write_position(), position) else { panic!() };
                let pile = pile.split(' ').next().unwrap();
                assert_eq!(rungs.contains(&pile), closed::is_lost(nim), "{variant} {pile}");
            });
        }
    }

    #[test]
    fn every_move_from_a_lost_pile_is_answered_as_it_says() {
        let last = |variant, position| pattern(variant, position).words.pop().unwrap();
        for (variant, position, words) in [
            (
                "java-tech",
                "21",
                "Whatever you take, the other side takes so many that both together make 4, and leaves 17.",
            ),
            (
                "java-tech",
                "5",
                "Whatever you take, the other side takes so many that both together make 4, and leaves 1, which you have to take.",
            ),
            ("java-tech", "1", "You have to take the last one, which loses."),
            (
                "take:20:3",
                "8",
                "Whatever you take, the other side takes so many that both together make 4, and leaves 4.",
            ),
            (
                "take:20:3",
                "4",
                "Whatever you take, the other side takes so many that both together make 4, and wins, because nothing is left.",
            ),
            (
                "one-two-ten",
                "1",
                "Whatever you add, the other side adds so many that both together make 3, and makes 4.",
            ),
            (
                "one-two-ten",
                "7",
                "Whatever you add, the other side adds so many that both together make 3, and reaches 10, which wins.",
            ),
        ] {
            assert_eq!(last(variant, position), format!("{position} is one of them. {words}"), "{variant}");
        }
    }

    #[test]
    fn the_rows_of_even_or_odd_have_the_numbers_that_lose() {
        let text = |variant: &str| text(&variant.parse::<Variant>().unwrap().start()).unwrap();
        let fifteen = text("even-or-odd");
        assert!(fifteen.contains("\neven heap: 1 4 9 12\nodd heap:  0 5 8 13\n"), "{fifteen}");
        assert!(
            fifteen.ends_with("\nFrom 15 with an even heap, take 3 leaves 12 to a side with an even heap.\n")
        );
        let nine = text("even-or-odd:9");
        let lost = "9 with an even heap is one of them. Answer 1 with 3, 2 with 3 and 3 with 1: it moves from such a number again.";
        assert!(nine.contains(lost), "{nine}");
        assert!(text("even-or-odd:8").ends_with(": every game is a draw.\n"));
    }

    #[test]
    fn large_piles_are_drawn_as_far_as_there_is_room() {
        assert_eq!(
            pattern("java-tech:1000", "9").drawing,
            ["… 953 957 961 965 969 973 977 981 985 989 993 997"]
        );
        let Pattern { drawing, words } = pattern("nim:70000-70000", "70000-70000");
        assert!(drawing.is_empty() && words[1].ends_with("the side to move loses."), "{words:?}");
    }
}
