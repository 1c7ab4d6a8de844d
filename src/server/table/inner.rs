//! The state of a table behind its lock: the lobby, who is told of it, and what its bots want.

use super::chat::Chat;
use super::duty::{Alarm, Duty, Weighing};
use super::members::Members;
use crate::game::{BySide, Side};
use crate::lobby::{Event, Kind, Lobby, Moment, Name, Offer, Phase, PlayerId, Request, Text, Who};
use crate::server::house::House;
use crate::server::link::Link;
use crate::wire::{Listing, LobbyState, Presence, Room, Sitter, ToClient, encode};

/// What is known of a table, and under way there.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) lobby: Lobby,
    pub(super) members: Members,
    pub(super) chat: Chat,
    /// What is under way for a bot. It ends when this is replaced.
    pub(super) duty: Duty,
    /// A bot's thoughts about a draw. They end when this is replaced.
    pub(super) weighing: Option<Weighing>,
    /// What happens next by itself. It does not when this is replaced.
    pub(super) alarm: Option<Alarm>,
    /// When the last event happened.
    pub(super) latest: Moment,
    /// The lobby has been closed, and the hall has been told.
    pub(super) gone: bool,
}

fn log(event: &Event) {
    match event {
        Event::Sat { player, .. } => tracing::info!(player = %player.name, kind = ?player.kind, "sat down"),
        Event::Started { game, .. } => tracing::info!(game, "started"),
        Event::Ended { result } => tracing::info!(outcome = ?result.outcome, cause = ?result.cause, "ended"),
        event => tracing::debug!(?event, "happened"),
    }
}

impl Inner {
    /// Tells somebody who comes what was said last in their room.
    pub(super) fn tell_chat(&mut self, room: Room, link: &Link) {
        if let Some(heard) = self.chat.heard(room) {
            link.tell(&heard);
        }
    }

    /// Makes an event true and tells it to everyone here.
    pub(super) fn happen(&mut self, event: Event, at: Moment) {
        let leaver = match event {
            Event::Left { side, .. } => self.lobby.seats()[side].as_ref().map(|player| player.id),
            _ => None,
        };
        // A frame that arrived before the last event was told may be granted behind it.
        let at = at.max(self.latest);
        self.latest = at;
        if self.lobby.apply(&event, at).is_err() {
            // `decide` proposes only what `apply` takes; the tests of the lobby hold them to it.
            tracing::error!(?event, "an event was decided that cannot happen");
            return;
        }
        log(&event);
        let number = self.lobby.last_event();
        self.members.tell(number, &encode(&ToClient::Lobby { number, at, event }));
        if let Some(leaver) = leaver {
            // What two said to each other is not for whoever comes next.
            self.chat.forget(Room::Players);
            self.members.remove(leaver);
        }
    }

    /// Who moves now and is a bot: one in its own seat, or one that stands in.
    pub(super) fn thinker(&self) -> Option<Who> {
        let player = self.lobby.to_move().filter(|_| !self.lobby.is_paused())?;
        match player.kind {
            Kind::Bot => Some(Who::Player(player.id)),
            Kind::Person => self.lobby.stood_in_for().map(Who::StandIn),
        }
    }

    /// What a bot wants to do on the spot, if anything: sit down at once, play again when asked, let a person have a move
    /// back or a rest.
    pub(super) fn bot_wish(&self, house: &House, now: Moment) -> Option<(Who, Request)> {
        if self.bot_comes(house).is_some_and(|at| at <= now) {
            return Some((Who::Newcomer, self.bot_sits()));
        }
        let bot = |side: Side| self.lobby.seats()[side].as_ref().filter(|player| player.kind == Kind::Bot);
        if let Some(open) = self.lobby.offer().filter(|open| open.offer != Offer::Draw) {
            let (turn, offer) = (self.lobby.turn(), open.offer);
            return Some((Who::Player(bot(!open.side)?.id), Request::Answer { turn, offer, accept: true }));
        }
        let Phase::Over { again, .. } = self.lobby.phase() else { return None };
        let side = Side::BOTH.into_iter().find(|&side| again[!side] && !again[side])?;
        Some((Who::Player(bot(side)?.id), Request::Again))
    }

    /// The bot to which a draw is offered, if one is.
    pub(super) fn bot_asked_for_a_draw(&self) -> Option<PlayerId> {
        let open = self.lobby.offer().filter(|open| open.offer == Offer::Draw)?;
        let asked = self.lobby.seats()[!open.side].as_ref()?;
        (asked.kind == Kind::Bot).then_some(asked.id)
    }

    /// To sit down as a bot, under a name that no other bot here has.
    fn bot_sits(&self) -> Request {
        let first = Name::bot();
        let taken = self.lobby.seats().iter().any(|(_, seat)| seat.as_ref().is_some_and(|p| p.name == first));
        Request::Sit { name: if taken { Name::other_bot() } else { first }, kind: Kind::Bot }
    }

    /// When the bot takes an open seat; `None` if it does not come.
    fn bot_comes(&self, house: &House) -> Option<Moment> {
        self.lobby.bot_comes().filter(|_| house.config.bots)
    }

    /// When something happens next by itself: what falls due in the lobby, or the coming of the bot.
    pub(super) fn next_moment(&self, house: &House) -> Option<Moment> {
        let due = self.lobby.due().map(|(at, _)| at);
        [due, self.bot_comes(house)].into_iter().flatten().min()
    }

    /// The lobby as the list shows it; `None` if it is found by its code alone, or gone.
    pub(super) fn listing(&self) -> Option<Listing> {
        let conditions = self.lobby.conditions();
        let shown = conditions.listed && self.lobby.phase() != Phase::Closed;
        shown.then(|| Listing {
            code: self.lobby.code(),
            variant: Text::cut(&self.lobby.variant().text()),
            seats: BySide::from_fn(|side| self.sitter(side)),
            state: match self.lobby.phase() {
                Phase::Waiting => LobbyState::Open,
                Phase::Playing => LobbyState::Playing,
                Phase::Over { .. } | Phase::Closed => LobbyState::Over,
            },
            level: conditions.level,
            clock: conditions.clock,
            best_of: conditions.best_of,
            watchers: self.lobby.watchers(),
            watched: conditions.watchers > 0,
            locked: conditions.locked,
        })
    }

    fn sitter(&self, side: Side) -> Option<Sitter> {
        let player = self.lobby.seats()[side].as_ref()?;
        let presence = Presence::of(&self.lobby, side);
        Some(Sitter { name: player.name.clone(), kind: player.kind, presence })
    }
}
