//! One connection: the greeting, and its requests, which are granted or refused until it ends.
//!
//! The types follow the states of the protocol: before the hello there is only a `Receiver`, after it a
//! `Session` with a name, which is in the hall, has a seat in a lobby, or watches one.

mod conditions;
mod hall;
mod location;
mod receiver;
mod run;
mod serve;

pub(super) use run::{Run, turn_away};
