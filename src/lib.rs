//! Two-player games of perfect information, for people and programs on their own network.
//!
//! This is the map of the crate. Every arrow points down: a module knows the modules below it and none
//! above, and `tests/it/tidy.rs` keeps it so.
//!
//! ```text
//!            nim-server        nim-client          the programs: flags, and the wiring
//!           ┌──────────┐      ┌──────────┐
//!           │  server  │      │  client  │         tokio, sockets, files, screens
//!           └──────────┘      └──────────┘
//!    ┌───────┐ ┌─────────┐ ┌────────┐ ┌────────┐ ┌─────┐ ┌────────┐  who plays, who explains, what travels,
//!    │  bot  │ │  study  │ │  wire  │ │ record │ │ lan │ │ system │  what is kept, who is near, what failed
//!    └───────┘ └─────────┘ └────────┘ └────────┘ └─────┘ └────────┘
//!          ┌──────────┐   ┌─────────┐
//!          │  search  │   │  lobby  │              which move is good; who sits, what happens
//!          └──────────┘   └─────────┘
//!                 ┌──────────┐
//!                 │   game   │                     the rules
//!                 └──────────┘
//! ```
//!
//! - [`game`]: the rules. Pure. One file a game; [`game::any`] is the only list of games.
//! - [`search`]: minimax and its relatives over anything that is a game, and exact closed forms. Pure.
//! - [`study`]: what a teacher says of a position and shows of a game: reasons, trees, searches. Pure.
//! - [`lobby`]: one lobby as a state machine: `decide` a request, `apply` an event. Pure.
//! - [`record`]: a game as a text that can be read, mailed, checked and opened again; `proto/RECORD.md` is
//!   its page. Pure.
//! - [`bot`]: who sits in a bot's seat.
//! - [`wire`]: messages, their bytes, frames and limits; `proto/PROTOCOL.md` is its page.
//! - [`lan`]: hosts that announce themselves and are found on the local network; `proto/DISCOVERY.md` is its
//!   page.
//! - [`number`]: conversions between number types.
//! - [`system`]: the errors of the operating system in words.
//! - [`cli`]: what the command lines of both programs share.
//! - [`server`]: connections, the hall, lobbies, and the threads of the bots.
//! - [`client`]: a connection, what the client knows, and the faces that show it.
//!
//! One move's way: the client asks its own copy of the lobby whether the move is legal
//! ([`lobby::Lobby::board`]), sends one frame ([`wire::LobbyRequest::Play`]); the server's session decodes
//! it and asks the lobby to decide ([`lobby::Lobby::decide`]); the events are applied, encoded once, and
//! written to everyone in the lobby; each client applies the same events ([`lobby::Lobby::apply`]) and draws.
//!
//! Deliberately absent: accounts, administrators, anything that needs the internet.

pub mod bot;
pub mod cli;
pub mod client;
pub mod game;
pub mod lan;
pub mod lobby;
pub mod number;
pub mod record;
pub mod search;
pub mod server;
pub mod study;
pub mod system;
pub mod wire;
