//! Matches over real sockets, from the first seat taken to the last event: what both players are told.

use nim::game::{Outcome, Side};
use nim::lobby::{Cause, Departure, Event, GameResult, Hints, Phase, Refusal};
use nim::wire::{LobbyRequest, NewLobby, Starts, ToClient};

use crate::harness::{
    TestServer, VARIANTS, first_move, game, join, last_move, pair, play_out, refused, take, terms,
};

#[tokio::test]
async fn every_variant_is_played_to_its_end_by_the_rules() {
    let server = TestServer::start();
    for (variant, ..) in VARIANTS {
        let (mut anna, mut ben) = pair(&server, terms(variant)).await;
        let result = play_out(&mut anna, &mut ben, first_move).await;
        assert_eq!(result.cause, Cause::Rules, "{variant}");
        anna.ask(LobbyRequest::Again).await;
        ben.ask(LobbyRequest::Again).await;
        play_out(&mut anna, &mut ben, last_move).await;
    }
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
async fn a_rematch_swaps_the_sides_and_numbers_on() {
    let (_server, mut anna, mut ben) = game("take:3:1").await;
    for game in 1..=4 {
        let annas = if game % 2 == 1 { Side::First } else { Side::Second };
        assert_eq!((anna.side(), anna.lobby().games()), (annas, game));
        let result = play_out(&mut anna, &mut ben, first_move).await;
        assert_eq!(result.outcome, Outcome::Win(Side::First));
        assert_eq!(anna.lobby().turn(), 3 * game + 1, "the turns of a match are numbered through");
        ben.ask(LobbyRequest::Again).await;
        anna.until_event(|event| matches!(event, Event::AgainWanted { .. })).await;
        anna.ask(LobbyRequest::Again).await;
        anna.until_event(|event| *event == Event::Started { game: game + 1, swap: true }).await;
        ben.until_event(|event| *event == Event::Started { game: game + 1, swap: true }).await;
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
    assert_eq!(closed, refused(Refusal::SeatTaken), "it is not open before anna wants it");
    anna.ask(LobbyRequest::Again).await;
    anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    ben.join(code).await;
    play_out(&mut anna, &mut ben, first_move).await;
}

#[tokio::test]
async fn a_refused_move_is_answered_with_the_turn() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    anna.play(take(1)).await;
    let id = ben.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
    let refusal = refused(Refusal::OtherTurn);
    ben.until(|message| {
        (*message == ToClient::Refused { id, turn: 2, refusal: refusal.clone() }).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_hint_is_a_best_move_and_its_reason_for_the_present_turn() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, NewLobby { hints: Hints::All, ..terms("java-tech:21") }).await;
    anna.play(take(3)).await;
    ben.until_turn(2).await;
    ben.ask(LobbyRequest::Hint).await;
    let (turn, mv, words) = ben
        .until(|message| match message {
            ToClient::Hint { turn, mv, words } => Some((*turn, *mv, words.to_string())),
            _ => None,
        })
        .await;
    assert_eq!((turn, mv), (2, take(1)));
    assert!(words.contains("it leaves 17"), "{words}");
    assert_eq!(anna.refused(LobbyRequest::Hint).await, refused(Refusal::NotYourTurn));
}
