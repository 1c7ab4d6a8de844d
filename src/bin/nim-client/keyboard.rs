//! A game at this keyboard: the server inside this program, and the small journal in which it keeps its one game, so that
//! `resume` finds it whatever has ended the program.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::SystemTime;

use nim::client::dial::{Dial, Tcp};
use nim::client::failure::NoSeat;
use nim::client::{Address, Connection, Failure, KeptSeat, Seats};
use nim::lobby::Name;
use nim::server::storage::Sqlite;
use nim::server::storage::sqlite::Durability;
use nim::server::{CannotServe, Config, DEFAULT_PORT, Server};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The most games that are kept. Of more the oldest are forgotten, since nobody has come back to them.
const MAX_GAMES: usize = 20;

/// The folder of all games at this keyboard, among the seats of this person.
const FOLDER: &str = "play";

/// The folder of one game: its journal, and the seats of those who play it.
#[derive(Debug, Clone)]
pub(crate) struct Home(PathBuf);

/// A game that can be gone on with.
#[derive(Debug, Clone)]
pub(crate) struct KeptGame {
    pub(crate) home: Home,
    /// Who sat at the keyboard.
    pub(crate) mine: KeptSeat,
    /// The second one, if there were two.
    pub(crate) theirs: Option<KeptSeat>,
    /// When anything was last heard of it.
    pub(crate) seen: SystemTime,
}

impl Home {
    /// A new one among these seats. Older games make room for it.
    pub(crate) fn new(among: &Seats) -> io::Result<Self> {
        let all = among.folder().join(FOLDER);
        make_room(&all);
        private_folder(&all).map_err(|error| among.explain(&error))?;
        // Nobody has so many games: the number of those that are kept is bounded.
        for number in 1..u32::MAX {
            let home = all.join(format!("game-{number}"));
            match fs::create_dir(&home) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(home)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The seats of those who play here.
    pub(crate) fn seats(&self) -> Seats {
        Seats::at(&self.0)
    }

    /// Takes the journal, or says who has it.
    fn open(&self) -> Result<Sqlite, nim::server::storage::Trouble> {
        Sqlite::open(&self.0, Durability::Process).map(|(journal, _)| journal)
    }

    /// Removes it if nobody has a seat there any more, and nobody else has the journal.
    fn tidy(&self) {
        let nobody = self.seats().all().is_ok_and(|seats| seats.is_empty());
        if nobody && let Ok(_journal) = self.open() {
            self.remove();
        }
    }

    /// What cannot be removed now is so another time.
    fn remove(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// All games that can be gone on with, the one that was played last first.
pub(crate) fn kept(among: &Seats) -> Vec<KeptGame> {
    let Ok(homes) = fs::read_dir(among.folder().join(FOLDER)) else { return Vec::new() };
    let mut games: Vec<KeptGame> = homes.filter_map(|home| game(Home(home.ok()?.path()))).collect();
    games.sort_by_key(|game| std::cmp::Reverse(game.seen));
    games
}

fn game(home: Home) -> Option<KeptGame> {
    let mut seen = home.seats().seen().ok()?;
    seen.sort_by_key(|(seat, _)| seat.player);
    let last = seen.iter().map(|(_, seen)| *seen).max()?;
    let mut seats = seen.into_iter().map(|(seat, _)| seat);
    Some(KeptGame { mine: seats.next()?, theirs: seats.next(), home, seen: last })
}

/// Forgets the oldest games that nobody plays at this moment, as long as there are too many.
fn make_room(all: &std::path::Path) {
    let Ok(homes) = fs::read_dir(all) else { return };
    let age = |home: &PathBuf| fs::metadata(home).and_then(|about| about.modified()).ok();
    let mut homes: Vec<PathBuf> = homes.filter_map(|home| Some(home.ok()?.path())).collect();
    homes.sort_by_key(age);
    let superfluous = (homes.len() + 1).saturating_sub(MAX_GAMES);
    for home in homes.into_iter().take(superfluous).map(Home) {
        // Whoever plays there holds it.
        if let Ok(_journal) = home.open() {
            home.remove();
        }
    }
}

#[cfg(unix)]
fn private_folder(path: &std::path::Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &std::path::Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// A server on the loopback inside this program.
#[derive(Debug)]
pub(crate) struct Keyboard {
    address: Address,
    home: Option<Home>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Keyboard {
    /// Serves the game of this home, or one that is not kept.
    pub(crate) fn open(config: &Config, home: Option<Home>) -> Result<Self, Failure> {
        let config = Config { bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), ..config.clone() };
        let server = match &home {
            None => Server::bind(config).map_err(Failure::Start)?,
            Some(home) => serve(config, home)?,
        };
        let address = Address::from(server.address().map_err(Failure::Start)?);
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async {
            // It ends as well when whoever could stop it is gone.
            let _ = stopped.await;
        }));
        Ok(Self { address, home, stop, served: running })
    }

    /// Goes to the server, which cannot be lost.
    pub(crate) async fn join(&self, name: &Name) -> Result<(Connection, Name), Failure> {
        let stream = Tcp.dial(&self.address, DEFAULT_PORT).await?;
        Connection::open(stream, &self.address, name.as_str()).await
    }

    /// Stops the server. A game that is over is not kept.
    pub(crate) async fn close(self) {
        let Self { home, stop, served, .. } = self;
        drop(stop);
        // That it has panicked was said by then.
        let _ = served.await;
        if let Some(home) = home {
            home.tidy();
        }
    }
}

/// The server that goes on with what is kept in this home.
fn serve(config: Config, home: &Home) -> Result<Server, Failure> {
    let said = |trouble: nim::server::storage::Trouble| Failure::Start(io::Error::other(trouble.to_string()));
    let journal = home.open().map_err(said)?;
    match Server::bind_keeping(config, Box::new(journal)) {
        Ok((server, found)) => match found.damaged.first() {
            None => Ok(server),
            Some(damage) => {
                Err(NoSeat::because(format!("the game that was kept cannot be trusted: {damage}")).into())
            }
        },
        Err(CannotServe::Port(error)) => Err(Failure::Start(error)),
        Err(CannotServe::Storage(trouble)) => Err(said(trouble)),
    }
}
