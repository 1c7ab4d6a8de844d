//! Players who are away, over real sockets. A player who lost the connection keeps the seat, and gets it back
//! with the ticket. When an absence runs out is compared with a second lobby in `lobby::machine`.

use nim::lobby::{Event, Hand, WhenAway};
use nim::wire::{AwayWish, HallRefusal, NewLobby, Refusal};

use crate::harness::{Claim, TestClient, terms};

mod connections;
mod missed;
mod standing_in;
mod tickets;
mod waiting;

/// The usual terms, but for what happens on the turn of an absent player, this many milliseconds later.
fn away(then: WhenAway, after: u32) -> NewLobby {
    NewLobby { away: AwayWish { then, after }, ..terms("java-tech:21") }
}

fn bad_ticket() -> Refusal {
    Refusal::Hall(HallRefusal::BadTicket)
}

/// Anna's connection closes, and ben knows it. She comes back by what is returned.
async fn vanish(anna: TestClient, ben: &mut TestClient) -> Claim {
    let (claim, side) = (anna.claim(), anna.side());
    drop(anna);
    ben.until_away(side).await;
    claim
}

/// Waits until the stand-in has made a move.
async fn until_stand_in_moves(client: &mut TestClient) {
    client.until_event(|event| matches!(event, Event::Moved { hand: Hand::StandIn, .. })).await;
}
