//! `nim-client study levels`: plays a tournament of the levels. In each round every pair plays one game. It
//! ends after the last round, or at Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use nim::bot::duel::Arena;
use nim::bot::{Level, Stop};
use nim::game::any::Variant;
use nim::game::{BySide, Outcome};
use nim::study::StudyError;
use nim::study::levels::CrossTable;

use crate::failure::CliError;
use crate::flags;
use crate::work::wait_for;

/// The maximum number of games of a pair: more would take hours and show nothing new.
const MAX_GAMES: i64 = 100_000;

const PLAYING: &str = "Ctrl-C ends it with the games played so far";
const TEMPLATE: &str = "{bar:30} {human_pos} of {human_len} games, {elapsed}. {msg}";

#[derive(Debug, Clone, Args)]
pub(crate) struct LevelFlags {
    /// The game
    #[arg(value_name = "GAME", add = flags::games())]
    variant: Variant,

    /// The number of games that each pair plays from either seat
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..=MAX_GAMES))]
    games: u32,

    /// The seed of all random choices; the same seed gives the same table
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

/// Returns the cross-table as text. After Ctrl-C it has fewer games.
pub(super) fn levels(flags: LevelFlags) -> Result<String, CliError> {
    let games = Arc::new(AtomicU64::new(0));
    let all = u64::from(flags.games) * pairs().count() as u64;
    let played = Arc::clone(&games);
    let text = wait_for(
        (all, PLAYING, TEMPLATE),
        move |stop| tournament(&flags, &games, stop),
        |bar, _| bar.set_position(played.load(Ordering::Relaxed)),
    )?;
    Ok(text?)
}

/// All pairs of levels, the first mover first, as indices in [`strongest_first`].
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let places = 0..Level::ALL.len();
    places.clone().flat_map(move |first| places.clone().map(move |second| (first, second)))
}

/// Plays the rounds. Only complete rounds count.
fn tournament(flags: &LevelFlags, games: &AtomicU64, stop: &Stop) -> Result<String, StudyError> {
    let arena = Arena::new(flags.variant.clone(), stop).map_err(|error| StudyError(error.to_string()))?;
    let names: Vec<&str> = strongest_first().map(Level::as_str).collect();
    let mut table = CrossTable::new(&names);
    let mut rng = fastrand::Rng::with_seed(flags.seed);
    let mut rounds = 0;
    while rounds < flags.games
        && let Some(results) = round(&arena, &mut rng, games, stop)
    {
        pairs().zip(results).for_each(|((first, second), outcome)| table.add(first, second, outcome));
        rounds += 1;
    }
    match rounds {
        0 => Err(StudyError("it was stopped before a round of games was over".into())),
        _ => Ok(format!(
            "{}: {}, seed {}\n{}",
            flags.variant,
            count(rounds, flags.games),
            flags.seed,
            table.text()
        )),
    }
}

/// The number of games, as text.
fn count(rounds: u32, wanted: u32) -> String {
    let stopped = if rounds < wanted { format!(" of the {wanted} requested") } else { String::new() };
    let games = if rounds == 1 { "game" } else { "games" };
    format!("{rounds} {games} of each pair{stopped}")
}

/// Plays a game of every pair. Returns `None` if it was stopped before the end of all games.
fn round(arena: &Arena, rng: &mut fastrand::Rng, games: &AtomicU64, stop: &Stop) -> Option<Vec<Outcome>> {
    let levels: Vec<Level> = strongest_first().collect();
    let play = |(first, second): (usize, usize)| {
        let outcome = arena.play(BySide { first: levels[first], second: levels[second] }, rng, stop);
        games.fetch_add(1, Ordering::Relaxed);
        // A bot that was stopped may have played below its level.
        outcome.filter(|_| !stop.is_raised())
    };
    pairs().map(play).collect()
}

fn strongest_first() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().rev()
}
