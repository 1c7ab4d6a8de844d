//! A raw connection that sends any bytes, valid or not, and reads the server's messages.

use std::io;
use std::net::SocketAddr;

use bytes::{BufMut, BytesMut};
use fastrand::Rng;
use nim::lobby::Text;
use nim::wire::{
    ClientKind, Farewell, Greeting, HelloRefusal, Magic, ToClient, ToServer, VERSION, decode, encode,
    next_body,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::within;

/// A socket to the server, and a buffer of received frames.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    inbox: BytesMut,
}

impl Wire {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::over(within("a connection", TcpStream::connect(address)).await.unwrap())
    }

    /// A connection to a program that may not listen yet.
    pub(crate) async fn wait_for(address: SocketAddr) -> Self {
        let connected = async {
            loop {
                match TcpStream::connect(address).await {
                    Ok(stream) => return stream,
                    Err(_) => tokio::task::yield_now().await,
                }
            }
        };
        Self::over(within("somebody to listen", connected).await)
    }

    /// The same over an existing socket.
    pub(crate) fn over(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        Self { stream, inbox: BytesMut::new() }
    }

    /// Sends raw bytes.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.try_send_bytes(bytes).await.unwrap();
    }

    /// Sends raw bytes to a server that may have closed.
    pub(crate) async fn try_send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        within("room for some bytes", self.stream.write_all(bytes)).await
    }

    /// Sends a frame with this body.
    pub(crate) async fn send_body(&mut self, body: &[u8]) {
        self.send_bytes(&frame(body)).await;
    }

    pub(crate) async fn send(&mut self, message: &ToServer) {
        self.send_bytes(&encode(message)).await;
    }

    pub(crate) async fn send_hello(&mut self, name: &str) {
        self.send(&hello(name)).await;
    }

    /// Says hello to a server that may have closed.
    pub(crate) async fn try_send_hello(&mut self, name: &str) -> io::Result<()> {
        self.try_send_bytes(&encode(&hello(name))).await
    }

    /// The next message; an error if the connection was reset, `None` if it was closed.
    pub(crate) async fn try_read(&mut self) -> io::Result<Option<ToClient>> {
        loop {
            if let Some(body) = next_body(&mut self.inbox).expect("the server sends short frames") {
                return Ok(Some(decode(&body).expect("the server sends whole messages")));
            }
            if within("the server to say something", self.stream.read_buf(&mut self.inbox)).await? == 0 {
                assert!(self.inbox.is_empty(), "the server closed within a frame");
                return Ok(None);
            }
        }
    }

    /// The next message; `None` if the connection was closed properly.
    pub(crate) async fn read(&mut self) -> Option<ToClient> {
        self.try_read().await.expect("the server closes in good order")
    }

    /// The next message that `wanted` accepts.
    pub(crate) async fn until<T>(&mut self, what: &str, mut wanted: impl FnMut(&ToClient) -> Option<T>) -> T {
        let found = async {
            loop {
                let message =
                    self.read().await.unwrap_or_else(|| panic!("the server closed instead of {what}"));
                if let Some(value) = wanted(&message) {
                    return value;
                }
            }
        };
        within(&format!("{what}, though messages came"), found).await
    }

    /// The server's goodbye; checks that the connection closes after it.
    pub(crate) async fn farewell(&mut self) -> Farewell {
        let farewell = |message: &ToClient| match message {
            ToClient::Goodbye(word) => Some(word.clone()),
            _ => None,
        };
        let word = self.until("a goodbye", farewell).await;
        assert_eq!(self.read().await, None, "nothing is sent after a goodbye");
        word
    }

    /// The reason why the server refuses this connection; checks that it closes after that.
    pub(crate) async fn unwelcome(&mut self) -> HelloRefusal {
        let Some(ToClient::Unwelcome(refusal)) = self.read().await else {
            panic!("expected to be unwelcome")
        };
        assert_eq!(self.read().await, None, "nothing comes after it");
        refusal
    }

    /// All raw bytes until the connection ends.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        let mut bytes = self.inbox.split().to_vec();
        within("the end of the connection", self.stream.read_to_end(&mut bytes)).await.unwrap();
        bytes
    }

    /// Whether no unread message has arrived.
    pub(crate) fn is_silent(&self) -> bool {
        let nothing =
            self.stream.try_read(&mut [0]).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        nothing && self.inbox.is_empty()
    }

    /// Closes the sending half: the server sees the end of the stream, unless it has closed already.
    pub(crate) async fn finish_writing(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// Resets the connection, as after a crash of the program or a network failure.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }

    /// Waits until the server has read everything.
    pub(crate) async fn is_heard(&mut self) {
        let number = 0x5eed_5eed;
        self.send(&ToServer::Ping(number)).await;
        self.until("a pong", |message| (*message == ToClient::Pong(number)).then_some(())).await;
    }
}

/// A person's hello of this version.
pub(crate) fn hello(name: &str) -> ToServer {
    hello_as(name, ClientKind::Person)
}

/// A hello of this version.
pub(crate) fn hello_as(name: &str, kind: ClientKind) -> ToServer {
    let name = Text::try_from(name.to_owned()).expect("the protocol has room for this name");
    ToServer::Hello(Greeting { magic: Magic, version: VERSION.into(), name, kind })
}

/// A frame: the body with its length in front.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    frame.put_u32(u32::try_from(body.len()).unwrap());
    frame.put_slice(body);
    frame
}

/// Changes, removes or inserts a few bytes.
pub(crate) fn mutate(bytes: &mut Vec<u8>, chance: &mut Rng) {
    for _ in 0..chance.usize(1..4) {
        let at = chance.usize(..=bytes.len());
        match chance.u8(..4) {
            0 => bytes.insert(at, chance.u8(..)),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            _ if at < bytes.len() => bytes[at] ^= 1 << chance.u8(..8),
            _ => {}
        }
    }
}
