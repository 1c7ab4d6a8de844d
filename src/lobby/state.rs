//! What is known of a lobby, and the questions that it answers. It decides nothing and changes nothing.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::absence::Absence;
use super::clock::{ClockRule, Clocks};
use super::code::Code;
use super::conditions::{BotRule, Conditions, Hints};
use super::event::{GameResult, MatchScore};
use super::moment::Moment;
use super::move_history::{Made, MoveHistory, Past};
use super::offer::{Offers, OpenOffer};
use super::origin::Origin;
use super::player::{Kind, Player, PlayerId};
use super::refusal::Refusal;
use super::request::Who;
use crate::game::any::{Board, Variant};
use crate::game::{BySide, Outcome, Side};
use crate::number::saturating;

/// A lobby: everything about it that both players may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lobby {
    pub(super) code: Code,
    pub(super) variant: Variant,
    pub(super) conditions: Conditions,
    /// Where games begin, if not where the variant does.
    pub(super) origin: Option<Origin>,
    pub(super) seats: BySide<Option<Player>>,
    /// Who sat on each side in the last game and has left since, as long as nobody else sits there.
    pub(super) gone: BySide<Option<Player>>,
    /// Who of those who sit here is away.
    pub(super) absences: BySide<Option<Absence>>,
    pub(super) phase: Phase,
    /// When the present turn began, or whatever the lobby is doing instead of a turn.
    pub(super) began: Moment,
    /// The present game, or the last one.
    pub(super) moves: MoveHistory,
    pub(super) clocks: Clocks,
    pub(super) offers: Offers,
    /// The game rests by agreement.
    pub(super) paused: bool,
    /// The score between these two players.
    pub(super) score: MatchScore,
    /// How many watch.
    pub(super) watchers: u32,
    /// Games started so far.
    pub(super) games: u32,
    /// The number of the next move. It counts on through all games of the lobby, so that it never comes back.
    pub(super) turn: u32,
    /// The id that the next player to sit down gets.
    pub(super) next_player: PlayerId,
    /// Events applied so far, which is the number of the last one.
    pub(super) events: u32,
}

/// What a lobby is doing. The order of the variants is the protocol's: new ones go to the end.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Phase {
    /// A seat is empty; the game starts as soon as both are taken.
    Waiting,
    /// A game is going on.
    Playing,
    /// The last game has ended.
    Over {
        /// How it ended.
        result: GameResult,
        /// Who has asked for another game.
        again: BySide<bool>,
    },
    /// Nobody is left; the lobby is to be forgotten.
    Closed,
}

impl Lobby {
    /// An empty lobby, before anyone has sat down.
    pub fn new(code: Code, variant: Variant, conditions: Conditions) -> Self {
        let moves = MoveHistory::of(variant.start());
        Self {
            code,
            variant,
            conditions,
            origin: None,
            seats: BySide::default(),
            gone: BySide::default(),
            absences: BySide::default(),
            phase: Phase::Waiting,
            began: Moment::START,
            moves,
            clocks: Clocks::of(conditions.clock),
            offers: Offers::default(),
            paused: false,
            score: MatchScore::default(),
            watchers: 0,
            games: 0,
            turn: 1,
            next_player: PlayerId(1),
            events: 0,
        }
    }

    /// The name under which the lobby is found.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What is played.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// What was agreed when the lobby was opened.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Where games come from, if they do not begin as the variant does.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The board on which every game begins.
    pub fn start(&self) -> Board {
        Origin::start_of(&self.variant, self.origin())
    }

    /// Who sits where.
    pub fn seats(&self) -> &BySide<Option<Player>> {
        &self.seats
    }

    /// Who sat on this side in the last game and has left since, as long as nobody else sits there.
    pub fn gone(&self, side: Side) -> Option<&Player> {
        self.gone[side].as_ref()
    }

    /// Who sits on this side, or sat there in the last game.
    pub fn last_player(&self, side: Side) -> Option<&Player> {
        self.seats[side].as_ref().or(self.gone(side))
    }

    /// What the lobby is doing.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The board of the present game, or of the last one.
    pub fn board(&self) -> &Board {
        self.moves.board()
    }

    /// The board from which on the present game, or the last one, is known: its start, but for very long
    /// games.
    pub fn base(&self) -> &Board {
        self.moves.base()
    }

    /// The moves that led from [`Self::base`] to [`Self::board`], the oldest first;
    /// [`MAX_PAST`](super::MAX_PAST) at most.
    pub fn past(&self) -> impl ExactSizeIterator<Item = &Past> {
        self.moves.past()
    }

    /// The moves of [`Self::past`] as they are typed, and who made them.
    pub fn made(&self) -> Vec<Made> {
        self.moves.made()
    }

    /// The move of this number of the game that is over, counted from 1 at [`Self::base`], and the board
    /// on which it was made.
    pub fn played(&self, number: u32) -> Result<(Board, Past), Refusal> {
        if self.phase == Phase::Playing {
            return Err(Refusal::NotOver);
        }
        let count = saturating(self.past().len());
        self.moves.played(number).ok_or(Refusal::NoSuchMove { count })
    }

    /// Whether a game is over here and none has begun since, so that its moves can be looked at.
    pub fn has_last_game(&self) -> bool {
        self.games > 0 && matches!(self.phase, Phase::Over { .. } | Phase::Waiting)
    }

    /// The clocks of the present game, or of the last one.
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Whether the game rests by agreement.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The score of the match so far.
    pub fn score(&self) -> MatchScore {
        self.score
    }

    /// How the match has ended, if there is one and it is decided.
    pub fn decision(&self) -> Option<Outcome> {
        self.score.decision(self.conditions.best_of.into())
    }

    /// The offer that waits for an answer.
    pub fn offer(&self) -> Option<OpenOffer> {
        self.offers.open
    }

    /// The absence of the player on this side, who still has the seat.
    pub fn absence(&self, side: Side) -> Option<Absence> {
        self.absences[side]
    }

    /// How many watch.
    pub fn watchers(&self) -> u32 {
        self.watchers
    }

    /// Games started so far.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// The number of the next move: 1 for the first of the lobby. It counts on through a match, and when
    /// moves are taken back.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// When the present turn began, or whatever the lobby is doing instead of a turn.
    pub fn began(&self) -> Moment {
        self.began
    }

    /// The number of the last event, 0 before the first.
    pub fn last_event(&self) -> u32 {
        self.events
    }

    /// The side on which this player sits.
    pub fn side_of(&self, player: PlayerId) -> Option<Side> {
        self.seats.find(|seat| seat.as_ref().is_some_and(|p| p.id == player))
    }

    /// The player whose move it is, while a game is going on; nobody's is between the last move and the
    /// word of the end.
    pub fn to_move(&self) -> Option<&Player> {
        match self.phase {
            Phase::Playing if !self.moves.is_decided() => self.seats[self.board().turn()].as_ref(),
            _ => None,
        }
    }

    /// The seat that a newcomer would get, if one is open.
    ///
    /// After a game the seat of a player who left is open only once the other one wants to play again. No
    /// seat is open while the players here are away.
    pub fn open_seat(&self) -> Option<Side> {
        match self.phase {
            Phase::Waiting if self.has_people_here() || !self.has_people() => {
                let opener = self.conditions.opener;
                [opener, !opener].into_iter().find(|&side| self.seats[side].is_none())
            }
            _ => None,
        }
    }

    /// When the server's bot takes the open seat, unless somebody else does before; `None` while it does
    /// not.
    pub fn bot_comes(&self) -> Option<Moment> {
        self.open_seat()?;
        match self.conditions.bot {
            BotRule::After(wait) if self.has_people_here() => {
                Some(self.began + Duration::from_millis(wait.into()))
            }
            BotRule::Both => Some(self.began),
            BotRule::After(_) | BotRule::Never => None,
        }
    }

    /// Whether any person sits here, be they away. Bots are not people.
    pub(super) fn has_people(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.kind(side) == Some(Kind::Person))
    }

    /// Whether two bots sit here, to be watched.
    pub fn is_exhibition(&self) -> bool {
        Side::BOTH.into_iter().all(|side| self.is_bot(side))
    }

    /// Whether the watcher limit is reached.
    pub fn is_full_of_watchers(&self) -> bool {
        self.watchers >= u32::from(self.conditions.watchers)
    }

    /// Whether two bots play here whom nobody watches: they rest, and wait for somebody to come back.
    pub fn is_unwatched(&self) -> bool {
        self.is_exhibition() && self.watchers == 0
    }

    /// Whether people sit here, and all of them are away.
    pub fn is_deserted(&self) -> bool {
        self.has_people() && !self.has_people_here()
    }

    /// Whether a bot sits on this side.
    pub fn is_bot(&self, side: Side) -> bool {
        self.kind(side) == Some(Kind::Bot)
    }

    /// Whether the player of this side asks for both: the other one is a [guest](Kind::Guest).
    pub fn has_guest(&self, side: Side) -> bool {
        self.kind(!side) == Some(Kind::Guest)
    }

    pub(super) fn kind(&self, side: Side) -> Option<Kind> {
        self.seats[side].as_ref().map(|player| player.kind)
    }

    /// Whether the clock of the side to move runs: it stands while the game rests, and while nobody is there.
    pub(super) fn clock_runs(&self) -> bool {
        let timed = self.conditions.clock != ClockRule::None;
        let attended = !self.is_deserted() && !self.is_unwatched();
        timed && attended && !self.paused && self.to_move().is_some()
    }

    /// Whether somebody may be told the best move now, by the lobby's conditions.
    pub fn may_hint(&self, who: Who) -> Result<(), Refusal> {
        if self.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        // The clocks stand, so the player would have the server think for free.
        if self.paused {
            return Err(Refusal::Paused);
        }
        let hints = self.conditions.hints;
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
