//! Watchers, over real sockets and with the client program.

#[cfg(target_os = "linux")]
mod kicking;
mod piped;

use std::time::Duration;

use nim::client::session::SessionEvent;
use nim::client::words::{self, Viewpoint};
use nim::client::{Action, Leaving};
use nim::game::any::Move;
use nim::game::{Outcome, Side};
use nim::lobby::{Cause, ClockRule, Event, Kind, Moment, Name, Notice, Offer, Phase, Refusal};
use nim::wire::{self, BotWish, Farewell, HallRefusal, HallRequest, LobbyRequest, NewLobby};

use crate::harness::{
    Network, NetworkState, TestClient, TestServer, connect, game, news, pair, refused, take, terms, watch,
};

/// Two bots in a lobby of their own.
fn bots(variant: &str) -> NewLobby {
    NewLobby { bot: BotWish::Both, ..terms(variant) }
}

/// Opens a lobby for two bots, and watches them.
async fn exhibition(server: &TestServer, terms: NewLobby) -> TestClient {
    let mut cleo = server.client("cleo").await;
    cleo.tries(HallRequest::Create(terms)).await.unwrap();
    cleo
}

async fn is_told_of(client: &mut TestClient, event: &Event) {
    client.until_event(|told| told == event).await;
}

#[tokio::test]
async fn a_late_watcher_sees_everything_from_the_first_move_and_what_follows() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    anna.play(take(3)).await;
    ben.until_turn(2).await;
    ben.play(take(1)).await;
    let mut cleo = server.watcher("cleo", &anna).await;
    let seen: Vec<Move> = cleo.lobby().past().map(|past| past.mv).collect();
    assert_eq!(seen, [take(3), take(1)]);
    assert_eq!(cleo.lobby().base().write_position(), "21 first");
    anna.until_turn(3).await;
    anna.play(take(2)).await;
    anna.ask(LobbyRequest::Offer(Offer::Draw)).await;
    is_told_of(&mut cleo, &Event::Offered { side: Side::First, offer: Offer::Draw }).await;
    ben.until_lobby(|lobby| lobby.offer().is_some()).await;
    ben.ask(LobbyRequest::Resign).await;
    let results = [cleo.result().await, anna.result().await, ben.result().await];
    assert_eq!(results.map(|result| result.cause), [Cause::Resigned; 3]);
    assert_eq!((cleo.lobby(), ben.lobby()), (anna.lobby(), anna.lobby()));
}

#[tokio::test]
async fn everyone_is_told_who_watches_and_the_list_counts_them() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    let mut cleo = server.watcher("cleo", &anna).await;
    let mut dora = server.watcher("dora", &anna).await;
    let name = Name::clean(dora.name()).unwrap();
    for client in [&mut anna, &mut ben, &mut cleo] {
        let watched = Notice::Watched { name: name.clone() };
        client.until_notice(|notice| *notice == watched).await;
        assert_eq!(client.lobby().watchers(), 2);
    }
    dora.leave().await;
    for client in [&mut anna, &mut ben, &mut cleo] {
        let unwatched = Notice::Unwatched { name: name.clone() };
        client.until_notice(|notice| *notice == unwatched).await;
    }
    assert_eq!(dora.look().await[0].watchers, 1);
    cleo.reset();
    anna.until_lobby(|lobby| lobby.watchers() == 0).await;
}

#[tokio::test]
async fn watching_can_be_disabled_and_is_limited_by_the_host() {
    let server = TestServer::with(|config| config.max_watchers = 2);
    let (mut cleo, mut dora) = (server.client("cleo").await, server.client("dora").await);
    let (anna, ben) = pair(&server, NewLobby { watched: false, ..terms("java-tech:21") }).await;
    let refusal = cleo.refused_in_hall(watch(anna.lobby().code())).await;
    assert_eq!(refusal.to_string(), "nobody may watch in that lobby");
    drop((anna, ben));

    let (anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let code = anna.lobby().code();
    cleo.watch(code).await;
    dora.watch(code).await;
    let mut eve = server.client("eve").await;
    let refusal = eve.refused_in_hall(watch(code)).await;
    assert_eq!(refusal, refused(Refusal::TooManyWatchers { most: 2 }));
    assert_eq!(refusal.to_string(), "at most 2 may watch that lobby");
    dora.leave().await;
    eve.watch(code).await;
    let unknown = dora.refused_in_hall(watch("brave-otter".parse().unwrap())).await;
    assert_eq!(unknown, wire::Refusal::Hall(HallRefusal::NoSuchLobby));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn at_the_watcher_limit_the_address_with_most_watchers_loses_one_to_an_address_with_fewer() {
    let server = TestServer::with(|config| config.max_watchers = 3);
    let (anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let code = anna.lobby().code();
    let mut crowd = server.clients(["cleo", "dora", "eve"]).await;
    for watcher in &mut crowd {
        watcher.watch(code).await;
    }
    let mut same = server.client("fred").await;
    assert_eq!(same.refused_in_hall(watch(code)).await, refused(Refusal::TooManyWatchers { most: 3 }));
    let elsewhere = std::net::Ipv4Addr::new(127, 0, 0, 2);
    let mut gina = server.client_from(elsewhere, "gina").await;
    gina.watch(code).await;
    assert_eq!(crowd[0].wire().farewell().await, Farewell::NoRoom);
    assert_eq!(gina.lobby().watchers(), 3);
    server.client_from(elsewhere, "hugo").await.watch(code).await;
    assert_eq!(crowd[1].wire().farewell().await, Farewell::NoRoom);
}

#[tokio::test]
async fn watchers_of_one_address_are_limited() {
    let server = TestServer::with(|config| config.max_watchers_each = 1);
    let (anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let code = anna.lobby().code();
    let (mut cleo, mut dora) = (server.client("cleo").await, server.client("dora").await);
    cleo.watch(code).await;
    assert_eq!(dora.refused_in_hall(watch(code)).await, refused(Refusal::TooManyWatchers { most: 1 }));
    cleo.leave().await;
    dora.watch(code).await;
}

#[tokio::test]
async fn two_bots_play_game_after_game_for_a_watcher() {
    let server = TestServer::start();
    let mut cleo = exhibition(&server, bots("java-tech:20")).await;
    let won = |side| (Outcome::Win(side), Cause::Rules);
    for game in 1..=3 {
        cleo.until_lobby(|lobby| lobby.games() == game && lobby.phase() != Phase::Playing).await;
        let why = words::status::why(cleo.lobby(), Moment::START, Viewpoint::Spectator);
        assert!(why.ends_with("; another one starts when a watcher wants it."), "{why}");
        let result = cleo.result().await;
        assert_eq!((result.outcome, result.cause), won(Side::First), "20 is won for the first player");
        assert!(cleo.lobby().is_exhibition());
        cleo.ask(LobbyRequest::Again).await;
        is_told_of(&mut cleo, &Event::Started { game: game + 1, swap: true }).await;
    }
    let [one, other] = Side::BOTH.map(|side| cleo.lobby().seats()[side].clone().unwrap());
    assert!(one.name != other.name && (one.kind, other.kind) == (Kind::Bot, Kind::Bot));
}

#[tokio::test]
async fn the_game_of_two_bots_rests_while_nobody_watches_and_goes_on_for_a_new_watcher() {
    let server = TestServer::start();
    let mut cleo = exhibition(&server, bots("java-tech:1000000")).await;
    cleo.until_lobby(|lobby| lobby.turn() > 2).await;
    let code = cleo.lobby().code();
    cleo.reset();
    let mut dora = server.client("dora").await;
    while dora.look().await[0].watchers > 0 {}
    dora.watch(code).await;
    let turn = dora.lobby().turn();
    dora.until_lobby(|lobby| lobby.turn() > turn).await;
    dora.leave().await;
    server.lobby_is_freed(code).await;
}

#[tokio::test]
async fn an_unwatched_game_of_two_bots_expires() {
    let server = TestServer::with(|config| config.seats_kept = Duration::from_millis(20));
    let cleo = exhibition(&server, bots("java-tech:1000000")).await;
    let code = cleo.lobby().code();
    cleo.reset();
    server.lobby_is_freed(code).await;
}

#[tokio::test]
async fn one_lost_connection_does_not_end_the_game_that_a_program_watches() {
    let server = TestServer::with(|config| config.bot_pace = Duration::from_millis(20));
    let network = Network::before(server.address()).await;
    let mut cleo = connect(network.address(), "cleo", &["--new", "java-tech:1000000", "--bots"]);
    cleo.until("[bot, perfect]: take").await;
    network.set(NetworkState::Down);
    let lost = cleo.until("reconnecting for up to").await;
    let mut dora = server.client("dora").await;
    while dora.look().await[0].watchers > 0 {}
    network.set(NetworkState::Up);
    cleo.until("You watch again.").await;
    cleo.until("[bot, perfect]: take").await;
    assert!(lost.contains("10 minutes"), "{lost}");
}

#[tokio::test]
async fn a_lobby_for_two_bots_without_watchers_is_refused_and_not_left_open() {
    let two_bots = || HallRequest::Create(bots("java-tech:21"));
    let server = TestServer::with(|config| (config.max_watchers, config.max_lobbies) = (0, 1));
    let mut cleo = server.client("cleo").await;
    for _ in 0..3 {
        let refusal = cleo.refused_in_hall(two_bots()).await;
        assert_ne!(refusal, wire::Refusal::Hall(HallRefusal::LobbiesFull { most: 1 }));
    }
    cleo.create("java-tech:21").await;
    let server = TestServer::with(|config| config.bots = false);
    let mut cleo = server.client("cleo").await;
    let unseen = HallRequest::Create(NewLobby { watched: false, ..bots("java-tech:21") });
    let refusal = cleo.refused_in_hall(unseen).await;
    assert_eq!(refusal.to_string(), "a game between bots is there to be watched");
    let refusal = cleo.refused_in_hall(two_bots()).await;
    assert_eq!(refusal, wire::Refusal::Hall(HallRefusal::NoBots));
}

/// A clock would stop and start with each watcher, and each time that would be recorded.
#[tokio::test]
async fn two_bots_have_no_clock_so_watchers_who_come_and_go_add_no_events() {
    let server = TestServer::with(|config| config.bot_pace = Duration::from_hours(1));
    let mut cleo = server.client("cleo").await;
    let clock = ClockRule::Fischer { base: 300_000, bonus: 0 };
    let timed = HallRequest::Create(NewLobby { clock, ..bots("java-tech:21") });
    assert_eq!(cleo.refused_in_hall(timed).await.to_string(), "two bots play each other without a clock");
    let mut cleo = exhibition(&server, bots("java-tech:21")).await;
    cleo.until_playing().await;
    let (code, events) = (cleo.lobby().code(), cleo.lobby().last_event());
    for _ in 0..3 {
        cleo.reset();
        cleo = server.client("cleo").await;
        while cleo.look().await[0].watchers > 0 {}
        cleo.watch(code).await;
        assert_eq!(cleo.lobby().last_event(), events);
    }
}

#[tokio::test]
async fn the_program_shows_a_game_to_watchers_and_exits_when_its_people_leave() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    anna.play(take(2)).await;
    let code = anna.lobby().code();
    let mut cleo = server.terminal("cleo", &["--watch", &code.to_string()]);
    cleo.until(&format!("You watch in {code}.")).await;
    ben.until_turn(2).await;
    ben.play(take(1)).await;
    cleo.until("ben: take 1").await;
    cleo.asks("3", "You watch: the players move.").await;
    cleo.asks("why", "anna's turn.").await;
    cleo.asks("help", "say something to the other watchers").await;
    ben.ask(LobbyRequest::Resign).await;
    cleo.until("anna won: ben resigned.").await;
    anna.result().await;
    ben.leave().await;
    anna.leave().await;
    cleo.until("The lobby is closed: its players are gone.").await;
    server.lobby_is_freed(code).await;
    cleo.until("help or quit: ").await;
    cleo.quits().await;
}

#[tokio::test]
async fn a_watcher_who_leaves_while_the_lobby_closes_leaves_it_once() {
    let server = TestServer::start();
    let (mut anna, code) = server.opened("anna", terms("java-tech:21")).await;
    let mut dora = server.session("dora").await;
    dora.act(Action::Watch(code, None));
    while !matches!(news(&mut dora).await, SessionEvent::Entered) {}
    anna.leave().await;
    // She has not received yet that nobody is left.
    dora.act(Action::Leave(Leaving::GiveUp));
    while !matches!(news(&mut dora).await, SessionEvent::Outside) {}
    dora.act(Action::Look);
    let next = news(&mut dora).await;
    assert!(matches!(next, SessionEvent::Hall { looking: true, .. }), "{next:?}");
}
