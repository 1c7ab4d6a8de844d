//! The address of this site, as it is shown to people who pass it on.

use std::net::{IpAddr, SocketAddr};

use super::host_name::without_port;

/// Where others reach this host, if that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elsewhere(pub(super) Option<SocketAddr>);

/// The address of this site in one browser.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnAddress {
    /// The origin of the page.
    opened: String,
    /// The origin with which other machines can open it; `None` if only this one can.
    others: Option<String>,
}

impl OwnAddress {
    /// The address for a page of this origin. Who has opened it under a name of its own machine alone passes on where
    /// others reach the host.
    pub(super) fn of(origin: &str, Elsewhere(elsewhere): Elsewhere) -> Self {
        let others = if is_here(origin) {
            elsewhere.map(|at| format!("http://{at}"))
        } else {
            Some(origin.to_owned())
        };
        Self { opened: origin.to_owned(), others }
    }

    /// The address of this path for other machines, if they can open it.
    pub(super) fn for_others(&self, path: &str) -> Option<String> {
        self.others.as_ref().map(|origin| format!("{origin}{path}"))
    }

    /// The same, or else its address on this machine.
    pub(super) fn of_path(&self, path: &str) -> String {
        self.for_others(path).unwrap_or_else(|| format!("{}{path}", self.opened))
    }
}

/// Whether an origin means the browser's own machine.
fn is_here(origin: &str) -> bool {
    let name = without_port(origin.split_once("://").map_or(origin, |(_, host)| host));
    let ip = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_get_the_address_that_was_opened_unless_it_is_that_of_the_own_machine() {
        let elsewhere = Elsewhere("192.168.1.7:7646".parse().ok());
        for (opened, others) in [
            ("http://192.168.1.9:7646", "http://192.168.1.9:7646/x"),
            ("https://games.example", "https://games.example/x"),
            ("http://localhost:7646", "http://192.168.1.7:7646/x"),
            ("http://127.0.0.1:7646", "http://192.168.1.7:7646/x"),
            ("http://[::1]:7646", "http://192.168.1.7:7646/x"),
        ] {
            assert_eq!(OwnAddress::of(opened, elsewhere).for_others("/x").as_deref(), Some(others));
        }
        let alone = OwnAddress::of("http://localhost:4000", Elsewhere(None));
        assert_eq!((alone.for_others("/"), alone.of_path("/")), (None, "http://localhost:4000/".to_owned()));
    }
}
