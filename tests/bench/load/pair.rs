//! Two connections that play each other: they send one request at a time, in turns.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use nim::wire::{LobbyRequest, ToServer, encode};

use super::cutter::{Cutter, LOBBY, OUTSIDE, PING, REFUSED};
use super::script::{Script, Step};

/// A pair, and its progress in the game.
#[derive(Debug)]
pub(crate) struct Pair {
    ends: [End; 2],
    /// The index of the next request, or of the one under way.
    place: usize,
    /// The number of games played.
    pub(crate) games: usize,
    /// The number of the next move; it counts through all games.
    turn: u32,
    /// The scheduled time of the request under way; `None` if there is none.
    pub(crate) asked: Option<Instant>,
    /// The scheduled times of the requests after it.
    pub(crate) owed: VecDeque<Instant>,
}

#[derive(Debug)]
struct End {
    stream: TcpStream,
    cutter: Cutter,
    /// The frames still expected for the request under way.
    due: u32,
}

/// An answered request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answered {
    /// Its scheduled time.
    pub(crate) asked: Instant,
    pub(crate) is_move: bool,
    /// It started a new game.
    pub(crate) is_new_game: bool,
}

/// The result of one read.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) bytes: usize,
    /// The request that this read answered: the next player has received everything.
    pub(crate) answered: Option<Answered>,
    /// The connection has closed.
    pub(crate) closed: bool,
}

impl Pair {
    pub(crate) fn of(streams: [TcpStream; 2]) -> anyhow::Result<Self> {
        for stream in &streams {
            stream.set_nonblocking(true)?;
        }
        let ends = streams.map(|stream| End { stream, cutter: Cutter::default(), due: 0 });
        Ok(Self { ends, place: 0, games: 0, turn: 1, asked: None, owed: VecDeque::new() })
    }

    pub(crate) fn streams(&self) -> [&TcpStream; 2] {
        self.ends.each_ref().map(|end| &end.stream)
    }

    fn step<'a>(&self, script: &'a Script) -> (&'a Step, usize) {
        let step = script.step(self.place);
        (step, (step.seat + self.games) % self.ends.len())
    }

    /// Sends the next request, which was scheduled for this time. A bare relay answers each with one frame.
    pub(crate) fn ask(&mut self, script: &Script, is_bare: bool, at: Instant) -> anyhow::Result<()> {
        let (step, seat) = self.step(script);
        for end in &mut self.ends {
            end.due += if is_bare { 1 } else { step.events };
        }
        self.asked = Some(at);
        // Ten bytes: the socket takes all of them, or the connection is lost.
        (&self.ends[seat].stream).write_all(&step.request(self.turn)).context("a request was not sent")
    }

    /// Reads the available bytes of one connection.
    pub(crate) fn hear(&mut self, seat: usize, script: &Script, scratch: &mut [u8]) -> anyhow::Result<Heard> {
        let bytes = match (&self.ends[seat].stream).read(scratch) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Heard::default()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => 0,
            Err(error) => return Err(error.into()),
        };
        self.ends[seat].take(&scratch[..bytes])?;
        Ok(Heard { bytes, answered: self.answered(script), closed: bytes == 0 })
    }

    /// The request under way if it is now answered; the pair then goes on to the next one.
    fn answered(&mut self, script: &Script) -> Option<Answered> {
        let (step, next) = (script.step(self.place), (self.place + 1) % script.len());
        let games = self.games + usize::from(next == 0);
        let seat = (script.step(next).seat + games) % self.ends.len();
        if self.ends[seat].due > 0 {
            return None;
        }
        let asked = self.asked.take()?;
        (self.place, self.games) = (next, games);
        self.turn += u32::from(step.is_move());
        Some(Answered { asked, is_move: step.is_move(), is_new_game: next == 0 })
    }

    /// Whether no request is under way.
    pub(crate) fn is_quiet(&self) -> bool {
        self.asked.is_none() && self.ends.iter().all(|end| end.due == 0)
    }

    /// Both leave their lobby on purpose.
    pub(crate) fn leave(&self) -> anyhow::Result<()> {
        let leave = encode(&ToServer::Lobby { id: 1, request: LobbyRequest::Leave });
        for end in &self.ends {
            end.stream.set_nonblocking(false)?;
            (&end.stream).write_all(&leave)?;
        }
        Ok(())
    }

    /// Closes both connections. With a real server, waits first until each client has left its lobby.
    pub(crate) fn close(self, is_bare: bool) -> anyhow::Result<()> {
        for mut end in self.ends {
            if !is_bare {
                end.until_outside()?;
            }
            // A reset frees the port at once; otherwise it stays blocked for a minute, and there are too
            // few.
            socket2::SockRef::from(&end.stream).set_linger(Some(Duration::ZERO))?;
        }
        Ok(())
    }
}

impl End {
    fn take(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let (mut events, mut pings, mut refused) = (0, 0, false);
        self.cutter.take(bytes, |first| match first {
            LOBBY => events += 1,
            PING => pings += 1,
            REFUSED => refused = true,
            _ => {}
        });
        self.due = self.due.checked_sub(events).context("the server sent more events than possible")?;
        if refused {
            bail!("the server refused a request of a game that all servers take");
        }
        for _ in 0..pings {
            (&self.stream).write_all(&encode(&ToServer::Pong(0)))?;
        }
        Ok(())
    }

    fn until_outside(&mut self) -> anyhow::Result<()> {
        let (mut scratch, mut is_outside) = ([0; 256], false);
        while !is_outside {
            let count = (&self.stream).read(&mut scratch)?;
            ensure!(count > 0, "the server closed before anybody was outside");
            self.cutter.take(&scratch[..count], |first| is_outside |= first == OUTSIDE);
        }
        Ok(())
    }
}
