//! A connection that speaks the full protocol and waits for each answer. It takes seats, which is not
//! measured.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use bytes::BytesMut;
use nim::lobby::{ClockRule, Code, Event, Hints, Level, Text};
use nim::wire::{
    AwayWish, BotWish, ClientKind, Fixed16, Greeting, HallRequest, LobbyRequest, Magic, NewLobby, Starts,
    Ticket, ToClient, ToServer, VERSION, decode, encode, next_body,
};
use socket2::{Domain, Socket, Type};

/// The connections from one address: fewer than it has ports.
const CONNECTIONS_AN_ADDRESS: usize = 20_000;

/// The loopback address of the connection of this number.
pub(crate) fn loopback(number: usize) -> Ipv4Addr {
    let host = u8::try_from(1 + number / CONNECTIONS_AN_ADDRESS).unwrap_or(u8::MAX);
    Ipv4Addr::new(127, 0, 0, host)
}

/// A connection of the bench.
#[derive(Debug)]
pub(crate) struct Guest {
    stream: TcpStream,
    inbox: BytesMut,
}

impl Guest {
    /// Connects from the loopback address of this number.
    pub(crate) fn connect(address: SocketAddr, number: usize) -> anyhow::Result<Self> {
        Self::connect_from(loopback(number), address)
    }

    /// Connects from this loopback address.
    pub(crate) fn connect_from(host: Ipv4Addr, address: SocketAddr) -> anyhow::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        if host != Ipv4Addr::LOCALHOST {
            socket.set_reuse_address(true)?;
            socket.bind(&SocketAddr::from((host, 0)).into())?;
        }
        socket.connect(&address.into()).context("could not connect")?;
        socket.set_tcp_nodelay(true)?;
        Ok(Self { stream: socket.into(), inbox: BytesMut::new() })
    }

    /// Sets the timeout for any answer.
    pub(crate) fn set_patience(&self, patience: Duration) -> anyhow::Result<()> {
        Ok(self.stream.set_read_timeout(Some(patience))?)
    }

    pub(crate) fn tell(&mut self, message: &ToServer) -> anyhow::Result<()> {
        Ok(self.stream.write_all(&encode(message))?)
    }

    pub(crate) fn say_hello(&mut self, number: usize) -> anyhow::Result<()> {
        let name = Text::cut(&format!("guest {number}"));
        self.tell(&ToServer::Hello(Greeting {
            magic: Magic,
            version: Fixed16::from(VERSION),
            name,
            kind: ClientKind::Person,
        }))
    }

    pub(crate) fn ask_hall(&mut self, request: HallRequest) -> anyhow::Result<()> {
        self.tell(&ToServer::Hall { id: 1, request })
    }

    pub(crate) fn ask(&mut self, request: LobbyRequest) -> anyhow::Result<()> {
        self.tell(&ToServer::Lobby { id: 1, request })
    }

    /// The next message. It answers pings on the way.
    pub(crate) fn hear(&mut self) -> anyhow::Result<ToClient> {
        loop {
            match self.hear_anything()? {
                ToClient::Ping(number) => self.tell(&ToServer::Pong(number))?,
                message @ (ToClient::Refused { .. } | ToClient::Unwelcome(_) | ToClient::Goodbye(_)) => {
                    bail!("the server refused: {message:?}")
                }
                message => return Ok(message),
            }
        }
    }

    fn hear_anything(&mut self) -> anyhow::Result<ToClient> {
        loop {
            if let Some(body) = next_body(&mut self.inbox)? {
                return Ok(decode(&body)?);
            }
            let mut scratch = [0; 1024];
            match self.stream.read(&mut scratch)? {
                0 => bail!("the server closed the connection"),
                count => self.inbox.extend_from_slice(&scratch[..count]),
            }
        }
    }

    /// Reads `count` bytes of any content.
    pub(crate) fn take(&mut self, count: u32) -> anyhow::Result<()> {
        let taken = std::io::copy(&mut (&mut self.stream).take(count.into()), &mut std::io::sink())?;
        ensure!(taken == u64::from(count), "the server closed the connection");
        Ok(())
    }

    /// Reads until a wanted message arrives.
    pub(crate) fn until<T>(&mut self, wanted: impl Fn(&ToClient) -> Option<T>) -> anyhow::Result<T> {
        loop {
            if let Some(found) = wanted(&self.hear()?) {
                return Ok(found);
            }
        }
    }

    /// Reads until it has a seat; returns the lobby's code.
    pub(crate) fn until_seated(&mut self) -> anyhow::Result<Code> {
        self.until(|message| match message {
            ToClient::Entered { lobby, .. } => Some(lobby.code),
            _ => None,
        })
    }

    /// Reads until a game starts.
    pub(crate) fn until_started(&mut self) -> anyhow::Result<()> {
        self.until(|message| {
            matches!(message, ToClient::Lobby { event: Event::Started { .. }, .. }).then_some(())
        })
    }

    /// The connection itself; an error if unread bytes are left.
    pub(crate) fn into_stream(self) -> anyhow::Result<TcpStream> {
        if !self.inbox.is_empty() {
            bail!("the server sent more than expected");
        }
        Ok(self.stream)
    }
}

/// The game and its clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) variant: &'a str,
    pub(crate) clock: ClockRule,
}

impl<'a> Setting<'a> {
    /// A game without a clock.
    pub(crate) fn untimed(variant: &'a str) -> Self {
        Self { variant, clock: ClockRule::None }
    }
}

/// A lobby whose creator makes the first move.
pub(crate) fn terms(Setting { variant, clock }: Setting<'_>, bot: BotWish) -> NewLobby {
    NewLobby {
        variant: Text::cut(variant),
        starts: Starts::Me,
        bot,
        hints: Hints::AgainstBots,
        level: Level::Perfect,
        away: AwayWish { then: nim::lobby::WhenAway::Wait, level: None, after: 10_000 },
        clock,
        best_of: 0,
        watched: true,
        listed: true,
        password: None,
        origin: None,
        seat: Ticket::random().hash(),
    }
}
