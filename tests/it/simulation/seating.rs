//! Who sits where, derived from the events alone and without the lobby's own rules: owners of seats, who is
//! away, for whom a bot plays, and which turn it is.

use nim::game::{BySide, Side};
use nim::lobby::{Event, Hand, Kind, Lobby, Phase, Player, PlayerId};

/// What the events so far come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seating {
    seats: BySide<Seat>,
    playing: bool,
    game: u32,
    turn: u32,
}

/// A seat, and what is known of its owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seat {
    owner: Option<PlayerId>,
    is_away: bool,
    is_stood_in_for: bool,
}

impl Seating {
    /// As it is in this lobby.
    pub(super) fn of(lobby: &Lobby) -> Self {
        let seat = |side: Side| Seat {
            owner: lobby.seats()[side].as_ref().map(|player| player.id),
            is_away: lobby.absence(side).is_some(),
            is_stood_in_for: lobby.hand(side) == Hand::StandIn,
        };
        Self {
            seats: BySide::from_fn(seat),
            playing: lobby.phase() == Phase::Playing,
            game: lobby.games(),
            turn: lobby.turn(),
        }
    }

    /// Takes in what happened, and fails if it cannot be right.
    pub(super) fn take_in(&mut self, event: &Event) {
        match event {
            Event::Sat { side, player } => self.sit(*side, player),
            Event::Started { game, swap } => self.start(*game, *swap),
            Event::Moved { turn, player, hand, .. } => self.move_by(*turn, *player, *hand),
            Event::Ended { .. } => self.end(),
            Event::Left { side, .. } => self.leave(*side),
            Event::Away { side, .. } => self.lose(*side),
            Event::Back { side } => self.come_back(*side),
            Event::StoodIn { side } => self.stand_in(*side),
            Event::Restarted => self.restart(),
            Event::TakenBack { .. } => {
                assert!(self.playing, "moves are taken back while nobody plays");
                self.turn += 1;
            }
            _ => {}
        }
    }

    fn sit(&mut self, side: Side, player: &Player) {
        let seat = &mut self.seats[side];
        assert_eq!(seat.owner, None, "{} sits down in a seat that is somebody's", player.name);
        assert_eq!(player.kind, Kind::Person, "nobody asked for a bot");
        assert!(!self.playing, "{} sits down in the middle of a game", player.name);
        *seat = Seat { owner: Some(player.id), ..Seat::default() };
    }

    fn start(&mut self, game: u32, swap: bool) {
        assert!(!self.playing, "game {game} starts before the one before it has ended");
        assert!(
            self.seats.iter().all(|(_, seat)| seat.owner.is_some()),
            "game {game} starts without a player"
        );
        assert_eq!(game, self.game + 1, "games are counted one by one");
        if swap {
            self.seats = std::mem::take(&mut self.seats).swapped();
        }
        (self.playing, self.game) = (true, game);
    }

    fn move_by(&mut self, turn: u32, player: PlayerId, hand: Hand) {
        let side = self.seats.find(|seat| seat.owner == Some(player));
        let seat = self.seats[side.unwrap_or_else(|| panic!("{player:?} moves and has no seat"))];
        assert!(self.playing, "somebody moves in turn {turn} while nobody plays");
        assert_eq!(turn, self.turn, "each turn is answered once, in order");
        match hand {
            Hand::Own => assert!(!seat.is_away, "somebody moves in turn {turn} for {player:?}, who is away"),
            Hand::StandIn => assert!(
                seat.is_away && seat.is_stood_in_for,
                "a stand-in moves in turn {turn} for {player:?}, whose seat was handed back"
            ),
        }
        self.turn += 1;
    }

    fn end(&mut self) {
        assert!(std::mem::replace(&mut self.playing, false), "game {} ends twice", self.game);
        for side in Side::BOTH {
            self.seats[side].is_stood_in_for = false;
        }
    }

    fn leave(&mut self, side: Side) {
        assert!(!self.playing, "the game goes on without one who left");
        assert!(std::mem::take(&mut self.seats[side]).owner.is_some(), "nobody leaves a seat");
    }

    fn lose(&mut self, side: Side) {
        assert!(self.seats[side].owner.is_some(), "nobody is away");
        self.seats[side].is_away = true;
    }

    fn come_back(&mut self, side: Side) {
        let seat = &mut self.seats[side];
        assert!(std::mem::take(&mut seat.is_away), "somebody is back who was not away");
        seat.is_stood_in_for = false;
    }

    fn restart(&mut self) {
        for side in Side::BOTH {
            let seat = &mut self.seats[side];
            (seat.is_away, seat.is_stood_in_for) = (seat.owner.is_some(), false);
        }
    }

    fn stand_in(&mut self, side: Side) {
        let seat = &mut self.seats[side];
        assert!(self.playing && seat.is_away, "a stand-in comes for one who is there");
        assert!(!std::mem::replace(&mut seat.is_stood_in_for, true), "two stand in for one");
    }
}
