//! The client: a connection to a server, the session over it, and the faces that show it.
//!
//! A [`Connection`] speaks the protocol; a [`Model`] holds what the server has sent, and nothing else changes
//! it; a [`Session`] adds the pending requests, and reconnects; [`words`] has every sentence that a person
//! sees; the faces (the [line](mod@line) face, the [screen](mod@tui) and the JSON face) read input and show
//! the session. [`Settings`] are a person's preferences. The server alone decides what is legal: the client
//! checks the rules only to answer a mistake at once.

pub mod action;
pub mod address;
pub mod choices;
pub mod connection;
pub mod dial;
pub mod failure;
pub mod farewell;
pub mod fold;
pub mod input;
pub mod json;
pub mod learn;
pub mod line;
pub mod model;
pub mod nearby;
pub mod question;
pub mod record_reader;
pub mod record_source;
pub mod records;
pub mod redial;
mod round_trip;
mod saved_seat;
pub mod seats;
pub mod session;
pub mod settings;
pub mod text;
pub mod theme;
pub mod tui;
pub mod tutorial;
pub mod words;

pub use action::{Action, Leaving, Terms};
pub use address::Address;
pub use connection::Connection;
pub use failure::Failure;
pub use model::Model;
pub use question::Question;
pub use redial::Endpoint;
pub use saved_seat::{SavedSeat, SeatStatus};
pub use seats::SeatStore;
pub use session::Session;
pub use settings::Settings;
