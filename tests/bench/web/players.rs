//! All pairs of browsers, each on a task of its own, on one thread.

use std::net::SocketAddr;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use hdrhistogram::Histogram;
use tokio::task::LocalSet;
use tokio::time::Instant;

use super::browser::PATIENCE;
use super::pair::Pair;

/// All pairs, and the moves of their games.
pub(super) struct Players {
    pairs: Vec<Pair>,
    script: Rc<[String]>,
}

/// The counts of a run.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) bytes: u64,
    time: Duration,
    /// For each move, the nanoseconds until the other browser had it.
    waits: Histogram<u64>,
}

impl Tally {
    pub(super) fn new() -> anyhow::Result<Self> {
        let longest = u64::try_from(PATIENCE.as_nanos())?;
        Ok(Self { bytes: 0, time: Duration::ZERO, waits: Histogram::new_with_max(longest, 2)? })
    }

    pub(super) fn note(&mut self, wait: Duration) {
        self.waits.saturating_record(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX));
    }

    fn moves(&self) -> f64 {
        self.waits.len().max(1) as f64
    }

    pub(super) fn micros_a_move(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.moves()
    }

    pub(super) fn moves_a_second(&self) -> f64 {
        self.moves() / self.time.as_secs_f64()
    }

    pub(super) fn bytes_a_move(&self) -> f64 {
        self.bytes as f64 / self.moves()
    }

    /// The 50th and 99th percentiles of the waits, in microseconds.
    pub(super) fn waits(&self) -> [f64; 2] {
        [0.5, 0.99].map(|part| self.waits.value_at_quantile(part) as f64 / 1e3)
    }
}

impl Players {
    /// Seats two browsers for each game of these numbers.
    pub(super) async fn seat(
        server: SocketAddr,
        numbers: Range<usize>,
        game: &str,
        script: Vec<String>,
    ) -> anyhow::Result<Self> {
        let mut pairs = Vec::with_capacity(numbers.len());
        for number in numbers {
            pairs.push(Pair::seat(server, number, game).await?);
        }
        Ok(Self { pairs, script: script.into() })
    }

    /// Has all pairs do this, each on a task of its own.
    async fn all(
        &mut self,
        doing: impl AsyncFn(&mut Pair, &[String], usize) -> anyhow::Result<Tally> + Clone + 'static,
    ) -> anyhow::Result<Tally> {
        let (local, start) = (LocalSet::new(), Instant::now());
        let tasks: Vec<_> = std::mem::take(&mut self.pairs)
            .into_iter()
            .enumerate()
            .map(|(number, mut pair)| {
                let (doing, script) = (doing.clone(), Rc::clone(&self.script));
                local.spawn_local(async move {
                    let tally = doing(&mut pair, &script, number).await?;
                    anyhow::Ok((pair, tally))
                })
            })
            .collect();
        local.await;
        let mut sum = Tally::new()?;
        for task in tasks {
            let (pair, tally) = task.await.context("a pair has panicked")??;
            sum.waits.add(&tally.waits)?;
            sum.bytes += tally.bytes;
            self.pairs.push(pair);
        }
        sum.time = start.elapsed();
        Ok(sum)
    }

    /// They say nothing for this time but that they are there.
    pub(super) async fn silent(&mut self, time: Duration) -> anyhow::Result<()> {
        let until = Instant::now() + time;
        let silent = async move |pair: &mut Pair, _: &[String], _| {
            pair.silent(until).await?;
            Tally::new()
        };
        self.all(silent).await.map(drop)
    }

    /// They play as fast as possible for this time.
    pub(super) async fn flat_out(&mut self, time: Duration) -> anyhow::Result<Tally> {
        let until = Instant::now() + time;
        self.all(async move |pair: &mut Pair, script: &[String], _| pair.flat_out(script, until).await).await
    }

    /// They make so many moves a second in all, in turns, for this time.
    pub(super) async fn paced(&mut self, rate: f64, time: Duration) -> anyhow::Result<Tally> {
        let (start, step) = (Instant::now(), Duration::from_secs_f64(1.0 / rate));
        let pause = step.mul_f64(self.pairs.len() as f64);
        self.all(async move |pair: &mut Pair, script: &[String], number: usize| {
            pair.paced(script, (start + step.mul_f64(number as f64), pause), start + time).await
        })
        .await
    }
}
