//! The messages of the handshake as bytes, in the layout at the top of [`tunnel`](super). They are not checked
//! here beyond what they need to be read.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use bytes::{Buf, BufMut};

use crate::cluster::engine::Revision;
use crate::cluster::format::Format;
use crate::cluster::keys::Epoch;

/// What the accepting node says first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hello {
    /// The format of all that follows, which is the first byte of both sides.
    pub(super) format: Format,
    pub(super) acceptor: Epoch,
    pub(super) challenge: [u8; 32],
}

impl Hello {
    pub(super) const LENGTH: usize = 1 + 8 + 32;

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::LENGTH);
        bytes.put_u8(self.format.number());
        bytes.put_u64(self.acceptor.0.0);
        bytes.put_slice(&self.challenge);
        bytes
    }

    /// Reads what follows the format, which is this.
    pub(super) fn read(format: Format, bytes: &[u8; Self::LENGTH]) -> Self {
        let mut bytes = &bytes[1..];
        Self { format, acceptor: epoch(&mut bytes), challenge: random(&mut bytes) }
    }
}

/// What the dialing node answers, before its MAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    /// That of the hello.
    pub(super) format: Format,
    pub(super) dialer: Epoch,
    /// Whom the dialer means to reach.
    pub(super) meant: Epoch,
    pub(super) nonce: [u8; 32],
    pub(super) client: SocketAddr,
}

impl Answer {
    pub(super) const LENGTH: usize = 1 + 8 + 8 + 32 + 1 + 16 + 2;

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::LENGTH);
        bytes.put_u8(self.format.number());
        bytes.put_u64(self.dialer.0.0);
        bytes.put_u64(self.meant.0.0);
        bytes.put_slice(&self.nonce);
        match self.client.ip() {
            IpAddr::V4(address) => {
                bytes.put_u8(4);
                bytes.put_slice(&address.octets());
                bytes.put_bytes(0, 12);
            }
            IpAddr::V6(address) => {
                bytes.put_u8(6);
                bytes.put_slice(&address.octets());
            }
        }
        bytes.put_u16(self.client.port());
        bytes
    }

    /// Reads what follows the format, which is this. `None` if the address is of no family that there is.
    pub(super) fn read(format: Format, bytes: &[u8; Self::LENGTH]) -> Option<Self> {
        let mut bytes = &bytes[1..];
        let (dialer, meant) = (epoch(&mut bytes), epoch(&mut bytes));
        let nonce = random(&mut bytes);
        let (family, address) = (bytes.get_u8(), bytes.get_u128());
        let ip = match family {
            4 => IpAddr::V4(v4(address)?),
            6 => IpAddr::V6(Ipv6Addr::from_bits(address)),
            _ => return None,
        };
        Some(Self { format, dialer, meant, nonce, client: SocketAddr::new(ip, bytes.get_u16()) })
    }
}

/// The IPv4 address in the high bits, if the others are zeros.
fn v4(address: u128) -> Option<Ipv4Addr> {
    let bits = u32::try_from(address >> 96).ok()?;
    (u128::from(bits) << 96 == address).then(|| Ipv4Addr::from_bits(bits))
}

fn epoch(bytes: &mut &[u8]) -> Epoch {
    Epoch(Revision(bytes.get_u64()))
}

fn random(bytes: &mut &[u8]) -> [u8; 32] {
    let mut random = [0; 32];
    bytes.copy_to_slice(&mut random);
    random
}

/// What the accepting node says of a dialer that knows the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Welcome = 0,
    /// The dialer means to reach another node.
    OtherNode = 1,
    /// The dialer is not living.
    NotLiving = 2,
}

impl Verdict {
    pub(super) fn write(self) -> u8 {
        self as u8
    }

    pub(super) fn read(byte: u8) -> Option<Self> {
        [Self::Welcome, Self::OtherNode, Self::NotLiving].into_iter().find(|verdict| verdict.write() == byte)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_have_the_bytes_of_the_table() {
        let (dialer, meant) = (Epoch(Revision(0x0102)), Epoch(Revision(0x03)));
        let hello = Hello { format: Format::FIRST, acceptor: meant, challenge: [0xcc; 32] }.write();
        assert_eq!(hello, [&[1, 0, 0, 0, 0, 0, 0, 0, 3][..], &[0xcc; 32]].concat());
        let client = "192.0.2.7:4660".parse().unwrap();
        let answer = Answer { format: Format::FIRST, dialer, meant, nonce: [0xaa; 32], client }.write();
        let epochs = [1, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 3];
        let address = [4, 192, 0, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34];
        assert_eq!(answer, [&epochs[..], &[0xaa; 32], &address].concat());
    }

    proptest! {
        #[test]
        fn whatever_is_read_as_an_answer_is_written_as_the_same_bytes(
            mut bytes in proptest::collection::vec(any::<u8>(), Answer::LENGTH),
            family in 3_u8..8,
            zeros: bool,
        ) {
            (bytes[0], bytes[49]) = (Format::FIRST.number(), family);
            if zeros {
                bytes[54..66].fill(0);
            }
            let read = Answer::read(Format::FIRST, bytes.as_slice().try_into().unwrap());
            prop_assert_eq!(read.is_some(), family == 6 || (family == 4 && bytes[54..66] == [0; 12]));
            prop_assert!(read.is_none_or(|answer| answer.write() == bytes));
        }
    }
}
