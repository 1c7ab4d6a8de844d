//! Applies events. `apply` is the only way a game changes: on the server, in a client and in a replay. It never
//! looks at who is present.

use super::clock::Clocks;
use super::event::{Event, GameResult, MatchScore};
use super::moment::Moment;
use super::move_history::MoveHistory;
use super::notice::Decision;
use super::offer::{Offer, Offers};
use super::origin::Origin;
use super::packed_moves::PastMove;
use super::player::{Kind, Player, PlayerId};
use super::snapshot::Phase;
use super::state::Lobby;
use crate::game::{BySide, Side};

/// The error for an event that does not fit the lobby: its sender has another state, or lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server told of something that cannot have happened in this lobby")]
pub struct OutOfStep;

/// The error, unless the condition holds.
pub(super) fn fits(it: bool) -> Result<(), OutOfStep> {
    if it { Ok(()) } else { Err(OutOfStep) }
}

impl Lobby {
    /// Applies an event of this moment. After an error, for an event that is impossible here, nothing has
    /// changed.
    pub fn apply(&mut self, event: &Event, at: Moment) -> Result<(), OutOfStep> {
        let (mover, clocks, turn) = (self.board().turn(), self.state.clocks, self.state.turn);
        let was_waiting = self.state.phase == Phase::Waiting;
        // The elapsed time is the mover's, whatever the event is. After an error the clocks are restored.
        self.state.clocks.update(mover, at, true);
        if let Err(out_of_step) = self.apply_to_state(event, at, mover) {
            self.state.clocks = clocks;
            return Err(out_of_step);
        }
        let waits_anew = !was_waiting && self.state.phase == Phase::Waiting;
        if event.begins_turn_or_phase() || waits_anew {
            self.state.began = self.state.began.max(at);
        }
        let runs = self.clock_runs();
        if runs && clocks.since.is_some() && turn == self.state.turn {
            // The clock has not stopped. An update at every event would grant the flag its grace each time.
            self.state.clocks = clocks;
        } else {
            self.state.clocks.since = runs.then_some(at);
        }
        self.state.events = self.state.events.saturating_add(1);
        Ok(())
    }

    /// Applies the events and then the notice of a decision.
    pub fn carry_out(&mut self, decision: &Decision, at: Moment) -> Result<(), OutOfStep> {
        decision.events.iter().try_for_each(|event| self.apply(event, at))?;
        decision.notice.as_ref().map_or(Ok(()), |notice| self.note(notice, at))
    }

    /// Skips to event `number`: this release does not know the events in between.
    pub fn skip_to(&mut self, number: u32) {
        self.state.events = self.state.events.max(number);
    }

    fn apply_to_state(&mut self, event: &Event, at: Moment, mover: Side) -> Result<(), OutOfStep> {
        match event {
            Event::Sat { side, player } => self.apply_sat(*side, player),
            Event::Started { game, swap } => self.apply_started(*game, *swap),
            Event::Moved { turn, player, mv, hand } => {
                self.apply_moved(*turn, *player, PastMove { mv: *mv, hand: *hand }, mover)
            }
            Event::Ended { result } => self.apply_ended(*result),
            Event::AgainWanted { side } => self.apply_again(*side),
            Event::Left { side, .. } => self.apply_left(*side),
            Event::Closed => {
                self.state.phase = Phase::Closed;
                Ok(())
            }
            Event::StoodIn { side } => self.apply_stand_in(*side, true),
            Event::PlaysAgain { side } => self.apply_stand_in(*side, false),
            Event::Offered { side, offer } => {
                fits(self.can_be_offered(*side, *offer))?;
                self.state.offers.note(*side, *offer);
                Ok(())
            }
            Event::Declined { side } => {
                fits(self.state.offers.open.is_some_and(|open| open.side != *side))?;
                self.state.offers.open = None;
                Ok(())
            }
            Event::TakenBack { moves } => self.apply_taken_back(*moves),
            Event::Paused => {
                fits(self.state.phase == Phase::Playing && !self.state.paused)?;
                (self.state.paused, self.state.offers.open) = (true, None);
                Ok(())
            }
            Event::Resumed { .. } => {
                fits(self.state.paused)?;
                self.state.paused = false;
                Ok(())
            }
            Event::Restarted => {
                fits(self.state.phase != Phase::Closed)?;
                self.restart(at);
                Ok(())
            }
            Event::Placed { origin } => self.apply_placed(origin),
            Event::ClockStopped => {
                fits(self.clock_runs())?;
                self.state.clocks.stopped = true;
                Ok(())
            }
            Event::ClockStarted => {
                fits(self.state.clocks.stopped)?;
                self.state.clocks.stopped = false;
                Ok(())
            }
        }
    }

    fn apply_placed(&mut self, origin: &Origin) -> Result<(), OutOfStep> {
        fits(self.state.events == 0)?;
        self.moves = MoveHistory::of(origin.start(&self.variant).map_err(|_| OutOfStep)?);
        self.state.origin = Some(origin.clone());
        Ok(())
    }

    fn apply_sat(&mut self, side: Side, player: &Player) -> Result<(), OutOfStep> {
        let free = self.state.phase == Phase::Waiting && self.state.seats[side].is_none();
        let is_invited = player.kind != Kind::Guest || self.kind(!side) == Some(Kind::Person);
        fits(free && is_invited && player.id == self.state.next_player)?;
        self.state.next_player = self.state.next_player.next();
        self.state.seats[side] = Some(player.clone());
        self.state.gone[side] = None;
        self.state.score = MatchScore::default();
        Ok(())
    }

    fn apply_started(&mut self, game: u32, swap: bool) -> Result<(), OutOfStep> {
        let ready = match self.state.phase {
            Phase::Waiting => !swap,
            Phase::Over { again, .. } => again.first && again.second,
            Phase::Playing | Phase::Closed => false,
        };
        let seated = Side::BOTH.into_iter().all(|side| self.state.seats[side].is_some());
        fits(ready && seated && game == self.state.games.saturating_add(1))?;
        if self.decision().is_some() {
            self.state.score = MatchScore::default();
        }
        if swap {
            self.state.seats = std::mem::take(&mut self.state.seats).swapped();
            let absences = &mut self.state.attendance.absences;
            *absences = std::mem::take(absences).swapped();
            self.state.score = self.state.score.swapped();
        }
        (self.state.games, self.state.moves) = (game, 0);
        self.moves = MoveHistory::of(self.start());
        self.state.clocks = Clocks::of(self.state.conditions.clock);
        self.state.offers = Offers::default();
        self.state.phase = Phase::Playing;
        Ok(())
    }

    fn apply_moved(
        &mut self,
        turn: u32,
        player: PlayerId,
        past: PastMove,
        mover: Side,
    ) -> Result<(), OutOfStep> {
        let theirs = self.to_move().is_some_and(|p| p.id == player);
        fits(theirs && !self.state.paused && turn == self.state.turn && past.hand == self.hand(mover))?;
        self.moves.play(past).map_err(|_| OutOfStep)?;
        self.state.moves = self.state.moves.saturating_add(1);
        self.state.clocks.turn_over(self.state.conditions.clock, mover);
        self.next_turn();
        Ok(())
    }

    fn apply_taken_back(&mut self, moves: u8) -> Result<(), OutOfStep> {
        fits(self.state.phase == Phase::Playing && !self.state.paused && (1..=2).contains(&moves))?;
        self.moves.take_back(moves.into()).map_err(|_| OutOfStep)?;
        self.state.clocks.begin_turn(self.state.conditions.clock);
        self.next_turn();
        Ok(())
    }

    fn next_turn(&mut self) {
        self.state.turn = self.state.turn.saturating_add(1);
        self.state.offers = Offers::default();
    }

    fn apply_ended(&mut self, result: GameResult) -> Result<(), OutOfStep> {
        fits(self.state.phase == Phase::Playing)?;
        self.state.phase = Phase::Over { result, again: BySide::default() };
        self.state.score.count(result);
        (self.state.offers, self.state.paused) = (Offers::default(), false);
        (self.state.stand_ins, self.state.clocks.stopped) = (BySide::default(), false);
        for side in Side::BOTH {
            if let Some(absence) = &mut self.state.attendance.absences[side] {
                absence.waited = false;
            }
        }
        Ok(())
    }

    /// The bot begins or ends to play for a person or a program.
    fn apply_stand_in(&mut self, side: Side, plays: bool) -> Result<(), OutOfStep> {
        fits(
            self.is_client(side) && self.state.phase == Phase::Playing && self.state.stand_ins[side] != plays,
        )?;
        self.state.stand_ins[side] = plays;
        Ok(())
    }

    fn apply_again(&mut self, side: Side) -> Result<(), OutOfStep> {
        let Phase::Over { again, .. } = &mut self.state.phase else { return Err(OutOfStep) };
        fits(self.state.seats[side].is_some() && !again[side])?;
        again[side] = true;
        if self.state.seats[!side].is_none() {
            self.state.phase = Phase::Waiting;
        }
        Ok(())
    }

    fn apply_left(&mut self, side: Side) -> Result<(), OutOfStep> {
        fits(self.state.phase != Phase::Playing)?;
        let player = self.state.seats[side].take().ok_or(OutOfStep)?;
        // A player who leaves before the first game has played none.
        self.state.gone[side] = Some(player).filter(|_| self.state.games > 0);
        self.state.attendance.absences[side] = None;
        let Phase::Over { again, .. } = &mut self.state.phase else { return Ok(()) };
        again[side] = false;
        if again[!side] {
            self.state.phase = Phase::Waiting;
        }
        Ok(())
    }

    /// Whether this side can have made this offer now.
    fn can_be_offered(&self, side: Side, offer: Offer) -> bool {
        self.state.phase == Phase::Playing
            && !self.state.paused
            && self.state.offers.open.is_none_or(|open| open.side == side)
            && !self.state.offers.has_made(side, offer)
    }
}
