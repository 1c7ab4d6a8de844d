//! Coming back: for how long to try when the connection is lost, and which seat of an earlier run to take up again.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use nim::client::comeback::USUAL_PATIENCE;
use nim::client::dial::Tcp;
use nim::client::words::spoken_time;
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
pub(crate) fn kept(seats: Option<&Seats>, code: Option<&str>) -> Result<Kept, Failure> {
    let seats = seats.ok_or_else(|| {
        Failure::NoSeat("this system has no place for your seats; name one with --state FOLDER".into())
    })?;
    let folder = seats.folder().display();
    let all = all(seats)
        .map_err(|error| Failure::NoSeat(format!("could not look for your seats in {folder}: {error}")))?;
    let read = |typed: &str| typed.parse().map_err(|error: BadCode| no_code(typed, error, &all));
    let lobby = code.map(read).transpose()?;
    let mut matching = all.iter().filter(|(kept, _)| lobby.is_none_or(|code: Code| kept.code() == code));
    match (matching.next(), matching.next(), lobby) {
        // The same lobby twice is one person with two windows: the seat that was used last is meant.
        (Some((kept, _)), None, _) | (Some((kept, _)), Some(_), Some(_)) => Ok(kept.clone()),
        (None, _, None) => Err(Failure::NoSeat(format!("no seat of yours is kept in {folder}"))),
        (None, _, Some(code)) => {
            Err(Failure::NoSeat(format!("no seat of yours in {code} is kept in {folder}{}", list(&all))))
        }
        (Some(_), Some(_), None) => {
            Err(Failure::NoSeat(format!("several seats of yours are kept; say which one{}", list(&all))))
        }
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
fn no_code(typed: &str, error: BadCode, kept: &[Seen]) -> Failure {
    let typed = shown(typed);
    let there =
        if kept.is_empty() { "; no seat of yours is kept" } else { "; these seats of yours are kept" };
    Failure::NoSeat(format!("{typed}: {error}{there}{}", list(kept)))
}

/// The command for each seat, what is played there, and when it was last heard of.
fn list(kept: &[Seen]) -> String {
    kept.iter().map(line).collect()
}

fn line((kept, seen): &Seen) -> String {
    let (seat, place) = match kept {
        Kept::There(seat) => (seat, format!("on {}", seat.server)),
        Kept::Here(game) => (&game.mine, "at this keyboard".into()),
    };
    let KeptSeat { name, code, variant, opponent, .. } = seat;
    let against =
        opponent.as_ref().map_or_else(|| "nobody yet".into(), |opponent| format!("against {opponent}"));
    // A clock that was set back since then knows of no time that has passed.
    let ago = spoken_time(seen.elapsed().unwrap_or_default());
    format!("\n  nim-client resume {code:16} {variant}, {name} {against}, {place}, last seen {ago} ago")
}
