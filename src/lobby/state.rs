//! The state of a lobby, and its read-only queries.

use std::time::Duration;

use super::absence::Absence;
use super::clock::{ClockRule, Clocks};
use super::code::Code;
use super::conditions::{BotRule, Conditions, Hints};
use super::event::{Cause, GameResult, MatchScore};
use super::list::List;
use super::moment::Moment;
use super::move_history::{MoveHistory, NotatedMove};
use super::notice::Attendance;
use super::offer::{Offers, OpenOffer};
use super::origin::Origin;
use super::packed_moves::PastMove;
use super::player::{Kind, Player, PlayerId};
use super::refusal::Refusal;
use super::request::Who;
use super::snapshot::{Phase, Snapshot};
use super::text::Text;
use crate::game::any::{Board, Finish, Variant};
use crate::game::{BySide, MAX_MOVES, Outcome, Side};
use crate::number::saturating;

/// A lobby: the part of its state that both players may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lobby {
    pub(super) variant: Variant,
    /// The present game, or the last one.
    pub(super) moves: MoveHistory,
    /// Everything else. The snapshot's own moves and their base stay empty here.
    pub(super) state: Snapshot,
}

impl Lobby {
    /// An empty lobby, before anyone has sat down.
    pub fn new(code: Code, variant: Variant, conditions: Conditions) -> Self {
        let moves = MoveHistory::of(variant.start());
        let state = Snapshot {
            code,
            variant: Text::cut(&variant.text()),
            conditions,
            origin: None,
            seats: BySide::default(),
            gone: BySide::default(),
            stand_ins: BySide::default(),
            phase: Phase::Waiting,
            began: Moment::START,
            base: Text::default(),
            past: List::default(),
            clocks: Clocks::of(conditions.clock),
            offers: Offers::default(),
            paused: false,
            score: MatchScore::default(),
            games: 0,
            moves: 0,
            turn: 1,
            next_player: PlayerId(1),
            events: 0,
            attendance: Attendance::default(),
        };
        Self { variant, moves, state }
    }

    /// The lobby as it is now.
    pub fn snapshot(&self) -> Snapshot {
        let base = Text::cut(&self.base().write_position());
        Snapshot { base, past: List::first_of(self.past()), ..self.state.clone() }
    }

    /// The code by which people find the lobby.
    pub fn code(&self) -> Code {
        self.state.code
    }

    /// What is played, as text.
    pub fn variant_text(&self) -> &str {
        self.state.variant.as_str()
    }

    /// What is played.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// What was agreed when the lobby was opened.
    pub fn conditions(&self) -> &Conditions {
        &self.state.conditions
    }

    /// The position in which games begin, if it is not the variant's start.
    pub fn origin(&self) -> Option<&Origin> {
        self.state.origin.as_ref()
    }

    /// The board on which every game begins.
    pub fn start(&self) -> Board {
        Origin::start_of(&self.variant, self.origin())
    }

    /// The player on each side.
    pub fn seats(&self) -> &BySide<Option<Player>> {
        &self.state.seats
    }

    /// Who sat on this side in the last game and has left since, as long as nobody else sits there.
    pub fn gone(&self, side: Side) -> Option<&Player> {
        self.state.gone[side].as_ref()
    }

    /// Who sits on this side, or sat there in the last game.
    pub fn last_player(&self, side: Side) -> Option<&Player> {
        self.state.seats[side].as_ref().or(self.gone(side))
    }

    /// The phase: waiting, playing, over or closed.
    pub fn phase(&self) -> Phase {
        self.state.phase
    }

    /// The board of the present game, or of the last one.
    pub fn board(&self) -> &Board {
        self.moves.board()
    }

    /// The oldest known board of the present or last game: its start, unless early moves were dropped.
    pub fn base(&self) -> &Board {
        self.moves.base()
    }

    /// The moves that led from [`Self::base`] to [`Self::board`], the oldest first;
    /// [`MAX_PAST`](super::MAX_PAST) at most.
    pub fn past(&self) -> impl ExactSizeIterator<Item = PastMove> {
        self.moves.past()
    }

    /// The moves of [`Self::past`] as they are typed, and who made them.
    pub fn made(&self) -> Vec<NotatedMove> {
        self.moves.made()
    }

    /// The last of them.
    pub fn last_made(&self) -> Option<NotatedMove> {
        self.moves.last_made()
    }

    /// The move with this number in the finished game, counted from 1 at [`Self::base`], and the board on
    /// which it was made.
    pub fn played(&self, number: u32) -> Result<(Board, PastMove), Refusal> {
        if self.state.phase == Phase::Playing {
            return Err(Refusal::NotOver);
        }
        let count = saturating(self.past().len());
        self.moves.played(number).ok_or(Refusal::NoSuchMove { count })
    }

    /// Whether the last game is over and no other has begun, so that its moves can be reviewed.
    pub fn has_last_game(&self) -> bool {
        self.state.games > 0 && matches!(self.state.phase, Phase::Over { .. } | Phase::Waiting)
    }

    /// The clocks of the present game, or of the last one.
    pub fn clocks(&self) -> &Clocks {
        &self.state.clocks
    }

    /// Whether the game is paused by agreement.
    pub fn is_paused(&self) -> bool {
        self.state.paused
    }

    /// The score of the match so far.
    pub fn score(&self) -> MatchScore {
        self.state.score
    }

    /// The result of the match, if there is one and it is decided.
    pub fn decision(&self) -> Option<Outcome> {
        self.state.score.decision(self.state.conditions.best_of.into())
    }

    /// Whether the players are between two games of a match that is not decided, and both still have their seats.
    pub fn is_between_games(&self) -> bool {
        let goes_on = self.state.conditions.best_of > 1 && self.decision().is_none();
        let is_full = || self.seats().iter().all(|(_, seat)| seat.is_some());
        matches!(self.state.phase, Phase::Over { .. }) && goes_on && is_full() && !self.is_exhibition()
    }

    /// The offer that waits for an answer.
    pub fn offer(&self) -> Option<OpenOffer> {
        self.state.offers.open
    }

    /// The absence of the player on this side, who still has the seat.
    pub fn absence(&self, side: Side) -> Option<Absence> {
        self.state.attendance.absences[side]
    }

    /// The number of watchers.
    pub fn watchers(&self) -> u32 {
        self.state.attendance.watchers
    }

    /// The number of games started so far.
    pub fn games(&self) -> u32 {
        self.state.games
    }

    /// How the moves of the present or last game ended it, if they did, even if the event `Ended` has not been
    /// applied yet.
    pub fn result_of_moves(&self) -> Option<GameResult> {
        Self::result_with(self.board(), self.moves.repeats(), self.state.moves)
    }

    /// How this number of moves to this board ends the game, if it does; `repeats` tells whether the position
    /// comes up for the third time there.
    pub(super) fn result_with(board: &Board, repeats: bool, moves: u32) -> Option<GameResult> {
        let drawn = |cause| GameResult { outcome: Outcome::Draw, cause };
        match board.finish() {
            Some(Finish { outcome, .. }) => Some(GameResult { outcome, cause: Cause::Rules }),
            None if repeats => Some(drawn(Cause::Repetition)),
            None => (moves >= MAX_MOVES).then(|| drawn(Cause::MoveLimit)),
        }
    }

    /// The number of the next move: 1 for the first of the lobby. It counts on through a match, and when
    /// moves are taken back.
    pub fn turn(&self) -> u32 {
        self.state.turn
    }

    /// Who is present.
    pub fn attendance(&self) -> &Attendance {
        &self.state.attendance
    }

    /// The start of the current turn or phase; or when somebody last came to a lobby without anybody, if that
    /// was later.
    pub fn began(&self) -> Moment {
        self.state.began.max(self.state.attendance.since)
    }

    /// The number of the last event, 0 before the first.
    pub fn last_event(&self) -> u32 {
        self.state.events
    }

    /// The side on which this player sits.
    pub fn side_of(&self, player: PlayerId) -> Option<Side> {
        self.state.seats.find(|seat| seat.as_ref().is_some_and(|p| p.id == player))
    }

    /// The player to move in a running game; `None` between the last move and the event `Ended`.
    pub fn to_move(&self) -> Option<&Player> {
        match self.state.phase {
            Phase::Playing if self.result_of_moves().is_none() => {
                self.state.seats[self.board().turn()].as_ref()
            }
            _ => None,
        }
    }

    /// The seat that the next player to sit down would get, if one is open.
    ///
    /// After a game the seat of a player who left is open only once the other one wants to play again. No
    /// seat is open while the players here are away.
    pub fn open_seat(&self) -> Option<Side> {
        match self.state.phase {
            Phase::Waiting if self.has_people_here() || !self.has_people() => {
                let opener = self.state.conditions.opener;
                [opener, !opener].into_iter().find(|&side| self.state.seats[side].is_none())
            }
            _ => None,
        }
    }

    /// When the server's bot takes the open seat, unless somebody does before; `None` if it does not.
    pub fn bot_joins_at(&self) -> Option<Moment> {
        self.open_seat()?;
        match self.state.conditions.bot {
            BotRule::After(wait) if self.has_people_here() => {
                Some(self.began() + Duration::from_millis(wait.into()))
            }
            BotRule::Both => Some(self.began()),
            BotRule::After(_) | BotRule::Never | BotRule::PeopleOnly => None,
        }
    }

    /// Whether any person or program sits here, present or away.
    pub(super) fn has_people(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.is_client(side))
    }

    /// Whether two bots sit here, to be watched.
    pub fn is_exhibition(&self) -> bool {
        Side::BOTH.into_iter().all(|side| self.is_bot(side))
    }

    /// Whether the watcher limit is reached.
    pub fn is_full_of_watchers(&self) -> bool {
        self.state.attendance.watchers >= u32::from(self.state.conditions.watchers)
    }

    /// Whether two bots play here without a watcher: their game pauses until somebody watches.
    pub fn is_unwatched(&self) -> bool {
        self.is_exhibition() && self.state.attendance.watchers == 0
    }

    /// Whether people or programs sit here, and all of them are away.
    pub fn is_deserted(&self) -> bool {
        self.has_people() && !self.has_people_here()
    }

    /// Whether a bot sits on this side.
    pub fn is_bot(&self, side: Side) -> bool {
        self.kind(side) == Some(Kind::Bot)
    }

    /// Whether the player of this side also plays for the other one, who is a [guest](Kind::Guest).
    pub fn has_guest(&self, side: Side) -> bool {
        self.kind(!side) == Some(Kind::Guest)
    }

    /// Whether a person or a program sits on this side.
    pub fn is_client(&self, side: Side) -> bool {
        self.kind(side).is_some_and(Kind::is_client)
    }

    pub(super) fn kind(&self, side: Side) -> Option<Kind> {
        self.state.seats[side].as_ref().map(|player| player.kind)
    }

    /// Whether games are played by a clock.
    pub(super) fn is_timed(&self) -> bool {
        self.state.conditions.clock != ClockRule::None
    }

    /// Whether the clock of the side to move runs: it stands still while the game is paused, and from
    /// `ClockStopped` to `ClockStarted`.
    pub(super) fn clock_runs(&self) -> bool {
        self.is_timed() && !self.state.clocks.stopped && !self.state.paused && self.to_move().is_some()
    }

    /// Whether the lobby's conditions allow `who` a hint now; the error is the reason why not.
    pub fn may_hint(&self, who: Who) -> Result<(), Refusal> {
        if self.state.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        // The clocks stand still, so the player would gain free thinking time.
        if self.state.paused {
            return Err(Refusal::Paused);
        }
        let hints = self.state.conditions.hints;
        let side = match who {
            Who::Watcher if matches!(hints, Hints::Watchers | Hints::All) => return Ok(()),
            Who::Watcher => return Err(Refusal::NoHints),
            Who::Player(player) => self.side_of(player).ok_or(Refusal::NotSeated)?,
            Who::Newcomer | Who::StandIn(_) => return Err(Refusal::NotSeated),
        };
        let side = if self.has_guest(side) { self.board().turn() } else { side };
        match (hints, self.kind(!side)) {
            (Hints::All, _) | (Hints::AgainstBots, Some(Kind::Bot)) => {}
            _ => return Err(Refusal::NoHints),
        }
        if self.board().turn() != side {
            return Err(Refusal::NotYourTurn);
        }
        Ok(())
    }
}

/// The error for a snapshot that describes no possible lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server described a lobby that cannot be")]
pub struct BadSnapshot;

impl TryFrom<Snapshot> for Lobby {
    type Error = BadSnapshot;

    /// Restores the lobby. Repetitions before the snapshot's base are lost, which concerns only games of more
    /// than [`MAX_PAST`](super::MAX_PAST) moves. A client's copy does not need them: the server sends the end by
    /// repetition.
    fn try_from(snapshot: Snapshot) -> Result<Self, BadSnapshot> {
        if !snapshot.is_possible() {
            return Err(BadSnapshot);
        }
        let variant: Variant = snapshot.variant.as_str().parse().map_err(|_| BadSnapshot)?;
        if snapshot.origin.as_ref().is_some_and(|origin| origin.start(&variant).is_err()) {
            return Err(BadSnapshot);
        }
        let base = variant.read_position(snapshot.base.as_str()).map_err(|_| BadSnapshot)?;
        let moves = MoveHistory::with(base, snapshot.past.iter().copied()).map_err(|_| BadSnapshot)?;
        let text = Text::cut(&variant.text());
        let state = Snapshot { variant: text, base: Text::default(), past: List::default(), ..snapshot };
        Ok(Self { variant, moves, state })
    }
}
