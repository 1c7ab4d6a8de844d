//! Coming back: for how long to try when the connection is lost, and which seat of an earlier run to take up again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use nim::client::comeback::USUAL_PATIENCE;
use nim::client::dial::Tcp;
use nim::client::{Address, Failure, KeptSeat, Seats, Way};
use nim::lobby::{Code, Name};
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
pub(crate) fn seat(seats: Option<&Seats>, code: Option<Code>) -> Result<KeptSeat, Failure> {
    let seats = seats.ok_or_else(|| {
        Failure::NoSeat("this system has no place for your seats; name one with --state FOLDER".into())
    })?;
    let folder = seats.folder().display();
    let kept = seats
        .all()
        .map_err(|error| Failure::NoSeat(format!("could not look for your seats in {folder}: {error}")))?;
    let mut matching = kept.iter().filter(|seat| code.is_none_or(|code| seat.code == code));
    match (matching.next(), matching.next(), code) {
        // The same lobby twice is one person with two windows: the seat that was used last is meant.
        (Some(seat), None, _) | (Some(seat), Some(_), Some(_)) => Ok(seat.clone()),
        (None, _, None) => Err(Failure::NoSeat(format!("no seat of yours is kept in {folder}"))),
        (None, _, Some(code)) => {
            Err(Failure::NoSeat(format!("no seat of yours in {code} is kept in {folder}{}", list(&kept))))
        }
        (Some(_), Some(_), None) => {
            Err(Failure::NoSeat(format!("several seats of yours are kept; say which one{}", list(&kept))))
        }
    }
}

/// The command for each seat, and what is played there.
fn list(kept: &[KeptSeat]) -> String {
    kept.iter().map(line).collect()
}

fn line(seat: &KeptSeat) -> String {
    let KeptSeat { server, name, code, variant, opponent, .. } = seat;
    let against = opponent.as_ref().map_or_else(String::new, |opponent| format!(" against {opponent}"));
    format!("\n  nim-client resume {code:16} {variant}, {name}{against}, on {server}")
}
