//! What the web site needs of its host, the server in this process.

use std::fmt::Debug;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::client::dial::Stream;
use crate::client::learn::search::SearchResult;
use crate::lobby::Code;
use crate::study::Stop;
use crate::wire::{Access, HallRefusal};

/// A search that can be stopped.
pub type Work = Box<dyn FnOnce(&Stop) -> SearchResult + Send>;

/// The result of a search, which comes later; `None` if the host stops. Dropping it stops the search.
pub type Found = Pin<Box<dyn Future<Output = Option<SearchResult>> + Send>>;

/// The server whose web site this is. All its limits apply to the address of a visitor.
pub trait Host: Debug + Send + Sync {
    /// Connects to the server inside this process, for somebody at this address. A host that has stopped closes the
    /// connection at once.
    fn connect(&self, peer: SocketAddr) -> Box<dyn Stream>;

    /// Searches on the host's threads when it is the turn of this address.
    fn search(&self, address: IpAddr, work: Work) -> Found;

    /// Whether somebody at this address can sit down or watch in the lobby of this code, or why neither. Asking is a
    /// guess.
    fn access(&self, address: IpAddr, code: Code) -> Result<Access, HallRefusal>;

    /// Whether there is no lobby of this code, as far as somebody at this address may know. Asking is a guess.
    fn is_gone(&self, address: IpAddr, code: Code) -> bool {
        self.access(address, code) == Err(HallRefusal::NoSuchLobby)
    }
}

/// Who opened a connection to the web site.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The address and port of the other end.
    pub peer: SocketAddr,
    /// The registration of the connection, which counts as one of its address.
    pub registration: Arc<dyn Registration>,
}

/// The registration of a connection.
pub trait Registration: Debug + Send + Sync {
    /// Ends it: another connection counts instead, that of the visitor's session inside this process.
    fn end(&self);

    /// Charges a message or an HTTP request to the address: it costs as much as `price` moves. Returns how long to pause
    /// reading the connection.
    fn charge(&self, price: u32) -> Duration;
}
