//! What everybody does every day: at three nodes it is as on one machine.
//!
//! Each behaviour is a function in a file of its theme. They share a cluster, since starting one takes longer than all of
//! them, and come one after the other. `NIM_ONLY=words` checks those alone that have these words in their names.

mod codes;
mod hosting;
mod limits;
mod list;
mod names;
mod playing;
mod records;
mod seats;
mod starting;
mod strangers;
mod web;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use nim::lobby::Code;
use nim::wire::NewLobby;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::Instant;

use crate::harness::TestClient;
use crate::programs::Cluster;

/// The flags of nodes where no limit of an address is reached, since all clients of these tests have one address.
const WITHOUT_LIMITS: &[&str] = &[
    "--bot-after=700ms",
    "--bot-pace=0",
    "--max-connections-each=100000",
    "--max-hellos-each=100000",
    "--max-requests-each=1000000",
    "--max-lobbies-each=100000",
    "--max-guesses=100000",
    "--max-lines=1000",
];

/// The flags of nodes behind a balancer, which says where each client comes from; here the test is the balancer.
const BEHIND_A_BALANCER: &[&str] = &[
    "--no-web",
    "--trusted-proxy=127.0.0.0/8,10.99.0.0/16",
    "--max-connections-each=8",
    "--max-lobbies-each=2",
    "--max-guesses=3",
];

/// Checks behaviours one after the other. One that fails does not keep the others from being checked.
struct Checks {
    cluster: Arc<Cluster>,
    failed: Vec<&'static str>,
}

impl Checks {
    async fn check<F: Future<Output = ()> + 'static>(
        &mut self,
        name: &'static str,
        behaviour: impl FnOnce(Arc<Cluster>) -> F,
    ) {
        if std::env::var("NIM_ONLY").is_ok_and(|only| !name.replace(' ', "").contains(&only)) {
            return;
        }
        let begun = Instant::now();
        let behaviour = behaviour(Arc::clone(&self.cluster));
        let is_met = LocalSet::new().run_until(async { spawn_local(behaviour).await.is_ok() }).await;
        println!("{} in {:.2?}: {name}", if is_met { "ok" } else { "FAILED" }, begun.elapsed());
        self.failed.extend(Some(name).filter(|_| !is_met));
    }
}

/// Checks these behaviours of nodes with these flags.
macro_rules! check {
    ($flags:expr, $($behaviour:path),+ $(,)?) => {
        let Some(cluster) = Cluster::start_with(3, $flags).await else { return };
        cluster.until_settled().await;
        let mut checks = Checks { cluster: Arc::new(cluster), failed: Vec::new() };
        $(checks.check(stringify!($behaviour), $behaviour).await;)+
        assert_eq!(checks.failed, Vec::<&str>::new());
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn three_nodes_are_like_one_machine() {
    check! {
        WITHOUT_LIMITS,
        names::of_people_with_one_name_at_different_nodes_one_has_it,
        names::a_name_is_free_at_every_node_once_its_owner_has_left,
        names::a_name_that_looks_like_one_at_another_node_gets_a_number,
        names::who_returns_to_a_seat_at_another_node_has_the_name_of_the_seat,
        list::every_node_lists_the_lobbies_of_all_and_each_change_within_a_second,
        list::two_people_at_different_nodes_meet_by_a_quick_match,
        list::two_people_meet_who_ask_for_a_quick_match_at_the_same_moment,
        list::a_crowd_that_asks_for_quick_matches_at_the_same_moment_meets_in_pairs,
        list::who_asks_for_a_match_meets_others_though_the_lobby_of_the_list_was_just_taken,
        list::a_bot_sits_down_at_every_node_when_nobody_comes,
        seats::a_ticket_opens_its_seat_at_every_node_and_ends_the_older_connection,
        seats::a_wrong_ticket_opens_nothing_at_any_node,
        seats::a_password_is_asked_for_at_every_node,
        playing::players_and_watchers_at_three_nodes_have_their_chats,
        playing::hints_are_given_and_games_are_reviewed_through_tunnels,
        playing::a_watcher_at_another_node_is_kicked_and_does_not_come_back,
        playing::a_match_of_three_is_played_between_two_nodes,
        playing::offers_are_made_and_answered_through_tunnels,
        records::a_finished_game_is_readable_at_every_node,
        records::a_game_that_has_ended_is_readable_at_every_node_while_its_lobby_is_open,
        web::a_browser_at_one_node_plays_in_a_lobby_of_another_one,
        codes::lobbies_of_all_nodes_have_different_codes_and_are_found_from_each,
        strangers::strangers_at_the_port_for_nodes_are_turned_away,
        strangers::silent_strangers_keep_no_client_from_another_node,
        starting::a_second_node_of_a_name_says_so_and_ends,
        starting::a_node_that_does_not_reach_etcd_says_so_and_ends,
        // The last one: a node is gone then.
        web::a_browser_whose_node_is_stopped_is_back_in_its_seat_at_another_one,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_hosts_mean_the_real_address_of_a_client_at_every_node() {
    check! {
        BEHIND_A_BALANCER,
        limits::the_connections_of_an_address_are_counted_where_it_is_carried,
        limits::the_lobbies_of_an_address_are_counted_where_it_is_carried,
        limits::wrong_guesses_through_any_node_are_counted_by_the_owner,
        limits::the_owner_of_a_lobby_knows_the_real_address_of_a_watcher,
        limits::a_flood_through_one_node_costs_only_its_own_address,
        hosting::an_address_is_kicked_at_every_node,
        hosting::an_address_that_is_banned_at_one_node_is_kept_out_everywhere_until_another_one_lifts_it,
        hosting::an_address_that_is_muted_at_one_node_is_silent_everywhere_until_another_one_lifts_it,
        hosting::the_metrics_of_each_node_have_all_that_the_page_names,
    }
}

/// A client of the node with this number.
async fn client(cluster: &Cluster, node: usize, name: &str) -> TestClient {
    TestClient::at(cluster.addresses[node], name).await
}

/// Two clients of different nodes in a lobby of the first one's node; their game has begun.
async fn pair(nodes: [SocketAddr; 2], terms: NewLobby) -> [TestClient; 2] {
    let (mut one, mut other) =
        (TestClient::at(nodes[0], "anna").await, TestClient::at(nodes[1], "ben").await);
    let code = one.create_on(terms).await;
    other.join(code).await;
    for player in [&mut one, &mut other] {
        player.until_playing().await;
        // All answers that were due have been sent.
        player.catch_up().await;
    }
    [one, other]
}

/// A client of the node with this number that watches this lobby.
async fn watcher(cluster: &Cluster, node: usize, name: &str, code: Code) -> TestClient {
    let mut watcher = client(cluster, node, name).await;
    watcher.watch(code).await;
    watcher
}

/// Tries until something has come true. Fails if that takes longer than this.
async fn soon(what: &str, within: Duration, mut is_true: impl AsyncFnMut() -> bool) {
    const PAUSE: Duration = Duration::from_millis(20);
    let late = Instant::now() + within;
    while !is_true().await {
        assert!(Instant::now() < late, "not within {within:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
