//! The decisions of bots in a lobby: when one sits down, what it agrees to, and the jobs for its moves.

use std::net::IpAddr;
use std::time::Duration;

use crate::bot::{self, Bot};
use crate::game::Side;
use crate::game::any::Move;
use crate::lobby::{
    ClockRule, Conditions, Kind, Lobby, LobbyRequest, Moment, Name, Offer, Phase, PlayerId, Request, Who,
};
use crate::server::config::Config;
use crate::server::job_pool::JobHandle;
use crate::server::services::Services;
use crate::server::storage::LobbyId;

/// The bot that moves now, if one does: in its own seat, or standing in for a player.
pub(super) fn to_move(lobby: &Lobby) -> Option<Who> {
    let rests = lobby.is_paused() || lobby.is_unwatched();
    let player = lobby.to_move().filter(|_| !rests)?;
    match player.kind {
        Kind::Bot => Some(Who::Player(player.id)),
        Kind::Person | Kind::Guest | Kind::Program => lobby.stood_in_for().map(Who::StandIn),
    }
}

/// Starts the job that chooses the next move. The same seed gives the same moves.
pub(super) fn spawn_move(
    services: &Services,
    (id, opener): (LobbyId, IpAddr),
    lobby: &Lobby,
) -> JobHandle<Option<Move>> {
    let Conditions { level, away, .. } = *lobby.conditions();
    let level = if lobby.stood_in_for().is_some() { away.level } else { level };
    let position = lobby.board().position();
    let seed = services.config.seed ^ id.0.rotate_left(32) ^ u64::from(lobby.turn());
    services.think_pool.run(opener, move |stop| Bot::new(seed, level).choose(&position, stop))
}

/// Starts the job that decides whether this bot agrees to a draw.
pub(super) fn spawn_draw_decision(
    services: &Services,
    opener: IpAddr,
    lobby: &Lobby,
    bot: PlayerId,
) -> JobHandle<bool> {
    let (position, side) = (lobby.board().position(), lobby.side_of(bot));
    services
        .think_pool
        .run(opener, move |stop| side.is_some_and(|side| bot::accepts_draw(&position, side, stop)))
}

/// How long a bot's move takes at least: less if its clock is about to run out.
pub(super) fn min_move_time(config: &Config, lobby: &Lobby, now: Moment) -> Duration {
    match lobby.conditions().clock {
        ClockRule::None => config.bot_pace,
        _ => config.bot_pace.min(lobby.clocks().left_at(lobby.board().turn(), now) / 20),
    }
}

/// The bot to which a draw is offered, if one is.
pub(super) fn draw_offered_to(lobby: &Lobby) -> Option<PlayerId> {
    let open = lobby.offer().filter(|open| open.offer == Offer::Draw)?;
    bot_on(lobby, !open.side)
}

/// What a bot does without thinking, if anything: it sits down, agrees to another game, or accepts a takeback
/// or a pause.
pub(super) fn immediate_action(services: &Services, lobby: &Lobby, now: Moment) -> Option<(Who, Request)> {
    if joins_at(services, lobby).is_some_and(|at| at <= now) {
        return Some((Who::Newcomer, sit_request(lobby)));
    }
    if let Some(open) = lobby.offer().filter(|open| open.offer != Offer::Draw) {
        let answer = LobbyRequest::Answer { turn: lobby.turn(), offer: open.offer, accept: true };
        return Some((Who::Player(bot_on(lobby, !open.side)?), answer.into()));
    }
    let Phase::Over { again, .. } = lobby.phase() else { return None };
    let side = Side::BOTH.into_iter().find(|&side| again[!side] && !again[side])?;
    Some((Who::Player(bot_on(lobby, side)?), LobbyRequest::Again.into()))
}

/// When a bot takes the open seat; `None` if no bot does, as while no new games begin.
pub(super) fn joins_at(services: &Services, lobby: &Lobby) -> Option<Moment> {
    lobby.bot_joins_at().filter(|_| services.config.bots && !services.drain.is_on())
}

/// The request to sit down, under a name that no other bot here has.
fn sit_request(lobby: &Lobby) -> Request {
    let first = Name::bot();
    let taken = lobby.seats().iter().any(|(_, seat)| seat.as_ref().is_some_and(|p| p.name == first));
    Request::Sit { name: if taken { Name::other_bot() } else { first }, kind: Kind::Bot }
}

fn bot_on(lobby: &Lobby, side: Side) -> Option<PlayerId> {
    lobby.seats()[side].as_ref().filter(|player| player.kind == Kind::Bot).map(|player| player.id)
}
