//! The entries that are recorded, the lobbies that are loaded, and storage errors.

use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use super::password::PasswordHash;
use crate::game::BySide;
use crate::lobby::{Checkpoint, Code, Conditions, Event, Lobby, Moment, Name, Player, PlayerId};
use crate::number::{millis, saturating};
use crate::wire::{ToClient, TokenHash, decode};

/// What the row of an event takes besides its frame, and what that of a lobby, a game or an owner takes besides
/// its variant or names.
const ROW_BYTES: u32 = 36;
const GAME_BYTES: u32 = 160;

/// A lobby's number among all that the server ever had. Unlike a code it is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LobbyId(pub u64);

/// The time of day, in milliseconds since 1970 began in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallTime(pub u64);

impl WallTime {
    /// The time of the host's clock, but not before 1970.
    pub fn now() -> Self {
        Self(millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()))
    }
}

/// A note about a lobby, to be recorded.
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
    Opened(LobbyMeta),
    /// An event happened in the lobby.
    Happened {
        /// The event's number in the lobby, from 1.
        number: u32,
        /// When, in the lobby's time.
        at: Moment,
        /// The event itself, for tables that are made of events.
        event: Event,
        /// The frame of the protocol in which the event is sent.
        frame: Bytes,
        /// Who plays the game that starts with the event, if one does.
        players: Option<Box<BySide<Player>>>,
    },
    /// A player holds a seat. Replaces what was recorded of this player before.
    Seated(Owner),
    /// A player gave up the seat. Their ticket opens the records of their games from now on, and nothing
    /// else.
    Unseated(PlayerId),
    /// The lobby after its last event. Replaces the one before.
    Checkpoint(Box<Checkpoint>),
}

impl Note {
    /// About how many bytes it takes in the journal, with its indices: a test compares that with a file. A
    /// checkpoint replaces the one before it.
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Happened { frame, players, .. } => {
                let named = |players: &BySide<Player>| {
                    name_bytes(&players.first.name) + name_bytes(&players.second.name)
                };
                let game = players.as_deref().map_or(0, |players| GAME_BYTES + named(players));
                saturating::<u32, _>(frame.len()).saturating_add(ROW_BYTES + game)
            }
            Self::Opened(meta) => saturating::<u32, _>(meta.variant.len()).saturating_add(GAME_BYTES),
            Self::Seated(owner) => GAME_BYTES + name_bytes(&owner.name),
            Self::Unseated(_) | Self::Checkpoint(_) => 0,
        }
    }
}

fn name_bytes(name: &Name) -> u32 {
    saturating(name.as_str().len())
}

/// How a lobby was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LobbyMeta {
    /// The lobby's code.
    pub code: Code,
    /// What is played, as text.
    pub variant: String,
    /// What was agreed.
    pub conditions: Conditions,
    /// The password for joining and watching, if there is one.
    pub password: Option<PasswordHash>,
    /// The address from which it was opened.
    pub opener: IpAddr,
}

/// Who holds a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The player.
    pub player: PlayerId,
    /// The name that is kept for them.
    pub name: Name,
    /// The hash of the ticket for the seat.
    pub seat: TokenHash,
}

/// An open lobby as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLobby {
    /// Which one.
    pub lobby: LobbyId,
    /// When it was opened.
    pub opened: WallTime,
    /// How.
    pub meta: LobbyMeta,
    /// The lobby as it was after one of its events, if that was recorded.
    pub checkpoint: Option<Checkpoint>,
    /// The frames of all events after the checkpoint, the first event first.
    pub events: Vec<Bytes>,
    /// Who holds its seats, in the order of the players' numbers.
    pub owners: Vec<Owner>,
}

/// What a start has found, besides the lobbies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loaded {
    /// The number of the next lobby, which is higher than any that was ever used.
    pub next: LobbyId,
    /// How many events had to be read, of open and of closed lobbies.
    pub events: u64,
}

/// Applies the event in the body of a frame as the next event of a lobby. Returns when it happened.
///
/// # Errors
///
/// What is wrong with the event, as the end of a sentence.
pub fn replay(lobby: &mut Lobby, body: &[u8]) -> Result<Moment, String> {
    let next = lobby.last_event().saturating_add(1);
    let Ok(ToClient::Lobby { number, at, event }) = decode(body) else {
        return Err(format!("event {next} is no event"));
    };
    if number != next || lobby.apply(&event, at).is_err() {
        return Err(format!("event {next} cannot have happened there"));
    }
    Ok(at)
}

/// Checks that everybody with a seat can return: `is_kept` tells whether a player's ticket hash is stored.
///
/// # Errors
///
/// Who cannot return, as the end of a sentence.
pub fn check_seats(lobby: &Lobby, is_kept: impl Fn(&Player) -> bool) -> Result<(), String> {
    let players = lobby.seats().iter().filter_map(|(_, seat)| seat.as_ref());
    match players.filter(|player| player.kind.is_client()).find(|player| !is_kept(player)) {
        Some(lost) => Err(format!("no ticket of {} is kept", lost.name)),
        None => Ok(()),
    }
}

/// A lobby whose rows cannot be trusted.
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

/// How much of the past is kept. Open lobbies are never pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Lobbies that were closed before this are pruned.
    pub since: WallTime,
    /// Those of them that were closed before this were too old when the server started: of their finished
    /// games no more are pruned than a tenth of the whole history.
    pub old: WallTime,
    /// Others are pruned while the journal takes more than this number of bytes.
    pub bytes: u64,
}

/// What one call has pruned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many lobbies.
    pub lobbies: u64,
    /// How many finished games they had that were too old.
    pub games_by_age: u64,
    /// How many others they had.
    pub games_by_size: u64,
    /// Whether nothing more is to be pruned now.
    pub is_done: bool,
    /// Whether lobbies are kept that are too old: see [`Bounds::old`].
    pub keeps_old: bool,
    /// The address that takes most, if only its open lobbies are left: nothing can be pruned for size until
    /// some of them are closed.
    pub blocked_by: Option<IpAddr>,
}

/// A storage error, with one text for the host and one for players.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct StorageError {
    /// For the host: what is wrong, where, and what to do about it.
    pub cause: String,
    /// For players, who see none of the host's files: what is wrong, as the end of a sentence.
    pub for_players: &'static str,
}

impl StorageError {
    /// The text for players where recorded bytes are not what was written.
    pub const DAMAGED: &str = "the journal was damaged";

    /// The text for players where the disk is full.
    pub const FULL: &str = "the disk is full";

    /// The text for players where this server will never record anything again: another one records for it.
    pub const FENCED_OFF: &str = "the game goes on in another server";

    /// The text for players where the part of the program that records has failed.
    pub const PROGRAM_FAILED: &str = "the server's program has failed";

    /// Whether the disk is full, so that pruning helps.
    pub fn is_full(&self) -> bool {
        self.for_players == Self::FULL
    }

    /// Whether recorded bytes are not what was written, so that a retry would not help.
    pub fn is_damage(&self) -> bool {
        self.for_players == Self::DAMAGED
    }

    /// Whether nothing will ever be recorded by this server again, so that it is to end.
    pub fn is_final(&self) -> bool {
        self.for_players == Self::FENCED_OFF
    }

    /// Whether the program is to be started again. A server that is alone waits for its host, since all of its games wait too.
    pub fn is_of_program(&self) -> bool {
        self.for_players == Self::PROGRAM_FAILED
    }

    /// An error for which the text for players only says that the journal cannot be used.
    pub fn of_host(cause: impl Into<String>) -> Self {
        Self::new("the journal cannot be used", cause)
    }

    /// An error with a text for players and one for the host.
    pub fn new(for_players: &'static str, cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), for_players }
    }
}
