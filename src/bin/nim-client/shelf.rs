//! The records of games that were played at this keyboard, read from their journals: also of one that goes on in another window,
//! whose journal is copied for that.

use std::fs;
use std::io;
use std::path::PathBuf;

use nim::client::records::Found;
use nim::client::{self, Seats};
use nim::lobby::Code;
use nim::record::{Date, Record};
use nim::server::record_of;
use nim::server::storage::sqlite::{Durability, backup};
use nim::server::storage::{Archive, PastGame, Place, Sqlite, Storage, Trouble};
use nim::system::Said;
use nim::wire::{GameName, HallRefusal, Refusal};

use crate::home::{self, Home, private_folder};

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
pub(crate) struct Shelf(Vec<Home>);

impl Shelf {
    /// There is no place for any.
    pub(crate) fn empty() -> Self {
        Self(Vec::new())
    }

    /// Those among these seats, the newest first.
    pub(crate) fn among(seats: &Seats) -> Self {
        let mut homes = home::homes(seats);
        homes.sort_by_key(|home| std::cmp::Reverse(home.number()));
        Self(homes)
    }

    /// What there is, and what cannot be read of it.
    pub(crate) fn list(&self) -> (Vec<Found>, Vec<Trouble>) {
        let (mut found, mut troubles) = (Vec::new(), Vec::new());
        for home in &self.0 {
            match volumes(home) {
                Ok(volumes) => found.extend(volumes.iter().map(Volume::found)),
                Err(trouble) => troubles.push(trouble),
            }
        }
        (found, troubles)
    }

    /// The record of the game of this name.
    pub(crate) fn record(&self, name: GameName) -> Result<Record, client::Failure> {
        let home = self.0.iter().find(|home| home.number() == Some(name.lobby));
        let home = home.ok_or_else(none)?;
        let copy = Copy::of(home).map_err(|trouble| unreadable(&trouble))?;
        let mut archive = copy.journal.archive().map_err(|trouble| unreadable(&trouble))?;
        let volumes = on(&mut *archive, name.lobby).map_err(|trouble| unreadable(&trouble))?;
        let volume = volumes.into_iter().find(|volume| volume.name == name).ok_or_else(none)?;
        let there = GameName { lobby: volume.past.lobby.0, game: volume.past.game };
        record_of(&mut *archive, there).map_err(|why| client::Failure::Refused(Refusal::Hall(why)))
    }

    /// The newest game in the lobby with this code, or the one of this number there.
    pub(crate) fn named(&self, code: Code, number: Option<u32>) -> Option<GameName> {
        let volumes = self.0.iter().filter_map(|home| volumes(home).ok()).flatten();
        let mut meant = volumes.filter(|volume| {
            volume.past.code == code && number.is_none_or(|number| volume.past.game == number)
        });
        meant.next().map(|volume| volume.name)
    }
}

fn none() -> client::Failure {
    client::Failure::Refused(Refusal::Hall(HallRefusal::NoSuchRecord))
}

fn unreadable(trouble: &Trouble) -> client::Failure {
    client::Failure::Start(io::Error::other(trouble.to_string()))
}

impl Volume {
    fn found(&self) -> Found {
        let Self { name, past } = self;
        Found {
            name: name.to_string(),
            code: past.code,
            variant: past.variant.clone(),
            players: past.players.clone(),
            level: past.conditions.level,
            started: Date::of_millis(past.started.0),
            result: past.result,
            mine: true,
        }
    }
}

/// The games of a home, the newest first. One that has none yet, or is being made, is empty.
fn volumes(home: &Home) -> Result<Vec<Volume>, Trouble> {
    let (Some(number), true) = (home.number(), home.path().join(JOURNAL).exists()) else {
        return Ok(Vec::new());
    };
    on(&mut *Copy::of(home)?.journal.archive()?, number)
}

/// The games in an archive, the newest first. They are counted from the first one, whatever their lobbies.
fn on(archive: &mut dyn Archive, lobby: u64) -> Result<Vec<Volume>, Trouble> {
    let games = all(archive)?;
    let numbers = (1..=u32::try_from(games.len()).unwrap_or(u32::MAX)).rev();
    Ok(numbers.zip(games).map(|(game, past)| Volume { name: GameName { lobby, game }, past }).collect())
}

fn all(archive: &mut dyn Archive) -> Result<Vec<PastGame>, Trouble> {
    let (mut games, mut rest) = (Vec::new(), Some(Place::END));
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
    fn of(home: &Home) -> Result<Self, Trouble> {
        let folder = Folder::new()
            .map_err(|error| Trouble::of_host(format!("no place for a copy of a game: {}", Said(&error))))?;
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
