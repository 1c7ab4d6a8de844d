//! Starts and cancels a lobby's tasks: a bot's move, its answer to an offered draw, and the timer.

use std::sync::Arc;

use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::bots;
use super::handle::LobbyHandle;
use super::live::LiveLobby;
use crate::lobby::{LobbyRequest, Offer, Who};

impl LobbyHandle {
    /// Starts the tasks that are needed now, and cancels those that are not needed any more.
    pub(super) fn renew_tasks(self: &Arc<Self>, live: &mut LiveLobby) {
        self.renew_bot_move(live);
        self.renew_draw(live);
        self.renew_timer(live);
    }

    fn renew_bot_move(self: &Arc<Self>, live: &mut LiveLobby) {
        let lobby = &live.lobby;
        let wanted = bots::to_move(lobby).map(|who| (who, lobby.turn()));
        if live.tasks.bot_move.as_ref().map(|(of, _)| *of) == wanted {
            return;
        }
        live.tasks.bot_move = wanted.map(|(who, turn)| {
            let job = bots::spawn_move(&self.services, (self.id, self.opener), lobby);
            let pace = bots::min_move_time(&self.services.config, lobby, self.now());
            let due = Instant::now() + pace.max(self.opener_limits.journal_wait());
            let handle = Arc::clone(self);
            let task = tokio::spawn(async move {
                let Some(Some(mv)) = job.await else { return };
                tokio::time::sleep_until(due).await;
                handle.ask_as_bot(who, LobbyRequest::Play { turn, mv });
            });
            ((who, turn), AbortOnDropHandle::new(task))
        });
    }

    fn renew_draw(self: &Arc<Self>, live: &mut LiveLobby) {
        let Some(bot) = bots::draw_offered_to(&live.lobby) else {
            live.tasks.draw = None;
            return;
        };
        if live.tasks.draw.is_some() {
            return;
        }
        let job = bots::spawn_draw_decision(&self.services, self.opener, &live.lobby, bot);
        let (handle, turn) = (Arc::clone(self), live.lobby.turn());
        live.tasks.draw = Some(AbortOnDropHandle::new(tokio::spawn(async move {
            let accept = job.await.unwrap_or(false);
            handle.ask_as_bot(Who::Player(bot), LobbyRequest::Answer { turn, offer: Offer::Draw, accept });
        })));
    }

    /// Sets the timer for what falls due next: an event of the lobby, or a bot that sits down.
    fn renew_timer(self: &Arc<Self>, live: &mut LiveLobby) {
        let due = live.lobby.due().map(|(at, _)| at);
        let next = [due, bots::joins_at(&self.services, &live.lobby)].into_iter().flatten().min();
        if live.tasks.timer.as_ref().map(|(at, _)| *at) == next {
            return;
        }
        live.tasks.timer = next.map(|at| {
            let handle = Arc::clone(self);
            let task = tokio::spawn(async move {
                handle.services.clock.until(handle.shown_at(at)).await;
                handle.on_timer();
            });
            (at, AbortOnDropHandle::new(task))
        });
    }
}
