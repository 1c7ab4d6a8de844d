//! Signs of a load balancer or proxy that the host has not named: without its PROXY headers everybody has one address, and
//! limits, kicks and bans hold for all of them. Each sign is logged once. Knows no sockets.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::limits::address_text;

/// How many connections have to be open before nearly all of them from one address are a sign.
pub(super) const MANY: usize = 20;

/// Of this many connections all but one: then nearly all come from one address. The one may be the host's own.
const NEARLY_ALL_OF: usize = 10;

/// What the log has said.
#[derive(Debug, Default)]
pub(super) struct ProxySigns {
    has_told_of_one_address: AtomicBool,
    has_told_of_header: AtomicBool,
}

impl ProxySigns {
    /// Of all open connections, this many come from this address, which is no trusted proxy.
    ///
    /// A server on a loopback address is no exception: a proxy on the same machine is the usual reason for that address, and
    /// a host who tries many bots there reads one line more.
    pub(super) fn note_share(&self, address: IpAddr, from_it: usize, all: usize) {
        let is_nearly_all = from_it * NEARLY_ALL_OF >= all * (NEARLY_ALL_OF - 1);
        if is_nearly_all && !self.has_told_of_one_address.swap(true, Ordering::Relaxed) {
            let address = address_text(address);
            tracing::warn!(
                "{from_it} of {all} connections come from {address}, and share its limits and bans: if a balancer or proxy stands \
                 before this server, have it send PROXY headers and start the server with --trusted-proxy {address} (see \
                 docs/hosting.md, \"Behind a load balancer\")"
            );
        }
    }

    /// A connection of this address, which is no trusted proxy, began with a PROXY header, and was closed.
    pub(super) fn note_header(&self, address: IpAddr) {
        if !self.has_told_of_header.swap(true, Ordering::Relaxed) {
            let address = address_text(address);
            tracing::warn!(
                "a connection from {address} was closed, since it began with a PROXY header and this server does not trust that \
                 address: if your balancer or proxy stands there, start the server with --trusted-proxy {address} (see \
                 docs/hosting.md, \"Behind a load balancer\")"
            );
        }
    }
}
