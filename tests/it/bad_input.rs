//! Everything that no honest client sends. Each kind has its answer: a refusal, a farewell, or a close; and
//! after each the server still serves.

// Before the welcome: other programs, other versions, names that cannot be.
mod hello;
// After it: frames that cannot be cut or read, messages at the wrong moment, moves that are not legal.
mod messages;
// What is malformed, from files.
mod malformed;
// Bytes by chance.
mod noise;
// More connections of one address than it may have, and more of what is refused.
mod crowding;
// More connections than the system has room for.
#[cfg(unix)]
mod flood;
// Clients that are silent, slow or deaf.
mod silence;
// Clients that are gone without a word.
mod vanishing;
// Clients that ask without end.
mod torrent;
