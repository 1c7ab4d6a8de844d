//! An entry of the list as the value of a key.

use std::net::IpAddr;

use bytes::Bytes;

use crate::cluster::checked;
use crate::cluster::format::Format;
use crate::server::SharedListing;
use crate::server::storage::LobbyId;
use crate::wire::{self, Listing};

/// The most bytes of a key with its value, about.
pub(super) const MOST_BYTES: usize = 2_048;

pub(super) fn write(format: Format, listing: &SharedListing) -> Bytes {
    let message = wire::encode(&(listing.opener, &listing.listing));
    checked::finish(format, [&[0; checked::HEADER], wire::body_of(&message)].concat())
}

/// # Errors
///
/// What is wrong, as the end of a sentence.
pub(super) fn read(lobby: LobbyId, value: &[u8]) -> Result<SharedListing, String> {
    let content = checked::content(value)?;
    let (opener, listing): (IpAddr, Listing) =
        wire::decode(content).map_err(|malformed| malformed.to_string())?;
    Ok(SharedListing { lobby, opener, listing })
}
