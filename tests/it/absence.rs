//! Absent players, over real sockets. A player who loses the connection keeps the seat, and returns to it
//! with the ticket. The deadlines of absences are compared with a model of the lobby in `lobby::machine`.

use nim::lobby::{Event, Hand, WhenAway};
use nim::wire::{AwayWish, HallRefusal, NewLobby, Refusal};

use crate::harness::{Claim, TestClient, terms};

mod connections;
mod missed;
mod recorded;
mod standing_in;
mod tickets;
mod waiting;

/// The default terms, except for what happens on an absent player's turn after this many milliseconds.
fn away(then: WhenAway, after: u32) -> NewLobby {
    NewLobby { away: AwayWish { then, after }, ..terms("java-tech:21") }
}

fn bad_ticket() -> Refusal {
    Refusal::Hall(HallRefusal::BadTicket)
}

/// Closes anna's connection, and waits until ben is told. Returns what she needs to return.
async fn vanish(anna: TestClient, ben: &mut TestClient) -> Claim {
    let (claim, side) = (anna.claim(), anna.side());
    drop(anna);
    ben.until_away(side).await;
    claim
}

/// Waits for a move of the stand-in.
async fn until_stand_in_moves(client: &mut TestClient) {
    client.until_event(|event| matches!(event, Event::Moved { hand: Hand::StandIn, .. })).await;
}
