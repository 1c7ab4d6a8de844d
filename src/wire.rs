//! The wire format: the messages, their bytes, the frames around them, and their limits.
//!
//! It does not decide who sends which message when. The page for people who write clients in other languages
//! is `proto/PROTOCOL.md`; the golden bytes in `proto/vectors` hold this module to it.

mod codec;
pub mod limits;
mod listing;
mod message;
mod played;
mod refusal;
mod request;
mod secret;

pub use crate::lobby::{List, LobbyRequest};
pub use codec::{
    FrameTooLong, Malformed, body_of, decode, encode, first_body, frame_length, frame_of, next_body,
};
pub use listing::{Access, HallEvent, Listing, LobbyState, Presence, Sitter};
pub use message::{
    ChatLine, ChatRoom, ClientKind, Greeting, Magic, PositionValue, Review, ToClient, ToClientKind, ToServer,
    ToServerKind, VERSION, hello_version,
};
pub use played::{BadGameName, GameName, GamesWish, PlayedGame};
pub use refusal::{ChatRefusal, Farewell, Fixed16, HallRefusal, HelloRefusal, Misplaced, Refusal};
pub use request::{AwayWish, BotWish, HallRequest, NewLobby, Starts};
pub(crate) use secret::random_bytes;
pub use secret::{MAX_PASSWORD, Secret, Ticket, TokenHash};
