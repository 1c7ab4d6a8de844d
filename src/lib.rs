//! Two-player games of perfect information, for people and programs on their own network.
//!
//! This page is the map of the crate. Every arrow points down: a module may import the modules below it and
//! none above, and no files import each other in a circle. `tests/it/tidy.rs` checks both.
//!
//! ```text
//!            nim-server        nim-client          the programs: flags and wiring
//!           ┌──────────┐      ┌──────────┐
//!           │  server  │      │  client  │         tokio, sockets, files, screens
//!           └──────────┘      └──────────┘
//!    ┌───────┐ ┌─────────┐ ┌────────┐ ┌────────┐ ┌─────┐ ┌────────┐  bots, explanations, messages,
//!    │  bot  │ │  study  │ │  wire  │ │ record │ │ lan │ │ system │  records, discovery, system errors
//!    └───────┘ └─────────┘ └────────┘ └────────┘ └─────┘ └────────┘
//!          ┌──────────┐   ┌─────────┐
//!          │  search  │   │  lobby  │              the best move; two seats and a match
//!          └──────────┘   └─────────┘
//!                 ┌──────────┐
//!                 │   game   │                     the rules
//!                 └──────────┘
//! ```
//!
//! - [`game`]: the rules. Pure. One file a game; [`game::any`] is the only list of games.
//! - [`search`]: minimax and its relatives over anything that is a game, and exact closed forms. Pure.
//! - [`study`]: explanations for learners: reasons in words, game trees, searches step by step. Pure.
//! - [`lobby`]: one lobby as a state machine: `decide` a request, `apply` an event. Pure.
//! - [`record`]: a game as a text that can be read, mailed, checked and opened again. Pure. Its format is
//!   `proto/RECORD.md`.
//! - [`bot`]: the player in a bot's seat: levels and their mistakes.
//! - [`wire`]: messages, their bytes, frames and limits. Its format is `proto/PROTOCOL.md`.
//! - [`lan`]: hosts that announce themselves on the local network, and how they are found; see
//!   `proto/DISCOVERY.md`.
//! - [`number`]: conversions between number types; [`visible`]: the visible part of a text; [`alike`]: which of some
//!   words a misspelt one is most like.
//! - [`system`]: errors of the operating system, in words; [`mod@file`]: files that are written whole, and
//!   overwritten only where a person agrees.
//! - [`cli`]: what the command lines of both programs share.
//! - [`server`]: connections, lobbies, limits, the journal, and threads on which bots think.
//! - `cluster`: several nodes of one server on etcd. Only with the cargo feature of this name, which the
//!   default build leaves out, since it needs `protoc`. It may import [`server`] and what lies below.
//! - [`client`]: the connection, the session with its copy of the lobby, and the faces that show it: line,
//!   JSON and screen.
//!
//! # One move
//!
//! 1. The client asks its own copy of the lobby whether the move is legal ([`lobby::Lobby::board`]) and sends
//!    one frame ([`wire::LobbyRequest::Play`]).
//! 2. The server's session reads the frame, decodes it, and has the lobby decide ([`lobby::Lobby::decide`]).
//!    The answer is a list of events, or a refusal for this player alone.
//! 3. The events are applied ([`lobby::Lobby::apply`]), encoded once, and queued for both seats and all
//!    watchers. They are sent once the journal has recorded them.
//! 4. Each client applies the same events with the same function, and draws.
//!
//! Chat and hints are not events, and are not recorded. Nor are the arrivals and departures of players and
//! watchers: they are notices ([`lobby::Notice`]), which everybody in the lobby receives and which change
//! nothing in the game. A snapshot says who is present ([`lobby::Attendance`]). Their effects on the game are
//! events: the stand-in stops, the clock stops or starts.
//!
//! The text of a game's record is not stored: the server writes it on demand from the journal
//! (`server/record_service/record_text.rs`).
//!
//! A bot's move is made in `server/lobby/bots.rs`, on a thread of `server/job_pool.rs`, by [`bot`]. The
//! client decides in `client/session/reconnect.rs` whether and when to reconnect (`client/redial.rs` dials),
//! and in `client/session/refusal.rs` what follows if the return is refused; the server grants the return in
//! `server/session/hall.rs` and `server/lobby/presence.rs`.
//!
//! # Where to add something
//!
//! - **A game**: implement [`game::Game`] and [`game::Rules`] in a file of `game`, and append it to the list
//!   in [`game::any`]; all enums and calls there follow. The compiler does not ask for the rest: the choices
//!   in `client/tui/form.rs`, reasons in `study/theory.rs` and `study/explainer.rs`, a closed solution in
//!   `search/closed.rs` if there is one, `proto/PROTOCOL.md`, `nim_wire.py` and `nim_games.py` in
//!   `proto/python`, and the tests `variants` and `facts`.
//! - **A request of a player**: append it to [`lobby::LobbyRequest`] and decide it in `lobby/decide.rs`; a
//!   new event goes to the end of [`lobby::Event`] and into `lobby/apply.rs`. Then `record/words.rs` and
//!   `record/parser.rs`; `client/action.rs`, and for the faces `client/line/command.rs`,
//!   `client/json/request.rs` and `client/tui/command.rs`; `proto/*.md`, `proto/vectors` and `nim_wire.py`.
//! - **A setting**: a server's is a flag in `server/config.rs`; a client's is a key in
//!   `client/settings/setting.rs`.
//! - **A metric**: a field of `Metrics` in `server/metrics.rs`, registered there, counted where it occurs.
//!
//! - **A request of the host**: a variant of `AdminRequest` in `server/admin/message.rs`, carried out in
//!   `server/admin/acts.rs`, at which servers in `server/admin/spreading.rs`, and a command in `bin/nim-server/admin.rs`.
//!
//! Deliberately absent: accounts, administrators over the network, anything that needs the internet.

pub mod alike;
pub mod bot;
pub mod cli;
pub mod client;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod file;
pub mod game;
pub mod lan;
pub mod lobby;
pub mod number;
pub mod record;
pub mod search;
pub mod server;
pub mod study;
pub mod system;
pub mod visible;
pub mod web;
pub mod wire;
