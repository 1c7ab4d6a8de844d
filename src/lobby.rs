//! One lobby as a state machine: two seats, a variant, its conditions, and a match of one or more games.
//!
//! It knows no sockets, clocks, randomness or storage: the time comes in as a [`Moment`].
//! [`Lobby::decide`] answers a request with the events that would happen, or with a refusal, and changes
//! nothing; [`Lobby::apply`] applies an event. The server decides and applies; a client only applies the
//! events that it receives, so both hold the same lobby. Bots make the same requests as people.
//!
//! Who is present is not part of the game: [`Lobby::note`] changes it by a [`Notice`], which is no event. The
//! events alone give the same game, with the same clocks, when they are replayed.

mod absence;
mod absence_rules;
mod apply;
mod checkpoint;
mod clock;
mod code;
mod conditions;
mod decide;
mod event;
mod level;
mod list;
mod look;
mod moment;
mod move_history;
mod name;
mod notice;
mod offer;
mod origin;
mod packed_moves;
mod player;
mod presence;
mod refusal;
mod request;
mod snapshot;
mod state;
mod text;

pub use absence::{Absence, AwayRule, ConnectionLoss, Cover, Due, Hand, WhenAway};
pub use apply::OutOfStep;
pub use checkpoint::Checkpoint;
pub use clock::{BadClock, ClockRule, Clocks, FLAG_GRACE, RESTART_GRACE, read_time, write_time};
pub use code::{BadCode, Code};
pub use conditions::{BotRule, Conditions, Hints};
pub use event::{Cause, Departure, Event, Events, GameResult, MatchScore};
pub use level::{BadLevel, Level};
pub use list::List;
pub use moment::Moment;
pub use move_history::{MAX_PAST, NotatedMove};
pub use name::{MAX_NAME_BYTES, MAX_NAME_CHARS, Name, NameFault};
pub use notice::{Attendance, Decision, Notice};
pub use offer::{Offer, Offers, OpenOffer};
pub use origin::{BadChecksum, Checksum, MAX_POSITION_TEXT, Origin};
pub use packed_moves::PastMove;
pub use player::{Kind, PlayedBy, Player, PlayerId};
pub use refusal::{MAX_ILLEGAL, MAX_NAMED_WATCHERS, Refusal};
pub use request::{LobbyRequest, MAX_CHAT, Request, Who};
pub use snapshot::{Phase, Snapshot};
pub use state::{BadSnapshot, Lobby};
pub use text::{Text, TooLong};
