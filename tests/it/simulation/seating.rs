//! Who sits where, as the events alone tell it: a second account, kept without any of the lobby's own rules, of whose seat
//! is whose, who is away, for whom a bot plays, and which turn it is.

use nim::game::{BySide, Side};
use nim::lobby::{Event, Hand, Kind, Lobby, Phase, Player, PlayerId};

/// What the events so far come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seating {
    chairs: BySide<Chair>,
    playing: bool,
    game: u32,
    turn: u32,
}

/// A seat, and what is known of its owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Chair {
    owner: Option<PlayerId>,
    is_away: bool,
    is_stood_in_for: bool,
}

impl Seating {
    /// As it is in this lobby.
    pub(super) fn of(lobby: &Lobby) -> Self {
        let chair = |side: Side| Chair {
            owner: lobby.seats()[side].as_ref().map(|player| player.id),
            is_away: lobby.absence(side).is_some(),
            is_stood_in_for: lobby.hand(side) == Hand::StandIn,
        };
        Self {
            chairs: BySide::from_fn(chair),
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
        let chair = &mut self.chairs[side];
        assert_eq!(chair.owner, None, "{} sits down in a seat that is somebody's", player.name);
        assert_eq!(player.kind, Kind::Person, "nobody asked for a bot");
        assert!(!self.playing, "{} sits down in the middle of a game", player.name);
        *chair = Chair { owner: Some(player.id), ..Chair::default() };
    }

    fn start(&mut self, game: u32, swap: bool) {
        assert!(!self.playing, "game {game} starts before the one before it has ended");
        assert!(
            self.chairs.iter().all(|(_, chair)| chair.owner.is_some()),
            "game {game} starts without a player"
        );
        assert_eq!(game, self.game + 1, "games are counted one by one");
        if swap {
            self.chairs = std::mem::take(&mut self.chairs).swapped();
        }
        (self.playing, self.game) = (true, game);
    }

    fn move_by(&mut self, turn: u32, player: PlayerId, hand: Hand) {
        let side = self.chairs.find(|chair| chair.owner == Some(player));
        let chair = self.chairs[side.unwrap_or_else(|| panic!("{player:?} moves and has no seat"))];
        assert!(self.playing, "somebody moves in turn {turn} while nobody plays");
        assert_eq!(turn, self.turn, "each turn is answered once, in order");
        match hand {
            Hand::Own => assert!(!chair.is_away, "somebody moves in turn {turn} for {player:?}, who is away"),
            Hand::StandIn => assert!(
                chair.is_away && chair.is_stood_in_for,
                "a stand-in moves in turn {turn} for {player:?}, whose seat was handed back"
            ),
        }
        self.turn += 1;
    }

    fn end(&mut self) {
        assert!(std::mem::replace(&mut self.playing, false), "game {} ends twice", self.game);
        for side in Side::BOTH {
            self.chairs[side].is_stood_in_for = false;
        }
    }

    fn leave(&mut self, side: Side) {
        assert!(!self.playing, "the game goes on without one who left");
        assert!(std::mem::take(&mut self.chairs[side]).owner.is_some(), "nobody leaves a seat");
    }

    fn lose(&mut self, side: Side) {
        assert!(self.chairs[side].owner.is_some(), "nobody is away");
        self.chairs[side].is_away = true;
    }

    fn come_back(&mut self, side: Side) {
        let chair = &mut self.chairs[side];
        assert!(std::mem::take(&mut chair.is_away), "somebody is back who was not away");
        chair.is_stood_in_for = false;
    }

    fn restart(&mut self) {
        for side in Side::BOTH {
            let chair = &mut self.chairs[side];
            (chair.is_away, chair.is_stood_in_for) = (chair.owner.is_some(), false);
        }
    }

    fn stand_in(&mut self, side: Side) {
        let chair = &mut self.chairs[side];
        assert!(self.playing && chair.is_away, "a stand-in comes for one who is there");
        assert!(!std::mem::replace(&mut chair.is_stood_in_for, true), "two stand in for one");
    }
}
