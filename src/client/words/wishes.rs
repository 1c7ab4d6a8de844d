//! What a lobby does not grant of what somebody wished for who came to it, as sentences.

use crate::client::{Action, Preferences};
use crate::lobby::{Lobby, WhenAway};

/// Where somebody said how they like the lobbies that they open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// By flags.
    ByFlags,
    /// In the form on the screen.
    InForm,
}

/// Somebody has met another's lobby, which is not as their flags would have it.
const NOT_AS_FLAGGED: &str =
    "Whoever opened this lobby chose what is agreed here; your flags are for lobbies that you open.";

/// The same of what they chose in the form.
const NOT_AS_FILLED_IN: &str =
    "Whoever opened this lobby chose what is agreed here; what you chose holds where you open one yourself.";

/// Whoever wanted stand-ins gets none.
const NO_STAND_INS: &str =
    "This server has no bots, and so no stand-ins: if somebody is away, the game waits.";

/// What this lobby does not grant of a wish that led into it.
pub fn not_granted(wish: &Action, chosen: Chosen, lobby: &Lobby) -> Vec<&'static str> {
    let opened = match wish {
        Action::Create(terms) | Action::Quick(terms) => misses_stand_ins(&terms.preferences, lobby),
        _ => false,
    };
    let met = match wish {
        Action::Quick(terms) => is_otherwise(&terms.preferences, lobby),
        _ => false,
    };
    let otherwise = match chosen {
        Chosen::ByFlags => NOT_AS_FLAGGED,
        Chosen::InForm => NOT_AS_FILLED_IN,
    };
    [opened.then_some(NO_STAND_INS), met.then_some(otherwise)].into_iter().flatten().collect()
}

/// Whether a quick match led to a lobby of somebody else that is not as this player would have opened it.
fn is_otherwise(wished: &Preferences, lobby: &Lobby) -> bool {
    let agreed = lobby.conditions();
    let met = lobby.seats().iter().all(|(_, seat)| seat.is_some());
    let same_absence = (agreed.away.then, agreed.away.closed_after) == (wished.away.then, wished.away.after);
    let same_game = (agreed.clock, agreed.best_of) == (wished.clock, wished.best_of);
    met && !(same_absence && same_game && agreed.hints == wished.hints)
}

/// Whether the lobby was opened by whoever wanted stand-ins, and the server grants none.
fn misses_stand_ins(wished: &Preferences, lobby: &Lobby) -> bool {
    let alone = lobby.seats().iter().filter(|(_, seat)| seat.is_some()).count() == 1;
    let opened = alone && lobby.games() == 0;
    opened && wished.away.then == WhenAway::StandIn && lobby.conditions().away.then == WhenAway::Wait
}
