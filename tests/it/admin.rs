//! What a host asks of the running server over its admin socket, and what becomes of it.

mod acts;
mod bans;
mod program;
mod socket;

use std::path::Path;

use nim::lobby::{ConnectionLoss, Notice};
use nim::server::admin::{AdminAnswer, AdminPlace, AdminRequest, Role, Target, Who, ask};
use nim::wire::Farewell;
use tokio::task::spawn_blocking;

use crate::harness::{TestServer, pair, stopped_clock, terms, within};

/// The answer of the server with this data folder.
async fn answer(folder: &Path, request: AdminRequest) -> AdminAnswer {
    let place = AdminPlace::in_folder(folder);
    let asking = spawn_blocking(move || ask(&place.socket, &request));
    within("an answer to the host", asking).await.unwrap().unwrap()
}

/// The sentence that it is done.
async fn done(folder: &Path, request: AdminRequest) -> String {
    match answer(folder, request).await {
        AdminAnswer::Done(words) => words,
        answer => panic!("not done: {answer:?}"),
    }
}

/// The sentence that it is refused.
async fn refused(folder: &Path, request: AdminRequest) -> String {
    match answer(folder, request).await {
        AdminAnswer::Refused(why) => why,
        answer => panic!("not refused: {answer:?}"),
    }
}

async fn who(folder: &Path) -> Who {
    match answer(folder, AdminRequest::Who).await {
        AdminAnswer::Who(who) => *who,
        answer => panic!("not a list: {answer:?}"),
    }
}

/// The number of the connection of this client.
async fn number_of(folder: &Path, name: &str) -> u64 {
    let who = who(folder).await;
    let mut rows = who.addresses.iter().flat_map(|address| &address.connections);
    rows.find(|row| row.name.as_deref() == Some(name)).unwrap_or_else(|| panic!("{name}: {who:?}")).number
}

#[tokio::test]
async fn the_host_sees_who_is_connected_where_they_are_and_which_lobbies_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let _stopped = stopped_clock();
    let server = TestServer::with_admin(folder.path(), |config| config.max_requests_each = 4_000);
    let (anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let _cleo = server.watcher("cleo", &anna).await;
    let _dora = server.client("dora").await;
    let _silent = server.connect().await;
    // The connection without a hello is accepted before this one.
    let _eve = server.client("eve").await;

    let who = who(folder.path()).await;
    let code = anna.lobby().code().to_string();
    let [address] = &who.addresses[..] else { panic!("one address: {who:?}") };
    assert_eq!((address.count, who.more_connections, who.more_lobbies), (6, 0, 0));
    assert_eq!(
        (address.requests, address.journal),
        (2, 0),
        "a new lobby and a watcher cost 50 of 4,000 each"
    );
    let rows = address.connections.iter().map(|row| {
        let place = row.place.as_ref().map(|place| (place.lobby == code, place.role));
        (row.name.as_deref(), place)
    });
    let plays = Some((true, Role::Player));
    let wanted = [
        (Some("anna"), plays),
        (Some("ben"), plays),
        (Some("cleo"), Some((true, Role::Watcher))),
        (Some("dora"), None),
        (None, None),
        (Some("eve"), None),
    ];
    assert_eq!(rows.collect::<Vec<_>>(), wanted);
    let [lobby] = &who.lobbies[..] else { panic!("one lobby: {who:?}") };
    assert_eq!((&lobby.code, lobby.state.as_str(), lobby.watchers), (&code, "playing", 1));
    assert_eq!(lobby.players, ["anna", "ben"]);
    assert_eq!(lobby.opener, address.address);
}

#[tokio::test]
async fn a_kicked_player_is_told_who_closed_the_connection_and_keeps_the_seat() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with_admin(folder.path(), |_| {});
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let target = Target::Connection(number_of(folder.path(), "anna").await);
    let kick = AdminRequest::Kick { target };
    let said = done(folder.path(), kick.clone()).await;
    assert!(said.ends_with(" (anna at 127.0.0.1)"), "{said}");
    let claim = anna.claim();
    assert_eq!(anna.wire().farewell().await, Farewell::ClosedByHost);
    let is_away = |notice: &Notice| matches!(notice, Notice::Away { loss: ConnectionLoss::Closed, .. });
    ben.until_notice(is_away).await;
    let why = refused(folder.path(), kick).await;
    assert!(why.starts_with("there is no connection "), "{why}");
    server.comes_back(claim).await;
    ben.until_notice(|notice| matches!(notice, Notice::Back { .. })).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn all_connections_of_a_kicked_address_are_closed_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with_admin(folder.path(), |_| {});
    let [one, other] = [[127, 0, 0, 3], [127, 0, 0, 2]].map(std::net::Ipv4Addr::from);
    let mut anna = server.client_from(one, "anna").await;
    let mut ben = server.client_from(one, "ben").await;
    let mut cleo = server.client_from(other, "cleo").await;
    let kick = |address: std::net::Ipv4Addr| AdminRequest::Kick { target: Target::Address(address.into()) };
    let counts: Vec<_> = who(folder.path()).await.addresses.iter().map(|address| address.count).collect();
    assert_eq!(counts, [2, 1], "the address with most comes first");
    assert_eq!(done(folder.path(), kick(one)).await, "closed 2 connections of 127.0.0.3");
    for client in [&mut anna, &mut ben] {
        assert_eq!(client.wire().farewell().await, Farewell::ClosedByHost);
    }
    cleo.create("java-tech:21").await;
    let why = refused(folder.path(), kick([127, 0, 0, 4].into())).await;
    assert_eq!(why, "127.0.0.4 has no connection: see nim-server admin who");
}
