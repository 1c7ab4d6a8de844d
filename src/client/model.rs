//! What a client knows: the hall and its lobby, changed only by what the server says.

use std::collections::BTreeMap;

use crate::lobby::{Code, Event, Lobby, Name, OutOfStep, PlayerId};
use crate::wire::{HallEvent, Listing, ToClient};

/// The most lobbies that are kept for the list; more than anybody reads, and what a server may make a client keep.
const MAX_KEPT: usize = 1_000;

/// The client's picture of the server.
#[derive(Debug)]
pub struct Model {
    name: Name,
    hall: BTreeMap<Code, Listing>,
    lobby: Option<MyLobby>,
}

/// The lobby that the client sits in.
#[derive(Debug, Clone)]
pub struct MyLobby {
    /// The lobby itself.
    pub lobby: Lobby,
    /// The client's own player.
    pub you: PlayerId,
}

impl MyLobby {
    /// Whether it is the client's own move.
    pub fn is_to_move(&self) -> bool {
        self.lobby.to_move().is_some_and(|player| player.id == self.you)
    }

    /// Whether this event, which is about to happen here, answers what the client asked of the lobby.
    /// With `two` players at this keyboard it asks in the name of both.
    pub fn is_answered_by(&self, event: &Event, two: bool) -> bool {
        match event {
            Event::Moved { player, .. } => two || *player == self.you,
            // Two people ask for another game at once, and the answer to both is its start.
            Event::AgainWanted { side } => !two && self.lobby.side_of(self.you) == Some(*side),
            Event::Ended { .. } | Event::Started { .. } => true,
            Event::Sat { .. } | Event::Left { .. } | Event::Closed => false,
        }
    }
}

impl Model {
    /// What is known right after the welcome: one's own name.
    pub fn new(name: Name) -> Self {
        Self { name, hall: BTreeMap::new(), lobby: None }
    }

    /// What the client is called.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The lobbies in the hall, as far as the client looked.
    pub fn hall(&self) -> &BTreeMap<Code, Listing> {
        &self.hall
    }

    /// The client's lobby, if it sits in one.
    pub fn lobby(&self) -> Option<&MyLobby> {
        self.lobby.as_ref()
    }

    /// Takes in what the server said. An error means that it cannot be true.
    pub fn learn(&mut self, message: &ToClient) -> Result<(), OutOfStep> {
        match message {
            ToClient::Hall(HallEvent::Lobbies { listed, gone, .. }) => self.learn_hall(listed, gone),
            ToClient::Entered { you, lobby } => {
                let lobby = Lobby::try_from(lobby.clone()).map_err(|_| OutOfStep)?;
                let you = lobby.seats()[*you].as_ref().ok_or(OutOfStep)?.id;
                self.hall.clear();
                self.lobby = Some(MyLobby { lobby, you });
            }
            ToClient::Lobby { number, event } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                if *number <= mine.lobby.last_event() {
                    return Err(OutOfStep);
                }
                mine.lobby.apply(event)?;
                mine.lobby.skip_to(*number);
            }
            ToClient::Outside => self.lobby = None,
            ToClient::Welcome { .. }
            | ToClient::Unwelcome(_)
            | ToClient::Refused { .. }
            | ToClient::Hint { .. }
            | ToClient::Ping(_)
            | ToClient::Pong(_)
            | ToClient::Goodbye(_) => {}
        }
        Ok(())
    }

    fn learn_hall(&mut self, listed: &[Listing], gone: &[Code]) {
        for code in gone {
            self.hall.remove(code);
        }
        for listing in listed {
            if self.hall.len() < MAX_KEPT || self.hall.contains_key(&listing.code) {
                self.hall.insert(listing.code, listing.clone());
            }
        }
    }
}
