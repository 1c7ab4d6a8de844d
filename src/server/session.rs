//! One connection: the greeting, and its requests, which are granted or refused until it ends.
//!
//! The types follow the states of the protocol: before the hello there is only a `Receiver`, after it a
//! `ServerSession` with a name, which is in the hall, has a seat in a lobby, or watches one.
//!
//! `serve` receives the requests, `hall` and `lobby` answer them, and all use `state`.
//!
//! A request for a lobby of another server is made there, over a `channel`: `carrying` has that server found and the
//! request made, and `elsewhere` passes all frames on then; `passed` reads what some of them say.

mod carrying;
mod channel;
mod conditions;
mod destination;
mod elsewhere;
mod end;
mod finding;
mod hall;
mod lobby;
mod location;
mod passed;
mod receiver;
mod run;
mod serve;
mod state;
#[cfg(test)]
mod tests;
mod welcome;

pub(super) use run::{Run, turn_away};
