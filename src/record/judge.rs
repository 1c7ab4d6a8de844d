//! Whether a step can have happened, by the very `decide` that live play uses. It changes nothing.

use super::replay::{Replay, player};
use super::verdict::{self, called};
use super::writer::RESULT;
use super::{Deed, Ending, Step};
use crate::game::{Game, Side};
use crate::lobby::{Cause, Event, Events, GameResult, Hand, Moment, Offer, Refusal, Request, Who};

/// That nothing can happen any more, if the game is over.
pub(super) fn over(before: &Replay) -> Option<String> {
    before.result()?;
    Some(format!("the game is over above, so this line has to read: {RESULT}: {}", verdict::of(before)))
}

/// Why this step cannot have happened next, if it cannot.
pub(super) fn objection(before: &Replay, step: &Step) -> Option<String> {
    let at = before.moment(step);
    let decided = match request(before, step) {
        Some((who, request)) => before.lobby().decide(who, request, at),
        None => Ok(of_itself(before, step, at)),
    };
    match decided {
        Ok(events) if events.first() == Some(&before.event(step)) => None,
        Ok(events) if is_flag(&events) => Some(late(before)),
        Ok(_) => Some(unfounded(&step.deed)),
        Err(refusal) => Some(sentence(before, step, &refusal)),
    }
}

/// Who asked for it, and how; `None` for what happens of itself.
fn request(before: &Replay, step: &Step) -> Option<(Who, Request)> {
    let turn = before.lobby().turn();
    let by = |side: Side, request| Some((Who::Player(player(side)), request));
    let answer = |offer, accept| {
        // Where nothing is offered, nobody can answer, and that is what the lobby says.
        let side = before.accepting().unwrap_or(before.board().turn());
        by(side, Request::Answer { turn, offer, accept })
    };
    match step.deed {
        Deed::Moved { mv, hand } => {
            let player = player(before.board().turn());
            let who = if hand == Hand::Own { Who::Player(player) } else { Who::StandIn(player) };
            Some((who, Request::Play { turn, mv }))
        }
        Deed::Offered(side, offer) => by(side, Request::Offer(offer)),
        Deed::Declined(side) => {
            let offer = before.lobby().offer().map_or(Offer::Draw, |open| open.offer);
            by(side, Request::Answer { turn, offer, accept: false })
        }
        Deed::TakenBack(_) => answer(Offer::Takeback, true),
        Deed::Paused => answer(Offer::Pause, true),
        Deed::Ended(Ending::Agreed) => answer(Offer::Draw, true),
        Deed::Resumed(side) => by(side, Request::Resume),
        Deed::Away { side, loss, .. } => match before.event(step) {
            Event::Away { since, .. } => by(side, Request::Lose { loss, since }),
            _ => None,
        },
        Deed::Back(side) => by(side, Request::Return),
        Deed::Waited(side) => by(side, Request::Wait),
        Deed::WaitedNoMore(side) => by(side, Request::WaitNoMore),
        Deed::Ended(Ending::Resigned(side)) => by(side, Request::Resign),
        Deed::Ended(Ending::Left(side)) => by(side, Request::Leave(crate::lobby::Departure::Quit)),
        Deed::Ended(Ending::Claimed(side)) => by(side, Request::Claim),
        Deed::Ended(Ending::Time(_)) => any_move(before),
        Deed::StoodIn(_) | Deed::Restarted | Deed::Ended(Ending::Abandoned) => None,
    }
}

/// A move by whoever moves now: if the flag has fallen, the lobby answers any with the end of the game.
fn any_move(before: &Replay) -> Option<(Who, Request)> {
    let (lobby, player) = (before.lobby(), player(before.board().turn()));
    let mv = before.board().position().moves().next()?;
    let stood_in = lobby.hand(before.board().turn()) == Hand::StandIn;
    let who = if stood_in { Who::StandIn(player) } else { Who::Player(player) };
    Some((who, Request::Play { turn: lobby.turn(), mv }))
}

/// What happens of itself by this moment.
fn of_itself(before: &Replay, step: &Step, at: Moment) -> Events {
    let lobby = before.lobby();
    let exhibition = lobby.is_exhibition() && step.deed == Deed::Ended(Ending::Abandoned);
    if exhibition || step.deed == Deed::Restarted {
        // Nobody watched it any more, which is not told in a record; and a host comes and goes by no rules.
        return Events::from_iter([before.event(step)]);
    }
    lobby.decide_due(at)
}

fn is_flag(events: &Events) -> bool {
    matches!(events.first(), Some(Event::Ended { result: GameResult { cause: Cause::Time, .. } }))
}

/// The time was up before this move.
fn late(before: &Replay) -> String {
    let side = before.board().turn();
    let left = super::Span::of(before.lobby().clocks().left_at(side, before.lobby().began()));
    format!("{}'s time was up: {left} was left when the turn began", called(side))
}

/// Nothing led to it.
fn unfounded(deed: &Deed) -> String {
    match deed {
        Deed::StoodIn(side) => format!("{} was not away for long enough on their turn", called(*side)),
        Deed::Ended(Ending::Time(side)) => format!("{}'s time was not up", called(*side)),
        Deed::Ended(Ending::Abandoned) => {
            "the game was not given up yet: somebody was there, or the seats were kept".into()
        }
        Deed::Away { side, .. } => format!("{} was no person who could be away anew", called(*side)),
        Deed::Back(side) => format!("{} was not away", called(*side)),
        _ => "what stands above does not lead to this".into(),
    }
}

/// A refusal as it is told of somebody else.
fn sentence(before: &Replay, step: &Step, refusal: &Refusal) -> String {
    let mover = called(before.board().turn());
    let words = match (refusal, step.deed) {
        (_, Deed::Ended(Ending::Time(_))) => "no time was running",
        (Refusal::Paused, _) => "the game rests, and nobody has gone on with it",
        (Refusal::NotYourTurn, _) => return format!("a stand-in plays for {mover}, who is not back"),
        (Refusal::NotSeated, _) => return format!("nobody stands in for {mover} here"),
        (Refusal::AnswerFirst, _) => "the other side's offer has to be answered first",
        (Refusal::OfferedAlready, _) => "they have offered that in this turn already",
        (Refusal::NoOffer, _) => "they are offered nothing here",
        (Refusal::NothingToTakeBack, _) => "there is no move of theirs to take back",
        (Refusal::NotPaused, _) => "the game does not rest",
        (Refusal::NobodyAway, _) => "the other side is not away",
        (Refusal::WaitsAlready, _) => "the game waits anyhow, or a stand-in plays already",
        (Refusal::WaitsNot, _) => "they did not wait for the other side",
        (Refusal::NothingToClaim, _) => "the other side is not away on their turn, or that was not agreed",
        (Refusal::ClaimTooEarly { .. }, _) => "the other side still had time to come back",
        _ => return unfounded(&step.deed),
    };
    words.into()
}
