//! The sentences while the client connects or looks for hosts, and how to cancel.

use std::time::Duration;

use crate::client::text::spoken_time;

/// A server at this address has not answered yet.
pub fn connecting(address: &str) -> String {
    format!("Connecting to {address} …")
}

/// The client looks for hosts for this time.
pub fn looking(time: Duration) -> String {
    format!("Looking for hosts on this network for {} …", spoken_time(time))
}

/// The same for the line face.
pub fn looking_at_lines(time: Duration) -> String {
    format!("Looking for hosts on this network for {}; Ctrl-C stops it.", spoken_time(time))
}

/// How to cancel, if that leads back to the first screen.
pub const GIVE_UP: &str = "Esc gives it up, and goes back to the first screen.";

/// The same if it ends the program.
pub const GIVE_UP_AND_END: &str = "Esc gives it up, and ends the program.";
