//! Players who are away, over real sockets wherever nothing has to be waited for, else on the lobby itself
//! with given moments. A player who lost the connection keeps the seat, and gets it back with the ticket.

use nim::game::Side;
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{Event, Hand, Loss, WhenAway};
use nim::wire::{AwayWish, HallRefusal, NewLobby, Refusal};

use crate::harness::{Claim, TestClient, TestServer, terms};

mod connections;
mod missed;
mod moments;
mod standing_in;
mod tickets;
mod waiting;

fn one() -> Move {
    Move::Nim(Take { pile: 0, count: 1 })
}

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
    until_away(ben, side).await;
    claim
}

/// Waits until the connection of the player on this side has closed.
async fn until_away(other: &mut TestClient, side: Side) {
    let closed =
        |event: &Event| matches!(event, Event::Away { side: gone, loss: Loss::Closed, .. } if *gone == side);
    other.until_event(closed).await;
}

/// Waits until the stand-in has made a move.
async fn until_stand_in_moves(client: &mut TestClient) {
    client.until_event(|event| matches!(event, Event::Moved { hand: Hand::StandIn, .. })).await;
}

/// A client that knows only a ticket returns with it.
async fn comes_back(server: &TestServer, claim: Claim) -> TestClient {
    let mut back = server.client("somebody").await;
    back.tries(Claim { seen: 0, ..claim }.request()).await.expect("the ticket is good");
    back
}
