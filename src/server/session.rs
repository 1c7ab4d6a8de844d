//! One connection: greets, then grants or refuses what it asks, until it ends.
//!
//! The types follow the protocol's places: before the hello there is only a `Receiver`, after it a `Session`
//! with a name, which is in the hall, has a seat in a lobby, or watches there.

mod conditions;
mod hall;
mod location;
mod receiver;
mod run;
mod serve;

pub(super) use run::{Run, turn_away};
