//! The welcome: what a server tells a client of itself, and of the client's name.

use std::time::Duration;

use crate::lobby::{Name, Text};
use crate::number::millis;
use crate::server::app::App;
use crate::wire::{ToClient, VERSION};

/// The name of this program in the welcome.
const PROGRAM: &str = concat!("nim-server ", env!("CARGO_PKG_VERSION"));

/// After how long a silence the client of one of several servers pings it, and after how long it tries another one.
/// The others go on with its lobbies two seconds after it has died, and a person notices a longer wait. A server waits
/// longer for a client: a page of a browser in the background, for instance, answers late.
const CLUSTER_PING_AFTER: Duration = Duration::from_secs(1);
const CLUSTER_GONE_AFTER: Duration = Duration::from_secs(2);

/// The welcome of a client that has this name. A client that another server has carried here gets a second one when it
/// returns to a seat with another name. That server does not pass it on.
pub(super) fn welcome(app: &App, name: &Name) -> ToClient {
    let (ping_after, gone_after) = match app.services.peers {
        Some(_) => (CLUSTER_PING_AFTER, CLUSTER_GONE_AFTER),
        None => (app.config.ping_after, app.config.gone_after),
    };
    ToClient::Welcome {
        version: VERSION,
        name: name.clone(),
        server: Text::cut(PROGRAM),
        ping_after: millis(ping_after),
        gone_after: millis(gone_after),
    }
}
