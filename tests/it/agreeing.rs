//! Offers between players during a game, over real sockets and in the player's program. The rules of offers
//! are compared with a model of the lobby in `lobby::machine`.

use nim::game::{Outcome, Side};
use nim::lobby::{Cause, Event, GameResult, Notice, Offer, Refusal};
use nim::wire::LobbyRequest;

use crate::harness::{Program, TestServer, pair, refused, take, terms};

const DRAWN: GameResult = GameResult { outcome: Outcome::Draw, cause: Cause::Agreed };

#[tokio::test]
async fn both_players_see_each_offer_and_its_answer() {
    let server = TestServer::start();
    for (offer, accept, wanted) in [
        (Offer::Draw, true, Event::Ended { result: DRAWN }),
        (Offer::Takeback, true, Event::TakenBack { moves: 1 }),
        (Offer::Pause, true, Event::Paused),
        (Offer::Draw, false, Event::Declined { side: Side::Second }),
    ] {
        let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
        anna.play(take(3)).await;
        ben.until_turn(2).await;
        anna.ask(LobbyRequest::Offer(offer)).await;
        for client in [&mut anna, &mut ben] {
            client.until_event(|event| *event == Event::Offered { side: Side::First, offer }).await;
        }
        ben.ask(ben.answer(accept)).await;
        for client in [&mut anna, &mut ben] {
            client.until_event(|event| *event == wanted).await;
            assert_eq!(client.lobby().offer(), None);
        }
        assert_eq!(anna.lobby(), ben.lobby());
        if !accept {
            let again = anna.refused(LobbyRequest::Offer(offer)).await;
            assert_eq!(again, refused(Refusal::OfferedAlready));
        }
    }
}

#[tokio::test]
async fn a_bot_accepts_takebacks_and_pauses() {
    let (_server, [mut anna]) = TestServer::start_for(["anna"]).await;
    anna.against_the_bot("java-tech:20").await;
    anna.play(take(1)).await;
    anna.until_turn(3).await;
    anna.ask(LobbyRequest::Offer(Offer::Takeback)).await;
    anna.until_event(|event| *event == Event::TakenBack { moves: 2 }).await;
    assert_eq!(anna.lobby().board().write_position(), "20 first");
    anna.ask(LobbyRequest::Offer(Offer::Pause)).await;
    anna.until_event(|event| *event == Event::Paused).await;
    anna.ask(LobbyRequest::Resume).await;
    anna.until_event(|event| matches!(event, Event::Resumed { .. })).await;
    anna.play(take(3)).await;
}

#[tokio::test]
async fn a_bot_accepts_a_draw_unless_it_can_win() {
    let server = TestServer::start();
    for (variant, agrees) in [("java-tech:20", true), ("java-tech:21", false), ("tic-tac-toe", true)] {
        let mut anna = server.client("anna").await;
        anna.against_the_bot(variant).await;
        anna.ask(LobbyRequest::Offer(Offer::Draw)).await;
        let answer =
            anna.until_event(|event| matches!(event, Event::Ended { .. } | Event::Declined { .. })).await;
        assert_eq!(answer == Event::Ended { result: DRAWN }, agrees, "{variant}: {answer:?}");
    }
}

/// The programs of anna and ben in one game, with anna to move.
async fn programs(server: &TestServer, flags: &[&str]) -> (Program, Program) {
    let mut anna = server.program("anna", &[&["--new", "java-tech:21"], flags].concat());
    let code = if flags.is_empty() {
        anna.code().await
    } else {
        let entered = anna.until(r#""event":"entered""#).await;
        entered.split(r#""code":""#).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let ben = server.program("ben", &[&["--join", &code], flags].concat());
    (anna, ben)
}

#[tokio::test]
async fn offers_are_typed_and_answered_in_words() {
    let server = TestServer::start();
    let (mut anna, mut ben) = programs(&server, &[]).await;
    anna.until("Your move").await;
    anna.asks("takeback", "No: there is no move of yours to take back.").await;
    anna.types("draw\n").await;
    ben.until("anna offers a draw.").await;
    for (bens, typed, told) in [
        (true, "no", "ben declines."),
        (false, "pause", "Do you accept that the game is paused?"),
        (true, "yes", "Type resume to continue it."),
        (true, "resume", "ben resumes the game."),
        (false, "3", "Your move"),
        (true, "draw", "Do you accept a draw? (yes, no, or go on)"),
        (false, "yes", "Draw: both agreed."),
    ] {
        let (asker, other) = if bens { (&mut ben, &mut anna) } else { (&mut anna, &mut ben) };
        asker.types(format!("{typed}\n")).await;
        other.until(told).await;
    }
}

#[tokio::test]
async fn offers_at_one_keyboard_take_effect_at_once() {
    let mut both = Program::client(&["play", "java-tech:9", "--two", "--name", "anna", "--other", "ben"]);
    both.types("2\ntakeback\n3\n1\ntakeback\npause\nresume\ndraw\n").await;
    both.until("anna: take 2").await;
    both.until("The last move is taken back.").await;
    both.until("anna: take 3").await;
    both.until("ben: take 1").await;
    both.until("The last move is taken back.").await;
    both.until("The game is paused.").await;
    both.until("resumes the game.").await;
    both.until("Draw: both agreed.").await;
}

#[tokio::test]
async fn scripts_make_and_answer_offers() {
    let server = TestServer::start();
    let (mut anna, mut ben) = programs(&server, &["--json"]).await;
    anna.until(r#""event":"your_turn""#).await;
    let paused = r#"{"event":"paused","clocks":null}"#;
    let pause =
        r#"{"event":"offered","who":{"side":"second","name":"ben","kind":"program"},"offer":"pause"}"#;
    let resumed =
        r#"{"event":"resumed","who":{"side":"first","name":"anna","kind":"program"},"clocks":null}"#;
    let taken_back = r#"{"event":"taken_back","moves":2,"turn":4,"clocks":null,"position":"21 first"}"#;
    for (bens, typed, told) in [
        (false, r#"{"do":"play","move":"1"}"#, &[r#""event":"your_turn""#][..]),
        (
            true,
            r#"{"do":"offer","offer":"pause"}"#,
            &[pause, r#"{"event":"answer","offer":"pause","turn":2}"#],
        ),
        (false, r#"{"do":"answer","offer":"pause","accept":true}"#, &[paused, r#"{"event":"rest"}"#]),
        (false, r#"{"do":"resume"}"#, &[resumed, r#""event":"your_turn""#]),
        (
            true,
            r#"{"do":"offer","offer":"draw"}"#,
            &[paused, r#"{"event":"answer","offer":"draw","turn":2}"#],
        ),
        (false, r#"{"do":"answer","offer":"draw","accept":false}"#, &[r#""event":"declined""#]),
        (true, r#"{"do":"play","move":"1"}"#, &[r#""event":"your_turn""#]),
        (
            false,
            r#"{"do":"offer","offer":"takeback"}"#,
            &[r#"{"event":"answer","offer":"takeback","turn":3}"#],
        ),
        (true, r#"{"do":"answer","offer":"takeback","accept":true}"#, &[taken_back]),
    ] {
        let (asker, other) = if bens { (&mut ben, &mut anna) } else { (&mut anna, &mut ben) };
        asker.types(format!("{typed}\n")).await;
        for told in told {
            other.until(told).await;
        }
    }
}

#[tokio::test]
async fn a_paused_game_goes_on_only_once_both_players_are_there() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    anna.ask(LobbyRequest::Offer(Offer::Pause)).await;
    ben.accepts().await;
    ben.until_lobby(nim::lobby::Lobby::is_paused).await;
    let side = anna.side();
    let (mut anna, gone) = anna.reconnects(server.address()).await;
    drop(gone);
    ben.until_away(side).await;
    let away = refused(Refusal::OpponentAway);
    assert_eq!(ben.refused(LobbyRequest::Resume).await, away);
    anna.returns().await;
    ben.until_notice(|notice| matches!(notice, Notice::Back { .. })).await;
    ben.ask(LobbyRequest::Resume).await;
    ben.until_event(|event| matches!(event, Event::Resumed { .. })).await;
}
