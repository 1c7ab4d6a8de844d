//! The game server: accepts connections, decides requests, records events and broadcasts them.
//!
//! In layers, bottom first:
//! - [`config`], [`clock`], [`socket`], [`metrics`], [`names`], [`limits`], [`drain`], [`storage`],
//!   [`restrictions`] and [`audit`]: parts that depend on few others.
//! - [`connection`]: the outgoing side of a connection; [`connections`]: all of them.
//! - [`journal`]: records what happens before it is sent; [`record_service`] reads it.
//! - [`lobby_list`]: broadcasts the list of lobbies; [`job_pool`]: threads on which bots think and records are read.
//! - [`services`]: what every lobby is given; [`lobby`]: the state machine behind a short lock, its timer and
//!   its bots; [`registry`]: all lobbies by their codes.
//! - [`app`]: what all sessions share; [`restoring`]: how it goes on with what was recorded; [`handover`]: how lobbies
//!   come and go between several servers; [`shared_rules`]: bans and mutes that they share.
//! - [`peers`]: what a server asks of the others, if it is one of several; [`member`]: what they do with it.
//! - [`session`]: one connection, on a task of its own; [`listener`]: where connections come in; [`admin`]:
//!   what the host asks of the running server.
//!
//! A session decides its own requests and writes the events straight to the sockets of everyone in the lobby,
//! so that a move crosses no task on its way.
//!
//! Locks are taken in this order and held for no wait: ticket, quick match, lobby, then registry, lobby list
//! or connections, then connection. A lobby reports that it is closed while it is not locked.

pub mod admin;
mod app;
mod audit;
mod clock;
mod config;
mod connection;
mod connections;
mod drain;
mod entrance;
mod handover;
mod http;
mod job_pool;
mod journal;
mod limits;
mod listener;
mod lobby;
mod lobby_list;
mod member;
mod metrics;
mod names;
mod peers;
mod pipe;
mod proxied;
mod proxy_signs;
mod reach;
mod record_service;
mod registry;
mod restoring;
mod restrictions;
mod services;
mod session;
mod shared_rules;
mod socket;
pub mod storage;

use std::future::{Future, pending};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;

use admin::{AdminPlace, AdminSocket};
use app::App;
pub use app::Load;
pub use config::{Config, DEFAULT_PORT, History, duration};
pub use connections::RESERVED_FILES;
pub use entrance::Entrance;
pub use http::{HttpStream, Registration, WebSite};
pub use journal::Pruner;
pub use limits::{address_key, address_text};
pub use lobby_list::SharedListing;
pub use member::{Counts, Member};
pub use peers::{Later, PeerAnswer, PeerId, PeerMetric, PeerStream, PeerValue, Peers, Place};
pub use pipe::Pipe;
pub use record_service::record_of;
pub use restoring::RestoreReport;
pub use restrictions::{Restriction, Rule, RuleChange};
pub use shared_rules::SharedRules;
pub use socket::{Arrival, Incoming, Listen, Outgoing, Socket};
use storage::{Storage, StorageError};

/// How long connections may take to receive the goodbye once the server stops.
const STOP_DEADLINE: Duration = Duration::from_secs(3);

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum CannotServe {
    /// What was recorded cannot be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The port cannot be bound.
    #[error(transparent)]
    Port(#[from] io::Error),
}

/// Why a server serves no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was stopped, or the last game has ended while it drained.
    Stopped,
    /// Nothing can ever be recorded by it again, since other servers go on with its lobbies. A new server may take its
    /// place.
    FencedOff,
    /// A part of the program of one of several servers has failed. The others go on with its lobbies.
    Failed,
}

impl Ended {
    /// How a server ends that will never record anything again for this reason.
    fn by(error: &StorageError) -> Self {
        if error.is_final() {
            return Self::FencedOff;
        }
        tracing::error!(%error, "nothing can be recorded here any more; this server ends");
        Self::Failed
    }
}

/// A server that is bound to its port and does not serve yet.
#[derive(Debug)]
pub struct Server<L = TcpListener> {
    listener: L,
    app: Arc<App>,
    /// The listener for its metrics, if they are served.
    metrics: Option<TcpListener>,
    /// Where the host asks it, if it is asked.
    admin: Option<AdminSocket>,
}

impl Server {
    /// Binds the port. Returns the error of the operating system, for instance if the port is in use.
    pub fn bind(config: Config) -> io::Result<Self> {
        Ok(Self::on(socket::bind(config.bind)?, config))
    }

    /// Like [`bind`](Self::bind), but restores the lobbies of this storage and records there whatever happens
    /// before it is sent. The port is bound once everything is loaded.
    pub fn bind_with_storage(
        config: Config,
        storage: Box<dyn Storage>,
    ) -> Result<(Self, RestoreReport), CannotServe> {
        let bind = config.bind;
        let (app, found) = App::with_storage(config, storage, None)?;
        Ok((Self::of(socket::bind(bind)?, app), found))
    }

    /// Binds a port for a server that is made later. Who connects before waits.
    pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
        socket::bind(address)
    }

    /// The address it listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl<L: Listen> Server<L> {
    /// A server on this listener.
    pub fn on(listener: L, config: Config) -> Self {
        Self::of(listener, App::in_memory(config))
    }

    /// Like [`on`](Self::on), but restores the lobbies of this storage.
    pub fn on_with_storage(
        listener: L,
        config: Config,
        storage: Box<dyn Storage>,
    ) -> Result<(Self, RestoreReport), StorageError> {
        let (app, found) = App::with_storage(config, storage, None)?;
        Ok((Self::of(listener, app), found))
    }

    /// Like [`on_with_storage`](Self::on_with_storage), as one of several servers that share all lobbies.
    pub fn on_with_peers(
        listener: L,
        config: Config,
        storage: Box<dyn Storage>,
        peers: Arc<dyn Peers>,
    ) -> Result<(Self, RestoreReport), StorageError> {
        let (app, found) = App::with_storage(config, storage, Some(peers))?;
        Ok((Self::of(listener, app), found))
    }

    /// What the cluster does with this server, if it is one of several.
    pub fn member(&self) -> Member {
        Member::new(&self.app)
    }

    /// The bans and mutes of this server, which is one of several that share them.
    pub fn shared_rules(&self) -> SharedRules {
        SharedRules::new(&self.app)
    }

    fn of(listener: L, app: App) -> Self {
        Self { listener, app: Arc::new(app), metrics: None, admin: None }
    }

    /// Serves its metrics over HTTP at this address, as the page `/metrics`. Returns the bound address, or
    /// the error of the operating system, for instance if the port is in use.
    pub fn serve_metrics(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        self.metrics.insert(socket::bind(address)?).local_addr()
    }

    /// Hands connections that open with HTTP over to this web site, which gets a way into the server. Only the
    /// first one counts.
    pub fn serve_web(&self, site: impl FnOnce(Entrance) -> Arc<dyn WebSite>) {
        self.app.web.get_or_init(|| site(Entrance::new(&self.app)));
    }

    /// Keeps bans, mutes and the audit file in this data folder from now on.
    ///
    /// # Errors
    ///
    /// If the bans and mutes that are there cannot be read. They must not end by that, so the server is not to
    /// be run.
    pub fn keep_acts_in(&self, folder: &Path) -> io::Result<()> {
        self.app.audit.keep_in(folder);
        self.app.restrictions.keep_in(folder)
    }

    /// Takes the host's requests over the socket at this place, in place of that of a server that runs no more.
    ///
    /// # Errors
    ///
    /// If it cannot be bound: the server serves without it.
    pub fn serve_admin(&mut self, place: &AdminPlace) -> io::Result<()> {
        self.admin = Some(AdminSocket::bind(&place.socket)?);
        Ok(())
    }

    /// Watches how many listed lobbies anybody may join without a password.
    pub fn open_lobbies(&self) -> watch::Receiver<u32> {
        self.app.services.lobby_list.count_open()
    }

    /// Returns a function that says how busy the server is.
    pub fn load(&self) -> impl Fn() -> Load + Send + use<L> {
        let app = Arc::clone(&self.app);
        move || app.load()
    }

    /// Waits until this server, one of several, is to give its lobbies to the others and stop: its host has asked for that,
    /// or no game is being played here any more while all drain. Only one of these waits at a time.
    pub fn leaves(&self) -> impl Future<Output = ()> + Send + use<L> {
        let app = Arc::clone(&self.app);
        async move { app.drained().await }
    }

    /// Serves until `stop` is ready, the last game has ended while a server that is alone drains, or nothing can be recorded ever
    /// again; then sends everyone a goodbye and returns why, in bounded time.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Ended {
        let _going = self.app.services.clock.keep_going();
        self.app.restart();
        let sessions = &self.app.sessions;
        let accepting = listener::accept(&self.listener, &self.app);
        let app = Arc::clone(&self.app);
        let page = Arc::new(move || app.services.metrics.text(app.gauges(), &app.peer_metrics()));
        let ended = tokio::select! {
            // A flood of connections does not keep the server from stopping.
            biased;
            () = stop => Ended::Stopped,
            error = self.app.watch_journal() => Ended::by(&error),
            () = self.app.services.lobby_list.broadcast(&self.app.services.journal) => Ended::Stopped,
            () = self.app.tell_servers() => Ended::Stopped,
            () = metrics::serve(self.metrics.as_ref(), &self.app.services.limits, page) => Ended::Stopped,
            () = self.app.drained_alone() => Ended::Stopped,
            () = serve_admin(self.admin.as_ref(), &self.app) => Ended::Stopped,
            () = accepting => Ended::Stopped,
        };
        drop((self.listener, self.admin));
        tracing::info!(connections = sessions.len(), ?ended, "stopping");
        self.app.say_goodbye().await;
        sessions.close();
        if tokio::time::timeout(STOP_DEADLINE, sessions.wait()).await.is_err() {
            tracing::warn!(
                connections = sessions.len(),
                "gave up on connections that did not take their goodbye"
            );
        }
        // The reader stops first, so that SQLite removes its files when the writer closes the journal.
        self.app.records.stop();
        self.app.services.journal.close();
        // A node of a cluster that was fenced off starts anew in the same process.
        for lobby in self.app.registry.all() {
            lobby.stop();
        }
        ended
    }
}

/// Answers the host's requests. Never returns.
async fn serve_admin(socket: Option<&AdminSocket>, app: &Arc<App>) {
    match socket {
        Some(socket) => socket.serve(app).await,
        None => pending().await,
    }
}
