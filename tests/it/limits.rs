//! The limits of each address, at the front door: what they let through in the long run, and to whom they
//! leave room.

#[cfg(target_os = "linux")]
mod buffers;
#[cfg(target_os = "linux")]
mod descriptors;
mod journal;
mod pace;
mod page;
mod proxied;
mod thoughts;
