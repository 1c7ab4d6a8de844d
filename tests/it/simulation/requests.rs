//! The requests of each player, and whether they explain each event: nobody ever acts from another's seat.

use std::collections::BTreeSet;

use nim::game::{Outcome, Side};
use nim::lobby::{
    Cause, ClockRule, Departure, Event, GameResult, Hand, Lobby, Notice, Offer, PlayerId, WhenAway,
};
use nim::wire::LobbyRequest;

use super::observer::LONG;

/// The requests of the players of one lobby.
#[derive(Debug, Default)]
pub(super) struct Requests {
    asked: Vec<(PlayerId, LobbyRequest)>,
    /// The players with a granted request: they have received their seat.
    acted: BTreeSet<PlayerId>,
}

impl Requests {
    /// Records a request that is about to be sent.
    pub(super) fn ask(&mut self, player: PlayerId, request: LobbyRequest) {
        self.asked.push((player, request));
    }

    /// Whether this player may have lost the seat: they left it, or may never have received it.
    pub(super) fn may_have_lost(&self, player: PlayerId) -> bool {
        self.has_asked(player, &LobbyRequest::Leave) || !self.acted.contains(&player)
    }

    fn has_asked(&self, player: PlayerId, request: &LobbyRequest) -> bool {
        self.asked.iter().any(|(who, asked)| *who == player && asked == request)
    }

    /// Fails unless the players of this event have requested it.
    pub(super) fn check(&mut self, event: &Event, before: &Lobby, catches_up: bool) {
        match *event {
            Event::Moved { turn, player, mv, hand: Hand::Own } => {
                self.is_by(player, &LobbyRequest::Play { turn, mv });
            }
            Event::Ended { result } => self.check_end(result, before, catches_up),
            Event::AgainWanted { side } => self.is_by(seated(before, side), &LobbyRequest::Again),
            Event::Offered { side, offer } => self.is_by(seated(before, side), &LobbyRequest::Offer(offer)),
            Event::Declined { side } => self.is_declined(side, before),
            Event::TakenBack { .. } => self.is_agreed(Offer::Takeback, before),
            Event::Paused => self.is_agreed(Offer::Pause, before),
            Event::Resumed { side } => self.is_by(seated(before, side), &LobbyRequest::Resume),
            Event::Left { side, how: Departure::Quit } => {
                let player = seated(before, side);
                assert!(self.has_asked(player, &LobbyRequest::Leave), "{player:?} has never left");
            }
            Event::Left { side, how: Departure::Lost } => self.check_loss(side, before, catches_up),
            _ => {}
        }
    }

    /// Fails unless the player of this notice has requested it.
    pub(super) fn check_notice(&mut self, notice: &Notice, lobby: &Lobby) {
        match *notice {
            Notice::WaitedFor { side } => self.is_by(seated(lobby, !side), &LobbyRequest::Wait),
            Notice::WaitedNoMore { side } => self.is_by(seated(lobby, !side), &LobbyRequest::WaitNoMore),
            _ => {}
        }
    }

    fn is_by(&mut self, player: PlayerId, request: &LobbyRequest) {
        assert!(self.has_asked(player, request), "{player:?} has never asked for {request:?}");
        self.acted.insert(player);
    }

    fn is_declined(&mut self, side: Side, before: &Lobby) {
        let offer = before.offer().expect("something was offered").offer;
        let declines = LobbyRequest::Answer { turn: before.turn(), offer, accept: false };
        self.is_by(seated(before, side), &declines);
    }

    /// One player has offered it, and the other one has accepted, or offered the same.
    fn is_agreed(&mut self, offer: Offer, before: &Lobby) {
        let open = before.offer().filter(|open| open.offer == offer).expect("it was offered");
        let (one, other) = (seated(before, open.side), seated(before, !open.side));
        self.is_by(one, &LobbyRequest::Offer(offer));
        let accepts = LobbyRequest::Answer { turn: before.turn(), offer, accept: true };
        let same = LobbyRequest::Offer(offer);
        let granted = if self.has_asked(other, &accepts) { accepts } else { same };
        self.is_by(other, &granted);
    }

    /// A lost seat: its owner may never have received it, or was away for longer than it is kept.
    fn check_loss(&self, side: Side, before: &Lobby, catches_up: bool) {
        let player = seated(before, side);
        let may_be = (catches_up || before.absence(side).is_some()) && before.kept_for() < LONG;
        assert!(may_be || !self.acted.contains(&player), "the seat of {player:?} is not kept");
    }

    fn check_end(&mut self, result: GameResult, before: &Lobby, catches_up: bool) {
        let turn = before.board().turn();
        match (result.cause, result.outcome) {
            (Cause::Rules, outcome) => {
                let finish = before.board().finish().expect("the rules have ended it");
                assert_eq!(finish.outcome, outcome);
            }
            (Cause::Resigned, Outcome::Win(side)) => {
                self.is_by(seated(before, !side), &LobbyRequest::Resign);
            }
            (Cause::Forfeited, Outcome::Win(side)) => {
                assert_eq!((before.conditions().away.then, turn), (WhenAway::Forfeit, !side));
                let is_away = catches_up || before.absence(!side).is_some();
                assert!(is_away, "a game is claimed from a present player");
                self.is_by(seated(before, side), &LobbyRequest::Claim);
            }
            (Cause::Time, Outcome::Win(side)) => {
                assert_eq!(turn, !side, "a flag falls on the opponent's turn");
                assert_ne!(before.conditions().clock, ClockRule::None, "a flag falls without a clock");
            }
            (Cause::Agreed, Outcome::Draw) => self.is_agreed(Offer::Draw, before),
            (Cause::Abandoned, Outcome::Draw) => {
                let is_deserted = catches_up || before.is_deserted();
                assert!(is_deserted && before.kept_for() < LONG, "a game is given up too early");
            }
            // The departure follows as an event of its own, which has its own check.
            (Cause::Left, Outcome::Win(_)) | (Cause::Repetition, Outcome::Draw) => {}
            (cause, outcome) => panic!("no game of these people can end as {outcome:?}, {cause:?}"),
        }
    }
}

fn seated(lobby: &Lobby, side: Side) -> PlayerId {
    lobby.seats()[side].as_ref().expect("somebody sits there").id
}
