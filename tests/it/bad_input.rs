//! Everything that no honest client sends. Each kind has its answer: a refusal, a farewell, or a close.
//! After each the server still serves.

// Before the welcome: other programs, other versions, invalid names.
mod hello;
// After it: unreadable frames, untimely messages, illegal moves.
mod messages;
// Malformed input, from files.
mod malformed;
// Random bytes.
mod noise;
// More connections and messages from one address than its limit.
mod crowding;
// Clients that are silent, slow, or do not read.
mod silence;
// Clients that vanish without a close.
mod vanishing;
// Clients with endless requests.
mod torrent;
