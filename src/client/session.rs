//! A client's session with a server, from the welcome to the end: what it knows, which
//! requests are pending, and which questions are open. It has no text, keyboard or screen: the faces show it.
//!
//! Its methods call forward only: `run` ties all together; `reconnect` and `refusal` use `leaving` and
//! `asking`, and all use `state`. `status`, `timing` and `chat` are queries and settings for the faces.

mod asking;
mod chat;
mod event;
mod grace;
mod leaving;
mod nearer;
mod offline;
mod presence;
mod reconnect;
mod refusal;
mod run;
mod seat_keeper;
mod state;
mod status;
mod timing;

pub use chat::MuteOutcome;
pub use event::{SendStatus, SessionEvent};
pub use run::SessionInput;
pub use seat_keeper::SeatWarning;
pub use state::{Afterwards, Flow, Session};
pub use status::ConnectionStatus;
pub use timing::Timing;
