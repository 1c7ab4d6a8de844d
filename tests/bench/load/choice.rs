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
    /// Parts of the bench to run; all by default
    what: Vec<What>,

    /// Rounds; in each round the kinds of servers take turns
    #[arg(long, default_value_t = 5)]
    rounds: usize,

    /// Seconds for each measurement
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,

    /// All kinds run at once, and the traffic goes to the next one after each measurement: a machine that is busy for a
    /// while is so for all of them. With many lobbies this needs many descriptors
    #[arg(long)]
    pub(crate) by_second: bool,

    /// Numbers of lobbies that play at once, with two connections each
    #[arg(long, value_delimiter = ',', default_value = "1,100,1000,5000")]
    lobbies: Vec<usize>,

    /// Kinds of servers to compare
    #[arg(long, value_delimiter = ',', default_value = "framed,direct,memory,process,power")]
    pub(crate) kinds: Vec<Kind>,

    /// Requests per second at the fixed rate; a single lobby sends a fiftieth of it
    #[arg(long, default_value_t = 10_000)]
    rate: u32,

    /// Variant to play
    #[arg(long, default_value = "java-tech")]
    variant: String,

    /// Clock to play with, such as 5m+3s or 10s/move
    #[arg(long, default_value = "none")]
    clock: ClockRule,

    /// Number of games after which memory and descriptors are compared with those after a hundredth of them
    #[arg(long, default_value_t = 1_000_000)]
    games: u64,

    #[command(flatten)]
    pub(crate) attack: Orders,

    /// Act as this bare relay
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
    /// People on a server under attack
    Attack,
}

/// The numbers of silent people.
const SEATS: [usize; 2] = [1_000, 5_000];

/// The upper limit: beyond it the figure per seat does not change.
const MOST_SEATS: usize = 50_000;

/// Descriptors reserved for everything but the connections.
const SPARE_DESCRIPTORS: u64 = 1_000;

impl Choice {
    pub(crate) fn wanted(&self) -> Vec<What> {
        if self.what.is_empty() { What::value_variants().to_vec() } else { self.what.clone() }
    }

    /// The game and clock that people play.
    pub(crate) fn setting(&self) -> Setting<'_> {
        Setting { variant: &self.variant, clock: self.clock }
    }

    pub(crate) fn rounds(&self) -> usize {
        if smoke::is_wanted() { 1 } else { self.rounds.max(1) }
    }

    /// The length of each measurement.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(if smoke::is_wanted() { 0.03 } else { self.seconds })
    }

    /// The numbers of lobbies that play at once.
    pub(crate) fn lobbies(&self) -> Vec<usize> {
        if smoke::is_wanted() { vec![3] } else { self.lobbies.clone() }
    }

    /// The fixed rate in requests per second for this number of lobbies.
    pub(crate) fn rate(&self, lobbies: usize) -> f64 {
        f64::from(if lobbies == 1 { self.rate.div_ceil(50) } else { self.rate })
    }

    /// The numbers of silent seats: some, more, and the maximum that the limit on descriptors allows.
    pub(crate) fn seats(descriptors: u64) -> Vec<usize> {
        if smoke::is_wanted() {
            return vec![10];
        }
        let most = usize::try_from(descriptors.saturating_sub(SPARE_DESCRIPTORS)).unwrap_or(MOST_SEATS);
        let most = most.min(MOST_SEATS) / 2 * 2;
        SEATS.into_iter().filter(|&seats| seats < most).chain([most]).collect()
    }

    /// The length of the silence: two ping intervals.
    pub(crate) fn silence(&self) -> Duration {
        if smoke::is_wanted() { self.time() } else { Duration::from_secs(30) }
    }

    pub(crate) fn games(&self) -> u64 {
        if smoke::is_wanted() { 100 } else { self.games.max(100) }
    }
}
