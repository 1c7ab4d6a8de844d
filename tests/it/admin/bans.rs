//! Bans, how they are kept, and the audit file.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nim::wire::{Farewell, HelloRefusal};
use serde_json::json;

use super::program::{host, printed, typed};
use crate::harness::{Program, TestClient, Wire, connect};

/// Why a new connection is refused.
async fn refusal(address: SocketAddr) -> HelloRefusal {
    let mut wire = Wire::connect(address).await;
    wire.send_hello("anna").await;
    wire.unwelcome().await
}

#[tokio::test]
async fn a_ban_closes_the_connections_of_its_address_and_refuses_new_ones_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (mut first, address) = host(folder.path()).await;
    let mut anna = TestClient::at(address, "anna").await;
    let said = printed(folder.path(), &["admin", "ban", "127.0.0.1"]).await;
    assert_eq!(said, ["127.0.0.1 is banned until that is lifted; closed 1 connection of 127.0.0.1."]);
    assert_eq!(anna.wire().farewell().await, Farewell::ClosedByHost);
    assert_eq!(refusal(address).await, HelloRefusal::Banned);
    let program = connect(address, "ben", &["--give-up", "1h"]).ended().await;
    program.fails(9, "the host of this server has banned your address");
    first.dies().await;

    let (mut second, address) = host(folder.path()).await;
    assert_eq!(refusal(address).await, HelloRefusal::Banned);
    let shown = printed(folder.path(), &["admin", "who"]).await;
    assert_eq!(shown.last().unwrap(), "127.0.0.1 is banned until that is lifted");
    printed(folder.path(), &["admin", "unban", "127.0.0.1"]).await;
    TestClient::at(address, "anna").await;
    typed(folder.path(), &["admin", "unban", "127.0.0.1"]).await.fails(1, "127.0.0.1 is not banned");
    let checked = typed(folder.path(), &["check"]).await;
    assert_eq!(checked.code, Some(0), "{checked:?}");
    second.dies().await;

    let (_third, address) = host(folder.path()).await;
    TestClient::at(address, "anna").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_ban_is_for_its_address_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = crate::harness::TestServer::with_admin(folder.path(), |_| {});
    let [banned, other] = [[127, 0, 0, 2], [127, 0, 0, 3]].map(std::net::Ipv4Addr::from);
    let mut cleo = server.client_from(other, "cleo").await;
    let ban = nim::server::admin::AdminRequest::Ban { address: banned.into(), seconds: Some(3_600) };
    let said = super::done(folder.path(), ban).await;
    assert!(said.starts_with("127.0.0.2 is banned until 20") && said.ends_with(" UTC"), "{said}");
    cleo.create("java-tech:21").await;
    server.client_from(other, "dora").await;
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((banned, 0).into()).unwrap();
    let mut wire = Wire::over(socket.connect(server.address()).await.unwrap());
    wire.send_hello("eve").await;
    assert_eq!(wire.unwelcome().await, HelloRefusal::Banned);
}

#[tokio::test]
async fn a_ban_ends_by_the_hosts_clock() {
    let folder = tempfile::tempdir().unwrap();
    let rule = |address: &str, until: u64| json!({"what": "ban", "address": address, "until": until});
    let rules = json!([rule("127.0.0.1", 1_000), rule("10.0.0.1", 9_000_000_000_000)]);
    fs::write(folder.path().join("restrictions.json"), rules.to_string()).unwrap();
    let (_host, address) = host(folder.path()).await;
    TestClient::at(address, "anna").await;
    let shown = printed(folder.path(), &["admin", "who"]).await;
    assert_eq!(shown.last().unwrap(), "10.0.0.1 is banned until 2255-03-14 16:00:00 UTC");
    assert!(!shown.iter().any(|line| line.contains("127.0.0.1 is banned")), "{shown:?}");
}

#[tokio::test]
async fn a_ban_or_a_mute_for_no_time_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, address) = host(folder.path()).await;
    for (act, time) in [("ban", "0s"), ("mute", "0")] {
        let refused = typed(folder.path(), &["admin", act, "127.0.0.1", "--for", time]).await;
        refused.fails(1, "--for 0s would end at once: name a longer time, as in --for 1h, or omit --for");
    }
    TestClient::at(address, "anna").await;
    assert!(!printed(folder.path(), &["admin", "who"]).await.concat().contains("127.0.0.1 is "));
}

#[tokio::test]
async fn a_host_whose_bans_cannot_be_read_does_not_start() {
    for text in ["", "{}", "[{\"what\":\"burn\",\"address\":\"10.0.0.1\",\"until\":null}]", "[{\"what\""] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("restrictions.json");
        fs::write(&file, text).unwrap();
        let ended = typed(folder.path(), &["--bind", "127.0.0.1:0"]).await;
        ended.fails(1, "cannot be read: correct or remove restrictions.json");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "it stays as it is");
    }
}

#[tokio::test]
async fn of_more_bans_than_who_shows_it_says_how_many_more_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let rule =
        |number| json!({"what": "ban", "address": std::net::Ipv4Addr::from_bits(number), "until": null});
    let rules: Vec<_> = (1..=1_002).map(rule).collect();
    fs::write(folder.path().join("restrictions.json"), json!(rules).to_string()).unwrap();
    let (_host, _) = host(folder.path()).await;
    let shown = printed(folder.path(), &["admin", "who"]).await;
    assert_eq!(
        shown[shown.len() - 2..],
        ["0.0.3.232 is banned until that is lifted", "… and 2 bans and mutes more"]
    );
}

/// The lines of a file, without the times before them, and its mode.
fn audited(file: &Path) -> (Vec<String>, u32) {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| {
        let (time, act) = line.split_once("  ").unwrap();
        assert!(time.ends_with(" UTC") && time.len() == "2026-11-23 18:14:29 UTC".len(), "{line}");
        act.to_owned()
    });
    (lines.collect(), fs::metadata(file).unwrap().permissions().mode() & 0o777)
}

#[tokio::test]
async fn every_act_and_its_outcome_is_a_line_of_the_audit_file_and_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let (mut server, address) = host(folder.path()).await;
    let _anna = TestClient::at(address, "anna").await;
    printed(folder.path(), &["admin", "who"]).await;
    printed(folder.path(), &["admin", "mute", "127.0.0.1"]).await;
    printed(folder.path(), &["admin", "say", "Hello", "you"]).await;
    typed(folder.path(), &["admin", "close", "brave-otter"]).await.fails(1, "no lobby has this code");
    printed(folder.path(), &["admin", "kick", "1"]).await;
    server.until_error("act=\"kick 1\"").await;
    let wanted = [
        "mute 127.0.0.1: 127.0.0.1 is muted until that is lifted",
        "say Hello you: sent to 1 connection",
        "close brave-otter: refused, since no lobby has this code: see nim-server admin who",
        "kick 1: closed connection 1 (anna at 127.0.0.1)",
    ];
    let (lines, mode) = audited(&folder.path().join("audit.log"));
    assert_eq!((lines, mode), (wanted.map(str::to_owned).to_vec(), 0o600));
    let rights = fs::metadata(folder.path().join("restrictions.json")).unwrap().permissions().mode();
    assert_eq!(rights & 0o777, 0o600);
}

#[tokio::test]
async fn a_full_audit_file_is_put_aside_once() {
    let folder = tempfile::tempdir().unwrap();
    let (file, full) = (folder.path().join("audit.log"), folder.path().join("audit.log.1"));
    fs::write(&full, "older\n").unwrap();
    fs::write(&file, "x".repeat(1024 * 1024)).unwrap();
    let (_host, _) = host(folder.path()).await;
    typed(folder.path(), &["admin", "kick", "1"]).await.fails(1, "there is no connection 1");
    assert_eq!(fs::metadata(&full).unwrap().len(), 1024 * 1024);
    let (lines, _) = audited(&file);
    assert_eq!(lines, ["kick 1: refused, since there is no connection 1: see nim-server admin who"]);
}

#[tokio::test]
async fn the_faces_show_what_the_host_says() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, address) = host(folder.path()).await;
    let mut line = connect(address, "anna", &["--new", "java-tech:21", "--people-only"]);
    line.code().await;
    let address = address.to_string();
    let mut json = Program::client(&["connect", &address, "--json", "--name", "ben"]);
    json.until("\"event\":\"lobbies\"").await;
    printed(folder.path(), &["admin", "say", "We stop at noon."]).await;
    line.until("The host says: We stop at noon.").await;
    json.until("{\"event\":\"host_said\",\"words\":\"We stop at noon.\"}").await;
}
