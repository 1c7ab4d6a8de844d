//! The requests of a game from its first move to the next game, and the length of the answers.
//!
//! All servers get the same bytes. The number of a request is the length of the answer. Only a bare relay
//! reads it, so all servers send equally long answers.

use anyhow::Context;
use bytes::Bytes;
use nim::game::any::{Board, Move, Variant};
use nim::game::{Game, Outcome, Side};
use nim::lobby::{Cause, Event, GameResult, Hand, Moment, PlayerId};
use nim::wire::{LobbyRequest, ToClient, ToServer, encode};

/// The numbers of an event or turn that take one byte and more than one; and a time some seconds after the
/// start.
const NUMBERS: [u32; 2] = [250, 251];
const MOMENT: Moment = Moment(10_000);

/// One game, and the requests for the next one.
#[derive(Debug)]
pub(crate) struct Script(Vec<Step>);

/// One request.
#[derive(Debug)]
pub(crate) struct Step {
    /// The sender's seat in the first game: the opener's is 0. The sides swap with every game.
    pub(crate) seat: usize,
    asked: Asked,
    /// The number of events that both players receive for it.
    pub(crate) events: u32,
    /// The length of these events in bytes, with a turn number of one byte, and of more.
    lengths: [u32; 2],
}

#[derive(Debug, Clone, Copy)]
enum Asked {
    Play(Move),
    Again,
}

impl Script {
    /// A game of this variant in which everybody makes the first legal move.
    pub(crate) fn of(variant: &str) -> anyhow::Result<Self> {
        let variant: Variant = variant.parse().context("no such variant")?;
        let (mut board, mut steps) = (variant.start(), Vec::new());
        while board.finish().is_none() {
            let mv = board.position().moves().next().context("a game that goes on has a move")?;
            let after = board.play(mv)?;
            steps.push(Step::play(&board, mv, &after));
            board = after;
        }
        let wanted = Event::AgainWanted { side: Side::First };
        let started = Event::Started { game: NUMBERS[0], swap: true };
        steps.push(Step::of(0, Asked::Again, |_| vec![wanted.clone()]));
        steps.push(Step::of(1, Asked::Again, |_| vec![wanted.clone(), started.clone()]));
        Ok(Self(steps))
    }

    pub(crate) fn step(&self, place: usize) -> &Step {
        &self.0[place]
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Step {
    fn play(board: &Board, mv: Move, after: &Board) -> Self {
        let result = GameResult { outcome: Outcome::Win(Side::First), cause: Cause::Rules };
        let ended = after.finish().map(|_| Event::Ended { result });
        let moved = |turn| Event::Moved { turn, player: PlayerId(1), mv, hand: Hand::Own };
        Self::of(usize::from(board.turn() == Side::Second), Asked::Play(mv), |turn| {
            [moved(turn)].into_iter().chain(ended.clone()).collect()
        })
    }

    fn of(seat: usize, asked: Asked, events: impl Fn(u32) -> Vec<Event>) -> Self {
        let length = |number: u32| {
            let told = events(number).into_iter().map(|event| ToClient::Lobby { number, at: MOMENT, event });
            count(told.map(|told| encode(&told).len()).sum())
        };
        Self { seat, asked, events: count(events(1).len()), lengths: NUMBERS.map(length) }
    }

    pub(crate) fn is_move(&self) -> bool {
        matches!(self.asked, Asked::Play(_))
    }

    /// The request as a frame, for this turn.
    pub(crate) fn request(&self, turn: u32) -> Bytes {
        let request = match self.asked {
            Asked::Play(mv) => LobbyRequest::Play { turn, mv },
            Asked::Again => LobbyRequest::Again,
        };
        let id = self.lengths[usize::from(turn >= NUMBERS[1])];
        encode(&ToServer::Lobby { id, request })
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
