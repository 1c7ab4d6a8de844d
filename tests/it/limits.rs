//! The limits of each address, at the front door: what they let through in the long run, and to whom they
//! leave room.

mod pace;
