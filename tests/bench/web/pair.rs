//! Two browsers that play each other.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::json;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until, timeout};

use super::browser::{Browser, PATIENCE};
use super::players::Tally;

/// How often a browser says that it is there.
const ALIVE: Duration = Duration::from_secs(1);

/// Two browsers, and their progress in the game.
pub(super) struct Pair {
    browsers: [Browser; 2],
    /// The index of the next move of the game.
    place: usize,
    alive: Interval,
}

impl Pair {
    /// Seats two browsers in a new lobby.
    pub(super) async fn seat(server: SocketAddr, number: usize, game: &str) -> anyhow::Result<Self> {
        let mut one = Browser::at(server, &format!("one {number}"), "/").await?;
        one.asks_for_seat("new", json!({"game": game, "opponent": "people"})).await?;
        one.until("a lobby", |browser| browser.path.len() > 1).await?;
        let code = one.path[1..].to_owned();
        let mut other = Browser::at(server, &format!("other {number}"), &one.path).await?;
        other.asks_for_seat("join", json!({"code": code})).await?;
        let mut alive = interval_at(Instant::now() + ALIVE, ALIVE);
        alive.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut pair = Self { browsers: [one, other], place: 0, alive };
        pair.until("a game", |pair| pair.mover().is_some()).await?;
        Ok(pair)
    }

    /// The bytes that both have read.
    pub(super) fn bytes(&self) -> u64 {
        self.browsers.iter().map(Browser::bytes).sum()
    }

    /// The browser whose turn it is.
    fn mover(&self) -> Option<usize> {
        self.browsers.iter().position(|browser| browser.turn.is_some())
    }

    fn is_over(&self) -> bool {
        self.browsers.iter().all(|browser| browser.is_over)
    }

    /// Takes the next message of either, and says that they are there when it is time.
    async fn hear(&mut self) -> anyhow::Result<()> {
        let [one, other] = &mut self.browsers;
        tokio::select! {
            heard = one.hear() => heard,
            heard = other.hear() => heard,
            _ = self.alive.tick() => {
                one.is_alive().await?;
                other.is_alive().await
            }
        }
    }

    async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> anyhow::Result<()> {
        let hearing = async {
            while !is_so(self) {
                self.hear().await?;
            }
            Ok(())
        };
        timeout(PATIENCE, hearing).await.with_context(|| format!("no answer: {what}"))?
    }

    /// Says nothing but that they are there, until this instant.
    pub(super) async fn silent(&mut self, until: Instant) -> anyhow::Result<()> {
        loop {
            tokio::select! {
                heard = self.hear() => heard?,
                () = sleep_until(until) => return Ok(()),
            }
        }
    }

    /// Makes a move that is due at this instant, and waits until the other browser has it.
    async fn play(&mut self, script: &[String], due: Instant, tally: &mut Tally) -> anyhow::Result<()> {
        let mover = self.mover().context("nobody can move")?;
        let mv = script.get(self.place).context("the game is longer than its script")?;
        self.browsers[mover].plays(mv).await?;
        self.place += 1;
        self.until("a move", |pair| pair.browsers[1 - mover].turn.is_some() || pair.is_over()).await?;
        tally.note(due.elapsed());
        if self.place == script.len() {
            self.until("the end", Self::is_over).await?;
            self.place = 0;
            for browser in &mut self.browsers {
                browser.plays_again().await?;
            }
            self.until("another game", |pair| pair.mover().is_some()).await?;
        }
        ensure!(!self.is_over(), "the game ended too early");
        Ok(())
    }

    /// Plays until this instant as fast as possible.
    pub(super) async fn flat_out(&mut self, script: &[String], until: Instant) -> anyhow::Result<Tally> {
        let (mut tally, bytes) = (Tally::new()?, self.bytes());
        while Instant::now() < until {
            self.play(script, Instant::now(), &mut tally).await?;
        }
        tally.bytes = self.bytes() - bytes;
        Ok(tally)
    }

    /// Plays at these intervals, even if earlier moves are late.
    pub(super) async fn paced(
        &mut self,
        script: &[String],
        (first, pause): (Instant, Duration),
        until: Instant,
    ) -> anyhow::Result<Tally> {
        let (mut tally, mut due) = (Tally::new()?, first);
        while due < until {
            self.silent(due).await?;
            self.play(script, due, &mut tally).await?;
            due += pause;
        }
        Ok(tally)
    }
}
