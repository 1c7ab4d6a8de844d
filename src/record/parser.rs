//! Reads an event from its line, and checks that it could happen then: its request is put to the
//! lobby, with the same `decide` as in live play.

use super::replay::{Replay, Step, player};
use super::time::Span;
use super::words::{self, side};
use crate::game::notation::shown;
use crate::game::{Game, Side};
use crate::lobby::{
    Cause, ConnectionLoss, Event, GameResult, Hand, LobbyRequest, Moment, Offer, Refusal, Request, Who,
};

/// What a line says.
struct Claim {
    origin: Origin,
    /// The line without its time, for messages.
    words: String,
    /// What to say if nothing led to the event.
    otherwise: String,
}

/// What leads to an event.
enum Origin {
    /// A move.
    Move(Request, Hand),
    /// Another request of this side's player.
    Request(Side, Request),
    /// The clock of the side to move.
    Flag,
    /// Time alone.
    Due,
    /// The server. This cannot be checked.
    Host(Event),
}

/// Reads a line. The error says what is wrong with it and, where possible, what would be right.
pub(super) fn read(text: &str, before: &Replay) -> Result<Step, String> {
    let timed = text.rsplit_once(' ').and_then(|(words, time)| Some((words, time.parse::<Span>().ok()?)));
    let (words, after) =
        timed.ok_or_else(|| format!("{} has no time at its end, such as 0:04.250", shown(text)))?;
    let claim = if words.starts_with(|c: char| c.is_ascii_digit()) {
        read_move(words, before)?
    } else {
        read_other(words, before, after)?
    };
    let event = checked(&claim, before, before.moment(after));
    Ok(Step { event: event.map_err(|objection| format!("{}: {objection}", claim.words))?, after })
}

fn read_move(words: &str, before: &Replay) -> Result<Claim, String> {
    let number = before.moves() + 1;
    let start = words::start_of_move(before);
    let split = words.split_once(": ").filter(|(who, _)| {
        // A mark may follow the side. Whether it is the right one is checked later.
        who.strip_prefix(&start).is_some_and(|mark| mark.is_empty() || mark.starts_with(" ["))
    });
    let Some((who, text)) = split else {
        let side = side(before.turn());
        let words = shown(words);
        return Err(format!("{words}: the next move is number {number}, and {side} makes it: {start}: …"));
    };
    let mv = before.board().read_move(text).map_err(|bad| format!("move {number}: {bad}"))?;
    let hand = if who.contains("[stand-in") { Hand::StandIn } else { Hand::Own };
    Ok(Claim {
        origin: Origin::Move(LobbyRequest::Play { turn: before.lobby().turn(), mv }.into(), hand),
        words: words::event(&before.moved(mv, hand), before, Moment::START),
        otherwise: String::new(),
    })
}

fn read_other(words: &str, before: &Replay, after: Span) -> Result<Claim, String> {
    let by_side = Side::BOTH.into_iter().find_map(|side| read_side(side, words, before, after));
    let (origin, otherwise) = if words.contains(words::AGREES) {
        let side = before.accepting().ok_or_else(|| format!("{}: nothing is offered here", shown(words)))?;
        (Origin::Request(side, answer(before, true)), String::new())
    } else if words == words::NOBODY {
        let otherwise = "the game was not given up yet: a player was there, or the seats were still kept";
        (Origin::Due, otherwise.into())
    } else if words == words::RESTARTED {
        (Origin::Host(Event::Restarted), String::new())
    } else {
        by_side.ok_or_else(|| {
            let start = words::start_of_move(before);
            format!("{} is not an event of a record; the next move would begin with {start}", shown(words))
        })?
    };
    Ok(Claim { origin, words: words.into(), otherwise })
}

/// Reads a sentence about this side.
fn read_side(of: Side, words: &str, before: &Replay, after: Span) -> Option<(Origin, String)> {
    let (this, other) = (side(of), side(!of));
    if words == words::stood_in(before, of) {
        return Some((Origin::Due, format!("{this} was not away for long enough on their turn")));
    }
    let verb = words.strip_prefix(this)?;
    let request = match verb {
        words::DECLINES => answer(before, false),
        words::RESUMES => LobbyRequest::Resume.into(),
        words::RETURNS => Request::Return,
        words::RESIGNS => LobbyRequest::Resign.into(),
        words::LEAVES => LobbyRequest::Leave.into(),
        words::CLAIMS => LobbyRequest::Claim.into(),
        words::FLAGS => return Some((Origin::Flag, format!("{this}'s time was not up"))),
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
    Some((Origin::Request(of, request), otherwise))
}

/// The answer to the open offer. Where nothing is offered, the lobby refuses it.
fn answer(before: &Replay, accept: bool) -> Request {
    let offer = before.lobby().offer().map_or(Offer::Draw, |open| open.offer);
    LobbyRequest::Answer { turn: before.lobby().turn(), offer, accept }.into()
}

/// The event that a line tells, as the lobby decides it; or why it could not happen.
fn checked(claim: &Claim, before: &Replay, at: Moment) -> Result<Event, String> {
    let lobby = before.lobby();
    let decide = |who, request: &Request| {
        lobby.decide(who, request.clone(), at).map_err(|refusal| objection(before, claim, &refusal))
    };
    let by_mover = |hand| match hand {
        Hand::Own => Who::Player(player(before.turn())),
        Hand::StandIn => Who::StandIn(player(before.turn())),
    };
    let events = match &claim.origin {
        Origin::Host(event) => return Ok(event.clone()),
        Origin::Move(play, hand) => decide(by_mover(*hand), play)?,
        Origin::Request(side, request) => decide(Who::Player(player(*side)), request)?,
        Origin::Flag => {
            // Any move: once the flag has fallen, the lobby answers it with the end of the game.
            let mv = before.board().position().moves().next().ok_or_else(|| claim.otherwise.clone())?;
            decide(
                by_mover(lobby.hand(before.turn())),
                &LobbyRequest::Play { turn: lobby.turn(), mv }.into(),
            )?
        }
        // Whether anybody watched two bots is not recorded.
        Origin::Due if claim.words == words::NOBODY && lobby.is_exhibition() => lobby.abandon(),
        Origin::Due => lobby.decide_due(at),
    };
    let event = events.into_iter().next().ok_or_else(|| claim.otherwise.clone())?;
    let is_flag = matches!(event, Event::Ended { result: GameResult { cause: Cause::Time, .. } });
    match claim.origin {
        Origin::Move(..) if is_flag => Err(late(before)),
        Origin::Flag | Origin::Due if words::event(&event, before, at) != claim.words => {
            Err(claim.otherwise.clone())
        }
        _ => Ok(event),
    }
}

/// The time was up before this move.
fn late(before: &Replay) -> String {
    let turn = before.turn();
    let left = Span::of(before.lobby().clocks().left_at(turn, before.lobby().began()));
    format!("{}'s time was up: {left} was left when the turn began", side(turn))
}

/// A refusal in the third person.
fn objection(before: &Replay, claim: &Claim, refusal: &Refusal) -> String {
    let mover = side(before.turn());
    let words = match refusal {
        _ if matches!(claim.origin, Origin::Flag) => "no time was running",
        Refusal::Paused => "the game rests, and no player has gone on with it",
        Refusal::NotYourTurn => return format!("a stand-in plays for {mover}, who is not back"),
        Refusal::NotSeated => return format!("nobody stands in for {mover} here"),
        Refusal::AnswerFirst => "the other side's offer has to be answered first",
        Refusal::OfferedAlready => "they have already offered that in this turn",
        Refusal::NoOffer => "nothing is offered to them here",
        Refusal::NothingToTakeBack => "they have made no move that can be taken back",
        Refusal::NotPaused => "the game does not rest",
        Refusal::NobodyAway => "the other side is not away",
        Refusal::WaitsAlready => "the game waits in any case, or a stand-in plays already",
        Refusal::WaitsNot => "they did not wait for the other side",
        Refusal::NothingToClaim => "the other side is not away on their turn, or that was not agreed",
        Refusal::ClaimTooEarly { .. } => "the other side still had time to come back",
        _ => "this does not follow from the lines above",
    };
    words.into()
}
