//! One lobby as the server holds it: the state machine, who is told of it, and what its bot is to do.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::Span;

use super::directory::Serial;
use super::house::House;
use super::link::Link;
use crate::bot::Bot;
use crate::game::Side;
use crate::game::any::{Board, Variant};
use crate::lobby::{
    BotRule, Code, Conditions, Departure, Event, Events, Kind, Lobby, Loss, Moment, Name, Phase, PlayerId,
    Refusal, Request, Who,
};
use crate::wire::{HallRefusal, Ticket, ToClient, encode};

mod duty;
mod listing;
mod members;

use duty::{Alarm, Duty};
use members::Members;

/// A lobby behind a lock, with the links of everyone in it.
#[derive(Debug)]
pub(super) struct Table {
    code: Code,
    serial: Serial,
    span: Span,
    /// When the lobby's time began.
    opened: Instant,
    /// Held while one request is decided, applied and told: some microseconds, and never across a wait.
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    lobby: Lobby,
    members: Members,
    /// What is under way for a bot. It ends when this is replaced.
    duty: Duty,
    /// What happens next by itself. It does not when this is replaced.
    alarm: Option<Alarm>,
}

/// The number of the ping behind a new ticket: its pong says that the ticket has arrived. Those that ask for a sign of
/// life have another.
pub(super) const TICKET_PING: u32 = 1;

/// A refusal, with the number of the lobby's next move.
pub(super) type Refused = (Refusal, u32);

impl Table {
    pub(super) fn new(code: Code, serial: Serial, variant: Variant, conditions: Conditions) -> Self {
        let lobby = Lobby::new(code, variant, conditions);
        let span = tracing::info_span!(parent: None, "lobby", %code);
        let inner = Inner { lobby, members: Members::default(), duty: Duty::None, alarm: None };
        Self { code, serial, span, opened: Instant::now(), inner: Mutex::new(inner) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lobby's time at this instant.
    fn moment(&self, instant: Instant) -> Moment {
        Moment::START + instant.saturating_duration_since(self.opened)
    }

    fn now(&self) -> Moment {
        self.moment(Instant::now())
    }

    /// Seats a person, tells them the lobby as it is, and everyone that they came.
    pub(super) fn sit(
        self: &Arc<Self>,
        house: &Arc<House>,
        name: &Name,
        link: &Arc<Link>,
    ) -> Result<PlayerId, Refusal> {
        let _span = self.span.enter();
        let (mut inner, now) = (self.inner(), self.now());
        let request = Request::Sit { name: name.clone(), kind: Kind::Person };
        let mut events = inner.lobby.decide(Who::Newcomer, request, now)?.into_iter();
        let Some(Event::Sat { side, player }) = events.next() else { return Err(Refusal::SeatTaken) };
        let (id, ticket) = (player.id, House::ticket());
        inner.happen(Event::Sat { side, player }, now);
        inner.members.add(id, ticket, link);
        link.tell(&ToClient::Entered { you: side, lobby: inner.lobby.snapshot(), now, ticket });
        events.for_each(|event| inner.happen(event, now));
        self.settle(house, &mut inner, now, true);
        Ok(id)
    }

    /// Gives somebody who shows the newest ticket the seat back, and tells them what they missed behind event `seen`, or
    /// the lobby as it is. A wrong ticket changes nothing.
    pub(super) fn come_back(
        self: &Arc<Self>,
        house: &Arc<House>,
        shown: &Ticket,
        seen: u32,
        link: &Arc<Link>,
    ) -> Result<PlayerId, HallRefusal> {
        let _span = self.span.enter();
        let (mut inner, now) = (self.inner(), self.now());
        let player = inner.members.owner_of(shown).ok_or(HallRefusal::BadTicket)?;
        let you = inner.lobby.side_of(player).ok_or(HallRefusal::BadTicket)?;
        let has_happened = seen <= inner.lobby.last_event();
        // Whoever has a seat may be back in it: there is no refusal.
        let events = inner.lobby.decide(Who::Player(player), Request::Return, now).unwrap_or_default();
        self.happen_all(house, &mut inner, now, events);
        let ticket = House::ticket();
        inner.members.come_back(player, shown, ticket, link);
        match inner.members.told_since(seen).filter(|_| has_happened) {
            Some(missed) => {
                missed.for_each(|frame| link.send(frame));
                link.tell(&ToClient::Returned { now, ticket });
            }
            None => link.tell(&ToClient::Entered { you, lobby: inner.lobby.snapshot(), now, ticket }),
        }
        link.tell(&ToClient::Ping(TICKET_PING));
        tracing::info!(?you, "back");
        Ok(player)
    }

    /// The newest ticket has arrived.
    pub(super) fn confirm(&self, player: PlayerId, link: &Arc<Link>) {
        self.inner().members.confirm(player, link);
    }

    /// The connection of a player is lost, unless they are here over another one by now.
    pub(super) fn lose(self: &Arc<Self>, house: &Arc<House>, player: PlayerId, link: &Arc<Link>) {
        let _span = self.span.enter();
        let (mut inner, now) = (self.inner(), self.now());
        if inner.members.lose(player, link) {
            let lost = Request::Lose { loss: Loss::Closed, since: now };
            let events = inner.lobby.decide(Who::Player(player), lost, now).unwrap_or_default();
            self.happen_all(house, &mut inner, now, events);
        }
    }

    /// Nothing has been heard from a player since `heard`, over the connection that is theirs; or something again.
    pub(super) fn note_silence(
        self: &Arc<Self>,
        house: &Arc<House>,
        player: PlayerId,
        link: &Arc<Link>,
        heard: Option<Instant>,
    ) {
        let _span = self.span.enter();
        let (mut inner, now) = (self.inner(), self.now());
        if inner.members.is_here(player, link) {
            let request = match heard {
                Some(heard) => Request::Lose { loss: Loss::Silent, since: self.moment(heard) },
                None => Request::Return,
            };
            let events = inner.lobby.decide(Who::Player(player), request, now).unwrap_or_default();
            self.happen_all(house, &mut inner, now, events);
        }
    }

    /// Grants what a player asks, or refuses it: all of it if they are here over another connection by now.
    pub(super) fn ask(
        self: &Arc<Self>,
        house: &Arc<House>,
        (player, link): (PlayerId, &Arc<Link>),
        request: Request,
    ) -> Result<(), Refused> {
        let inner = self.inner();
        if !inner.members.is_here(player, link) {
            return Err((Refusal::NotSeated, inner.lobby.turn()));
        }
        self.grant(house, inner, Who::Player(player), request)
    }

    /// Grants a request, or refuses it.
    fn grant(
        self: &Arc<Self>,
        house: &Arc<House>,
        mut inner: MutexGuard<'_, Inner>,
        who: Who,
        request: Request,
    ) -> Result<(), Refused> {
        let _span = self.span.enter();
        let (turn, now) = (inner.lobby.turn(), self.now());
        let events = inner.lobby.decide(who, request, now).map_err(|refusal| (refusal, turn))?;
        self.happen_all(house, &mut inner, now, events);
        Ok(())
    }

    /// A player leaves on purpose, and is told nothing more; not if they are here over another connection by now.
    pub(super) fn leave(self: &Arc<Self>, house: &Arc<House>, player: PlayerId, link: &Arc<Link>) {
        let mut inner = self.inner();
        if inner.members.is_here(player, link) {
            inner.members.remove(player);
            // Whoever has a seat can leave it; there is nothing to do about a refusal.
            let _ = self.grant(house, inner, Who::Player(player), Request::Leave(Departure::Quit));
        }
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

    fn happen_all(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner, now: Moment, events: Events) {
        let listing_changes = events.iter().any(|event| !matches!(event, Event::Moved { .. }));
        events.into_iter().for_each(|event| inner.happen(event, now));
        self.settle(house, inner, now, listing_changes);
    }

    /// Sees to all that follows from what just happened: the list, the bot, what falls due, the end of the lobby.
    fn settle(
        self: &Arc<Self>,
        house: &Arc<House>,
        inner: &mut Inner,
        now: Moment,
        mut listing_changes: bool,
    ) {
        while let Some((who, request)) = inner.bot_wish(house) {
            // A bot's wish comes from the lobby's own state; were it refused, wishing on would never end.
            let Ok(events) = inner.lobby.decide(who, request, now) else { break };
            events.into_iter().for_each(|event| inner.happen(event, now));
            listing_changes = true;
        }
        self.renew_duty(house, inner);
        self.renew_alarm(house, inner);
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
        if let Some(bot) = inner.thinker() {
            let turn = inner.lobby.turn();
            if !matches!(inner.duty, Duty::Thinking { who, turn: present, .. } if (who, present) == (bot, turn))
            {
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

    /// Sets the alarm for what falls due next.
    fn renew_alarm(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner) {
        let due = inner.lobby.due().map(|(at, _)| at);
        if inner.alarm.as_ref().map(|alarm| alarm.at) != due {
            inner.alarm = due.map(|at| self.wake_at(house, at));
        }
    }

    fn wake_at(self: &Arc<Self>, house: &Arc<House>, at: Moment) -> Alarm {
        let (table, house) = (Arc::clone(self), Arc::clone(house));
        let task = tokio::spawn(async move {
            tokio::time::sleep_until(table.opened + at.since(Moment::START)).await;
            table.time_passes(&house);
        });
        Alarm { at, task: task.abort_handle() }
    }

    /// Makes happen what is due.
    fn time_passes(self: &Arc<Self>, house: &Arc<House>) {
        let _span = self.span.enter();
        let (mut inner, now) = (self.inner(), self.now());
        inner.alarm = None;
        let events = inner.lobby.decide_due(now);
        self.happen_all(house, &mut inner, now, events);
    }

    /// Thinks about a move on a thinking thread, and makes it no sooner than people can follow.
    fn think(self: &Arc<Self>, house: &Arc<House>, who: Who, lobby: &Lobby) -> Duty {
        let (turn, level, position) = (lobby.turn(), lobby.conditions().level, lobby.board().position());
        let seed = house.config.seed ^ self.serial.rotate_left(32) ^ u64::from(turn);
        let thought = house.thinkers.think(move |stop| Bot::new(seed, level).choose(&position, stop));
        let due = Instant::now() + house.config.bot_pace;
        let (table, house) = (Arc::clone(self), Arc::clone(house));
        let task = tokio::spawn(async move {
            let Some(Some(mv)) = thought.await else { return };
            tokio::time::sleep_until(due).await;
            // A refusal means that the game went on without this thought, which is dropped.
            let _ = table.grant(&house, table.inner(), who, Request::Play { turn, mv });
        });
        Duty::Thinking { who, turn, task: task.abort_handle() }
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
        let (mut inner, now) = (self.inner(), self.now());
        if !matches!(inner.duty, Duty::Sitting { since: present, .. } if present == since) {
            return;
        }
        let request = Request::Sit { name: Name::bot(), kind: Kind::Bot };
        // A refusal means that somebody else was quicker.
        if let Ok(events) = inner.lobby.decide(Who::Newcomer, request, now) {
            self.happen_all(house, &mut inner, now, events);
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
    fn happen(&mut self, event: Event, at: Moment) {
        let leaver = match event {
            Event::Left { side, .. } => self.lobby.seats()[side].as_ref().map(|player| player.id),
            _ => None,
        };
        if self.lobby.apply(&event, at).is_err() {
            // `decide` proposes only what `apply` takes; the tests of the lobby hold them to it.
            tracing::error!(?event, "an event was decided that cannot happen");
            return;
        }
        log(&event);
        let number = self.lobby.last_event();
        self.members.tell(number, &encode(&ToClient::Lobby { number, at, event }));
        if let Some(leaver) = leaver {
            self.members.remove(leaver);
        }
    }

    /// Who moves now and is a bot: one in its own seat, or one that stands in.
    fn thinker(&self) -> Option<Who> {
        let player = self.lobby.to_move()?;
        match player.kind {
            Kind::Bot => Some(Who::Player(player.id)),
            Kind::Person => self.lobby.stood_in_for().map(Who::StandIn),
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
        let waits = house.config.bots && self.lobby.open_seat().is_some() && self.lobby.has_people_here();
        match self.lobby.conditions().bot {
            BotRule::After(wait) if waits => Some(Duration::from_millis(u64::from(wait))),
            _ => None,
        }
    }
}
