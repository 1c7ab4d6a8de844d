//! Matches over real sockets: who starts, who leaves, and the score, which goes with the players and is
//! decided once nobody can catch up.

use nim::game::{Outcome, Side};
use nim::lobby::{self, Cause, Departure, Event, GameResult, Phase, PlayerId};
use nim::wire::{HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal, Starts};

use crate::harness::{
    Program, TestClient, TestServer, first_move, game, join, pair, play_out, refused, terms,
};

fn best_of(games: u8) -> NewLobby {
    NewLobby { best_of: games, ..terms("java-tech:21") }
}

/// The score as this client knows it: its own games, those of the other one, and the draws.
fn score(client: &TestClient) -> (u32, u32, u32) {
    let score = client.lobby().score();
    (score.won[client.side()], score.won[!client.side()], score.drawn)
}

/// Who has won the match, if it is decided and not drawn.
fn winner(client: &TestClient) -> Option<PlayerId> {
    let side = client.lobby().decision()?.winner()?;
    client.lobby().seats()[side].as_ref().map(|player| player.id)
}

/// The first one resigns the present game.
async fn loses(loser: &mut TestClient, other: &mut TestClient) {
    loser.resigns().await;
    other.result().await;
}

async fn again(one: &mut TestClient, other: &mut TestClient) {
    let (game, side) = (one.lobby().games() + 1, one.side());
    one.ask(LobbyRequest::Again).await;
    other.ask(LobbyRequest::Again).await;
    for client in [&mut *one, &mut *other] {
        client.until_event(|event| *event == Event::Started { game, swap: true }).await;
    }
    assert_eq!((one.side(), other.side()), (!side, side));
}

#[tokio::test]
async fn the_score_goes_with_the_players_when_they_swap_sides() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, best_of(5)).await;
    loses(&mut anna, &mut ben).await;
    for expected in [(1, 0, 0), (2, 0, 0)] {
        assert_eq!((score(&ben), winner(&ben)), (expected, None));
        again(&mut anna, &mut ben).await;
        assert_eq!(score(&ben), expected);
        loses(&mut anna, &mut ben).await;
    }
    assert_eq!((score(&ben), score(&anna)), ((3, 0, 0), (0, 3, 0)));
    assert_eq!((winner(&anna), winner(&ben)), (Some(ben.player()), Some(ben.player())));
}

#[tokio::test]
async fn a_match_is_decided_once_nobody_can_catch_up() {
    let server = TestServer::start();
    for (games, needed) in [(1, 1), (3, 2), (5, 3)] {
        let (mut anna, mut ben) = pair(&server, best_of(games)).await;
        for game in 1..=needed {
            assert_eq!(winner(&anna), None);
            loses(&mut ben, &mut anna).await;
            if game < needed {
                again(&mut anna, &mut ben).await;
            }
        }
        assert_eq!(winner(&anna), Some(anna.player()), "best of {games}");
    }
}

#[tokio::test]
async fn a_new_player_begins_another_match() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, best_of(3)).await;
    loses(&mut ben, &mut anna).await;
    ben.leave().await;
    anna.ask(LobbyRequest::Again).await;
    anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    let mut cleo = server.client("cleo").await;
    cleo.join(anna.lobby().code()).await;
    anna.until_playing().await;
    cleo.until_playing().await;
    assert_eq!((score(&anna), score(&cleo)), ((0, 0, 0), (0, 0, 0)));
}

#[tokio::test]
async fn a_match_without_an_end_is_refused() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    let refusal = anna.refused_in_hall(HallRequest::Create(best_of(100))).await;
    assert!(matches!(refusal, Refusal::Hall(HallRefusal::Conditions(_))), "{refusal:?}");
    assert_eq!(refusal.to_string(), "a match has 99 games at most");
    anna.create_on(best_of(99)).await;
}

#[tokio::test]
async fn the_score_is_told_in_words() {
    let args = ["play", "take:1:1", "--two", "--best-of", "3", "--name", "anna", "--other", "ben"];
    let mut both = Program::client(&args);
    both.until("The match is the best of 3.").await;
    both.types("resign\nagain\nresign\nagain\nresign\n").await;
    both.until("The score is anna 0, ben 1, the best of 3.").await;
    both.until("The score is ben 1, anna 1, the best of 3.").await;
    let last = both.until("The score is").await;
    assert_eq!(last, "The score is anna 1, ben 2, the best of 3. ben has won the match.");
}

#[tokio::test]
async fn the_opener_starts_unless_the_variant_or_they_say_otherwise() {
    let server = TestServer::start();
    for (variant, starts, side) in [
        ("java-tech:21", Starts::Variant, Side::First),
        ("zero-sum:11", Starts::Variant, Side::Second),
        ("zero-sum:11", Starts::Me, Side::First),
        ("java-tech:21", Starts::Them, Side::Second),
    ] {
        let (anna, ben) = pair(&server, NewLobby { starts, ..terms(variant) }).await;
        assert_eq!((anna.side(), ben.side()), (side, !side), "{variant} {starts:?}");
    }
}

#[tokio::test]
async fn a_player_who_leaves_in_the_middle_loses_and_the_other_may_wait_for_another_one() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    let code = anna.lobby().code();
    ben.leave().await;
    assert!(!ben.is_in_lobby());
    let won = GameResult { outcome: Outcome::Win(Side::First), cause: Cause::Left };
    assert_eq!(anna.result().await, won);
    anna.until_event(|event| *event == Event::Left { side: Side::Second, how: Departure::Quit }).await;

    let closed = ben.refused_in_hall(join(code)).await;
    assert_eq!(closed, refused(lobby::Refusal::SeatTaken), "it is not open before anna wants it");
    anna.ask(LobbyRequest::Again).await;
    anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    ben.join(code).await;
    play_out(&mut anna, &mut ben, first_move).await;
}
