//! What a client knows: the hall and its lobby, changed only by what the server says.

use std::collections::BTreeMap;

use crate::lobby::{Code, Lobby, Name, OutOfStep, PlayerId};
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
