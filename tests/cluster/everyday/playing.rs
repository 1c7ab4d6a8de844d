//! What players and watchers of one lobby do with each other, while they are at different nodes.

use std::sync::Arc;

use nim::game::Outcome;
use nim::lobby::{Event, Hints, Notice, Offer, Text};
use nim::wire::{LobbyRequest, NewLobby, ToClient};

use super::{pair, watcher};
use crate::harness::{TestClient, first_move, play_out, take, terms, watch};
use crate::programs::Cluster;

/// Two players at the nodes 0 and 1, in a lobby of the node 0.
async fn players(cluster: &Cluster, terms: NewLobby) -> [TestClient; 2] {
    pair([cluster.addresses[0], cluster.addresses[1]], terms).await
}

/// Waits until this client has received this many lines, and returns them.
async fn hears(client: &mut TestClient, count: usize) -> Vec<String> {
    while client.heard().len() < count {
        client.until(|message| matches!(message, ToClient::Said(_)).then_some(())).await;
    }
    client.heard()
}

pub(super) async fn players_and_watchers_at_three_nodes_have_their_chats(cluster: Arc<Cluster>) {
    let [mut anna, mut ben] = players(&cluster, terms("java-tech:21")).await;
    let code = anna.lobby().code();
    let [mut cleo, mut dora] =
        [watcher(&cluster, 2, "cleo", code).await, watcher(&cluster, 1, "dora", code).await];
    anna.says("good luck").await;
    hears(&mut ben, 1).await;
    ben.says("and to you").await;
    cleo.says("take one").await;
    let [anna_is, ben_is, cleo_is] = [&anna, &ben, &cleo].map(|client| client.name().to_owned());
    for client in [&mut anna, &mut ben] {
        assert_eq!(
            hears(client, 2).await,
            [format!("{anna_is}: good luck"), format!("{ben_is}: and to you")]
        );
        client.catch_up().await;
        assert_eq!(client.heard().len(), 2);
    }
    for client in [&mut cleo, &mut dora] {
        assert_eq!(hears(client, 1).await, [format!("{cleo_is}: take one")]);
        client.catch_up().await;
        assert_eq!(client.heard().len(), 1);
    }
}

pub(super) async fn hints_are_given_and_games_are_reviewed_through_tunnels(cluster: Arc<Cluster>) {
    let [mut anna, mut ben] =
        players(&cluster, NewLobby { hints: Hints::All, ..terms("java-tech:21") }).await;
    let mut cleo = watcher(&cluster, 2, "cleo", anna.lobby().code()).await;
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    ben.ask(LobbyRequest::Hint).await;
    let hinted = |message: &ToClient| match message {
        ToClient::Hint { turn, .. } => Some(*turn),
        _ => None,
    };
    assert_eq!(ben.until(hinted).await, 2);
    ben.resigns().await;
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.result().await;
        client.ask(LobbyRequest::Review { number: 1 }).await;
        let reviewed = |message: &ToClient| match message {
            ToClient::Reviewed(review) => Some(review.mv),
            _ => None,
        };
        assert_eq!(client.until(reviewed).await, take(1));
    }
}

pub(super) async fn a_watcher_at_another_node_is_kicked_and_does_not_come_back(cluster: Arc<Cluster>) {
    let [mut anna, mut ben] = players(&cluster, terms("java-tech:21")).await;
    let code = anna.lobby().code();
    let mut cleo = watcher(&cluster, 2, "cleo", code).await;
    let name = Text::cut(cleo.name());
    anna.ask(LobbyRequest::Kick { name }).await;
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.until_notice(|notice| matches!(notice, Notice::Kicked { .. })).await;
    }
    cleo.until(|message| (*message == ToClient::Outside).then_some(())).await;
    cleo.tries(watch(code)).await.expect_err("she was kicked");
    let mut again = super::client(&cluster, 1, "cleo").await;
    again.tries(watch(code)).await.expect_err("her address was kicked");
    // She is in the hall of her node, where everything else is open to her.
    cleo.create("java-tech:21").await;
}

/// Both ask for another game, and wait until it has begun.
async fn again(players: [&mut TestClient; 2], game: u32) {
    let [one, other] = players;
    one.ask(LobbyRequest::Again).await;
    other.ask(LobbyRequest::Again).await;
    for client in [one, other] {
        client
            .until_event(|event| matches!(event, Event::Started { game: begun, .. } if *begun == game))
            .await;
    }
}

pub(super) async fn a_match_of_three_is_played_between_two_nodes(cluster: Arc<Cluster>) {
    let best_of_three = NewLobby { best_of: 3, ..terms("take:3:1") };
    let [mut anna, mut ben] = players(&cluster, best_of_three).await;
    play_out(&mut anna, &mut ben, first_move).await;
    again([&mut anna, &mut ben], 2).await;
    anna.resigns().await;
    ben.result().await;
    again([&mut anna, &mut ben], 3).await;
    anna.resigns().await;
    ben.result().await;
    for client in [&anna, &ben] {
        assert_eq!(client.lobby().decision(), Some(Outcome::Win(ben.side())));
    }
    // And a rematch.
    again([&mut anna, &mut ben], 4).await;
    assert_eq!(anna.lobby(), ben.lobby());
}

pub(super) async fn offers_are_made_and_answered_through_tunnels(cluster: Arc<Cluster>) {
    let [mut anna, mut ben] = players(&cluster, terms("java-tech:21")).await;
    anna.play(take(3)).await;
    ben.until_turn(2).await;
    for (offer, accept) in [(Offer::Pause, true), (Offer::Takeback, false), (Offer::Draw, true)] {
        anna.ask(LobbyRequest::Offer(offer)).await;
        for client in [&mut anna, &mut ben] {
            client
                .until_event(|event| matches!(event, Event::Offered { offer: made, .. } if *made == offer))
                .await;
        }
        ben.ask(ben.answer(accept)).await;
        let answered = |event: &Event| match offer {
            Offer::Pause => *event == Event::Paused,
            _ if accept => matches!(event, Event::Ended { .. }),
            _ => matches!(event, Event::Declined { .. }),
        };
        for client in [&mut anna, &mut ben] {
            client.until_event(answered).await;
        }
        if offer == Offer::Pause {
            ben.ask(LobbyRequest::Resume).await;
            for client in [&mut anna, &mut ben] {
                client.until_event(|event| matches!(event, Event::Resumed { .. })).await;
            }
        }
    }
    assert_eq!(anna.lobby(), ben.lobby());
}
