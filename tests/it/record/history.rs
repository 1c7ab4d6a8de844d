//! The history of a lobby: given step by step, or random.

use std::time::Duration;

use nim::game::Side;
use nim::lobby::{Conditions, Event, Hand, Kind, LobbyRequest, Name, Offer, Origin, PlayerId, Request, Who};
use nim::record::Record;
use proptest::prelude::*;

use crate::fuzzed::bodies::lobby::VARIANTS;
use crate::fuzzed::bodies::story::STEP;
pub(crate) use crate::fuzzed::bodies::story::Story as History;

impl History {
    /// anna and ben have begun a game.
    pub(crate) fn of_two(variant: &str, conditions: Conditions) -> Self {
        Self::of(variant, conditions).with([("anna", Kind::Person), ("ben", Kind::Person)])
    }

    /// Two players take seats.
    pub(crate) fn with(mut self, players: [(&str, Kind); 2]) -> Self {
        for (name, kind) in players {
            self.sits(name, kind);
        }
        self
    }

    pub(crate) fn sits(&mut self, name: &str, kind: Kind) {
        assert!(self.is_granted(Who::Newcomer, Request::Sit { name: Name::clean(name).unwrap(), kind }));
    }

    /// Games begin on another board.
    pub(crate) fn from(mut self, origin: Origin) -> Self {
        self.happen([Event::Placed { origin }]);
        self
    }

    /// The server restarts.
    pub(crate) fn restarts(&mut self) {
        self.happen(self.lobby.decide_restart());
    }

    /// Whether the request was granted.
    pub(crate) fn is_granted(&mut self, who: Who, request: Request) -> bool {
        self.asks(who, request, self.now).is_ok()
    }

    pub(crate) fn side_asks(&mut self, side: Side, request: Request) -> bool {
        let player = self.lobby.seats()[side].as_ref().map_or(PlayerId(0), |player| player.id);
        self.is_granted(Who::Player(player), request)
    }

    /// One player makes an offer, and the other one answers.
    pub(crate) fn offers(&mut self, side: Side, offer: Offer, accept: bool) {
        assert!(self.side_asks(side, Request::Ask(LobbyRequest::Offer(offer))));
        self.pass(300);
        let answer = LobbyRequest::Answer { turn: self.lobby.turn(), offer, accept };
        assert!(self.side_asks(!side, Request::Ask(answer)));
    }

    /// Time passes, and due events happen.
    pub(crate) fn pass(&mut self, millis: u64) {
        self.passes(self.now + Duration::from_millis(millis));
    }

    /// The player to move makes this move after this many milliseconds.
    pub(crate) fn plays(&mut self, text: &str, millis: u64) {
        self.pass(millis);
        let mv = self.lobby.board().read_move(text).unwrap();
        let (turn, side) = (self.lobby.turn(), self.lobby.board().turn());
        let asker = if self.lobby.has_guest(!side) { !side } else { side };
        let player = self.lobby.seats()[asker].as_ref().unwrap().id;
        let stood_in = self.lobby.hand(side) == Hand::StandIn;
        let who = if stood_in { Who::StandIn(player) } else { Who::Player(player) };
        assert!(self.is_granted(who, Request::Ask(LobbyRequest::Play { turn, mv })), "{text}");
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        let events = self.events.iter().map(|(at, event)| (*at, event));
        Record::games(&self.setting, events).unwrap()
    }

    pub(crate) fn record(&self) -> Record {
        self.records().pop().unwrap()
    }
}

/// A lobby of one of these variants with a random history.
pub(crate) fn any_story(variants: &'static [&'static str]) -> impl Strategy<Value = History> {
    let steps = proptest::collection::vec(any::<[u8; STEP]>(), 3..160);
    steps.prop_map(|steps| History::told(variants, steps.as_flattened()))
}

/// The same for any variant.
pub(super) fn any_history() -> impl Strategy<Value = History> {
    any_story(&VARIANTS)
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:#?}", self.setting, self.events)
    }
}

/// The origin of a game that continues from this one after this number of moves.
pub(super) fn going_on(record: &Record, moves: usize) -> Origin {
    Origin::of(record.checksum(), u32::try_from(moves).unwrap(), &record.boards()[moves])
}
