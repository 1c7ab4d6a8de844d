//! The server inside this program for a game at this keyboard, and the journal from which `resume` continues
//! it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use nim::client::dial::{Dial, Tcp};
use nim::client::failure::NoSeat;
use nim::client::{Address, Connection, Failure, Model, Session};
use nim::lobby::{Code, Name};
use nim::server::storage::StorageError;
use nim::server::{CannotServe, Config, DEFAULT_PORT, Ended, RestoreReport, Server};
use nim::web::Site;
use nim::wire::{ClientKind, HallRefusal, Refusal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::local_games::{BrowserFolder, GameFolder};

/// The port that stands for any free one.
const ANY_PORT: u16 = 0;

/// A server on the loopback interface, inside this program.
#[derive(Debug)]
pub(crate) struct LocalServer {
    address: Address,
    folder: Option<GameFolder>,
    /// Messages about damage in the journal.
    news: Vec<String>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Ended>,
}

impl LocalServer {
    /// Serves a new game, kept in this folder if there is one.
    pub(crate) fn open(config: &Config, folder: Option<GameFolder>) -> Result<Self, Failure> {
        let config = local(config, ANY_PORT);
        let (server, news) = match &folder {
            None => (Server::bind(config).map_err(Failure::Start)?, Vec::new()),
            Some(folder) => serve(config, folder).map(|(server, _, news)| (server, news))?,
        };
        Self::of(server, folder, news)
    }

    /// Serves a saved game. A game that is lost is not offered again.
    pub(crate) fn go_on(config: &Config, folder: &GameFolder, code: Code) -> Result<Self, Failure> {
        let (server, found, news) = serve(local(config, ANY_PORT), folder)?;
        if found.lobbies == 0 {
            return Err(lost(folder, code, found.damaged.first().map(ToString::to_string), &news));
        }
        Self::of(server, Some(folder.clone()), news)
    }

    /// Serves games in a browser, with a web site; kept in this folder if there is one. The port is that of the last
    /// time if it is free.
    pub(crate) fn with_site(config: &Config, folder: Option<&BrowserFolder>) -> Result<Self, Failure> {
        let (server, news) = match folder {
            None => (Server::bind(local(config, ANY_PORT)).map_err(Failure::Start)?, Vec::new()),
            Some(folder) => {
                let port = folder.port().filter(|port| is_free(*port)).unwrap_or(ANY_PORT);
                serve(local(config, port), folder.games()).map(|(server, _, news)| (server, news))?
            }
        };
        server.serve_web(|entrance| Arc::new(Site::new(entrance, [], Vec::new())));
        let server = Self::of(server, None, news)?;
        if let Some(folder) = folder {
            folder.note_port(server.port());
        }
        Ok(server)
    }

    /// The port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port.unwrap_or(DEFAULT_PORT)
    }

    /// Messages about damage in the journal.
    pub(crate) fn news(&self) -> &[String] {
        &self.news
    }

    fn of(server: Server, folder: Option<GameFolder>, news: Vec<String>) -> Result<Self, Failure> {
        let address = Address::from(server.address().map_err(Failure::Start)?);
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async {
            // Dropping the sender stops the server too.
            let _ = stopped.await;
        }));
        Ok(Self { address, folder, news, stop, served: running })
    }

    /// A session under this name, whose seat is kept in the game's folder.
    pub(crate) async fn session(&self, name: &Name, kind: ClientKind) -> Result<Session, Failure> {
        let stream = Tcp.dial(&self.address, DEFAULT_PORT).await?;
        let (connection, given) = Connection::open(stream, &self.address, (name.as_str(), kind)).await?;
        let session = Session::new(connection, Model::new(given));
        Ok(match &self.folder {
            Some(folder) => session.keeping(folder.seats()),
            None => session,
        })
    }

    /// Stops the server. Only the record of a finished game is kept.
    pub(crate) async fn close(self) {
        let Self { folder, stop, served, .. } = self;
        drop(stop);
        // A panic has been reported already.
        let _ = served.await;
        if let Some(folder) = folder {
            folder.tidy();
        }
    }
}

/// Whether a server may listen on this port of this machine.
fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// The same configuration for this machine only, on this port.
fn local(config: &Config, port: u16) -> Config {
    Config { bind: SocketAddr::from((Ipv4Addr::LOCALHOST, port)), plays_at_home: true, ..config.clone() }
}

/// Returns a server for the journal in this folder, what it restored, and messages about damage.
fn serve(config: Config, folder: &GameFolder) -> Result<(Server, RestoreReport, Vec<String>), Failure> {
    let said = |trouble: StorageError| Failure::Start(io::Error::other(trouble.to_string()));
    let (journal, news) = folder.open().map_err(said)?;
    let (server, found) =
        Server::bind_with_storage(config, Box::new(journal)).map_err(|error| match error {
            CannotServe::Port(error) => Failure::Start(error),
            CannotServe::Storage(trouble) => said(trouble),
        })?;
    Ok((server, found, news))
}

/// Explains why a game could not be resumed: it is lost if its own server does not know the lobby, but not if
/// only the ticket is not valid.
pub(crate) fn resume_failure(folder: &GameFolder, code: Code, failure: Failure) -> Failure {
    match failure {
        Failure::ReturnRefused(Refusal::Hall(HallRefusal::NoSuchLobby)) => lost(folder, code, None, &[]),
        Failure::ReturnRefused(Refusal::Hall(HallRefusal::BadTicket)) => locked(folder, code),
        failure => failure,
    }
}

/// The error for an undamaged game whose ticket is not valid.
fn locked(folder: &GameFolder, code: Code) -> Failure {
    let folder = folder.path().display();
    NoSeat::because(format!(
        "the game {code} is whole, but its seat is not opened by what is kept of it in {folder}, which is older than the record there\n\
         nim-client record show {code} shows it, and nim-client resume {code} --forget takes it off the list"
    ))
    .into()
}

/// The error for a lost game, which is not offered again.
fn lost(folder: &GameFolder, code: Code, why: Option<String>, news: &[String]) -> Failure {
    folder.give_up();
    let folder = folder.path().display();
    let why = why.unwrap_or_else(|| "what was recorded of it is gone or damaged".into());
    let lost = format!("the game {code} is lost: {why}; what is left is in {folder}");
    NoSeat::because([&[lost][..], news].concat().join("\n")).into()
}
