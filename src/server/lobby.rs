//! One lobby on the server: the state machine behind a lock, with its members, its timer and its bots.

mod backlog;
mod bots;
mod chat;
mod handle;
mod live;
mod members;
mod outgoing;
mod overview;
mod presence;
mod scheduling;
#[cfg(test)]
pub(super) mod tests;
mod upkeep;

pub(super) use handle::{LobbyHandle, OnClose, PlayedMove};
pub(super) use live::{LiveLobby, Plan};
pub(super) use overview::Overview;
