//! What reaches a person who looks at another window: the title of this one, and what rings the bell.

use super::view::View;
use crate::client::model::MyLobby;
use crate::client::session::SessionEvent;
use crate::client::words::alert as words;
use crate::game::Side;
use crate::lobby::{BotRule, Event, Hand, Kind, Lobby};

/// The title of the window.
pub fn title(view: &View<'_>) -> String {
    match view.mine() {
        Some(mine) => words::in_lobby(mine, view.lost),
        None => words::elsewhere(view.lost),
    }
}

/// Whether an event rings the bell: another person sits down, moves or offers something, or a bot or a program
/// takes the seat after a wait.
pub fn rings(view: &View<'_>, event: &SessionEvent) -> bool {
    match (view.mine(), event) {
        (Some(mine), SessionEvent::Happened { event, before }) => is_by_another(mine, event, before),
        _ => false,
    }
}

fn is_by_another(mine: &MyLobby, event: &Event, before: &Lobby) -> bool {
    let Some(you) = mine.you().filter(|_| !mine.is_for_two()) else { return false };
    let is_person = |side: Side| before.seats()[side].as_ref().is_some_and(|seat| seat.kind == Kind::Person);
    match event {
        Event::Sat { player, .. } => {
            let comes_at_once = before.conditions().bot == BotRule::After(0);
            player.id != you && (player.kind == Kind::Person || !comes_at_once)
        }
        Event::Moved { player, hand, .. } => {
            let is_person = before.side_of(*player).is_some_and(is_person);
            *player != you && is_person && *hand == Hand::Own
        }
        Event::Offered { side, .. } => mine.side() != Some(*side) && is_person(*side),
        _ => false,
    }
}
