//! What players agree on during a game, over real sockets and in the player's program.

use nim::client::words::{self, Viewpoint};
use nim::game::{Outcome, Side};
use nim::lobby::{Cause, Event, GameResult, Offer, Phase, Refusal};
use nim::wire::LobbyRequest;

use crate::harness::{Program, TestClient, TestServer, game, pair, play_out, refused, take, terms};

const DRAWN: GameResult = GameResult { outcome: Outcome::Draw, cause: Cause::Agreed };

/// One player offers something, and the other one has heard of it.
async fn offers(one: &mut TestClient, other: &mut TestClient, offer: Offer) {
    let side = one.side();
    one.ask(LobbyRequest::Offer(offer)).await;
    for client in [one, other] {
        client.until_event(|event| *event == Event::Offered { side, offer }).await;
    }
}

/// Both have heard that this happened.
async fn both_hear(one: &mut TestClient, other: &mut TestClient, wanted: &Event) {
    for client in [&mut *one, &mut *other] {
        client.until_event(|event| event == wanted).await;
    }
    assert_eq!(one.lobby(), other.lobby());
}

/// One player makes a move, and the other one has seen it.
async fn moves(one: &mut TestClient, other: &mut TestClient, count: u64) {
    let turn = one.lobby().turn();
    one.play(take(count)).await;
    other.until_lobby(|lobby| lobby.turn() > turn).await;
}

#[tokio::test]
async fn what_is_accepted_is_done() {
    let server = TestServer::start();
    for (offer, wanted) in [
        (Offer::Draw, Event::Ended { result: DRAWN }),
        (Offer::Takeback, Event::TakenBack { moves: 1 }),
        (Offer::Pause, Event::Paused),
    ] {
        let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
        moves(&mut anna, &mut ben, 3).await;
        offers(&mut anna, &mut ben, offer).await;
        ben.ask(ben.answer(true)).await;
        both_hear(&mut anna, &mut ben, &wanted).await;
        assert_eq!(anna.lobby().offer(), None);
    }
}

#[tokio::test]
async fn what_is_declined_changes_nothing_and_is_not_offered_again_in_that_turn() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    let again = |offer| LobbyRequest::Offer(offer);
    for offer in [Offer::Draw, Offer::Pause] {
        offers(&mut anna, &mut ben, offer).await;
        ben.ask(ben.answer(false)).await;
        both_hear(&mut anna, &mut ben, &Event::Declined { side: Side::Second }).await;
        assert_eq!(anna.refused(again(offer)).await, refused(Refusal::OfferedAlready));
    }
    assert_eq!((anna.lobby().phase(), anna.lobby().turn()), (Phase::Playing, 1));
    offers(&mut ben, &mut anna, Offer::Draw).await;
    anna.ask(anna.answer(false)).await;
    both_hear(&mut anna, &mut ben, &Event::Declined { side: Side::First }).await;
    moves(&mut anna, &mut ben, 1).await;
    offers(&mut anna, &mut ben, Offer::Draw).await;
}

#[tokio::test]
async fn a_move_is_taken_back_with_what_was_answered_to_it_and_the_turns_go_on() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    let back = LobbyRequest::Offer(Offer::Takeback);
    assert_eq!(anna.refused(back.clone()).await, refused(Refusal::NothingToTakeBack));
    moves(&mut anna, &mut ben, 3).await;
    assert_eq!(ben.refused(back).await, refused(Refusal::NothingToTakeBack), "ben has made no move");
    moves(&mut ben, &mut anna, 2).await;

    offers(&mut anna, &mut ben, Offer::Takeback).await;
    ben.ask(ben.answer(true)).await;
    both_hear(&mut anna, &mut ben, &Event::TakenBack { moves: 2 }).await;
    assert_eq!((anna.lobby().turn(), anna.lobby().board().write_position()), (4, "21 first".into()));
    let late = LobbyRequest::Play { turn: 3, mv: take(1) };
    assert_eq!(anna.refused(late).await, refused(Refusal::OtherTurn), "it was meant for another board");

    moves(&mut anna, &mut ben, 1).await;
    offers(&mut anna, &mut ben, Offer::Takeback).await;
    ben.ask(ben.answer(true)).await;
    both_hear(&mut anna, &mut ben, &Event::TakenBack { moves: 1 }).await;
    assert_eq!((ben.lobby().turn(), ben.lobby().past().len()), (6, 0));
    let result = play_out(&mut anna, &mut ben, |heaps| heaps.moves()[0]).await;
    assert_eq!(result.cause, Cause::Rules);
}

#[tokio::test]
async fn while_the_game_rests_nobody_moves_and_either_player_goes_on() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    assert_eq!(anna.refused(LobbyRequest::Resume).await, refused(Refusal::NotPaused));
    for goes_on in [Side::First, Side::Second] {
        offers(&mut anna, &mut ben, Offer::Pause).await;
        ben.ask(ben.answer(true)).await;
        both_hear(&mut anna, &mut ben, &Event::Paused).await;
        let play = LobbyRequest::Play { turn: anna.lobby().turn(), mv: take(1) };
        assert_eq!(anna.refused(play).await, refused(Refusal::Paused));
        let draw = LobbyRequest::Offer(Offer::Draw);
        assert_eq!(ben.refused(draw).await, refused(Refusal::Paused));
        let resumes = if goes_on == Side::First { &mut anna } else { &mut ben };
        resumes.ask(LobbyRequest::Resume).await;
        both_hear(&mut anna, &mut ben, &Event::Resumed { side: goes_on }).await;
        moves(&mut anna, &mut ben, 1).await;
        moves(&mut ben, &mut anna, 1).await;
    }
}

#[tokio::test]
async fn a_bot_lets_people_have_moves_back_and_rests() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
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
async fn a_bot_agrees_on_a_draw_where_it_does_not_win() {
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

#[tokio::test]
async fn an_offer_to_an_absent_player_does_not_prevent_another_one() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    moves(&mut anna, &mut ben, 1).await;
    drop(ben);
    anna.until_event(|event| matches!(event, Event::Away { .. })).await;
    for offer in [Offer::Takeback, Offer::Draw] {
        anna.ask(LobbyRequest::Offer(offer)).await;
        anna.until_event(|event| *event == Event::Offered { side: Side::First, offer }).await;
    }
    let why = words::status::why(anna.lobby(), anna.lobby().began(), Viewpoint::Player(anna.player()));
    assert!(why.contains("a stand-in plays in "), "{why}");
    assert!(why.ends_with("; you offered a draw, and ben has not answered."), "{why}");
}

/// Anna's and ben's programs in one game, anna to move.
async fn programs(server: &TestServer, flags: &[&str]) -> (Program, Program) {
    let address = server.address().to_string();
    let connect = |name, wish: &[&str]| {
        Program::client(&[&["connect", &address, "--name", name], wish, flags].concat())
    };
    let mut anna = connect("anna", &["--new", "java-tech:21", "--people-only"]);
    let code = if flags.is_empty() {
        anna.code().await
    } else {
        let entered = anna.until(r#""event":"entered""#).await;
        entered.split(r#""code":""#).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let ben = connect("ben", &["--join", &code]);
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
    ben.until("Do you accept a draw? (yes, no, or go on)").await;
    ben.types("no\n").await;
    anna.until("ben declines.").await;
    anna.types("pause\n").await;
    ben.until("Do you accept that the game rests?").await;
    ben.types("yes\n").await;
    for program in [&mut anna, &mut ben] {
        program.until("The game rests. Type resume to go on with it.").await;
    }
    ben.types("resume\n").await;
    anna.until("ben goes on with the game.").await;
    anna.types("3\n").await;
    ben.until("Your move").await;
    ben.types("draw\n").await;
    anna.until("Do you accept a draw?").await;
    anna.types("yes\n").await;
    ben.until("Draw: both agreed.").await;
}

#[tokio::test]
async fn two_people_at_one_keyboard_have_agreed_before_they_type() {
    let mut both = Program::client(&["play", "java-tech:9", "--two", "--name", "anna", "--other", "ben"]);
    both.types("2\ntakeback\n3\n1\ntakeback\npause\nresume\ndraw\n").await;
    both.until("anna: take 2").await;
    both.until("The last move is taken back.").await;
    both.until("anna: take 3").await;
    both.until("ben: take 1").await;
    both.until("The last move is taken back.").await;
    both.until("The game rests.").await;
    both.until("on with the game.").await;
    both.until("Draw: both agreed.").await;
}

#[tokio::test]
async fn scripts_agree_too() {
    let server = TestServer::start();
    let (mut anna, mut ben) = programs(&server, &["--json"]).await;
    anna.until(r#""event":"your_turn""#).await;
    anna.types("{\"do\":\"play\",\"move\":\"1\"}\n").await;
    ben.until(r#""event":"your_turn""#).await;
    ben.types("{\"do\":\"offer\",\"offer\":\"pause\"}\n").await;
    ben.until(r#"{"event":"offered","who":{"side":"second","name":"ben","kind":"person"},"offer":"pause"}"#)
        .await;
    anna.until(r#"{"event":"answer","offer":"pause","turn":2}"#).await;
    anna.types("{\"do\":\"answer\",\"offer\":\"pause\",\"accept\":true}\n").await;
    for program in [&mut anna, &mut ben] {
        program.until(r#"{"event":"paused","clocks":null}"#).await;
        program.until(r#"{"event":"rest"}"#).await;
    }
    anna.types("{\"do\":\"resume\"}\n").await;
    ben.until(r#"{"event":"resumed","who":{"side":"first","name":"anna","kind":"person"},"clocks":null}"#)
        .await;
    ben.until(r#""event":"your_turn""#).await;
    ben.types("{\"do\":\"offer\",\"offer\":\"draw\"}\n").await;
    anna.until(r#"{"event":"answer","offer":"draw","turn":2}"#).await;
    anna.types("{\"do\":\"answer\",\"offer\":\"draw\",\"accept\":false}\n").await;
    ben.until(r#""event":"declined""#).await;
    ben.types("{\"do\":\"play\",\"move\":\"1\"}\n").await;
    anna.until(r#""event":"your_turn""#).await;
    anna.types("{\"do\":\"offer\",\"offer\":\"takeback\"}\n").await;
    ben.until(r#"{"event":"answer","offer":"takeback","turn":3}"#).await;
    ben.types("{\"do\":\"answer\",\"offer\":\"takeback\",\"accept\":true}\n").await;
    anna.until(r#"{"event":"taken_back","moves":2,"turn":4,"clocks":null,"position":"21 first"}"#).await;
}
