//! Coming back: for how long to try when the connection is lost, and which seat of an earlier run to take up again.

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

/// What to do when the connection is lost.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReturnFlags {
    /// How long to try to come back once the connection is lost, 0 for not at all [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    give_up: Option<Duration>,

    /// Where your seats are kept, so that resume finds them [default: this system's place for such things of yours]
    #[arg(long, env = "NIM_STATE", value_name = "FOLDER")]
    state: Option<PathBuf>,
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
        self.state.as_ref().map_or_else(Seats::usual, |folder| Some(Seats::at(folder)))
    }
}

/// The one seat to take up again: the one of the lobby with this code, or the only one there is.
pub(crate) fn seat(seats: Option<&Seats>, code: Option<&str>) -> Result<KeptSeat, Failure> {
    let seats = seats.ok_or_else(|| {
        Failure::NoSeat("this system has no place for your seats; name one with --state FOLDER".into())
    })?;
    let folder = seats.folder().display();
    let kept = seats
        .seen()
        .map_err(|error| Failure::NoSeat(format!("could not look for your seats in {folder}: {error}")))?;
    let read = |typed: &str| typed.parse().map_err(|error: BadCode| no_code(typed, error, &kept));
    let lobby = code.map(read).transpose()?;
    let mut matching = kept.iter().filter(|(seat, _)| lobby.is_none_or(|code: Code| seat.code == code));
    match (matching.next(), matching.next(), lobby) {
        // The same lobby twice is one person with two windows: the seat that was used last is meant.
        (Some((seat, _)), None, _) | (Some((seat, _)), Some(_), Some(_)) => Ok(seat.clone()),
        (None, _, None) => Err(Failure::NoSeat(format!("no seat of yours is kept in {folder}"))),
        (None, _, Some(code)) => {
            Err(Failure::NoSeat(format!("no seat of yours in {code} is kept in {folder}{}", list(&kept))))
        }
        (Some(_), Some(_), None) => {
            Err(Failure::NoSeat(format!("several seats of yours are kept; say which one{}", list(&kept))))
        }
    }
}

/// What was typed is no code at all.
fn no_code(typed: &str, error: BadCode, kept: &[(KeptSeat, SystemTime)]) -> Failure {
    let typed = shown(typed);
    let there =
        if kept.is_empty() { "; no seat of yours is kept" } else { "; these seats of yours are kept" };
    Failure::NoSeat(format!("{typed}: {error}{there}{}", list(kept)))
}

/// The command for each seat, what is played there, and when it was last heard of.
fn list(kept: &[(KeptSeat, SystemTime)]) -> String {
    kept.iter().map(line).collect()
}

fn line((seat, seen): &(KeptSeat, SystemTime)) -> String {
    let KeptSeat { server, name, code, variant, opponent, .. } = seat;
    let against =
        opponent.as_ref().map_or_else(|| "nobody yet".into(), |opponent| format!("against {opponent}"));
    // A clock that was set back since then knows of no time that has passed.
    let ago = spoken_time(seen.elapsed().unwrap_or_default());
    format!("\n  nim-client resume {code:16} {variant}, {name} {against}, on {server}, last seen {ago} ago")
}
