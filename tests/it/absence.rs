//! Absent players, over real sockets. A player who loses the connection keeps the seat, and returns to it
//! with the ticket. The deadlines of absences are compared with a model of the lobby in `lobby::machine`.

use nim::lobby::{Event, Hand, Text, WhenAway};
use nim::server::Config;
use nim::wire::{AwayWish, HallRefusal, HallRequest, NewLobby, Refusal};

use crate::harness::{Claim, TestClient, TestServer, terms};

mod connections;
mod missed;
mod recorded;
mod standing_in;
mod tickets;
mod waiting;

/// The default terms, except for what happens on an absent player's turn after this many milliseconds.
fn away(then: WhenAway, after: u32) -> NewLobby {
    NewLobby { away: AwayWish { then, level: None, after }, ..terms("java-tech:21") }
}

#[tokio::test]
async fn a_lobby_waits_five_seconds_at_least_for_a_player_who_is_away() {
    let server = TestServer::with(|config| config.shortest_away = Config::default().shortest_away);
    let mut anna = server.client("anna").await;
    let words = "a lobby waits 5 seconds at least for a player who is away";
    let refusal = Refusal::Hall(HallRefusal::Conditions(Text::cut(words)));
    for then in [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit] {
        for after in [0, 4_999] {
            for request in [HallRequest::Create(away(then, after)), HallRequest::Quick(away(then, after))] {
                assert_eq!(anna.refused_in_hall(request).await, refusal);
            }
        }
        anna.create_on(away(then, 5_000)).await;
        assert_eq!(anna.lobby().conditions().away.closed_after, 5_000);
        anna.leave().await;
    }
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
