//! Replays a recorded game in a lobby of its own, with the same `apply` as in live play.

use std::time::Duration;

use super::header::Header;
use super::time::Span;
use crate::game::any::{Board, Move};
use crate::game::{Outcome, Side};
use crate::lobby::{
    Cause, Event, GameResult, Hand, Lobby, Moment, Name, Notice, OutOfStep, Phase, Player, PlayerId, WhenAway,
};

/// An event of a game, and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The event. Turns and moments count from the start of this game. First is player 1, Second is player 2.
    ///
    /// The end of a game by its rules is not a step: it follows from the last move.
    pub event: Event,
    /// The time since the turn began. For a move, the time that the player took.
    pub after: Span,
}

impl Step {
    /// Whether a turn begins with this step, so that the times of later steps count from it.
    pub(super) fn begins_turn(&self) -> bool {
        matches!(
            self.event,
            Event::Moved { .. } | Event::TakenBack { .. } | Event::Resumed { .. } | Event::ClockStarted
        )
    }
}

/// The state of a recorded game after some of its steps.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    lobby: Lobby,
    /// When the turn began.
    turn_began: Moment,
    /// The number of moves, without those taken back.
    moves: usize,
}

impl Replay {
    /// A game before its first event.
    pub(super) fn of(header: &Header) -> Self {
        let start = Moment::START;
        let mut lobby = Lobby::new(header.code, header.variant.clone(), header.conditions);
        let sat = Side::BOTH.map(|side| {
            let played_by = &header.players[side];
            let player = Player { id: player_id(side), name: played_by.name.clone(), kind: played_by.kind };
            Event::Sat { side, player }
        });
        let placed = header.origin.clone().map(|origin| Event::Placed { origin });
        let events = placed.into_iter().chain(sat);
        for event in events.chain([Event::Started { game: 1, swap: false }]) {
            // These events are always consistent in an empty lobby.
            let _ = lobby.apply(&event, start);
        }
        let mut replay = Self { lobby, turn_began: start, moves: 0 };
        replay.attend(start);
        replay
    }

    /// Makes all players present, and adds a watcher for two bots: a record does not say who was present.
    fn attend(&mut self, at: Moment) {
        let away = Side::BOTH.into_iter().filter(|&side| self.lobby.absence(side).is_some());
        let back = away.map(|side| Notice::Back { side });
        let watched = self.lobby.is_unwatched().then(|| Notice::Watched { name: Name::anyone() });
        for notice in back.chain(watched).collect::<Vec<_>>() {
            // This cannot fail: the players are away, and the lobby is open.
            let _ = self.lobby.note(&notice, at);
        }
    }

    /// The game after these steps.
    pub(super) fn after<'a>(header: &Header, steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let mut replay = Self::of(header);
        for step in steps {
            // This cannot fail: each step was applied when the record was built.
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

    /// The number of moves, without those taken back.
    pub(super) fn moves(&self) -> usize {
        self.moves
    }

    /// The result, or `None` while the game goes on.
    pub(super) fn result(&self) -> Option<GameResult> {
        match self.lobby.phase() {
            Phase::Over { result, .. } => Some(result),
            _ => None,
        }
    }

    /// The side that can accept the open offer, if there is one.
    pub(super) fn accepting(&self) -> Option<Side> {
        self.lobby.offer().map(|open| !open.side)
    }

    /// The moment that is this long after the start of the turn.
    pub(super) fn moment(&self, after: Span) -> Moment {
        self.turn_began + Duration::from(after)
    }

    /// The event of a move in this position.
    pub(super) fn moved(&self, mv: Move, hand: Hand) -> Event {
        Event::Moved { turn: self.lobby.turn(), player: player_id(self.turn()), mv, hand }
    }

    /// Applies a step, and the end of the game if the rules end it. Fails if the step cannot have happened.
    pub(super) fn apply(&mut self, step: &Step) -> Result<(), OutOfStep> {
        let at = self.moment(step.after);
        if !self.is_consistent(&step.event, at) {
            return Err(OutOfStep);
        }
        self.lobby.apply(&step.event, at)?;
        match step.event {
            Event::Restarted => self.attend(at),
            Event::Moved { .. } => self.moves += 1,
            Event::TakenBack { moves } => self.moves = self.moves.saturating_sub(moves.into()),
            _ => {}
        }
        if step.begins_turn() {
            self.turn_began = at;
        }
        match self.result_by_moves() {
            Some(result) => self.lobby.apply(&Event::Ended { result }, at),
            None => Ok(()),
        }
    }

    /// Whether an agreement follows an offer, the outcome fits its cause, and what the server did about an
    /// absence was agreed and not too early. The lobby trusts the server in all of these.
    pub(super) fn is_consistent(&self, event: &Event, at: Moment) -> bool {
        let offered = self.lobby.offer().is_some();
        match event {
            Event::StoodIn { side } => self.can_be_away(*side, WhenAway::StandIn, at),
            Event::PlaysAgain { side } => self.lobby.hand(*side) == Hand::StandIn,
            Event::ClockStopped => self.lobby.clocks().since.is_some(),
            Event::ClockStarted => self.lobby.clocks().stopped,
            Event::TakenBack { .. } | Event::Paused => offered,
            Event::Ended { result: GameResult { outcome, cause } } => match cause {
                Cause::Agreed => offered && *outcome == Outcome::Draw,
                Cause::Abandoned => *outcome == Outcome::Draw,
                Cause::Forfeited => {
                    outcome.winner().is_some_and(|winner| self.can_be_away(!winner, WhenAway::Forfeit, at))
                }
                Cause::Resigned | Cause::Left | Cause::Time => *outcome != Outcome::Draw,
                Cause::Rules | Cause::Repetition | Cause::MoveLimit => false,
            },
            _ => true,
        }
    }

    /// Whether this side's player can have been away for long enough at this moment for this rule to apply.
    fn can_be_away(&self, side: Side, then: WhenAway, at: Moment) -> bool {
        let lobby = &self.lobby;
        lobby.conditions().away.then == then
            && lobby.is_client(side)
            && lobby.is_client(!side)
            && self.turn() == side
            && !lobby.is_paused()
            && lobby.hand(side) == Hand::Own
            && at >= lobby.earliest_absence_deadline()
    }

    /// The result by the moves, if they have just ended the game.
    fn result_by_moves(&self) -> Option<GameResult> {
        if self.lobby.phase() == Phase::Playing { self.lobby.result_of_moves() } else { None }
    }
}

/// The id of this side's player.
pub(super) fn player_id(side: Side) -> PlayerId {
    match side {
        Side::First => PlayerId(1),
        Side::Second => PlayerId(2),
    }
}
