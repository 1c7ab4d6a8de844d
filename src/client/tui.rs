//! The screens: a full terminal with the board, the clocks and the log, for keys and the mouse.
//!
//! One application with one event loop ([`TuiApp`]) runs one screen at a time: the [`Home`], a [`Waiting`]
//! screen, the [`RecordsScreen`] of this keyboard, or the [`SessionScreen`] with the hall and the lobby of
//! a server. A screen is a [`Component`]: a state that messages change and that is drawn after each of
//! them. The layers, from the bottom: appearance, painter and widgets; boards and the learn panel; state;
//! commands; update and draw; screens.

pub mod alert;
pub mod app;
pub mod appearance;
mod available_commands;
pub mod board;
pub mod command;
pub mod draw;
pub mod form;
pub mod guard;
mod hall;
mod heading;
pub mod home;
pub mod job;
mod key_bar;
pub mod keys;
mod layout;
mod learn_panel;
pub mod log;
pub mod message;
mod overlay;
pub mod page;
mod painter;
mod palette;
mod popup;
mod record_list;
mod record_reader;
pub mod records;
pub mod session;
pub mod state;
pub mod text_field;
pub mod tutorial;
pub mod update;
pub mod view;
pub mod waiting;

pub use app::{Alerts, Component, TuiApp};
pub use appearance::Appearance;
pub use home::Home;
pub use keys::Keys;
pub use layout::LEAST;
pub use message::{Effect, Message};
pub use page::Exit;
pub use session::{RecordsScreen, SessionScreen};
pub use state::State;
pub use tutorial::Tutorial;
pub use view::View;
pub use waiting::Waiting;
