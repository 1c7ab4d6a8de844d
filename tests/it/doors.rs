//! Access to lobbies and hosts: private lobbies, passwords and limits. Every refusal by a limit names it.

use std::time::Duration;

use nim::lobby::{Code, Phase, Text};
use nim::wire::{
    BotWish, HallRefusal, HallRequest, Listing, LobbyRequest, LobbyState, MAX_PASSWORD, NewLobby, Refusal,
    Secret, Ticket,
};

use crate::harness::{
    Claim, Program, TestClient, TestServer, client, come_back, join, join_text, server, stopped_clock, terms,
    watch, within,
};

const PASSWORD: &str = "open sesame";
const WRONG: Refusal = Refusal::Hall(HallRefusal::WrongPassword);

fn secret(text: &str) -> Option<Secret> {
    let secret = Secret::of(text);
    assert!(secret.is_some(), "{text} is a password");
    secret
}

fn locked(variant: &str) -> NewLobby {
    NewLobby { password: secret(PASSWORD), ..terms(variant) }
}

fn join_with(code: Code, password: &str) -> HallRequest {
    join_text(&code.to_string(), secret(password))
}

fn watch_with(code: Code, password: &str) -> HallRequest {
    HallRequest::Watch { code: Text::cut(&code.to_string()), password: secret(password) }
}

#[tokio::test]
async fn a_private_lobby_is_unlisted_and_found_by_its_code() {
    let (server, [mut anna, mut ben, mut cleo]) = TestServer::start_for(["anna", "ben", "cleo"]).await;
    assert_eq!(cleo.look().await, []);
    let code = anna.create_on(NewLobby { listed: false, ..terms("java-tech:21") }).await;
    let secret = code.to_string().split('-').nth(2).map(str::len);
    assert_eq!(secret, Some(5), "{code} can be guessed");
    assert_eq!(ben.look().await, []);
    let other = ben.quick("java-tech:21").await;
    assert_ne!(other, code, "nobody is matched with a private lobby");
    let listed = cleo.until_hall_told().await;
    assert!(listed.len() == 1 && listed[0].code == other, "{listed:?}");
    ben.leave().await;
    ben.join(code).await;
    cleo.watch(code).await;
    let mut dora = server.client("dora").await;
    assert_eq!(dora.look().await, [], "not when its game goes on either");
}

#[tokio::test]
async fn only_a_private_lobby_without_a_password_has_a_long_code() {
    let server = TestServer::start();
    for (name, lobby) in [
        ("anna", NewLobby { listed: false, ..locked("java-tech:21") }),
        ("ben", locked("java-tech:21")),
        ("cleo", terms("java-tech:21")),
    ] {
        let code = server.client(name).await.create_on(lobby).await.to_string();
        assert_eq!(code.split('-').count(), 2, "{code}");
    }
}

#[tokio::test]
async fn the_code_of_a_private_lobby_does_not_follow_from_the_seed() {
    let mut codes = Vec::new();
    for _ in 0..2 {
        let server = TestServer::with(|config| config.seed = 7);
        let mut anna = server.client("anna").await;
        codes.push(anna.create_on(NewLobby { listed: false, ..terms("java-tech:21") }).await);
    }
    assert_ne!(codes[0], codes[1]);
}

#[tokio::test]
async fn a_private_lobby_shows_its_code_even_if_the_bot_comes_at_once() {
    let server = TestServer::start();
    for (bot, words) in [("--bot", "Your lobby is "), ("--people-only", "Waiting in ")] {
        let mut anna = server.program("anna", &["--new", "java-tech", "--private", bot]);
        let line = anna.until(words).await;
        let code = line.strip_prefix(words).and_then(|rest| rest.split([':', ' ']).next()).unwrap();
        let mut cleo = server.client("cleo").await;
        cleo.watch(code.parse().unwrap()).await;
    }
}

#[tokio::test]
async fn a_password_is_needed_to_join_and_to_watch_and_a_wrong_one_changes_nothing() {
    let (server, [mut anna, mut ben, mut cleo, mut dora]) =
        TestServer::start_for(["anna", "ben", "cleo", "dora"]).await;
    let code = anna.create_on(locked("java-tech:21")).await;
    assert!(anna.lobby().conditions().locked && ben.look().await[0].locked);
    for request in [
        join(code),
        watch(code),
        join_with(code, "open sesam"),
        join_with(code, "Open Sesame"),
        watch_with(code, "open sesame!"),
    ] {
        assert_eq!(ben.refused_in_hall(request).await, WRONG);
    }
    assert_eq!(anna.catch_up().await, [], "nobody is told");
    let other = dora.quick("java-tech:21").await;
    assert_ne!(other, code, "nobody is matched with a lobby that has a password");
    ben.tries(join_with(code, PASSWORD)).await.unwrap();
    anna.until_playing().await;
    cleo.tries(watch_with(code, PASSWORD)).await.unwrap();
    // It is needed neither for a return nor in a lobby without one.
    let (mut anna, _old) = anna.reconnects(server.address()).await;
    anna.returns().await;
    cleo.leave().await;
    cleo.tries(join_with(other, PASSWORD)).await.unwrap();
    assert_eq!((Secret::of(""), Secret::of(&"x".repeat(MAX_PASSWORD + 1))), (None, None));
}

#[tokio::test]
async fn no_password_and_no_private_code_is_ever_in_the_log() {
    let mut host = Program::spawn(server(&["--bind", "127.0.0.1:0"]).env("RUST_LOG", "trace"));
    let address = host.listens().await;
    let [mut anna, mut ben] = [TestClient::at(address, "anna").await, TestClient::at(address, "ben").await];
    let code = anna.create_on(locked("java-tech:21")).await;
    assert_eq!(ben.refused_in_hall(join_with(code, "guessed-it")).await, WRONG);
    ben.tries(join_with(code, PASSWORD)).await.unwrap();
    let mut cleo = TestClient::at(address, "cleo").await;
    let secret = cleo.create_on(NewLobby { listed: false, ..terms("java-tech:21") }).await.to_string();
    drop((anna, ben, cleo));
    #[cfg(unix)]
    host.signal("TERM").await;
    #[cfg(not(unix))]
    let _ = host.finish().await;
    #[cfg(unix)]
    {
        let log = host.ended().await.stderr;
        assert!(log.contains("the right one was not given"), "the refusal is there: {log}");
        assert!(!log.contains("sesame") && !log.contains("guessed"), "{log}");
        let (words, secret) = secret.rsplit_once('-').unwrap();
        assert!(log.contains(words) && !log.contains(secret), "{log}");
    }
}

/// A client program with the password in its environment.
fn knowing(address: &str, name: &str, wish: &[&str], password: &str) -> Program {
    let flags = [&["connect", address, "--name", name, "--password"], wish].concat();
    Program::spawn(client(&flags).env("NIM_PASSWORD", password))
}

#[tokio::test]
async fn the_program_takes_the_password_from_its_environment_and_shows_it_nowhere() {
    let server = TestServer::start();
    let address = server.address().to_string();
    let mut anna = knowing(&address, "anna", &["--new", "java-tech:21", "--json"], PASSWORD);
    let entered = anna.until(r#""event":"entered""#).await;
    let code = entered.split(r#""code":""#).nth(1).unwrap().split('"').next().unwrap().to_owned();

    let wrong = knowing(&address, "ben", &["--join", &code], "guess").ended().await;
    wrong.fails(9, "that lobby has a password, and the right one was not given");
    let none = server.program("ben", &["--join", &code]).ended().await;
    assert_eq!(none.code, Some(9));
    let unset = server.program("ben", &["--join", &code, "--password"]).ended().await;
    unset.fails(9, "NIM_PASSWORD");

    let mut cleo = knowing(&address, "cleo", &["--watch", &code], PASSWORD);
    cleo.until("You watch in").await;
    let mut ben = knowing(&address, "ben", &["--join", &code], PASSWORD);
    ben.until("anna [program] starts.").await;
    anna.until(r#""event":"your_turn""#).await;
    anna.types("{\"do\":\"leave\"}\n{\"do\":\"quit\"}\n").await;
    for ended in [anna.ended().await, ben.finish().await] {
        assert!(!format!("{ended:?}").contains("sesame"), "{ended:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_password_that_is_typed_is_not_echoed() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let code = anna.create_on(locked("java-tech:21")).await.to_string();
    let mut ben = server.terminal("ben", &["--join", &code, "--password"]);
    ben.until("Password: ").await;
    ben.shows_typing(false).await;
    let shown = ben.asks(PASSWORD, "anna starts.").await;
    assert!(!shown.contains("sesame"), "{shown}");
    ben.asks("quit", "[keep]: ").await;
    ben.types("");
    assert!(!ben.ended().await.1.contains("sesame"));
}

/// Joins a locked lobby in the hall: types a wrong password, and then the right one.
#[cfg(unix)]
#[tokio::test]
async fn a_locked_lobby_asks_for_its_password_without_echo() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let code = anna.create_on(locked("java-tech:21")).await.to_string();
    for flags in [&[][..], &["--join", &code]] {
        let mut ben = server.terminal("ben", flags);
        if flags.is_empty() {
            for command in ["join", "watch"] {
                ben.until("help or quit: ").await;
                ben.asks(&format!("{command} {code}"), &format!("{code} has a password.")).await;
                ben.until("(empty to cancel): ").await;
                ben.types("");
            }
            ben.until("help or quit: ").await;
            ben.types(&code);
        }
        ben.until("(empty to cancel): ").await;
        ben.shows_typing(false).await;
        ben.asks("open sesam", &format!("That is not the password of {code}.")).await;
        ben.until("(empty to cancel): ").await;
        ben.shows_typing(false).await;
        ben.asks(PASSWORD, "anna starts.").await;
        ben.shows_typing(true).await;
        ben.asks("leave", "[keep]: ").await;
        ben.asks("give up", "help or quit: ").await;
        ben.types("quit");
        let (exit, shown) = ben.ended().await;
        assert!(exit == 0 && !shown.contains("sesam"), "{shown}");
        anna.ask(LobbyRequest::Again).await;
        anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    }
}

#[tokio::test]
async fn a_piped_password_is_the_next_line() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let code = anna.create_on(locked("java-tech:21")).await.to_string();
    let mut ben = server.program("ben", &[]);
    ben.types(format!("{code}\n{PASSWORD}\n")).await;
    ben.until("anna starts.").await;
}

#[tokio::test]
async fn lobbies_of_one_address_are_limited() {
    let server = TestServer::with(|config| config.max_lobbies_each = 1);
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    let code = anna.create("java-tech:21").await;
    let refusal = ben.refused_in_hall(HallRequest::Create(terms("take:3:1"))).await;
    assert_eq!(refusal, Refusal::Hall(HallRefusal::TooManyLobbies { most: 1 }));
    assert_eq!(refusal.to_string(), "your address has as many open lobbies as the server allows: 1");
    ben.join(code).await;
    ben.leave().await;
    anna.leave().await;
    let bots = NewLobby { bot: BotWish::Both, ..terms("take:3:1") };
    ben.tries(HallRequest::Create(bots)).await.unwrap();
    ben.leave().await;
    ben.create("take:3:1").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn when_all_lobbies_are_taken_the_longest_abandoned_one_is_evicted_after_a_minute() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_lobbies = 3);
    let elsewhere = std::net::Ipv4Addr::new(127, 0, 0, 2);
    let mut cleo = server.client_from(elsewhere, "cleo").await;
    let mut claims = Vec::new();
    for name in ["anna", "ben"] {
        let mut client = server.client(name).await;
        client.create("java-tech:21").await;
        client.catch_up().await;
        claims.push(Claim { seen: 0, ..client.claim() }.request());
        client.reset();
        let is_away = |listed: &[Listing]| listed.iter().all(|lobby| lobby.state == LobbyState::Away);
        within("the absence to be noticed", async { while !is_away(&cleo.look().await) {} }).await;
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    let (mut here, _) = server.opened("dora", terms("java-tech:21")).await;
    let full = Refusal::Hall(HallRefusal::LobbiesFull { most: 3 });
    assert_eq!(cleo.refused_in_hall(HallRequest::Create(terms("take:3:1"))).await, full);
    for _ in 0..6 {
        tokio::time::advance(Duration::from_secs(10)).await;
        cleo.catch_up().await;
        here.catch_up().await;
    }
    let mut same = server.client("eve").await;
    assert_eq!(same.refused_in_hall(HallRequest::Create(terms("take:3:1"))).await, full);
    cleo.create("take:3:1").await;
    let first = same.refused_in_hall(claims.remove(0)).await;
    assert_eq!(first, Refusal::Hall(HallRefusal::GivenUp));
    same.tries(claims.remove(0)).await.unwrap();
}

#[tokio::test]
async fn guesses_from_the_same_address_block_nobody_from_a_seat_or_an_open_lobby() {
    let server = TestServer::with(|config| config.max_guesses = 4);
    let [mut anna, mut ben, mut mallory] = server.clients(["anna", "ben", "mallory"]).await;
    let secret = anna.create_on(NewLobby { listed: false, ..terms("java-tech:21") }).await;
    let open = ben.create("take:9:4").await;
    ben.catch_up().await;
    let too_many = Refusal::Hall(HallRefusal::TooManyGuesses { most: 4 });
    for _ in 0..4 {
        let nowhere = Code::from_bits(0, 0);
        assert_ne!(mallory.refused_in_hall(join(nowhere)).await, too_many);
    }
    for guess in [join(secret), watch(secret)] {
        assert_eq!(mallory.refused_in_hall(guess).await, too_many, "not even if it is right");
    }
    let (mut anna, _old) = anna.reconnects(server.address()).await;
    anna.returns().await;
    anna.catch_up().await;
    assert_eq!(mallory.refused_in_hall(come_back(open, Ticket::of([0; 16]), 0)).await, too_many);
    assert_eq!(mallory.look().await.len(), 1);
    assert_eq!(mallory.quick("take:9:4").await, open);
    let mut dora = server.client("dora").await;
    dora.watch(open).await;
    dora.leave().await;
    dora.create("java-tech:21").await;
}

#[tokio::test]
async fn a_client_that_asks_too_fast_learns_the_rate_limit() {
    let server = TestServer::with(|config| config.max_requests_each = 2);
    let mut anna = server.client("anna").await;
    let _clock = stopped_clock();
    // It costs as much as fifty moves: 25 seconds.
    anna.look().await;
    let id = anna.ask_hall(HallRequest::Look).await;
    tokio::time::advance(Duration::from_millis(5_300)).await;
    let refusal = anna.refusal_of(id).await;
    assert_eq!(refusal, Refusal::TooFast { most: 2 });
    assert_eq!(refusal.to_string(), "too many requests: the limit is 2 a second");
    tokio::time::advance(Duration::from_secs(20)).await;
    anna.look().await;
}

#[tokio::test]
async fn flags_set_the_limits_and_a_closed_lobby_makes_room() {
    let flags = ["--max-lobbies", "1", "--max-lobbies-each", "2", "--max-watchers", "1"];
    let (_host, address) = Program::listening_server(&flags).await;
    let mut anna = TestClient::at(address, "anna").await;
    let code = anna.create("java-tech:21").await;
    assert_eq!(anna.lobby().conditions().watchers, 1);
    let mut ben = TestClient::at(address, "ben").await;
    for request in [HallRequest::Create(terms("take:3:1")), HallRequest::Quick(terms("take:3:1"))] {
        let refusal = ben.refused_in_hall(request).await;
        assert_eq!(refusal, Refusal::Hall(HallRefusal::LobbiesFull { most: 1 }));
        assert_eq!(refusal.to_string(), "the server has as many open lobbies as it allows: 1");
    }
    ben.watch(code).await;
    let mut cleo = TestClient::at(address, "cleo").await;
    assert_eq!(cleo.refused_in_hall(watch(code)).await.to_string(), "at most 1 may watch that lobby");
    anna.leave().await;
    cleo.create("take:3:1").await;
    let wrong = Program::server(&["--max-requests-each", "0"]).ended().await;
    assert_eq!(wrong.code, Some(2));
}
