//! The names by which this site may be asked for. A page of another site could otherwise have its own name stand
//! for this machine (DNS rebinding), and read what is here.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// A name under which a site may be asked for, such as `games.example`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName(String);

/// A text is no name of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name has letters, digits, dots and hyphens, and neither http:// nor a port: such as games.example"
)]
pub struct BadHostName;

impl FromStr for HostName {
    type Err = BadHostName;

    fn from_str(text: &str) -> Result<Self, BadHostName> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_name = text.chars().all(is_plain) && text.starts_with(|c: char| c.is_ascii_alphanumeric());
        is_name.then(|| Self(text.to_owned())).ok_or(BadHostName)
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
    fn a_name_of_a_host_has_no_scheme_and_no_port() {
        for name in ["games.example", "annas-laptop", "Games.Example", "10.0.0.7", "my_host"] {
            assert_eq!(name.parse::<HostName>().map(|name| name.to_string()), Ok(name.to_owned()));
        }
        for text in ["", " ", "a b", "games.example:8080", "http://x/", "x/", ".", "-x", "spiel.köln"] {
            assert_eq!(text.parse::<HostName>(), Err(BadHostName), "{text}");
        }
    }

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
