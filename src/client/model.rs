//! The client's model of the hall and of its lobby. Only messages of the server change it, but for who is shown as present.

use crate::game::Side;
use crate::lobby;
use crate::lobby::{
    Attendance, Code, Event, Lobby, Moment, Name, Notice, Offer, OutOfStep, PlayerId, Snapshot, WhenAway, Who,
};
use crate::wire::limits::MAX_CHAT_LINES;
use crate::wire::{ChatLine, HallEvent, Listing, Ticket, ToClient};

/// The most listed lobbies that a client keeps.
const MAX_KEPT: usize = 1_000;

/// What the client knows from the server.
#[derive(Debug)]
pub struct Model {
    name: Name,
    /// Newest batch first; server order within a batch.
    hall: Vec<Listing>,
    /// How many lobbies of an incomplete batch have arrived.
    batch_len: usize,
    /// Whether the list is from a lost connection, so that the next one replaces it.
    stale: bool,
    lobby: Option<MyLobby>,
    /// The ticket for the seat that the client asked for last.
    ticket: Option<Ticket>,
    /// Why the host cannot record, while it cannot.
    halted: Option<String>,
}

/// The lobby that the client is in.
#[derive(Debug, Clone)]
pub struct MyLobby {
    /// The lobby itself.
    pub lobby: Lobby,
    /// What the client is there.
    pub role: Role,
    /// The last lines of chat in its room, the oldest first.
    pub chat: Vec<ChatLine>,
    /// The lobby's time in the last message that had it.
    pub now: Moment,
}

/// What is new in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Lobbies that are new or have changed.
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
        /// The ticket of the client's seat.
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

    /// Whether the client plays against a bot.
    pub fn is_against_bot(&self) -> bool {
        self.side().is_some_and(|side| self.lobby.is_bot(!side))
    }

    /// Whether somebody watches whom the client can kick, as far as it knows.
    pub fn may_kick(&self) -> bool {
        let who = self.you().map_or(Who::Watcher, Who::Player);
        self.lobby.watchers() > u32::from(who == Who::Watcher) && self.lobby.may_kick(who).is_ok()
    }

    /// Whether the client may see the values of moves: if it may have hints on its turns, or if the game is over.
    pub fn may_learn(&self) -> bool {
        let who = self.you().map_or(Who::Watcher, Who::Player);
        self.lobby.has_last_game()
            || matches!(self.lobby.may_hint(who), Ok(()) | Err(lobby::Refusal::NotYourTurn))
    }

    /// The viewpoint from which the lobby is described.
    pub fn viewpoint(&self) -> Viewpoint {
        self.you().filter(|_| !self.is_for_two()).map_or(Viewpoint::Spectator, Viewpoint::Player)
    }

    /// Whether it is the client's turn.
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
        // Two people at one keyboard agree before they type.
        let side = self.side().filter(|_| !self.is_for_two())?;
        self.lobby.offer().filter(|open| open.side != side).map(|open| open.offer)
    }

    /// Whether this event, which is about to be applied, answers the client's pending request to the lobby.
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
            // Two people at one keyboard agree at once, and the next event is the answer.
            Event::Offered { side, .. } => !two && mine(*side),
            Event::Declined { side } => mine(*side),
            _ => false,
        }
    }

    /// Whether this notice answers the client's pending request to the lobby.
    pub fn is_answered_by_notice(&self, notice: &Notice) -> bool {
        match notice {
            Notice::WaitedFor { side } | Notice::WaitedNoMore { side } => self.side() == Some(!*side),
            _ => false,
        }
    }

    /// Whether somebody of this name has a seat here, or wrote a line of chat.
    pub fn knows(&self, name: &Name) -> bool {
        let sits = self.lobby.seats().iter().filter_map(|(_, seat)| seat.as_ref());
        let spoke = self.chat.iter().map(|line| &line.name);
        sits.map(|player| &player.name).chain(spoke).any(|known| known == name)
    }

    /// Adds lines of chat. After a return the known lines arrive again. Their numbers are no help after a restart
    /// of the server, or in another one: they begin anew there.
    fn add_chat(&mut self, said: &[ChatLine]) {
        let new: Vec<ChatLine> = said.iter().filter(|line| !self.chat.contains(line)).cloned().collect();
        self.chat.extend(new);
        let excess = self.chat.len().saturating_sub(MAX_CHAT_LINES);
        self.chat.drain(..excess);
    }
}

impl Model {
    /// The model right after the welcome, with the client's name.
    pub fn new(name: Name) -> Self {
        Self { name, hall: Vec::new(), batch_len: 0, stale: false, lobby: None, ticket: None, halted: None }
    }

    /// The model of a lobby from a record, without a server.
    pub fn of_record(lobby: Lobby) -> Self {
        let mut model = Self::new(Name::anyone());
        model.enter(lobby, Role::Watcher, Moment::START);
        model
    }

    /// Sets the ticket for the seat that the client is about to ask for.
    pub fn set_ticket(&mut self, ticket: Ticket) {
        self.ticket = Some(ticket);
    }

    /// The ticket for the seat that the client asked for last.
    pub fn ticket(&self) -> Option<Ticket> {
        self.ticket
    }

    /// The client's name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The lobbies in the hall that were listed for the client, the newest batch first. A server lists those
    /// to join first.
    pub fn hall(&self) -> &[Listing] {
        &self.hall
    }

    /// What this message, before it is applied, changes in the hall.
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

    /// Whether this message is the lobby that is known, in which no event has happened since.
    pub(super) fn knows_events_of(&self, message: &ToClient) -> bool {
        match (message, &self.lobby) {
            (ToClient::Entered { lobby, .. } | ToClient::Watching { lobby, .. }, Some(mine)) => {
                (mine.lobby.code(), mine.lobby.last_event()) == (lobby.code, lobby.events)
            }
            _ => false,
        }
    }

    /// Whether this message is the lobby that is known, in which at most a restart has happened since.
    pub(super) fn knows_game_of(&self, message: &ToClient) -> bool {
        let (ToClient::Entered { lobby, .. } | ToClient::Watching { lobby, .. }, Some(mine)) =
            (message, &self.lobby)
        else {
            return false;
        };
        let known = mine.lobby.snapshot();
        let Snapshot { stand_ins, began, clocks, events, attendance, .. } = lobby.clone();
        *lobby == Snapshot { stand_ins, began, clocks, events, attendance, ..known }
    }

    /// Shows these players as present or away. Returns whether that is possible.
    pub(super) fn show_attendance(&mut self, attendance: Attendance) -> bool {
        self.lobby.as_mut().is_some_and(|mine| mine.lobby.set_attendance(attendance).is_ok())
    }

    /// Makes the next list of the hall replace the known one.
    pub(super) fn expect_new_list(&mut self) {
        self.stale = true;
    }

    /// The client's lobby, if it is in one.
    pub fn lobby(&self) -> Option<&MyLobby> {
        self.lobby.as_ref()
    }

    /// Why the host cannot record, while it cannot. Outside a lobby, this concerns only the last request.
    pub fn halted(&self) -> Option<&str> {
        self.halted.as_deref()
    }

    /// Applies a message of the server. Returns an error if it contradicts the model.
    pub fn apply(&mut self, message: &ToClient) -> Result<(), OutOfStep> {
        match message {
            ToClient::Hall(HallEvent::Lobbies { listed, gone, complete }) => {
                self.apply_list(listed, gone);
                self.batch_len = if *complete { 0 } else { self.batch_len + listed.len() };
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
            ToClient::Returned { attendance, now } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                mine.ticket().ok_or(OutOfStep)?;
                mine.lobby.set_attendance(*attendance)?;
                // A host that was restarted after a halt does not know the time that passed during it.
                (mine.now, self.halted) = (*now, None);
            }
            ToClient::Said(lines) => self.lobby.as_mut().ok_or(OutOfStep)?.add_chat(lines),
            ToClient::Lobby { number, at, event } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                if *number <= mine.lobby.last_event() {
                    return Err(OutOfStep);
                }
                mine.lobby.apply(event, *at)?;
                mine.now = mine.now.max(*at);
                mine.lobby.skip_to(*number);
            }
            ToClient::Notice { at, notice } => {
                let mine = self.lobby.as_mut().ok_or(OutOfStep)?;
                mine.lobby.note(notice, *at)?;
                mine.now = mine.now.max(*at);
            }
            ToClient::Halted { why, now } => {
                // It may overtake messages that wait, for instance that the client has entered a lobby.
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

    /// Enters this lobby. The chat is kept if it is the same one as before.
    fn enter(&mut self, lobby: Lobby, role: Role, now: Moment) {
        (self.hall, self.batch_len, self.halted) = (Vec::new(), 0, None);
        let before = self.lobby.take().filter(|mine| mine.lobby.code() == lobby.code());
        let chat = before.map(|mine| mine.chat).unwrap_or_default();
        self.lobby = Some(MyLobby { lobby, role, chat, now });
    }

    fn apply_list(&mut self, listed: &[Listing], gone: &[Code]) {
        if std::mem::take(&mut self.stale) {
            (self.hall, self.batch_len) = (Vec::new(), 0);
        }
        let is_in_message =
            |code: &Code| gone.contains(code) || listed.iter().any(|listing| listing.code == *code);
        self.hall.retain(|known| !is_in_message(&known.code));
        let place = self.batch_len.min(self.hall.len());
        self.hall.splice(place..place, listed.iter().cloned());
        self.hall.truncate(MAX_KEPT);
    }
}
