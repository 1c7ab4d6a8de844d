//! What a node says of itself to the others, as JSON at its key. A node that does not know a field ignores it.

use std::net::SocketAddr;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::format::{Format, Formats};

/// The most bytes that a node says of itself.
pub const MAX_ABOUT: usize = 1_024;

/// The most bytes of a name of a machine or an address that is believed.
const MAX_TEXT: usize = 255;

/// What a node says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Where other nodes reach it.
    pub tunnel: SocketAddr,
    /// Where clients reach it, as `HOST:PORT`, if they are to be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<String>,
    /// The oldest and the newest format that it writes.
    pub formats: Formats,
    /// Its release.
    pub release: String,
    /// The name of its machine: only nodes of the same machine reach each other over the loopback.
    pub machine: String,
    /// Whether it speaks TLS with other nodes, and with nobody else.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tls: bool,
    /// Whether it is about to leave, so that it is given nothing any more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_leaving: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl About {
    /// What a node of this release says of itself.
    pub fn new(tunnel: SocketAddr, clients: Option<String>, machine: &str) -> Self {
        let machine = machine.chars().take(64).collect();
        let release = env!("CARGO_PKG_VERSION").into();
        Self { tunnel, clients, formats: Format::WRITTEN, release, machine, tls: false, is_leaving: false }
    }

    /// Where clients reach it, unless they are not to be told any more.
    pub fn for_clients(&self) -> Option<&String> {
        self.clients.as_ref().filter(|_| !self.is_leaving)
    }

    /// The value in etcd.
    pub fn value(&self) -> Bytes {
        // Numbers and texts can always be written.
        serde_json::to_vec(self).unwrap_or_default().into()
    }

    /// Reads the value of another node.
    ///
    /// # Errors
    ///
    /// What is wrong, as the end of a sentence.
    pub fn read(value: &[u8]) -> Result<Self, String> {
        if value.len() > MAX_ABOUT {
            return Err(format!("it has {} bytes", value.len()));
        }
        let about: Self = serde_json::from_slice(value).map_err(|error| error.to_string())?;
        let is_plain =
            |text: &str| text.len() <= MAX_TEXT && text.chars().all(|char| char.is_ascii_graphic());
        if !about.clients.as_deref().is_none_or(is_plain) || about.formats.0 > about.formats.1 {
            return Err("an address or the formats in it make no sense".into());
        }
        Ok(about)
    }

    /// Whether a node of this machine can reach it.
    pub fn is_reachable_from(&self, machine: &str) -> bool {
        !self.tunnel.ip().is_loopback() || self.machine == machine
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::*;

    fn about() -> About {
        About::new("10.0.0.1:7650".parse().unwrap(), Some("nim.example:7646".into()), "attic")
    }

    #[test]
    fn what_a_node_says_reads_back_and_its_format_stays() {
        let leaving = About { is_leaving: true, ..about() };
        let secure = About { tls: true, ..about() };
        for said in [about(), leaving, secure, About { clients: None, ..about() }] {
            assert_eq!(About::read(&said.value()), Ok(said.clone()));
        }
        let text = r#"{"tunnel":"10.0.0.1:7650","clients":"nim.example:7646","formats":[1,1],"release":"0.1.0","machine":"attic"}"#;
        assert_eq!(about().value(), text);
        let later = text.replace("\"machine\"", "\"colour\":7,\"machine\"");
        assert_eq!(About::read(later.as_bytes()), Ok(about()));
    }

    #[test]
    fn nonsense_is_refused() {
        let with = |clients: &str| About { clients: Some(clients.into()), ..about() }.value();
        let backwards = About { formats: (Format::TRIAL, Format::FIRST), ..about() }.value();
        for value in
            [with("a b"), with("\u{1b}[2J"), with(&"x".repeat(300)), with(&"x".repeat(2_000)), backwards]
        {
            assert!(About::read(&value).is_err(), "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused(bytes: Vec<u8>) {
            assert!(About::read(&bytes).is_err());
        }
    }

    #[test]
    fn a_loopback_address_is_reached_from_the_same_machine_alone() {
        let near = About { tunnel: "127.0.0.1:7650".parse().unwrap(), ..about() };
        assert!(near.is_reachable_from("attic") && !near.is_reachable_from("cellar"));
        assert!(about().is_reachable_from("cellar"));
    }
}
