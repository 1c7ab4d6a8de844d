//! Names: nobody has that of somebody else who is connected, at whichever nodes they are.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use nim::lobby::Player;

use super::{client, soon};
use crate::harness::{Claim, TestClient};
use crate::programs::Cluster;

/// Within this time a name is free again.
const FREE_WITHIN: Duration = Duration::from_secs(2);

pub(super) async fn of_people_with_one_name_at_different_nodes_one_has_it(cluster: Arc<Cluster>) {
    for name in ["one", "two", "three", "four", "five"] {
        let people = join_all(cluster.addresses.iter().map(|node| TestClient::at(*node, name))).await;
        let names: BTreeSet<&str> = people.iter().map(TestClient::name).collect();
        assert_eq!(names.len(), people.len(), "{names:?}");
        assert!(names.contains(name), "{names:?}");
    }
}

pub(super) async fn a_name_is_free_at_every_node_once_its_owner_has_left(cluster: Arc<Cluster>) {
    for (node, name) in ["olga", "otto", "orla"].into_iter().enumerate() {
        let owner = client(&cluster, node, name).await;
        assert_eq!(owner.name(), name);
        for other in 0..3 {
            assert_ne!(client(&cluster, other, name).await.name(), name);
        }
        drop(owner);
        let next = (node + 1) % 3;
        let is_free = async || client(&cluster, next, name).await.name() == name;
        soon("the name is free", FREE_WITHIN, is_free).await;
    }
}

pub(super) async fn a_name_that_looks_like_one_at_another_node_gets_a_number(cluster: Arc<Cluster>) {
    // The second one is in Cyrillic.
    let latin = client(&cluster, 0, "cape").await;
    let cyrillic = client(&cluster, 1, "саре").await;
    let capitals = client(&cluster, 2, "CAPE").await;
    assert_eq!((latin.name(), cyrillic.name()), ("cape", "саре-2"));
    assert!(capitals.name().starts_with("CAPE-"), "{}", capitals.name());
}

pub(super) async fn who_returns_to_a_seat_at_another_node_has_the_name_of_the_seat(cluster: Arc<Cluster>) {
    let mut vera = client(&cluster, 0, "vera").await;
    let code = vera.create("take:3:1").await;
    let claim = vera.claim();
    vera.reset();
    let mut back = client(&cluster, 1, "somebody").await;
    back.tries(Claim { seen: 0, ..claim }.request()).await.expect("the ticket is valid");
    let mut wim = client(&cluster, 2, "wim").await;
    wim.join(code).await;
    back.until_playing().await;
    back.says("it is me").await;
    assert_eq!(back.heard(), ["vera: it is me"]);
    assert_eq!(
        client(&cluster, 2, "vera").await.name(),
        "vera-2",
        "she has her name as long as she is there"
    );
    back.leave().await;
    let lobby = back.create("take:5:1").await;
    let mut xenia = client(&cluster, 0, "xenia").await;
    xenia.watch(lobby).await;
    let is_vera =
        |player: &Option<Player>| player.as_ref().is_some_and(|player| player.name.as_str() == "vera");
    let seats = xenia.lobby().seats();
    assert!(seats.iter().any(|(_, seat)| is_vera(seat)), "she has it in the hall as well: {seats:?}");
    assert_eq!(client(&cluster, 2, "vera").await.name(), "vera-2");
}
