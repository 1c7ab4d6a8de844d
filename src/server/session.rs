//! One connection: the greeting, and its requests, which are granted or refused until it ends.
//!
//! The types follow the states of the protocol: before the hello there is only a `Receiver`, after it a
//! `ServerSession` with a name, which is in the hall, has a seat in a lobby, or watches one.
//!
//! `serve` receives the requests, `hall` and `lobby` answer them, and all use `state`.

mod conditions;
mod hall;
mod lobby;
mod location;
mod receiver;
mod run;
mod serve;
mod state;

pub(super) use run::{Run, turn_away};
