//! Wrong codes, passwords, tickets and names of games, counted for each address, so that nobody finds a private lobby by trying.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

use super::allowance::Allowance;
use crate::wire::limits::GUESSES_WITHIN;
use crate::wire::{HallRefusal, Refusal};

/// The most addresses of which it is kept; beyond, those are forgotten that have guessed nothing for a while.
const MAX_KEPT: usize = 4_096;

/// What each address may still guess.
#[derive(Debug)]
pub(super) struct Guesses {
    /// How many wrong guesses are answered within [`GUESSES_WITHIN`].
    most: u32,
    /// The lock is held for a look-up, mostly.
    kept: Mutex<HashMap<IpAddr, Allowance>>,
}

impl Guesses {
    pub(super) fn new(most: u32) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// Refuses whoever has guessed wrong too often.
    pub(super) fn check(&self, address: IpAddr) -> Result<(), HallRefusal> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let spent = kept.get(&address).is_some_and(|allowance| allowance.is_spent(Instant::now()));
        if spent { Err(HallRefusal::TooManyGuesses { most: self.most }) } else { Ok(()) }
    }

    /// Whether this is refused because what was said is wrong.
    pub(super) fn is_wrong(refusal: &Refusal) -> bool {
        matches!(refusal, Refusal::Hall(refusal) if is_of_guess(refusal))
    }

    /// Counts a refusal, if it is one of a guess.
    pub(super) fn note(&self, address: IpAddr, refusal: &HallRefusal) {
        if !is_of_guess(refusal) {
            return;
        }
        let (mut kept, now) = (self.kept.lock().unwrap_or_else(PoisonError::into_inner), Instant::now());
        if kept.len() >= MAX_KEPT {
            kept.retain(|_, allowance| !allowance.is_whole(now));
        }
        let allowance = kept.entry(address).or_insert_with(|| Allowance::new(self.most, GUESSES_WITHIN));
        allowance.take(now);
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
