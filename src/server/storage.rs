//! What the server asks of storage. Another engine can take this one's place: all that it has to do is on this screen.
//!
//! It knows no sockets and no tables. A lobby is here what was recorded of it: how it was opened, each event in the very bytes
//! in which it is told, and whose the seats are. What that comes to is for [`crate::lobby`] to say.

use std::fmt;
use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use crate::lobby::{Code, Conditions, Event, Moment, Name, PlayerId};

mod archive;
mod lock;
mod memory;
mod seal;
pub mod sqlite;

pub use archive::{Archive, GameCursor, GamePage, MAX_READ, OwnSeats, PastGame};
pub use lock::Lock;
pub use memory::Memory;
pub use seal::Seal;
pub use sqlite::Sqlite;

/// Where a server keeps what must not be lost. One thread has it at a time, and never one that moves frames.
pub trait Storage: fmt::Debug + Send {
    /// Records all of these, in this order, or none. When it returns they are as firm as the host asked for. After a trouble
    /// the same are to be tried again, and others behind them.
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError>;

    /// How long of what was recorded last it took until the disk had it, synced where the host asked for that; zero where there
    /// is no disk.
    fn synced_in(&self) -> Duration {
        Duration::ZERO
    }

    /// All lobbies that are not closed, by their numbers; of one that is damaged, what is wrong with it. Returns the number for
    /// the next lobby: it is higher than all that ever were, those included that are forgotten.
    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError>;

    /// Leaves a lobby alone from now on that cannot be trusted. What there is of it stays for whoever wants to look.
    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError>;

    /// All lobbies that were set aside, by their numbers.
    fn aside(&mut self) -> Result<Vec<Damage>, StorageError>;

    /// Forgets closed lobbies and those set aside, the oldest first, as long as they are older or all takes more room than this.
    /// Returns how many: a bounded number, so that nobody waits for long, and a lobby that is too large to be forgotten at once counts
    /// for each piece. Ask again until it is none.
    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError>;

    /// Sees whether anything can be recorded now, and records nothing.
    fn try_out(&mut self) -> Result<(), StorageError>;

    /// Sees whether all that was recorded will be found by whoever opens the storage next.
    fn prove(&mut self) -> Result<(), StorageError>;

    /// A way to read what was recorded, for another thread: it sees what is recorded from now on too.
    fn archive(&self) -> Result<Box<dyn Archive>, StorageError>;
}

/// A lobby's number among all that the server ever had. It is never given twice, as a code may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LobbyId(pub u64);

/// The time of day, in milliseconds since 1970 began in Greenwich.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallTime(pub u64);

impl WallTime {
    /// What the host's clock says; 1970 if it says something earlier.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Something to be recorded of a lobby.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Which lobby.
    pub lobby: LobbyId,
    /// When, by the host's clock.
    pub wall: WallTime,
    /// What.
    pub note: Note,
}

/// What is recorded.
#[derive(Debug, Clone)]
pub enum Note {
    /// The lobby was opened.
    Opened(Opening),
    /// Something happened there.
    Happened {
        /// The event's number in the lobby, from 1.
        number: u32,
        /// When, by the lobby's time.
        at: Moment,
        /// What, for whoever sums up.
        event: Event,
        /// What is told of it, as a whole frame of the protocol.
        frame: Bytes,
    },
    /// Whose a seat is, now: instead of what was recorded of this player before.
    Seated(Owner),
    /// A player has no seat any more. Their newest ticket opens the record of what they played, and nothing else.
    Unseated(PlayerId),
}

/// How a lobby was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The name under which it is found.
    pub code: Code,
    /// What is played, as text.
    pub variant: String,
    /// What was agreed.
    pub conditions: Conditions,
    /// What opens it to whoever joins or watches.
    pub lock: Option<Lock>,
    /// From where it was opened.
    pub opener: IpAddr,
}

/// Whose a seat is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The player.
    pub player: PlayerId,
    /// The name that is kept for them.
    pub name: Name,
    /// The seal of their newest ticket.
    pub newest: Seal,
    /// That of the ticket for which it was given, as long as the newest one is not known to have arrived.
    pub shown: Option<Seal>,
    /// A ticket of theirs is known to have arrived.
    pub arrived: bool,
}

impl Owner {
    /// The seals of the tickets that are theirs at the moment.
    pub fn seals(&self) -> impl Iterator<Item = Seal> {
        self.shown.into_iter().chain([self.newest])
    }
}

/// A lobby as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLobby {
    /// Which one.
    pub lobby: LobbyId,
    /// When it was opened.
    pub opened: WallTime,
    /// How.
    pub opening: Opening,
    /// All that happened, the first event first: whole frames, as they were told.
    pub events: Vec<Bytes>,
    /// Whose the seats are.
    pub owners: Vec<Owner>,
}

/// A lobby whose record cannot be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("lobby {}{}: {why}", lobby.0, code.map_or_else(String::new, |code| format!(" ({code})")))]
pub struct Damage {
    /// Which one.
    pub lobby: LobbyId,
    /// Its code, if that can be read.
    pub code: Option<Code>,
    /// What is wrong, as the end of a sentence.
    pub why: String,
}

/// How much of the past is kept. What is in use is never cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Closed lobbies whose last event was before this are forgotten, and those set aside before it.
    pub since: WallTime,
    /// Others are forgotten as long as all takes more than so many bytes.
    pub bytes: u64,
}

/// Something could not be recorded or read, in a sentence each for the host and for those who play.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct StorageError {
    /// What is wrong, where, and what the host can do about it.
    pub cause: String,
    /// What is wrong with the host, as the end of a sentence: for people who see none of its files.
    pub told: &'static str,
}

impl StorageError {
    /// What those who play are told where what was recorded is not as it was written.
    pub const DAMAGED: &str = "the journal was damaged";

    /// Whether what was recorded is not as it was written, so that another try would not help.
    pub fn is_damage(&self) -> bool {
        self.told == Self::DAMAGED
    }

    /// One that is the host's alone.
    pub fn of_host(cause: impl Into<String>) -> Self {
        Self::new("the journal cannot be used", cause)
    }

    /// What those who play are told, and the host.
    pub fn new(told: &'static str, cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), told }
    }
}
