//! Announces a host, with the number of its open lobbies as it changes. Knows no lobby.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::InterfaceFilter;
use super::mdns::{HostInfo, Publisher};

/// The shortest time between two announcements: every machine on the network receives each.
pub const BETWEEN_ANNOUNCEMENTS: Duration = Duration::from_secs(5);

/// How long the goodbye may take.
const GOODBYE_DEADLINE: Duration = Duration::from_secs(2);

/// A host that is announced until this is stopped or dropped.
#[derive(Debug)]
pub struct Announcer {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Announcer {
    /// Announces a host on these interfaces. `None` if the filter selects no network, or if multicast DNS is
    /// not available there; in the first case no socket is opened.
    ///
    /// Must be called within a tokio runtime.
    pub fn start(
        info: HostInfo,
        open_lobbies: watch::Receiver<u32>,
        interfaces: &InterfaceFilter,
    ) -> Option<Self> {
        let publisher = Publisher::start(interfaces)?;
        let stop = CancellationToken::new();
        let task = tokio::spawn(announce(info, open_lobbies, publisher, stop.clone()));
        Some(Self { stop, task })
    }

    /// Begins to say goodbye; [`Self::stopped`] waits for it.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Says goodbye, if that is not done yet, and waits until it is sent.
    pub async fn stopped(mut self) {
        self.stop.cancel();
        // Without a goodbye the announcement expires after two minutes.
        let _ = timeout(GOODBYE_DEADLINE, &mut self.task).await;
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Announces at once, and again after each change of the number, at most every [`BETWEEN_ANNOUNCEMENTS`].
async fn announce(
    mut info: HostInfo,
    mut open_lobbies: watch::Receiver<u32>,
    mut publisher: Publisher,
    stop: CancellationToken,
) {
    loop {
        info.open_lobbies = crate::number::saturating(*open_lobbies.borrow_and_update());
        publisher.publish(&info);
        let next = Instant::now() + BETWEEN_ANNOUNCEMENTS;
        let changed = async {
            sleep_until(next).await;
            // The sender is gone once the server is; the last number stays.
            if open_lobbies.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => break,
            () = changed => {}
        }
    }
    publisher.withdraw().await;
}
