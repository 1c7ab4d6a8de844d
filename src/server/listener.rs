//! Accepts connections, within the limits, and serves each on a task of its own.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tracing::Instrument;

use super::app::App;
use super::connection::Connection;
use super::limits::address_key;
use super::proxied;
use super::restrictions::Restriction;
use super::session::{Run, turn_away};
use super::socket::{self, Arrival, Listen};
use crate::wire::HelloRefusal;

/// How long to wait after `accept` has failed: at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Accepts connections for ever.
pub(super) async fn accept(listener: &impl Listen, app: &Arc<App>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let place = app.connections.place().await;
        match listener.accept().await {
            Ok(arrival) => {
                pause = FIRST_PAUSE;
                if app.config.trusts_proxy(arrival.peer.ip()) {
                    tokio::spawn(take_in_proxied(arrival, place, Arc::clone(app)));
                } else {
                    take_in(arrival, Some(place), app);
                }
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

/// Admits a connection that a load balancer passes on, or turns it away, once the balancer has said where it comes from.
async fn take_in_proxied(mut arrival: Arrival, place: OwnedSemaphorePermit, app: Arc<App>) {
    let balancer = arrival.peer;
    match timeout(app.config.hello_deadline, proxied::client(&mut arrival.incoming)).await {
        Ok(Ok(client)) => {
            arrival.peer = client.unwrap_or(balancer);
            take_in(arrival, Some(place), &app);
        }
        Ok(Err(error)) => tracing::warn!(%balancer, %error, "a connection of a trusted proxy was closed"),
        Err(_) => tracing::warn!(%balancer, "a connection of a trusted proxy has sent no PROXY header"),
    }
}

/// Admits a connection or turns it away.
pub(super) fn take_in(arrival: Arrival, place: Option<OwnedSemaphorePermit>, app: &Arc<App>) {
    admit(arrival, place, false, app);
}

/// Admits a connection whose client has said hello to another server, or turns it away.
pub(super) fn take_in_carried(arrival: Arrival, app: &Arc<App>) {
    admit(arrival, None, true, app);
}

fn admit(arrival: Arrival, place: Option<OwnedSemaphorePermit>, is_carried: bool, app: &Arc<App>) {
    let (Arrival { incoming, outgoing, peer }, number) = (arrival, app.connections.number());
    let span = tracing::info_span!("connection", id = number, %peer);
    let limits = app.services.limits.of(address_key(peer.ip()));
    let connection = Arc::new(Connection::new(outgoing, limits, place, is_carried));
    let check_ban = || {
        let is_banned = app.restrictions.holds(Restriction::Ban, connection.address());
        if is_banned { Err(HelloRefusal::Banned) } else { Ok(()) }
    };
    // A ban closes the admitted connections: one that is admitted meanwhile has to look again.
    let admitted = check_ban()
        .and_then(|()| app.connections.admit(number, &connection))
        .and_then(|admitted| check_ban().map(|()| admitted));
    match admitted {
        Ok((admitted, pause)) => {
            // The other server has paused it already.
            let pause = if is_carried { Duration::ZERO } else { pause };
            let run = Run::new(Arc::clone(app), (admitted, pause), connection, incoming, peer, is_carried);
            app.sessions.spawn(run.instrument(span));
        }
        Err(refusal) => {
            app.services.metrics.note_end((&refusal).into());
            let Some(permit) = app.connections.turn_away() else { return };
            span.in_scope(|| tracing::info!(%refusal, "turned away"));
            let telling = async move {
                turn_away(connection, incoming, refusal).await;
                drop(permit);
            };
            app.sessions.spawn(telling.instrument(span));
        }
    }
}
