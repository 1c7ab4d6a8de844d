//! What the frames of another server say that are passed on to a client.

use crate::lobby::{Code, Name};
use crate::wire::{Farewell, ToClient, ToClientKind, body_of, decode};

/// Whether this frame says that the lobby is in another server, or soon will be.
pub(super) fn is_moved(frame: &[u8]) -> bool {
    ToClientKind::of(body_of(frame)) == Some(ToClientKind::Goodbye)
        && matches!(farewell_in(frame), Farewell::Moved | Farewell::Stopping | Farewell::Kept)
}

/// The word of a goodbye. One of a later release means that the client is to come back.
pub(super) fn farewell_in(frame: &[u8]) -> Farewell {
    match decode(body_of(frame)) {
        Ok(ToClient::Goodbye(word)) => word,
        _ => Farewell::Moved,
    }
}

/// The name that a welcome gives.
pub(super) fn name_in(frame: &[u8]) -> Option<Name> {
    match decode(body_of(frame)) {
        Ok(ToClient::Welcome { name, .. }) => Some(name),
        _ => None,
    }
}

/// Which request a frame refuses.
pub(super) fn refused_id(frame: &[u8]) -> Option<u32> {
    match decode(body_of(frame)) {
        Ok(ToClient::Refused { id, .. }) => Some(id),
        _ => None,
    }
}

/// The code of the lobby that a client enters by this frame.
pub(super) fn lobby_of(frame: &[u8]) -> Option<Code> {
    match decode(body_of(frame)) {
        Ok(ToClient::Entered { lobby, .. } | ToClient::Watching { lobby, .. }) => Some(lobby.code),
        _ => None,
    }
}
