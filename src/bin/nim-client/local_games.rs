//! The folders of the games at this keyboard, beside a person's saved seats: each has the journal and the
//! seats of its players. A finished game is kept for its record until there are too many, an unfinished one
//! until its seats expire.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nim::client::{SavedSeat, SeatStore};
use nim::file::atomic::private_folder;
use nim::server::record_of;
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Archive, GameCursor, PastGame, Sqlite, Storage, StorageError};
use nim::wire::GameName;

/// The maximum number of finished games; older ones are removed.
const MAX_GAMES: usize = 20;

/// The folder of all games, beside a person's seats.
const FOLDER: &str = "play";

/// The prefix of a game's folder, before its number.
const GAME: &str = "game-";

/// The prefix of the file of a damaged journal.
const DAMAGED: &str = "journal.damaged";

/// The number of the folder of the games in a browser, which share one journal.
const IN_BROWSER: u64 = 0;

/// The file with the port of the page, in the folder of the games in a browser.
const PORT: &str = "port";

/// The folder of the games in a browser on this machine. The browser keeps their seats.
#[derive(Debug, Clone)]
pub(crate) struct BrowserFolder(GameFolder);

impl BrowserFolder {
    /// The folder, which is created if there is none.
    pub(crate) fn open(among: &SeatStore) -> io::Result<Self> {
        let folder = among.folder().join(FOLDER).join(format!("{GAME}{IN_BROWSER}"));
        private_folder(&folder).map_err(|error| among.explain(&error))?;
        Ok(Self(GameFolder(folder)))
    }

    /// The folder of its journal.
    pub(crate) fn games(&self) -> &GameFolder {
        &self.0
    }

    /// The port of the page the last time.
    pub(crate) fn port(&self) -> Option<u16> {
        fs::read_to_string(self.0.path().join(PORT)).ok()?.trim().parse().ok()
    }

    /// Notes the port for the next time, if that is possible.
    pub(crate) fn note_port(&self, port: u16) {
        let _ = fs::write(self.0.path().join(PORT), format!("{port}\n"));
    }
}

/// The folder of one game.
#[derive(Debug, Clone)]
pub(crate) struct GameFolder(PathBuf);

impl GameFolder {
    /// Creates a folder with a new number. Old games are removed first.
    pub(crate) fn new(among: &SeatStore) -> io::Result<Self> {
        let all = among.folder().join(FOLDER);
        let last = folders(among).iter().filter_map(Self::number).max().unwrap_or(0);
        make_room(among);
        private_folder(&all).map_err(|error| among.explain(&error))?;
        // Another window may start a game at the same time.
        for number in last.saturating_add(1)..u64::MAX {
            let folder = all.join(format!("{GAME}{number}"));
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(folder)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Its number among all games at this keyboard.
    pub(crate) fn number(&self) -> Option<u64> {
        self.0.file_name()?.to_str()?.strip_prefix(GAME)?.parse().ok()
    }

    /// The store of its seats.
    pub(crate) fn seats(&self) -> SeatStore {
        SeatStore::at(&self.0)
    }

    /// The seat of the players at the keyboard, if the game can be resumed.
    pub(crate) fn seat(&self) -> Option<SavedSeat> {
        self.seats().all().ok()?.into_iter().next()
    }

    /// Opens the journal. Returns it with a sentence for each damage. Fails if another window has it open.
    pub(crate) fn open(&self) -> Result<(Sqlite, Vec<String>), StorageError> {
        Sqlite::open(&self.0, Durability::Process)
    }

    /// Removes the seats, so that the game is not offered again.
    pub(crate) fn give_up(&self) {
        for seat in self.seats().all().unwrap_or_default() {
            // What cannot be removed now is removed another time.
            let _ = self.seats().forget(&seat);
        }
    }

    /// Removes the game if it is over, no window has it open, and no move was made in it.
    pub(crate) fn tidy(&self) {
        if self.is_over()
            && !self.is_damaged()
            && let Ok((journal, _)) = self.open()
            && !has_moves(&journal)
        {
            self.remove();
        }
    }

    fn is_over(&self) -> bool {
        self.seats().all().is_ok_and(|seats| seats.is_empty())
    }

    /// Whether a damaged journal was set aside here; its owner may want it.
    fn is_damaged(&self) -> bool {
        let is_put_away = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(DAMAGED);
        let mut files = fs::read_dir(&self.0).into_iter().flatten().flatten();
        files.any(|file| is_put_away(&file.file_name()))
    }

    /// Removes the folder; what cannot be removed now is removed another time.
    fn remove(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The folders of all games, in no order.
pub(crate) fn folders(among: &SeatStore) -> Vec<GameFolder> {
    let entries = fs::read_dir(among.folder().join(FOLDER)).into_iter().flatten().flatten();
    entries.map(|entry| GameFolder(entry.path())).collect()
}

/// Removes expired seats, then the oldest finished games beyond [`MAX_GAMES`].
fn make_room(among: &SeatStore) {
    let mut over = folders(among);
    over.retain(|folder| {
        // What cannot be removed now is removed another time.
        let _ = folder.seats().prune();
        folder.is_over() && folder.number() != Some(IN_BROWSER)
    });
    // Not by the age of the files: reading changes it.
    over.sort_by_cached_key(GameFolder::number);
    let superfluous = over.len().saturating_sub(MAX_GAMES);
    for folder in over.into_iter().take(superfluous) {
        // A game that is being played cannot be opened.
        if let Ok(_journal) = folder.open() {
            folder.remove();
        }
    }
}

/// The games of a journal, the newest first.
pub(crate) fn past_games(archive: &mut dyn Archive) -> Result<Vec<PastGame>, StorageError> {
    let mut games = Vec::new();
    archive.games(GameCursor::END, None, usize::MAX, &mut |game| {
        games.push(game);
        ControlFlow::Continue(())
    })?;
    Ok(games)
}

/// Whether a move was made in a game of this journal; true if that is unknown.
fn has_moves(journal: &Sqlite) -> bool {
    let moved = |archive: &mut dyn Archive, past: &PastGame| {
        let name = GameName { lobby: past.lobby.0, game: past.game };
        record_of(archive, name).map_or(true, |record| record.boards().len() > 1)
    };
    let Ok(mut archive) = journal.archive() else { return true };
    past_games(&mut *archive).map_or(true, |games| games.iter().any(|past| moved(&mut *archive, past)))
}
