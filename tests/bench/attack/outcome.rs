//! What an attack changed: a row of the table.

use super::raider::Count;
use crate::load::report::{Spread, short};

/// The headings of the columns.
pub(crate) const HEADINGS: [&str; 13] = [
    "",
    "p99 µs",
    "alone",
    "times",
    "cores",
    "grown MiB",
    "left MiB",
    "journal MiB",
    "log KiB",
    "newcomer s",
    "calm s",
    "refused",
    "closed",
];

/// The measurements of a round.
#[derive(Debug)]
pub(crate) struct Round {
    /// The 99th percentile of the time until a move is broadcast, in microseconds: before, and during the attack.
    pub(crate) alone: f64,
    pub(crate) beside: f64,
    /// The number of cores that the server kept busy during the attack.
    pub(crate) cores: f64,
    /// Resident memory in bytes at the end of the attack.
    pub(crate) resident: u64,
    /// The newcomers' waits for a seat, in seconds.
    pub(crate) waits: Vec<f64>,
    pub(crate) count: Count,
    /// Seconds until moves were as fast as before and all attackers' connections closed; `None` if never.
    pub(crate) calm: Option<f64>,
}

/// The result of one attack.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) rounds: Vec<Round>,
    /// Resident memory in bytes before the first round, and after the last one.
    pub(crate) before: u64,
    pub(crate) after: u64,
    /// What was added to the journal and to the log, in bytes.
    pub(crate) journal: u64,
    pub(crate) log: u64,
}

impl Outcome {
    /// The row of this attack.
    pub(crate) fn row(&self, name: String) -> Vec<String> {
        let grown = self.rounds.iter().map(|round| round.resident).max().unwrap_or(0);
        let is_calm = self.rounds.iter().all(|round| round.calm.is_some());
        let calm = || self.median_and_most(|round| round.calm.into_iter().collect());
        vec![
            name,
            self.spread(|round| round.beside),
            self.spread(|round| round.alone),
            self.spread(|round| round.beside / round.alone),
            self.spread(|round| round.cores),
            mib(grown.saturating_sub(self.before)),
            mib(self.after.saturating_sub(self.before)),
            mib(self.journal),
            short(self.log as f64 / 1024.0),
            self.median_and_most(|round| round.waits.clone()),
            if is_calm { calm() } else { "never".to_owned() },
            self.sum(|count| count.refused),
            self.sum(|count| count.closed),
        ]
    }

    fn spread(&self, figure: fn(&Round) -> f64) -> String {
        Spread::of(self.rounds.iter().map(figure)).map_or_else(String::new, |spread| spread.to_string())
    }

    fn median_and_most(&self, figures: fn(&Round) -> Vec<f64>) -> String {
        let shown = |spread: Spread| format!("{} ({})", short(spread.median), short(spread.most));
        Spread::of(self.rounds.iter().flat_map(figures)).map_or_else(|| "-".to_owned(), shown)
    }

    fn sum(&self, figure: fn(&Count) -> u64) -> String {
        self.rounds.iter().map(|round| figure(&round.count)).sum::<u64>().to_string()
    }
}

fn mib(bytes: u64) -> String {
    short(bytes as f64 / f64::from(1 << 20))
}
