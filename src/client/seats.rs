//! The store of saved seats, to which this person can return: for each its server, its code and its ticket.
//!
//! One seat is one file, readable by its owner alone and replaced atomically. Several windows may share the
//! folder. A window locks the file of its seat; the lock ends with the window, however that ends.
//!
//! The file of a seat that was given up gets another extension, since its ticket still opens the records of
//! its games. The ticket of a request for a new seat has a file of its own until that seat is saved.

pub(super) mod pending_ticket;
mod seat_file;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_app_strategy};

use self::seat_file::{EXTENSION, SeatFile, read};
use super::{Address, SavedSeat};
use crate::file::atomic;
use crate::system::ErrorText;
use crate::wire::Ticket;
use crate::wire::limits::MAX_TICKETS;

/// How often the file of a seat in use is rewritten, so that its time says when the seat was last used.
pub const SEEN_EVERY: Duration = Duration::from_mins(1);

/// Seats that were unused for longer are removed; servers keep paused games for a week by default.
pub const MAX_AGE: Duration = Duration::from_hours(30 * 24);

/// The most seats that are kept; beyond it the oldest are removed.
const MAX_SEATS: usize = 100;

/// Extension of the file of a seat that was given up. [`MAX_TICKETS`] of them are kept.
const GIVEN_UP: &str = "left";

/// Extension of a seat's lock file.
const LOCK: &str = "held";

/// The name of a seat's file, unique among all seats.
fn file_name(seat: &SavedSeat) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
    let server: String = seat.server.to_string().chars().map(plain).collect();
    format!("{}.{}@{server}.{EXTENSION}", seat.code, seat.player.0)
}

/// Opens and locks a file, and creates it if there is none; `None` if another window has locked it.
fn lock(path: &Path) -> Option<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Opening a pipe could block.
    let is_free = fs::metadata(path).map_or(true, |about| about.is_file());
    let file = is_free
        .then(|| options.create(true).truncate(false).read(true).write(true).open(path).ok())
        .flatten()?;
    match file.try_lock() {
        // Without locks in the file system, every window gets it.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        locked => locked.ok()?,
    }
    Some(file)
}

/// Whether a file is removed that was used last at `seen`, the given number from the newest.
fn is_old(number: usize, seen: SystemTime) -> bool {
    number >= MAX_SEATS || seen.elapsed().is_ok_and(|age| age > MAX_AGE)
}

/// Whether a seat is on this server. `default_port` applies to an address without a port.
fn is_there(seat: &SavedSeat, server: &Address, default_port: u16) -> bool {
    let place = |address: &Address| (address.host.to_lowercase(), address.port.unwrap_or(default_port));
    place(&seat.server) == place(server)
}

/// Locks a seat for this window until it is dropped.
#[derive(Debug)]
pub(super) struct SeatLock {
    path: PathBuf,
    _lock: File,
}

/// The folder with the saved seats.
#[derive(Debug, Clone)]
pub struct SeatStore {
    folder: PathBuf,
    /// A random number that identifies this window in the files of its seats.
    window: u64,
}

impl SeatStore {
    /// The seats in this folder, which is created once it is needed.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), window: fastrand::u64(..) }
    }

    /// The seats in this user's default folder; `None` if the system has none.
    pub fn in_default_folder() -> Option<Self> {
        let ours = AppStrategyArgs { app_name: "nim".into(), ..AppStrategyArgs::default() };
        let places = choose_app_strategy(ours).ok()?;
        Some(Self::at(places.state_dir().unwrap_or_else(|| places.data_dir()).join("seats")))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, seat: &SavedSeat) -> PathBuf {
        self.folder.join(file_name(seat))
    }

    /// Saves a seat, in place of its older file. A new one may remove the oldest ones.
    pub fn keep(&self, seat: &SavedSeat) -> io::Result<()> {
        let path = self.path(seat);
        if !path.exists() {
            // What cannot be removed now is removed another time.
            let _ = self.prune().and_then(|()| self.drop_older_seats(seat));
        }
        let kept = atomic::private_folder(&self.folder).and_then(|()| {
            let mut text = serde_json::to_vec(&SeatFile::of(seat, self.window))?;
            text.push(b'\n');
            atomic::write_private(&path, &text)
        });
        kept.map_err(|error| self.explain(&error))
    }

    /// Adds the folder to an error, and says if it is not a folder.
    pub fn explain(&self, error: &io::Error) -> io::Error {
        let folder = self.folder.display();
        let is_other = fs::symlink_metadata(&self.folder).is_ok() && !self.folder.is_dir();
        let words = if is_other {
            format!("{folder} is not a folder")
        } else {
            format!("{folder}: {}", ErrorText(error))
        };
        io::Error::new(error.kind(), words)
    }

    /// Removes seats and pending tickets that were unused for a month, and the oldest beyond the maximum, but
    /// never those that a window holds.
    pub fn prune(&self) -> io::Result<()> {
        for (number, (seat, seen)) in self.seen()?.into_iter().enumerate() {
            if is_old(number, seen) && !self.is_held(&seat) {
                self.give_up(&seat)?;
            }
        }
        self.prune_pending()
    }

    /// Removes older seats of the same name in the same lobby: a name has one seat there, so they were given
    /// up. Never removes seats that a window holds.
    fn drop_older_seats(&self, seat: &SavedSeat) -> io::Result<()> {
        let is_same =
            |old: &SavedSeat| (&old.server, old.code, &old.name) == (&seat.server, seat.code, &seat.name);
        for old in self.all()? {
            if is_same(&old) && old.player != seat.player && !self.is_held(&old) {
                self.give_up(&old)?;
            }
        }
        Ok(())
    }

    /// Whether another window has saved this seat since this one did.
    pub(super) fn is_superseded(&self, seat: &SavedSeat) -> bool {
        SeatFile::at(&self.path(seat)).is_some_and(|record| record.window != self.window)
    }

    /// Locks a seat, unless another window holds it.
    pub(super) fn lock(&self, seat: &SavedSeat) -> Option<SeatLock> {
        let path = self.path(seat).with_extension(LOCK);
        lock(&path).map(|lock| SeatLock { path, _lock: lock })
    }

    /// Whether a running window of this machine holds this seat.
    pub fn is_held(&self, seat: &SavedSeat) -> bool {
        let path = self.path(seat).with_extension(LOCK);
        let is_file = fs::metadata(&path).is_ok_and(|about| about.is_file());
        let file = if is_file { File::open(path).ok() } else { None };
        // A shared lock, since others may check at the same time.
        file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Removes a seat that is given up, but keeps its ticket, which opens the records of its games.
    pub fn give_up(&self, seat: &SavedSeat) -> io::Result<()> {
        let path = self.path(seat);
        let mark = u64::from_be_bytes(seat.ticket.hash().bytes()[..8].try_into().unwrap_or_default());
        match fs::rename(&path, path.with_extension(format!("{mark:016x}.{GIVEN_UP}"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => drop(fs::remove_file(path.with_extension(LOCK))),
        }
        self.forget_pending(seat.ticket)?;
        let superfluous = self.files(GIVEN_UP)?.into_iter().skip(MAX_TICKETS);
        superfluous.map(|(_, _, path)| path).try_for_each(fs::remove_file)
    }

    /// The tickets of seats on this server: of saved seats, then of given up ones, the newest first.
    /// `default_port` applies to an address without a port.
    pub fn tickets(&self, server: &Address, default_port: u16) -> io::Result<Vec<Ticket>> {
        let seats = self.files(EXTENSION)?.into_iter().chain(self.files(GIVEN_UP)?);
        let ours = seats.filter(|(seat, ..)| is_there(seat, server, default_port));
        Ok(ours.map(|(seat, ..)| seat.ticket).collect())
    }

    /// The saved seats on this server that no window holds, the last used first.
    pub fn free_on(&self, server: &Address, default_port: u16) -> io::Result<Vec<SavedSeat>> {
        let mut seats = self.all()?;
        seats.retain(|seat| is_there(seat, server, default_port) && !self.is_held(seat));
        Ok(seats)
    }

    /// Removes a seat and its ticket.
    pub fn forget(&self, seat: &SavedSeat) -> io::Result<()> {
        let path = self.path(seat);
        // Without the seat the lock file means nothing.
        let _ = fs::remove_file(path.with_extension(LOCK));
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// All saved seats, the last used first. Other files are skipped.
    pub fn all(&self) -> io::Result<Vec<SavedSeat>> {
        Ok(self.seen()?.into_iter().map(|(seat, _)| seat).collect())
    }

    /// The same, each with the time when it was last used, to [`SEEN_EVERY`].
    pub fn seen(&self) -> io::Result<Vec<(SavedSeat, SystemTime)>> {
        Ok(self.files(EXTENSION)?.into_iter().map(|(seat, seen, _)| (seat, seen)).collect())
    }

    /// All readable seats with this extension, the newest first: seat, time of writing, path.
    fn files(&self, ending: &str) -> io::Result<Vec<(SavedSeat, SystemTime, PathBuf)>> {
        let readable = |(seen, path): (SystemTime, PathBuf)| Some((read(&path)?, seen, path));
        Ok(self.paths(ending)?.into_iter().filter_map(readable).collect())
    }

    /// All files with this extension, the newest first: time of writing, path.
    fn paths(&self, ending: &str) -> io::Result<Vec<(SystemTime, PathBuf)>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let ours = paths.filter(|path| path.extension().is_some_and(|its| its == ending));
        let dated = |path: PathBuf| Some((fs::metadata(&path).ok()?.modified().ok()?, path));
        let mut found: Vec<_> = ours.filter_map(dated).collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        Ok(found)
    }

    /// The files of seats that cannot be read.
    pub fn unreadable(&self) -> Vec<PathBuf> {
        let paths = self.paths(EXTENSION).unwrap_or_default().into_iter().map(|(_, path)| path);
        let mut paths: Vec<PathBuf> = paths.filter(|path| read(path).is_none()).collect();
        paths.sort();
        paths
    }
}

impl SeatLock {
    /// Whether it locks this seat.
    pub(super) fn is_of(&self, seats: &SeatStore, seat: &SavedSeat) -> bool {
        self.path == seats.path(seat).with_extension(LOCK)
    }
}

#[cfg(test)]
mod tests;
