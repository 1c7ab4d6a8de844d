//! People who play each other while bots think hard: whether the bots delay the people.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, ensure};
use fastrand::Rng;
use nim::client::Model;
use nim::game::Game;
use nim::lobby::{Name, Phase};
use nim::wire::{BotWish, HallRequest, LobbyRequest, NewLobby, Ticket};

use super::choice::Choice;
use super::guest::{Guest, Setting, terms};
use super::kind::Kind;
use super::program::Program;
use super::report::{Spread, Table};
use super::script::Script;
use super::seating::seat;
use super::traffic::Traffic;

/// The number of lobbies of people, and of bot lobbies per thinking thread: enough to keep every thread
/// busy.
const LOBBIES: usize = 100;
const HARD_LOBBIES_A_THREAD: usize = 4;

/// The warm-up in which the bots reach hard positions.
const WARMING: Duration = Duration::from_secs(1);

/// The result of one round: the people's waits in microseconds, and the load of the thinking threads, from 0
/// to 1.
#[derive(Debug, Clone, Copy)]
struct Round {
    waits: [f64; 3],
    busy: f64,
    moves_a_second: f64,
}

/// Measures with and without bots in turns, and prints a table.
pub(crate) fn run(choice: &Choice) -> anyhow::Result<()> {
    let (mut quiet, mut busy) = (Vec::new(), Vec::new());
    for _ in 0..choice.rounds() {
        quiet.push(measure(choice, false)?);
        busy.push(measure(choice, true)?);
    }
    let mut table =
        Table::new(&["", "p50 µs", "p99 µs", "p99.9 µs", "p99 of without", "moves/s", "threads think"]);
    for (name, rounds) in [("without bots", &quiet), ("bots that think hard", &busy)] {
        let ratios = rounds.iter().zip(&quiet).map(|(round, without)| round.waits[1] / without.waits[1]);
        let ratio = Spread::of(ratios).map_or_else(String::new, |spread| spread.to_string());
        let shown = |figure: &dyn Fn(&Round) -> f64| {
            Spread::of(rounds.iter().map(figure)).map_or_else(String::new, |spread| spread.to_string())
        };
        table.row(vec![
            name.to_owned(),
            shown(&|round| round.waits[0]),
            shown(&|round| round.waits[1]),
            shown(&|round| round.waits[2]),
            ratio,
            shown(&|round| round.moves_a_second),
            shown(&|round| round.busy),
        ]);
    }
    table.print(&format!("think, {LOBBIES} lobbies of people, {} requests a second", choice.rate(LOBBIES)));
    Ok(())
}

fn measure(choice: &Choice, with_bots: bool) -> anyhow::Result<Round> {
    let program = Program::start(Kind::Memory)?;
    let (process, address) = (program.process(), program.address());
    let thinks = |name: &str| name.starts_with("thinker");
    let pairs = seat(Kind::Memory, address, choice.setting(), LOBBIES)?;
    // A thread has its name once it runs, which may be after the server has said where it listens.
    let threads = process.threads(thinks)?;
    ensure!(threads > 0, "the server has no thread that thinks");
    let hard = if with_bots { threads * HARD_LOBBIES_A_THREAD } else { 0 };
    let done = Arc::new(AtomicBool::new(false));
    let opponents: Vec<_> = (2 * LOBBIES..2 * LOBBIES + hard)
        .map(|number| {
            let done = Arc::clone(&done);
            thread::spawn(move || oppose(address, number, &done))
        })
        .collect();
    let mut traffic = Traffic::of(pairs, Script::of(choice.setting().variant)?, false)?;
    traffic.paced(choice.rate(LOBBIES), WARMING.min(choice.time()))?;

    let busy = process.busy(thinks)?;
    let tally = traffic.paced(choice.rate(LOBBIES), 4 * choice.time())?;
    let busy = process.busy(thinks)?.saturating_sub(busy);
    traffic.leave()?;
    done.store(true, Ordering::Release);
    drop(program);
    for opponent in opponents {
        opponent.join().map_err(|_| anyhow!("a player against the bot has panicked"))??;
    }
    Ok(Round {
        waits: tally.percentiles(),
        busy: busy.as_secs_f64() / tally.time.as_secs_f64() / threads.max(1) as f64,
        moves_a_second: tally.moves_a_second(),
    })
}

/// With this many stones the bot moves at once, so the player starts a new game.
const EASY_FROM: usize = 14;

/// Plays against the bot until `done`; then the server ends.
fn oppose(address: SocketAddr, number: usize, done: &AtomicBool) -> anyhow::Result<()> {
    let mut guest = Guest::connect(address, number)?;
    guest.say_hello(number)?;
    let (mut model, mut chance) = (Model::new(Name::anyone()), Rng::with_seed(number as u64));
    let ticket = Ticket::random();
    model.set_ticket(ticket);
    let lobby = terms(Setting::untimed("connect-four"), BotWish::AtOnce);
    guest.ask_hall(HallRequest::Create(NewLobby { seat: ticket.hash(), ..lobby }))?;
    loop {
        match play_on(&mut guest, &mut model, &mut chance) {
            Ok(()) => {}
            Err(_) if done.load(Ordering::Acquire) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

fn play_on(guest: &mut Guest, model: &mut Model, chance: &mut Rng) -> anyhow::Result<()> {
    model.apply(&guest.hear()?)?;
    wish(model, chance).map_or(Ok(()), |request| guest.ask(request))
}

/// The player's next request, if any.
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
