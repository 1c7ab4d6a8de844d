//! An attacker who plays: makes each move as soon as it may.

use nim::game::any::{Move, Variant};
use nim::game::{Game, Side};
use nim::lobby::Event;
use nim::wire::{BotWish, HallRequest, LobbyRequest, ToClient, ToServer};

use crate::load::guest::{Setting, terms};

/// A pile that is not empty when the game ends as a draw after 20,000 moves.
const LONG_GAME: &str = "java-tech:1000000000000000000";

/// The request for an opponent.
pub(crate) fn seek() -> ToServer {
    let request = HallRequest::Quick(terms(Setting::untimed(LONG_GAME), BotWish::PeopleOnly));
    ToServer::Hall { id: 1, request }
}

/// A seat in such a game, whose opener makes the first move.
#[derive(Debug)]
pub(crate) struct Player {
    side: Side,
    mv: Move,
}

impl Player {
    pub(crate) fn new() -> Option<Self> {
        let mv = LONG_GAME.parse::<Variant>().ok()?.start().position().moves().next()?;
        Some(Self { side: Side::First, mv })
    }

    /// The answer to a message, if it has one.
    pub(crate) fn reply(&mut self, message: &ToClient) -> Option<ToServer> {
        match message {
            ToClient::Ping(number) => Some(ToServer::Pong(*number)),
            ToClient::Entered { you, .. } => {
                self.side = *you;
                None
            }
            ToClient::Lobby { event: Event::Started { .. }, .. } => self.play(1),
            ToClient::Lobby { event: Event::Ended { .. }, .. } => {
                Some(ToServer::Lobby { id: 1, request: LobbyRequest::Leave })
            }
            ToClient::Outside => Some(seek()),
            ToClient::Lobby { event: Event::Moved { turn, .. }, .. } => self.play(turn + 1),
            _ => None,
        }
    }

    /// The move of this turn, if it is its own: the sides take turns.
    fn play(&self, turn: u32) -> Option<ToServer> {
        let to_move = if turn % 2 == 1 { Side::First } else { Side::Second };
        let request = LobbyRequest::Play { turn, mv: self.mv };
        (self.side == to_move).then_some(ToServer::Lobby { id: 1, request })
    }
}
