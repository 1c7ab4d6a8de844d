//! Matches over real sockets, from the first seat taken to the last event: what both players are told.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::game::{Outcome, Side};
use nim::lobby::{Cause, Departure, Event, GameResult, Hints, Phase, Refusal};
use nim::wire::{self, BotWish, LobbyRequest, NewLobby, Starts, ToClient};

use crate::harness::{TestServer, VARIANTS, first_move, join, last_move, pair, play_out, terms};

fn take(count: u64) -> Move {
    Move::Nim(Take { pile: 0, count })
}

fn refused_by_lobby(refusal: Refusal) -> wire::Refusal {
    wire::Refusal::Lobby(refusal)
}

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
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
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
async fn another_game_is_asked_for_once_and_after_the_game() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
    assert_eq!(anna.refused(LobbyRequest::Again).await, refused_by_lobby(Refusal::NotOver));
    play_out(&mut anna, &mut ben, first_move).await;
    anna.ask(LobbyRequest::Again).await;
    assert_eq!(anna.refused(LobbyRequest::Again).await, refused_by_lobby(Refusal::AlreadyAsked));
    assert_eq!(ben.refused(LobbyRequest::Resign).await, refused_by_lobby(Refusal::NoGame));
    let turn = ben.lobby().turn();
    let late = LobbyRequest::Play { turn, mv: take(1) };
    assert_eq!(ben.refused(late).await, refused_by_lobby(Refusal::NoGame));
}

#[tokio::test]
async fn a_player_who_resigns_loses_on_any_turn() {
    let server = TestServer::start();
    for on_own_turn in [true, false] {
        let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
        let (loser, winner) = if on_own_turn { (&mut anna, &mut ben) } else { (&mut ben, &mut anna) };
        loser.ask(LobbyRequest::Resign).await;
        let result = GameResult { outcome: Outcome::Win(winner.side()), cause: Cause::Resigned };
        assert_eq!((loser.result().await, winner.result().await), (result, result));
    }
}

#[tokio::test]
async fn a_player_who_leaves_in_the_middle_loses_and_the_other_may_wait_for_another_one() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let code = anna.lobby().code();
    ben.leave().await;
    assert!(!ben.is_in_lobby());
    let won = GameResult { outcome: Outcome::Win(Side::First), cause: Cause::Left };
    assert_eq!(anna.result().await, won);
    anna.until_event(|event| *event == Event::Left { side: Side::Second, how: Departure::Quit }).await;

    let closed = ben.refused_in_hall(join(code)).await;
    assert_eq!(closed, refused_by_lobby(Refusal::SeatTaken), "it is not open before anna wants it");
    anna.ask(LobbyRequest::Again).await;
    anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    ben.join(code).await;
    play_out(&mut anna, &mut ben, first_move).await;
}

#[tokio::test]
async fn a_wish_for_another_game_opens_the_seat_of_a_player_who_leaves_then() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
    play_out(&mut anna, &mut ben, first_move).await;
    anna.ask(LobbyRequest::Again).await;
    ben.leave().await;
    anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    let mut cleo = server.client("cleo").await;
    cleo.join(anna.lobby().code()).await;
    play_out(&mut anna, &mut cleo, first_move).await;
    assert_eq!(anna.lobby().games(), 2);
}

#[tokio::test]
async fn a_move_sent_twice_is_made_once() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let first = LobbyRequest::Play { turn: 1, mv: take(3) };
    anna.ask(first.clone()).await;
    assert_eq!(anna.refused(first).await, refused_by_lobby(Refusal::OtherTurn));
    ben.until_lobby(|lobby| lobby.turn() == 2).await;
    assert_eq!(ben.lobby().board().write_position(), "18 second");
    ben.play(take(1)).await;
}

#[tokio::test]
async fn a_refused_move_is_answered_with_the_turn() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    anna.play(take(1)).await;
    let id = ben.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
    let refusal = refused_by_lobby(Refusal::OtherTurn);
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
    ben.until_lobby(|lobby| lobby.turn() == 2).await;
    ben.ask(LobbyRequest::Hint).await;
    let (turn, mv, words) = ben
        .until(|message| match message {
            ToClient::Hint { turn, mv, words } => Some((*turn, *mv, words.to_string())),
            _ => None,
        })
        .await;
    assert_eq!((turn, mv), (2, take(1)));
    assert!(words.contains("it leaves 17"), "{words}");
    assert_eq!(anna.refused(LobbyRequest::Hint).await, refused_by_lobby(Refusal::NotYourTurn));
}

#[tokio::test]
async fn hints_are_refused_where_the_conditions_do_not_allow_them() {
    let server = TestServer::start();
    for (hints, bot, allowed) in [
        (Hints::Nobody, BotWish::AtOnce, false),
        (Hints::AgainstBots, BotWish::AtOnce, true),
        (Hints::AgainstBots, BotWish::PeopleOnly, false),
    ] {
        let mut anna = server.client("anna").await;
        let mut ben = server.client("ben").await;
        let code = anna.create_on(NewLobby { hints, bot, ..terms("nim:3-4-5") }).await;
        if bot == BotWish::PeopleOnly {
            assert_eq!(anna.refused(LobbyRequest::Hint).await, refused_by_lobby(Refusal::NoGame));
            ben.join(code).await;
        }
        anna.until_lobby(|lobby| lobby.phase() == Phase::Playing).await;
        let id = anna.ask(LobbyRequest::Hint).await;
        let granted = anna
            .until(|message| match message {
                ToClient::Hint { .. } => Some(true),
                ToClient::Refused { id: refused, refusal, .. } => {
                    assert_eq!((*refused, refusal), (id, &refused_by_lobby(Refusal::NoHints)));
                    Some(false)
                }
                _ => None,
            })
            .await;
        assert_eq!(granted, allowed, "{hints:?} {bot:?}");
    }
}
