//! One connection of an attacker: sends any bytes, and counts the answers.

use std::cell::RefCell;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use nim::lobby::Text;
use nim::wire::{ClientKind, Fixed16, Greeting, Magic, ToServer, VERSION, decode, encode, next_body};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::player::Player;
use crate::load::cutter::{Cutter, REFUSED, UNWELCOME};

/// The size of one write.
const AT_ONCE: usize = 4 * 1024;

/// An attacker with one connection.
#[derive(Debug)]
pub(crate) struct Raider {
    stream: TcpStream,
    cutter: Cutter,
    count: Rc<RefCell<Count>>,
}

impl Raider {
    /// Connects from this address.
    pub(crate) async fn connect(
        from: Ipv4Addr,
        target: SocketAddr,
        count: &Rc<RefCell<Count>>,
    ) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        if from != Ipv4Addr::LOCALHOST {
            socket.set_reuseaddr(true)?;
            socket.bind((from, 0).into())?;
        }
        let stream = socket.connect(target).await?;
        // Without it, the ports of a minute would be used up within seconds.
        socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, cutter: Cutter::default(), count: Rc::clone(count) })
    }

    /// The hello of an honest client.
    pub(crate) fn hello() -> Bytes {
        let name = Text::cut("raider");
        encode(&ToServer::Hello(Greeting {
            magic: Magic,
            version: Fixed16::from(VERSION),
            name,
            kind: ClientKind::Person,
        }))
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Reads until a message of this kind arrives.
    pub(crate) async fn until(&mut self, wanted: u8) -> io::Result<()> {
        while !self.hear(wanted).await? {}
        Ok(())
    }

    /// Reads what is available. Returns whether a message of this kind was among it.
    async fn hear(&mut self, wanted: u8) -> io::Result<bool> {
        self.stream.readable().await?;
        let (mut scratch, mut found) = ([0; AT_ONCE], false);
        let read = match self.stream.try_read(&mut scratch) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            read => read,
        };
        let mut count = self.count.borrow_mut();
        let Ok(length @ 1..) = read else {
            count.closed += 1;
            return Err(io::ErrorKind::ConnectionReset.into());
        };
        self.cutter.take(&scratch[..length], |first| {
            found |= first == wanted;
            count.refused += u64::from(matches!(first, UNWELCOME | REFUSED));
        });
        Ok(found)
    }

    /// Reads to the end of the connection.
    pub(crate) async fn hear_out(&mut self) -> io::Result<()> {
        loop {
            self.hear(u8::MAX).await?;
        }
    }

    /// Sends one byte at a time until the connection closes.
    pub(crate) async fn send_slowly(&mut self, bytes: &[u8], pause: Duration) -> io::Result<()> {
        for byte in bytes.chunks(1) {
            self.send(byte).await?;
            let _ = tokio::time::timeout(pause, self.hear_out()).await;
        }
        self.hear_out().await
    }

    /// Sends these bytes at an even pace, and reads every answer.
    pub(crate) async fn send_evenly(&mut self, bytes: &[u8], pause: Duration) -> io::Result<()> {
        let mut steps = tokio::time::interval(pause);
        loop {
            tokio::select! {
                heard = self.hear(u8::MAX) => drop(heard?),
                _ = steps.tick() => self.send(bytes).await?,
            }
        }
    }

    /// Plays games as fast as possible until the connection closes.
    pub(crate) async fn play(&mut self, mut player: Player) -> io::Result<()> {
        let mut inbox = BytesMut::new();
        while self.stream.read_buf(&mut inbox).await? > 0 {
            let mut replies = BytesMut::new();
            while let Some(body) = next_body(&mut inbox).map_err(io::Error::other)? {
                let reply = player.reply(&decode(&body).map_err(io::Error::other)?);
                replies.extend(reply.iter().flat_map(encode));
            }
            self.send(&replies).await?;
        }
        self.count.borrow_mut().closed += 1;
        Ok(())
    }

    /// Sends these bytes repeatedly, and reads every answer.
    pub(crate) async fn flood(&mut self, bytes: &[u8]) -> io::Result<()> {
        let many = bytes.repeat((AT_ONCE / bytes.len()).max(1));
        let mut rest = &many[..];
        loop {
            tokio::select! {
                heard = self.stream.readable() => heard?,
                writable = self.stream.writable() => writable?,
            }
            // Both directions progress independently.
            match self.stream.try_write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return self.hear_out().await,
            }
            if rest.is_empty() {
                rest = &many[..];
            }
            if let Some(heard) = self.hear(u8::MAX).now_or_never() {
                heard?;
            }
        }
    }

    /// Sends these bytes repeatedly, and never reads.
    pub(crate) async fn send_for_ever(&mut self, bytes: &[u8]) -> io::Result<()> {
        let many = bytes.repeat(AT_ONCE / bytes.len());
        while self.send(&many).await.is_ok() {}
        self.count.borrow_mut().closed += 1;
        Ok(())
    }
}

/// The counts of all attackers together.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Count {
    /// Refusals of connections and of requests.
    pub(crate) refused: u64,
    /// Connections that the server closed.
    pub(crate) closed: u64,
}
