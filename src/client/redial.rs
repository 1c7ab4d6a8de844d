//! Coming back to a server whose connection was lost: trying again and again, ever more slowly, until it
//! answers or there is no more patience. It knows no lobby: what is to be asked of the server is for the
//! session.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::dial::Dial;
use super::{Address, Connection, Failure};
use crate::lobby::Name;
use crate::wire::HelloRefusal;

/// The longest pause before the first try: over before anybody has read that the connection is lost.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause: once the network works again, nobody likes to wait longer.
const LONGEST: Duration = Duration::from_secs(5);

/// A client with little patience tries at least this often while it lasts.
const MIN_TRIES: u32 = 20;

/// How long a client tries to reconnect by default.
pub const DEFAULT_PATIENCE: Duration = Duration::from_mins(10);

/// The way to a server, and for how long to look for it once it is lost.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where the server is.
    pub address: Address,
    /// The port if the address names none.
    pub default_port: u16,
    /// What to be called there.
    pub name: Name,
    /// For how long to try.
    pub patience: Duration,
    /// Over which network.
    pub network: Arc<dyn Dial>,
}

impl Endpoint {
    /// Where the server is, with the port in any case.
    pub fn whole_address(&self) -> String {
        let Address { host, port } = self.address.clone();
        Address { host, port: port.or(Some(self.default_port)) }.to_string()
    }

    /// Goes there once. Returns the connection and the name that the server gave.
    pub async fn connect(&self) -> Result<(Connection, Name), Failure> {
        let stream = self.network.dial(&self.address, self.default_port).await?;
        Connection::open(stream, &self.address, self.name.as_str()).await
    }

    /// Retries until it works or the time left is over. Only a failure that no waiting mends ends it early.
    async fn retry(
        self,
        pauses: impl Iterator<Item = Duration>,
        left: Duration,
    ) -> Result<Connection, Failure> {
        let patience = self.patience;
        let trying = async {
            for pause in pauses {
                tokio::time::sleep(spread(pause)).await;
                match self.connect().await {
                    Ok((connection, _)) => return Ok(connection),
                    Err(failure) if is_final(&failure) => return Err(failure),
                    Err(_) => {}
                }
            }
            Err(Failure::GaveUp(patience))
        };
        tokio::time::timeout(left, trying).await.unwrap_or(Err(Failure::GaveUp(patience)))
    }
}

/// The longest pauses before the first, second and later tries: each twice as long as the one before, up to
/// `longest`. They do not end.
fn pauses(first: Duration, longest: Duration) -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(first), move |pause| Some((*pause * 2).min(longest)))
}

/// Somewhere in the second half of this pause, so that not everybody comes back in the same instant.
fn spread(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + fastrand::f64() / 2.0)
}

/// Another try would end in the same way.
fn is_final(failure: &Failure) -> bool {
    matches!(failure, Failure::Unwelcome(HelloRefusal::Version { .. } | HelloRefusal::Name(_)))
}

/// The attempts to come back, which go on by themselves and end when this is dropped.
#[derive(Debug)]
pub(super) struct Reconnect(JoinHandle<Result<Connection, Failure>>);

impl Reconnect {
    /// Begins to retry, at most for the time left. If the server `is_there` and cannot take anybody in yet, the
    /// pauses are the longest from the start.
    pub(super) fn begin(endpoint: &Endpoint, left: Duration, is_there: bool) -> Self {
        let longest = LONGEST.min(endpoint.patience / MIN_TRIES);
        let first = if is_there { longest } else { FIRST };
        Self(tokio::spawn(endpoint.clone().retry(pauses(first, longest), left)))
    }

    /// The new connection, once there is one.
    ///
    /// Cancel safe.
    pub(super) async fn done(&mut self) -> Result<Connection, Failure> {
        let broken = |error: tokio::task::JoinError| Failure::Broken(std::io::Error::other(error));
        (&mut self.0).await.unwrap_or_else(|error| Err(broken(error)))
    }
}

impl Drop for Reconnect {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_twice_the_one_before_up_to_five_seconds() {
        let first: Vec<u128> = pauses(FIRST, LONGEST).take(8).map(|pause| pause.as_millis()).collect();
        assert_eq!(first, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    }

    #[test]
    fn nobody_waits_longer_than_the_pause_or_shorter_than_half_of_it() {
        for _ in 0..1_000 {
            let waits = spread(LONGEST);
            assert!((LONGEST / 2..=LONGEST).contains(&waits), "{waits:?}");
        }
    }
}
