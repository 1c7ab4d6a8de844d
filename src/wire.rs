//! What travels: the messages, their bytes, the frames around them, and their limits.
//!
//! It knows lobbies and games as values and nothing of who sends what when. The page for people who
//! write clients in other languages is `proto/PROTOCOL.md`; the golden bytes in `proto/vectors` hold
//! this room to it.

mod codec;
pub mod limits;
mod list;
mod message;
mod refusal;
mod ticket;
mod version;

pub use codec::{FrameTooLong, Frames, Malformed, decode, encode};
pub use list::List;
pub use message::{
    AwayWish, BotWish, Greeting, HallEvent, HallRequest, Listing, LobbyRequest, LobbyState, Magic, NewLobby,
    Presence, Sitter, Starts, ToClient, ToServer,
};
pub use refusal::{Farewell, Fixed16, HallRefusal, HelloRefusal, Misplaced, Refusal};
pub use ticket::Ticket;
pub use version::{Opening, VERSION, opening};
