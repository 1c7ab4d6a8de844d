//! Events and results as sentences of a record. A sentence begins with a number, a side or a fixed word, and
//! never contains a player's name, since a name may look like any of these.

use super::replay::Replay;
use super::time::Span;
use crate::game::{Outcome, Side, Why};
use crate::lobby::{Cause, ConnectionLoss, Event, GameResult, Hand, Kind, Moment, Offer};

pub(super) const CLOSED: &str = " is away: closed for ";
pub(super) const SILENT: &str = " is away: silent for ";
pub(super) const AGREES: &str = " agrees: ";
pub(super) const OFFERS: &str = " offers ";
pub(super) const DECLINES: &str = " declines";
pub(super) const RESUMES: &str = " resumes the game";
pub(super) const RETURNS: &str = " is back";
pub(super) const WAITS: &str = " waits for ";
pub(super) const WAITS_NO_MORE: &str = " waits no more for ";
pub(super) const RESIGNS: &str = " resigns";
pub(super) const LEAVES: &str = " leaves";
pub(super) const CLAIMS: &str = " claims the game";
pub(super) const FLAGS: &str = " runs out of time";
pub(super) const NOBODY: &str = "Nobody comes back";
pub(super) const RESTARTED: &str = "The host is back, and nobody else yet";

/// The name of a side in a record.
pub(super) fn side(side: Side) -> &'static str {
    match side {
        Side::First => "First",
        Side::Second => "Second",
    }
}

/// An event as a sentence. `before` is the game before the event, `at` the moment of the event.
pub(super) fn event(event: &Event, before: &Replay, at: Moment) -> String {
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
        Event::Away { side, since, loss } => {
            let lost = if loss == ConnectionLoss::Closed { CLOSED } else { SILENT };
            format!("{}{}", of(side, lost), Span::of(at.since(since)))
        }
        Event::Back { side } => of(side, RETURNS),
        Event::StoodIn { side } => stood_in(before, side),
        Event::WaitedFor { side } => of(!side, WAITS) + self::side(side),
        Event::WaitedNoMore { side } => of(!side, WAITS_NO_MORE) + self::side(side),
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
    let (turn, level) = (before.turn(), before.lobby().conditions().level);
    let kind = before.lobby().seats()[turn].as_ref().map(|player| player.kind);
    match (hand, kind) {
        (Hand::StandIn, _) => format!("{} [stand-in, {level}]", side(turn)),
        (Hand::Own, Some(Kind::Bot)) => format!("{} [bot, {level}]", side(turn)),
        (Hand::Own, _) => side(turn).into(),
    }
}

/// The start of the line of the next move.
pub(super) fn start_of_move(before: &Replay) -> String {
    format!("{}. {}", before.moves() + 1, side(before.turn()))
}

pub(super) fn stood_in(before: &Replay, absent: Side) -> String {
    format!("A stand-in [bot, {}] plays for {}", before.lobby().conditions().level, side(absent))
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
