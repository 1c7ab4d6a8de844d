//! What would happen if somebody were granted what they ask for; or why not. It changes nothing.

use super::{
    Cause, Departure, Event, Events, GameResult, Hand, Kind, Lobby, Moment, Name, Phase, PlayerId, Refusal,
    Request, Text, Who,
};
use crate::game::any::{Board, Move};
use crate::game::{Outcome, Side};

impl Lobby {
    /// What would happen if `who` were granted `request` at this moment, in order; or why not. Changes nothing.
    ///
    /// Nothing happens at all, which is no refusal, where what is asked for is so already: to be away or back.
    pub fn decide(&self, who: Who, request: Request, now: Moment) -> Result<Events, Refusal> {
        if self.phase == Phase::Closed {
            return Err(Refusal::Closed);
        }
        match (who, request) {
            (Who::Newcomer, Request::Sit { name, kind }) => self.decide_sit(name, kind),
            (Who::Newcomer, Request::Watch { name }) => self.decide_watch(name),
            (Who::Watcher, Request::Unwatch { name, how }) => Ok(self.decide_unwatch(name, how)),
            (Who::Watcher, Request::Again) if self.is_exhibition() => self.decide_again(self.board().turn()),
            (Who::Player(player), request) => self.decide_for(player, &request, now),
            (Who::StandIn(player), Request::Play { turn, mv }) if self.stood_in_for() == Some(player) => {
                self.decide_play(player, self.board().turn(), (turn, mv), now)
            }
            (Who::Newcomer | Who::StandIn(_) | Who::Watcher, _) => Err(Refusal::NotSeated),
        }
    }

    fn decide_for(&self, player: PlayerId, request: &Request, now: Moment) -> Result<Events, Refusal> {
        let side = self.side_of(player).ok_or(Refusal::NotSeated)?;
        match *request {
            Request::Sit { .. } | Request::Watch { .. } | Request::Unwatch { .. } => {
                Err(Refusal::AlreadySeated)
            }
            Request::Play { turn, mv } if self.hand(side) == Hand::Own => {
                self.decide_play(player, side, (turn, mv), now)
            }
            Request::Play { .. } => Err(Refusal::NotYourTurn),
            Request::Resign => self.decide_resign(side),
            Request::Again => self.decide_again(side),
            Request::Leave(how) => Ok(self.decide_leave(side, how)),
            Request::Lose { loss, since } => Ok(self.decide_lose(side, loss, since)),
            Request::Return => Ok(self.decide_return(side)),
            Request::Wait => self.decide_wait(side),
            Request::WaitNoMore => self.decide_wait_no_more(side),
            Request::Claim => self.decide_claim(side, now),
            Request::Offer(offer) => self.decide_offer(side, offer),
            Request::Answer { turn, offer, accept } => self.decide_answer(side, (turn, offer), accept),
            Request::Resume => self.decide_resume(side),
        }
    }

    fn decide_sit(&self, name: Name, kind: Kind) -> Result<Events, Refusal> {
        let free = self.seats.iter().any(|(_, seat)| seat.is_none());
        let away = free && self.phase == Phase::Waiting;
        let taken = if away { Refusal::NobodyHere } else { Refusal::SeatTaken };
        let side = self.open_seat().ok_or(taken)?;
        let mut events = Events::new();
        events.push(Event::Sat { side, player: super::Player { id: self.next_player, name, kind } });
        if self.seats[!side].is_some() {
            events.push(self.next_game(false));
        }
        Ok(events)
    }

    fn decide_watch(&self, name: Name) -> Result<Events, Refusal> {
        let most = self.conditions.watchers;
        match most {
            0 => Err(Refusal::NoWatchers),
            _ if self.is_full_of_watchers() => Err(Refusal::TooManyWatchers { most }),
            _ => Ok(Events::from_iter([Event::Watched { name }])),
        }
    }

    /// Somebody stops watching. Two bots whom nobody watches rest until somebody is back; where the last one has left on
    /// purpose they play for nobody any more.
    fn decide_unwatch(&self, name: Name, how: Departure) -> Events {
        let mut events = Events::from_iter([Event::Unwatched { name }]);
        let may_return = how == Departure::Lost && self.is_exhibition();
        if self.watchers <= 1 && !self.has_people() && !may_return {
            events.extend(self.abandon());
        }
        events
    }

    fn next_game(&self, swap: bool) -> Event {
        Event::Started { game: self.games.saturating_add(1), swap }
    }

    fn decide_play(
        &self,
        player: PlayerId,
        side: Side,
        (turn, mv): (u32, Move),
        now: Moment,
    ) -> Result<Events, Refusal> {
        if self.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        if turn != self.turn {
            return Err(Refusal::OtherTurn);
        }
        if self.board().turn() != side {
            return Err(Refusal::NotYourTurn);
        }
        if self.paused || self.is_unwatched() {
            return Err(Refusal::Paused);
        }
        if let Some(fallen) = self.flag_fallen(now) {
            return Ok(fallen);
        }
        let after = self.board().play(mv).map_err(|illegal| Refusal::Illegal(Text::cut(&illegal.0)))?;
        let mut events = Events::new();
        events.push(Event::Moved { turn, player, mv, hand: self.hand(side) });
        events.extend(self.result_of(&after).map(|result| Event::Ended { result }));
        Ok(events)
    }

    /// The end of the game, if the flag of the side to move has fallen by now.
    pub(super) fn flag_fallen(&self, now: Moment) -> Option<Events> {
        let side = self.board().turn();
        let fallen = self.flag_falls().is_some_and(|at| at < now);
        let result = GameResult { outcome: Outcome::Win(!side), cause: Cause::Time };
        fallen.then(|| Events::from_iter([Event::Ended { result }]))
    }

    /// When the flag of the side to move falls; `None` while its clock stands.
    pub(super) fn flag_falls(&self) -> Option<Moment> {
        self.clocks.falls(self.board().turn()).filter(|_| self.clock_runs())
    }

    /// How the game ends with a move to this board, if it does.
    fn result_of(&self, after: &Board) -> Option<GameResult> {
        match after.finish() {
            Some(finish) => Some(GameResult { outcome: finish.outcome, cause: Cause::Rules }),
            None if self.course.would_repeat(after) => {
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
            events.push(self.next_game(true));
        }
        Ok(events)
    }

    pub(super) fn decide_leave(&self, side: Side, how: Departure) -> Events {
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
}
