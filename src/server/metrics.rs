//! Metrics for the host: what is there, what happens, what is refused, and how long it takes. No label names
//! a person, and each has a fixed set of values, so that no client can make the metrics grow.

use std::fmt;
use std::iter::once;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use super::peers::{PeerMetric, PeerValue};
use crate::game::Outcome;
use crate::game::any::Variant;
use crate::lobby::GameResult;
use crate::number::saturating;
use crate::wire::Refusal;

mod endpoint;

pub(super) use endpoint::{MAX_METRICS_REQUESTS, serve};

/// The bounds of the histogram's times: from 10 µs to 5 s, each twice the one before.
fn times() -> impl Iterator<Item = f64> {
    exponential_buckets(1e-5, 2.0, 20)
}

/// The bounds of the histogram's notes in a batch, each twice the one before.
fn sizes() -> impl Iterator<Item = f64> {
    once(0.0).chain(exponential_buckets(1.0, 2.0, 16))
}

/// What is counted and measured while the server runs.
#[derive(Debug)]
pub(super) struct Metrics {
    moves: Counter,
    games: Family<GameLabels, Counter>,
    refusals: Family<ReasonLabel, Counter>,
    ended: Family<ReasonLabel, Counter>,
    carried: Gauge,
    response_time: Histogram,
    recorded: Histogram,
    synced: Histogram,
    batches: Histogram,
}

/// A client that is carried to another server counts as long as this lives.
#[derive(Debug)]
pub(super) struct CountedCarried(Gauge);

impl Drop for CountedCarried {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The gauges: what there is at this moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gauges {
    pub(super) connections: usize,
    pub(super) lobbies: usize,
    pub(super) jobs_waiting: usize,
    pub(super) jobs_running: usize,
    pub(super) notes_waiting: usize,
    /// Whether nothing can be recorded.
    pub(super) halted: bool,
}

/// The labels of a finished game: its kind and how it ended. The rest of a variant's text is chosen by
/// players, so it is no label.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct GameLabels {
    game: &'static str,
    result: &'static str,
    cause: &'static str,
}

/// The label for why a request was refused, or a connection ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            moves: Counter::default(),
            games: Family::default(),
            refusals: Family::default(),
            ended: Family::default(),
            carried: Gauge::default(),
            response_time: Histogram::new(times()),
            recorded: Histogram::new(times()),
            synced: Histogram::new(times()),
            batches: Histogram::new(sizes()),
        }
    }
}

impl Metrics {
    pub(super) fn note_move(&self) {
        self.moves.inc();
    }

    /// How many moves were made since the start.
    pub(super) fn moves(&self) -> u64 {
        self.moves.get()
    }

    pub(super) fn note_game(&self, variant: &Variant, result: GameResult) {
        let won = match result.outcome {
            Outcome::Win(_) => "won",
            Outcome::Draw => "drawn",
        };
        let over = GameLabels { game: variant.name(), result: won, cause: result.cause.into() };
        self.games.get_or_create(&over).inc();
    }

    pub(super) fn note_refusal(&self, refusal: &Refusal) {
        self.refusals.get_or_create(&ReasonLabel { reason: refusal.name() }).inc();
    }

    /// Counts a connection that ended for this reason.
    pub(super) fn note_end(&self, reason: &'static str) {
        self.ended.get_or_create(&ReasonLabel { reason }).inc();
    }

    /// Counts a client that is carried to another server.
    pub(super) fn count_carried(&self) -> CountedCarried {
        self.carried.inc();
        CountedCarried(self.carried.clone())
    }

    /// Notes the time from the arrival of a request until its events were sent.
    pub(super) fn note_response(&self, after: Duration) {
        self.response_time.observe(after.as_secs_f64());
    }

    /// Counts a batch of notes that was recorded in `time`, of which the commit took `sync`.
    pub(super) fn note_batch(&self, notes: usize, time: Duration, sync: Duration) {
        self.batches.observe(saturating::<u32, _>(notes).into());
        self.recorded.observe(time.as_secs_f64());
        self.synced.observe(sync.as_secs_f64());
    }

    /// All metrics in the text format of `OpenMetrics`.
    pub(super) fn text(&self, gauges: Gauges, of_peers: &[PeerMetric]) -> Result<String, fmt::Error> {
        let mut registry = Registry::with_prefix("nim");
        gauges.register(&mut registry);
        for metric in of_peers {
            register_of_peers(&mut registry, metric);
        }
        let carried = "Connections of clients that are in lobbies of other servers";
        registry.register("connections_carried", carried, self.carried.clone());
        self.written(registry)
    }

    /// The same without the gauges: what was counted and measured since the start.
    pub(super) fn counters(&self) -> Result<String, fmt::Error> {
        self.written(Registry::with_prefix("nim"))
    }

    fn written(&self, mut registry: Registry) -> Result<String, fmt::Error> {
        registry.register("moves", "Moves made", self.moves.clone());
        registry.register("games", "Games that are over", self.games.clone());
        registry.register("refusals", "Requests refused", self.refusals.clone());
        registry.register("connections_ended", "Connections that ended", self.ended.clone());
        let response = "From a request's arrival until its events are sent";
        registry.register_with_unit("told", response, Unit::Seconds, self.response_time.clone());
        let recorded = "To record changes, with the chosen durability";
        registry.register_with_unit("journal_batch", recorded, Unit::Seconds, self.recorded.clone());
        let synced = "Of the time to record changes, until the system has them, with --durability power until the disk has them";
        registry.register_with_unit("journal_sync", synced, Unit::Seconds, self.synced.clone());
        registry.register("journal_batch_notes", "Changes recorded at once", self.batches.clone());
        let mut written = String::new();
        text::encode(&mut written, &registry)?;
        Ok(written)
    }
}

fn register_of_peers(registry: &mut Registry, metric: &PeerMetric) {
    let PeerMetric { name, help, value } = *metric;
    match value {
        PeerValue::Now(value) => {
            let gauge = Gauge::<i64>::default();
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
            registry.register(name, help, gauge);
        }
        PeerValue::InAll(value) => {
            let counter = Counter::<u64>::default();
            counter.inc_by(value);
            registry.register(name, help, counter);
        }
    }
}

impl Gauges {
    fn register(self, registry: &mut Registry) {
        let mut gauge = |name, help, value: usize| {
            let value_of = Gauge::<i64>::default();
            value_of.set(i64::try_from(value).unwrap_or(i64::MAX));
            registry.register(name, help, value_of);
        };
        gauge("connections", "Connections now", self.connections);
        gauge("lobbies", "Lobbies now", self.lobbies);
        gauge("jobs_waiting", "Computations of bots and hints that wait for a thread", self.jobs_waiting);
        gauge("jobs_running", "Computations of bots and hints that are running", self.jobs_running);
        gauge("journal_waiting_notes", "Changes that wait to be recorded", self.notes_waiting);
        gauge("journal_halted", "1 if nothing can be recorded at the moment, else 0", self.halted.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::lobby::{self, Cause};
    use crate::wire::ChatRefusal;

    #[test]
    fn what_was_noted_is_told() {
        let metrics = Metrics::default();
        let result = GameResult { outcome: Outcome::Win(Side::First), cause: Cause::Rules };
        metrics.note_move();
        for variant in ["take:9:4", "take:21:3", "nim:3-4-5"] {
            metrics.note_game(&variant.parse().unwrap(), result);
        }
        metrics.note_refusal(&lobby::Refusal::NotSeated.into());
        metrics.note_refusal(&Refusal::Chat(ChatRefusal::Off));
        metrics.note_end("gone");
        let (_one, other) = (metrics.count_carried(), metrics.count_carried());
        drop(other);
        metrics.note_response(Duration::from_micros(15));
        metrics.note_batch(3, Duration::from_millis(2), Duration::from_millis(1));
        let of_peers = [("slots", PeerValue::Now(86)), ("slots_taken", PeerValue::InAll(3))];
        let of_peers = of_peers.map(|(name, value)| PeerMetric { name, help: "Slots", value });
        let gauges = Gauges { lobbies: 7, halted: true, ..Gauges::default() };
        let text = metrics.text(gauges, &of_peers).unwrap();
        for line in [
            "nim_moves_total 1",
            "nim_games_total{game=\"take\",result=\"won\",cause=\"rules\"} 2",
            "nim_games_total{game=\"nim\",result=\"won\",cause=\"rules\"} 1",
            "nim_refusals_total{reason=\"not_seated\"} 1",
            "nim_refusals_total{reason=\"chat_off\"} 1",
            "nim_connections_ended_total{reason=\"gone\"} 1",
            "nim_told_seconds_bucket{le=\"0.00002\"} 1",
            "nim_journal_batch_notes_sum 3.0",
            "nim_journal_batch_seconds_count 1",
            "nim_journal_sync_seconds_sum 0.001",
            "nim_lobbies 7",
            "nim_connections_carried 1",
            "nim_journal_halted 1",
            "nim_slots 86",
            "nim_slots_taken_total 3",
            "# EOF",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
        }
    }
}
