//! Connect Four on 7 columns of 6 cells. [`board`] holds the stones as bits. The solver is in
//! `search::connect_four`.

pub mod board;
mod position;
mod variant;

pub use position::{Column, ConnectFour};
pub use variant::ConnectFourVariant;
