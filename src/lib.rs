//! The map of the house (grows with it).
pub mod bot;
pub mod client;
pub mod game;
pub mod lan;
pub mod lobby;
pub mod search;
pub mod server;
pub mod study;
pub mod wire;
