//! How a game ended, in words that name the sides and no players.

use super::replay::Replay;
use crate::game::{Outcome, Side, Why};
use crate::lobby::{Cause, GameResult};

/// What a side is called in a record.
pub(super) fn called(side: Side) -> &'static str {
    match side {
        Side::First => "First",
        Side::Second => "Second",
    }
}

/// The result and why: `First won: Second resigned`; or that the game goes on.
pub(super) fn of(replay: &Replay) -> String {
    let Some(result) = replay.result() else { return "the game goes on".into() };
    let because = because(replay, result);
    format!("{}: {because}", outcome(result.outcome))
}

fn outcome(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(side) => format!("{} won", called(side)),
        Outcome::Draw => "Draw".into(),
    }
}

fn because(replay: &Replay, result: GameResult) -> String {
    let loser = result.outcome.winner().map_or("nobody", |winner| called(!winner));
    match result.cause {
        Cause::Rules => replay.board().finish().map_or_else(String::new, |finish| why(finish.why)),
        Cause::Repetition => "the position came up for the third time".into(),
        Cause::Resigned => format!("{loser} resigned"),
        Cause::Left => format!("{loser} left"),
        Cause::Forfeited => format!("{loser} was away for too long"),
        Cause::Abandoned => "nobody came back".into(),
        Cause::Agreed => "both agreed".into(),
        Cause::Time => format!("{loser} ran out of time"),
    }
}

fn why(why: Why) -> String {
    match why {
        Why::Side { side, name, .. } => format!("{} {name}", called(side)),
        Why::Board(words) => words.into(),
    }
}
