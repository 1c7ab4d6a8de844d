//! Events and results as sentences of a record. A sentence begins with a number, a side or a fixed word, and
//! never contains a player's name, since a name may look like any of these.

use super::replay::Replay;
use crate::game::{MOVE_LIMIT, Outcome, Side, Why};
use crate::lobby::{Cause, Conditions, Event, GameResult, Hand, Kind, Offer};

pub(super) const AGREES: &str = " agrees: ";
pub(super) const OFFERS: &str = " offers ";
pub(super) const DECLINES: &str = " declines";
pub(super) const RESUMES: &str = " resumes the game";
pub(super) const PLAYS_AGAIN: &str = " plays again";
pub(super) const RESIGNS: &str = " resigns";
pub(super) const LEAVES: &str = " leaves";
pub(super) const CLAIMS: &str = " claims the game";
pub(super) const FLAGS: &str = " runs out of time";
pub(super) const CLOCK_STOPPED: &str = "The clock stops: nobody is present";
pub(super) const CLOCK_STARTED: &str = "The clock runs again: somebody is present";
pub(super) const NOBODY: &str = "Nobody comes back";
pub(super) const RESTARTED: &str = "The host is back, and nobody else yet";

/// The name of a side in a record.
pub(super) fn side(side: Side) -> &'static str {
    match side {
        Side::First => "First",
        Side::Second => "Second",
    }
}

/// An event as a sentence. `before` is the game before the event.
pub(super) fn event(event: &Event, before: &Replay) -> String {
    let of = |who, words| side(who).to_owned() + words;
    let agrees = |words: &str| before.accepting().map_or("Nobody", side).to_owned() + AGREES + words;
    match *event {
        Event::Moved { mv, hand, .. } => {
            format!("{}. {}: {}", before.moves() + 1, mover(before, hand), before.board().write_move(mv))
        }
        Event::Offered { side, offer } => of(side, OFFERS) + offered(offer),
        Event::Declined { side } => of(side, DECLINES),
        Event::TakenBack { moves } => agrees(&taken_back(before.moves(), moves)),
        Event::Paused => agrees("the game is paused"),
        Event::Resumed { side } => of(side, RESUMES),
        Event::StoodIn { side } => stood_in(before, side),
        Event::PlaysAgain { side } => of(side, PLAYS_AGAIN),
        Event::ClockStopped => CLOCK_STOPPED.into(),
        Event::ClockStarted => CLOCK_STARTED.into(),
        Event::Restarted => RESTARTED.into(),
        Event::Ended { result: GameResult { outcome, cause } } => match (cause, outcome) {
            (Cause::Resigned, Outcome::Win(winner)) => of(!winner, RESIGNS),
            (Cause::Left, Outcome::Win(winner)) => of(!winner, LEAVES),
            (Cause::Forfeited, Outcome::Win(winner)) => of(winner, CLAIMS),
            (Cause::Time, Outcome::Win(winner)) => of(!winner, FLAGS),
            (Cause::Agreed, _) => agrees("the game is a draw"),
            _ => NOBODY.into(),
        },
        // Other events are never steps of a record.
        _ => String::new(),
    }
}

/// Who makes the next move: `First`, `Second [bot, fair]`, `First [stand-in, fair]`.
fn mover(before: &Replay, hand: Hand) -> String {
    let turn = before.turn();
    let Conditions { level, away, .. } = before.lobby().conditions();
    let kind = before.lobby().seats()[turn].as_ref().map(|player| player.kind);
    match (hand, kind) {
        (Hand::StandIn, _) => format!("{} [stand-in, {}]", side(turn), away.level),
        (Hand::Own, Some(Kind::Bot)) => format!("{} [bot, {level}]", side(turn)),
        (Hand::Own, _) => side(turn).into(),
    }
}

/// The start of the line of the next move.
pub(super) fn start_of_move(before: &Replay) -> String {
    format!("{}. {}", before.moves() + 1, side(before.turn()))
}

pub(super) fn stood_in(before: &Replay, absent: Side) -> String {
    format!("A stand-in [bot, {}] plays for {}", before.lobby().conditions().away.level, side(absent))
}

pub(super) fn offered(offer: Offer) -> &'static str {
    match offer {
        Offer::Draw => "a draw",
        Offer::Takeback => "to take their last move back",
        Offer::Pause => "to pause the game",
    }
}

fn taken_back(moves: usize, back: u8) -> String {
    match back {
        1 => format!("move {moves} is taken back"),
        _ => format!("moves {} and {moves} are taken back", moves.saturating_sub(1)),
    }
}

/// The result and its reason: `First won: Second resigned`, or `the game goes on`.
pub(super) fn result(replay: &Replay) -> String {
    let Some(GameResult { outcome, cause }) = replay.result() else { return "the game goes on".into() };
    let loser = outcome.winner().map_or("nobody", |winner| side(!winner));
    let reason = match cause {
        Cause::Rules => replay.board().finish().map_or_else(String::new, |finish| why(finish.why)),
        Cause::Repetition => "the position came up for the third time".into(),
        Cause::Resigned => format!("{loser} resigned"),
        Cause::Left => format!("{loser} left"),
        Cause::Forfeited => format!("{loser} was away for too long"),
        Cause::Abandoned => "nobody came back".into(),
        Cause::Agreed => "both agreed".into(),
        Cause::Time => format!("{loser} ran out of time"),
        Cause::MoveLimit => MOVE_LIMIT.into(),
    };
    match outcome {
        Outcome::Win(winner) => format!("{} won: {reason}", side(winner)),
        Outcome::Draw => format!("Draw: {reason}"),
    }
}

fn why(why: Why) -> String {
    match why {
        Why::Side { side, name, .. } => format!("{} {name}", self::side(side)),
        Why::Board(words) => words.into(),
    }
}
