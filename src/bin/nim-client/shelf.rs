//! The records of games that were played at this keyboard, read from their journals: also of one that goes on in another window,
//! whose journal is copied for that.

use std::fs;
use std::io;
use std::path::PathBuf;

use nim::client::record_source::{Fetching, Library, Listed};
use nim::client::records::Found;
use nim::client::text::sentence;
use nim::game::BySide;
use nim::lobby::Code;
use nim::record::{Date, Record};
use nim::server::record_of;
use nim::server::storage::sqlite::{Durability, backup};
use nim::server::storage::{Archive, GameCursor, PastGame, Sqlite, Storage, StorageError};
use nim::system::Said;
use nim::wire::{GameName, HallRefusal};

use crate::home::{self, Home, private_folder};
use crate::returning::StateFlag;

/// The journal of a game.
const JOURNAL: &str = "journal.sqlite";

/// So many games are read at once.
const AT_ONCE: usize = 64;

/// A game, by its name here: the number of its folder, and its own number there.
struct Volume {
    name: GameName,
    past: PastGame,
}

/// The games at this keyboard.
pub(crate) struct Shelf {
    homes: Vec<Home>,
    /// Where they are, if somebody said so.
    state: StateFlag,
}

/// Why nothing is known of a game at this keyboard.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error(
        "the record of {code}, a game at this keyboard, is damaged: {command} saves all that can be read"
    )]
    Damaged { code: Code, command: String },
    #[error(
        "the record of a game at this keyboard that is over is damaged, in {0}: remove that folder if you do not need it"
    )]
    Lost(PathBuf),
    #[error("a game at this keyboard cannot be read: {0}")]
    Barred(StorageError),
}

/// Why a record is not given.
#[derive(Debug)]
pub(crate) enum NoRecord {
    Unreadable(Unreadable),
    Refused(HallRefusal),
}

impl Shelf {
    /// Those of this person, the newest first; none if there is no place for any.
    pub(crate) fn of(state: &StateFlag) -> Self {
        let mut homes = state.seats().map_or_else(Vec::new, |seats| home::homes(&seats));
        homes.sort_by_key(|home| std::cmp::Reverse(home.number()));
        Self { homes, state: state.clone() }
    }

    /// What there is, and what cannot be read of it.
    pub(crate) fn list(&self) -> (Vec<Found>, Vec<Unreadable>) {
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        for home in &self.homes {
            match volumes(home) {
                Ok(volumes) => found.extend(volumes.iter().map(Volume::found)),
                Err(trouble) => unreadable.push(self.unreadable(home, trouble)),
            }
        }
        (found, unreadable)
    }

    /// The record of the game of this name.
    pub(crate) fn record(&self, name: GameName) -> Result<Record, NoRecord> {
        let none = NoRecord::Refused(HallRefusal::NoSuchRecord);
        let home = self.homes.iter().find(|home| home.number() == Some(name.lobby)).ok_or(none)?;
        let read = || {
            let copy = Copy::of(home)?;
            let mut archive = copy.journal.archive()?;
            let volume = on(&mut *archive, name.lobby)?.into_iter().find(|volume| volume.name == name);
            let there = volume.map(|Volume { past, .. }| GameName { lobby: past.lobby.0, game: past.game });
            Ok(there.map_or(Err(HallRefusal::NoSuchRecord), |there| record_of(&mut *archive, there)))
        };
        let record = read().map_err(|trouble| NoRecord::Unreadable(self.unreadable(home, trouble)))?;
        record.map_err(NoRecord::Refused)
    }

    /// The newest game in the lobby with this code, or the one of this number there.
    pub(crate) fn named(&self, code: Code, number: Option<u32>) -> Result<GameName, NoRecord> {
        for home in &self.homes {
            let is_meant = |volume: &&Volume| {
                volume.past.code == code && number.is_none_or(|number| volume.past.game == number)
            };
            match volumes(home) {
                Ok(volumes) => {
                    if let Some(volume) = volumes.iter().find(is_meant) {
                        return Ok(volume.name);
                    }
                }
                Err(trouble) if home.seat().is_some_and(|seat| seat.code == code) => {
                    return Err(NoRecord::Unreadable(self.unreadable(home, trouble)));
                }
                Err(_) => {}
            }
        }
        Err(NoRecord::Refused(HallRefusal::NoSuchRecord))
    }

    /// What is to be done about a journal that could not be read.
    fn unreadable(&self, home: &Home, trouble: StorageError) -> Unreadable {
        match home.seat() {
            _ if !can_be_saved(home) => Unreadable::Barred(trouble),
            Some(seat) => Unreadable::Damaged { code: seat.code, command: self.state.command(&seat) },
            None => Unreadable::Lost(home.path().to_owned()),
        }
    }
}

/// The same games for the screen.
#[derive(Debug)]
pub(crate) struct Here(StateFlag);

impl Here {
    /// Those of this person.
    pub(crate) fn of(state: StateFlag) -> Self {
        Self(state)
    }

    /// Finds something out on them while nobody waits for the disk.
    fn on<T: Send + 'static>(
        &self,
        find: impl FnOnce(&Shelf) -> Result<T, String> + Send + 'static,
    ) -> Fetching<T> {
        let state = self.0.clone();
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || find(&Shelf::of(&state)));
            found.await.unwrap_or_else(|_| Err("The games could not be looked through.".into()))
        })
    }
}

impl Library for Here {
    fn list(&self) -> Fetching<Listed> {
        self.on(|shelf| {
            let (mut games, unreadable) = shelf.list();
            games.sort_by_key(|game| std::cmp::Reverse(game.started));
            let complaints = unreadable.iter().map(|why| sentence(&why.to_string())).collect();
            Ok(Listed { games, others: false, complaints })
        })
    }

    fn record(&self, name: &str) -> Fetching<Record> {
        let name = name.to_owned();
        self.on(move |shelf| {
            let name = name.parse().map_err(|bad| format!("{name}: {bad}."))?;
            shelf.record(name).map_err(|none| match none {
                NoRecord::Unreadable(why) => sentence(&why.to_string()),
                NoRecord::Refused(why) => sentence(&why.to_string()),
            })
        })
    }
}

/// Whether a journal that cannot be read would be saved, as far as that goes, by whoever goes on with it: a copy of its files shows it.
fn can_be_saved(home: &Home) -> bool {
    let Ok(folder) = Folder::new() else { return false };
    let entries = fs::read_dir(home.path()).into_iter().flatten().flatten();
    let mut files = entries.filter(|file| file.file_name().to_string_lossy().starts_with(JOURNAL));
    let copied = files.all(|file| fs::copy(file.path(), folder.0.join(file.file_name())).is_ok());
    copied && Sqlite::open(&folder.0, Durability::Process).is_ok()
}

impl Volume {
    fn found(&self) -> Found {
        let Self { name, past } = self;
        Found {
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
}

/// The games of a home, the newest first. One that has none yet, or is being made, is empty.
fn volumes(home: &Home) -> Result<Vec<Volume>, StorageError> {
    let (Some(number), true) = (home.number(), home.path().join(JOURNAL).exists()) else {
        return Ok(Vec::new());
    };
    on(&mut *Copy::of(home)?.journal.archive()?, number)
}

/// The games in an archive, the newest first. They are counted from the first one, whatever their lobbies.
fn on(archive: &mut dyn Archive, lobby: u64) -> Result<Vec<Volume>, StorageError> {
    let games = all(archive)?;
    let numbers = (1..=u32::try_from(games.len()).unwrap_or(u32::MAX)).rev();
    Ok(numbers.zip(games).map(|(game, past)| Volume { name: GameName { lobby, game }, past }).collect())
}

fn all(archive: &mut dyn Archive) -> Result<Vec<PastGame>, StorageError> {
    let (mut games, mut rest) = (Vec::new(), Some(GameCursor::END));
    while let Some(place) = rest {
        let stretch = archive.games(place, None, AT_ONCE)?;
        games.extend(stretch.games);
        rest = stretch.rest;
    }
    Ok(games)
}

/// Whether a move was made in one of the games of this journal, so that there is a record worth keeping; also where nobody can
/// tell.
pub(crate) fn has_moves(journal: &Sqlite) -> bool {
    let moved = |archive: &mut dyn Archive, past: &PastGame| {
        let name = GameName { lobby: past.lobby.0, game: past.game };
        record_of(archive, name).map_or(true, |record| record.boards().len() > 1)
    };
    let Ok(mut archive) = journal.archive() else { return true };
    all(&mut *archive).map_or(true, |games| games.iter().any(|past| moved(&mut *archive, past)))
}

/// A copy of a journal, which nobody else has, and which is gone when this is dropped.
struct Copy {
    /// Closed before its folder goes.
    journal: Sqlite,
    _folder: Folder,
}

impl Copy {
    fn of(home: &Home) -> Result<Self, StorageError> {
        let folder = Folder::new().map_err(|error| {
            StorageError::of_host(format!("no place for a copy of a game: {}", Said(&error)))
        })?;
        backup(home.path(), &folder.0.join(JOURNAL))?;
        let (journal, _) = Sqlite::open(&folder.0, Durability::Process)?;
        Ok(Self { journal, _folder: folder })
    }
}

/// A folder among the temporary ones.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        let all = std::env::temp_dir();
        for number in 0..u32::MAX {
            let path = all.join(format!("nim-record-{}-{number}", std::process::id()));
            match private_folder(&path, false) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(path)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Whoever tidies up the place for such things does the rest.
        let _ = fs::remove_dir_all(&self.0);
    }
}
