//! What writes a lobby into etcd.

use super::ended::GameEnded;
use super::kept::{Events, KeptLobby};
use super::value;
use crate::cluster::engine::{Key, Operation};
use crate::cluster::format::Format;
use crate::cluster::keys;

/// The key of a lobby's head.
pub(super) fn head_of(kept: &KeptLobby) -> Key {
    keys::head(kept.slot(), kept.lobby)
}

/// What writes a lobby: its pages and its head, and the note that it was closed, or that a game has ended there.
pub(super) fn puts_of(format: Format, kept: &KeptLobby) -> impl Iterator<Item = Operation> {
    let (slot, lobby) = (kept.slot(), kept.lobby);
    let tail = (!kept.tail.bytes.is_empty()).then_some(&kept.tail);
    let pages = kept.full.iter().chain(tail).map(move |page| put_page(format, kept, page));
    let head = Operation::put(head_of(kept), value::head(format, kept));
    let closed = kept.closed.map(|_| Operation::put(keys::closed(lobby), vec![slot.0]));
    let ended = kept.has_ended.then(|| Operation::put(keys::ended(lobby), GameEnded::of(kept).value()));
    pages.chain([head]).chain(closed).chain(ended)
}

/// What writes a page of a lobby.
pub(super) fn put_page(format: Format, kept: &KeptLobby, page: &Events) -> Operation {
    Operation::put(keys::page(kept.slot(), kept.lobby, page.first), value::page(format, page))
}

/// How many bytes a put has.
pub(super) fn put_bytes(operation: &Operation) -> usize {
    match operation {
        Operation::Put { value, .. } => value.len(),
        _ => 0,
    }
}
