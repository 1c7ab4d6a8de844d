//! What a lobby does not grant of what somebody wished for who came to it, as sentences.

use crate::client::{Preferences, Wish};
use crate::lobby::{Lobby, WhenAway};

/// Somebody has met another's lobby, which is not as they wished for.
const NOT_AS_WISHED: &str =
    "Whoever opened this lobby chose what is agreed here; your flags are for lobbies that you open.";

/// Whoever wanted stand-ins gets none.
const NO_STAND_INS: &str =
    "This server has no bots, and so no stand-ins: if somebody is away, the game waits.";

/// What this lobby does not grant of a wish that led into it.
pub fn not_granted(wish: &Wish, lobby: &Lobby) -> Vec<&'static str> {
    let opened = match wish {
        Wish::New(terms) | Wish::Quick(terms) => misses_stand_ins(&terms.preferences, lobby),
        _ => false,
    };
    let met = match wish {
        Wish::Quick(terms) => is_otherwise(&terms.preferences, lobby),
        _ => false,
    };
    [opened.then_some(NO_STAND_INS), met.then_some(NOT_AS_WISHED)].into_iter().flatten().collect()
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
