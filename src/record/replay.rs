//! A game played once more: a lobby of its own in which the two sit, and in which every step is made true by the very
//! `apply` that live play uses.

use std::time::Duration;

use super::head::Head;
use super::{Deed, Ending, Span, Step};
use crate::game::any::Board;
use crate::game::{Outcome, Side};
use crate::lobby::{Cause, Event, GameResult, Kind, Lobby, Moment, Name, OutOfStep, Phase, Player, PlayerId};

/// A game so far.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    lobby: Lobby,
    /// From when on the time of the next step counts.
    mark: Moment,
    /// How many moves stand.
    moves: usize,
}

impl Replay {
    /// The game before anything has happened in it.
    pub(super) fn of(head: &Head) -> Self {
        // Somebody may have been away for as long as can be written when it began.
        let start = Moment::START + Duration::from(Span::MAX);
        let mut lobby = Lobby::new(head.code, head.variant.clone(), head.terms.conditions());
        let sat = Side::BOTH.map(|side| {
            let sitter = &head.players[side];
            let player = Player { id: player(side), name: sitter.name.clone(), kind: sitter.kind };
            Event::Sat { side, player }
        });
        let bots = Side::BOTH.into_iter().all(|side| head.players[side].kind == Kind::Bot);
        let placed = head.origin.clone().map(|origin| Event::Placed { origin });
        let begin = placed
            .into_iter()
            .chain(sat)
            .chain(bots.then(watched))
            .chain([Event::Started { game: 1, swap: false }]);
        for event in begin {
            // Two sit down in an empty lobby and begin, where it can be begun: that can always happen.
            let _ = lobby.apply(&event, start);
        }
        Self { lobby, mark: start, moves: 0 }
    }

    /// The lobby as it is now.
    pub(super) fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    /// The board as it is now.
    pub(super) fn board(&self) -> &Board {
        self.lobby.board()
    }

    /// How many moves stand.
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

    /// The side that accepted the offer, if a step is the answer to one.
    pub(super) fn accepting(&self) -> Option<Side> {
        self.lobby.offer().map(|open| !open.side)
    }

    /// When a step happens, in the lobby's time.
    pub(super) fn moment(&self, step: &Step) -> Moment {
        self.mark + Duration::from(step.after)
    }

    /// What a step is in the lobby.
    pub(super) fn event(&self, step: &Step) -> Event {
        match step.deed {
            Deed::Moved { mv, hand } => {
                let player = player(self.board().turn());
                Event::Moved { turn: self.lobby.turn(), player, mv, hand }
            }
            Deed::Offered(side, offer) => Event::Offered { side, offer },
            Deed::Declined(side) => Event::Declined { side },
            Deed::TakenBack(moves) => Event::TakenBack { moves },
            Deed::Paused => Event::Paused,
            Deed::Resumed(side) => Event::Resumed { side },
            Deed::Away { side, since, loss } => {
                let ago = Duration::from(since).as_millis();
                let since = self.moment(step).0.saturating_sub(u64::try_from(ago).unwrap_or(u64::MAX));
                Event::Away { side, since: Moment(since), loss }
            }
            Deed::Back(side) => Event::Back { side },
            Deed::StoodIn(side) => Event::StoodIn { side },
            Deed::Waited(side) => Event::WaitedFor { side: !side },
            Deed::WaitedNoMore(side) => Event::WaitedNoMore { side: !side },
            Deed::Restarted => Event::Restarted,
            Deed::Ended(ending) => Event::Ended { result: ending.result() },
        }
    }

    /// Makes a step true, and the end of the game if it is one; refuses what cannot have happened.
    pub(super) fn apply(&mut self, step: &Step) -> Result<(), OutOfStep> {
        if step.deed.accepts() && self.lobby.offer().is_none() {
            return Err(OutOfStep);
        }
        let at = self.moment(step);
        self.lobby.apply(&self.event(step), at)?;
        match step.deed {
            Deed::Restarted if self.lobby.is_exhibition() => self.lobby.apply(&watched(), at)?,
            Deed::Moved { .. } => self.moves += 1,
            Deed::TakenBack(moves) => self.moves = self.moves.saturating_sub(moves.into()),
            _ => {}
        }
        if step.deed.begins_turn() {
            self.mark = at;
        }
        match self.decided() {
            Some(result) => self.lobby.apply(&Event::Ended { result }, at),
            None => Ok(()),
        }
    }

    /// How the rules of the game have just ended it, if they have.
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

/// The number of whoever sits on this side.
pub(super) fn player(side: Side) -> PlayerId {
    match side {
        Side::First => PlayerId(1),
        Side::Second => PlayerId(2),
    }
}

impl Ending {
    /// How the game ended by it.
    pub(super) fn result(self) -> GameResult {
        let (outcome, cause) = match self {
            Self::Resigned(side) => (Outcome::Win(!side), Cause::Resigned),
            Self::Left(side) => (Outcome::Win(!side), Cause::Left),
            Self::Claimed(side) => (Outcome::Win(side), Cause::Forfeited),
            Self::Time(side) => (Outcome::Win(!side), Cause::Time),
            Self::Agreed => (Outcome::Draw, Cause::Agreed),
            Self::Abandoned => (Outcome::Draw, Cause::Abandoned),
        };
        GameResult { outcome, cause }
    }

    /// What ended a game with this result; `None` if a move did, or if nothing can have ended it so.
    pub(super) fn of(result: GameResult) -> Option<Self> {
        match (result.cause, result.outcome) {
            (Cause::Resigned, Outcome::Win(side)) => Some(Self::Resigned(!side)),
            (Cause::Left, Outcome::Win(side)) => Some(Self::Left(!side)),
            (Cause::Forfeited, Outcome::Win(side)) => Some(Self::Claimed(side)),
            (Cause::Time, Outcome::Win(side)) => Some(Self::Time(!side)),
            (Cause::Agreed, Outcome::Draw) => Some(Self::Agreed),
            (Cause::Abandoned, Outcome::Draw) => Some(Self::Abandoned),
            _ => None,
        }
    }
}

/// Two bots play while somebody watches, and for the rest no time is told.
fn watched() -> Event {
    Event::Watched { name: Name::anyone() }
}
