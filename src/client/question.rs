//! What the player at a keyboard, or the script in their place, is asked for now. It knows no words and no
//! screen.

use super::Model;
use super::model::MyLobby;
use crate::lobby::{Cause, Lobby, Offer, Phase};

/// Something that is for this client to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// In the hall: where to go.
    Hall,
    /// A move.
    Move,
    /// The game is over: whether to play another one.
    Again,
    /// The other player is away on their turn: whether to have what was agreed, or to wait.
    Absence,
    /// The other player offers something: whether to accept it.
    Offer(Offer),
    /// The game rests: whether to go on.
    Rest,
    /// Others play: there is nothing to say, but something may be said.
    Watch,
}

impl Question {
    /// The question that is open now; `None` while it is for others to act.
    pub fn of(model: &Model) -> Option<Self> {
        let Some(mine) = model.lobby() else { return Some(Self::Hall) };
        if mine.you().is_none() {
            return Some(Self::Watch).filter(|_| mine.lobby.phase() != Phase::Closed);
        }
        match mine.lobby.phase() {
            Phase::Playing if mine.lobby.is_paused() => Some(Self::Rest),
            Phase::Playing if mine.offer().is_some() => mine.offer().map(Self::Offer),
            // Once the last move has been told, nobody is to move, even if the end has not been told yet.
            Phase::Playing if mine.is_to_move() => Some(Self::Move),
            Phase::Playing => Self::absence(&mine.lobby),
            // A player who ended the game by leaving still has the seat: their departure is the next event.
            Phase::Over { result, .. } if result.cause == Cause::Left && is_full(&mine.lobby) => None,
            Phase::Over { again, .. } => {
                let asked = mine.side().is_some_and(|side| again[side]);
                (!asked).then_some(Self::Again)
            }
            Phase::Waiting | Phase::Closed => None,
        }
    }

    /// What is open besides this one in the same lobby: somebody may be away on their turn who has offered
    /// something.
    pub fn beside(self, mine: &MyLobby) -> Option<Self> {
        let others_turn = matches!(self, Self::Offer(_)) && !mine.is_to_move();
        if others_turn { Self::absence(&mine.lobby) } else { None }
    }

    fn absence(lobby: &Lobby) -> Option<Self> {
        lobby.runs_out().map(|_| Self::Absence)
    }
}

fn is_full(lobby: &Lobby) -> bool {
    lobby.seats().iter().all(|(_, seat)| seat.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::lobby::{
        Conditions, Departure, Event, Kind, LobbyRequest, Moment, Name, PlayerId, Request, Who,
    };
    use crate::wire::{Ticket, ToClient};

    /// A server's lobby, and the model of the first player in it.
    struct Pair {
        lobby: Lobby,
        model: Model,
    }

    impl Pair {
        /// The first player has come, with a guest if there are to be two at one keyboard.
        fn sit(variant: &str, two: bool) -> Self {
            let code = "brave-otter".parse().unwrap();
            let mut lobby = Lobby::new(code, variant.parse().unwrap(), Conditions::default());
            let for_two = Request::SitForTwo { name: Name::anyone(), guest: Name::bot() };
            let request = if two { for_two } else { anybody() };
            let mut events = lobby.decide(Who::Newcomer, request, Moment::START).unwrap().into_iter();
            for sat in events.by_ref().take(1 + usize::from(two)) {
                lobby.apply(&sat, Moment::START).unwrap();
            }
            let mut model = Model::new(Name::anyone());
            model.set_ticket(Ticket::of([0; 16]));
            let entered = ToClient::Entered { you: Side::First, lobby: lobby.snapshot(), now: Moment::START };
            model.learn(&entered).unwrap();
            let mut pair = Self { lobby, model };
            assert_eq!(Question::of(&pair.model), None);
            let asked = match events.next() {
                Some(started) => vec![None, pair.tell(&started)],
                None => pair.ask(Who::Newcomer, anybody()),
            };
            assert_eq!(asked, [None, Some(Question::Move)]);
            pair
        }

        /// Makes the events of a request happen, and returns what was asked after each.
        fn ask(&mut self, who: Who, request: impl Into<Request>) -> Vec<Option<Question>> {
            let events = self.lobby.decide(who, request, Moment::START).unwrap();
            events.iter().map(|event| self.tell(event)).collect()
        }

        fn tell(&mut self, event: &Event) -> Option<Question> {
            let at = Moment::START;
            self.lobby.apply(event, at).unwrap();
            let told = ToClient::Lobby { number: self.lobby.last_event(), at, event: event.clone() };
            self.model.learn(&told).unwrap();
            Question::of(&self.model)
        }

        /// The player to move takes one object.
        fn take_one(&mut self) -> Vec<Option<Question>> {
            self.play("take 1")
        }

        /// The player to move makes this move.
        fn play(&mut self, text: &str) -> Vec<Option<Question>> {
            let mover = self.lobby.to_move().unwrap();
            // A guest asks nobody.
            let player = if mover.kind == Kind::Guest { PlayerId(1) } else { mover.id };
            let mv = self.lobby.board().read_move(text).unwrap();
            self.ask(Who::Player(player), LobbyRequest::Play { turn: self.lobby.turn(), mv })
        }
    }

    fn anybody() -> Request {
        Request::Sit { name: Name::anyone(), kind: Kind::Person }
    }

    #[test]
    fn a_player_is_asked_at_their_own_turns_and_two_at_every_one() {
        for two in [false, true] {
            let mut pair = Pair::sit("java-tech:9", two);
            assert_eq!(pair.take_one(), [two.then_some(Question::Move)]);
            assert_eq!(pair.take_one(), [Some(Question::Move)]);
        }
    }

    #[test]
    fn between_the_last_move_and_the_end_nobody_is_asked() {
        for (pile, two) in [("java-tech:1", false), ("java-tech:2", false), ("java-tech:2", true)] {
            let mut pair = Pair::sit(pile, two);
            if pile == "java-tech:2" {
                pair.take_one();
            }
            assert_eq!(pair.take_one(), [None, Some(Question::Again)], "{pile}");
        }
    }

    #[test]
    fn between_a_third_repetition_and_the_end_nobody_is_asked() {
        const ROUND: [&str; 6] = ["1-3", "4-1", "3-4", "1-3", "4-1", "3-4"];
        for two in [false, true] {
            let mut pair = Pair::sit("pong-hau-ki", two);
            let asked: Vec<_> = [ROUND, ROUND].concat().into_iter().map(|text| pair.play(text)).collect();
            assert_eq!(asked[10], [two.then_some(Question::Move)]);
            assert_eq!(asked[11], [None, Some(Question::Again)]);
        }
    }

    #[test]
    fn a_departure_is_shown_as_a_whole_before_anything_is_asked() {
        let mut pair = Pair::sit("java-tech:9", false);
        let asked = pair.ask(Who::Player(PlayerId(2)), Request::Leave(Departure::Lost));
        assert_eq!(asked, [None, Some(Question::Again)]);
    }

    #[test]
    fn in_the_hall_it_is_asked_where_to_go() {
        assert_eq!(Question::of(&Model::new(Name::anyone())), Some(Question::Hall));
    }
}
