//! The map of the house (grows with it).
pub mod game;
pub mod lobby;
pub mod wire;
