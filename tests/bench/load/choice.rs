//! The measurements to make, and their length.

use std::time::Duration;

use clap::{Parser, ValueEnum};
use nim::lobby::ClockRule;

use super::guest::Setting;
use super::kind::Kind;
use crate::attack::choice::Orders;
use crate::smoke;

/// The command line.
#[derive(Debug, Parser)]
#[command(about = "What the real server costs under load, beside two bare relays")]
pub(crate) struct Choice {
    /// What is measured; everything if nothing is named
    what: Vec<What>,

    /// How often each kind of server is measured, in turns with the others
    #[arg(long, default_value_t = 5)]
    rounds: usize,

    /// For how many seconds each figure is measured
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,

    /// How many lobbies of two connections play at once
    #[arg(long, value_delimiter = ',', default_value = "1,100,1000,5000")]
    lobbies: Vec<usize>,

    /// The kinds of servers
    #[arg(long, value_delimiter = ',', default_value = "framed,direct,memory,process,power")]
    pub(crate) kinds: Vec<Kind>,

    /// How many requests a second are sent where the rate is fixed; one lobby alone sends a fiftieth of it
    #[arg(long, default_value_t = 10_000)]
    rate: u32,

    /// What is played
    #[arg(long, default_value = "java-tech")]
    variant: String,

    /// What clock is played with, such as 5m+3s or 10s/move
    #[arg(long, default_value = "none")]
    clock: ClockRule,

    /// After how many games memory and descriptors are compared with those after a hundredth of them
    #[arg(long, default_value_t = 1_000_000)]
    games: u64,

    #[command(flatten)]
    pub(crate) attack: Orders,

    /// Be such a bare relay
    #[arg(long, hide = true)]
    pub(crate) serve: Option<Kind>,
}

/// A part of this bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Moves, beside bare relays
    Relay,
    /// Silent connections, and what is left after a million games
    Idle,
    /// People beside bots that think hard
    Think,
    /// People on a server that somebody else attacks
    Attack,
}

/// How many people sit silently.
const SEATS: [usize; 2] = [1_000, 5_000];

/// The most of them: beyond that the figure for one does not change any more.
const MOST_SEATS: usize = 50_000;

/// How many descriptors are left for all but the connections.
const SPARE_DESCRIPTORS: u64 = 1_000;

impl Choice {
    pub(crate) fn wanted(&self) -> Vec<What> {
        if self.what.is_empty() { What::value_variants().to_vec() } else { self.what.clone() }
    }

    /// What people play.
    pub(crate) fn setting(&self) -> Setting<'_> {
        Setting { variant: &self.variant, clock: self.clock }
    }

    pub(crate) fn rounds(&self) -> usize {
        if smoke::is_wanted() { 1 } else { self.rounds.max(1) }
    }

    /// For how long each figure is measured.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(if smoke::is_wanted() { 0.03 } else { self.seconds })
    }

    /// How many lobbies play at once.
    pub(crate) fn lobbies(&self) -> Vec<usize> {
        if smoke::is_wanted() { vec![3] } else { self.lobbies.clone() }
    }

    /// How many requests a second this many lobbies send where the rate is fixed.
    pub(crate) fn rate(&self, lobbies: usize) -> f64 {
        f64::from(if lobbies == 1 { self.rate.div_ceil(50) } else { self.rate })
    }

    /// How many silent seats: some, more, and all that the limit on descriptors allows.
    pub(crate) fn seats(descriptors: u64) -> Vec<usize> {
        if smoke::is_wanted() {
            return vec![10];
        }
        let most = usize::try_from(descriptors.saturating_sub(SPARE_DESCRIPTORS)).unwrap_or(MOST_SEATS);
        let most = most.min(MOST_SEATS) / 2 * 2;
        SEATS.into_iter().filter(|&seats| seats < most).chain([most]).collect()
    }

    /// For how long nothing happens: two pings long.
    pub(crate) fn silence(&self) -> Duration {
        if smoke::is_wanted() { self.time() } else { Duration::from_secs(30) }
    }

    pub(crate) fn games(&self) -> u64 {
        if smoke::is_wanted() { 100 } else { self.games.max(100) }
    }
}
