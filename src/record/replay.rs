//! Plays a recorded game once more, in a lobby of its own, with the same `apply` as in live play.

use std::time::Duration;

use super::head::Head;
use super::time::Span;
use crate::game::any::{Board, Move};
use crate::game::{Outcome, Side};
use crate::lobby::{
    Cause, Event, GameResult, Hand, Kind, Lobby, Moment, Name, OutOfStep, Phase, Player, PlayerId,
};

/// An event of a game, and when it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What happened. Turns and moments count from the start of this game, and First is player 1, Second
    /// player 2.
    ///
    /// The end of a game by its rules is no step: it follows from the last move.
    pub event: Event,
    /// The time since the turn began. For a move: the time that it took.
    pub after: Span,
}

impl Step {
    /// Whether a turn begins here, so that the times of later steps count from it.
    pub(super) fn begins_turn(&self) -> bool {
        matches!(self.event, Event::Moved { .. } | Event::TakenBack { .. } | Event::Resumed { .. })
    }
}

/// A game so far.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    lobby: Lobby,
    /// When the turn began.
    mark: Moment,
    /// The number of moves made and not taken back.
    moves: usize,
}

impl Replay {
    /// A game before its first event.
    pub(super) fn of(head: &Head) -> Self {
        // A player may have been away for up to `Span::MAX` when the game began, and moments are never
        // negative.
        let start = Moment::START + Duration::from(Span::MAX);
        let mut lobby = Lobby::new(head.code, head.variant.clone(), head.conditions);
        let sat = Side::BOTH.map(|side| {
            let sitter = &head.players[side];
            let player = Player { id: player(side), name: sitter.name.clone(), kind: sitter.kind };
            Event::Sat { side, player }
        });
        let bots = Side::BOTH.into_iter().all(|side| head.players[side].kind == Kind::Bot);
        let placed = head.origin.clone().map(|origin| Event::Placed { origin });
        let watched = bots.then(watched);
        let events = placed.into_iter().chain(sat).chain(watched);
        for event in events.chain([Event::Started { game: 1, swap: false }]) {
            // In an empty lobby two players can always sit down and begin.
            let _ = lobby.apply(&event, start);
        }
        Self { lobby, mark: start, moves: 0 }
    }

    /// The game after these steps.
    pub(super) fn after<'a>(head: &Head, steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let mut replay = Self::of(head);
        for step in steps {
            // Each step was applied once before, when the record was made.
            let _ = replay.apply(step);
        }
        replay
    }

    pub(super) fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    pub(super) fn into_lobby(self) -> Lobby {
        self.lobby
    }

    pub(super) fn board(&self) -> &Board {
        self.lobby.board()
    }

    /// The side to move.
    pub(super) fn turn(&self) -> Side {
        self.board().turn()
    }

    /// The number of moves made and not taken back.
    pub(super) fn moves(&self) -> usize {
        self.moves
    }

    /// How the game ended; `None` while it goes on.
    pub(super) fn result(&self) -> Option<GameResult> {
        match self.lobby.phase() {
            Phase::Over { result, .. } => Some(result),
            _ => None,
        }
    }

    /// The side that can accept the open offer.
    pub(super) fn accepting(&self) -> Option<Side> {
        self.lobby.offer().map(|open| !open.side)
    }

    /// The moment at this time after the turn began.
    pub(super) fn moment(&self, after: Span) -> Moment {
        self.mark + Duration::from(after)
    }

    /// The next move as an event.
    pub(super) fn moved(&self, mv: Move, hand: Hand) -> Event {
        Event::Moved { turn: self.lobby.turn(), player: player(self.turn()), mv, hand }
    }

    /// The moment this long before the one at `after`.
    pub(super) fn since(&self, after: Span, ago: Span) -> Moment {
        Moment::START + self.moment(after).since(Moment::START).saturating_sub(ago.into())
    }

    /// Applies a step, and the end of the game if it is one by its rules; refuses what cannot have happened.
    pub(super) fn apply(&mut self, step: &Step) -> Result<(), OutOfStep> {
        if !self.is_consistent(&step.event) {
            return Err(OutOfStep);
        }
        let at = self.moment(step.after);
        self.lobby.apply(&step.event, at)?;
        match step.event {
            Event::Restarted if self.lobby.is_exhibition() => self.lobby.apply(&watched(), at)?,
            Event::Moved { .. } => self.moves += 1,
            Event::TakenBack { moves } => self.moves = self.moves.saturating_sub(moves.into()),
            _ => {}
        }
        if step.begins_turn() {
            self.mark = at;
        }
        match self.decided() {
            Some(result) => self.lobby.apply(&Event::Ended { result }, at),
            None => Ok(()),
        }
    }

    /// Whether an agreement follows an offer, and the outcome fits its cause. The lobby takes the server's
    /// word for both.
    fn is_consistent(&self, event: &Event) -> bool {
        let offered = self.lobby.offer().is_some();
        match event {
            Event::TakenBack { .. } | Event::Paused => offered,
            Event::Ended { result: GameResult { outcome, cause } } => match cause {
                Cause::Agreed => offered && *outcome == Outcome::Draw,
                Cause::Abandoned => *outcome == Outcome::Draw,
                Cause::Resigned | Cause::Left | Cause::Forfeited | Cause::Time => *outcome != Outcome::Draw,
                Cause::Rules | Cause::Repetition => false,
            },
            _ => true,
        }
    }

    /// How the rules have just ended the game, if they have.
    fn decided(&self) -> Option<GameResult> {
        if self.lobby.phase() != Phase::Playing || self.lobby.to_move().is_some() {
            return None;
        }
        Some(match self.board().finish() {
            Some(finish) => GameResult { outcome: finish.outcome, cause: Cause::Rules },
            None => GameResult { outcome: Outcome::Draw, cause: Cause::Repetition },
        })
    }
}

/// The number of this side's player.
pub(super) fn player(side: Side) -> PlayerId {
    match side {
        Side::First => PlayerId(1),
        Side::Second => PlayerId(2),
    }
}

/// Two bots play only while watched. A record leaves out the time when nobody watches.
fn watched() -> Event {
    Event::Watched { name: Name::anyone() }
}
