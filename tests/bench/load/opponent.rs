//! A player of Connect Four against the bot who gives up when it gets easy, so that a thinking thread is always busy.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;
use nim::client::Model;
use nim::game::Game;
use nim::lobby::{Name, Phase};
use nim::wire::{BotWish, HallRequest, LobbyRequest};

use super::guest::{Guest, Setting, terms};

/// With this many stones the bot answers at once: a new game is harder.
const EASY_FROM: usize = 14;

/// Plays against the bot until `done`, when the server is about to end.
pub(crate) fn play(address: SocketAddr, number: usize, done: &AtomicBool) -> anyhow::Result<()> {
    let mut guest = Guest::connect(address, number)?;
    guest.say_hello(number)?;
    guest.ask_hall(HallRequest::Create(terms(Setting::untimed("connect-four"), BotWish::AtOnce)))?;
    let (mut model, mut chance) = (Model::new(Name::anyone()), Rng::with_seed(number as u64));
    loop {
        match play_on(&mut guest, &mut model, &mut chance) {
            Ok(()) => {}
            Err(_) if done.load(Ordering::Acquire) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

fn play_on(guest: &mut Guest, model: &mut Model, chance: &mut Rng) -> anyhow::Result<()> {
    model.learn(&guest.hear()?)?;
    wish(model, chance).map_or(Ok(()), |request| guest.ask(request))
}

/// What the player asks for now, if anything.
fn wish(model: &Model, chance: &mut Rng) -> Option<LobbyRequest> {
    let mine = model.lobby()?;
    let side = mine.side()?;
    let lobby = &mine.lobby;
    match lobby.phase() {
        Phase::Over { again, .. } if !again[side] => Some(LobbyRequest::Again),
        Phase::Playing if mine.is_to_move() => {
            if lobby.past().len() >= EASY_FROM {
                return Some(LobbyRequest::Resign);
            }
            let mv = chance.choice(lobby.board().position().moves().collect::<Vec<_>>())?;
            Some(LobbyRequest::Play { turn: lobby.turn(), mv })
        }
        _ => None,
    }
}
