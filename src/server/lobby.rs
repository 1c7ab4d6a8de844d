//! One lobby as the server holds it: the state machine behind a lock, with everyone in it, its timer and its
//! bots.

mod backlog;
mod bots;
mod chat;
mod handle;
mod live;
mod members;
mod outgoing;
mod presence;
mod tasks;

pub(super) use handle::{LobbyHandle, OnClose, Played};
pub(super) use live::{LiveLobby, Plan};
