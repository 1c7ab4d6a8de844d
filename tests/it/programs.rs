//! Programs that play: they say so, everybody sees it, and they are no people.

use nim::lobby::{BotRule, Kind, Refusal};
use nim::wire::{BotWish, ClientKind, HallRequest, NewLobby};

use crate::harness::{TestClient, TestServer, join, refused, terms};

/// A client that says that it is a program.
async fn program(server: &TestServer, name: &str) -> TestClient {
    TestClient::hello_as(server.connect().await, name, ClientKind::Program).await
}

fn people_only(variant: &str) -> NewLobby {
    NewLobby { bot: BotWish::PeopleOnly, ..terms(variant) }
}

#[tokio::test]
async fn a_program_is_shown_as_one_in_the_list_and_in_its_lobby() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let mut dice = program(&server, "dice").await;
    let code = dice.create("java-tech:21").await;
    let listed = anna.look().await;
    let seats = listed[0].seats.iter().filter_map(|(_, seat)| seat.as_ref());
    assert_eq!(seats.map(|seat| seat.kind).collect::<Vec<_>>(), [Kind::Program]);
    anna.join(code).await;
    anna.until_playing().await;
    let kinds = anna.lobby().seats().iter().map(|(_, seat)| seat.as_ref().unwrap().kind);
    assert_eq!(kinds.collect::<Vec<_>>(), [Kind::Program, Kind::Person]);
}

#[tokio::test]
async fn a_program_may_not_join_a_lobby_for_people_only() {
    let (server, [mut anna, mut ben]) = TestServer::start_for(["anna", "ben"]).await;
    let mut dice = program(&server, "dice").await;
    let code = anna.create_on(people_only("java-tech:21")).await;
    assert_eq!(anna.lobby().conditions().bot, BotRule::PeopleOnly);
    let refusal = dice.refused_in_hall(join(code)).await;
    assert_eq!(refusal, refused(Refusal::PeopleOnly));
    assert_eq!(refusal.to_string(), "only people may join that lobby, and you play by a program");
    // It may watch, and a quick match leads it elsewhere.
    dice.watch(code).await;
    dice.leave().await;
    assert_ne!(dice.quick("java-tech:21").await, code);
    ben.join(code).await;
    anna.until_playing().await;
}

#[tokio::test]
async fn a_quick_match_with_people_only_does_not_lead_to_a_program() {
    let (server, [mut anna, mut ben]) = TestServer::start_for(["anna", "ben"]).await;
    let mut dice = program(&server, "dice").await;
    let code = dice.create("java-tech:21").await;
    anna.ask_hall(HallRequest::Quick(people_only("java-tech:21"))).await;
    anna.until_lobby(|_| true).await;
    assert_ne!(anna.lobby().code(), code);
    assert_eq!(ben.quick("java-tech:21").await, code, "who does not mind plays the program");
}

#[tokio::test]
async fn a_program_that_opens_a_lobby_for_people_only_waits_for_a_person() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let (mut dice, mut coin) = (program(&server, "dice").await, program(&server, "coin").await);
    let code = dice.create_on(people_only("java-tech:21")).await;
    assert_eq!(coin.refused_in_hall(join(code)).await, refused(Refusal::PeopleOnly));
    anna.join(code).await;
    dice.until_playing().await;
}

#[tokio::test]
async fn a_program_keeps_its_seat_when_its_connection_is_lost() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let mut dice = program(&server, "dice").await;
    let code = dice.create("java-tech:21").await;
    anna.join(code).await;
    dice.until_playing().await;
    let (side, claim) = (dice.side(), dice.claim());
    dice.reset();
    anna.until_away(side).await;
    let dice = server.comes_back(claim).await;
    assert_eq!(dice.lobby().seats()[side].as_ref().unwrap().kind, Kind::Program);
}

#[tokio::test]
async fn a_script_is_a_program_and_people_see_that() {
    let server = TestServer::start();
    let mut dice = server.program("dice", &["--json", "--new", "take:9:4"]);
    dice.until(r#""event":"entered""#).await;
    let mut anna = server.program("anna", &["--quick", "take:9:4"]);
    anna.until("with dice [program].").await;
    dice.until(r#""name":"dice","kind":"program""#).await;
    anna.gives_up().await;
}
