//! Records from a server, as any client requests them: who may read them, which are found, and their
//! content.

mod crowd;
mod damaged;
mod program;

use std::time::Duration;

use nim::client::records::{Filter, GameSummary, fetch, list};
use nim::client::{Address, Connection, Failure};
use nim::lobby::{List, Origin, Phase, Text};
use nim::record::{Date, Record};
use nim::server::History;
use nim::server::storage::Sqlite;
use nim::server::storage::sqlite::Durability;
use nim::wire::limits::MAX_GAMES;
use nim::wire::{
    BotWish, ClientKind, Farewell, GameName, GamesWish, HallRefusal, HallRequest, LobbyRequest, NewLobby,
    Refusal, Ticket, ToClient,
};
use tokio::net::TcpStream;

use crate::harness::{
    TestClient, TestServer, come_back, first_move, join_text, pair, play_out, take, terms, within,
};
use crate::storage::memory::Memory;

const UNKNOWN: Refusal = Refusal::Hall(HallRefusal::NoSuchRecord);
const STRANGE: Ticket = Ticket::of([0x5a; 16]);

/// A client that only requests records.
async fn reader(server: &TestServer) -> Connection {
    let stream = TcpStream::connect(server.address()).await.unwrap();
    Connection::open(Box::new(stream), &Address::from(server.address()), ("reader", ClientKind::Person))
        .await
        .unwrap()
        .0
}

/// A server with records, anna and ben in her lobby on these terms, and a client that only reads.
async fn with_a_reader(terms: NewLobby) -> (TestServer, TestClient, TestClient, Connection) {
    let server = TestServer::keeping(Memory::default(), |_| {});
    let (anna, ben) = pair(&server, terms).await;
    let reader = reader(&server).await;
    (server, anna, ben, reader)
}

fn game(lobby: u64, game: u32) -> GameName {
    GameName { lobby, game }
}

/// The games found with these tickets.
async fn found(reader: &mut Connection, tickets: &[Ticket], wish: GamesWish) -> Vec<GameSummary> {
    let tickets = List::first_of(tickets.iter().copied());
    let (found, others) = list(reader, GamesWish { tickets, ..wish }, 1_000).await.unwrap();
    assert!(!others);
    found
}

fn names(found: &[GameSummary]) -> Vec<&str> {
    found.iter().map(|found| found.name.as_str()).collect()
}

async fn refusal(reader: &mut Connection, name: GameName, tickets: &[Ticket]) -> Refusal {
    match fetch(reader, name, tickets).await {
        Err(Failure::Refused(refusal)) => refusal,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

fn private(variant: &str) -> NewLobby {
    NewLobby { listed: false, ..terms(variant) }
}

/// Another game of these two.
async fn again(one: &mut TestClient, other: &mut TestClient) {
    one.ask(LobbyRequest::Again).await;
    other.ask(LobbyRequest::Again).await;
    one.until_playing().await;
    other.until_playing().await;
}

async fn plays(one: &mut TestClient, other: &mut TestClient) {
    play_out(one, other, first_move).await;
}

#[tokio::test]
async fn a_private_game_is_readable_by_its_players_after_leaving_and_after_a_restart() {
    let memory = Memory::default();
    let server = TestServer::keeping(memory.clone(), |_| {});
    let (mut anna, mut ben) = pair(&server, private("take:3:1")).await;
    plays(&mut anna, &mut ben).await;
    let claims = [anna.claim(), ben.claim()];
    let tickets = claims.map(|claim| claim.ticket);
    let text = {
        let mut reader = reader(&server).await;
        assert_eq!(names(&found(&mut reader, &tickets[..1], GamesWish::default()).await), ["1/1"]);
        fetch(&mut reader, game(1, 1), &tickets[1..]).await.unwrap().to_string()
    };
    for player in [&mut anna, &mut ben] {
        player.leave().await;
    }
    server.lobby_is_freed(claims[0].code).await;
    server.stops((anna, ben)).await;

    let server = TestServer::keeping(memory, |_| {});
    let mut reader = reader(&server).await;
    for ticket in tickets {
        let mine = found(&mut reader, &[STRANGE, ticket], GamesWish::default()).await;
        assert!(mine[0].mine && mine.len() == 1);
        let record = fetch(&mut reader, game(1, 1), &[STRANGE, ticket]).await.unwrap();
        assert_eq!(record.to_string(), text);
        // It opens a record, and nothing else.
        let mut late = server.client("late").await;
        let refused = late.refused_in_hall(come_back(claims[0].code, ticket, 0)).await;
        assert_eq!(refused, Refusal::Hall(HallRefusal::NoSuchLobby));
    }
    for tickets in [&[][..], &[STRANGE]] {
        assert_eq!(found(&mut reader, tickets, GamesWish::default()).await, []);
        assert_eq!(refusal(&mut reader, game(1, 1), tickets).await, UNKNOWN);
        assert_eq!(refusal(&mut reader, game(2, 1), tickets).await, UNKNOWN, "exactly the same");
    }
    assert_eq!(refusal(&mut reader, game(1, 2), &tickets).await, UNKNOWN, "there was no second game");
}

/// One player leaves, the other one asks for another game, and Cleo takes the free seat.
async fn takes_over(server: &TestServer, stays: &mut TestClient, leaves: &mut TestClient) -> TestClient {
    leaves.leave().await;
    stays.until_lobby(|lobby| lobby.seats().iter().any(|(_, seat)| seat.is_none())).await;
    stays.ask(LobbyRequest::Again).await;
    stays.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    server.joined("cleo", stays.lobby().code()).await
}

#[tokio::test]
async fn a_player_in_a_private_lobby_may_read_their_own_games_and_no_others() {
    let memory = Memory::default();
    let server = TestServer::keeping(memory.clone(), |_| {});
    let (mut anna, mut ben) = pair(&server, private("take:3:1")).await;
    plays(&mut anna, &mut ben).await;
    let bens = ben.claim().ticket;
    let mut cleo = takes_over(&server, &mut anna, &mut ben).await;
    plays(&mut anna, &mut cleo).await;
    again(&mut anna, &mut cleo).await;
    // A player who returns after leaving is a new player, and shows both tickets.
    let (annas, cleos) = (anna.claim().ticket, cleo.claim().ticket);
    let mut reader = reader(&server).await;
    for (tickets, own) in [
        (&[bens][..], &["1/1"][..]),
        (&[cleos], &["1/3", "1/2"]),
        (&[annas], &["1/3", "1/2", "1/1"]),
        (&[bens, cleos], &["1/3", "1/2", "1/1"]),
    ] {
        for mine in [false, true] {
            let wish = GamesWish { mine, ..GamesWish::default() };
            assert_eq!(names(&found(&mut reader, tickets, wish).await), own);
        }
        for number in 1..=3 {
            let is_own = own.contains(&format!("1/{number}").as_str());
            let fetched = fetch(&mut reader, game(1, number), tickets).await;
            assert_eq!(fetched.is_ok(), is_own, "game {number}");
        }
    }
    assert_eq!(refusal(&mut reader, game(1, 2), &[bens]).await, UNKNOWN, "as if there were no such game");
}

#[tokio::test]
async fn public_games_of_others_are_listed_but_not_as_ones_own() {
    let (server, mut anna, mut ben, mut reader) = with_a_reader(terms("take:3:1")).await;
    plays(&mut anna, &mut ben).await;
    let bens = ben.claim().ticket;
    let mut cleo = takes_over(&server, &mut anna, &mut ben).await;
    plays(&mut anna, &mut cleo).await;
    let all = found(&mut reader, &[bens], GamesWish::default()).await;
    assert_eq!(
        (names(&all), all.iter().map(|game| game.mine).collect()),
        (vec!["1/2", "1/1"], vec![false, true])
    );
    let wish = GamesWish { mine: true, ..GamesWish::default() };
    assert_eq!(names(&found(&mut reader, &[bens], wish).await), ["1/1"]);
}

#[tokio::test]
async fn finished_games_are_pruned_while_the_server_is_idle() {
    let folder = tempfile::tempdir().unwrap();
    let journal = || Sqlite::open(folder.path(), Durability::Process).unwrap().0;
    let server = TestServer::keeping(journal(), |_| {});
    let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
    plays(&mut anna, &mut ben).await;
    let code = anna.lobby().code();
    for player in [&mut anna, &mut ben] {
        player.leave().await;
    }
    server.lobby_is_freed(code).await;
    server.stops((anna, ben)).await;

    let server = TestServer::keeping(journal(), |config| {
        config.history = History { age: Duration::ZERO, ..History::default() };
    });
    let mut reader = reader(&server).await;
    let forgotten = async { while !found(&mut reader, &[], GamesWish::default()).await.is_empty() {} };
    within("the past to be forgotten", forgotten).await;
}

#[tokio::test]
async fn games_of_unlisted_locked_or_unwatchable_lobbies_are_not_public() {
    let server = TestServer::keeping(Memory::default(), |_| {});
    let password = nim::wire::Secret::of("open sesame");
    let (mut number, mut reader) = (0, reader(&server).await);
    for (wish, is_public) in [
        (terms("take:3:1"), true),
        (private("take:3:1"), false),
        (NewLobby { watched: false, ..terms("take:3:1") }, false),
        (NewLobby { password, ..terms("take:3:1") }, false),
    ] {
        let mut anna = server.client("anna").await;
        let bot = BotWish::AtOnce;
        anna.create_on(NewLobby { bot, ..wish }).await;
        anna.until_playing().await;
        number += 1;
        let fetched = fetch(&mut reader, game(number, 1), &[]).await;
        assert_eq!(fetched.is_ok(), is_public, "lobby {number}");
        assert!(fetch(&mut reader, game(number, 1), &[anna.claim().ticket]).await.is_ok());
    }
    assert_eq!(names(&found(&mut reader, &[], GamesWish::default()).await), ["1/1"]);
}

#[tokio::test]
async fn games_are_found_by_player_game_lobby_and_date_over_several_messages() {
    let server = TestServer::keeping(Memory::default(), |_| {});
    let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
    plays(&mut anna, &mut ben).await;
    for _ in 0..MAX_GAMES + 3 {
        again(&mut anna, &mut ben).await;
        plays(&mut anna, &mut ben).await;
    }
    let (mut cleo, mut dora) = (server.client("Cléo").await, server.client("dora").await);
    let code = cleo.create_on(private("java-tech")).await;
    dora.join(code).await;
    dora.until_playing().await;
    let (mut reader, ticket) = (reader(&server).await, [dora.claim().ticket]);

    let all: Vec<String> = (1..=MAX_GAMES + 4).rev().map(|number| format!("1/{number}")).collect();
    let public = found(&mut reader, &[], GamesWish::default()).await;
    assert_eq!(names(&public), all.iter().map(String::as_str).collect::<Vec<_>>());
    let with_mine = found(&mut reader, &ticket, GamesWish::default()).await;
    assert_eq!((names(&with_mine)[0], with_mine.len()), ("2/1", all.len() + 1));
    let (some, others) = list(&mut reader, GamesWish::default(), 17).await.unwrap();
    assert!(some == public[..17] && others);

    let now = Date::of_millis(nim::server::storage::WallTime::now().0);
    let filter = |with: &str, game: &str, since| Filter {
        with: nim::lobby::Name::clean(with).ok(),
        game: game.parse().ok(),
        since,
    };
    for (filter, count) in [
        (filter("ANNA", "", None), all.len()),
        (filter("CLÉO", "", None), 1),
        (filter("nobody-here", "", None), 0),
        (filter("", "take", None), all.len()),
        (filter("", "take:3:1", None), all.len()),
        (filter("", "take:3:2", None), 0),
        (filter("", "java-tech", None), 1),
        (filter("", "Java-Tech:21", None), 1),
        (filter("anna", "java-tech", None), 0),
        (filter("", "", Some(Date::of_millis(now.millis() - 3_600_000))), all.len() + 1),
        (filter("", "", Some(Date::of_millis(now.millis() + 3_600_000))), 0),
    ] {
        let there = found(&mut reader, &ticket, filter.wish()).await;
        assert_eq!(there.len(), count, "{filter:?}");
        assert!(there.iter().all(|found| filter.matches(found)), "{filter:?}");
        assert_eq!(with_mine.iter().filter(|found| filter.matches(found)).count(), count, "{filter:?}");
    }
    let mine = GamesWish { mine: true, ..GamesWish::default() };
    assert_eq!(names(&found(&mut reader, &ticket, mine.clone()).await), ["2/1"]);
    assert_eq!(found(&mut reader, &[], mine).await, []);
    let here = GamesWish { code: Some(Text::cut(&code.to_string().to_uppercase())), ..GamesWish::default() };
    assert_eq!(names(&found(&mut reader, &ticket, here).await), ["2/1"]);
}

#[tokio::test]
async fn an_unfinished_game_has_a_record() {
    let (_server, mut anna, mut ben, mut reader) = with_a_reader(terms("java-tech:21")).await;
    for moves in 0..3 {
        let record = fetch(&mut reader, game(1, 1), &[]).await.unwrap();
        assert_eq!((record.result(), record.boards().len()), (None, moves + 1));
        let player = if moves % 2 == 0 { &mut anna } else { &mut ben };
        player.until_lobby(|lobby| lobby.past().len() == moves).await;
        player.play(take(1)).await;
    }
    anna.ask(LobbyRequest::Resign).await;
    anna.result().await;
    let record = fetch(&mut reader, game(1, 1), &[]).await.unwrap();
    assert_eq!(record.verdict(), "Second won: First resigned");
}

#[tokio::test]
async fn the_record_of_a_game_that_went_on_from_another_names_it() {
    let (_server, mut anna, mut ben, mut reader) = with_a_reader(terms("java-tech:21")).await;
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    let before = fetch(&mut reader, game(1, 1), &[]).await.unwrap();
    for player in [&mut anna, &mut ben] {
        player.leave().await;
    }
    let origin = Origin::of(before.checksum(), 1, &before.boards()[1]);
    let code = anna.create_on(NewLobby { origin: Some(origin.clone()), ..terms("java-tech:21") }).await;
    ben.join(code).await;
    anna.until_playing().await;
    let record = fetch(&mut reader, game(2, 1), &[]).await.unwrap();
    assert_eq!((record.origin(), record.start()), (Some(&origin), before.boards()[1].clone()));
}

#[tokio::test]
async fn a_long_record_comes_in_parts() {
    let (_server, mut anna, mut ben, mut reader) = with_a_reader(terms("take:900:1")).await;
    for turn in 1..=900 {
        let player = if turn % 2 == 1 { &mut anna } else { &mut ben };
        player.until_turn(turn).await;
        player.play(take(1)).await;
    }
    anna.result().await;
    let record = fetch(&mut reader, game(1, 1), &[]).await.unwrap();
    assert_eq!(record.boards().len(), 901);
    assert!(record.to_string().len() > 5 * nim::wire::limits::MAX_PART);
    assert_eq!(Record::read(record.to_string().as_bytes()), Ok(record));
}

#[tokio::test]
async fn a_client_that_guesses_names_and_tickets_is_soon_refused() {
    let many = Refusal::Hall(HallRefusal::TooManyGuesses { most: 4 });
    for tickets in [&[][..], &[STRANGE]] {
        let server = TestServer::keeping(Memory::default(), |config| config.max_guesses = 4);
        let mut reader = reader(&server).await;
        for number in 1..=4 {
            assert_eq!(refusal(&mut reader, game(number, 1), tickets).await, UNKNOWN);
        }
        assert_eq!(refusal(&mut reader, game(5, 1), tickets).await, many);
        assert!(
            list(&mut reader, GamesWish::default(), 1).await.is_ok(),
            "reading a public record is no guess"
        );
    }
    let server = TestServer::keeping(Memory::default(), |config| config.max_guesses = 4);
    let (mut anna, _ben) = pair(&server, terms("take:3:1")).await;
    let (mut reader, mine) = (reader(&server).await, anna.claim().ticket);
    anna.catch_up().await;
    for _ in 0..10 {
        // One of them is valid, so this is no guess.
        found(&mut reader, &[STRANGE, mine], GamesWish::default()).await;
    }
    for _ in 0..4 {
        found(&mut reader, &[STRANGE], GamesWish::default()).await;
    }
    assert_eq!(refusal(&mut reader, game(1, 1), &[]).await, many);
}

#[tokio::test]
async fn a_valid_ticket_is_not_refused_because_of_guesses_from_the_same_address() {
    let many = Refusal::Hall(HallRefusal::TooManyGuesses { most: 1 });
    let server = TestServer::keeping(Memory::default(), |config| config.max_guesses = 1);
    let (mut anna, _ben) = pair(&server, NewLobby { listed: false, ..terms("take:3:1") }).await;
    anna.catch_up().await;
    let (mut mine, mut mallory) = (reader(&server).await, server.client("mallory").await);
    assert_ne!(mallory.refused_in_hall(join_text("keen-lemur", None)).await, many);
    assert_eq!(refusal(&mut mine, game(1, 1), &[STRANGE]).await, many, "nothing is learnt by guessing");
    let ticket = anna.claim().ticket;
    assert_eq!(fetch(&mut mine, game(1, 1), &[ticket]).await.unwrap().variant().text(), "take:3:1:normal");
    assert_eq!(found(&mut mine, &[ticket], GamesWish::default()).await.len(), 1);
    let (mut anna, _old) = anna.reconnects(server.address()).await;
    anna.returns().await;
}

#[tokio::test]
async fn hostile_requests_do_not_delay_others() {
    let server = TestServer::keeping(Memory::default(), |_| {});
    let (_anna, _ben) = pair(&server, terms("take:3:1")).await;
    let mut mallory = server.client("mallory").await;
    let text = |text: &str| Some(Text::cut(text));
    let wishes = [
        GamesWish { before: Some(0), ..GamesWish::default() },
        GamesWish { since: u64::MAX, before: Some(u64::MAX), ..GamesWish::default() },
        GamesWish { with: Some(Text::cut("\u{1b}[2J\u{202e}")), ..GamesWish::default() },
        GamesWish { with: Some(Text::cut("'; DROP TABLE games; --")), ..GamesWish::default() },
        GamesWish { game: text("\u{0}:\u{1b}"), code: Some(Text::cut("../../etc")), ..GamesWish::default() },
        GamesWish { tickets: List::first_of(vec![STRANGE; 256]), mine: true, ..GamesWish::default() },
    ];
    for wish in wishes {
        mallory.ask_hall(HallRequest::Games(wish.clone())).await;
        let told =
            mallory.until(|message| matches!(message, ToClient::Games { .. }).then(|| message.clone())).await;
        assert_eq!(told, ToClient::Games { games: List::default(), rest: None }, "{wish:?}");
    }
    for (lobby, number, part) in
        [(0, 0, 0), (u64::MAX, u32::MAX, u32::MAX), (1, 1, 1), (1, 0, 0), (1, 1, u32::MAX)]
    {
        let request = HallRequest::Record { name: game(lobby, number), tickets: List::default(), part };
        assert_eq!(mallory.refused_in_hall(request).await, UNKNOWN);
    }
    // Of two requests at once one may be refused, and both are answered.
    let ids = [
        mallory.ask_hall(HallRequest::Games(GamesWish::default())).await,
        mallory.ask_hall(HallRequest::Games(GamesWish::default())).await,
    ];
    for _ in ids {
        mallory
            .until(|message| match message {
                ToClient::Games { games, .. } => (games.len() == 1).then_some(()),
                ToClient::Refused { id, refusal: Refusal::Hall(HallRefusal::RecordsBusy), .. } => {
                    (*id == ids[1]).then_some(())
                }
                _ => None,
            })
            .await;
    }
    let thousand = [&[1, 1, 6, 0xfb, 0xe8, 0x03][..], &[0x5a; 16_000], &[0; 6]].concat();
    mallory.wire().send_body(&thousand).await;
    assert!(matches!(mallory.wire().farewell().await, Farewell::Malformed(_)));
    server.still_serves().await;
}
