//! Wrong codes, passwords, tickets and names of games, counted for each address, so that nobody finds a private lobby by trying.

use std::net::IpAddr;

use super::tally::Tally;
use crate::wire::limits::GUESSES_WITHIN;
use crate::wire::{HallRefusal, Refusal};

/// So many wrong guesses over one connection are hardly of somebody who does nothing else.
const FEW: u8 = 3;

/// What each address may still guess. Half of it is for connections over which little was guessed before: whoever guesses on and
/// on leaves that to those who mistype a password beside them.
#[derive(Debug)]
pub(super) struct Guesses {
    most: u32,
    first: Tally,
    further: Tally,
}

/// How often a connection has guessed wrong.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wrong(u8);

impl Guesses {
    /// So many wrong guesses are answered within [`GUESSES_WITHIN`], and one of each half at least.
    pub(super) fn new(most: u32) -> Self {
        let half = |count| Tally::new(count, GUESSES_WITHIN);
        Self { most, first: half(most.div_ceil(2)), further: half(most / 2) }
    }

    /// Refuses whoever has guessed wrong too often.
    pub(super) fn check(&self, address: IpAddr, wrong: Wrong) -> Result<(), HallRefusal> {
        let has_first = wrong.0 < FEW && !self.first.is_spent(address);
        if has_first || !self.further.is_spent(address) {
            return Ok(());
        }
        Err(HallRefusal::TooManyGuesses { most: self.most })
    }

    /// Whether this is refused because what was said is wrong.
    pub(super) fn is_wrong(refusal: &Refusal) -> bool {
        matches!(refusal, Refusal::Hall(refusal) if is_of_guess(refusal))
    }

    /// Counts a refusal, if it is one of a guess.
    pub(super) fn note(&self, address: IpAddr, wrong: &mut Wrong, refusal: &HallRefusal) {
        if is_of_guess(refusal) {
            let taken = wrong.0 < FEW && self.first.take(address);
            if !taken {
                self.further.take(address);
            }
            wrong.0 = wrong.0.saturating_add(1);
        }
    }
}

fn is_of_guess(refusal: &HallRefusal) -> bool {
    matches!(
        refusal,
        HallRefusal::NoSuchLobby
            | HallRefusal::WrongPassword
            | HallRefusal::BadTicket
            | HallRefusal::NoSuchRecord
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const REFUSED: Result<(), HallRefusal> = Err(HallRefusal::TooManyGuesses { most: 60 });

    /// Guesses wrong until that is refused; how often it was answered.
    fn guess_on(guesses: &Guesses, address: IpAddr, wrong: &mut Wrong) -> u32 {
        let mut answered = 0;
        while guesses.check(address, *wrong).is_ok() {
            guesses.note(address, wrong, &HallRefusal::WrongPassword);
            answered += 1;
        }
        answered
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_guesses_on_leaves_half_of_it_to_others_at_their_address() {
        let (guesses, mut eve) = (Guesses::new(60), Wrong::default());
        assert_eq!(guess_on(&guesses, ADDRESS, &mut eve), u32::from(FEW) + 30);
        let others = (0..9).map(|_| guess_on(&guesses, ADDRESS, &mut Wrong::default()));
        assert_eq!(others.collect::<Vec<_>>(), [3; 9]);
        assert_eq!(guesses.check(ADDRESS, Wrong::default()), REFUSED);
        tokio::time::advance(GUESSES_WITHIN).await;
        assert_eq!(guesses.check(ADDRESS, eve), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_is_answered_than_there_is_and_other_refusals_are_no_guesses() {
        let (guesses, other) = (Guesses::new(60), IpAddr::from([10, 0, 0, 2]));
        let all: u32 = (0..50).map(|_| guess_on(&guesses, ADDRESS, &mut Wrong::default())).sum();
        assert_eq!(all, 60);
        let mut wrong = Wrong::default();
        for _ in 0..60 {
            guesses.note(other, &mut wrong, &HallRefusal::NoBots);
        }
        assert_eq!((guesses.check(other, wrong), guesses.check(ADDRESS, wrong)), (Ok(()), REFUSED));
    }
}
