//! Seats: their tickets and passwords are worth the same at every node.

use std::sync::Arc;

use nim::wire::{Farewell, HallRefusal, HallRequest, NewLobby, Refusal, Secret, Ticket};

use super::{client, pair};
use crate::harness::{come_back, join_text, take, terms};
use crate::programs::Cluster;

pub(super) async fn a_ticket_opens_its_seat_at_every_node_and_ends_the_older_connection(
    cluster: Arc<Cluster>,
) {
    let [anna, mut ben] = pair([cluster.addresses[0], cluster.addresses[1]], terms("take:9:4:misere")).await;
    let mut anna = anna;
    for node in [1, 2, 0, 2, 1, 0] {
        let (mut again, mut old) = anna.reconnects(cluster.addresses[node]).await;
        again.returns().await;
        assert_eq!(old.farewell().await, Farewell::Elsewhere, "at node {node}");
        anna = again;
    }
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    assert_eq!(anna.lobby(), ben.lobby());
}

pub(super) async fn a_wrong_ticket_opens_nothing_at_any_node(cluster: Arc<Cluster>) {
    let [mut anna, ben] = pair([cluster.addresses[0], cluster.addresses[1]], terms("take:9:4:misere")).await;
    let code = anna.lobby().code();
    for node in 0..3 {
        let mut thief = client(&cluster, node, "thief").await;
        let refused = thief.refused_in_hall(come_back(code, Ticket::random(), 0)).await;
        assert_eq!(refused, Refusal::Hall(HallRefusal::BadTicket));
    }
    anna.play(take(1)).await;
    drop(ben);
}

pub(super) async fn a_password_is_asked_for_at_every_node(cluster: Arc<Cluster>) {
    let secret = || Secret::of("open sesame");
    for opened_at in 0..3 {
        let mut anna = client(&cluster, opened_at, "anna").await;
        let code = anna.create_on(NewLobby { password: secret(), ..terms("java-tech:21") }).await.to_string();
        for node in 0..3 {
            let mut ben = client(&cluster, node, "ben").await;
            for wrong in [None, Secret::of("open barley")] {
                let refused = ben.refused_in_hall(join_text(&code, wrong)).await;
                assert_eq!(refused, Refusal::Hall(HallRefusal::WrongPassword));
            }
            let watch = HallRequest::Watch { code: nim::lobby::Text::cut(&code), password: secret() };
            ben.tries(watch).await.expect("the password is right");
            ben.leave().await;
        }
        let mut ben = client(&cluster, (opened_at + 1) % 3, "ben").await;
        ben.tries(join_text(&code, secret())).await.expect("the password is right");
        anna.until_playing().await;
    }
}
