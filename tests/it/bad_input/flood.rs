//! More connections than the server's system has descriptors for.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use crate::harness::{Program, TestClient, Wire, first_move, play_out};

/// The server's limit of open files: enough for itself and a few connections.
const DESCRIPTORS: usize = 32;

/// A server with few open files, and its address.
async fn limited_server() -> (Program, SocketAddr) {
    let shell = crate::harness::server(&["--bind", "127.0.0.1:0"]);
    let program = shell.as_std().get_program().to_owned();
    let mut limited = tokio::process::Command::new("sh");
    limited.env("NIM_MEMORY", "true");
    limited.args(["-c", &format!("ulimit -n {DESCRIPTORS} && exec \"$0\" \"$@\"")]).arg(program);
    let mut host = Program::spawn(limited.args(shell.as_std().get_args()));
    let address = host.line().await.strip_prefix("listening on ").unwrap().parse().unwrap();
    (host, address)
}

/// More connections than fit.
async fn flood(address: SocketAddr) -> Vec<Wire> {
    let mut flood = Vec::new();
    for _ in 0..DESCRIPTORS {
        flood.push(Wire::connect(address).await);
    }
    flood
}

/// The time of a line of the log, and the pause that it names.
fn when_and_pause(line: &str) -> (SystemTime, Duration) {
    let when = line.split(' ').next().map(humantime::parse_rfc3339);
    let pause = line.rsplit_once("pause=").map(|(_, pause)| humantime::parse_duration(pause));
    let (Some(Ok(when)), Some(Ok(pause))) = (when, pause) else { panic!("no time or no pause: {line}") };
    (when, pause)
}

#[tokio::test]
async fn a_server_out_of_descriptors_continues_its_games_and_retries_with_growing_pauses() {
    let (mut host, address) = limited_server().await;
    let client = async |name| TestClient::at(address, name).await;
    let (mut anna, mut ben) = (client("anna").await, client("ben").await);
    let code = anna.create("java-tech:21").await;
    let first = flood(address).await;
    let mut before: Option<(SystemTime, Duration)> = None;
    for pause in [5, 10, 20, 40].map(Duration::from_millis) {
        let line = host.until_error("could not accept a connection").await;
        let (when, said) = when_and_pause(&line);
        assert_eq!(said, pause, "{line}");
        if let Some((earlier, waited)) = before {
            assert!(when >= earlier + waited, "it did not wait for {waited:?}: {line}");
        }
        before = Some((when, said));
    }
    ben.join(code).await;
    play_out(&mut anna, &mut ben, first_move).await;
    drop(first);
    client("cleo").await;
    let _second = flood(address).await;
    host.until_error("pause=5ms").await;
}
