//! Two connections that play with each other: one request at a time, in turns.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use nim::wire::{LobbyRequest, ToServer, encode};

use super::cutter::{Cutter, LOBBY, OUTSIDE, PING, REFUSED};
use super::script::{Script, Step};

/// A pair, and where it is in its game.
#[derive(Debug)]
pub(crate) struct Pair {
    ends: [End; 2],
    /// The request that comes next, or is being answered.
    place: usize,
    /// How many games it has played.
    pub(crate) games: usize,
    /// The number of the next move, which counts on through all games.
    turn: u32,
    /// When the request that is being answered was to be sent; `None` between two of them.
    pub(crate) asked: Option<Instant>,
    /// When those after it were to be sent.
    pub(crate) owed: VecDeque<Instant>,
}

#[derive(Debug)]
struct End {
    stream: TcpStream,
    cutter: Cutter,
    /// How many frames are still to come for what was asked.
    due: u32,
}

/// What a request came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answered {
    /// When it was to be sent.
    pub(crate) asked: Instant,
    pub(crate) is_move: bool,
    /// A game began with it.
    pub(crate) is_new_game: bool,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) bytes: usize,
    /// The request is answered: the next player has received everything.
    pub(crate) answered: Option<Answered>,
    /// The connection is closed.
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

    /// Sends the next request, which was to be sent at this instant. A bare relay answers with one frame,
    /// whatever happens.
    pub(crate) fn ask(&mut self, script: &Script, is_bare: bool, at: Instant) -> anyhow::Result<()> {
        let (step, seat) = self.step(script);
        for end in &mut self.ends {
            end.due += if is_bare { 1 } else { step.events };
        }
        self.asked = Some(at);
        // Ten bytes: either all of them are taken or the connection is lost.
        (&self.ends[seat].stream).write_all(&step.request(self.turn)).context("a request was not sent")
    }

    /// Reads what is there for one of both.
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

    /// What was asked, if it is answered now; the pair goes on to the next request then.
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

    /// Whether nothing is under way for either.
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

    /// Both close; where there is a lobby to leave, once they are outside.
    pub(crate) fn close(self, is_bare: bool) -> anyhow::Result<()> {
        for mut end in self.ends {
            if !is_bare {
                end.until_outside()?;
            }
            // Otherwise the port could not be used again for a minute, and there are not that many.
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
        self.due = self.due.checked_sub(events).context("more was told than can have happened")?;
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
