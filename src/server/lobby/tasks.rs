//! What is under way at a lobby by itself: a bot that thinks, and the next thing that falls due.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::{LiveLobby, LobbyHandle};
use crate::bot::{self, Bot};
use crate::lobby::{ClockRule, Lobby, Moment, Offer, Request, Who};
use crate::server::app::App;

/// Something that is under way for a bot, and how to stop it.
#[derive(Debug, Default)]
pub(super) enum BotTask {
    #[default]
    None,
    /// A bot thinks about this turn, for itself or for somebody who is away. The thought is its task's, and ends with it.
    Thinking { who: Who, turn: u32, task: AbortHandle },
}

impl Drop for BotTask {
    fn drop(&mut self) {
        if let Self::Thinking { task, .. } = self {
            task.abort();
        }
    }
}

/// A bot thinks about whether to agree on a draw. The thought is its task's, and ends with it.
#[derive(Debug)]
pub(super) struct DrawTask {
    task: AbortHandle,
}

impl Drop for DrawTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The next moment at which something happens by itself.
#[derive(Debug)]
pub(super) struct Timer {
    pub(super) at: Moment,
    pub(super) task: AbortHandle,
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl LobbyHandle {
    /// Starts what the bot has to do now, and stops what it no longer has to.
    pub(super) fn renew_bot_task(self: &Arc<Self>, app: &Arc<App>, live: &mut LiveLobby) {
        let Some(bot) = live.thinker() else {
            live.bot_task = BotTask::None;
            return;
        };
        let turn = live.lobby.turn();
        if !matches!(live.bot_task, BotTask::Thinking { who, turn: present, .. } if (who, present) == (bot, turn))
        {
            live.bot_task = self.think(app, bot, &live.lobby);
        }
    }

    /// Has a bot think about a draw that was offered to it.
    pub(super) fn renew_draw_task(self: &Arc<Self>, app: &Arc<App>, live: &mut LiveLobby) {
        let Some(bot) = live.bot_asked_for_a_draw() else {
            live.draw_task = None;
            return;
        };
        if live.draw_task.is_some() {
            return;
        }
        let (position, turn) = (live.lobby.board().position(), live.lobby.turn());
        let side = live.lobby.side_of(bot);
        let thought = app
            .think_pool
            .think(self.opener, move |stop| side.is_some_and(|side| bot::would_draw(&position, side, stop)));
        let (handle, app) = (Arc::clone(self), Arc::clone(app));
        let task = tokio::spawn(async move {
            let accept = thought.await.unwrap_or(false);
            // A refusal means that the game went on meanwhile.
            let answer = Request::Answer { turn, offer: Offer::Draw, accept };
            if app.journal.error().is_none() {
                let _ = handle.ask_as(&app, Who::Player(bot), answer);
            }
        });
        live.draw_task = Some(DrawTask { task: task.abort_handle() });
    }

    /// Sets the timer for what falls due next.
    pub(super) fn renew_timer(self: &Arc<Self>, app: &Arc<App>, live: &mut LiveLobby) {
        let due = live.next_moment(app);
        if live.timer.as_ref().map(|timer| timer.at) != due {
            live.timer = due.map(|at| self.wake_at(app, at));
        }
    }

    fn wake_at(self: &Arc<Self>, app: &Arc<App>, at: Moment) -> Timer {
        let (handle, app) = (Arc::clone(self), Arc::clone(app));
        let task = tokio::spawn(async move {
            let (shown, moment) = handle.since;
            handle.clock.until(shown + at.since(moment)).await;
            handle.time_passes(&app);
        });
        Timer { at, task: task.abort_handle() }
    }

    /// Makes happen what is due; the bot that is to come does so by itself.
    fn time_passes(self: &Arc<Self>, app: &Arc<App>) {
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
        live.timer = None;
        let events = live.lobby.decide_due(now);
        self.happen_all(app, &mut live, now, events);
    }

    /// Thinks about a move on a thinking thread, and makes it no sooner than people can follow.
    fn think(self: &Arc<Self>, app: &Arc<App>, who: Who, lobby: &Lobby) -> BotTask {
        let (turn, level, position) = (lobby.turn(), lobby.conditions().level, lobby.board().position());
        let seed = app.config.seed ^ self.id.0.rotate_left(32) ^ u64::from(turn);
        let thought =
            app.think_pool.think(self.opener, move |stop| Bot::new(seed, level).choose(&position, stop));
        let due = Instant::now() + self.pace(app, lobby);
        let (handle, app) = (Arc::clone(self), Arc::clone(app));
        let task = tokio::spawn(async move {
            let Some(Some(mv)) = thought.await else { return };
            tokio::time::sleep_until(due).await;
            // A refusal means that the game went on without this thought, which is dropped.
            // It is thought anew once something can be recorded again.
            if app.journal.error().is_none() {
                let _ = handle.ask_as(&app, who, Request::Play { turn, mv });
            }
        });
        BotTask::Thinking { who, turn, task: task.abort_handle() }
    }

    /// How long a bot's move takes at least: little where its clock is about to run out.
    fn pace(&self, app: &App, lobby: &Lobby) -> Duration {
        match lobby.conditions().clock {
            ClockRule::None => app.config.bot_pace,
            _ => app.config.bot_pace.min(lobby.clocks().left_at(lobby.board().turn(), self.now()) / 20),
        }
    }
}
