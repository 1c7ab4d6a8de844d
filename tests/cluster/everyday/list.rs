//! The list of lobbies, quick matches, and bots that sit down when nobody comes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use nim::lobby::Code;
use nim::wire::{BotWish, HallRequest, Listing, LobbyState, NewLobby};
use tokio::time::Instant;

use super::client;
use crate::harness::{TestClient, terms};
use crate::programs::Cluster;

/// Within this time a change is in the list of every node.
const LISTED_WITHIN: Duration = Duration::from_secs(1);

/// How many quick matches are asked for.
const MATCHES: usize = 50;

/// A lobby in which only people play.
fn for_people(variant: &str) -> NewLobby {
    NewLobby { bot: BotWish::PeopleOnly, ..terms(variant) }
}

/// Somebody who looks at the list of a node.
struct Looker {
    client: TestClient,
    list: Vec<Listing>,
}

impl Looker {
    async fn at_each_node(cluster: &Cluster) -> Vec<Self> {
        let mut lookers = Vec::new();
        for node in 0..cluster.addresses.len() {
            let mut client = client(cluster, node, "looker").await;
            let list = client.look().await;
            lookers.push(Self { client, list });
        }
        lookers
    }

    fn entry(&self, code: Code) -> Option<&Listing> {
        self.list.iter().find(|entry| entry.code == code)
    }

    /// Waits until the entry of a lobby is as wanted.
    async fn until(&mut self, code: Code, wanted: impl Fn(Option<&Listing>) -> bool) {
        while !wanted(self.entry(code)) {
            self.list = self.client.until_hall_told().await;
        }
    }
}

/// Waits until all lists have this entry as wanted, and checks that it took no longer than allowed.
async fn all_see(lookers: &mut [Looker], what: &str, code: Code, wanted: impl Fn(Option<&Listing>) -> bool) {
    let begun = Instant::now();
    for looker in lookers {
        looker.until(code, &wanted).await;
    }
    assert!(begun.elapsed() < LISTED_WITHIN, "{what} after {:?}", begun.elapsed());
}

pub(super) async fn every_node_lists_the_lobbies_of_all_and_each_change_within_a_second(
    cluster: Arc<Cluster>,
) {
    let mut lookers = Looker::at_each_node(&cluster).await;
    for node in 0..3 {
        let mut lia = client(&cluster, node, "lia").await;
        let mut max = client(&cluster, (node + 1) % 3, "max").await;
        let code = lia.create_on(for_people("take:3:1")).await;
        let is = |state| move |entry: Option<&Listing>| entry.is_some_and(|entry| entry.state == state);
        all_see(&mut lookers, "listed", code, is(LobbyState::Open)).await;
        max.join(code).await;
        all_see(&mut lookers, "joined", code, is(LobbyState::Playing)).await;
        lia.leave().await;
        max.leave().await;
        all_see(&mut lookers, "closed", code, |entry| entry.is_none()).await;
    }
    // Who comes later sees the same.
    let mut lia = client(&cluster, 0, "lia").await;
    let code = lia.create_on(for_people("take:3:1")).await;
    all_see(&mut lookers, "listed", code, |entry| entry.is_some()).await;
    for looker in Looker::at_each_node(&cluster).await {
        assert!(looker.entry(code).is_some(), "{code} is not in {:?}", looker.list);
    }
}

async fn asks_for_match(client: &mut TestClient, variant: &str) -> Code {
    client.tries(HallRequest::Quick(for_people(variant))).await.expect("a match");
    client.lobby().code()
}

/// Waits until they play, and brings them back to the hall.
async fn play_and_leave<const N: usize>(players: [&mut TestClient; N]) {
    for player in players {
        player.until_playing().await;
        player.leave().await;
    }
}

pub(super) async fn two_people_at_different_nodes_meet_by_a_quick_match(cluster: Arc<Cluster>) {
    for round in 0..MATCHES {
        let variant = ["java-tech:21", "nim:3-4-5", "take:9:4:misere"][round / 3 % 3];
        let mut one = client(&cluster, round % 3, "one").await;
        let mut other = client(&cluster, (round + 1) % 3, "other").await;
        let waits_in = asks_for_match(&mut one, variant).await;
        assert_eq!(asks_for_match(&mut other, variant).await, waits_in, "in round {round} they do not meet");
        play_and_leave([&mut one, &mut other]).await;
    }
}

pub(super) async fn two_people_meet_who_ask_for_a_quick_match_at_the_same_moment(cluster: Arc<Cluster>) {
    let mut one = client(&cluster, 0, "one").await;
    let mut other = client(&cluster, 1, "other").await;
    for round in 0..MATCHES {
        let variant = ["java-tech:20", "nim:3-4-6", "take:9:3:misere"][round % 3];
        let there = tokio::join!(asks_for_match(&mut one, variant), asks_for_match(&mut other, variant));
        assert_eq!(there.0, there.1, "in round {round} they do not meet");
        play_and_leave([&mut one, &mut other]).await;
    }
}

pub(super) async fn a_crowd_that_asks_for_quick_matches_at_the_same_moment_meets_in_pairs(
    cluster: Arc<Cluster>,
) {
    let mut crowd = Vec::new();
    for number in 0..12 {
        crowd.push(client(&cluster, number % 3, "crowd").await);
    }
    for round in 0..5 {
        let there = join_all(crowd.iter_mut().map(|client| asks_for_match(client, "java-tech:18"))).await;
        let lobbies: BTreeSet<Code> = there.iter().copied().collect();
        assert_eq!(lobbies.len(), crowd.len() / 2, "in round {round}: {there:?}");
        join_all(crowd.iter_mut().map(|client| play_and_leave([client]))).await;
    }
}

pub(super) async fn who_asks_for_a_match_meets_others_though_the_lobby_of_the_list_was_just_taken(
    cluster: Arc<Cluster>,
) {
    for node in 0..3 {
        let variant = "java-tech:17";
        let mut opener = client(&cluster, node, "opener").await;
        let code = opener.create_on(for_people(variant)).await;
        for mut looker in Looker::at_each_node(&cluster).await {
            looker.until(code, |entry| entry.is_some()).await;
        }
        let mut taker = client(&cluster, node, "taker").await;
        let mut one = client(&cluster, node, "one").await;
        let mut other = client(&cluster, (node + 1) % 3, "other").await;
        taker.join(code).await;
        // At the other node the list may still have it.
        let there = tokio::join!(asks_for_match(&mut one, variant), asks_for_match(&mut other, variant));
        assert_eq!(there.0, there.1);
        play_and_leave([&mut one, &mut other]).await;
        play_and_leave([&mut opener, &mut taker]).await;
    }
}

pub(super) async fn a_bot_sits_down_at_every_node_when_nobody_comes(cluster: Arc<Cluster>) {
    // One after the other, or they play with each other.
    for node in 0..3 {
        let mut lia = client(&cluster, node, "lia").await;
        lia.quick("java-tech:19").await;
        lia.until_playing().await;
        assert!(lia.lobby().is_bot(!lia.side()));
    }
}
