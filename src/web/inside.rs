//! Sessions with the server inside this process, for browsers and for scripts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::host::Host;
use crate::client::dial::{Dial, Dialing};
use crate::client::session::Session;
use crate::client::{Address, Endpoint, Failure, Model, SavedSeat};
use crate::lobby::{Name, PlayerId};
use crate::wire::{ClientKind, Ticket};

/// The name of a person who has typed none.
const NAMELESS: &str = "guest";

/// The network inside this process.
#[derive(Debug)]
struct Inside {
    host: Arc<dyn Host>,
    peer: SocketAddr,
}

impl Dial for Inside {
    fn dial<'a>(&'a self, _: &'a Address, _: u16) -> Dialing<'a> {
        Box::pin(std::future::ready(Ok(self.host.connect(self.peer))))
    }
}

/// The server inside this process, for somebody of this name at this address. A session there ends with its
/// connection, unless the game goes on in another server.
pub(super) fn endpoint(name: &str, peer: SocketAddr, host: &Arc<dyn Host>) -> Option<Endpoint> {
    let network = Arc::new(Inside { host: Arc::clone(host), peer });
    let name = Name::clean(name).or_else(|_| Name::clean(NAMELESS)).ok()?;
    Some(Endpoint {
        address: Address::here(),
        others: Vec::new(),
        default_port: 0,
        name,
        kind: ClientKind::Person,
        patience: Duration::ZERO,
        network,
    })
}

/// Opens a session there.
pub(super) async fn connect(endpoint: &Endpoint) -> Result<Session, Failure> {
    let (connection, given) = endpoint.connect().await?;
    Ok(Session::new(connection, Model::new(given)).coming_back(endpoint.clone(), None).following_moves())
}

/// A seat that a visitor keeps; `None` if this is none.
pub(super) fn saved_seat(code: &str, ticket: &str, name: &str) -> Option<SavedSeat> {
    Some(SavedSeat {
        server: Address::here(),
        others: Vec::new(),
        name: Name::clean(name).ok()?,
        code: code.parse().ok()?,
        player: PlayerId(0),
        variant: String::new(),
        opponent: None,
        ticket: Ticket::from_hex(ticket)?,
        over: false,
        turn: 0,
        happened: None,
    })
}
