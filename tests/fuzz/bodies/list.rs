//! The bodies of the fuzz targets. A body panics if the program is wrong; invalid bytes are no error.
//!
//! The fuzzer calls these functions, and so does `cargo test`, with all bytes that are kept in `kept`.

/// Several connections to one server, with everything that they can do to it and to each other.
pub mod company;
pub(crate) mod feed;
/// A stream of bytes cut into frames.
pub mod frames;
pub(crate) mod guest;
/// A journal in which bytes were changed.
pub mod journal;
/// A lobby, asked for anything.
pub mod lobby;
pub(crate) mod memory_server;
/// A position, and moves in it, as text.
pub mod position;
/// The text of a record.
pub mod record;
/// The lines of a script.
pub mod script;
/// One connection that says any bytes.
pub mod session;
#[allow(dead_code, reason = "the tests need more of it")]
pub(crate) mod story;
/// The small texts: clocks, codes, names, times, addresses.
pub mod terms;
/// One message from a server.
pub mod to_client;
/// One message from a client.
pub mod to_server;
/// All that a server says to a client.
pub mod told;
/// A variant as text.
pub mod variant;

/// A body.
pub type Body = fn(&[u8]);

/// The targets by name, those first of which the most can be found out.
pub const ALL: [(&str, Body); 13] = [
    ("company", company::body),
    ("journal", journal::body),
    ("session", session::body),
    ("lobby", lobby::body),
    ("record", record::body),
    ("to_server", to_server::body),
    ("to_client", to_client::body),
    ("frames", frames::body),
    ("told", told::body),
    ("position", position::body),
    ("variant", variant::body),
    ("terms", terms::body),
    ("script", script::body),
];
