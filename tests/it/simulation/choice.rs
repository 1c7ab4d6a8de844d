//! The choices of simulated people: mostly a move; sometimes an offer, an answer, a pause, a resignation or
//! leaving. It is independent of the network: it maps a client's knowledge to a request.

use fastrand::Rng;
use nim::client::model::MyLobby;
use nim::client::{Action, Leaving, Question, Session};
use nim::game::{Game, Side};
use nim::lobby::{Code, Cover, Lobby, Offer, Phase, Text, WhenAway};

/// The names of those who watch.
const WATCHERS: [&str; 2] = ["dora", "gina"];

/// A person's next action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// Nothing for now.
    Nothing,
    /// Send a request to the lobby, or leave it for good.
    Ask(Action),
    /// End the program, and keep the seat.
    HangUp,
}

/// Chooses the next action of a person with this knowledge. During the calm nobody begins anything new. A player whose seat is
/// in another lobby than that where people meet gives it up.
pub(super) fn choose(session: &Session, is_calm: bool, meeting: Option<Code>, chance: &mut Rng) -> Choice {
    let Some(lobby) = session.lobby() else { return Choice::HangUp };
    if session.is_watching() {
        return if is_calm || session.is_pending() { Choice::Nothing } else { looks_on(chance) };
    }
    if !session.is_pending() && meeting.is_some_and(|meeting| meeting != lobby.code()) {
        return Choice::Ask(Action::Leave(Leaving::GiveUp));
    }
    if !is_calm && !session.is_pending() && one_in(60, chance) {
        return parts(chance);
    }
    let is_host = session.model().lobby().is_some_and(MyLobby::may_kick);
    if is_host && !is_calm && !session.is_pending() && lobby.watchers() > 0 && one_in(12, chance) {
        return Choice::Ask(Action::Kick(Text::cut(chance.choice(WATCHERS).unwrap())));
    }
    match session.question() {
        Some(Question::Move) => at_move(lobby, is_calm, chance),
        Some(Question::Again) if !is_calm => Choice::Ask(Action::Again),
        Some(Question::Offer(offer)) => Choice::Ask(Action::Answer { offer, accept: chance.bool() }),
        Some(Question::Rest) if is_calm || one_in(3, chance) => Choice::Ask(Action::Resume),
        Some(Question::Absence) if !is_calm => at_absence(lobby, chance),
        None => at_leisure(session, lobby, is_calm, chance),
        _ => Choice::Nothing,
    }
}

fn one_in(count: u32, chance: &mut Rng) -> bool {
    chance.u32(..count) == 0
}

fn looks_on(chance: &mut Rng) -> Choice {
    match chance.u8(..20) {
        0 => Choice::Ask(Action::Leave(Leaving::GiveUp)),
        1 => Choice::HangUp,
        _ => Choice::Nothing,
    }
}

fn parts(chance: &mut Rng) -> Choice {
    match chance.u8(..5) {
        0 => Choice::Ask(Action::Leave(Leaving::GiveUp)),
        2 => Choice::Ask(Action::Leave(Leaving::Keep)),
        1 => Choice::Ask(Action::Quit(Leaving::GiveUp)),
        _ => Choice::HangUp,
    }
}

fn at_move(lobby: &Lobby, is_calm: bool, chance: &mut Rng) -> Choice {
    match chance.u8(..40) {
        0 if !is_calm => Choice::Ask(Action::Resign),
        1..4 if !is_calm => offers(chance),
        _ => Choice::Ask(moves(lobby, chance)),
    }
}

fn moves(lobby: &Lobby, chance: &mut Rng) -> Action {
    let legal: Vec<_> = lobby.board().position().moves().collect();
    // An unfinished game always has a legal move.
    Action::Play(*chance.choice(&legal).unwrap())
}

fn offers(chance: &mut Rng) -> Choice {
    Choice::Ask(Action::Offer(Offer::ALL[chance.usize(..Offer::ALL.len())]))
}

/// The opponent is away on their turn, and the agreement has a rule for that.
fn at_absence(lobby: &Lobby, chance: &mut Rng) -> Choice {
    match (chance.u8(..40), lobby.conditions().away.then) {
        (0, _) => Choice::Ask(Action::Wait),
        (_, WhenAway::Forfeit) => Choice::Ask(Action::Claim),
        _ => Choice::Nothing,
    }
}

/// Another player has to act, or there is no connection.
fn at_leisure(session: &Session, lobby: &Lobby, is_calm: bool, chance: &mut Rng) -> Choice {
    let is_mine = session.model().lobby().is_some_and(|mine| mine.is_to_move() && !lobby.is_paused());
    if session.is_lost() && is_mine {
        return Choice::Ask(moves(lobby, chance));
    }
    let plays = lobby.phase() == Phase::Playing && !lobby.is_paused() && !session.is_pending();
    let waits = |side| lobby.cover(side) == Some(Cover::Waited);
    if plays && !session.is_lost() && Side::BOTH.into_iter().any(waits) && one_in(4, chance) {
        return Choice::Ask(Action::WaitNoMore);
    }
    if plays && !is_calm && one_in(20, chance) { offers(chance) } else { Choice::Nothing }
}
