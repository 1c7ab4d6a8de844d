//! The secret that proves a seat to be somebody's when they come back.

use std::fmt;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// 128 random bits. Whoever shows them is whoever was given them; they stand in no log.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Ticket([u8; 16]);

impl Ticket {
    /// The ticket of these bits. That they are random is for whoever makes it to see to.
    pub const fn of(bits: [u8; 16]) -> Self {
        Self(bits)
    }

    /// The bits, for whoever keeps the ticket.
    pub const fn bits(&self) -> [u8; 16] {
        self.0
    }
}

impl PartialEq for Ticket {
    /// Takes the same time wherever the two differ, so that nothing is learnt from how long a refusal takes.
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Ticket {}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_equal_to_itself_alone() {
        let ticket = Ticket::of([7; 16]);
        assert_eq!(ticket, Ticket::of(ticket.bits()));
        for bit in 0..128 {
            let mut bits = [7; 16];
            bits[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(ticket, Ticket::of(bits), "bit {bit}");
        }
    }

    #[test]
    fn a_ticket_stands_in_no_log() {
        assert_eq!(format!("{:?}", Ticket::of([0xab; 16])), "Ticket(…)");
    }
}
