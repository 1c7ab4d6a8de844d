//! Every sentence that a person sees of a game: who sits where, what happened, how it ended, what can be
//! typed.
//!
//! Text comes out line by line, and knows no screen.

pub mod agreement;
pub mod alert;
pub mod chat;
pub mod confirm;
pub mod connection;
pub mod form;
mod game;
mod hall;
pub mod help;
pub mod home;
pub mod learn;
pub mod leaving;
pub mod meanwhile;
mod names;
pub mod nearby;
pub mod records;
pub mod screen;
pub mod session;
pub mod status;
pub mod tutorial;

pub use super::model::Viewpoint;
pub use super::text::marked;
pub use game::{
    board, ended, entered, happened, hint, hint_pattern, move_question, noticed, returned, rules_and_name,
    sitter, so_far, told, untimely, waiting,
};
pub use hall::{NO_LOBBIES, NO_MATCH, changes, hall, in_seats, listing, not_granted, sorted};
pub use names::move_name;
