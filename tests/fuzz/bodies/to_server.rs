use std::fmt::Debug;

use nim::wire::limits::MAX_FRAME;
use nim::wire::{ToServer, decode, encode, first_body, hello_version};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads one message and writes it again.
pub fn body(data: &[u8]) {
    let Some(message) = reread::<ToServer>(data) else { return };
    let written = encode(&message);
    let version = match message {
        ToServer::Hello(greeting) => Some(greeting.version.into()),
        _ => None,
    };
    assert_eq!(hello_version(&written[written.len().min(4)..]), version);
}

/// The message in these bytes, if there is one. It is written to the same bytes, since each message has one
/// encoding, and reads back equal.
pub(super) fn reread<M: Serialize + DeserializeOwned + PartialEq + Debug>(data: &[u8]) -> Option<M> {
    if data.len() > MAX_FRAME {
        return None;
    }
    let message: M = decode(data).ok()?;
    let frame = encode(&message);
    let body = first_body(&frame).expect("no message is too long").expect("the frame is whole");
    assert!(body.len() <= data.len(), "a message has its shortest encoding");
    let again: M = decode(body).expect("written bytes can be read");
    assert_eq!(again, message);
    assert_eq!(encode(&again), frame);
    let _ = format!("{message:?}");
    Some(message)
}
