//! Expired seats: a message says what happened to them, and they are removed, as with --forget.

use std::time::Duration;

use nim::wire::LobbyRequest;

use super::{ben_and_annas, sees_away};
use crate::harness::{Home, Network, TestServer};
use crate::storage::memory::Memory;

/// How long seats are kept here if nobody waits: no time.
const AT_ONCE: Duration = Duration::from_millis(1);

fn keeping(memory: &Memory) -> TestServer {
    TestServer::keeping(memory.clone(), |config| config.seats_kept = AT_ONCE)
}

#[tokio::test]
async fn a_player_who_won_while_away_learns_it_even_from_a_restarted_server() {
    for restarts in [false, true] {
        let (memory, home) = (Memory::default(), Home::new());
        let mut server = keeping(&memory);
        let network = Network::before(server.address()).await;
        let (mut ben, mut program) = ben_and_annas(&server, &network, &home.state()).await;
        program.until("ben starts.").await;
        program.dies().await;
        sees_away(&mut ben).await;
        let code = ben.lobby().code();
        ben.ask(LobbyRequest::Leave).await;
        server.lobby_is_freed(code).await;
        if restarts {
            server.stops(ben).await;
            server = keeping(&memory);
            network.leads_to(server.address());
        }
        let gone = "is over, and your seat there is not kept any more: you won, ben left";
        home.resumed(&[]).await.fails(11, &format!("the last game in {code} {gone}"));
        assert_eq!(home.kept(), 0, "no seat is left");
    }
}

#[tokio::test]
async fn a_seat_in_a_lobby_that_was_closed_without_a_game_is_forgotten() {
    let home = Home::new();
    let server = TestServer::with(|config| config.seats_kept = AT_ONCE);
    let opens = ["--new", "take:9:4", "--people-only"];
    let mut anna = server.program("anna", &[&opens, &home.state()[..]].concat());
    let code = anna.code().await;
    anna.dies().await;
    server.lobby_is_freed(code.parse().unwrap()).await;
    home.resumed(&[]).await.fails(11, "was given up, since nobody came back to it in time");
    assert_eq!(home.kept(), 0);
}

#[tokio::test]
async fn forget_removes_a_named_seat_unless_a_window_uses_it() {
    let (server, home) = (TestServer::start(), Home::new());
    let network = Network::before(server.address()).await;
    let mut codes = Vec::new();
    for _ in 0..2 {
        let (ben, mut program) = ben_and_annas(&server, &network, &home.state()).await;
        program.until("ben").await;
        program.dies().await;
        codes.push(ben.lobby().code().to_string());
    }
    let several = home.resumed(&[]).await;
    assert!(several.stderr.contains("With --forget at the end"), "{several:?}");
    let forgotten = home.resumed(&["--forget", &codes[0]]).await;
    assert_eq!((forgotten.code, home.kept()), (Some(0), 1), "{forgotten:?}");
    assert!(forgotten.stdout.contains(&format!("This machine forgets your seat in {} on ", codes[0])));
    let _again = home.is_back(&[]).await;
    home.resumed(&["--forget", &codes[1]]).await.fails(11, "type leave there");
    assert_eq!(home.kept(), 1);
}

#[tokio::test]
async fn an_invalid_seat_file_is_named() {
    let home = Home::new();
    for (damage, name) in [("", "a.seat"), ("{\"server\":", "b.seat")] {
        std::fs::write(home.path().join(name), damage).unwrap();
        let none = home.resumed(&[]).await;
        none.fails(11, "cannot be read");
        none.fails(11, name);
    }
}
