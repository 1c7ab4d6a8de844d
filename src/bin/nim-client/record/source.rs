//! Where records come from: files, or a server with the tickets that it gave to this person.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use nim::client::dial::Tcp;
use nim::client::records::{Found, fetch, list, shown};
use nim::client::{self, Address, Connection, record_source};
use nim::lobby::{Code, Text};
use nim::record::{MAX_BYTES, Record};
use nim::server::DEFAULT_PORT;
use nim::wire::{BadGameName, GameName, GamesWish, HallRefusal, Refusal, Ticket};
use tokio::runtime::Runtime;

use super::Failure;
use crate::returning::StateFlag;
use crate::shelf::{NoRecord, Shelf};

/// How somebody learns what games are called.
const LISTED: &str = "nim-client record list tells them";

/// So many games of a lobby are looked at to find one by the lobby's code: more than most have.
const MAX_GAMES: usize = 1_000;

/// From where records are to come.
#[derive(Debug, Args)]
pub(crate) struct SourceFlags {
    /// Read from this server instead of files; a game is named as in `record list`, such as 17/2, or by its lobby's code,
    /// such as brave-otter (the newest game) or brave-otter/1
    #[arg(long, value_name = "HOST[:PORT]")]
    pub(crate) server: Option<Address>,

    #[command(flatten)]
    pub(crate) state: StateFlag,
}

/// Something to read records from.
pub(super) enum Source {
    Files,
    Server(Box<Library>),
    /// The games that were played at this keyboard.
    Here(Shelf),
}

impl Source {
    pub(super) fn of(flags: &SourceFlags) -> Result<Self, Failure> {
        Ok(match &flags.server {
            None => Self::Files,
            Some(server) => Self::Server(Box::new(Library::enter(server, &flags.state)?)),
        })
    }

    /// The server that is named, or the games at this keyboard.
    pub(super) fn of_games(flags: &SourceFlags) -> Result<Self, Failure> {
        if flags.server.is_some() { Self::of(flags) } else { Ok(Self::Here(Shelf::of(&flags.state))) }
    }

    pub(super) fn is_of_files(&self) -> bool {
        matches!(self, Self::Files)
    }

    /// The record of this name: a file's, or a game's.
    pub(super) fn record(&mut self, name: &Path) -> Result<Record, Failure> {
        match self {
            Self::Files => read(name),
            Self::Server(library) => library.record(&name.to_string_lossy()),
            Self::Here(games) => from_shelf(games, &name.to_string_lossy()),
        }
    }
}

/// What a file is called in a sentence.
pub(super) fn named(path: &Path) -> String {
    if is_stdin(path) { "the standard input".into() } else { path.display().to_string() }
}

/// What else may be meant by a name of which there is no file: a game, if it looks like one.
pub(super) fn or_a_game(path: &Path, error: &io::Error) -> &'static str {
    let is_game = path.to_str().is_some_and(|text| Called::read(text).is_ok());
    if is_game && error.kind() == io::ErrorKind::NotFound {
        "; for a game on a server add --server HOST, and one of this keyboard is written into a file by nim-client record export"
    } else {
        ""
    }
}

pub(super) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The record in a file, played once more.
pub(crate) fn read(path: &Path) -> Result<Record, Failure> {
    let unreadable = |error| Failure::Unreadable(path.to_owned(), error);
    let mut text = Vec::new();
    // One byte more than may be: that is enough to see that it is too large.
    let most = MAX_BYTES as u64 + 1;
    let read = if is_stdin(path) {
        stdin().lock().take(most).read_to_end(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut text))
    };
    read.map_err(unreadable)?;
    Record::read(&text).map_err(|fault| Failure::Wrong(path.to_owned(), fault))
}

/// A server's records, as far as they are open to this person.
pub(super) struct Library {
    runtime: Runtime,
    connection: Connection,
    tickets: Vec<Ticket>,
}

impl Library {
    /// Goes there. The tickets are shown to this server alone.
    pub(super) fn enter(server: &Address, state: &StateFlag) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Failure::Start)?;
        let endpoint = record_source::endpoint(server, DEFAULT_PORT, Arc::new(Tcp));
        let (connection, _) = runtime.block_on(endpoint.go())?;
        let tickets = state.seats().map(|seats| seats.tickets(server, DEFAULT_PORT));
        let tickets = tickets.transpose().map_err(Failure::Tickets)?.unwrap_or_default();
        Ok(Self { runtime, connection, tickets })
    }

    /// The games that are wished for, `most` at most, and whether there are others.
    pub(super) fn list(&mut self, wish: GamesWish, most: usize) -> Result<(Vec<Found>, bool), Failure> {
        let wish = GamesWish { tickets: shown(&self.tickets), ..wish };
        Ok(self.runtime.block_on(list(&mut self.connection, wish, most))?)
    }

    fn record(&mut self, typed: &str) -> Result<Record, Failure> {
        let name = match Called::read(typed)? {
            Called::Name(name) => name,
            Called::Code(code, number) => self.named_by_code(code, number)?,
        };
        Ok(self.runtime.block_on(fetch(&mut self.connection, name, &self.tickets))?)
    }

    /// The game that is meant by its lobby's code, with its number there or without.
    fn named_by_code(&mut self, code: Code, number: Option<u32>) -> Result<GameName, Failure> {
        let wish = GamesWish { code: Some(Text::cut(&code.to_string())), ..GamesWish::default() };
        let (games, _) = self.list(wish, if number.is_some() { MAX_GAMES } else { 1 })?;
        let names = games.iter().filter_map(|found| found.name.parse::<GameName>().ok());
        let mut meant = names.filter(|name| number.is_none_or(|number| name.game == number));
        meant.next().ok_or_else(unknown)
    }
}

fn from_shelf(shelf: &Shelf, typed: &str) -> Result<Record, Failure> {
    let record = match Called::read(typed)? {
        Called::Name(name) => shelf.record(name),
        Called::Code(code, number) => shelf.named(code, number).and_then(|name| shelf.record(name)),
    };
    record.map_err(|none| match none {
        NoRecord::Unreadable(why) => Failure::Journal(why),
        NoRecord::Refused(why) => refused(why),
    })
}

fn unknown() -> Failure {
    refused(HallRefusal::NoSuchRecord)
}

fn refused(why: HallRefusal) -> Failure {
    Failure::Server(client::Failure::Refused(Refusal::Hall(why)))
}

/// What somebody calls a game.
enum Called {
    /// As it stands in the list.
    Name(GameName),
    /// By its lobby's code, and perhaps its number there.
    Code(Code, Option<u32>),
}

impl Called {
    fn read(typed: &str) -> Result<Self, Failure> {
        let bad = match typed.parse() {
            Ok(name) => return Ok(Self::Name(name)),
            Err::<_, BadGameName>(bad) => bad,
        };
        let wrong = || {
            Failure::Usage(format!(
                "{bad}, or its lobby's code, as in brave-otter or brave-otter/1: {LISTED}"
            ))
        };
        let (code, number) = match typed.split_once('/') {
            Some((code, number)) => (code, Some(number.parse::<u32>().map_err(|_| wrong())?)),
            None => (typed, None),
        };
        Ok(Self::Code(code.parse().map_err(|_| wrong())?, number))
    }
}
