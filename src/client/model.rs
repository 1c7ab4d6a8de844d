//! What a client knows of the hall and its lobby. Only messages of the server change it.

use crate::game::Side;
use crate::lobby::{Code, Event, Lobby, Moment, Name, Offer, OutOfStep, PlayerId, WhenAway};
use crate::wire::limits::MAX_CHAT_LINES;
use crate::wire::{ChatLine, HallEvent, Listing, Ticket, ToClient};

/// The most lobbies that a server can make a client keep.
const MAX_KEPT: usize = 1_000;

/// The client's picture of the server.
#[derive(Debug)]
pub struct Model {
    name: Name,
    /// What was told last stands first; what was told at once stands as it was told.
    hall: Vec<Listing>,
    /// This many arrive at once, and more are to come.
    told: usize,
    /// They were told over a connection that is lost: the next list takes their place.
    stale: bool,
    lobby: Option<MyLobby>,
    /// The ticket for the seat that the client asked for last.
    ticket: Option<Ticket>,
    /// Why nothing can happen now, if so: the host cannot record it.
    halted: Option<String>,
}

/// The lobby that the client is in.
#[derive(Debug, Clone)]
pub struct MyLobby {
    /// The lobby itself.
    pub lobby: Lobby,
    /// What the client is there.
    pub role: Role,
    /// The last lines that were said in its room, the oldest first.
    pub chat: Vec<ChatLine>,
    /// The latest moment of the lobby's time that the client was told.
    pub now: Moment,
}

/// What is new in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Lobbies that are new, or other than they were.
    pub listed: Vec<Listing>,
    /// Lobbies that were known and are gone.
    pub gone: Vec<Code>,
}

/// Who reads a sentence about a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewpoint {
    /// A player, who is called "you".
    Player(PlayerId),
    /// A watcher: all players have their names.
    Spectator,
}

/// What a client is in its lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A player.
    Player {
        /// Which one.
        id: PlayerId,
        /// What proves the seat to be the client's.
        ticket: Ticket,
    },
    /// A watcher.
    Watcher,
}

impl MyLobby {
    /// The client's own player; `None` if it watches.
    pub fn you(&self) -> Option<PlayerId> {
        match self.role {
            Role::Player { id, .. } => Some(id),
            Role::Watcher => None,
        }
    }

    /// The ticket of the client's seat; `None` if it watches.
    pub fn ticket(&self) -> Option<Ticket> {
        match self.role {
            Role::Player { ticket, .. } => Some(ticket),
            Role::Watcher => None,
        }
    }

    /// The client's own side; `None` if it watches.
    pub fn side(&self) -> Option<Side> {
        self.lobby.side_of(self.you()?)
    }

    /// Whether the client plays both sides, for two people at one keyboard.
    pub fn is_for_two(&self) -> bool {
        self.side().is_some_and(|side| self.lobby.has_guest(side))
    }

    /// Through whose eyes the lobby is described.
    pub fn viewpoint(&self) -> Viewpoint {
        self.you().filter(|_| !self.is_for_two()).map_or(Viewpoint::Spectator, Viewpoint::Player)
    }

    /// Whether it is the client that moves now.
    pub fn is_to_move(&self) -> bool {
        self.lobby.to_move().is_some_and(|player| self.is_for_two() || Some(player.id) == self.you())
    }

    /// Whether the client can claim the game of a player who is away, at this moment.
    pub fn is_claimable(&self, now: Moment) -> bool {
        let due = self.lobby.agreed_absence_deadline().filter(|(.., then)| *then == WhenAway::Forfeit);
        due.is_some_and(|(at, away, _)| at <= now && self.side() == Some(!away))
    }

    /// The offer of the other player that waits for the client's answer.
    pub fn offer(&self) -> Option<Offer> {
        // Two at one keyboard agree before they type.
        let side = self.side().filter(|_| !self.is_for_two())?;
        self.lobby.offer().filter(|open| open.side != side).map(|open| open.offer)
    }

    /// Whether this event, which is about to happen here, answers what the client asked of the lobby.
    pub fn is_answered_by(&self, event: &Event) -> bool {
        let two = self.is_for_two();
        let mine = |side: Side| two || self.side() == Some(side);
        match event {
            Event::Moved { player, .. } => two || Some(*player) == self.you(),
            // Two people ask for another game at once, and the answer to both is its start. A watcher of two
            // bots asks for it.
            Event::AgainWanted { side } => !two && (self.side() == Some(*side) || self.you().is_none()),
            Event::Ended { .. }
            | Event::Started { .. }
            | Event::TakenBack { .. }
            | Event::Paused
            | Event::Resumed { .. } => true,
            Event::WaitedFor { side } | Event::WaitedNoMore { side } => mine(!*side),
            // Two people at one keyboard agree at once, and the answer is what comes of it.
            Event::Offered { side, .. } => !two && mine(*side),
            Event::Declined { side } => mine(*side),
            _ => false,
        }
    }

    /// Whether somebody of this name sits here, or has said something.
    pub fn knows(&self, name: &Name) -> bool {
        let sits = self.lobby.seats().iter().filter_map(|(_, seat)| seat.as_ref());
        let spoke = self.chat.iter().map(|line| &line.name);
        sits.map(|player| &player.name).chain(spoke).any(|known| known == name)
    }

    /// Adds lines of chat. After a return the known lines arrive again.
    fn hear(&mut self, said: &[ChatLine]) {
        let known = self.chat.last().map_or(0, |line| line.number);
        self.chat.extend(said.iter().filter(|line| line.number > known).cloned());
        let superfluous = self.chat.len().saturating_sub(MAX_CHAT_LINES);
        self.chat.drain(..superfluous);
    }
}

impl Model {
    /// What is known right after the welcome: one's own name.
    pub fn new(name: Name) -> Self {
        Self { name, hall: Vec::new(), told: 0, stale: false, lobby: None, ticket: None, halted: None }
    }

    /// What is known of a lobby at which somebody looks without any server: in a record.
    pub fn of_record(lobby: Lobby) -> Self {
        let mut model = Self::new(Name::anyone());
        model.enter(lobby, Role::Watcher, Moment::START);
        model
    }

    /// The client is about to ask for a seat by this ticket.
    pub fn set_ticket(&mut self, ticket: Ticket) {
        self.ticket = Some(ticket);
    }

    /// The ticket for the seat that the client asked for last.
    pub fn ticket(&self) -> Option<Ticket> {
        self.ticket
    }

    /// What the client is called.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The lobbies in the hall, as far as the client looked: what it was told last stands first. A server
    /// tells of those to join first, and of what changed last.
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

    /// A new list of the hall is about to arrive, in place of what is known.
    pub(super) fn hear_again(&mut self) {
        self.stale = true;
    }

    /// The client's lobby, if it sits in one.
    pub fn lobby(&self) -> Option<&MyLobby> {
        self.lobby.as_ref()
    }

    /// Why nothing can happen now, if so: the host cannot record it. Outside it is known of what was asked
    /// last alone.
    pub fn halted(&self) -> Option<&str> {
        self.halted.as_deref()
    }

    /// Handles a message of the server. An error means that it cannot be true.
    pub fn apply(&mut self, message: &ToClient) -> Result<(), OutOfStep> {
        match message {
            ToClient::Hall(HallEvent::Lobbies { listed, gone, complete }) => {
                self.learn_hall(listed, gone);
                self.told = if *complete { 0 } else { self.told + listed.len() };
            }
            ToClient::Entered { you, lobby, now } => {
                let lobby = Lobby::try_from(lobby.clone()).map_err(|_| OutOfStep)?;
                let id = lobby.seats()[*you].as_ref().ok_or(OutOfStep)?.id;
                let ticket = self.ticket.ok_or(OutOfStep)?;
                self.enter(lobby, Role::Player { id, ticket }, *now);
            }
            ToClient::Watching { lobby, now } => {
                let lobby = Lobby::try_from(lobby.clone()).map_err(|_| OutOfStep)?;
                self.enter(lobby, Role::Watcher, *now);
            }
            ToClient::Returned { now } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                mine.ticket().ok_or(OutOfStep)?;
                // A host that halted and was started again knows nothing of the time in which it could record
                // nothing.
                (mine.now, self.halted) = (*now, None);
            }
            ToClient::Said(lines) => self.lobby.as_mut().ok_or(OutOfStep)?.hear(lines),
            ToClient::Lobby { number, at, event } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                if *number <= mine.lobby.last_event() {
                    return Err(OutOfStep);
                }
                mine.lobby.apply(event, *at)?;
                mine.now = mine.now.max(*at);
                mine.lobby.skip_to(*number);
            }
            ToClient::Halted { why, now } => {
                // It may overtake what waits to be told, that the client is in a lobby for instance.
                self.halted = why.as_ref().map(ToString::to_string);
                if let Some(mine) = &mut self.lobby {
                    mine.now = mine.now.max(*now);
                }
            }
            ToClient::Outside => (self.lobby, self.halted) = (None, None),
            ToClient::Refused { .. } if self.lobby.is_none() => self.halted = None,
            _ => {}
        }
        Ok(())
    }

    /// The client is in this lobby. What was said there is kept if it is the same one.
    fn enter(&mut self, lobby: Lobby, role: Role, now: Moment) {
        (self.hall, self.told, self.halted) = (Vec::new(), 0, None);
        let before = self.lobby.take().filter(|mine| mine.lobby.code() == lobby.code());
        let chat = before.map(|mine| mine.chat).unwrap_or_default();
        self.lobby = Some(MyLobby { lobby, role, chat, now });
    }

    fn learn_hall(&mut self, listed: &[Listing], gone: &[Code]) {
        if std::mem::take(&mut self.stale) {
            (self.hall, self.told) = (Vec::new(), 0);
        }
        let is_told = |code: &Code| gone.contains(code) || listed.iter().any(|listing| listing.code == *code);
        self.hall.retain(|known| !is_told(&known.code));
        let place = self.told.min(self.hall.len());
        self.hall.splice(place..place, listed.iter().cloned());
        self.hall.truncate(MAX_KEPT);
    }
}
