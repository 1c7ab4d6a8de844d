//! All pairs of a run, played on one thread: as fast as possible, or at a fixed rate.
//!
//! The only timer is the timeout of the wait for readable connections.

use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use rustix::event::epoll;
use rustix::fd::OwnedFd;

use super::pair::{Answered, Heard, Pair};
use super::script::Script;

/// The most connections handled per wait.
const EVENTS: usize = 256;

/// The size of one read.
const SCRATCH: usize = 4 * 1024;

/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest wait that the histogram holds, in nanoseconds.
const LONGEST: u64 = PATIENCE.as_secs() * 1_000_000_000;

/// All players.
#[derive(Debug)]
pub(crate) struct Traffic {
    pairs: Vec<Pair>,
    poll: OwnedFd,
    script: Script,
    is_bare: bool,
    scratch: Vec<u8>,
    tally: Tally,
}

/// The counts of a run.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    /// All moves, including those still under way when the time was over.
    pub(crate) moves: u64,
    /// The moves answered before the time was over.
    pub(crate) in_time: u64,
    pub(crate) games: u64,
    /// The bytes read.
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
    /// For each move, the nanoseconds from its scheduled time until the other player received it.
    waits: Histogram<u64>,
    closed: usize,
}

impl Tally {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let waits = Histogram::new_with_max(LONGEST, 3)?;
        Ok(Self { moves: 0, in_time: 0, games: 0, bytes: 0, time: Duration::ZERO, waits, closed: 0 })
    }

    /// Adds the counts of another run of the same traffic.
    pub(crate) fn add(&mut self, other: &Self) -> anyhow::Result<()> {
        self.moves += other.moves;
        self.in_time += other.in_time;
        self.games += other.games;
        self.bytes += other.bytes;
        self.time += other.time;
        self.closed += other.closed;
        Ok(self.waits.add(&other.waits)?)
    }

    pub(crate) fn moves_a_second(&self) -> f64 {
        self.in_time as f64 / self.time.as_secs_f64()
    }

    /// This time divided by the number of moves, in microseconds.
    pub(crate) fn micros_a_move(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.moves.max(1) as f64
    }

    /// The 50th, 99th and 99.9th percentiles of the moves' waits, in microseconds.
    pub(crate) fn percentiles(&self) -> [f64; 3] {
        [0.5, 0.99, 0.999].map(|part| self.waits.value_at_quantile(part) as f64 / 1e3)
    }

    fn note(&mut self, answered: Answered) {
        self.games += u64::from(answered.is_new_game);
        if answered.is_move {
            self.moves += 1;
            let wait = answered.asked.elapsed().as_nanos();
            self.waits.saturating_record(u64::try_from(wait).unwrap_or(LONGEST));
        }
    }
}

impl Traffic {
    pub(crate) fn of(pairs: Vec<[TcpStream; 2]>, script: Script, is_bare: bool) -> anyhow::Result<Self> {
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let pairs = pairs.into_iter().map(Pair::of).collect::<anyhow::Result<Vec<_>>>()?;
        for (number, pair) in pairs.iter().enumerate() {
            for (seat, stream) in pair.streams().into_iter().enumerate() {
                let key = epoll::EventData::new_u64((2 * number + seat) as u64);
                epoll::add(&poll, stream, key, epoll::EventFlags::IN)?;
            }
        }
        // By default Linux wakes a sleeper up to 50 microseconds late, which is as long as a move takes.
        rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1))?;
        Ok(Self { pairs, poll, script, is_bare, scratch: vec![0; SCRATCH], tally: Tally::new()? })
    }

    /// All players send requests as soon as it is their turn, until `is_enough`. Returns the counts, with
    /// all waits.
    pub(crate) fn flat_out(&mut self, is_enough: impl Fn(&Tally) -> bool) -> anyhow::Result<Tally> {
        let start = Instant::now();
        self.tally = Tally::new()?;
        for pair in &mut self.pairs {
            pair.ask(&self.script, self.is_bare, start)?;
        }
        while !is_enough(&self.tally) {
            self.listen(PATIENCE, Self::ask_at_once)?;
            self.tally.time = start.elapsed();
        }
        self.tally.in_time = self.tally.moves;
        self.settle()
    }

    /// The pairs send requests in turns at a fixed total rate per second, even if earlier ones have no
    /// answer yet.
    pub(crate) fn paced(&mut self, rate: f64, time: Duration) -> anyhow::Result<Tally> {
        let start = Instant::now();
        self.tally = Tally::new()?;
        let due = |number: u32| start + Duration::from_secs_f64(f64::from(number) / rate);
        for number in 0.. {
            let at = due(number);
            if at > start + time {
                break;
            }
            loop {
                let left = at.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                self.listen(left, Self::ask_what_is_owed)?;
            }
            self.ask_at(number as usize % self.pairs.len(), at)?;
        }
        (self.tally.time, self.tally.in_time) = (start.elapsed(), self.tally.moves);
        self.settle()
    }

    /// Sends no requests for this time, but answers pings.
    pub(crate) fn silent(&mut self, time: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.listen(left, Self::ask_what_is_owed)?;
        }
    }

    /// All clients read to the end of the connection and close.
    pub(crate) fn hear_out(mut self) -> anyhow::Result<()> {
        self.tally.closed = 0;
        while self.tally.closed < 2 * self.pairs.len() {
            self.listen(PATIENCE, |_, _| Ok(()))?;
        }
        Ok(())
    }

    /// All players leave their lobbies on purpose and close.
    pub(crate) fn leave(self) -> anyhow::Result<()> {
        self.pairs.iter().try_for_each(Pair::leave)?;
        self.pairs.into_iter().try_for_each(|pair| pair.close(self.is_bare))
    }

    /// Schedules a request for this time, and sends it unless an earlier one is under way.
    fn ask_at(&mut self, number: usize, at: Instant) -> anyhow::Result<()> {
        let pair = &mut self.pairs[number];
        pair.owed.push_back(at);
        if pair.asked.is_none() { self.ask_what_is_owed(number) } else { Ok(()) }
    }

    fn ask_what_is_owed(&mut self, number: usize) -> anyhow::Result<()> {
        let pair = &mut self.pairs[number];
        let Some(at) = pair.owed.pop_front() else { return Ok(()) };
        pair.ask(&self.script, self.is_bare, at)
    }

    fn ask_at_once(&mut self, number: usize) -> anyhow::Result<()> {
        self.pairs[number].ask(&self.script, self.is_bare, Instant::now())
    }

    /// Waits for the answers to all requests that are due by now: their waits count too.
    fn settle(&mut self) -> anyhow::Result<Tally> {
        let end = Instant::now() + PATIENCE;
        while !self.pairs.iter().all(Pair::is_quiet) {
            anyhow::ensure!(self.tally.closed == 0, "the server closed a player's connection");
            anyhow::ensure!(Instant::now() < end, "the server does not answer all requests");
            self.listen(PATIENCE, Self::ask_what_is_owed)?;
        }
        Ok(self.tally.clone())
    }

    /// Waits up to this time for readable connections, reads them, and calls `next` for each answered
    /// request.
    fn listen(
        &mut self,
        most: Duration,
        next: impl Fn(&mut Self, usize) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut events =
            [epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) }; EVENTS];
        let count = match epoll::wait(&self.poll, &mut events, Some(&most.try_into()?)) {
            Ok(0) if most >= PATIENCE => anyhow::bail!("the server does not answer"),
            Ok(count) => count,
            Err(rustix::io::Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for event in &events[..count] {
            self.hear(usize::try_from(event.data.u64())?, &next)?;
        }
        Ok(())
    }

    fn hear(
        &mut self,
        key: usize,
        next: impl Fn(&mut Self, usize) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (number, seat) = (key / 2, key % 2);
        let Heard { bytes, answered, closed } =
            self.pairs[number].hear(seat, &self.script, &mut self.scratch)?;
        self.tally.bytes += bytes as u64;
        if closed {
            self.tally.closed += 1;
            let stream = self.pairs[number].streams()[seat];
            epoll::delete(&self.poll, stream)?;
            // The other end may have closed completely.
            let _ = stream.shutdown(Shutdown::Both);
        }
        if let Some(answered) = answered {
            self.tally.note(answered);
            next(self, number)?;
        }
        Ok(())
    }
}
