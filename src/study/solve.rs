//! A whole game in words: its result with perfect play, the length, the principal variation, and whether
//! they are exact. Also the size of a game.

use serde_json::json;

use super::branches::MAX_LISTED;
use super::explainer::SOLVE_BUDGET;
use super::label::Named;
use super::words::{json_line, length, thousands, verdict};
use super::{Stop, StudyError};
use crate::game::Game;
use crate::game::any::{Board, Move, Position};
use crate::search::count::{self, Count, MAX_SIZE};
use crate::search::limits::GaveUp;
use crate::search::{Best, Budget, Grounds, Known, Merit, Solution, Value, Verdict};

/// The heuristic search runs until it is stopped.
const LOOKAHEAD: Budget = Budget { nodes: u64::MAX, plies: 500 };

/// The limit of moves in the principal variation.
const MAX_LINE: usize = 100;
/// The same for a result of unknown length.
const MAX_PROVED: usize = 10;
/// The limit of best moves in the list.
const MAX_NAMED: usize = 10;

/// The solution of a position, as far as the search has found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solved {
    game: String,
    position: String,
    /// The side to move.
    side: &'static str,
    grounds: Grounds,
    /// All moves that keep the result; empty if it is lost or not known, or if there are very many moves.
    kept: Vec<String>,
    best: Vec<String>,
    /// The principal variation.
    line: Vec<String>,
    /// Whether the game is over at the end of it.
    over: bool,
}

/// Solves a position, until it is stopped.
///
/// Refused if the game is over, or if the search was stopped before it found anything.
pub fn solve(board: &Board, stop: &Stop) -> Result<Solved, StudyError> {
    let (variant, position) = (board.variant(), board.position());
    if position.outcome().is_some() {
        return Err(StudyError::over(board));
    }
    let solution = Solution::of(&position, SOLVE_BUDGET, stop);
    let best = solution.best_or_estimate(&position, LOOKAHEAD, stop).ok_or_else(StudyError::stopped)?;
    let names = |moves: &[Move]| moves.iter().map(|&mv| board.write_move(mv)).collect();
    let (line, over) = line(board, &solution, &best);
    Ok(Solved {
        game: variant.text(),
        position: board.write_position(),
        side: variant.side(board.turn()),
        grounds: best.grounds,
        kept: names(&kept(&position, &solution, best.grounds)),
        best: names(&best.moves),
        line,
        over,
    })
}

/// All moves that keep a win or a draw.
fn kept(position: &Position, solution: &Solution, grounds: Grounds) -> Vec<Move> {
    let result = grounds.known().map(Known::verdict).filter(|&result| result > Verdict::Loss);
    let keeps = |mv: &Move| {
        let known = position.play(*mv).ok().and_then(|after| solution.known(&after));
        known.map(|known| known.for_mover().verdict()) == result
    };
    match result {
        Some(_) if position.move_count() <= MAX_LISTED => position.moves().filter(keeps).collect(),
        _ => Vec::new(),
    }
}

impl Solved {
    /// The solution as text.
    pub fn text(&self) -> String {
        let end = if self.over { "" } else { ", …" };
        let kept = match self.grounds.known() {
            Some(known) if self.kept.len() > self.best.len() => {
                format!("moves that keep the {}: {}\n", verdict(known.verdict()), listed(&self.kept))
            }
            _ => String::new(),
        };
        format!(
            "{} from {}\nresult: {}\ncertainty: {}\n{kept}{}: {}{}\nbest line: {}{end}\n",
            self.game,
            self.position,
            self.result(),
            certainty(self.grounds),
            self.heading(),
            listed(&self.best),
            self.merit(),
            self.line.join(", "),
        )
    }

    fn result(&self) -> String {
        match self.grounds.known() {
            None => "not known".into(),
            Some(known) if known.verdict() == Verdict::Draw => "draw".into(),
            Some(known) => format!("{} for {}{}", verdict(known.verdict()), self.side, length(known)),
        }
    }

    /// What the named moves are.
    fn heading(&self) -> &'static str {
        let one = self.best.len() == 1;
        match self.grounds {
            Grounds::Searched { value: Value::Loss(_), merit } => match (merit, one) {
                (Merit::Length, true) => "every move loses; this one holds out longest",
                (Merit::Length, false) => "every move loses; these hold out longest",
                (Merit::Replies, true) => "every move loses; this one leaves the fewest winning replies",
                (Merit::Replies, false) => "every move loses; these leave the fewest winning replies",
                (_, true) => "the only move loses",
                (_, false) => "every move loses, and none is better than another",
            },
            Grounds::Proved(Verdict::Loss) => "every move loses; to leave the most to play",
            _ => "best moves",
        }
    }

    /// What distinguishes the best moves, if that cannot be seen in the result.
    fn merit(&self) -> &'static str {
        match (self.grounds, self.best.len()) {
            (Grounds::Searched { value: Value::Loss(_), .. }, _) => "",
            (Grounds::Searched { merit: Merit::Replies, .. }, 1) => ", which sets the most traps",
            (Grounds::Searched { merit: Merit::Replies, .. }, _) => ", which set the most traps",
            _ => "",
        }
    }

    /// The solution as one line of JSON.
    pub fn json(&self) -> String {
        let known = self.grounds.known();
        json_line(&json!({
            "game": self.game,
            "position": self.position,
            "to_move": self.side,
            "result": known.map(|known| verdict(known.verdict())),
            "moves_to_end": known.and_then(Known::plies),
            "exact": known.is_some(),
            "keep_the_result": self.kept,
            "best": self.best,
            "line": self.line,
            "line_is_complete": self.over,
        }))
    }
}

/// Names in a list, up to a limit.
fn listed(names: &[String]) -> String {
    let more = if names.len() > MAX_NAMED { ", …" } else { "" };
    names.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ") + more
}

fn certainty(grounds: Grounds) -> &'static str {
    match grounds {
        Grounds::Searched { .. } => "exact, searched to the end",
        Grounds::Proved(_) => "exact, but how soon is not known",
        Grounds::Estimated => "an estimate: the search found no certain result",
    }
}

/// The principal variation, and whether the game is over at its end.
fn line(board: &Board, solution: &Solution, best: &Best<Move>) -> (Vec<String>, bool) {
    let most = if matches!(best.grounds, Grounds::Searched { .. }) { MAX_LINE } else { MAX_PROVED };
    let names = board.variant();
    let (mut position, mut next) = (board.position(), best.moves.first().copied());
    let (mut before, mut line) = (Vec::new(), Vec::new());
    while let Some(mv) = next
        && line.len() < most
        // A line that returns to an earlier position would repeat forever.
        && !before.contains(&position)
        && let Ok(after) = position.play(mv)
    {
        line.push(names.mv(&position, mv));
        before.push(std::mem::replace(&mut position, after));
        next = solution.best(&position).and_then(|best| best.moves.first().copied());
    }
    (line, position.outcome().is_some())
}

/// The size of a game from one position on, with all digits.
#[derive(Debug, Clone)]
pub struct Size {
    game: String,
    position: String,
    count: Count,
}

/// The nodes of the tree, the distinct positions, the games that can be played and their results.
///
/// Refused if the game is endless, or too large to count.
pub fn count(board: &Board, stop: &Stop) -> Result<Size, StudyError> {
    let count = count::count(&board.position(), MAX_SIZE, stop).map_err(|why| not_counted(board, why))?;
    Ok(Size { game: board.variant().text(), position: board.write_position(), count })
}

impl Size {
    /// The size as text.
    pub fn text(&self) -> String {
        let lines = self.numbers().map(|(what, _, number)| format!("{what}: {}\n", thousands(&number)));
        format!("{} from {}\n{}", self.game, self.position, lines.concat())
    }

    /// The size as one line of JSON. Numbers that may have hundreds of digits are strings.
    pub fn json(&self) -> String {
        let mut object = json!({ "game": self.game, "position": self.position });
        for (_, key, number) in self.numbers() {
            object[key] = number.into();
        }
        // It is at most MAX_SIZE.
        object["positions"] = self.count.positions.into();
        json_line(&object)
    }

    /// Each number with its name in a text and in JSON.
    fn numbers(&self) -> [(&'static str, &'static str, String); 6] {
        let tally = &self.count.tally;
        [
            ("nodes of the tree", "nodes", tally.nodes.to_string()),
            ("distinct positions", "positions", self.count.positions.to_string()),
            ("games that can be played", "games", tally.games().to_string()),
            ("won by the first side", "won_by_first", tally.wins.first.to_string()),
            ("won by the second side", "won_by_second", tally.wins.second.to_string()),
            ("drawn", "drawn", tally.draws.to_string()),
        ]
    }
}

fn not_counted(board: &Board, why: GaveUp) -> StudyError {
    let game = board.variant();
    StudyError(match why {
        GaveUp::Endless => format!(
            "{game} is endless: moves can lead back to an earlier position, so its tree is infinite; \
             try nim-client study tree {game} --graph"
        ),
        GaveUp::TooLarge => format!(
            "{game} has more than {} distinct positions and moves, too many to count: try a later position with --at, \
             or a smaller game",
            thousands(&MAX_SIZE.to_string())
        ),
        GaveUp::Stopped => return StudyError::stopped(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    #[test]
    fn of_a_lost_position_it_says_that_every_move_loses() {
        let text = |variant: &str, at: &str| {
            let board = variant.parse::<Variant>().unwrap().read_position(at).unwrap();
            solve(&board, &Stop::new()).unwrap().text()
        };
        for (variant, at, line) in [
            ("java-tech", "21", "every move loses, and none is better than another: take 1, take 2, take 3"),
            ("java-tech", "1", "the only move loses: take 1"),
            (
                "take:1000000000000000000:3",
                "1000000000000000000",
                "every move loses; to leave the most to play: take 1",
            ),
        ] {
            let solved = text(variant, at);
            assert!(solved.contains(&format!("\n{line}\n")), "{solved}");
        }
        assert!(text("tic-tac-toe", "xo./x../...").contains("\nevery move loses; "));
    }

    #[test]
    fn a_search_that_is_stopped_says_what_is_known() {
        let stop = Stop::new();
        stop.raise();
        let board = "nim:3-4-5".parse::<Variant>().unwrap().start();
        assert!(solve(&board, &stop).unwrap().text().contains("result: win for first\n"));
    }
}
