//! Coming back: for how long to try when the connection is lost, and which seat of an earlier run to take up again.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use nim::client::comeback::USUAL_PATIENCE;
use nim::client::dial::Tcp;
use nim::client::failure::{Choice, NoSeat};
use nim::client::{Address, Failure, KeptSeat, Seats, Way};
use nim::game::notation::shown;
use nim::lobby::{BadCode, Code, Name};
use nim::server::{DEFAULT_PORT, duration};

use crate::keyboard::{self, KeptGame};

/// What to do when the connection is lost.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReturnFlags {
    /// How long to try to come back once the connection is lost, 0 for not at all [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    give_up: Option<Duration>,

    #[command(flatten)]
    state: StateFlag,
}

/// Where things of this person are kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct StateFlag {
    /// Where your seats are kept, so that resume finds them [default: this system's place for such things of yours]
    #[arg(long, env = "NIM_STATE", value_name = "FOLDER")]
    state: Option<PathBuf>,
}

impl StateFlag {
    /// Where seats are kept, if there is a place.
    pub(crate) fn seats(&self) -> Option<Seats> {
        self.state.as_ref().map_or_else(Seats::usual, |folder| Some(Seats::at(folder)))
    }
}

/// What somebody can go on with.
#[derive(Debug, Clone)]
pub(crate) enum Kept {
    /// A seat on a server.
    There(KeptSeat),
    /// A game at this keyboard.
    Here(KeptGame),
}

impl Kept {
    fn code(&self) -> Code {
        match self {
            Self::There(seat) => seat.code,
            Self::Here(game) => game.mine.code,
        }
    }

    fn into_choice(self, unheard: Duration) -> Choice {
        match self {
            Self::There(seat) => Choice { seat, is_here: false, unheard },
            Self::Here(game) => Choice { seat: game.mine, is_here: true, unheard },
        }
    }
}

impl ReturnFlags {
    /// The way to this server.
    pub(crate) fn way(&self, address: &Address, name: &Name) -> Way {
        Way {
            address: address.clone(),
            default_port: DEFAULT_PORT,
            name: name.clone(),
            patience: self.give_up.unwrap_or(USUAL_PATIENCE),
            network: Arc::new(Tcp),
        }
    }

    /// Where seats are kept, if there is a place.
    pub(crate) fn seats(&self) -> Option<Seats> {
        self.state.seats()
    }
}

/// What can be gone on with, and when it was last heard of.
type Seen = (Kept, SystemTime);

/// What is to be gone on with: in the lobby with this code, or the only one there is.
pub(crate) fn kept(flags: &ReturnFlags, code: Option<&str>) -> Result<Kept, Failure> {
    let seats = flags.seats().ok_or_else(|| {
        NoSeat::because("this system has no place for your seats; name one with --state FOLDER")
    })?;
    let folder = seats.folder().display();
    let kept = all(&seats)
        .map_err(|error| NoSeat::because(format!("could not look for your seats in {folder}: {error}")))?;
    let chosen = choose(&kept, code, &folder.to_string());
    // A clock that was set back since then knows of no time that has passed.
    let unheard = |seen: SystemTime| seen.elapsed().unwrap_or_default();
    let choice = |(kept, seen): Seen| kept.into_choice(unheard(seen));
    let none = |why| {
        let kept = kept.iter().cloned().map(choice).collect();
        NoSeat { why, kept, folder: flags.state.state.clone() }.into()
    };
    chosen.map_err(none)
}

/// What is meant, or why it is none of these.
fn choose(kept: &[Seen], code: Option<&str>, folder: &str) -> Result<Kept, String> {
    let read = |typed: &str| typed.parse::<Code>().map_err(|error| no_code(typed, error, kept.is_empty()));
    let lobby = code.map(read).transpose()?;
    let mut matching =
        kept.iter().map(|(kept, _)| kept).filter(|kept| lobby.is_none_or(|code| kept.code() == code));
    match (matching.next(), matching.next(), lobby) {
        // The same lobby twice is one person with two windows: the seat that was used last is meant.
        (Some(kept), None, _) | (Some(kept), Some(_), Some(_)) => Ok(kept.clone()),
        (None, _, None) => Err(format!("no seat of yours is kept in {folder}")),
        (None, _, Some(code)) => Err(format!("no seat of yours in {code} is kept in {folder}")),
        (Some(_), Some(_), None) => Err("several seats of yours are kept; say which one".into()),
    }
}

/// All of it, what was heard of last first.
fn all(seats: &Seats) -> std::io::Result<Vec<Seen>> {
    let there = seats.seen()?.into_iter().map(|(seat, seen)| (Kept::There(seat), seen));
    let here = keyboard::kept(seats).into_iter().map(|game| (game.seen, Kept::Here(game)));
    let mut all: Vec<Seen> = there.chain(here.map(|(seen, game)| (game, seen))).collect();
    all.sort_by_key(|(_, seen)| Reverse(*seen));
    Ok(all)
}

/// What was typed is no code at all.
fn no_code(typed: &str, error: BadCode, empty: bool) -> String {
    let typed = shown(typed);
    let there = if empty { "no seat of yours is kept" } else { "these seats of yours are kept" };
    format!("{typed}: {error}; {there}")
}
