//! How people find each other: names, codes, quick match, and the live list.

use nim::lobby::{Code, Hints, Kind, MAX_NAME_CHARS, Phase, Text};
use nim::wire::{
    BotWish, HallEvent, HallRefusal, HallRequest, List, Listing, LobbyRequest, LobbyState, NewLobby, Refusal,
    Starts, ToClient, ToServer, encode,
};

use crate::harness::pretender::{against, entered};
use crate::harness::{Claim, TestClient, TestServer, first_move, join, join_text, play_out, terms, within};

fn codes(listings: &[Listing]) -> Vec<Code> {
    listings.iter().map(|listing| listing.code).collect()
}

fn unknown() -> Refusal {
    Refusal::Hall(HallRefusal::NoSuchLobby)
}

/// Reads until the lobby with this code is listed as `wanted`; `None` for removed.
async fn until_listed(client: &mut TestClient, code: Code, wanted: Option<LobbyState>) -> Option<Listing> {
    let listed = async {
        loop {
            let listed = client.until_hall_told().await.into_iter().find(|listing| listing.code == code);
            if listed.as_ref().map(|listing| listing.state) == wanted {
                return listed;
            }
        }
    };
    within(&format!("{code} to be listed as {wanted:?}"), listed).await
}

#[tokio::test]
async fn names_are_cleaned_and_made_unique() {
    let server = TestServer::start();
    let mut here = Vec::new();
    for (asked, given) in [
        ("anna", "anna"),
        ("anna", "anna-2"),
        ("ANNA", "ANNA-3"),
        ("  anna\t b ", "anna b"),
        ("a\u{200b}n\u{202e}na\u{7}", "anna-4"),
        ("minimax", "minimax-2"),
        ("m1nimax", "m1nimax-3"),
        ("coco", "coco"),
        ("\u{441}\u{43e}\u{441}\u{43e}", "\u{441}\u{43e}\u{441}\u{43e}-2"),
        ("Zoë 李 🦦", "Zoë 李 🦦"),
    ] {
        here.push(server.client(asked).await);
        assert_eq!(here.last().unwrap().name(), given, "{asked:?}");
    }
    let longest = "x".repeat(MAX_NAME_CHARS);
    let (_first, second) = (server.client(&longest).await, server.client(&longest).await);
    assert_eq!(second.name(), format!("{}-2", "x".repeat(MAX_NAME_CHARS - 2)));
}

#[tokio::test]
async fn the_list_holds_all_lobbies_and_follows_every_change() {
    let server = TestServer::start();
    let (_anna, early) = server.opened("anna", terms("java-tech:21")).await;
    let mut watcher = server.client("watcher").await;
    assert_eq!(codes(&watcher.look().await), [early]);

    let (mut ben, late) = server.opened("ben", NewLobby { starts: Starts::Them, ..terms("nim:3-4-5") }).await;
    let listing = until_listed(&mut watcher, late, Some(LobbyState::Open)).await.unwrap();
    assert_eq!(listing.variant.as_str(), "nim:3-4-5:normal");
    assert_eq!((listing.seats.first, listing.seats.second.unwrap().name.as_str()), (None, "ben"));

    let mut cleo = server.joined("cleo", late).await;
    until_listed(&mut watcher, late, Some(LobbyState::Playing)).await;
    play_out(&mut cleo, &mut ben, first_move).await;
    until_listed(&mut watcher, late, Some(LobbyState::Over)).await;
    cleo.leave().await;
    ben.ask(LobbyRequest::Again).await;
    until_listed(&mut watcher, late, Some(LobbyState::Open)).await;
    ben.leave().await;
    until_listed(&mut watcher, late, None).await;
    assert_eq!(codes(&watcher.look().await), [early]);
}

#[tokio::test]
async fn a_lobby_that_opens_and_closes_between_two_broadcasts_is_not_announced() {
    let (_server, [mut watcher, mut ben]) = TestServer::start_for(["watcher", "ben"]).await;
    watcher.look().await;
    let mut requests = Vec::new();
    let create = ToServer::Hall { id: 1, request: HallRequest::Create(terms("java-tech:21")) };
    let leave = ToServer::Lobby { id: 1, request: LobbyRequest::Leave };
    // The server runs on the test's thread, so it answers all received requests before it broadcasts a
    // change.
    for message in [&create, &leave, &create, &leave, &create] {
        requests.extend_from_slice(&encode(message));
    }
    ben.wire().send_bytes(&requests).await;
    let told = watcher.next().await;
    let ToClient::Hall(HallEvent::Lobbies { listed, gone, complete: true }) = told else {
        panic!("expected news of the hall, got {told:?}")
    };
    assert_eq!((listed.len(), gone.len()), (1, 0), "only the last one remains to be announced");
}

#[tokio::test]
async fn a_listed_bot_is_marked_as_one() {
    let (_server, [mut anna, mut watcher]) = TestServer::start_for(["anna", "watcher"]).await;
    let code = anna.create_on(NewLobby { bot: BotWish::AtOnce, ..terms("java-tech:21") }).await;
    watcher.ask_hall(HallRequest::Look).await;
    let listing = until_listed(&mut watcher, code, Some(LobbyState::Playing)).await.unwrap();
    let kinds = listing.seats.iter().map(|(_, seat)| seat.as_ref().unwrap().kind).collect::<Vec<_>>();
    assert_eq!(kinds, [Kind::Person, Kind::Bot]);
}

#[tokio::test]
async fn a_long_list_comes_whole_with_the_open_lobbies_first() {
    let server = TestServer::start();
    let mut there = Vec::new();
    for number in 0..70 {
        let mut player = server.client(&format!("player {number}")).await;
        // The first lobbies are taken at once, so they are not open.
        let bot = if number < 30 { BotWish::AtOnce } else { BotWish::PeopleOnly };
        player.create_on(NewLobby { bot, ..terms("java-tech:21") }).await;
        there.push(player);
    }
    let mut watcher = server.client("watcher").await;
    let listed = watcher.look().await;
    let open = listed.iter().filter(|listing| listing.state == LobbyState::Open).count();
    assert_eq!((listed.len(), open), (64, 40), "open lobbies come before others");
    let newest = there.iter().rev().map(|player| player.lobby().code());
    assert_eq!(codes(&listed[..40]), newest.take(40).collect::<Vec<_>>(), "the newest is sent first");
    let (_late, code) = server.opened("late", terms("mu-torere")).await;
    let listed = watcher.until_hall_told().await;
    assert_eq!((listed.len(), listed[0].code), (65, code), "later messages too");
}

/// Opens this many lobbies of this game whose people vanish; the watcher sees all of them away.
async fn abandon(server: &TestServer, watcher: &mut TestClient, variant: &str, count: usize) -> Vec<Claim> {
    let mut claims = Vec::new();
    for number in 0..count {
        let mut player = server.client(&format!("player {number}")).await;
        player.create_on(lonely(variant)).await;
        claims.push(player.claim());
    }
    let away = |listings: &[Listing]| listings.iter().filter(|it| it.state == LobbyState::Away).count();
    let mut listed = watcher.look().await;
    while away(&listed) < count {
        listed = watcher.until_hall_told().await;
    }
    claims
}

#[tokio::test]
async fn lobbies_of_absent_people_are_skipped_by_quick_match_until_they_return() {
    let (server, [mut watcher]) = TestServer::start_for(["watcher"]).await;
    let gone = abandon(&server, &mut watcher, "java-tech:21", 64).await;
    let [mut anna, mut ben, mut cleo] = server.clients(["anna", "ben", "cleo"]).await;
    let code = anna.quick("java-tech:21").await;
    assert!(gone.iter().all(|claim| claim.code != code));
    assert_eq!(ben.quick("java-tech:21").await, code);
    let away = Refusal::Lobby(nim::lobby::Refusal::NobodyHere);
    assert_eq!(cleo.tries(join(gone[0].code)).await, Err(away));
    let living = cleo.create("mu-torere").await;
    until_listed(&mut watcher, living, Some(LobbyState::Open)).await;
    let told = server.client("late").await.look().await;
    assert_eq!((told.len(), told[0].code), (64, living), "open lobbies are sent first");
    let _back = server.comes_back(gone[7]).await;
    until_listed(&mut watcher, gone[7].code, Some(LobbyState::Open)).await;
    let mut dora = server.client("dora").await;
    assert_eq!(dora.quick("java-tech:21").await, gone[7].code);
}

#[tokio::test]
async fn a_player_gets_news_of_the_hall_only_after_looking_again() {
    let (server, [mut anna, mut ben]) = TestServer::start_for(["anna", "ben"]).await;
    anna.look().await;
    let mut watcher = server.client("watcher").await;
    watcher.look().await;
    anna.create("java-tech:21").await;
    let other = ben.create("nim:3-4-5").await;
    // Clients in the hall receive changes in order, so she would have been told before the watcher.
    until_listed(&mut watcher, other, Some(LobbyState::Open)).await;
    let heard = anna.catch_up().await;
    assert!(heard.is_empty(), "in the lobby: {heard:?}");
    anna.leave().await;
    ben.leave().await;
    until_listed(&mut watcher, other, None).await;
    let heard = anna.catch_up().await;
    assert!(heard.is_empty(), "outside: {heard:?}");
    let other = ben.create("nim:3-4-5").await;
    assert_eq!(codes(&anna.look().await), [other]);
}

#[tokio::test]
async fn quick_match_takes_the_oldest_open_lobby_of_the_variant_however_it_was_opened() {
    let server = TestServer::start();
    let mut there = Vec::new();
    let mut open = Vec::new();
    for (number, variant) in ["nim:3-4-5", "java-tech:21", "java-tech", "java-tech:22"].iter().enumerate() {
        let mut player = server.client(&format!("player {number}")).await;
        open.push(player.create_on(if number == 2 { terms(variant) } else { lonely(variant) }).await);
        there.push(player);
    }
    for expected in [open[1], open[2]] {
        let mut player = server.client("quick").await;
        assert_eq!(player.quick("java-tech:21").await, expected);
        there.push(player);
    }
    let mut fresh = server.client("fresh").await;
    let opened = fresh.quick("java-tech:21").await;
    assert!(!open.contains(&opened), "no open lobby of the variant was left");
    assert_eq!(fresh.lobby().phase(), Phase::Waiting);
    let mut next = server.client("next").await;
    assert_eq!(next.quick("java-tech:21").await, opened, "a lobby that quick match opened counts too");
}

fn lonely(variant: &str) -> NewLobby {
    NewLobby { bot: BotWish::PeopleOnly, hints: Hints::Nobody, ..terms(variant) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn people_who_ask_for_a_quick_match_at_the_same_moment_meet() {
    let (_server, [mut anna, mut ben]) = TestServer::start_for(["anna", "ben"]).await;
    for _ in 0..100 {
        let (hers, his) = tokio::join!(anna.quick("java-tech:21"), ben.quick("java-tech:21"));
        assert_eq!(hers, his, "two people who wait for the same game meet");
        anna.leave().await;
        ben.leave().await;
    }
}

#[tokio::test]
async fn an_unknown_lobby_a_taken_seat_and_a_wrong_variant_are_refused_in_words() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    for code in ["brave-otter", "", "nonsense", "a-b-c-d", "brave-otter-999"] {
        assert_eq!(anna.tries(join_text(code, None)).await, Err(unknown()), "{code:?}");
    }
    let left = anna.create("java-tech:21").await;
    let claim = anna.claim();
    anna.leave().await;
    for code in ["brave-otter".parse().unwrap(), left] {
        for request in [join(code), Claim { code, ..claim }.request()] {
            assert_eq!(anna.tries(request).await, Err(unknown()), "{code}");
        }
    }
    assert_eq!(anna.look().await, [], "a query creates none");
    for (variant, words) in [
        ("", "no game is named"),
        ("chess", "chess: no game has this name"),
        ("java-tech:0", "java-tech:0: a pile has 1 to 10^18 objects"),
        ("nim:3-4-x", "\"x\" is not a pile"),
        ("\u{1b}[2J", "\u{fffd}[2j: no game has this name"),
    ] {
        let refusal = anna.tries(HallRequest::Create(terms(variant))).await.unwrap_err();
        assert!(refusal.to_string().contains(words), "{variant:?}: {refusal}");
        assert_eq!(anna.tries(HallRequest::Quick(terms(variant))).await, Err(refusal));
    }
    let code = anna.create("java-tech:21").await;
    let [mut ben, mut cleo] = server.clients(["ben", "cleo"]).await;
    let heard = format!(" {} ", code.to_string().to_uppercase().replace('-', " "));
    assert_eq!(ben.tries(join_text(&heard, None)).await, Ok(()), "it can be typed in spoken form");
    let taken = cleo.tries(join(code)).await.unwrap_err();
    assert_eq!(taken.to_string(), "both seats of that lobby are taken");
    server.still_serves().await;
}

#[tokio::test]
async fn updates_of_the_list_do_not_answer_a_request_to_join() {
    let listing = |number| crate::harness::listing(Code::from_bits(number, 1), "java-tech:21");
    let told = |number| {
        let listed = List::first_of([listing(number)]);
        ToClient::Hall(HallEvent::Lobbies { listed, gone: List::default(), complete: true })
    };
    let ended = against(&[], "brave-otter\nhelp\nquit\n", async |mut server| {
        server.welcomes().await;
        server.says(&told(1)).await;
        assert!(matches!(server.hears().await, ToServer::Hall { request: HallRequest::Join { .. }, .. }));
        server.says(&told(2)).await;
        server.says(&told(2)).await;
        server.says(&entered()).await;
        server.waits().await;
    })
    .await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout.matches("Type a code to join").count(), 1, "it waits for its answer: {ended:?}");
    assert_eq!(ended.stdout.matches(&Code::from_bits(2, 1).to_string()).count(), 1, "told once: {ended:?}");
    assert!(ended.stdout.contains("Type a move: 1, 2 or 3."), "help was typed to the lobby: {ended:?}");
}

#[tokio::test]
async fn only_a_local_server_admits_two_players_at_one_keyboard() {
    let request = || {
        let (lobby, guest) = (terms("take:3:1"), Text::cut("ANNA"));
        HallRequest::CreateForTwo { lobby, guest }
    };
    let server = TestServer::start();
    let refusal = server.client("anna").await.refused_in_hall(request()).await;
    assert_eq!(refusal.to_string(), "two people at one keyboard play on their own machine");
    let server = TestServer::with(|config| config.plays_at_home = true);
    let mut anna = server.client("anna").await;
    anna.tries(request()).await.unwrap();
    let guest = anna.lobby().seats().second.clone().unwrap();
    assert_eq!((guest.name.as_str(), guest.kind), ("ANNA-2", Kind::Guest), "nobody has two names");
}
