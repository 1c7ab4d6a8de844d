//! Accepts connections, within the limits, and serves each on a task of its own.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;
use tracing::{Instrument, Span};

use super::app::App;
use super::connection::Connection;
use super::connections::MAX_TURNED_AWAY;
use super::limits::address_key;
use super::session::{Run, turn_away};
use super::socket::{self, Arrival, Incoming, Listen};
use crate::wire::HelloRefusal;

/// How long to wait after `accept` has failed: at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Accepts connections for ever.
pub(super) async fn accept(listener: &impl Listen, app: &Arc<App>, sessions: &TaskTracker) {
    let entrance = Entrance { app, sessions, turning_away: Arc::new(Semaphore::new(MAX_TURNED_AWAY)) };
    let mut pause = FIRST_PAUSE;
    loop {
        let place = app.connections.place().await;
        match listener.accept().await {
            Ok(arrival) => {
                pause = FIRST_PAUSE;
                entrance.take_in(arrival, place);
            }
            Err(error) if socket::is_out_of_descriptors(&error) && app.connections.make_room() => {
                tracing::warn!(%error, "an idle connection makes room");
                tokio::time::sleep(FIRST_PAUSE).await;
            }
            Err(error) => {
                tracing::warn!(%error, ?pause, "could not accept a connection");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Admits connections or turns them away.
struct Entrance<'a> {
    app: &'a Arc<App>,
    sessions: &'a TaskTracker,
    turning_away: Arc<Semaphore>,
}

impl Entrance<'_> {
    fn take_in(&self, Arrival { incoming, outgoing, peer }: Arrival, place: OwnedSemaphorePermit) {
        let (app, number) = (self.app, self.app.connections.number());
        let span = tracing::info_span!("connection", id = number, %peer);
        let limits = app.services.limits.of(address_key(peer.ip()));
        let connection = Arc::new(Connection::new(outgoing, limits, place));
        match app.connections.admit(number, &connection) {
            Ok((admitted, pause)) => {
                let run = Run::new(Arc::clone(app), admitted, connection, incoming, pause);
                self.sessions.spawn(run.instrument(span));
            }
            Err(refusal) => self.turn_away(connection, incoming, refusal, &span),
        }
    }

    fn turn_away(&self, connection: Arc<Connection>, incoming: Incoming, refusal: HelloRefusal, span: &Span) {
        self.app.services.metrics.note_end((&refusal).into());
        let Ok(permit) = Arc::clone(&self.turning_away).try_acquire_owned() else { return };
        span.in_scope(|| tracing::info!(%refusal, "turned away"));
        let telling = async move {
            turn_away(connection, incoming, refusal).await;
            drop(permit);
        };
        self.sessions.spawn(telling.instrument(span.clone()));
    }
}
