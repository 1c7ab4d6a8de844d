//! Connections through a load balancer, which says in front of each where it comes from: the PROXY protocol,
//! version 2 (<https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt>).
//!
//! Only a balancer that the host trusts is believed: anybody else could name any address, and all limits count by
//! address.

use std::io;
use std::net::SocketAddr;

use ppp::v2::{Addresses, Command, Header};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The first bytes of a header, of which the last two say how many follow.
const FIXED: usize = 16;

/// The most bytes of a header behind these: addresses, and what balancers add to them.
const MAX_ADDED: usize = 512;

/// How a header of version 1 begins, which is text.
const TEXT_PREFIX: &[u8] = b"PROXY ";

/// Whether a connection begins with a header, of either version.
pub(super) fn begins_with_header(start: &[u8]) -> bool {
    start.starts_with(ppp::v2::PROTOCOL_PREFIX) || start.starts_with(TEXT_PREFIX)
}

/// A connection does not begin as the PROXY protocol says.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotProxied {
    /// It ended, or the network failed.
    #[error("it ended before its PROXY header was complete ({0})")]
    Ended(#[from] io::Error),
    /// It begins with something else.
    #[error(
        "it does not begin with a PROXY header of version 2: have the balancer send one (HAProxy: send-proxy-v2), or leave \
         its address out of --trusted-proxy"
    )]
    NoHeader,
    /// The header names no address and port of the internet.
    #[error("its PROXY header names no address of a client")]
    NoAddress,
}

/// Reads the header in front of a connection, and nothing behind it. Returns the client's address and port; `None` if
/// the balancer speaks for itself, as when it looks whether the server is there.
pub(super) async fn client(
    incoming: &mut (impl AsyncRead + Unpin),
) -> Result<Option<SocketAddr>, NotProxied> {
    let mut bytes = vec![0; FIXED];
    incoming.read_exact(&mut bytes).await?;
    let added = usize::from(u16::from_be_bytes([bytes[FIXED - 2], bytes[FIXED - 1]]));
    if !bytes.starts_with(ppp::v2::PROTOCOL_PREFIX) || added > MAX_ADDED {
        return Err(NotProxied::NoHeader);
    }
    bytes.resize(FIXED + added, 0);
    incoming.read_exact(&mut bytes[FIXED..]).await?;
    let header = Header::try_from(&bytes[..]).map_err(|_| NotProxied::NoHeader)?;
    match (header.command, header.addresses) {
        (Command::Local, _) => Ok(None),
        (Command::Proxy, Addresses::IPv4(from)) => {
            Ok(Some(SocketAddr::new(from.source_address.into(), from.source_port)))
        }
        (Command::Proxy, Addresses::IPv6(from)) => {
            Ok(Some(SocketAddr::new(from.source_address.to_canonical(), from.source_port)))
        }
        (Command::Proxy, Addresses::Unix(_) | Addresses::Unspecified) => Err(NotProxied::NoAddress),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is read of these bytes.
    fn read(bytes: &[u8]) -> Result<Option<SocketAddr>, NotProxied> {
        let mut left = bytes;
        futures_util::FutureExt::now_or_never(client(&mut left)).unwrap()
    }

    proptest! {
        #[test]
        fn no_bytes_are_read_as_an_address_unless_they_are_a_header(bytes: Vec<u8>) {
            prop_assert!(read(&bytes).is_err());
            let _ = read(&[ppp::v2::PROTOCOL_PREFIX, &bytes[..]].concat());
        }
    }

    #[test]
    fn a_header_that_claims_to_be_long_is_refused_unread() {
        let header = [ppp::v2::PROTOCOL_PREFIX, &[0x21, 0x11, 0xff, 0xff]].concat();
        assert!(matches!(read(&header), Err(NotProxied::NoHeader)));
    }
}
