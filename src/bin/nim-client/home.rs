//! The games that were played at this keyboard, each in a folder of its own among a person's seats: its journal, and the seats of
//! those who play it. One that is over stays for its record until there are too many, any other until nobody comes back to it.
//! It knows no server.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nim::client::{SavedSeat, SeatStore};
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Sqlite, StorageError};

use crate::shelf;

/// The most games that are kept of those that are over. Of more the oldest are forgotten.
const MAX_GAMES: usize = 20;

/// The folder of all games at this keyboard, among the seats of this person.
const FOLDER: &str = "play";

/// What each game's folder is called, before its number.
const GAME: &str = "game-";

/// What the files of a damaged journal are called, before what tells them apart.
const DAMAGED: &str = "journal.damaged";

/// The folder of one game.
#[derive(Debug, Clone)]
pub(crate) struct Home(PathBuf);

/// A game that can be gone on with.
#[derive(Debug, Clone)]
pub(crate) struct KeptGame {
    pub(crate) home: Home,
    /// Who sat at the keyboard.
    pub(crate) mine: SavedSeat,
    /// The second one, if there were two.
    pub(crate) theirs: Option<SavedSeat>,
    /// When anything was last heard of it.
    pub(crate) seen: SystemTime,
}

impl Home {
    /// A new one among these seats. Older games make room for it, and none has its number.
    pub(crate) fn new(among: &SeatStore) -> io::Result<Self> {
        let all = among.folder().join(FOLDER);
        let last = homes(among).iter().filter_map(Self::number).max().unwrap_or(0);
        make_room(among);
        private_folder(&all, true).map_err(|error| among.explain(&error))?;
        // Another window may begin a game at the same moment.
        for number in last.saturating_add(1)..u64::MAX {
            let home = all.join(format!("{GAME}{number}"));
            match fs::create_dir(&home) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(home)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Its number among all games at this keyboard.
    pub(crate) fn number(&self) -> Option<u64> {
        self.0.file_name()?.to_str()?.strip_prefix(GAME)?.parse().ok()
    }

    /// The seats of those who play here.
    pub(crate) fn seats(&self) -> SeatStore {
        SeatStore::at(&self.0)
    }

    /// The seat of whoever sat at the keyboard, if it can be gone on with.
    pub(crate) fn seat(&self) -> Option<SavedSeat> {
        self.seats().all().ok()?.into_iter().min_by_key(|seat| seat.player)
    }

    /// Takes the journal, or says who has it; with what was wrong with it, a sentence each.
    pub(crate) fn open(&self) -> Result<(Sqlite, Vec<String>), StorageError> {
        Sqlite::open(&self.0, Durability::Process)
    }

    /// Nobody can go on here any more: what is left of it is not offered again.
    pub(crate) fn give_up(&self) {
        for seat in self.seats().all().unwrap_or_default() {
            // What cannot be forgotten now is so another time.
            let _ = self.seats().forget(&seat);
        }
    }

    /// Removes it if nobody has a seat there any more, nobody else has the journal, and there is nothing to look at in it.
    pub(crate) fn tidy(&self) {
        if self.is_over()
            && !self.is_damaged()
            && let Ok((journal, _)) = self.open()
            && !shelf::has_moves(&journal)
        {
            self.remove();
        }
    }

    fn is_over(&self) -> bool {
        self.seats().all().is_ok_and(|seats| seats.is_empty())
    }

    /// Whether something was put away here that its owner may want to look at.
    fn is_damaged(&self) -> bool {
        let is_put_away = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(DAMAGED);
        let mut files = fs::read_dir(&self.0).into_iter().flatten().flatten();
        files.any(|file| is_put_away(&file.file_name()))
    }

    /// What cannot be removed now is so another time.
    fn remove(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The folders of all games, in no order.
pub(crate) fn homes(among: &SeatStore) -> Vec<Home> {
    let entries = fs::read_dir(among.folder().join(FOLDER)).into_iter().flatten().flatten();
    entries.map(|entry| Home(entry.path())).collect()
}

/// All games that can be gone on with, the one that was played last first.
pub(crate) fn kept(among: &SeatStore) -> Vec<KeptGame> {
    let mut games: Vec<KeptGame> = homes(among).into_iter().filter_map(game).collect();
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

/// Forgets the oldest of too many games that are over; and before that, that somebody could go on with those of which nothing
/// has been heard for a month, as with a seat on a server.
fn make_room(among: &SeatStore) {
    let mut over = homes(among);
    over.retain(|home| {
        // What cannot be forgotten now is so another time.
        let _ = home.seats().tidy();
        home.is_over()
    });
    // What the files say of their age is of no use: readers change it.
    over.sort_by_cached_key(Home::number);
    let superfluous = over.len().saturating_sub(MAX_GAMES);
    for home in over.into_iter().take(superfluous) {
        // Whoever plays there holds it.
        if let Ok(_journal) = home.open() {
            home.remove();
        }
    }
}

/// Makes a folder into which nobody else can look; with those above it, if they are not there yet, or alone and new.
pub(crate) fn private_folder(path: &Path, with_those_above: bool) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(with_those_above);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
