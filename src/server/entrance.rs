//! The way into the server for a web site inside this process.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Weak};

use super::address_key;
use super::app::App;
use super::listener;
use super::peers::Place;
use super::pipe::Pipe;
use super::socket::Arrival;
use crate::bot::Stop;
use crate::lobby::Code;
use crate::wire::{Access, HallRefusal};

/// The way into the server for a web site.
#[derive(Debug, Clone)]
pub struct Entrance(Weak<App>);

impl Entrance {
    pub(super) fn new(app: &Arc<App>) -> Self {
        Self(Arc::downgrade(app))
    }

    /// Connects to the server inside this process, on behalf of somebody at this address: all its limits apply.
    /// Where the server has stopped, the connection is closed at once.
    pub fn connect(&self, peer: SocketAddr) -> Pipe {
        let (near, far) = Pipe::pair();
        if let Some(app) = self.0.upgrade() {
            let (incoming, outgoing) = far.split();
            listener::take_in(Arrival { incoming, outgoing, peer }, None, &app);
        }
        near
    }

    /// Computes this on the threads on which bots think, when it is the turn of this address; `None` if the server
    /// stops. Dropping the future stops the computation.
    pub fn think<T: Send + 'static, F: FnOnce(&Stop) -> T + Send + 'static>(
        &self,
        address: IpAddr,
        work: F,
    ) -> impl Future<Output = Option<T>> + Send + use<T, F> {
        let job = self.0.upgrade().map(|app| app.services.think_pool.run(address_key(address), work));
        async move {
            match job {
                Some(job) => job.await,
                None => None,
            }
        }
    }

    /// Whether somebody at this address can sit down or watch in the lobby of this code, or why neither. Asking for one
    /// that is not there is a wrong guess, and after too many of them nothing is said of any lobby that is not listed:
    /// nobody learns more than by trying to join.
    pub fn access(&self, address: IpAddr, code: Code) -> Result<Access, HallRefusal> {
        let Some(app) = self.0.upgrade() else { return Ok(Access::UNKNOWN) };
        if app.services.peers.as_ref().is_some_and(|peers| peers.place_of(code) != Place::Here) {
            // The server that has it says more to who tries.
            return Ok(Access::UNKNOWN);
        }
        let limits = app.services.limits.of(address_key(address));
        let too_many = HallRefusal::TooManyGuesses { most: app.config.max_guesses };
        match app.registry.find(code) {
            Some(lobby) if lobby.is_open_to_all() || limits.may_guess() => Ok(lobby.access()),
            Some(_) => Err(too_many),
            None => match app.registry.why_none(code) {
                HallRefusal::NoSuchLobby if !limits.may_guess() => Err(too_many),
                HallRefusal::NoSuchLobby => {
                    limits.charge_wrong_guess();
                    Err(HallRefusal::NoSuchLobby)
                }
                // One that is set aside may come back.
                other => Err(other),
            },
        }
    }
}
