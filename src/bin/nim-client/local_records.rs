//! Records of the games at this keyboard. They are read from copies of the journals, so that another window
//! can continue a game.

use nim::client::record_source::{Fetching, GameList, RecordSource};
use nim::client::records::GameSummary;
use nim::client::text::sentence;
use nim::game::BySide;
use nim::lobby::Code;
use nim::number::saturating;
use nim::record::{Date, Record};
use nim::server::record_of;
use nim::server::storage::sqlite::{Durability, backup};
use nim::server::storage::{Archive, PastGame, Sqlite, Storage, StorageError};
use nim::system::ErrorText;
use nim::wire::{GameName, HallRefusal};
use tempfile::TempDir;

use crate::failure::CliError;
use crate::flags::StateFlag;
use crate::local_games::{self, GameFolder, past_games};

/// The file name of a journal.
const JOURNAL: &str = "journal.sqlite";

/// The name of a game (the numbers of its folder and of the game in its journal), and the game.
type LocalRecord = (GameName, PastGame);

/// The games at this keyboard.
pub(crate) struct LocalRecords {
    folders: Vec<GameFolder>,
    /// The folder of the person's seats.
    state: StateFlag,
}

impl LocalRecords {
    /// The games of this person, the newest first.
    pub(crate) fn of(state: &StateFlag) -> Self {
        let mut folders = state.seats().map_or_else(Vec::new, |seats| local_games::folders(&seats));
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.number()));
        Self { folders, state: state.clone() }
    }

    /// All games, and the journals that cannot be read.
    pub(crate) fn list(&self) -> (Vec<GameSummary>, Vec<CliError>) {
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        for folder in &self.folders {
            match records_of(folder) {
                Ok(records_of) => found.extend(records_of.iter().map(found_game)),
                Err(_) => unreadable.push(self.unreadable(folder)),
            }
        }
        (found, unreadable)
    }

    /// The record of a game.
    pub(crate) fn record(&self, name: GameName) -> Result<Record, CliError> {
        let none = || CliError::refused(HallRefusal::NoSuchRecord);
        let folder =
            self.folders.iter().find(|folder| folder.number() == Some(name.lobby)).ok_or_else(none)?;
        let read = || {
            let copy = JournalCopy::of(folder)?;
            let mut archive = copy.journal.archive()?;
            let record = on(&mut *archive, name.lobby)?.into_iter().find(|record| record.0 == name);
            let there = record.map(|(_, past)| GameName { lobby: past.lobby.0, game: past.game });
            Ok(there.map_or(Err(HallRefusal::NoSuchRecord), |there| record_of(&mut *archive, there)))
        };
        let record = read().map_err(|_: StorageError| self.unreadable(folder))?;
        record.map_err(CliError::refused)
    }

    /// The name of the game with this number in a lobby, or of the newest.
    pub(crate) fn named(&self, code: Code, number: Option<u32>) -> Result<GameName, CliError> {
        for folder in &self.folders {
            let is_meant = |(_, past): &&LocalRecord| {
                past.code == code && number.is_none_or(|number| past.game == number)
            };
            match records_of(folder) {
                Ok(records_of) => {
                    if let Some((name, _)) = records_of.iter().find(is_meant) {
                        return Ok(*name);
                    }
                }
                Err(_) if folder.seat().is_some_and(|seat| seat.code == code) => {
                    return Err(self.unreadable(folder));
                }
                Err(_) => {}
            }
        }
        Err(CliError::refused(HallRefusal::NoSuchRecord))
    }

    /// The error for a journal that cannot be read: it says what to do.
    fn unreadable(&self, folder: &GameFolder) -> CliError {
        match folder.seat() {
            Some(seat) => CliError::Damaged { code: seat.code, command: self.state.command(&seat) },
            None => CliError::Lost(folder.path().to_owned()),
        }
    }
}

/// The same records for the screen.
#[derive(Debug)]
pub(crate) struct LocalLibrary(pub(crate) StateFlag);

impl LocalLibrary {
    /// Runs `find` on a blocking thread.
    fn on<T: Send + 'static>(
        &self,
        find: impl FnOnce(&LocalRecords) -> Result<T, String> + Send + 'static,
    ) -> Fetching<T> {
        let state = self.0.clone();
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || find(&LocalRecords::of(&state)));
            found.await.unwrap_or_else(|_| Err("The games could not be looked through.".into()))
        })
    }
}

impl RecordSource for LocalLibrary {
    fn list(&self) -> Fetching<GameList> {
        self.on(|records| {
            let (mut games, unreadable) = records.list();
            games.sort_by_key(|game| std::cmp::Reverse(game.started));
            let complaints = unreadable.iter().map(|why| sentence(&why.to_string())).collect();
            Ok(GameList { games, others: false, complaints })
        })
    }

    fn record(&self, name: &str) -> Fetching<Record> {
        let name = name.to_owned();
        self.on(move |records| {
            let name = name.parse().map_err(|bad| format!("{name}: {bad}."))?;
            records.record(name).map_err(|none| sentence(&none.to_string()))
        })
    }
}

/// A game in a list.
fn found_game((name, past): &LocalRecord) -> GameSummary {
    GameSummary {
        name: name.to_string(),
        code: past.code,
        variant: past.variant.clone(),
        players: BySide { first: (&past.players.first).into(), second: (&past.players.second).into() },
        level: past.conditions.level,
        started: Date::of_millis(past.started.0),
        result: past.result,
        mine: true,
    }
}

/// The games of a folder, the newest first; none if its journal does not exist yet.
fn records_of(folder: &GameFolder) -> Result<Vec<LocalRecord>, StorageError> {
    let (Some(number), true) = (folder.number(), folder.path().join(JOURNAL).exists()) else {
        return Ok(Vec::new());
    };
    on(&mut *JournalCopy::of(folder)?.journal.archive()?, number)
}

/// The games of a journal, the newest first, numbered from the first one across lobbies.
fn on(archive: &mut dyn Archive, lobby: u64) -> Result<Vec<LocalRecord>, StorageError> {
    let games = past_games(archive)?;
    let numbers = (1..=saturating::<u32, _>(games.len())).rev();
    Ok(numbers.zip(games).map(|(game, past)| (GameName { lobby, game }, past)).collect())
}

/// A private copy of a journal, which is removed when this is dropped.
struct JournalCopy {
    /// Closed before its folder is removed.
    journal: Sqlite,
    _folder: TempDir,
}

impl JournalCopy {
    fn of(game: &GameFolder) -> Result<Self, StorageError> {
        let folder = TempDir::with_prefix("nim-record-").map_err(|error| {
            StorageError::of_host(format!("no place for a copy of a game: {}", ErrorText(&error)))
        })?;
        let left_out = backup(game.path(), &folder.path().join(JOURNAL))?;
        if !left_out.is_empty() {
            return Err(StorageError::new(StorageError::DAMAGED, left_out.join("; ")));
        }
        let (journal, _) = Sqlite::open(folder.path(), Durability::Process)?;
        Ok(Self { journal, _folder: folder })
    }
}
