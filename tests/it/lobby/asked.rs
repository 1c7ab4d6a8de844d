//! What a lobby says when it is asked: what is played there and how, who sits or sat where, and what of the last game is known.

use nim::game::Side;
use nim::lobby::{Conditions, Departure, Hand, Kind, Lobby, Moment, Name, PlayerId, Refusal, Request, Who};

const ANNA: Who = Who::Player(PlayerId(1));
const BEN: Who = Who::Player(PlayerId(2));

/// A lobby in which everything is asked at the same moment.
struct Room(Lobby);

impl Room {
    /// anna has opened it for a game of five sticks, one or two at a time.
    fn annas() -> Self {
        let conditions = Conditions { best_of: 3, watchers: 7, ..Conditions::default() };
        let mut room =
            Self(Lobby::new("brave-otter".parse().unwrap(), "take:5:2".parse().unwrap(), conditions));
        room.sits("anna");
        room
    }

    fn sits(&mut self, name: &str) {
        self.asks(Who::Newcomer, Request::Sit { name: Name::clean(name).unwrap(), kind: Kind::Person });
    }

    fn asks(&mut self, who: Who, request: Request) {
        for event in self.0.decide(who, request, Moment::START).unwrap() {
            self.0.apply(&event, Moment::START).unwrap();
        }
    }

    fn plays(&mut self, who: Who, text: &str) {
        let (turn, mv) = (self.0.turn(), self.0.board().read_move(text).unwrap());
        self.asks(who, Request::Play { turn, mv });
    }

    fn last_players(&self) -> [Option<&str>; 2] {
        Side::BOTH.map(|side| self.0.last_player(side).map(|player| player.name.as_str()))
    }
}

#[test]
fn what_is_played_and_how_is_what_was_agreed() {
    let Room(lobby) = Room::annas();
    assert_eq!(lobby.variant().text(), "take:5:2:normal");
    assert_eq!((lobby.conditions().best_of, lobby.conditions().watchers), (3, 7));
    assert_eq!((lobby.origin(), lobby.start()), (None, lobby.variant().start()));
}

#[test]
fn of_the_last_game_it_is_known_who_played_and_made_which_move_until_the_next_one_begins() {
    let mut room = Room::annas();
    assert!(!room.0.has_last_game(), "nobody has played");
    assert_eq!(room.last_players(), [Some("anna"), None]);
    room.sits("ben");
    assert!(!room.0.has_last_game(), "they are at it");
    assert_eq!(room.0.played(1).unwrap_err(), Refusal::NotOver);
    room.plays(ANNA, "2");
    room.plays(BEN, "1");
    room.plays(ANNA, "2");
    assert!(room.0.has_last_game());
    let made: Vec<(Side, String, Hand)> =
        room.0.made().into_iter().map(|made| (made.side, made.text, made.hand)).collect();
    let took = |side, text: &str| (side, text.to_owned(), Hand::Own);
    assert_eq!(
        made,
        [took(Side::First, "take 2"), took(Side::Second, "take 1"), took(Side::First, "take 2")]
    );
    assert_eq!(room.0.played(2).unwrap().0.write_position(), "3 second");
    assert_eq!(room.0.played(4).unwrap_err(), Refusal::NoSuchMove { count: 3 });
    room.asks(BEN, Request::Leave(Departure::Quit));
    assert_eq!(room.last_players(), [Some("anna"), Some("ben")], "who has left was there");
    assert!(room.0.has_last_game());
    room.asks(ANNA, Request::Again);
    assert!(room.0.has_last_game(), "it waits for somebody else");
    room.sits("cleo");
    assert!(!room.0.has_last_game());
    assert!(room.last_players().contains(&Some("cleo")) && !room.last_players().contains(&Some("ben")));
}
