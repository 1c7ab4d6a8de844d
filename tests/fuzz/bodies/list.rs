//! The bodies of the fuzz targets. A body panics if the program is wrong; invalid bytes are no error.
//!
//! The fuzzer calls these functions, and so does `cargo test`, with all inputs in `kept`.

/// Several connections to one server, which act on it and on each other
pub mod company;
pub(crate) mod feed;
/// A stream of bytes cut into frames
pub mod frames;
pub(crate) mod guest;
/// A journal with changed bytes
pub mod journal;
/// A lobby and any requests
pub mod lobby;
pub(crate) mod memory_server;
/// A position, and moves in it, as text
pub mod position;
/// The text of a record
pub mod record;
/// The lines of a script
pub mod script;
/// One connection that sends any bytes
pub mod session;
#[allow(dead_code, reason = "the tests need more of it")]
pub(crate) mod story;
/// Small texts: clocks, codes, names, times, addresses
pub mod terms;
/// One message from a server
pub mod to_client;
/// One message from a client
pub mod to_server;
/// A server's whole output to a client
pub mod told;
/// A variant as text
pub mod variant;

/// A body.
pub type Body = fn(&[u8]);

/// The targets by name, in the order of how much they can find.
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
