//! The seats to which this person can come back, kept in files: where each is, and the ticket that proves it.
//! It knows no connection and no lobby beyond its code.
//!
//! One seat is one file, readable by its owner alone, and always whole: it is written beside the old one and
//! put in its place. Several windows may share a folder. A window holds the seat that it has by a lock, which
//! ends with the window however that ends.
//!
//! The file of a seat that was given up gets another ending: its ticket opens the records of what was played
//! there. The ticket of a request for a new seat has a file of its own until there is a seat: a program that
//! ends before the answer may have one without knowing it.

pub(super) mod pending_ticket;
mod seat_file;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_app_strategy};

use self::seat_file::{ENDING, SeatFile, read};
use super::atomic_file;
use super::{Address, SavedSeat};
use crate::system::Said;
use crate::wire::Ticket;
use crate::wire::limits::MAX_TICKETS;

/// How often the file of a seat in use is written again, so that its time tells when the seat was last used.
pub const SEEN_EVERY: Duration = Duration::from_mins(1);

/// Seats that were not used for this time are forgotten; servers keep paused games for a week by default.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);

/// The most seats that are kept; beyond it the oldest are forgotten.
const MAX_SEATS: usize = 100;

/// How the files end of seats that were given up. As many are kept as tickets can be shown with one request.
const LEFT: &str = "left";

/// How the files end that windows lock which have a seat.
const HELD: &str = "held";

/// The name of its file: no two seats have the same.
fn file_name(seat: &SavedSeat) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
    let server: String = seat.server.to_string().chars().map(plain).collect();
    format!("{}.{}@{server}.{ENDING}", seat.code, seat.player.0)
}

/// Opens a file for this window alone, and makes it if there is none; `None` if another window has it.
fn lock(path: &Path) -> Option<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Opening a pipe could block.
    let is_free = fs::metadata(path).map_or(true, |about| about.is_file());
    let file = is_free.then(|| options.create(true).read(true).append(true).open(path).ok()).flatten()?;
    match file.try_lock() {
        // Where the file system knows no locks, every window holds it.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        locked => locked.ok()?,
    }
    Some(file)
}

/// That a living window has a seat, until this is dropped.
#[derive(Debug)]
pub(super) struct SeatLock {
    path: PathBuf,
    _lock: File,
}

/// The folder with the seats.
#[derive(Debug, Clone)]
pub struct SeatStore {
    folder: PathBuf,
    /// Tells this window from others: what it writes into the files of its seats.
    window: u64,
}

impl SeatStore {
    /// The seats in this folder, which is made once it is needed.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), window: fastrand::u64(..) }
    }

    /// The seats where this system keeps such things of this person; `None` if it has no place for them.
    pub fn in_default_folder() -> Option<Self> {
        let ours = AppStrategyArgs { app_name: "nim".into(), ..AppStrategyArgs::default() };
        let places = choose_app_strategy(ours).ok()?;
        Some(Self::at(places.state_dir().unwrap_or_else(|| places.data_dir()).join("seats")))
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, seat: &SavedSeat) -> PathBuf {
        self.folder.join(file_name(seat))
    }

    /// Keeps a seat, in place of what was known of it. A new one may make room for itself.
    pub fn keep(&self, seat: &SavedSeat) -> io::Result<()> {
        let path = self.path(seat);
        if !path.exists() {
            // What cannot be forgotten now is so another time.
            let _ = self.prune().and_then(|()| self.drop_older_seats(seat));
        }
        let kept = atomic_file::private_folder(&self.folder).and_then(|()| {
            let mut text = serde_json::to_vec(&SeatFile::of(seat, self.window))?;
            text.push(b'\n');
            atomic_file::write_private(&path, &text)
        });
        kept.map_err(|error| self.explain(&error))
    }

    /// What is wrong with the folder, by its name.
    pub fn explain(&self, error: &io::Error) -> io::Error {
        let folder = self.folder.display();
        let is_other = fs::symlink_metadata(&self.folder).is_ok() && !self.folder.is_dir();
        let words =
            if is_other { format!("{folder} is no folder") } else { format!("{folder}: {}", Said(error)) };
        io::Error::new(error.kind(), words)
    }

    /// Forgets the seats that nobody comes back to any more: those of which nothing has been heard for a
    /// month, and the oldest of too many. Of those that windows have, none.
    pub fn prune(&self) -> io::Result<()> {
        let is_old = |seen: SystemTime| seen.elapsed().is_ok_and(|age| age > MAX_AGE);
        for (number, (seat, seen)) in self.seen()?.into_iter().enumerate() {
            if (is_old(seen) || number >= MAX_SEATS) && !self.is_held(&seat) {
                self.give_up(&seat)?;
            }
        }
        Ok(())
    }

    /// Forgets the seats that the person of this one had before it in the same lobby: nobody has two there by
    /// one name, so those were left. Of those that windows have, none.
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

    /// Whether another window has kept this seat since this one did.
    pub(super) fn is_superseded(&self, seat: &SavedSeat) -> bool {
        SeatFile::at(&self.path(seat)).is_some_and(|record| record.window != self.window)
    }

    /// Holds a seat, unless another window has it.
    pub(super) fn hold(&self, seat: &SavedSeat) -> Option<SeatLock> {
        let path = self.path(seat).with_extension(HELD);
        lock(&path).map(|lock| SeatLock { path, _lock: lock })
    }

    /// Whether a living window of this machine has this seat.
    pub fn is_held(&self, seat: &SavedSeat) -> bool {
        let path = self.path(seat).with_extension(HELD);
        let is_file = fs::metadata(&path).is_ok_and(|about| about.is_file());
        let file = if is_file { File::open(path).ok() } else { None };
        // A shared lock, since others may check at the same time.
        file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Forgets a seat that is given up, but for its ticket, which opens the records of what was played there.
    pub fn give_up(&self, seat: &SavedSeat) -> io::Result<()> {
        let path = self.path(seat);
        let mark = u64::from_be_bytes(seat.ticket.hash().bytes()[..8].try_into().unwrap_or_default());
        match fs::rename(&path, path.with_extension(format!("{mark:016x}.{LEFT}"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => drop(fs::remove_file(path.with_extension(HELD))),
        }
        let superfluous = self.files(LEFT)?.into_iter().skip(MAX_TICKETS);
        superfluous.map(|(_, _, path)| path).try_for_each(fs::remove_file)
    }

    /// The tickets of seats on the server at this address, of those that are kept and of those that were
    /// given up, the newest first. `default_port` stands for the port where none is named.
    pub fn tickets(&self, server: &Address, default_port: u16) -> io::Result<Vec<Ticket>> {
        let place = |address: &Address| (address.host.to_lowercase(), address.port.unwrap_or(default_port));
        let seats = self.files(ENDING)?.into_iter().chain(self.files(LEFT)?);
        let ours = seats.filter(|(seat, ..)| place(&seat.server) == place(server));
        Ok(ours.map(|(seat, ..)| seat.ticket).collect())
    }

    /// Forgets a seat, and its ticket with it.
    pub fn forget(&self, seat: &SavedSeat) -> io::Result<()> {
        let path = self.path(seat);
        // It says nothing without the seat, whether or not it is still there.
        let _ = fs::remove_file(path.with_extension(HELD));
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// All saved seats, the last used first. Other files are skipped.
    pub fn all(&self) -> io::Result<Vec<SavedSeat>> {
        Ok(self.seen()?.into_iter().map(|(seat, _)| seat).collect())
    }

    /// The same, each with the time when its lobby was last heard of, to [`SEEN_EVERY`].
    pub fn seen(&self) -> io::Result<Vec<(SavedSeat, SystemTime)>> {
        Ok(self.files(ENDING)?.into_iter().map(|(seat, seen, _)| (seat, seen)).collect())
    }

    /// All files with this ending that can be read, the newest first: each with its seat, and when it was
    /// written.
    fn files(&self, ending: &str) -> io::Result<Vec<(SavedSeat, SystemTime, PathBuf)>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let ours = paths.filter(|path| path.extension().is_some_and(|its| its == ending));
        let mut found: Vec<_> =
            ours.filter_map(|path| read(&path).map(|(seat, seen)| (seat, seen, path))).collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.2.cmp(&b.2)));
        Ok(found)
    }

    /// The files among them that cannot be read as a seat.
    pub fn unreadable(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let is_ours = |path: &PathBuf| path.extension().is_some_and(|ending| ending == ENDING);
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_ours).collect();
        paths.retain(|path| read(path).is_none());
        paths.sort();
        paths
    }
}

impl SeatLock {
    /// Whether it is of this seat.
    pub(super) fn is_of(&self, seats: &SeatStore, seat: &SavedSeat) -> bool {
        self.path == seats.path(seat).with_extension(HELD)
    }
}

#[cfg(test)]
mod tests;
