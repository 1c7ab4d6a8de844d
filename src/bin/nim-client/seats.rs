//! Saved seats: which one to resume, and how long to try to reconnect.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use clap_complete::engine::CompletionCandidate;
use nim::client::dial::Tcp;
use nim::client::failure::NoSeat;
use nim::client::redial::DEFAULT_PATIENCE;
use nim::client::words::home;
use nim::client::{Address, Endpoint, Failure, SavedSeat, SeatStatus, SeatStore};
use nim::game::notation::shown;
use nim::lobby::{BadCode, Code, Name};
use nim::server::{DEFAULT_PORT, duration};
use nim::system::ErrorText;
use nim::wire::ClientKind;

use crate::flags::StateFlag;
use crate::local_games::{self, GameFolder};

/// Flags for reconnecting.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReturnFlags {
    /// How long to try to reconnect after the connection is lost; 0 disables it [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    give_up: Option<Duration>,

    #[command(flatten)]
    pub(crate) state: StateFlag,
}

impl ReturnFlags {
    /// How to reach this server.
    pub(crate) fn endpoint(&self, address: &Address, name: &Name) -> Endpoint {
        Endpoint {
            address: address.clone(),
            others: Vec::new(),
            default_port: DEFAULT_PORT,
            name: name.clone(),
            kind: ClientKind::Person,
            patience: self.give_up.unwrap_or(DEFAULT_PATIENCE),
            network: Arc::new(Tcp),
        }
    }
}

/// A seat that can be resumed.
#[derive(Debug, Clone)]
pub(crate) struct ResumableSeat {
    pub(crate) status: SeatStatus,
    /// The folder of the game, unless the seat is on a server.
    pub(crate) folder: Option<GameFolder>,
}

impl ResumableSeat {
    /// A seat in a file of this store that was last written at `seen`.
    fn new(store: &SeatStore, (seat, seen): (SavedSeat, SystemTime), folder: Option<GameFolder>) -> Self {
        // Zero if the clock has been set back.
        let unheard = seen.elapsed().unwrap_or_default();
        let quiet = seat.happened.and_then(|at| at.elapsed().ok()).unwrap_or(unheard);
        let (is_here, is_held) = (folder.is_some(), store.is_held(&seat));
        Self { status: SeatStatus { seat, is_here, is_held, unheard, quiet }, folder }
    }

    /// Whether its game was last played this long ago or earlier, and no window has it open.
    pub(crate) fn is_older_than(&self, age: Duration) -> bool {
        self.status.quiet >= age && !self.status.is_held
    }

    /// Whether this is a local game that another window has open.
    pub(crate) fn is_open(&self) -> bool {
        self.status.is_held && self.status.is_here
    }
}

/// The codes of games that can be resumed, for completions.
pub(crate) fn codes() -> Vec<CompletionCandidate> {
    let found = StateFlag::from_environment().seats().and_then(|seats| all(&seats).ok()).unwrap_or_default();
    let going_on = found.into_iter().filter(|found| !found.status.seat.over);
    let code = |found: ResumableSeat| {
        let words = home::kept(&found.status);
        CompletionCandidate::new(found.status.seat.code.to_string()).help(Some(words.into()))
    };
    going_on.map(code).collect()
}

/// The seat that the command line names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The code of its lobby.
    pub(crate) code: Option<&'a str>,
    /// The player's name there.
    pub(crate) name: Option<&'a Name>,
}

impl Wanted<'_> {
    /// Whether any seat will do.
    pub(crate) fn is_any(&self) -> bool {
        self.code.is_none() && self.name.is_none()
    }

    /// Whether this seat is meant.
    pub(crate) fn is_met_by(&self, seat: &SavedSeat) -> bool {
        let is_there = |typed: &str| typed.parse::<Code>().is_ok_and(|code| code == seat.code);
        self.code.is_none_or(is_there) && self.name.is_none_or(|name| seat.name == *name)
    }

    /// The named lobby. Fails if the text is not a code; `nothing` says that no seat is saved.
    fn lobby(&self, nothing: bool) -> Result<Option<Code>, String> {
        let read = |typed: &str| typed.parse::<Code>().map_err(|error| no_code(typed, &error, nothing));
        self.code.map(read).transpose()
    }
}

/// The seat to resume: the named one, or the only one.
pub(crate) fn find(flags: &ReturnFlags, wanted: Wanted<'_>) -> Result<ResumableSeat, Failure> {
    let seats = flags.state.seats().ok_or_else(|| {
        NoSeat::because("this system has no place for your seats; name one with --state FOLDER")
    })?;
    let folder = seats.folder().display();
    // What cannot be removed now is removed another time.
    let _ = seats.prune();
    let found = all(&seats).map_err(|error| {
        NoSeat::because(format!("could not look for your seats in {folder}: {}", ErrorText(&error)))
    })?;
    // Only one window can have a local game open.
    let (open, found): (Vec<ResumableSeat>, Vec<ResumableSeat>) =
        found.into_iter().partition(ResumableSeat::is_open);
    // Only the wanted seats are listed, if there are any.
    let is_wanted = |found: &&ResumableSeat| wanted.is_met_by(&found.status.seat);
    let any_wanted = found.iter().any(|found| is_wanted(&found));
    let none = |why| -> Failure {
        let kept = found
            .iter()
            .filter(|found| !any_wanted || is_wanted(found))
            .map(|found| found.status.clone())
            .collect();
        NoSeat { why, kept, folder: flags.state.state.clone() }.into()
    };
    let lobby = wanted.lobby(found.is_empty() && open.is_empty()).map_err(none)?;
    let codes: Vec<Code> = open.iter().filter(is_wanted).map(|found| found.status.seat.code).collect();
    if !codes.is_empty() && !any_wanted {
        return Err(Failure::BeingPlayed(codes));
    }
    choose(&found, wanted, lobby, &seats).map_err(none)
}

/// The seat to resume, or why the choice is not clear. A seat that a window has open is chosen only if there
/// is no other.
fn choose(
    found: &[ResumableSeat],
    wanted: Wanted<'_>,
    lobby: Option<Code>,
    seats: &SeatStore,
) -> Result<ResumableSeat, String> {
    let mut met: Vec<&ResumableSeat> =
        found.iter().filter(|found| wanted.is_met_by(&found.status.seat)).collect();
    // Without a code, seats with a game in progress have precedence.
    if lobby.is_none() && met.iter().any(|found| !found.status.seat.over) {
        met.retain(|found| !found.status.seat.over);
    }
    let (held, free): (Vec<&ResumableSeat>, Vec<&ResumableSeat>) =
        met.into_iter().partition(|found| found.status.is_held);
    match (&free[..], &held[..]) {
        ([only], _) | ([], [only]) => Ok((*only).clone()),
        ([], []) => Err(none_of(lobby, wanted.name, seats)),
        // With the same lobby and name, the older seat is from an earlier time.
        ([newest, ..], _) | ([], [newest, ..]) if lobby.is_some() && wanted.name.is_some() => {
            Ok((*newest).clone())
        }
        _ => Err("several seats of yours are kept; say which one".into()),
    }
}

/// Removes a saved seat, unless a window has it open. Returns a message.
pub(crate) fn forget(flags: &ReturnFlags, resumable: &ResumableSeat) -> Result<String, Failure> {
    let none =
        |error: &dyn std::fmt::Display| NoSeat::because(format!("the seat cannot be forgotten: {error}"));
    let seats = flags.state.seats().ok_or_else(|| none(&"this system has no place for your seats"))?;
    let ResumableSeat { status: SeatStatus { seat, is_held, .. }, folder } = resumable;
    let code = seat.code;
    if *is_held {
        return Err(none(&format!("a window of yours has {code} open; type leave there")).into());
    }
    Ok(match folder {
        None => {
            seats.give_up(seat).map_err(|error| none(&error))?;
            format!(
                "This machine forgets your seat in {code} on {}. Your opponent there is not told.",
                seat.server
            )
        }
        Some(folder) => {
            folder.give_up();
            folder.tidy();
            format!("The game in {code} is not offered any more.")
        }
    })
}

/// Removes all saved seats whose games were last played this long ago or earlier, and which no window has
/// open. Returns a message.
pub(crate) fn forget_old(flags: &ReturnFlags, age: Duration) -> Result<String, Failure> {
    let found = flags.state.seats().and_then(|seats| all(&seats).ok()).unwrap_or_default();
    let forgotten = forget_all(flags, found.iter().filter(|found| found.is_older_than(age)))?;
    Ok(format!("Saved seats: {forgotten} forgotten, {} kept.", found.len() - forgotten))
}

/// Removes these saved seats. Returns how many.
pub(crate) fn forget_all<'a>(
    flags: &ReturnFlags,
    seats: impl Iterator<Item = &'a ResumableSeat>,
) -> Result<usize, Failure> {
    Ok(seats.map(|found| forget(flags, found)).collect::<Result<Vec<String>, Failure>>()?.len())
}

/// The error that no such seat is saved; it names files that cannot be read.
fn none_of(lobby: Option<Code>, name: Option<&Name>, seats: &SeatStore) -> String {
    let name = name.map_or_else(String::new, |name| format!(" as {name}"));
    let lobby = lobby.map_or_else(String::new, |code| format!(" in {code}"));
    let none =
        format!("you have no unfinished game{lobby}{name}; they are kept in {}", seats.folder().display());
    let files: Vec<String> = seats.unreadable().iter().map(|path| path.display().to_string()).collect();
    if files.is_empty() {
        return none;
    }
    format!("{none}; files there cannot be read, so that their seats are lost: {}", files.join(", "))
}

/// All seats that can be resumed, those first in whose games something has happened last: that is the time
/// that is shown of each.
pub(crate) fn all(seats: &SeatStore) -> std::io::Result<Vec<ResumableSeat>> {
    let mut all: Vec<ResumableSeat> =
        seats.seen()?.into_iter().map(|seen| ResumableSeat::new(seats, seen, None)).collect();
    all.extend(local_games::folders(seats).into_iter().filter_map(|folder| {
        let store = folder.seats();
        let seen = store.seen().ok()?.into_iter().next()?;
        Some(ResumableSeat::new(&store, seen, Some(folder)))
    }));
    // The times are whole seconds: of two games in the same one, the last used comes first.
    let now = SystemTime::now();
    let happened = |SeatStatus { seat, unheard, .. }: &SeatStatus| {
        seat.happened.or(now.checked_sub(*unheard)).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    all.sort_by_key(|found| (Reverse(happened(&found.status)), found.status.unheard));
    Ok(all)
}

/// The error for a text that is not a code.
fn no_code(typed: &str, error: &BadCode, empty: bool) -> String {
    let typed = shown(typed);
    let there = if empty { "you have no unfinished game" } else { "these games of yours are kept" };
    let error = error.to_string();
    let between = if error.ends_with('?') { " Now" } else { ";" };
    format!("{typed}: {error}{between} {there}")
}
