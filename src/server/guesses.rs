//! Wrong codes, passwords, tickets and names of games, counted for each address, so that nobody finds a private lobby by trying.

use std::net::IpAddr;

use super::tally::Tally;
use crate::wire::limits::GUESSES_WITHIN;
use crate::wire::{HallRefusal, Refusal};

/// What each address may still guess.
#[derive(Debug)]
pub(super) struct Guesses(Tally);

impl Guesses {
    /// So many wrong guesses are answered within [`GUESSES_WITHIN`].
    pub(super) fn new(most: u32) -> Self {
        Self(Tally::new(most, GUESSES_WITHIN))
    }

    /// Refuses whoever has guessed wrong too often.
    pub(super) fn check(&self, address: IpAddr) -> Result<(), HallRefusal> {
        if self.0.is_spent(address) {
            return Err(HallRefusal::TooManyGuesses { most: self.0.most() });
        }
        Ok(())
    }

    /// Whether this is refused because what was said is wrong.
    pub(super) fn is_wrong(refusal: &Refusal) -> bool {
        matches!(refusal, Refusal::Hall(refusal) if is_of_guess(refusal))
    }

    /// Counts a refusal, if it is one of a guess.
    pub(super) fn note(&self, address: IpAddr, refusal: &HallRefusal) {
        if is_of_guess(refusal) {
            self.0.take(address);
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

    #[tokio::test(start_paused = true)]
    async fn whoever_guesses_wrong_too_often_has_to_wait_and_nobody_else() {
        let (guesses, [one, other]) = (Guesses::new(60), [1, 2].map(|last| IpAddr::from([10, 0, 0, last])));
        for _ in 0..60 {
            assert_eq!(guesses.check(one), Ok(()));
            guesses.note(one, &HallRefusal::WrongPassword);
            guesses.note(other, &HallRefusal::NoBots);
        }
        assert_eq!(guesses.check(one), Err(HallRefusal::TooManyGuesses { most: 60 }));
        assert_eq!(guesses.check(other), Ok(()));
        tokio::time::advance(GUESSES_WITHIN).await;
        assert_eq!(guesses.check(one), Ok(()));
    }
}
