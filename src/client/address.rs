//! The address of a server, as a person types it: a host and an optional port.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// A host's name or IP address, and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// A name, or an IP address without brackets.
    pub host: String,
    /// The port, if one was typed.
    pub port: Option<u16>,
}

/// The error for a text that is not an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write HOST or HOST:PORT, as in 192.168.1.7, localhost:7646 or [::1]:7646; a port is at most 65535")]
pub struct BadAddress;

/// The longest host name that the domain name system allows.
const MAX_HOST: usize = 253;

impl Address {
    /// This machine, without a port.
    pub fn here() -> Self {
        Self { host: Ipv4Addr::LOCALHOST.to_string(), port: None }
    }
}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Self { host: ip.to_string(), port: None });
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(address.into());
        }
        if let Some(ip) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let ip: Ipv6Addr = ip.parse().map_err(|_| BadAddress)?;
            return Ok(Self { host: ip.to_string(), port: None });
        }
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, Some(port.parse().ok().filter(|port| *port > 0).ok_or(BadAddress)?)),
            None => (text, None),
        };
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        if host.is_empty() || host.len() > MAX_HOST || !host.chars().all(allowed) {
            return Err(BadAddress);
        }
        Ok(Self { host: host.into(), port })
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self { host: address.ip().to_string(), port: Some(address.port()) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.host.contains(':'), self.port) {
            (true, Some(port)) => write!(f, "[{}]:{port}", self.host),
            (false, Some(port)) => write!(f, "{}:{port}", self.host),
            (_, None) => f.write_str(&self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_read_with_and_without_a_port() {
        for (text, host, port) in [
            ("localhost", "localhost", None),
            ("my-laptop.local:7000", "my-laptop.local", Some(7000)),
            ("192.168.1.7", "192.168.1.7", None),
            ("192.168.1.7:80", "192.168.1.7", Some(80)),
            ("::1", "::1", None),
            ("[::1]", "::1", None),
            ("[::1]:7646", "::1", Some(7646)),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port), "{text}");
            assert_eq!(address.to_string().parse(), Ok(address));
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in [
            "",
            ":7646",
            "host:",
            "host:0",
            "host:65536",
            "host:port",
            "a b",
            "http://host",
            "[::1",
            "1:2:3",
            "a/b",
        ] {
            assert_eq!(text.parse::<Address>(), Err(BadAddress), "{text}");
        }
    }
}
