//! How people reach a server: by name or address, under a name that may be taken, with flags for later
//! lobbies.

use nim::wire::{HallRequest, ToClient, ToServer, encode};

use crate::harness::{Home, Program, TestServer, hello};

#[tokio::test]
async fn a_host_is_found_by_name_and_by_ipv6() {
    let loopback = std::net::SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, 0));
    let by_name = TestServer::start();
    let mut addresses = vec![format!("localhost:{}", by_name.address().port())];
    let by_number = std::net::TcpListener::bind(loopback)
        .is_ok()
        .then(|| TestServer::with(|config| config.bind = loopback));
    // A machine may have no IPv6.
    addresses.extend(by_number.as_ref().map(|server| server.address().to_string()));
    for address in addresses {
        let mut anna = Program::client(&["connect", &address, "--new", "take:1:1", "--bot"]);
        anna.types("1\n").await;
        let ended = anna.finish().await;
        assert!(ended.code == Some(0) && ended.stdout.contains("You won"), "{address}: {ended:?}");
    }
}

#[tokio::test]
async fn a_changed_name_is_reported_once() {
    let (server, [_anna]) = TestServer::start_for(["anna"]).await;
    let mut other = server.program("anna", &[]);
    assert_eq!(other.line().await, "The name anna is taken here, so you are called anna-2.");
    let ended = other.finish().await;
    assert_eq!(ended.stdout.matches("you are called").count(), 1);
    let alone = server.program("ben", &[]).finish().await;
    assert!(!alone.stdout.contains("you are called"), "{}", alone.stdout);
    let mut bot = server.program("m1nimax", &[]);
    assert_eq!(bot.line().await, "The name m1nimax is taken here, so you are called m1nimax-2.");
}

#[tokio::test]
async fn a_name_that_a_persons_own_seat_keeps_is_reported_as_such() {
    let (server, home) = (TestServer::start(), Home::new());
    let address = server.address().to_string();
    let mut ben = server.client("ben").await;
    let code = ben.create("take:9:4").await.to_string();
    let mut anna = home.runs(&["connect", &address, "--name", "anna", "--join", &code]);
    ben.until_playing().await;
    anna.types("quit\n").await;
    anna.ended().await;
    let mut again = home.runs(&["connect", &address, "--name", "anna"]);
    let told = format!("Your seat in {code} keeps the name anna, so you are called anna-2 elsewhere.");
    assert_eq!(again.line().await, told);
}

#[tokio::test]
async fn a_name_that_could_pass_for_another_is_refused_before_connecting() {
    let server = TestServer::start();
    for (name, fault) in [
        (
            "minimax [bot, perfect]",
            "a name may not contain brackets or signs that look like them: leave them out",
        ),
        ("anna (you)", "a name may not contain brackets or signs that look like them: leave them out"),
        ("\u{430}nna", "a word of a name is in one script"),
        ("stand-in for anna", "a name does not have the word stand-in"),
    ] {
        let ended = server.program(name, &[]).finish().await;
        assert!(ended.code == Some(2) && ended.stderr.contains(fault), "{ended:?}");
    }
}

#[tokio::test]
async fn flags_without_a_game_apply_to_lobbies_opened_later() {
    let server = TestServer::start();
    for command in ["new", "quick"] {
        let mut anna = server.program("anna", &["--bot", "--starts", "them"]);
        anna.until("Type a code to join").await;
        anna.asks(&format!("{command} take:3:1"), "minimax [bot, perfect] starts.").await;
        anna.quits().await;
    }
    let mut ben = server.program("ben", &["--people-only", "--hints", "all"]);
    ben.asks("new take:3:1", "Only people may join: no bots and no programs.").await;
}

#[tokio::test]
async fn requests_may_come_with_the_hello_and_are_answered_behind_the_welcome() {
    let server = TestServer::start();
    let mut wire = server.connect().await;
    let request = ToServer::Hall { id: 7, request: HallRequest::Look };
    wire.send_bytes(&[&encode(&hello("anna"))[..], &encode(&request)].concat()).await;
    assert!(matches!(wire.read().await, Some(ToClient::Welcome { .. })));
    assert!(matches!(wire.read().await, Some(ToClient::Hall(_))));
}
