//! What is said while something is waited for before there is a game: who is connected to, or what is looked for, and how that
//! is given up.

use std::time::Duration;

use crate::client::text::spoken_time;

/// A server that has not answered yet, at this address.
pub fn connecting(address: &str) -> String {
    format!("Connecting to {address} …")
}

/// Hosts are looked for, for so long.
pub fn looking(time: Duration) -> String {
    format!("Looking for hosts on this network for {} …", spoken_time(time))
}

/// The same at a terminal with lines.
pub fn looking_at_lines(time: Duration) -> String {
    format!("Looking for hosts on this network for {}; Ctrl-C stops it.", spoken_time(time))
}

/// How that is given up by whoever goes back to the first screen then.
pub const GIVE_UP: &str = "Esc gives it up, and goes back to the first screen.";

/// The same where the program ends with it.
pub const GIVE_UP_AND_END: &str = "Esc gives it up, and ends the program.";

/// What Esc does, in a word or two.
pub const BACK: &str = "give up";

/// What q does.
pub const END: &str = "quit";

/// The help for whoever goes back to the first screen.
pub const ABOUT_KEYS: [&str; 5] = [
    "Esc\tgive it up, and go back to the first screen",
    "?\tthis list, as F1 does",
    "q\tend the program, as Ctrl-C does",
    "",
    "It goes on by itself once there is an answer; no other key does anything until then.",
];

/// The same where the program ends with it.
pub const ABOUT_KEYS_AT_FIRST: [&str; 5] = [
    "Esc\tgive it up, and end the program",
    "?\tthis list, as F1 does",
    "q\tthe same as Esc, and so does Ctrl-C",
    "",
    "It goes on by itself once there is an answer; no other key does anything until then.",
];
