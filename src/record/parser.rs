//! Parses an event from its line, and checks that it could happen: the lobby decides the request, as in live
//! play.

use super::replay::{Replay, Step, player_id};
use super::time::Span;
use super::words::{self, side};
use crate::game::notation::shown;
use crate::game::{Game, Outcome, Side};
use crate::lobby::{Cause, Event, GameResult, Hand, LobbyRequest, Moment, Offer, Refusal, Request, Who};

/// A parsed line.
struct Statement {
    trigger: Trigger,
    /// The line without its time, for messages.
    words: String,
    /// The error if the trigger leads to no event.
    otherwise: String,
}

/// The cause of an event.
enum Trigger {
    /// A move.
    Move(Request, Hand),
    /// Any other request of this side's player.
    Request(Side, Request),
    /// The clock of the side to move has run out.
    Flag,
    /// The server, which knew who was present. A record does not say that, so the check is only whether the event
    /// is possible.
    Host(Event),
}

/// Parses a line. The error says what is wrong and, where possible, what would be right.
pub(super) fn read(text: &str, before: &Replay) -> Result<Step, String> {
    let timed = text.rsplit_once(' ').and_then(|(words, time)| Some((words, time.parse::<Span>().ok()?)));
    let (words, after) =
        timed.ok_or_else(|| format!("{} has no time at its end, such as 0:04.250", shown(text)))?;
    let statement = if words.starts_with(|c: char| c.is_ascii_digit()) {
        read_move(words, before)?
    } else {
        read_other(words, before)?
    };
    let event = check(&statement, before, before.moment(after));
    Ok(Step { event: event.map_err(|objection| format!("{}: {objection}", statement.words))?, after })
}

fn read_move(words: &str, before: &Replay) -> Result<Statement, String> {
    let number = before.moves() + 1;
    let start = words::start_of_move(before);
    let split = words.split_once(": ").filter(|(who, _)| {
        // A label such as ` [bot, fair]` may follow the side. The caller checks it with the whole line.
        who.strip_prefix(&start).is_some_and(|label| label.is_empty() || label.starts_with(" ["))
    });
    let Some((who, text)) = split else {
        let side = side(before.turn());
        let words = shown(words);
        return Err(format!("{words}: the next move is number {number}, and {side} makes it: {start}: …"));
    };
    let mv = before.board().read_move(text).map_err(|bad| format!("move {number}: {bad}"))?;
    let hand = if who.contains("[stand-in") { Hand::StandIn } else { Hand::Own };
    Ok(Statement {
        trigger: Trigger::Move(LobbyRequest::Play { turn: before.lobby().turn(), mv }.into(), hand),
        words: words::event(&before.moved(mv, hand), before),
        otherwise: String::new(),
    })
}

fn read_other(words: &str, before: &Replay) -> Result<Statement, String> {
    let by_side = Side::BOTH.into_iter().find_map(|side| read_side(side, words, before));
    let (trigger, otherwise) = if words.contains(words::AGREES) {
        let side = before.accepting().ok_or_else(|| format!("{}: nothing is offered here", shown(words)))?;
        (Trigger::Request(side, answer(before, true)), String::new())
    } else if let Some((event, otherwise)) = read_host(words) {
        (Trigger::Host(event), otherwise.into())
    } else {
        by_side.ok_or_else(|| {
            let start = words::start_of_move(before);
            format!("{} is not an event of a record; the next move would begin with {start}", shown(words))
        })?
    };
    Ok(Statement { trigger, words: words.into(), otherwise })
}

/// Parses a sentence about the server, or about all players. Returns also the error if the event is impossible.
fn read_host(words: &str) -> Option<(Event, &'static str)> {
    Some(match words {
        words::NOBODY => (ended(Outcome::Draw, Cause::Abandoned), ""),
        words::RESTARTED => (Event::Restarted, ""),
        words::CLOCK_STOPPED => (Event::ClockStopped, "no clock was running"),
        words::CLOCK_STARTED => (Event::ClockStarted, "the clock had not stopped"),
        _ => return None,
    })
}

fn ended(outcome: Outcome, cause: Cause) -> Event {
    Event::Ended { result: GameResult { outcome, cause } }
}

/// Parses a sentence about this side.
fn read_side(of: Side, words: &str, before: &Replay) -> Option<(Trigger, String)> {
    let (this, other) = (side(of), side(!of));
    let early =
        |side| format!("{side} cannot have been away for long enough on their turn, or that was not agreed");
    if words == words::stood_in(before, of) {
        return Some((Trigger::Host(Event::StoodIn { side: of }), early(this)));
    }
    let verb = words.strip_prefix(this)?;
    let request = match verb {
        words::DECLINES => answer(before, false),
        words::RESUMES => LobbyRequest::Resume.into(),
        words::PLAYS_AGAIN => {
            let otherwise = format!("no stand-in played for {this}");
            return Some((Trigger::Host(Event::PlaysAgain { side: of }), otherwise));
        }
        words::RESIGNS => LobbyRequest::Resign.into(),
        words::LEAVES => LobbyRequest::Leave.into(),
        words::CLAIMS => {
            let claimed = ended(Outcome::Win(of), Cause::Forfeited);
            return Some((Trigger::Host(claimed), early(other)));
        }
        words::FLAGS => return Some((Trigger::Flag, format!("{this}'s time was not up"))),
        _ if verb.starts_with(words::OFFERS) => {
            let offer = &verb[words::OFFERS.len()..];
            LobbyRequest::Offer(Offer::ALL.into_iter().find(|&known| words::offered(known) == offer)?).into()
        }
        _ => return None,
    };
    Some((Trigger::Request(of, request), String::new()))
}

/// The answer to the open offer. The lobby refuses it if there is none.
fn answer(before: &Replay, accept: bool) -> Request {
    let offer = before.lobby().offer().map_or(Offer::Draw, |open| open.offer);
    LobbyRequest::Answer { turn: before.lobby().turn(), offer, accept }.into()
}

/// The event of a line, as the lobby decides it, or the reason why it could not happen.
fn check(statement: &Statement, before: &Replay, at: Moment) -> Result<Event, String> {
    let lobby = before.lobby();
    let decide = |who, request: &Request| {
        let decision = lobby.decide(who, request.clone(), at);
        decision.map(|decision| decision.events).map_err(|refusal| refusal_text(before, statement, &refusal))
    };
    let by_mover = |hand| match hand {
        Hand::Own => Who::Player(player_id(before.turn())),
        Hand::StandIn => Who::StandIn(player_id(before.turn())),
    };
    let events = match &statement.trigger {
        Trigger::Host(event) if before.is_consistent(event, at) => return Ok(event.clone()),
        Trigger::Host(_) => return Err(statement.otherwise.clone()),
        Trigger::Move(play, hand) => decide(by_mover(*hand), play)?,
        Trigger::Request(side, request) => decide(Who::Player(player_id(*side)), request)?,
        Trigger::Flag => {
            // Once the time is up, the lobby answers any move with the end of the game.
            let mv = before.board().position().moves().next().ok_or_else(|| statement.otherwise.clone())?;
            decide(
                by_mover(lobby.hand(before.turn())),
                &LobbyRequest::Play { turn: lobby.turn(), mv }.into(),
            )?
        }
    };
    let event = events.into_iter().next().ok_or_else(|| statement.otherwise.clone())?;
    let is_flag = matches!(event, Event::Ended { result: GameResult { cause: Cause::Time, .. } });
    match statement.trigger {
        Trigger::Move(..) if is_flag => Err(late(before)),
        Trigger::Flag if words::event(&event, before) != statement.words => Err(statement.otherwise.clone()),
        _ => Ok(event),
    }
}

/// The error for a move after the player's time was up.
fn late(before: &Replay) -> String {
    let turn = before.turn();
    let left = Span::of(before.lobby().clocks().left_at(turn, before.lobby().began()));
    format!("{}'s time was up: {left} was left when the turn began", side(turn))
}

/// A refusal, worded in the third person.
fn refusal_text(before: &Replay, statement: &Statement, refusal: &Refusal) -> String {
    let mover = side(before.turn());
    let words = match refusal {
        _ if matches!(statement.trigger, Trigger::Flag) => "no time was running",
        Refusal::Paused => "the game rests, and no player has gone on with it",
        Refusal::NotYourTurn => return format!("a stand-in plays for {mover}, who is not back"),
        Refusal::NotSeated => return format!("nobody stands in for {mover} here"),
        Refusal::AnswerFirst => "the other side's offer has to be answered first",
        Refusal::OfferedAlready => "they have already offered that in this turn",
        Refusal::NoOffer => "nothing is offered to them here",
        Refusal::NothingToTakeBack => "they have made no move that can be taken back",
        Refusal::NotPaused => "the game does not rest",
        _ => "this does not follow from the lines above",
    };
    words.into()
}
