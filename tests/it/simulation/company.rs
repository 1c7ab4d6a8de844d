//! The people of one lobby, and what has to be true of them once everything works again.

use nim::game::Side;
use nim::lobby::Phase;

use super::chronicle::{Chronicle, Shared};
use super::person::Person;

/// People who meet in one lobby, and all that they know.
#[derive(Debug)]
pub(crate) struct Company {
    pub(crate) people: Vec<Person>,
    pub(crate) chronicle: Shared<Chronicle>,
}

impl Company {
    /// Whether the game is over, all who sit here are here, and everybody in the lobby knows the same.
    pub(crate) fn is_well(&self) -> bool {
        let chronicle = self.chronicle.open();
        let Some(lobby) = chronicle.latest() else { return false };
        let is_over = matches!(lobby.phase(), Phase::Over { .. });
        let all_here = Side::BOTH.into_iter().all(|side| lobby.absence(side).is_none());
        is_over && all_here && chronicle.known.values().all(|(known, _)| known == lobby)
    }

    /// What has to be true in the end: seats belong to those who own them, and to nobody else.
    pub(crate) fn check(&self) {
        let chronicle = self.chronicle.open();
        let lobby = chronicle.latest().expect("somebody has opened a lobby");
        let mut seated = 0;
        for Person { name, seats, .. } in &self.people {
            let kept: Vec<_> = seats.all().unwrap().iter().map(|seat| (seat.code, seat.player)).collect();
            let own = chronicle.seat_of(name);
            assert_eq!(kept, Vec::from_iter(own), "{name} keeps the seat that they have");
            let is_here = |(code, you)| code == lobby.code() && lobby.side_of(you).is_some();
            assert!(own.is_none_or(is_here), "{name} has a seat where people meet");
            seated += usize::from(own.is_some());
        }
        let seats = lobby.seats().iter().filter(|(_, seat)| seat.is_some()).count();
        assert_eq!(seated, seats, "each seat has one owner, who knows of it");
    }
}
