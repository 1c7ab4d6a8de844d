//! The handshake at the start of a connection between two nodes, after which each knows that the other one is a
//! living node of the same cluster. How long it may take is up to the caller, who sets a deadline around it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::framed::Tunnel;
use super::mac::{MacKey, Purpose, Toward, WHOLE};
use super::message::{Answer, Hello, Verdict};
use super::secret::SharedSecret;
use crate::cluster::format::Format;
use crate::cluster::keys::Epoch;
use crate::wire::random_bytes;

/// Why there is no tunnel. The connection is of no use any more.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The connection ended, or the network failed.
    #[error("the connection between two nodes ended during the handshake: {0}")]
    Ended(#[from] io::Error),
    /// The accepting node ended the connection instead of a verdict.
    #[error(
        "the other node turned this one away without a word: it is stopping, or it has another secret; do both use the \
         same etcd? ({0})"
    )]
    TurnedAway(io::Error),
    /// TLS around the connection failed.
    #[error(
        "no TLS with the other end: {0}; it is no node, or a node without a certificate of the authority of --cluster-ca: \
         start all nodes with --cluster-ca, --cluster-cert and --cluster-key, or none"
    )]
    NoTls(io::Error),
    /// The first byte is of no format that is known here.
    #[error(
        "the other end begins with version {0}, and not with the one that is spoken here: it is a node of another release, or \
         no node; only nodes may reach this port"
    )]
    OtherVersion(u8),
    /// A MAC is wrong.
    #[error(
        "the other end does not know the secret of this cluster, or somebody on the way changed what it said: do all nodes \
         use the same etcd, and does nobody but them reach this port?"
    )]
    WrongMac,
    /// A message with the right MAC means nothing.
    #[error("a node said what this release does not understand: bring all nodes to the same release")]
    NotUnderstood,
    /// The accepting node is not the one that the dialing node means to reach.
    #[error(
        "the node of epoch {meant} was meant, and that of epoch {found} was reached: who owns what has just changed"
    )]
    OtherNode {
        /// Whom the dialer means to reach.
        meant: Epoch,
        /// Whom it reached.
        found: Epoch,
    },
    /// The accepting node does not take the dialing one for living.
    #[error("the node of epoch {0} is no living member: it has to join anew before it can reach others")]
    NotLiving(Epoch),
}

/// What a dialing node says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Introduction {
    /// The epoch of the dialing node itself.
    pub dialer: Epoch,
    /// The epoch of the node that it means to reach.
    pub meant: Epoch,
    /// The real address and port of the client. Of an IPv6 address only these two arrive.
    pub client: SocketAddr,
}

impl Introduction {
    /// The client of a node that only asks, or wants to notice when the other one dies.
    pub const NOBODY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
}

/// A connection that was accepted.
#[derive(Debug)]
pub struct Accepted<S> {
    /// The tunnel, which carries the client's bytes.
    pub tunnel: Tunnel<S>,
    /// The epoch of the dialing node.
    pub dialer: Epoch,
    /// The real address and port of the client.
    pub client: SocketAddr,
}

/// Makes a tunnel in this format over a connection that another node has dialed. `own` is the epoch of this node, and
/// `is_living` says whether a node with this epoch is living; only a peer that knows the secret gets so far.
///
/// Set a deadline around it: a silent peer is waited for without end. It reads at most 100 bytes.
pub async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    secret: &SharedSecret,
    (own, format): (Epoch, Format),
    is_living: impl FnOnce(Epoch) -> bool,
) -> Result<Accepted<S>, HandshakeError> {
    let challenge = random_bytes();
    let hello = Hello { format, acceptor: own, challenge }.write();
    send(&mut stream, &hello).await?;
    let is_same = |number| (number == format.number()).then_some(format);
    let (_, said) = read_versioned::<{ Answer::LENGTH }>(&mut stream, is_same).await?;
    let mac = read_array::<WHOLE>(&mut stream).await?;
    if !MacKey::derive(secret, Purpose::Answer).is_whole(&[&hello, &said], &mac) {
        return Err(HandshakeError::WrongMac);
    }
    let answer = Answer::read(format, &said).ok_or(HandshakeError::NotUnderstood)?;
    let verdict = match () {
        () if answer.meant != own => Verdict::OtherNode,
        () if !is_living(answer.dialer) => Verdict::NotLiving,
        () => Verdict::Welcome,
    };
    let key = MacKey::derive(secret, Purpose::Verdict);
    let mac = key.whole(&[&hello, &said, &mac, &[verdict.write()]]);
    let sent = send(&mut stream, &[&[verdict.write()][..], &mac].concat()).await;
    // Why it was refused says more than that the dialer has gone meanwhile.
    check(verdict, &answer, own)?;
    sent?;
    let [there, back] = frame_keys(secret, &challenge, &answer.nonce);
    Ok(Accepted { tunnel: Tunnel::new(stream, there, back), dialer: answer.dialer, client: answer.client })
}

/// Makes a tunnel over a connection to another node.
///
/// Set a deadline around it: a silent peer is waited for without end. It reads at most 74 bytes.
pub async fn dial<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    secret: &SharedSecret,
    introduction: Introduction,
) -> Result<Tunnel<S>, HandshakeError> {
    let (format, hello) = read_versioned::<{ Hello::LENGTH }>(&mut stream, Format::known).await?;
    let Hello { acceptor, challenge, .. } = Hello::read(format, &hello);
    let answer = Answer {
        format,
        dialer: introduction.dialer,
        meant: introduction.meant,
        nonce: random_bytes(),
        client: introduction.client,
    };
    if acceptor != introduction.meant {
        return Err(HandshakeError::OtherNode { meant: introduction.meant, found: acceptor });
    }
    let said = answer.write();
    let mac = MacKey::derive(secret, Purpose::Answer).whole(&[&hello, &said]);
    send(&mut stream, &[&said[..], &mac].concat()).await.map_err(HandshakeError::TurnedAway)?;
    let [verdict] = read_array(&mut stream).await.map_err(HandshakeError::TurnedAway)?;
    let verdict_mac = read_array::<WHOLE>(&mut stream).await.map_err(HandshakeError::TurnedAway)?;
    if !MacKey::derive(secret, Purpose::Verdict).is_whole(&[&hello, &said, &mac, &[verdict]], &verdict_mac) {
        return Err(HandshakeError::WrongMac);
    }
    check(Verdict::read(verdict).ok_or(HandshakeError::NotUnderstood)?, &answer, acceptor)?;
    let [there, back] = frame_keys(secret, &challenge, &answer.nonce);
    Ok(Tunnel::new(stream, back, there))
}

/// The keys of frames: first of those to the acceptor, then of those to the dialer.
fn frame_keys(secret: &SharedSecret, challenge: &[u8; 32], nonce: &[u8; 32]) -> [MacKey; 2] {
    [Toward::Acceptor, Toward::Dialer]
        .map(|toward| MacKey::derive(secret, Purpose::Frames(toward, challenge, nonce)))
}

/// What a verdict means to both sides.
fn check(verdict: Verdict, answer: &Answer, acceptor: Epoch) -> Result<(), HandshakeError> {
    match verdict {
        Verdict::Welcome => Ok(()),
        Verdict::OtherNode => Err(HandshakeError::OtherNode { meant: answer.meant, found: acceptor }),
        Verdict::NotLiving => Err(HandshakeError::NotLiving(answer.dialer)),
    }
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}

async fn read_array<const LENGTH: usize>(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// Reads a message that begins with a format that is understood. Of another one, nothing else is read.
async fn read_versioned<const LENGTH: usize>(
    stream: &mut (impl AsyncRead + Unpin),
    understood: impl FnOnce(u8) -> Option<Format>,
) -> Result<(Format, [u8; LENGTH]), HandshakeError> {
    let mut bytes = [0; LENGTH];
    let (version, others) = bytes.split_at_mut(1);
    stream.read_exact(version).await?;
    let format = understood(version[0]).ok_or(HandshakeError::OtherVersion(version[0]))?;
    stream.read_exact(others).await?;
    Ok((format, bytes))
}
