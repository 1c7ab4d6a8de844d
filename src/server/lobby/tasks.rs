//! What is under way in a lobby: a bot's move, its answer to an offered draw, and the timer for what falls due
//! next. It knows no lock.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::bots;
use crate::lobby::{Lobby, LobbyRequest, Moment, Offer, Who};
use crate::server::services::Services;
use crate::server::storage::LobbyId;

/// The lobby that tasks act in.
pub(super) trait Actor: Send + Sync + 'static {
    fn services(&self) -> &Services;

    /// The lobby, and the address for which its bots think.
    fn owner(&self) -> (LobbyId, IpAddr);

    /// The lobby's time.
    fn now(&self) -> Moment;

    /// What the server's clock shows at this moment of the lobby's time.
    fn shown_at(&self, at: Moment) -> Duration;

    /// Asks for what a bot has thought of.
    fn ask_as_bot(self: &Arc<Self>, who: Who, request: LobbyRequest);

    /// Makes happen what is due.
    fn time_passes(self: &Arc<Self>);
}

/// The tasks of a lobby. Each is cancelled when dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// The move that a bot thinks about, for itself or for an absent player: whose, and of which turn.
    bot_move: Option<((Who, u32), AbortOnDropHandle<()>)>,
    /// A bot's thinking about a draw.
    draw: Option<AbortOnDropHandle<()>>,
    /// What waits for the next moment at which something happens by itself.
    timer: Option<(Moment, AbortOnDropHandle<()>)>,
}

impl Tasks {
    /// Starts what is wanted now, and cancels what is not wanted any more.
    pub(super) fn renew(&mut self, actor: &Arc<impl Actor>, lobby: &Lobby) {
        self.renew_bot_move(actor, lobby);
        self.renew_draw(actor, lobby);
        self.renew_timer(actor, lobby);
    }

    /// The timer has fired.
    pub(super) fn end_timer(&mut self) {
        self.timer = None;
    }

    fn renew_bot_move(&mut self, actor: &Arc<impl Actor>, lobby: &Lobby) {
        let wanted = bots::to_move(lobby).map(|who| (who, lobby.turn()));
        if self.bot_move.as_ref().map(|(of, _)| *of) == wanted {
            return;
        }
        self.bot_move = wanted.map(|(who, turn)| {
            let services = actor.services();
            let job = bots::think_of_move(services, actor.owner(), lobby);
            let due = Instant::now() + bots::pace(&services.bots, lobby, actor.now());
            let actor = Arc::clone(actor);
            let task = tokio::spawn(async move {
                let Some(Some(mv)) = job.await else { return };
                tokio::time::sleep_until(due).await;
                actor.ask_as_bot(who, LobbyRequest::Play { turn, mv });
            });
            ((who, turn), AbortOnDropHandle::new(task))
        });
    }

    fn renew_draw(&mut self, actor: &Arc<impl Actor>, lobby: &Lobby) {
        let Some(bot) = bots::asked_for_a_draw(lobby) else {
            self.draw = None;
            return;
        };
        if self.draw.is_some() {
            return;
        }
        let job = bots::think_of_draw(actor.services(), actor.owner().1, lobby, bot);
        let (actor, turn) = (Arc::clone(actor), lobby.turn());
        self.draw = Some(AbortOnDropHandle::new(tokio::spawn(async move {
            let accept = job.await.unwrap_or(false);
            actor.ask_as_bot(Who::Player(bot), LobbyRequest::Answer { turn, offer: Offer::Draw, accept });
        })));
    }

    /// Sets the timer for what falls due next: in the lobby, or the coming of a bot.
    fn renew_timer(&mut self, actor: &Arc<impl Actor>, lobby: &Lobby) {
        let due = lobby.due().map(|(at, _)| at);
        let next = [due, bots::comes(&actor.services().bots, lobby)].into_iter().flatten().min();
        if self.timer.as_ref().map(|(at, _)| *at) != next {
            self.timer = next.map(|at| {
                let actor = Arc::clone(actor);
                let task = tokio::spawn(async move {
                    actor.services().clock.until(actor.shown_at(at)).await;
                    actor.time_passes();
                });
                (at, AbortOnDropHandle::new(task))
            });
        }
    }
}
