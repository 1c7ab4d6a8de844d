//! What is under way at a table by itself: a bot that thinks, and the next thing that falls due.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::{Inner, Table};
use crate::bot::{self, Bot};
use crate::lobby::{ClockRule, Lobby, Moment, Offer, Request, Who};
use crate::server::house::House;

/// Something that is under way for a bot, and how to stop it.
#[derive(Debug, Default)]
pub(super) enum Duty {
    #[default]
    None,
    /// A bot thinks about this turn, for itself or for somebody who is away. The thought is its task's, and ends with it.
    Thinking { who: Who, turn: u32, task: AbortHandle },
}

impl Drop for Duty {
    fn drop(&mut self) {
        if let Self::Thinking { task, .. } = self {
            task.abort();
        }
    }
}

/// A bot thinks about whether to agree on a draw. The thought is its task's, and ends with it.
#[derive(Debug)]
pub(super) struct Weighing {
    task: AbortHandle,
}

impl Drop for Weighing {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The next moment at which something happens by itself.
#[derive(Debug)]
pub(super) struct Alarm {
    pub(super) at: Moment,
    pub(super) task: AbortHandle,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Table {
    /// Starts what the bot has to do now, and stops what it no longer has to.
    pub(super) fn renew_duty(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner) {
        let Some(bot) = inner.thinker() else {
            inner.duty = Duty::None;
            return;
        };
        let turn = inner.lobby.turn();
        if !matches!(inner.duty, Duty::Thinking { who, turn: present, .. } if (who, present) == (bot, turn)) {
            inner.duty = self.think(house, bot, &inner.lobby);
        }
    }

    /// Has a bot think about a draw that was offered to it.
    pub(super) fn renew_weighing(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner) {
        let Some(bot) = inner.bot_asked_for_a_draw() else {
            inner.weighing = None;
            return;
        };
        if inner.weighing.is_some() {
            return;
        }
        let (position, turn) = (inner.lobby.board().position(), inner.lobby.turn());
        let side = inner.lobby.side_of(bot);
        let thought = house
            .thinkers
            .think(self.opener, move |stop| side.is_some_and(|side| bot::would_draw(&position, side, stop)));
        let (table, house) = (Arc::clone(self), Arc::clone(house));
        let task = tokio::spawn(async move {
            let accept = thought.await.unwrap_or(false);
            // A refusal means that the game went on meanwhile.
            let answer = Request::Answer { turn, offer: Offer::Draw, accept };
            if house.journal.trouble().is_none() {
                let _ = table.ask_as(&house, Who::Player(bot), answer);
            }
        });
        inner.weighing = Some(Weighing { task: task.abort_handle() });
    }

    /// Sets the alarm for what falls due next.
    pub(super) fn renew_alarm(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner) {
        let due = inner.next_moment(house);
        if inner.alarm.as_ref().map(|alarm| alarm.at) != due {
            inner.alarm = due.map(|at| self.wake_at(house, at));
        }
    }

    fn wake_at(self: &Arc<Self>, house: &Arc<House>, at: Moment) -> Alarm {
        let (table, house) = (Arc::clone(self), Arc::clone(house));
        let task = tokio::spawn(async move {
            let (shown, moment) = table.since;
            table.clock.until(shown + at.since(moment)).await;
            table.time_passes(&house);
        });
        Alarm { at, task: task.abort_handle() }
    }

    /// Makes happen what is due; the bot that is to come does so by itself.
    fn time_passes(self: &Arc<Self>, house: &Arc<House>) {
        let _span = self.span.enter();
        let (mut inner, now) = (self.hold(house), self.now());
        inner.alarm = None;
        let events = inner.lobby.decide_due(now);
        self.happen_all(house, &mut inner, now, events);
    }

    /// Thinks about a move on a thinking thread, and makes it no sooner than people can follow.
    fn think(self: &Arc<Self>, house: &Arc<House>, who: Who, lobby: &Lobby) -> Duty {
        let (turn, level, position) = (lobby.turn(), lobby.conditions().level, lobby.board().position());
        let seed = house.config.seed ^ self.id.0.rotate_left(32) ^ u64::from(turn);
        let thought =
            house.thinkers.think(self.opener, move |stop| Bot::new(seed, level).choose(&position, stop));
        let due = Instant::now() + self.pace(house, lobby);
        let (table, house) = (Arc::clone(self), Arc::clone(house));
        let task = tokio::spawn(async move {
            let Some(Some(mv)) = thought.await else { return };
            tokio::time::sleep_until(due).await;
            // A refusal means that the game went on without this thought, which is dropped.
            // It is thought anew once something can be recorded again.
            if house.journal.trouble().is_none() {
                let _ = table.ask_as(&house, who, Request::Play { turn, mv });
            }
        });
        Duty::Thinking { who, turn, task: task.abort_handle() }
    }

    /// How long a bot's move takes at least: little where its clock is about to run out.
    fn pace(&self, house: &House, lobby: &Lobby) -> Duration {
        match lobby.conditions().clock {
            ClockRule::None => house.config.bot_pace,
            _ => house.config.bot_pace.min(lobby.clocks().left_at(lobby.board().turn(), self.now()) / 20),
        }
    }
}
