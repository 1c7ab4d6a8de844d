//! Redials a server whose connection was lost: attempts with growing pauses, until one succeeds or the time
//! is over. What to ask the server then is for the session to decide.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::dial::Dial;
use super::{Address, Connection, Failure};
use crate::lobby::Name;
use crate::wire::{ClientKind, HelloRefusal};

/// The longest pause before the first attempt, too short to read that the connection is lost.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause: nobody likes to wait longer once the network works again.
const LONGEST: Duration = Duration::from_secs(5);

/// The fewest attempts within the patience, by shorter pauses if necessary.
const MIN_ATTEMPTS: u32 = 20;

/// How long a client tries to reconnect by default.
pub const DEFAULT_PATIENCE: Duration = Duration::from_mins(10);

/// A server to connect to, the name to use there, and how long to try to reconnect.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The server's address.
    pub address: Address,
    /// The port if the address names none.
    pub default_port: u16,
    /// The name to ask for.
    pub name: Name,
    /// Whether a person or a program plays.
    pub kind: ClientKind,
    /// How long to try to reconnect.
    pub patience: Duration,
    /// The network to use.
    pub network: Arc<dyn Dial>,
}

impl Endpoint {
    /// The server's address, always with a port.
    pub fn whole_address(&self) -> String {
        let Address { host, port } = self.address.clone();
        Address { host, port: port.or(Some(self.default_port)) }.to_string()
    }

    /// Connects once. Returns the connection and the name that the server gave.
    pub async fn connect(&self) -> Result<(Connection, Name), Failure> {
        let stream = self.network.dial(&self.address, self.default_port).await?;
        Connection::open(stream, &self.address, (self.name.as_str(), self.kind)).await
    }

    /// Connects, with retries until the time left is over. A permanent failure ends it early.
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
                    Err(failure) if is_permanent(&failure) => return Err(failure),
                    Err(_) => {}
                }
            }
            Err(Failure::GaveUp(patience))
        };
        tokio::time::timeout(left, trying).await.unwrap_or(Err(Failure::GaveUp(patience)))
    }
}

/// The upper limits of the pauses: each twice as long as the one before, up to `longest`, without end.
fn pauses(first: Duration, longest: Duration) -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(first), move |pause| Some((*pause * 2).min(longest)))
}

/// A random time in the second half of this pause, so that clients do not all return at once.
fn spread(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + fastrand::f64() / 2.0)
}

/// Whether every further attempt would fail in the same way.
fn is_permanent(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Unwelcome(HelloRefusal::Version { .. } | HelloRefusal::Name(_) | HelloRefusal::Banned)
    )
}

/// A task that tries to connect, with pauses; dropping this stops it.
#[derive(Debug)]
pub(super) struct Reconnect(JoinHandle<Result<Connection, Failure>>);

impl Reconnect {
    /// Starts the attempts, for the time left. If the server `is_there` but refuses for now, each pause has
    /// the longest length.
    pub(super) fn begin(endpoint: &Endpoint, left: Duration, is_there: bool) -> Self {
        let longest = LONGEST.min(endpoint.patience / MIN_ATTEMPTS);
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
