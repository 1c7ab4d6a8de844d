//! Parses an event from its line, and checks that it could happen: the lobby decides the request, as in live
//! play.

use super::replay::{Replay, Step, player_id};
use super::time::Span;
use super::words::{self, side};
use crate::game::notation::shown;
use crate::game::{Game, Side};
use crate::lobby::{
    Cause, ConnectionLoss, Event, GameResult, Hand, LobbyRequest, Moment, Offer, Refusal, Request, Who,
};

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
    /// A deadline has passed.
    Due,
    /// The server. The event cannot be checked.
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
        read_other(words, before, after)?
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
        words: words::event(&before.moved(mv, hand), before, Moment::START),
        otherwise: String::new(),
    })
}

fn read_other(words: &str, before: &Replay, after: Span) -> Result<Statement, String> {
    let by_side = Side::BOTH.into_iter().find_map(|side| read_side(side, words, before, after));
    let (trigger, otherwise) = if words.contains(words::AGREES) {
        let side = before.accepting().ok_or_else(|| format!("{}: nothing is offered here", shown(words)))?;
        (Trigger::Request(side, answer(before, true)), String::new())
    } else if words == words::NOBODY {
        let otherwise = "the game was not given up yet: a player was there, or the seats were still kept";
        (Trigger::Due, otherwise.into())
    } else if words == words::RESTARTED {
        (Trigger::Host(Event::Restarted), String::new())
    } else {
        by_side.ok_or_else(|| {
            let start = words::start_of_move(before);
            format!("{} is not an event of a record; the next move would begin with {start}", shown(words))
        })?
    };
    Ok(Statement { trigger, words: words.into(), otherwise })
}

/// Parses a sentence about this side.
fn read_side(of: Side, words: &str, before: &Replay, after: Span) -> Option<(Trigger, String)> {
    let (this, other) = (side(of), side(!of));
    if words == words::stood_in(before, of) {
        return Some((Trigger::Due, format!("{this} was not away for long enough on their turn")));
    }
    let verb = words.strip_prefix(this)?;
    let request = match verb {
        words::DECLINES => answer(before, false),
        words::RESUMES => LobbyRequest::Resume.into(),
        words::RETURNS => Request::Return,
        words::RESIGNS => LobbyRequest::Resign.into(),
        words::LEAVES => LobbyRequest::Leave.into(),
        words::CLAIMS => LobbyRequest::Claim.into(),
        words::FLAGS => return Some((Trigger::Flag, format!("{this}'s time was not up"))),
        _ if verb.strip_prefix(words::WAITS) == Some(other) => LobbyRequest::Wait.into(),
        _ if verb.strip_prefix(words::WAITS_NO_MORE) == Some(other) => LobbyRequest::WaitNoMore.into(),
        _ if verb.starts_with(words::OFFERS) => {
            let offer = &verb[words::OFFERS.len()..];
            LobbyRequest::Offer(Offer::ALL.into_iter().find(|&known| words::offered(known) == offer)?).into()
        }
        _ => {
            let starts = [(words::CLOSED, ConnectionLoss::Closed), (words::SILENT, ConnectionLoss::Silent)];
            let (loss, ago) =
                starts.into_iter().find_map(|(start, loss)| Some((loss, verb.strip_prefix(start)?)))?;
            Request::Disconnect { loss, since: before.since(after, ago.parse().ok()?) }
        }
    };
    let otherwise = match request {
        Request::Disconnect { .. } => format!("{this} is a bot, or was away already"),
        Request::Return => format!("{this} was not away"),
        _ => String::new(),
    };
    Some((Trigger::Request(of, request), otherwise))
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
        lobby.decide(who, request.clone(), at).map_err(|refusal| refusal_text(before, statement, &refusal))
    };
    let by_mover = |hand| match hand {
        Hand::Own => Who::Player(player_id(before.turn())),
        Hand::StandIn => Who::StandIn(player_id(before.turn())),
    };
    let events = match &statement.trigger {
        Trigger::Host(event) => return Ok(event.clone()),
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
        // A record does not say whether a game between bots had spectators.
        Trigger::Due if statement.words == words::NOBODY && lobby.is_exhibition() => lobby.abandon(),
        Trigger::Due => lobby.decide_due(at),
    };
    let event = events.into_iter().next().ok_or_else(|| statement.otherwise.clone())?;
    let is_flag = matches!(event, Event::Ended { result: GameResult { cause: Cause::Time, .. } });
    match statement.trigger {
        Trigger::Move(..) if is_flag => Err(late(before)),
        Trigger::Flag | Trigger::Due if words::event(&event, before, at) != statement.words => {
            Err(statement.otherwise.clone())
        }
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
        Refusal::Paused => "the game is paused, and no player has resumed it",
        Refusal::NotYourTurn => return format!("a stand-in plays for {mover}, who is not back"),
        Refusal::NotSeated => return format!("nobody stands in for {mover} here"),
        Refusal::AnswerFirst => "the other side's offer has to be answered first",
        Refusal::OfferedAlready => "they have already offered that in this turn",
        Refusal::NoOffer => "nothing is offered to them here",
        Refusal::NothingToTakeBack => "they have made no move that can be taken back",
        Refusal::NotPaused => "the game is not paused",
        Refusal::NobodyAway => "the other side is not away",
        Refusal::WaitsAlready => "the game waits in any case, or a stand-in plays already",
        Refusal::WaitsNot => "they did not wait for the other side",
        Refusal::NothingToClaim => "the other side is not away on their turn, or that was not agreed",
        Refusal::ClaimTooEarly { .. } => "the other side still had time to come back",
        _ => "this does not follow from the lines above",
    };
    words.into()
}
