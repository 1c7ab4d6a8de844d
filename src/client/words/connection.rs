//! The person's own connection and seat, and a host that cannot record.

use std::time::Duration;

use crate::client::Failure;
use crate::client::failure::Resumable;
use crate::client::session::SeatWarning;
use crate::client::text::{capital, remaining, spoken_time};
use crate::lobby::Lobby;
use crate::system::ErrorText;
use crate::wire::{HallRefusal, Refusal};

/// A silence of the server that is too short to mention.
const SHORT: Duration = Duration::from_secs(5);

/// The client is back.
pub fn returned(watching: bool) -> &'static str {
    if watching { "You watch again." } else { "You are back in your seat." }
}

/// The client has returned to this lobby instead of opening or joining another one.
pub fn still_seated(lobby: &Lobby) -> String {
    let (code, variant) = (lobby.code(), lobby.variant().text());
    format!("You still have a seat in {code} ({variant}), so no other lobby was opened or joined.")
}

/// The host cannot record, for this reason, or it can again.
pub fn halted(why: Option<&str>) -> String {
    match why {
        Some(why) => {
            format!(
                "The game waits: what happens cannot be recorded ({why}). Once that is mended it goes on by itself."
            )
        }
        None => "Recording works again: the game goes on.".into(),
    }
}

/// The client goes, and it cannot be recorded that it has left; `kept` is what another run can resume.
pub fn left_unrecorded(kept: Resumable) -> &'static str {
    match kept {
        Resumable::Nothing => "It cannot be recorded that you have left.",
        Resumable::Seat | Resumable::Game => {
            "It cannot be recorded that you have left. What was recorded before is kept: nim-client resume goes on \
             there, once there is room again."
        }
    }
}

/// A move was not made, since its turn was over after the return.
pub const TOO_LATE: &str = "The move that you typed was not made: its turn is over.";

/// A move was typed while the connection is lost.
pub const LATER: &str = "Your move is made as soon as the connection is back.";

/// A line from a pipe waits for the connection.
pub const HELD: &str = "The connection is lost: this line waits until it is back, and so do the lines after it. Press Ctrl-C to go now and keep the seat.";

/// Something else was typed while the connection is lost.
pub const NEVER: &str = "The connection is lost: only a move, leave and quit can be typed ahead.";

/// The server has said that the game goes on in another one.
const MOVES: &str = "the game moves to another server";

/// The connection is lost, and the client tries to reconnect for at least `patience`. If `limited`, the seat
/// may be given up after that.
pub fn lost(failure: &Failure, patience: Duration, limited: bool, watching: bool) -> String {
    let failure = if failure.is_move() { MOVES.to_owned() } else { failure.to_string() };
    let then = match (limited, watching) {
        (false, _) => "",
        (true, false) => "; your seat may be given up after that",
        (true, true) => "; the game may be given up after that",
    };
    let tries = spoken_time(patience);
    format!("{}; reconnecting for up to {tries}{then}.", capital(&failure))
}

/// The game goes on in another server, where the client is not back yet.
pub const MOVING: &str = "The game moves to another server: it goes on in a moment.";

/// The client leaves as soon as it has reconnected.
pub const LEAVING: &str =
    "The connection is lost: you leave as soon as it is back. Press Ctrl-C to go now and keep the seat.";

/// The same for a watcher.
pub const LEAVING_NO_SEAT: &str =
    "The connection is lost: you leave as soon as it is back. Press Ctrl-C to go now.";

/// The client has no connection, or was refused the return for this reason, and tries for this time to
/// reconnect.
pub fn why_lost(refusal: Option<&Refusal>, left: Duration, leaves: bool) -> String {
    let then = if leaves { "; you leave as soon as it is back" } else { "" };
    let why = refusal.map_or_else(|| "The connection is lost".into(), not_back);
    format!("{why}; reconnecting for another {}{then}.", remaining(left))
}

/// The server did not let the client return yet; it tries again for this time.
pub fn retrying_return(refusal: &Refusal, left: Duration) -> String {
    let kept = match refusal {
        Refusal::Hall(HallRefusal::NoSuchLobby) => {
            " If another server is there for now, your seat is kept until the right one is back; leave asks whether to give it up."
        }
        _ => "",
    };
    format!("{}; trying for another {}.{kept}", not_back(refusal), remaining(left))
}

fn not_back(refusal: &Refusal) -> String {
    format!("You are not back yet: {refusal}")
}

/// The server has not answered, and has been silent for this time; after `gone_after` the connection counts
/// as lost.
pub fn unanswered(is_move: bool, silent: Duration, gone_after: Duration) -> String {
    let what =
        if is_move { "Your move is on its way" } else { "The server has not answered your last request yet" };
    if silent < SHORT {
        return format!("{what}.");
    }
    let (silent, gone_after) = (spoken_time(silent), spoken_time(gone_after));
    format!(
        "{what}; the server has been silent for {silent}, and after {gone_after} the connection counts as lost."
    )
}

/// A problem with saving the seat, or its end.
pub fn how_kept(warning: &SeatWarning) -> String {
    match warning {
        SeatWarning::NotKept(error) => {
            format!("Your seat is not kept for nim-client resume: {}.", ErrorText(error))
        }
        SeatWarning::KeptNow => "Your seat is kept for nim-client resume now.".into(),
    }
}
