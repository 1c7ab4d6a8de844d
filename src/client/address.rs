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
pub enum BadAddress {
    /// It is no host's name or IP address, and perhaps a port.
    #[error("write HOST or HOST:PORT, as in 192.168.1.7, localhost:7646 or [::1]:7646")]
    Form,
    /// What follows the host is no port.
    #[error("the port after the colon is a number from 1 to 65535, as in localhost:7646")]
    Port,
    /// It is the address of a page.
    #[error("write the address only up to its port, as in 192.168.1.7:7646; --join CODE joins a lobby there")]
    Path,
}

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

    /// Reads an address, also that of the host's web site.
    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let text = text.strip_prefix("http://").map_or(text, |rest| rest.strip_suffix('/').unwrap_or(rest));
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Self { host: ip.to_string(), port: None });
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(address.into());
        }
        if let Some(ip) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let ip: Ipv6Addr = ip.parse().map_err(|_| BadAddress::Form)?;
            return Ok(Self { host: ip.to_string(), port: None });
        }
        if text.contains('/') {
            return Err(BadAddress::Path);
        }
        let (host, port) = match text.split_once(':') {
            Some((_, port)) if port.contains(':') => return Err(BadAddress::Form),
            Some((host, port)) => {
                (host, Some(port.parse().ok().filter(|port| *port > 0).ok_or(BadAddress::Port)?))
            }
            None => (text, None),
        };
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        if host.is_empty() || host.len() > MAX_HOST || !host.chars().all(allowed) {
            return Err(BadAddress::Form);
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
            ("http://192.168.1.7:7646/", "192.168.1.7", Some(7646)),
            ("http://school.local:80", "school.local", Some(80)),
            ("http://[::1]:7646/", "::1", Some(7646)),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port), "{text}");
            assert_eq!(address.to_string().parse(), Ok(address));
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        use BadAddress::{Form, Path, Port};
        for (text, error) in [
            ("", Form),
            (":7646", Form),
            ("host:", Port),
            ("host:0", Port),
            ("host:65536", Port),
            ("host:port", Port),
            ("a b", Form),
            ("http://", Form),
            ("[::1", Form),
            ("1:2:3", Form),
            ("a/b", Path),
            ("http://host:7646/brave-otter", Path),
            ("https://host", Path),
        ] {
            assert_eq!(text.parse::<Address>(), Err(error), "{text}");
        }
    }
}
