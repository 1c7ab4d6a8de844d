//! The people of a simulation who meet in one lobby, and whether all is well with them in the end.

use nim::game::Side;
use nim::lobby::{Lobby, Phase};

use super::observer::{Observer, Shared};
use super::person::Person;
use crate::fuzzed::bodies::lobby::game_of;

/// The people who meet in one lobby, and their observer.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) people: Vec<Person>,
    pub(crate) observer: Shared<Observer>,
}

impl Group {
    /// What is not yet well: the game is over, all players are present, and all copies of the lobby are the latest.
    pub(crate) fn trouble(&self) -> Option<&'static str> {
        let observer = self.observer.lock();
        let (Some(latest), false) = (observer.latest(), observer.known.is_empty()) else {
            return Some("nobody is in the lobby");
        };
        let copies = || observer.known.values().map(|(lobby, _)| lobby);
        let is_away = |lobby: &Lobby| Side::BOTH.into_iter().any(|side| lobby.absence(side).is_some());
        if !matches!(latest.phase(), Phase::Over { .. }) {
            Some("the game is not over")
        } else if copies().any(is_away) {
            Some("somebody is away")
        } else if copies().any(|lobby| game_of(lobby) != game_of(latest)) {
            Some("somebody has an old copy of the game")
        } else if copies().zip(copies().skip(1)).any(|(one, other)| one != other) {
            Some("people disagree about who is present")
        } else {
            None
        }
    }

    /// The final state: each seat belongs to its owner alone.
    pub(crate) fn check(&self) {
        let observer = self.observer.lock();
        let lobby = observer.latest().expect("somebody has opened a lobby");
        let mut seated = 0;
        for Person { name, seats, .. } in &self.people {
            let kept: Vec<_> = seats.all().unwrap().iter().map(|seat| (seat.code, seat.player)).collect();
            let own = observer.seat_of(name);
            assert_eq!(kept, Vec::from_iter(own), "{name} keeps the seat that they have");
            let is_here = |(code, you)| code == lobby.code() && lobby.side_of(you).is_some();
            assert!(own.is_none_or(is_here), "{name} has a seat where people meet");
            seated += usize::from(own.is_some());
        }
        let seats = lobby.seats().iter().filter(|(_, seat)| seat.is_some());
        assert_eq!(seated, seats.count(), "each seat has one owner, who knows of it");
    }
}
