//! The player's side: a connection, what it knows of the lobby, and the faces that show it.
//!
//! A [`Connection`] speaks the protocol; a [`Model`] is what the server has told, and is changed by nothing
//! else; a [`Visit`] ties the two together with what was asked and not yet answered; [`words`] has every sentence that
//! a person sees; the faces (the [line](mod@line) face, the [screen](mod@tui) and the JSON face) read from a keyboard and show on
//! a screen. [`Settings`] are what somebody likes and does not want to type each time. Nothing here judges: the rules are
//! asked only so that a slip is answered at once.

pub mod address;
pub mod comeback;
pub mod connection;
pub mod dial;
pub mod failure;
pub mod hands;
pub mod input;
pub mod json;
pub mod library;
pub mod line;
pub mod model;
pub mod nearby;
mod private;
mod pulse;
pub mod question;
pub mod records;
pub mod seats;
pub mod settings;
mod stubs;
pub mod tui;
pub mod visit;
pub mod wish;
pub mod words;
pub mod writing;

pub use address::Address;
pub use comeback::Way;
pub use connection::Connection;
pub use failure::Failure;
pub use hands::Hands;
pub use model::Model;
pub use question::Question;
pub use seats::{KeptSeat, Seats};
pub use settings::Settings;
pub use visit::Visit;
pub use wish::{Preferences, Wish};
