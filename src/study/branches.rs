//! The moves of one position, for exploring a game tree: each with the board after it, its value and its
//! reason, and whether alpha-beta prunes it. Also the same as text.

use std::fmt::Write;

use serde_json::json;

use super::explainer::{Explainer, listing_budget};
use super::label::Named;
use super::nim_pattern::{NIM_SUM, WHAT_THE_NIM_SUM_IS};
use super::review::cost;
use super::words::{json_line, thousands, value_text, verdict};
use super::{Stop, StudyError};
use crate::game::Game;
use crate::game::any::{Board, Move, Position};
use crate::game::nim::Take;
use crate::search::{Budget, Known, Verdict};

/// The limit of moves listed for one position: all moves except in games with very large piles.
pub const MAX_LISTED: u64 = 600;

/// A position and its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branches {
    /// The proved value of the position for the side to move.
    pub known: Option<Known>,
    /// The moves in their listed order: at most [`MAX_LISTED`], and one of the best if it is not among
    /// these.
    pub all: Vec<Branch>,
    /// The number of moves, listed or not.
    pub count: u64,
}

/// A move and the board after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// The move as it is typed.
    pub name: String,
    /// The board after it.
    pub board: Board,
    /// Its proved value for the side that makes it.
    pub known: Option<Known>,
    /// Whether it is one of the best moves; false if all moves are equally good.
    pub best: bool,
    /// The value in words: `win in 3 moves`.
    pub value_text: String,
    /// The reason, as a clause after the move: `it leaves 17: one more than a multiple of 4, so …`.
    pub reason: String,
    /// The cost, as a clause after the move: `turned a win in 5 moves into a draw; …`.
    pub cost: String,
}

/// The moves of a position.
///
/// `None` if the game is over, or if the search was stopped.
pub fn branches(board: &Board, stop: &Stop) -> Option<Branches> {
    branches_within(board, listing_budget(&board.position()), stop)
}

/// The same within a budget: what it does not prove has no value.
pub fn branches_within(board: &Board, budget: Budget, stop: &Stop) -> Option<Branches> {
    let explainer = Explainer::on(board, budget, stop)?;
    let best = *explainer.best().moves.first()?;
    branches_of(board, &explainer, listed(&board.position(), best), stop)
}

/// The moves of a position as text, a line for each: as it is typed, its exact value for the side that makes
/// it, and the reason.
///
/// Refused if the game is over.
pub fn moves(board: &Board, stop: &Stop) -> Result<String, StudyError> {
    let found = branches(board, stop).ok_or_else(|| StudyError::over(board))?;
    let mut text = String::new();
    for Branch { name, value_text, reason, .. } in &found.all {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name}: {value_text}; {reason}");
    }
    if text.contains(NIM_SUM) {
        let _ = writeln!(text, "{WHAT_THE_NIM_SUM_IS}");
    }
    if found.all.iter().any(|branch| matches!(branch.known, Some(Known::Verdict(_)))) {
        let _ = writeln!(
            text,
            "How soon is not known without a longer search: nim-client study solve {} tries it.",
            board.variant()
        );
    }
    let more = found.count.saturating_sub(found.all.len() as u64);
    if more > 0 {
        let _ = writeln!(text, "{} more moves are not listed", thousands(&more.to_string()));
    }
    Ok(text)
}

/// The same as one line of JSON, with the number of all moves, listed or not.
///
/// Refused if the game is over.
pub fn moves_json(board: &Board, stop: &Stop) -> Result<String, StudyError> {
    let found = branches(board, stop).ok_or_else(|| StudyError::over(board))?;
    let (variant, turn) = (board.variant(), board.turn());
    let entry = |branch: &Branch| {
        json!({
            "move": branch.name,
            "result": branch.known.map(|known| verdict(known.verdict())),
            "moves_to_end": branch.known.and_then(Known::plies),
            "best": branch.best,
            "reason": branch.reason,
        })
    };
    Ok(json_line(&json!({
        "game": variant.text(),
        "position": board.write_position(),
        "to_move": variant.side(turn),
        // A string, since there may be more moves than JSON numbers hold exactly.
        "count": found.count.to_string(),
        "moves": found.all.iter().map(entry).collect::<Vec<_>>(),
    })))
}

/// The moves that are listed: all of them, or the first of each pile, with one of the best.
fn listed(position: &Position, best: Move) -> Vec<Move> {
    match (position, best) {
        (Position::Nim(nim), Move::Nim(best)) if nim.move_count() > MAX_LISTED => {
            let piles = nim.piles().iter().filter(|&&pile| pile > 0).count();
            let share = MAX_LISTED / u64::try_from(piles.max(1)).unwrap_or(MAX_LISTED);
            let of_pile = |pile: u8| {
                let first = (1..=nim.takeable(pile.into()).min(share)).map(move |count| Take { pile, count });
                first.chain((best.pile == pile && best.count > share).then_some(best))
            };
            (0..).zip(nim.piles()).flat_map(|(pile, _)| of_pile(pile)).map(Move::Nim).collect()
        }
        _ => position.moves().collect(),
    }
}

/// The branches of a position for these moves.
fn branches_of(board: &Board, explainer: &Explainer<'_>, moves: Vec<Move>, stop: &Stop) -> Option<Branches> {
    let good = &explainer.best().moves;
    let first = *good.first()?;
    let position = board.position();
    let count = position.move_count();
    let differ = (good.len() as u64) < count;
    let known = explainer.known(first);
    let branch = |mv: Move| {
        let known_value = explainer.known(mv);
        Some(Branch {
            mv,
            name: board.write_move(mv),
            board: board.play(mv).ok()?,
            known: known_value,
            best: differ && good.contains(&mv),
            value_text: value_text(known_value),
            reason: explainer.reason(mv),
            cost: cost(known, known_value, &board.write_move(first)),
        })
    };
    let all = moves.into_iter().map_while(|mv| branch(mv).filter(|_| !stop.is_raised())).collect();
    (!stop.is_raised()).then_some(Branches { known, all, count })
}

/// The window of an alpha-beta search with the listed move order: the result that the side to move has
/// elsewhere, and the best that the other side allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    alpha: Verdict,
    beta: Verdict,
}

impl Window {
    /// The window at the root.
    pub const WHOLE: Self = Self { alpha: Verdict::Loss, beta: Verdict::Win };

    /// The window below each of these moves of a position; `None` for moves that are cut off. Unknown
    /// values cause no cutoff.
    pub fn below<'a>(self, branches: impl IntoIterator<Item = &'a Branch>) -> Vec<Option<Self>> {
        let (mut alpha, mut open) = (self.alpha, true);
        let window = |branch: &Branch| {
            let window = open.then_some(Self { alpha: !self.beta, beta: !alpha });
            alpha = alpha.max(branch.known.map_or(Verdict::Loss, Known::verdict));
            open = open && alpha < self.beta;
            window
        };
        branches.into_iter().map(window).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;
    use crate::study::trace::{SearchKind, trace};

    fn board(variant: &str, position: &str) -> Board {
        variant.parse::<Variant>().unwrap().read_position(position).unwrap()
    }

    fn found(variant: &str, position: &str) -> Branches {
        branches(&board(variant, position), &Stop::new()).unwrap()
    }

    /// The smaller budget is that of a page. Positions of fewer stones are in the opening book.
    #[test]
    fn the_smaller_budget_proves_the_same_of_connect_four() {
        for columns in ["157564142155", "1416213444411", "7714443114735"] {
            let drop = |board: Board, column: char| board.play(board.read_move(&column.to_string()).unwrap());
            let start = "connect-four".parse::<Variant>().unwrap().start();
            let board = columns.chars().fold(start, |board, column| drop(board, column).unwrap());
            let found = branches_within(&board, crate::search::WHOLE_GAME, &Stop::new()).unwrap();
            assert_eq!(Some(&found), branches(&board, &Stop::new()).as_ref(), "{columns}");
            assert!(found.all.iter().all(|branch| branch.known.is_some()), "{columns}");
        }
    }

    #[test]
    fn every_move_has_its_value_its_reason_and_its_cost() {
        let Branches { known, all, count } = found("java-tech:7", "7");
        assert_eq!((known.and_then(Known::plies), all.len(), count), (Some(4), 3, 3));
        let [one, two, _] = &all[..] else { panic!("three moves") };
        assert_eq!(
            (one.name.as_str(), one.value_text.as_str(), one.best),
            ("take 1", "loss in 5 moves", false)
        );
        assert_eq!(one.cost, "turned a win in 4 moves into a loss in 5 moves; take 2 was better");
        assert!(two.best && two.reason.starts_with("it leaves 5: one more than a multiple of 4"), "{two:?}");
        assert_eq!(two.board.write_position(), "5 second");
    }

    #[test]
    fn all_moves_of_ordinary_positions_are_listed() {
        let Branches { all, count, .. } = found("nim:20-30-40", "20-30-40");
        assert_eq!((all.len(), count), (90, 90));
        assert_eq!(all.last().map(|branch| branch.name.as_str()), Some("take 40 from c"));
    }

    #[test]
    fn of_too_many_moves_the_first_of_each_pile_and_a_best_one_are_listed() {
        let Branches { all, count, .. } = found("nim:1000-5-400", "1000-5-400");
        assert_eq!((all.len(), count), (200 + 1 + 5 + 200, 1405));
        let names: Vec<&str> = all.iter().map(|branch| branch.name.as_str()).collect();
        assert_eq!(names[199..203], ["take 200 from a", "take 595 from a", "take 1 from b", "take 2 from b"]);
        assert!(all[200].best && names.last() == Some(&"take 200 from c"));
        let text = moves(&board("nim:1000-5-400", "1000-5-400"), &Stop::new()).unwrap();
        assert!(text.ends_with("\n999 more moves are not listed\n"), "{text}");
    }

    #[test]
    fn if_all_moves_are_equally_good_none_is_marked() {
        assert!(found("java-tech:21", "21").all.iter().all(|branch| !branch.best));
    }

    #[test]
    fn a_finished_game_and_a_stopped_search_have_none() {
        assert_eq!(branches(&board("java-tech", "0"), &Stop::new()), None);
        assert!(moves(&board("java-tech", "0"), &Stop::new()).is_err());
        let stop = Stop::new();
        stop.raise();
        assert_eq!(branches(&board("nim:3-4-5", "3-4-5"), &stop), None);
    }

    /// The number of positions that are not cut off, and of cutoffs.
    fn entered(board: &Board, window: Window) -> (u64, u64) {
        let Some(found) = branches(board, &Stop::new()) else { return (1, 0) };
        let windows = window.below(&found.all);
        let cut = u64::from(windows.iter().any(Option::is_none));
        let below = found.all.iter().zip(windows).filter_map(|(branch, window)| Some((branch, window?)));
        below
            .map(|(branch, window)| entered(&branch.board, window))
            .fold((1, cut), |(nodes, cuts), more| (nodes + more.0, cuts + more.1))
    }

    #[test]
    fn moves_that_are_not_cut_off_are_those_that_alpha_beta_enters() {
        for (variant, position) in [
            ("java-tech:4", "4"),
            ("java-tech:7", "7"),
            ("one-two-ten", "4"),
            ("nim:2-2", "2-2"),
            ("tic-tac-toe", "xo./.xo/..."),
        ] {
            let board = board(variant, position);
            let (nodes, cuts) = entered(&board, Window::WHOLE);
            let mut lines = Vec::new();
            let mut write_line = |line: &str| lines.push(line.to_owned());
            trace(&board, SearchKind::AlphaBeta, None, &Stop::new(), &mut write_line).unwrap();
            let effort = format!("alpha-beta: {nodes} positions entered, {cuts} cut");
            assert!(lines.iter().any(|line| line.starts_with(&effort)), "{variant}: {effort}\n{lines:#?}");
        }
    }
}
