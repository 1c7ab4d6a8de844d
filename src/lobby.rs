//! One lobby as a state machine: two seats, a variant, its conditions, and a match of one or more games.
//!
//! It knows no sockets, clocks, chance or storage: what time it is comes in as a [`Moment`]. [`Lobby::decide`] answers a request with the events
//! that would happen, or with a refusal, and changes nothing; [`Lobby::apply`] makes an event true. The
//! server decides and applies; a client only applies what it is told, so both hold the same lobby.
//! Nothing here asks whether a seat is a bot's: a bot makes the same requests as a person.

mod absence;
mod code;
mod conditions;
mod event;
mod history;
mod level;
mod moment;
mod name;
mod refusal;
mod request;
mod seat;
mod snapshot;
mod text;

pub use absence::{Absence, AwayRule, Cover, Due, Hand, Loss, WhenAway};
pub use code::Code;
pub use conditions::{BotRule, Conditions, Hints};
pub use event::{Cause, Departure, Event, Events, GameResult};
pub use level::{BadLevel, Level};
pub use moment::Moment;
pub use name::{MAX_NAME_CHARS, Name, NameFault};
pub use refusal::{MAX_ILLEGAL, Refusal};
pub use request::{Request, Who};
pub use seat::{Kind, Player, PlayerId};
pub use snapshot::{BadSnapshot, MAX_POSITION_TEXT, Snapshot};
pub use text::{Text, TooLong};

use history::History;
use serde::{Deserialize, Serialize};

use crate::game::any::{Board, Move, Variant};
use crate::game::{BySide, Outcome, Side};

/// A lobby: everything about it that both players may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lobby {
    code: Code,
    variant: Variant,
    conditions: Conditions,
    seats: BySide<Option<Player>>,
    /// Who of those is away.
    absences: BySide<Option<Absence>>,
    phase: Phase,
    /// When the present turn began, or whatever the lobby is doing instead of a turn.
    began: Moment,
    board: Board,
    /// The positions of the present game so far, where they can repeat.
    history: History,
    /// Games started so far.
    games: u32,
    /// The number of the next move. It counts on through all games of the lobby, so that it never comes back.
    turn: u32,
    /// The id that the next player to sit down gets.
    next_player: PlayerId,
    /// Events applied so far, which is the number of the last one.
    events: u32,
}

/// What a lobby is doing. The order of the variants is the protocol's: new ones go to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// An event that does not fit the lobby that it is applied to: whoever sent it is out of step, or lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server told of something that cannot have happened in this lobby")]
pub struct OutOfStep;

impl Lobby {
    /// An empty lobby, before anyone has sat down.
    pub fn new(code: Code, variant: Variant, conditions: Conditions) -> Self {
        let board = variant.start();
        let history = History::of(&board);
        Self {
            code,
            variant,
            conditions,
            seats: BySide::default(),
            absences: BySide::default(),
            phase: Phase::Waiting,
            began: Moment::START,
            board,
            history,
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

    /// Who sits where.
    pub fn seats(&self) -> &BySide<Option<Player>> {
        &self.seats
    }

    /// What the lobby is doing.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The board of the present game, or of the last one.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Games started so far.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// The number of the next move: 1 for the first of the lobby. It counts on through a match.
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

    /// The player whose move it is, while a game is going on; nobody's is between the last move and the word of the end.
    pub fn to_move(&self) -> Option<&Player> {
        let decided = self.board.finish().is_some() || self.history.repeats(&self.board);
        match self.phase {
            Phase::Playing if !decided => self.seats[self.board.turn()].as_ref(),
            _ => None,
        }
    }

    /// The seat that a newcomer would get, if one is open.
    ///
    /// After a game the seat of somebody who left is open only once the other one wants to play again, and no seat is
    /// while those who sit here are away.
    pub fn open_seat(&self) -> Option<Side> {
        match self.phase {
            Phase::Waiting if self.has_people_here() || !self.has_people() => {
                let opener = self.conditions.opener;
                [opener, !opener].into_iter().find(|&side| self.seats[side].is_none())
            }
            _ => None,
        }
    }

    /// Whether any person sits here, be they away. Bots are not people.
    fn has_people(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.kind(side) == Some(Kind::Person))
    }

    fn kind(&self, side: Side) -> Option<Kind> {
        self.seats[side].as_ref().map(|player| player.kind)
    }

    /// Whether this player may be told the best move now, by the lobby's conditions.
    pub fn may_hint(&self, player: PlayerId) -> Result<(), Refusal> {
        let side = self.side_of(player).ok_or(Refusal::NotSeated)?;
        if self.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        match (self.conditions.hints, self.kind(!side)) {
            (Hints::Everyone, _) | (Hints::AgainstBots, Some(Kind::Bot)) => {}
            _ => return Err(Refusal::NoHints),
        }
        if self.board.turn() != side {
            return Err(Refusal::NotYourTurn);
        }
        Ok(())
    }

    /// What would happen if `who` were granted `request` at this moment, in order; or why not. Changes nothing.
    ///
    /// Nothing happens at all, which is no refusal, where what is asked for is so already: to be away or back.
    pub fn decide(&self, who: Who, request: Request, now: Moment) -> Result<Events, Refusal> {
        match (who, request) {
            (Who::Newcomer, Request::Sit { name, kind }) => self.decide_sit(name, kind),
            (Who::Player(player), request) => {
                let side = self.side_of(player).ok_or(Refusal::NotSeated)?;
                match request {
                    Request::Sit { .. } => Err(Refusal::AlreadySeated),
                    Request::Play { turn, mv } if self.hand(side) == Hand::Own => {
                        self.decide_play(player, side, turn, mv)
                    }
                    Request::Play { .. } => Err(Refusal::NotYourTurn),
                    Request::Resign => self.decide_resign(side),
                    Request::Again => self.decide_again(side),
                    Request::Leave(how) => Ok(self.decide_leave(side, how)),
                    Request::Lose { loss, since } => Ok(self.decide_lose(side, loss, since)),
                    Request::Return => Ok(self.decide_return(side)),
                    Request::Wait => self.decide_wait(side),
                    Request::Claim => self.decide_claim(side, now),
                }
            }
            (Who::StandIn(player), Request::Play { turn, mv }) if self.stood_in_for() == Some(player) => {
                self.decide_play(player, self.board.turn(), turn, mv)
            }
            (Who::Newcomer | Who::StandIn(_), _) => Err(Refusal::NotSeated),
        }
    }

    fn decide_sit(&self, name: Name, kind: Kind) -> Result<Events, Refusal> {
        let free = self.seats.iter().any(|(_, seat)| seat.is_none());
        let away = free && self.phase == Phase::Waiting;
        let taken = if away { Refusal::NobodyHere } else { Refusal::SeatTaken };
        let side = self.open_seat().ok_or(taken)?;
        let mut events = Events::new();
        events.push(Event::Sat { side, player: Player { id: self.next_player, name, kind } });
        if self.seats[!side].is_some() {
            events.push(self.start(false));
        }
        Ok(events)
    }

    fn start(&self, swap: bool) -> Event {
        Event::Started { game: self.games.saturating_add(1), swap }
    }

    fn decide_play(&self, player: PlayerId, side: Side, turn: u32, mv: Move) -> Result<Events, Refusal> {
        if self.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        if turn != self.turn {
            return Err(Refusal::OtherTurn);
        }
        if self.board.turn() != side {
            return Err(Refusal::NotYourTurn);
        }
        let after = self.board.play(mv).map_err(|illegal| Refusal::Illegal(Text::cut(&illegal.0)))?;
        let mut events = Events::new();
        events.push(Event::Moved { turn, player, mv, hand: self.hand(side) });
        events.extend(self.result_of(&after).map(|result| Event::Ended { result }));
        Ok(events)
    }

    /// How the game ends with a move to this board, if it does.
    fn result_of(&self, after: &Board) -> Option<GameResult> {
        match after.finish() {
            Some(finish) => Some(GameResult { outcome: finish.outcome, cause: Cause::Rules }),
            None if self.history.would_repeat(after) => {
                Some(GameResult { outcome: Outcome::Draw, cause: Cause::Repetition })
            }
            None => None,
        }
    }

    fn decide_resign(&self, side: Side) -> Result<Events, Refusal> {
        if self.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        let result = GameResult { outcome: Outcome::Win(!side), cause: Cause::Resigned };
        Ok(Events::from_iter([Event::Ended { result }]))
    }

    fn decide_again(&self, side: Side) -> Result<Events, Refusal> {
        let Phase::Over { again, .. } = self.phase else { return Err(Refusal::NotOver) };
        if again[side] {
            return Err(Refusal::AlreadyAsked);
        }
        let mut events = Events::from_iter([Event::AgainWanted { side }]);
        if again[!side] {
            events.push(self.start(true));
        }
        Ok(events)
    }

    fn decide_leave(&self, side: Side, how: Departure) -> Events {
        let mut events = Events::new();
        if self.phase == Phase::Playing {
            let result = GameResult { outcome: Outcome::Win(!side), cause: Cause::Left };
            events.push(Event::Ended { result });
        }
        events.push(Event::Left { side, how });
        if self.kind(!side) != Some(Kind::Person) {
            events.push(Event::Closed);
        }
        events
    }

    /// Makes `event` true, which happened at this moment; refuses one that cannot have happened here, and then nothing
    /// has changed.
    pub fn apply(&mut self, event: &Event, at: Moment) -> Result<(), OutOfStep> {
        match event {
            Event::Sat { side, player } => self.apply_sat(*side, player)?,
            Event::Started { game, swap } => self.apply_started(*game, *swap)?,
            Event::Moved { turn, player, mv, hand } => self.apply_moved(*turn, *player, *mv, *hand)?,
            Event::Ended { result } => self.apply_ended(*result)?,
            Event::AgainWanted { side } => self.apply_again(*side)?,
            Event::Left { side, .. } => self.apply_left(*side)?,
            Event::Closed => self.phase = Phase::Closed,
            Event::Away { side, since, loss } => self.apply_away(*side, *since, *loss)?,
            Event::Back { side } => self.absences[*side].take().map(|_| ()).ok_or(OutOfStep)?,
            Event::StoodIn { side } => self.apply_cover(*side, Cover::StandIn)?,
            Event::WaitedFor { side } => self.apply_cover(*side, Cover::Waited)?,
        }
        if event.begins_something() {
            self.began = self.began.max(at);
        }
        self.events = self.events.saturating_add(1);
        Ok(())
    }

    /// Goes on from event number `number`: those in between happened, but this release does not know them.
    pub fn skip_to(&mut self, number: u32) {
        self.events = self.events.max(number);
    }

    fn apply_sat(&mut self, side: Side, player: &Player) -> Result<(), OutOfStep> {
        let fits =
            self.phase == Phase::Waiting && self.seats[side].is_none() && player.id == self.next_player;
        if !fits {
            return Err(OutOfStep);
        }
        self.next_player = self.next_player.next();
        self.seats[side] = Some(player.clone());
        Ok(())
    }

    fn apply_started(&mut self, game: u32, swap: bool) -> Result<(), OutOfStep> {
        let ready = match self.phase {
            Phase::Waiting => !swap,
            Phase::Over { again, .. } => again.first && again.second,
            Phase::Playing | Phase::Closed => false,
        };
        let seated = Side::BOTH.into_iter().all(|side| self.seats[side].is_some());
        if !ready || !seated || game != self.games.saturating_add(1) {
            return Err(OutOfStep);
        }
        if swap {
            self.seats = std::mem::take(&mut self.seats).swapped();
            self.absences = std::mem::take(&mut self.absences).swapped();
        }
        self.games = game;
        self.board = self.variant.start();
        self.history = History::of(&self.board);
        self.phase = Phase::Playing;
        Ok(())
    }

    fn apply_moved(&mut self, turn: u32, player: PlayerId, mv: Move, hand: Hand) -> Result<(), OutOfStep> {
        let theirs = self.to_move().is_some_and(|p| p.id == player);
        if !theirs || turn != self.turn || hand != self.hand(self.board.turn()) {
            return Err(OutOfStep);
        }
        self.board = self.board.play(mv).map_err(|_| OutOfStep)?;
        self.history.add(&self.board);
        self.turn = self.turn.saturating_add(1);
        Ok(())
    }

    fn apply_ended(&mut self, result: GameResult) -> Result<(), OutOfStep> {
        if self.phase != Phase::Playing {
            return Err(OutOfStep);
        }
        self.phase = Phase::Over { result, again: BySide::default() };
        for side in Side::BOTH {
            if let Some(absence) = &mut self.absences[side] {
                absence.cover = Cover::Agreed;
            }
        }
        Ok(())
    }

    fn apply_away(&mut self, side: Side, since: Moment, loss: Loss) -> Result<(), OutOfStep> {
        if self.kind(side) != Some(Kind::Person) || self.phase == Phase::Closed {
            return Err(OutOfStep);
        }
        let cover = self.absences[side].map_or(Cover::Agreed, |absence| absence.cover);
        self.absences[side] = Some(Absence { since, loss, cover });
        Ok(())
    }

    fn apply_cover(&mut self, side: Side, cover: Cover) -> Result<(), OutOfStep> {
        match &mut self.absences[side] {
            Some(absence) if absence.cover == Cover::Agreed && self.phase == Phase::Playing => {
                absence.cover = cover;
                Ok(())
            }
            _ => Err(OutOfStep),
        }
    }

    fn apply_again(&mut self, side: Side) -> Result<(), OutOfStep> {
        let Phase::Over { again, .. } = &mut self.phase else { return Err(OutOfStep) };
        if self.seats[side].is_none() || again[side] {
            return Err(OutOfStep);
        }
        again[side] = true;
        if self.seats[!side].is_none() {
            self.phase = Phase::Waiting;
        }
        Ok(())
    }

    fn apply_left(&mut self, side: Side) -> Result<(), OutOfStep> {
        if self.phase == Phase::Playing || self.seats[side].take().is_none() {
            return Err(OutOfStep);
        }
        self.absences[side] = None;
        let Phase::Over { again, .. } = &mut self.phase else { return Ok(()) };
        again[side] = false;
        if again[!side] {
            self.phase = Phase::Waiting;
        }
        Ok(())
    }
}
