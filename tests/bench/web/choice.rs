//! The measurements to make, and their length.

use std::time::Duration;

use clap::Parser;
use nim::game::Game;
use nim::game::any::Variant;

use crate::smoke;

/// The command line.
#[derive(Debug, Parser)]
#[command(about = "What browsers cost the server, beside native clients")]
pub(super) struct Choice {
    /// Rounds; in each the native clients play first, then the browsers
    #[arg(long, default_value_t = 5)]
    rounds: usize,

    /// Numbers of games at once, with two browsers each
    #[arg(long, value_delimiter = ',', default_value = "100,1000")]
    games: Vec<usize>,

    /// Seconds for each measurement
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,

    /// Moves per second at the fixed rate
    #[arg(long, default_value_t = 1_000)]
    rate: u32,

    /// Variant to play
    #[arg(long, default_value = "java-tech")]
    variant: String,

    /// Print the figures of each round
    #[arg(long)]
    wordy: bool,
}

impl Choice {
    pub(super) fn rounds(&self) -> usize {
        smoke::all_or(1, self.rounds.max(1))
    }

    pub(super) fn games(&self) -> Vec<usize> {
        smoke::all_or(vec![2], self.games.clone())
    }

    /// The length of each measurement.
    pub(super) fn time(&self) -> Duration {
        Duration::from_secs_f64(smoke::all_or(0.05, self.seconds))
    }

    /// The length of the measurement at the fixed rate.
    pub(super) fn long(&self) -> Duration {
        2 * self.time()
    }

    /// The length of the silence.
    pub(super) fn silence(&self) -> Duration {
        2 * self.time()
    }

    pub(super) fn rate(&self) -> f64 {
        f64::from(self.rate)
    }

    pub(super) fn variant(&self) -> &str {
        &self.variant
    }

    pub(super) fn is_wordy(&self) -> bool {
        self.wordy
    }

    /// The moves of one game: everybody makes the first legal move.
    pub(super) fn script(&self) -> anyhow::Result<Vec<String>> {
        let variant: Variant = self.variant.parse()?;
        let (mut board, mut texts) = (variant.start(), Vec::new());
        while let Some(mv) = board.position().moves().next().filter(|_| board.finish().is_none()) {
            texts.push(board.write_move(mv));
            board = board.play(mv)?;
        }
        Ok(texts)
    }
}
