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
    ///
    /// `two` says that both players sit at this keyboard, so that every move is asked for here.
    pub fn of(model: &Model, two: bool) -> Option<Self> {
        let Some(mine) = model.lobby() else { return Some(Self::Hall) };
        if mine.you().is_none() {
            return Some(Self::Watch).filter(|_| mine.lobby.phase() != Phase::Closed);
        }
        match mine.lobby.phase() {
            Phase::Playing if mine.lobby.is_paused() => Some(Self::Rest),
            // Two players at one keyboard agree before they type.
            Phase::Playing if !two && mine.offer().is_some() => mine.offer().map(Self::Offer),
            // Once the last move has been told, nobody is to move, even if the end has not been told yet.
            Phase::Playing => {
                let asked = mine.lobby.to_move().is_some_and(|player| two || Some(player.id) == mine.you());
                if asked { Some(Self::Move) } else { Self::absence(&mine.lobby) }
            }
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
    use crate::lobby::{Conditions, Departure, Event, LobbyRequest, Moment, Name, PlayerId, Request, Who};
    use crate::wire::{Ticket, ToClient};

    /// A server's lobby, and the model of the first player in it.
    struct Pair {
        lobby: Lobby,
        model: Model,
    }

    impl Pair {
        fn sit(variant: &str) -> Self {
            let code = "brave-otter".parse().unwrap();
            let mut lobby = Lobby::new(code, variant.parse().unwrap(), Conditions::default());
            let sat = lobby.decide(Who::Newcomer, anybody(), Moment::START).unwrap();
            lobby.apply(&sat[0], Moment::START).unwrap();
            let mut model = Model::new(Name::anyone());
            model.set_ticket(Ticket::of([0; 16]));
            let entered = ToClient::Entered { you: Side::First, lobby: lobby.snapshot(), now: Moment::START };
            model.learn(&entered).unwrap();
            Self { lobby, model }
        }

        /// Makes the events of a request happen, and returns what was asked after each.
        fn ask(&mut self, who: Who, request: Request, two: bool) -> Vec<Option<Question>> {
            let events = self.lobby.decide(who, request, Moment::START).unwrap();
            events.iter().map(|event| self.tell(event, two)).collect()
        }

        fn tell(&mut self, event: &Event, two: bool) -> Option<Question> {
            let at = Moment::START;
            self.lobby.apply(event, at).unwrap();
            let told = ToClient::Lobby { number: self.lobby.last_event(), at, event: event.clone() };
            self.model.learn(&told).unwrap();
            Question::of(&self.model, two)
        }

        /// The player to move takes one object.
        fn take_one(&mut self, two: bool) -> Vec<Option<Question>> {
            self.play("take 1", two)
        }

        /// The player to move makes this move.
        fn play(&mut self, text: &str, two: bool) -> Vec<Option<Question>> {
            let player = self.lobby.to_move().unwrap().id;
            let mv = self.lobby.board().read_move(text).unwrap();
            self.ask(
                Who::Player(player),
                Request::Ask(LobbyRequest::Play { turn: self.lobby.turn(), mv }),
                two,
            )
        }
    }

    fn anybody() -> Request {
        Request::Sit { name: Name::anyone(), kind: crate::lobby::Kind::Person }
    }

    #[test]
    fn a_player_is_asked_at_their_own_turns_and_two_at_every_one() {
        for two in [false, true] {
            let mut pair = Pair::sit("java-tech:9");
            assert_eq!(Question::of(&pair.model, two), None);
            assert_eq!(pair.ask(Who::Newcomer, anybody(), two), [None, Some(Question::Move)]);
            assert_eq!(pair.take_one(two), [two.then_some(Question::Move)]);
            assert_eq!(pair.take_one(two), [Some(Question::Move)]);
        }
    }

    #[test]
    fn between_the_last_move_and_the_end_nobody_is_asked() {
        for (pile, two) in [("java-tech:1", false), ("java-tech:2", false), ("java-tech:2", true)] {
            let mut pair = Pair::sit(pile);
            pair.ask(Who::Newcomer, anybody(), two);
            if pile == "java-tech:2" {
                pair.take_one(two);
            }
            assert_eq!(pair.take_one(two), [None, Some(Question::Again)], "{pile}");
        }
    }

    #[test]
    fn between_a_third_repetition_and_the_end_nobody_is_asked() {
        const ROUND: [&str; 6] = ["1-3", "4-1", "3-4", "1-3", "4-1", "3-4"];
        for two in [false, true] {
            let mut pair = Pair::sit("pong-hau-ki");
            pair.ask(Who::Newcomer, anybody(), two);
            let asked: Vec<_> =
                [ROUND, ROUND].concat().into_iter().map(|text| pair.play(text, two)).collect();
            assert_eq!(asked[10], [two.then_some(Question::Move)]);
            assert_eq!(asked[11], [None, Some(Question::Again)]);
        }
    }

    #[test]
    fn a_departure_is_shown_as_a_whole_before_anything_is_asked() {
        let mut pair = Pair::sit("java-tech:9");
        pair.ask(Who::Newcomer, anybody(), false);
        let leaves = Who::Player(PlayerId(2));
        let asked = pair.ask(leaves, Request::Leave(Departure::Lost), false);
        assert_eq!(asked, [None, Some(Question::Again)]);
    }

    #[test]
    fn in_the_hall_it_is_asked_where_to_go() {
        assert_eq!(Question::of(&Model::new(Name::anyone()), false), Some(Question::Hall));
    }
}
