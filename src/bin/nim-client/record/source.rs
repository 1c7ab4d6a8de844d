//! Where records come from: files, a server, or the games at this keyboard.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use nim::client::dial::Tcp;
use nim::client::record_source::RemoteRecords;
use nim::client::records::{GameSummary, fetch, list, tickets_to_show};
use nim::client::{Address, Connection};
use nim::lobby::{Code, Text};
use nim::record::{MAX_BYTES, Record};
use nim::server::DEFAULT_PORT;
use nim::wire::{BadGameName, GameName, GamesWish, HallRefusal, Ticket};
use tokio::runtime::Runtime;

use crate::failure::{CliError, read_file};
use crate::flags::StateFlag;
use crate::local_records::LocalRecords;

/// How to find the names of games.
const LISTED: &str = "nim-client record list shows them";

/// The maximum number of games of a lobby that are searched: more than most lobbies have.
const MAX_GAMES: usize = 1_000;

/// The maximum number of names in a sentence.
const MAX_CHOICES: usize = 10;

/// Where records come from.
#[derive(Debug, Args)]
pub(crate) struct SourceFlags {
    /// Read from this server instead of files. A game has its name in `record list`, such as 17/2, or its
    /// lobby's code, such as brave-otter (the newest game) or brave-otter/1
    #[arg(long, value_name = "HOST[:PORT]")]
    pub(crate) server: Option<Address>,

    #[command(flatten)]
    pub(crate) state: StateFlag,
}

/// A source of records.
pub(super) enum ChosenSource {
    /// Files, or else the games at this keyboard.
    Files(StateFlag),
    Server(Box<Library>),
    /// The games at this keyboard.
    Here(LocalRecords),
}

impl ChosenSource {
    pub(super) fn of(flags: &SourceFlags) -> Result<Self, CliError> {
        Ok(match &flags.server {
            None => Self::Files(flags.state.clone()),
            Some(server) => Self::Server(Box::new(Library::enter(server, &flags.state)?)),
        })
    }

    /// The named server, or the games at this keyboard.
    pub(super) fn of_games(flags: &SourceFlags) -> Result<Self, CliError> {
        if flags.server.is_some() { Self::of(flags) } else { Ok(Self::Here(LocalRecords::of(&flags.state))) }
    }

    pub(super) fn is_of_files(&self) -> bool {
        matches!(self, Self::Files(_))
    }

    /// The record with this name.
    pub(super) fn record(&mut self, name: &Path) -> Result<Record, CliError> {
        match self {
            Self::Files(state) => read(name).or_else(|error| at_keyboard(name, state).ok_or(error)),
            Self::Server(library) => library.record(&name.to_string_lossy()),
            Self::Here(games) => {
                let choices = |lobby| names_in(lobby, &games.list().0);
                let by_code = |code, number| games.named(code, number);
                games.record(named(&name.to_string_lossy(), by_code, choices)?)
            }
        }
    }
}

/// The record of a game at this keyboard, if there is no file of this name.
fn at_keyboard(name: &Path, state: &StateFlag) -> Option<Record> {
    if name.exists() {
        return None;
    }
    ChosenSource::Here(LocalRecords::of(state)).record(name).ok()
}

/// Reads and checks the record in a file.
pub(crate) fn read(path: &Path) -> Result<Record, CliError> {
    let text = read_file(path, MAX_BYTES as u64)?;
    Record::read(&text).map_err(|fault| CliError::Wrong(path.to_owned(), fault))
}

/// A server's records that this person may read.
pub(super) struct Library {
    runtime: Runtime,
    connection: Connection,
    tickets: Vec<Ticket>,
}

impl Library {
    /// Connects. A ticket is sent only to the server that it is for.
    pub(super) fn enter(server: &Address, state: &StateFlag) -> Result<Self, CliError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(CliError::Start)?;
        let there = RemoteRecords::at(server, DEFAULT_PORT, Arc::new(Tcp), state.seats());
        let (connection, tickets) = runtime.block_on(there.connect())?;
        Ok(Self { runtime, connection, tickets })
    }

    /// At most `most` games, and whether there are more.
    pub(super) fn list(
        &mut self,
        wish: GamesWish,
        most: usize,
    ) -> Result<(Vec<GameSummary>, bool), CliError> {
        let wish = GamesWish { tickets: tickets_to_show(&self.tickets), ..wish };
        Ok(self.runtime.block_on(list(&mut self.connection, wish, most))?)
    }

    fn record(&mut self, typed: &str) -> Result<Record, CliError> {
        let name = match typed.parse::<u64>() {
            Ok(lobby) => Err(ambiguous(lobby, &self.names_in(lobby)?)),
            Err(_) => named(typed, |code, number| self.named_by_code(code, number), |_| Vec::new()),
        }?;
        Ok(self.runtime.block_on(fetch(&mut self.connection, name, &self.tickets))?)
    }

    /// The names of the listed games of a lobby.
    fn names_in(&mut self, lobby: u64) -> Result<Vec<GameName>, CliError> {
        let (games, _) = self.list(GamesWish::default(), MAX_GAMES)?;
        Ok(names_in(lobby, &games))
    }

    /// The name of the game with this number in a lobby, or of the newest.
    fn named_by_code(&mut self, code: Code, number: Option<u32>) -> Result<GameName, CliError> {
        let wish = GamesWish { code: Some(Text::cut(&code.to_string())), ..GamesWish::default() };
        let (games, _) = self.list(wish, if number.is_some() { MAX_GAMES } else { 1 })?;
        let names = games.iter().filter_map(|found| found.name.parse::<GameName>().ok());
        let mut meant = names.filter(|name| number.is_none_or(|number| name.game == number));
        meant.next().ok_or_else(|| CliError::refused(HallRefusal::NoSuchRecord))
    }
}

/// The names of the games of a lobby among these, the first game first.
fn names_in(lobby: u64, games: &[GameSummary]) -> Vec<GameName> {
    let names = games.iter().filter_map(|found| found.name.parse::<GameName>().ok());
    let mut names: Vec<GameName> = names.filter(|name| name.lobby == lobby).collect();
    names.sort_by_key(|name| name.game);
    names
}

/// What the name of a game looks like.
fn not_a_name(bad: BadGameName) -> String {
    format!("{bad}, or its lobby's code, as in brave-otter or brave-otter/1: {LISTED}")
}

/// Only the number of a lobby was typed; these are the games in it.
fn ambiguous(lobby: u64, choices: &[GameName]) -> CliError {
    let shown = choices.iter().take(MAX_CHOICES).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = if choices.len() > MAX_CHOICES { ", …" } else { "" };
    CliError::Usage(match choices {
        [] => not_a_name(BadGameName),
        _ => format!("{lobby} alone names no game: write one of {shown}{more}"),
    })
}

/// Reads the name of a game on the command line: its name in the list, or its lobby's code, with or without
/// its number there. `choices` are the games of a lobby of which only the number was typed.
fn named(
    typed: &str,
    by_code: impl FnOnce(Code, Option<u32>) -> Result<GameName, CliError>,
    choices: impl FnOnce(u64) -> Vec<GameName>,
) -> Result<GameName, CliError> {
    let bad = match typed.parse() {
        Ok(name) => return Ok(name),
        Err::<_, BadGameName>(bad) => bad,
    };
    if let Ok(lobby) = typed.parse::<u64>() {
        return Err(ambiguous(lobby, &choices(lobby)));
    }
    let wrong = || CliError::Usage(not_a_name(bad));
    let (code, number) = match typed.split_once('/') {
        Some((code, number)) => (code, Some(number.parse::<u32>().map_err(|_| wrong())?)),
        None => (typed, None),
    };
    by_code(code.parse().map_err(|_| wrong())?, number)
}
