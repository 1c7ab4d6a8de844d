//! One lobby as the server holds it: the state machine, who is told of it, and what its bot is to do.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use tracing::Span;

use super::directory::Serial;
use super::house::House;
use super::link::Link;
use crate::bot::Bot;
use crate::game::Side;
use crate::game::any::{Board, Variant};
use crate::lobby::{
    BotRule, Code, Conditions, Event, Events, Kind, Lobby, Name, Phase, Player, PlayerId, Refusal, Request,
    Text, Who,
};
use crate::wire::{Listing, LobbyState, ToClient, encode};

/// A lobby behind a lock, with the links of everyone in it.
#[derive(Debug)]
pub(super) struct Table {
    code: Code,
    serial: Serial,
    span: Span,
    /// Held while one request is decided, applied and told: some microseconds, and never across a wait.
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    lobby: Lobby,
    members: Vec<(PlayerId, Arc<Link>)>,
    /// What is under way for a bot. It ends when this is replaced.
    duty: Duty,
}

/// Something that is under way for a bot, and how to stop it.
#[derive(Debug, Default)]
enum Duty {
    #[default]
    None,
    /// The bot waits for its time to sit down, counted from this event.
    Sitting { since: u32, task: AbortHandle },
    /// The bot thinks about this turn. The thought is its task's, and ends with it.
    Thinking { turn: u32, task: AbortHandle },
}

impl Drop for Duty {
    fn drop(&mut self) {
        match self {
            Self::None => {}
            Self::Sitting { task, .. } | Self::Thinking { task, .. } => task.abort(),
        }
    }
}

/// A refusal, with the number of the lobby's next move.
pub(super) type Refused = (Refusal, u32);

impl Table {
    pub(super) fn new(code: Code, serial: Serial, variant: Variant, conditions: Conditions) -> Self {
        let lobby = Lobby::new(code, variant, conditions);
        let span = tracing::info_span!(parent: None, "lobby", %code);
        Self { code, serial, span, inner: Mutex::new(Inner { lobby, members: Vec::new(), duty: Duty::None }) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seats a person, tells them the lobby as it is, and everyone that they came.
    pub(super) fn sit(
        self: &Arc<Self>,
        house: &Arc<House>,
        name: &Name,
        link: &Arc<Link>,
    ) -> Result<PlayerId, Refusal> {
        let _span = self.span.enter();
        let mut inner = self.inner();
        let request = Request::Sit { name: name.clone(), kind: Kind::Person };
        let mut events = inner.lobby.decide(Who::Newcomer, request)?.into_iter();
        let Some(Event::Sat { side, player }) = events.next() else { return Err(Refusal::SeatTaken) };
        let id = player.id;
        inner.happen(Event::Sat { side, player });
        inner.members.push((id, Arc::clone(link)));
        link.tell(&ToClient::Entered { you: side, lobby: inner.lobby.snapshot() });
        events.for_each(|event| inner.happen(event));
        self.settle(house, &mut inner, true);
        Ok(id)
    }

    /// Grants a player's request, or refuses it.
    pub(super) fn ask(
        self: &Arc<Self>,
        house: &Arc<House>,
        player: PlayerId,
        request: Request,
    ) -> Result<(), Refused> {
        let _span = self.span.enter();
        let mut inner = self.inner();
        let turn = inner.lobby.turn();
        let leaving = matches!(request, Request::Leave(_));
        let events = inner.lobby.decide(Who::Player(player), request).map_err(|refusal| (refusal, turn))?;
        if leaving {
            inner.members.retain(|(member, _)| *member != player);
        }
        self.happen_all(house, &mut inner, events);
        Ok(())
    }

    /// The board for which a player may be told the best move, and its turn.
    pub(super) fn board_for_hint(&self, player: PlayerId) -> Result<(Board, u32), Refused> {
        let inner = self.inner();
        let turn = inner.lobby.turn();
        inner.lobby.may_hint(player).map_err(|refusal| (refusal, turn))?;
        Ok((inner.lobby.board().clone(), turn))
    }

    /// The number of the next move.
    pub(super) fn turn(&self) -> u32 {
        self.inner().lobby.turn()
    }

    fn happen_all(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner, events: Events) {
        let listing_changes = events.iter().any(|event| !matches!(event, Event::Moved { .. }));
        events.into_iter().for_each(|event| inner.happen(event));
        self.settle(house, inner, listing_changes);
    }

    /// Sees to all that follows from what just happened: the list, the bot, the end of the lobby.
    fn settle(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner, mut listing_changes: bool) {
        while let Some((who, request)) = inner.bot_wish(house) {
            // A bot's wish comes from the lobby's own state; were it refused, wishing on would never end.
            let Ok(events) = inner.lobby.decide(who, request) else { break };
            events.into_iter().for_each(|event| inner.happen(event));
            listing_changes = true;
        }
        self.renew_duty(house, inner);
        if listing_changes {
            let closed = inner.lobby.phase() == Phase::Closed;
            let listing = (!closed).then(|| inner.listing());
            house.directory.update(self.serial, self.code, inner.lobby.variant(), listing);
            if closed {
                tracing::info!("closed");
                house.hall.close(self.code);
            }
        }
    }

    /// Starts what the bot has to do now, and stops what it no longer has to.
    fn renew_duty(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner) {
        let thinking =
            inner.lobby.to_move().filter(|player| player.kind == Kind::Bot).map(|player| player.id);
        if let Some(bot) = thinking {
            let turn = inner.lobby.turn();
            if !matches!(inner.duty, Duty::Thinking { turn: present, .. } if present == turn) {
                inner.duty = self.think(house, bot, &inner.lobby);
            }
            return;
        }
        let since = inner.lobby.last_event();
        inner.duty = match inner.bot_comes_after(house) {
            Some(wait) => self.sit_later(house, since, wait),
            None => Duty::None,
        };
    }

    /// Thinks about a move on a thinking thread, and makes it no sooner than people can follow.
    fn think(self: &Arc<Self>, house: &Arc<House>, bot: PlayerId, lobby: &Lobby) -> Duty {
        let (turn, level, position) = (lobby.turn(), lobby.conditions().level, lobby.board().position());
        let seed = house.config.seed ^ self.serial.rotate_left(32) ^ u64::from(turn);
        let thought = house.thinkers.think(move |stop| Bot::new(seed, level).choose(&position, stop));
        let due = tokio::time::Instant::now() + house.config.bot_pace;
        let (table, house) = (Arc::clone(self), Arc::clone(house));
        let task = tokio::spawn(async move {
            let Some(Some(mv)) = thought.await else { return };
            tokio::time::sleep_until(due).await;
            // A refusal means that the game went on without this thought, which is dropped.
            let _ = table.ask(&house, bot, Request::Play { turn, mv });
        });
        Duty::Thinking { turn, task: task.abort_handle() }
    }

    /// Has the bot sit down after `wait`, unless something happens before.
    fn sit_later(self: &Arc<Self>, house: &Arc<House>, since: u32, wait: Duration) -> Duty {
        let (table, house) = (Arc::clone(self), Arc::clone(house));
        let task = tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            table.seat_bot(&house, since);
        });
        Duty::Sitting { since, task: task.abort_handle() }
    }

    fn seat_bot(self: &Arc<Self>, house: &Arc<House>, since: u32) {
        let _span = self.span.enter();
        let mut inner = self.inner();
        if !matches!(inner.duty, Duty::Sitting { since: present, .. } if present == since) {
            return;
        }
        let request = Request::Sit { name: Name::bot(), kind: Kind::Bot };
        // A refusal means that somebody else was quicker.
        if let Ok(events) = inner.lobby.decide(Who::Newcomer, request) {
            self.happen_all(house, &mut inner, events);
        }
    }
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
    /// Makes an event true and tells it to everyone here.
    fn happen(&mut self, event: Event) {
        if self.lobby.apply(&event).is_err() {
            // `decide` proposes only what `apply` takes; the tests of the lobby hold them to it.
            tracing::error!(?event, "an event was decided that cannot happen");
            return;
        }
        log(&event);
        let frame = encode(&ToClient::Lobby { number: self.lobby.last_event(), event });
        for (_, link) in &self.members {
            link.send(frame.clone());
        }
    }

    /// What the bot wants to do on the spot, if anything: sit down at once, or play again when asked.
    fn bot_wish(&self, house: &House) -> Option<(Who, Request)> {
        if self.bot_comes_after(house) == Some(Duration::ZERO) {
            return Some((Who::Newcomer, Request::Sit { name: Name::bot(), kind: Kind::Bot }));
        }
        let Phase::Over { again, .. } = self.lobby.phase() else { return None };
        let bot = Side::BOTH.into_iter().find(|&side| again[!side] && !again[side])?;
        let player = self.lobby.seats()[bot].as_ref().filter(|player| player.kind == Kind::Bot)?;
        Some((Who::Player(player.id), Request::Again))
    }

    /// How long the bot still lets an open seat wait for a person; `None` if it does not come.
    fn bot_comes_after(&self, house: &House) -> Option<Duration> {
        let waits = house.config.bots && self.lobby.open_seat().is_some() && self.lobby.has_people();
        match self.lobby.conditions().bot {
            BotRule::After(wait) if waits => Some(Duration::from_millis(u64::from(wait))),
            _ => None,
        }
    }

    fn listing(&self) -> Listing {
        let sitter = |player: &Player| (player.name.clone(), player.kind);
        let seats = self.lobby.seats();
        Listing {
            code: self.lobby.code(),
            variant: Text::cut(&self.lobby.variant().text()),
            seats: crate::game::BySide::from_fn(|side| seats[side].as_ref().map(sitter)),
            state: match self.lobby.phase() {
                Phase::Waiting => LobbyState::Open,
                Phase::Playing => LobbyState::Playing,
                Phase::Over { .. } | Phase::Closed => LobbyState::Over,
            },
            level: self.lobby.conditions().level,
        }
    }
}
