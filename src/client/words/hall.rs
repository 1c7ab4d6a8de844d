//! The list of lobbies, a line for each.

use super::names::mark;
use crate::client::model::Changes;
use crate::client::text::marked;
use crate::client::{Action, Terms};
use crate::game::Side;
use crate::game::any::Variant;
use crate::lobby::{ClockRule, Level, Lobby, WhenAway};
use crate::wire::{Listing, LobbyState, Sitter};

/// A player in the list, with marks for a bot and an absence.
fn listed(sitter: &Sitter, level: Level) -> String {
    marked(&sitter.name, sitter.kind, level) + mark(sitter.presence)
}

/// One line of the list of lobbies.
pub fn listing(listing: &Listing) -> String {
    let state = match listing.state {
        LobbyState::Open => "open",
        LobbyState::Playing => "playing",
        LobbyState::Over => "over",
        LobbyState::Away => "away",
    };
    // The text of a variant comes from the network: only one that can be read back is shown.
    let variant = listing.variant.as_str().parse::<Variant>();
    let variant = variant.map_or_else(|_| "?".into(), |variant| variant.text());
    format!("{:16} {state:8} {variant:24} {}", listing.code, in_seats(listing))
}

/// The players and the properties of a listed lobby.
pub fn in_seats(listing: &Listing) -> String {
    let name = |side: Side| listing.seats[side].as_ref().map(|sitter| listed(sitter, listing.level));
    let players: Vec<String> = Side::BOTH.into_iter().filter_map(name).collect();
    players.join(" against ") + &marks(listing)
}

/// The properties of a listed lobby, in parentheses.
fn marks(listing: &Listing) -> String {
    let mut marks = Vec::new();
    if let Some(position) = &listing.position {
        marks.push(format!("from {position}"));
    }
    if listing.locked {
        marks.push("password".to_owned());
    }
    if listing.clock != ClockRule::None {
        marks.push(listing.clock.to_string());
    }
    if listing.best_of > 0 {
        marks.push(format!("best of {}", listing.best_of));
    }
    if listing.watchers > 0 {
        let watch = if listing.watchers == 1 { "watches" } else { "watch" };
        marks.push(format!("{} {watch}", listing.watchers));
    }
    if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) }
}

/// The most lobbies that are listed at once.
const MAX_SHOWN: usize = 64;

/// The order of lobbies by their state.
fn rank(state: LobbyState) -> u8 {
    match state {
        LobbyState::Open => 0,
        LobbyState::Playing | LobbyState::Over => 1,
        LobbyState::Away => 2,
    }
}

/// The list is empty.
pub const NO_LOBBIES: &str = "There are no lobbies yet.";

/// No lobby passes the filter.
pub const NO_MATCH: &str = "No lobby matches the filter; / changes it.";

/// Open lobbies first, and last those whose players are away; otherwise in the given order.
pub fn sorted(listings: &[Listing]) -> Vec<&Listing> {
    let mut sorted: Vec<&Listing> = listings.iter().collect();
    sorted.sort_by_key(|listing| rank(listing.state));
    sorted
}

/// The list of lobbies, [sorted].
pub fn hall(listings: &[Listing]) -> Vec<String> {
    if listings.is_empty() {
        return vec![NO_LOBBIES.into()];
    }
    let mut lines: Vec<String> = sorted(listings).into_iter().take(MAX_SHOWN).map(listing).collect();
    if listings.len() > MAX_SHOWN {
        lines.push(format!("{MAX_SHOWN} of {} shown.", listings.len()));
    }
    lines
}

/// What changed in the hall, one line for each lobby.
pub fn changes(changes: &Changes) -> Vec<String> {
    let gone = changes.gone.iter().map(|code| format!("{code:16} gone"));
    changes.listed.iter().map(listing).chain(gone).collect()
}

/// A quick match led to a lobby with other terms.
const OTHER_TERMS: &str =
    "The opener chose the conditions of this lobby. Yours apply to lobbies that you open.";

/// The server has no stand-ins.
const NO_STAND_INS: &str =
    "This server has no bots, and so no stand-ins: if somebody is away, the game waits.";

/// Notes on terms of this action that the lobby does not have.
pub fn not_granted(wish: &Action, lobby: &Lobby) -> Vec<&'static str> {
    let opened =
        matches!(wish, Action::Create(terms) | Action::Quick(terms) if misses_stand_ins(terms, lobby));
    let met = matches!(wish, Action::Quick(terms) if is_otherwise(terms, lobby));
    [opened.then_some(NO_STAND_INS), met.then_some(OTHER_TERMS)].into_iter().flatten().collect()
}

/// Whether a quick match led to a lobby of another player with other terms.
fn is_otherwise(wished: &Terms, lobby: &Lobby) -> bool {
    let agreed = lobby.conditions();
    let met = lobby.seats().iter().all(|(_, seat)| seat.is_some());
    let same_level = wished.away.level.is_none_or(|level| level == agreed.away.level);
    let same_absence =
        same_level && (agreed.away.then, agreed.away.closed_after) == (wished.away.then, wished.away.after);
    let same_game = (agreed.clock, agreed.best_of) == (wished.clock, wished.best_of);
    met && !(same_absence && same_game && agreed.hints == wished.hints)
}

/// Whether the client opened this lobby with stand-ins, and the server has none.
fn misses_stand_ins(wished: &Terms, lobby: &Lobby) -> bool {
    let alone = lobby.seats().iter().filter(|(_, seat)| seat.is_some()).count() == 1;
    let opened = alone && lobby.games() == 0;
    opened && wished.away.then == WhenAway::StandIn && lobby.conditions().away.then == WhenAway::Wait
}
