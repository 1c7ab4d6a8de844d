//! Coming back: for how long to try when the connection is lost, and which seat of an earlier run to take up again.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use nim::client::dial::Tcp;
use nim::client::failure::{Choice, NoSeat};
use nim::client::reconnect::USUAL_PATIENCE;
use nim::client::{Address, Endpoint, Failure, SavedSeat, SeatStore};
use nim::game::notation::shown;
use nim::lobby::{BadCode, Code, Name};
use nim::server::{DEFAULT_PORT, duration};
use nim::system::Said;

use crate::flags::StateFlag;
use crate::local_games::{self, LocalGame};

/// What to do when the connection is lost.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReturnFlags {
    /// How long to try to come back once the connection is lost, 0 for not at all [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    give_up: Option<Duration>,

    #[command(flatten)]
    state: StateFlag,
}

/// What somebody can go on with.
#[derive(Debug, Clone)]
pub(crate) enum Kept {
    /// A seat on a server.
    There(SavedSeat),
    /// A game at this keyboard.
    Here(LocalGame),
}

impl Kept {
    fn code(&self) -> Code {
        match self {
            Self::There(seat) => seat.code,
            Self::Here(game) => game.mine.code,
        }
    }

    /// The seat, and whether it is at this keyboard.
    pub(crate) fn seat(&self) -> (&SavedSeat, bool) {
        match self {
            Self::There(seat) => (seat, false),
            Self::Here(game) => (&game.mine, true),
        }
    }

    fn name(&self) -> &Name {
        match self {
            Self::There(seat) => &seat.name,
            Self::Here(game) => &game.mine.name,
        }
    }

    /// Whether a living window of this machine has it; `seats` are all that are on servers.
    fn is_held(&self, seats: &SeatStore) -> bool {
        match self {
            Self::There(seat) => seats.is_held(seat),
            Self::Here(game) => game.folder.seats().is_held(&game.mine),
        }
    }
}

impl ReturnFlags {
    /// The way to this server.
    pub(crate) fn endpoint(&self, address: &Address, name: &Name) -> Endpoint {
        Endpoint {
            address: address.clone(),
            default_port: DEFAULT_PORT,
            name: name.clone(),
            patience: self.give_up.unwrap_or(USUAL_PATIENCE),
            network: Arc::new(Tcp),
        }
    }

    /// Where seats are kept, if there is a place.
    pub(crate) fn seats(&self) -> Option<SeatStore> {
        self.state.seats()
    }

    /// Where things of this person are kept.
    pub(crate) fn state(&self) -> StateFlag {
        self.state.clone()
    }
}

/// What can be gone on with, and whether somebody does so already.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) kept: Kept,
    pub(crate) is_held: bool,
    /// When it was last heard of.
    pub(crate) seen: SystemTime,
}

impl Found {
    /// Whether it is a game that is being played in another window of this keyboard.
    pub(crate) fn is_open(&self) -> bool {
        self.is_held && matches!(self.kept, Kept::Here(_))
    }

    /// Whether the last game there is over, so that there is nothing to go on with.
    pub(crate) fn is_over(&self) -> bool {
        self.kept.seat().0.over
    }

    fn into_choice(self) -> Choice {
        let (seat, is_here) = match self.kept {
            Kept::There(seat) => (seat, false),
            Kept::Here(game) => (game.mine, true),
        };
        // A clock that was set back since then knows of no time that has passed.
        Choice { seat, is_here, is_held: self.is_held, unheard: self.seen.elapsed().unwrap_or_default() }
    }
}

/// Which seat is wanted, as far as that was said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The code of its lobby.
    pub(crate) code: Option<&'a str>,
    /// What its owner is called there.
    pub(crate) name: Option<&'a Name>,
}

impl Wanted<'_> {
    /// The lobby, if one is named; what was typed may be no code, and nothing may be kept.
    fn lobby(&self, nothing: bool) -> Result<Option<Code>, String> {
        let read = |typed: &str| typed.parse::<Code>().map_err(|error| no_code(typed, &error, nothing));
        self.code.map(read).transpose()
    }

    fn is_met_by(&self, kept: &Kept, lobby: Option<Code>) -> bool {
        lobby.is_none_or(|code| kept.code() == code) && self.name.is_none_or(|name| kept.name() == name)
    }
}

/// What is to be gone on with: what is wanted, or the only one there is.
pub(crate) fn kept(flags: &ReturnFlags, wanted: Wanted<'_>) -> Result<Kept, Failure> {
    let seats = flags.seats().ok_or_else(|| {
        NoSeat::because("this system has no place for your seats; name one with --state FOLDER")
    })?;
    let folder = seats.folder().display();
    // What cannot be forgotten now is so another time.
    let _ = seats.tidy();
    let found = all(&seats).map_err(|error| {
        NoSeat::because(format!("could not look for your seats in {folder}: {}", Said(&error)))
    })?;
    // A game has one window at a time, and what one has nobody else can be offered.
    let (open, found): (Vec<Found>, Vec<Found>) = found.into_iter().partition(Found::is_open);
    let none = |why| -> Failure {
        let kept = found.iter().cloned().map(Found::into_choice).collect();
        NoSeat { why, kept, folder: flags.state.state.clone() }.into()
    };
    let lobby = wanted.lobby(found.is_empty() && open.is_empty()).map_err(none)?;
    let is_wanted = |found: &&Found| wanted.is_met_by(&found.kept, lobby);
    let codes: Vec<Code> = open.iter().filter(is_wanted).map(|found| found.kept.code()).collect();
    if !codes.is_empty() && !found.iter().any(|found| is_wanted(&found)) {
        return Err(Failure::BeingPlayed(codes));
    }
    choose(&found, wanted, lobby, &seats).map_err(none)
}

/// What is meant, or why it is none of these. A window that lives is not thrown out as long as there is another choice.
fn choose(
    found: &[Found],
    wanted: Wanted<'_>,
    lobby: Option<Code>,
    seats: &SeatStore,
) -> Result<Kept, String> {
    let mut met: Vec<&Found> = found.iter().filter(|found| wanted.is_met_by(&found.kept, lobby)).collect();
    // Whoever names no seat means one where there is something to go on with, if there is any.
    if lobby.is_none() && met.iter().any(|found| !found.is_over()) {
        met.retain(|found| !found.is_over());
    }
    let (held, free): (Vec<&Found>, Vec<&Found>) = met.into_iter().partition(|found| found.is_held);
    match (&free[..], &held[..]) {
        ([only], _) | ([], [only]) => Ok(only.kept.clone()),
        ([], []) => Err(none_of(lobby, wanted.name, seats)),
        // There is no more to say of it: of the same name in the same lobby the older one is of an earlier time.
        ([newest, ..], _) | ([], [newest, ..]) if lobby.is_some() && wanted.name.is_some() => {
            Ok(newest.kept.clone())
        }
        _ => Err("several seats of yours are kept; say which one".into()),
    }
}

/// Removes a seat from those that are kept, unless a window has it. Returns what is told of that.
pub(crate) fn forget(flags: &ReturnFlags, kept: &Kept) -> Result<String, Failure> {
    let none =
        |error: &dyn std::fmt::Display| NoSeat::because(format!("the seat cannot be forgotten: {error}"));
    let seats = flags.seats().ok_or_else(|| none(&"this system has no place for your seats"))?;
    let code = kept.code();
    if kept.is_held(&seats) {
        return Err(none(&format!("a window of yours has {code} open; type leave there")).into());
    }
    Ok(match kept {
        Kept::There(seat) => {
            seats.give_up(seat).map_err(|error| none(&error))?;
            format!(
                "Your seat in {code} is forgotten here. {} is not told: whoever waits for you there waits on as was agreed.",
                seat.server
            )
        }
        Kept::Here(game) => {
            game.folder.give_up();
            game.folder.tidy();
            format!("The game in {code} is not offered any more.")
        }
    })
}

/// That nothing is kept of what was wanted, and which files may have been it.
fn none_of(lobby: Option<Code>, name: Option<&Name>, seats: &SeatStore) -> String {
    let name = name.map_or_else(String::new, |name| format!(" as {name}"));
    let lobby = lobby.map_or_else(String::new, |code| format!(" in {code}"));
    let none = format!("no seat of yours{lobby}{name} is kept in {}", seats.folder().display());
    let files: Vec<String> = seats.unreadable().iter().map(|path| path.display().to_string()).collect();
    match &files[..] {
        [] => none,
        [file] => format!("{none}; a file there cannot be read, so that its seat is lost: {file}"),
        files => {
            format!("{none}; files there cannot be read, so that their seats are lost: {}", files.join(", "))
        }
    }
}

/// All of it, what was heard of last first.
pub(crate) fn all(seats: &SeatStore) -> std::io::Result<Vec<Found>> {
    let there = seats.seen()?.into_iter().map(|(seat, seen)| (Kept::There(seat), seen));
    let here = local_games::kept(seats).into_iter().map(|game| (game.seen, Kept::Here(game)));
    let found = there.chain(here.map(|(seen, game)| (game, seen)));
    let mut all: Vec<Found> =
        found.map(|(kept, seen)| Found { is_held: kept.is_held(seats), kept, seen }).collect();
    all.sort_by_key(|found| Reverse(found.seen));
    Ok(all)
}

/// What was typed is no code at all.
fn no_code(typed: &str, error: &BadCode, empty: bool) -> String {
    let typed = shown(typed);
    let there = if empty { "no seat of yours is kept" } else { "these seats of yours are kept" };
    format!("{typed}: {error}; {there}")
}
