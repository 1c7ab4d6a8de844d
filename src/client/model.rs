//! What a client knows: the hall and its lobby, changed only by what the server says.

use super::visit::Changes;
use crate::lobby::{Code, Event, Lobby, Moment, Name, OutOfStep, PlayerId};
use crate::wire::{HallEvent, Listing, Ticket, ToClient};

/// The most lobbies that are kept for the list; more than anybody reads, and what a server may make a client keep.
const MAX_KEPT: usize = 1_000;

/// The client's picture of the server.
#[derive(Debug)]
pub struct Model {
    name: Name,
    /// In the order in which they were first told of.
    hall: Vec<Listing>,
    lobby: Option<MyLobby>,
}

/// The lobby that the client sits in.
#[derive(Debug, Clone)]
pub struct MyLobby {
    /// The lobby itself.
    pub lobby: Lobby,
    /// The client's own player.
    pub you: PlayerId,
    /// What brings the client back to its seat.
    pub ticket: Ticket,
    /// The latest moment of the lobby's time that the client was told.
    pub now: Moment,
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
            Event::WaitedFor { side } => two || self.lobby.side_of(self.you) == Some(!*side),
            Event::Sat { .. }
            | Event::Left { .. }
            | Event::Closed
            | Event::Away { .. }
            | Event::Back { .. }
            | Event::StoodIn { .. } => false,
        }
    }
}

impl Model {
    /// What is known right after the welcome: one's own name.
    pub fn new(name: Name) -> Self {
        Self { name, hall: Vec::new(), lobby: None }
    }

    /// What the client is called.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The lobbies in the hall, as far as the client looked, in the order in which it was first told of them: a server
    /// tells of the oldest first.
    pub fn hall(&self) -> &[Listing] {
        &self.hall
    }

    /// What a message that has not been taken in yet tells of the hall that is not known.
    pub fn changes(&self, message: &ToClient) -> Changes {
        let ToClient::Hall(HallEvent::Lobbies { listed, gone, .. }) = message else {
            return Changes::default();
        };
        let known = |code: &Code| self.hall.iter().any(|listing| listing.code == *code);
        Changes {
            listed: listed.iter().filter(|listing| !self.hall.contains(listing)).cloned().collect(),
            gone: gone.iter().copied().filter(known).collect(),
        }
    }

    /// The client's lobby, if it sits in one.
    pub fn lobby(&self) -> Option<&MyLobby> {
        self.lobby.as_ref()
    }

    /// Takes in what the server said. An error means that it cannot be true.
    pub fn learn(&mut self, message: &ToClient) -> Result<(), OutOfStep> {
        match message {
            ToClient::Hall(HallEvent::Lobbies { listed, gone, .. }) => self.learn_hall(listed, gone),
            ToClient::Entered { you, lobby, now, ticket } => {
                let lobby = Lobby::try_from(lobby.clone()).map_err(|_| OutOfStep)?;
                let you = lobby.seats()[*you].as_ref().ok_or(OutOfStep)?.id;
                self.hall.clear();
                self.lobby = Some(MyLobby { lobby, you, ticket: *ticket, now: *now });
            }
            ToClient::Returned { now, ticket } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                (mine.ticket, mine.now) = (*ticket, mine.now.max(*now));
            }
            ToClient::Lobby { number, at, event } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                if *number <= mine.lobby.last_event() {
                    return Err(OutOfStep);
                }
                mine.lobby.apply(event, *at)?;
                mine.now = mine.now.max(*at);
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
        self.hall.retain(|listing| !gone.contains(&listing.code));
        for listing in listed {
            match self.hall.iter().position(|known| known.code == listing.code) {
                Some(place) => self.hall[place] = listing.clone(),
                None if self.hall.len() < MAX_KEPT => self.hall.push(listing.clone()),
                None => {}
            }
        }
    }
}
