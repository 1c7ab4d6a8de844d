//! The names by which this site may be asked for. A page of another site could otherwise have its own name stand
//! for this machine (DNS rebinding), and read what is here.

use std::net::{IpAddr, Ipv6Addr};

/// The names of this site besides IP addresses.
#[derive(Debug)]
pub(super) struct HostNames(Vec<String>);

impl HostNames {
    /// These names, and localhost.
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> Self {
        let names = names.into_iter().map(|name| name.to_lowercase());
        Self(names.chain(["localhost".to_owned()]).collect())
    }

    /// Whether the site answers to this `Host`, with or without a port.
    pub(super) fn has(&self, host: &str) -> bool {
        let name = without_port(host);
        let port = host[name.len()..].strip_prefix(':');
        if port.is_some_and(|port| port.parse::<u16>().is_err() || port.starts_with('+')) {
            return false;
        }
        is_address(name) || self.0.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// A `Host` without its port.
pub(super) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // The colons of an IPv6 address stand in brackets.
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    }
}

fn is_address(name: &str) -> bool {
    match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => matches!(name.parse::<IpAddr>(), Ok(IpAddr::V4(_))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_answers_to_addresses_and_its_own_names_alone() {
        let names = HostNames::new(["annas-laptop".to_owned(), "annas-laptop.local".to_owned()]);
        for host in
            ["192.168.1.7", "192.168.1.7:7646", "[::1]:7646", "localhost:7646", "Annas-Laptop.local:80"]
        {
            assert!(names.has(host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:7646",
            "192.168.1.7.evil.example",
            "",
            "[evil]:1",
            "::1",
            "localhost:evil",
            "localhost:",
            "localhost:+1",
            "localhost:65536",
            "localhost:1:1",
            "192.168.1.7:x",
            "[::1]x",
        ] {
            assert!(!names.has(host), "{host}");
        }
    }
}
