//! A host that goes back to a copy of its record, from before somebody came back.

use std::path::Path;

use nim::lobby::Loss;

use super::sees_away;
use crate::harness::{Home, Network, NetworkState, Program, TestClient, server};

async fn hosts(data: &Path) -> (Program, std::net::SocketAddr) {
    Program::listening_server(&["--data", data.to_str().unwrap()]).await
}

#[tokio::test]
async fn a_host_that_goes_back_to_a_copy_of_its_record_has_its_people_back() {
    let (folder, home) = (tempfile::tempdir().unwrap(), Home::new());
    let [data, copies] = ["data", "copies"].map(|name| folder.path().join(name));
    let (mut host, address) = hosts(&data).await;
    let network = Network::before(address).await;
    let mut ben = TestClient::at(address, "ben").await;
    let code = ben.create("java-tech:21").await.to_string();
    let place = network.address().to_string();
    let mut anna = home.runs(&["connect", &place, "--name", "anna", "--join", &code]);
    ben.until_playing().await;
    anna.until("java-tech:21").await;
    std::fs::create_dir(&copies).unwrap();
    let copy = copies.join("journal.sqlite");
    let made = server(&["backup", copy.to_str().unwrap(), "--data", data.to_str().unwrap()]).output().await;
    assert_eq!(made.unwrap().status.code(), Some(0));
    for _ in 0..2 {
        network.set(NetworkState::Down);
        sees_away(&mut ben, Loss::Closed).await;
        network.set(NetworkState::Up);
        anna.until("You are back in your seat.").await;
    }
    anna.dies().await;
    host.dies().await;
    let (mut other, address) = hosts(&copies).await;
    network.leads_to(address);
    let mut anna = home.resumes(&[]);
    anna.until("You are back in your seat.").await;
    anna.dies().await;
    other.dies().await;
    let (_host, address) = hosts(&data).await;
    network.leads_to(address);
    home.resumes(&[]).until("You are back in your seat.").await;
}
