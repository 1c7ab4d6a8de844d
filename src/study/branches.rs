//! One position for somebody who walks through a game: every move with where it leads, its worth and its reason, and which
//! of them alpha-beta would leave out. It keeps nothing: the tree that is walked through is somebody else's.

use super::Stop;
use super::lesson::Lesson;
use super::moves::worth;
use super::review::cost;
use super::solve::patience;
use crate::game::Game;
use crate::game::any::{Board, Move};
use crate::search::{Known, Verdict};

/// The most moves of one position that are shown: what a person looks through.
pub const MAX_SHOWN: usize = 60;

/// A position and its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branches {
    /// What the position is worth to the side that is to move, if that is certain.
    pub known: Option<Known>,
    /// The moves in their listed order, [`MAX_SHOWN`] at most; one of the best is among them.
    pub all: Vec<Branch>,
    /// How many more there are.
    pub hidden: u64,
}

/// A move and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// The same as it is typed.
    pub name: String,
    /// The board behind it.
    pub board: Board,
    /// What it is worth to the side that makes it, if that is certain.
    pub known: Option<Known>,
    /// Whether none is better, and others are not as good.
    pub best: bool,
    /// The worth in words: `win in 3 plies`.
    pub worth: String,
    /// Why that is so, as a part of a sentence: `it leaves 17: one more than a multiple of 4, so …`.
    pub reason: String,
    /// What it costs to make it, as a part of a sentence that follows the move: `turned a win in 5 plies into a draw; …`.
    pub cost: String,
}

/// The moves of a position.
///
/// `None` if the game is over there, or if it was stopped.
pub fn branches(board: &Board, stop: &Stop) -> Option<Branches> {
    let position = board.position();
    let lesson = Lesson::on(board, patience(&position), stop)?;
    let good = &lesson.best().moves;
    let first = *good.first()?;
    let mut moves: Vec<Move> = position.moves().take(MAX_SHOWN).collect();
    if !moves.contains(&first) {
        moves.pop();
        moves.push(first);
    }
    let count = position.move_count();
    let differ = (good.len() as u64) < count;
    let known = lesson.known(first);
    let branch = |mv: Move| {
        let worth_of = lesson.known(mv);
        Some(Branch {
            mv,
            name: board.write_move(mv),
            board: board.play(mv).ok()?,
            known: worth_of,
            best: differ && good.contains(&mv),
            worth: worth(worth_of),
            reason: lesson.words(mv),
            cost: cost(known, worth_of, &board.write_move(first)),
        })
    };
    let all: Vec<Branch> =
        moves.into_iter().map_while(|mv| branch(mv).filter(|_| !stop.is_raised())).collect();
    let hidden = count - all.len() as u64;
    (!stop.is_raised()).then_some(Branches { known, all, hidden })
}

/// Between which results a position still matters to a search that goes through a tree in the listed order with alpha-beta:
/// what it has for sure, and what the other side would let happen, in the eyes of the side that is to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    alpha: Verdict,
    beta: Verdict,
}

impl Window {
    /// Where a search begins.
    pub const WHOLE: Self = Self { alpha: Verdict::Loss, beta: Verdict::Win };

    /// The same for each move of a position, and `None` for those that are cut off. What is not known cuts nothing.
    pub fn below(self, branches: &Branches) -> Vec<Option<Self>> {
        let (mut alpha, mut open) = (self.alpha, true);
        let window = |branch: &Branch| {
            let window = open.then_some(Self { alpha: !self.beta, beta: !alpha });
            alpha = alpha.max(branch.known.map_or(Verdict::Loss, Known::verdict));
            open = open && alpha < self.beta;
            window
        };
        branches.all.iter().map(window).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;
    use crate::study::trace::{With, trace};

    fn board(variant: &str, position: &str) -> Board {
        variant.parse::<Variant>().unwrap().read_position(position).unwrap()
    }

    fn found(variant: &str, position: &str) -> Branches {
        branches(&board(variant, position), &Stop::new()).unwrap()
    }

    #[test]
    fn every_move_has_its_worth_its_reason_and_its_cost() {
        let Branches { known, all, hidden } = found("java-tech:7", "7");
        assert_eq!((known.and_then(Known::plies), all.len(), hidden), (Some(4), 3, 0));
        let [one, two, _] = &all[..] else { panic!("three moves") };
        assert_eq!((one.name.as_str(), one.worth.as_str(), one.best), ("take 1", "loss in 5 plies", false));
        assert_eq!(one.cost, "turned a win in 4 plies into a loss in 5 plies; take 2 was better");
        assert!(two.best && two.reason.starts_with("it leaves 5: one more than a multiple of 4"), "{two:?}");
        assert_eq!(two.board.write_position(), "5 second");
    }

    #[test]
    fn of_too_many_moves_some_are_shown_and_a_best_one_among_them() {
        let Branches { all, hidden, .. } = found("nim:1000-900", "1000-900");
        assert_eq!((all.len(), hidden), (MAX_SHOWN, 1900 - MAX_SHOWN as u64));
        assert_eq!(
            all.last().map(|branch| (branch.name.as_str(), branch.best)),
            Some(("take 100 from a", true))
        );
    }

    #[test]
    fn where_all_moves_are_as_good_none_is_marked() {
        assert!(found("java-tech:21", "21").all.iter().all(|branch| !branch.best));
    }

    #[test]
    fn a_finished_game_and_a_stopped_search_have_none() {
        assert_eq!(branches(&board("java-tech", "0"), &Stop::new()), None);
        let stop = Stop::new();
        stop.raise();
        assert_eq!(branches(&board("nim:3-4-5", "3-4-5"), &stop), None);
    }

    /// The positions that are not cut off, and how often something is.
    fn entered(board: &Board, window: Window) -> (u64, u64) {
        let Some(found) = branches(board, &Stop::new()) else { return (1, 0) };
        let windows = window.below(&found);
        let cut = u64::from(windows.iter().any(Option::is_none));
        let below = found.all.iter().zip(windows).filter_map(|(branch, window)| Some((branch, window?)));
        below
            .map(|(branch, window)| entered(&branch.board, window))
            .fold((1, cut), |(nodes, cuts), more| (nodes + more.0, cuts + more.1))
    }

    #[test]
    fn what_is_left_open_is_what_alpha_beta_enters() {
        for (variant, position) in [
            ("java-tech:4", "4"),
            ("java-tech:7", "7"),
            ("one-two-ten", "4"),
            ("nim:2-2", "2-2"),
            ("tic-tac-toe", "xo./.xo/..."),
        ] {
            let board = board(variant, position);
            let (nodes, cuts) = entered(&board, Window::WHOLE);
            let mut told = Vec::new();
            let mut tell = |line: &str| told.push(line.to_owned());
            trace(&board, With::AlphaBeta, None, &Stop::new(), &mut tell).unwrap();
            let effort = format!("alpha-beta: {nodes} positions entered, {cuts} cut");
            assert!(told.iter().any(|line| line.starts_with(&effort)), "{variant}: {effort}\n{told:#?}");
        }
    }
}
