//! More connections than the server's system has room for.

use crate::harness::{Heaps, Program, TestClient, Wire, first_move, play_out};

/// Open files that the server may have: enough for itself and a few connections.
const DESCRIPTORS: usize = 32;

#[tokio::test]
async fn a_server_out_of_descriptors_goes_on_with_its_games_and_takes_people_in_again_later() {
    let shell = crate::harness::server(&["--bind", "127.0.0.1:0"]);
    let program = shell.as_std().get_program().to_owned();
    let mut limited = tokio::process::Command::new("sh");
    limited.args(["-c", &format!("ulimit -n {DESCRIPTORS} && exec \"$0\" \"$@\"")]).arg(program);
    let mut host = Program::spawn(limited.args(shell.as_std().get_args()));
    let address = host.line().await.strip_prefix("listening on ").unwrap().parse().unwrap();
    let client = async |name| TestClient::hello(Wire::connect(address).await, name).await;

    let (mut anna, mut ben) = (client("anna").await, client("ben").await);
    let code = anna.create("java-tech:21").await;
    let mut flood = Vec::new();
    for _ in 0..DESCRIPTORS {
        flood.push(Wire::connect(address).await);
    }
    host.until_error("could not take a connection in").await;
    ben.join(code).await;
    play_out(&mut anna, &mut ben, |heaps: &Heaps| first_move(heaps)).await;
    drop(flood);
    client("cleo").await;
}
