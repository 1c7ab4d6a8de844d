//! The door: whoever comes is let in if there is room, and waits a moment if there is none, as somebody may have to make some.
//! Who has to, it does not know. So do those wait who are too many at their address in a second.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::connections::Connected;
use crate::server::household::household;
use crate::server::session::{Run, SLOWED, turn_away};
use crate::server::socket::{Arrival, Incoming};
use crate::wire::HelloRefusal;

/// How long somebody waits for room, and how often it is looked whether there is some. While those wait who come again and
/// again as soon as they are turned away, they are not ahead of somebody who comes once.
const PATIENCE: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(50);

/// How many may wait at once; more are turned away.
const MAX_WAITING: usize = 1024;

/// How many of those who are turned away may be told so at once; more are just closed.
const MAX_TURNED_AWAY: usize = 64;

/// Where connections come in.
#[derive(Debug, Clone)]
pub(super) struct Door {
    app: Arc<App>,
    sessions: TaskTracker,
    waiting: Arc<Semaphore>,
    turning: Arc<Semaphore>,
}

/// Somebody who has come.
struct Caller {
    number: u64,
    connection: Arc<Connection>,
    incoming: Incoming,
}

impl Door {
    /// A door to this server.
    pub(super) fn new(app: &Arc<App>, sessions: &TaskTracker) -> Self {
        Self {
            app: Arc::clone(app),
            sessions: sessions.clone(),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            turning: Arc::new(Semaphore::new(MAX_TURNED_AWAY)),
        }
    }

    /// Takes a connection in, on a task of its own.
    pub(super) fn take_in(&self, Arrival { incoming, outgoing, peer }: Arrival) {
        let number = self.app.connections.number();
        let span = tracing::info_span!("connection", id = number, %peer);
        let address = household(peer.ip());
        let caller = Caller { number, connection: Arc::new(Connection::new(outgoing, address)), incoming };
        if self.app.hellos.is_spent(address) {
            return self.keep_waiting(caller, self.crowded(), span, true);
        }
        match Connected::new(&self.app, number, &caller.connection) {
            Ok(connected) => {
                self.sessions.spawn(Run::new(connected, caller.connection, caller.incoming).instrument(span));
            }
            Err(refusal) => self.keep_waiting(caller, refusal, span, false),
        }
    }

    /// What those are told who are too many at their address.
    fn crowded(&self) -> HelloRefusal {
        let most = self.app.config.max_connections_each;
        HelloRefusal::Crowded { most: most.try_into().unwrap_or(u32::MAX) }
    }

    /// Lets somebody wait if there is room for that at least: until there is some for them, and before that, if they are slowed, for
    /// as long as everybody is, in which they take up none.
    fn keep_waiting(&self, caller: Caller, refusal: HelloRefusal, span: tracing::Span, slowed: bool) {
        let Ok(place) = Arc::clone(&self.waiting).try_acquire_owned() else {
            return self.turn_away(caller, refusal, &span);
        };
        let door = self.clone();
        self.sessions.spawn(async move {
            let connected = if slowed {
                door.wait_for_turn(caller.number, &caller.connection).await
            } else {
                door.wait_for_room(caller.number, &caller.connection).await
            };
            drop(place);
            match connected {
                Ok(connected) => {
                    let running = Run::new(connected.having_waited(), caller.connection, caller.incoming);
                    door.sessions.spawn(running.instrument(span));
                }
                Err(refusal) => door.turn_away(caller, refusal, &span),
            }
        });
    }

    async fn wait_for_turn(
        &self,
        number: u64,
        connection: &Arc<Connection>,
    ) -> Result<Connected, HelloRefusal> {
        tokio::time::sleep(SLOWED).await;
        match Connected::new(&self.app, number, connection) {
            Err(_) => self.wait_for_room(number, connection).await,
            connected => connected,
        }
    }

    async fn wait_for_room(
        &self,
        number: u64,
        connection: &Arc<Connection>,
    ) -> Result<Connected, HelloRefusal> {
        let until = Instant::now() + PATIENCE;
        loop {
            tokio::time::sleep(LOOK).await;
            match Connected::new(&self.app, number, connection) {
                Err(_) if Instant::now() < until => {}
                found => return found,
            }
        }
    }

    fn turn_away(
        &self,
        Caller { connection, incoming, .. }: Caller,
        refusal: HelloRefusal,
        span: &tracing::Span,
    ) {
        self.app.metrics.note_end((&refusal).into());
        let Ok(turn) = Arc::clone(&self.turning).try_acquire_owned() else { return };
        span.in_scope(|| tracing::info!(%refusal, "turned away"));
        let turning_away = async move {
            turn_away(connection, incoming, refusal).await;
            drop(turn);
        };
        self.sessions.spawn(turning_away.instrument(span.clone()));
    }
}
