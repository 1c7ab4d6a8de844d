//! Reviewing a finished game together, over real sockets and with the client program.

use nim::game::any::Move;
use nim::lobby::Text;
use nim::wire::PositionValue::{Draw, Loss, Win};
use nim::wire::{LobbyRequest, Review, ToClient};

use crate::harness::{Program, Terminal, TestClient, game, take};

/// Both make these moves in turns.
async fn play(one: &mut TestClient, other: &mut TestClient, moves: &[&str]) {
    let (mut here, mut there) = (one, other);
    for text in moves {
        let turn = here.lobby().turn();
        let mv: Move = here.lobby().board().read_move(text).unwrap();
        here.play(mv).await;
        there.until_lobby(|lobby| lobby.turn() > turn).await;
        (here, there) = (there, here);
    }
}

async fn review(client: &mut TestClient, number: u32) -> Review {
    client.ask(LobbyRequest::Review { number }).await;
    client
        .until(|message| match message {
            ToClient::Reviewed(review) => Some(review.clone()),
            ToClient::Refused { refusal, .. } => panic!("refused instead of reviewed: {refusal}"),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn players_and_watchers_see_the_value_of_every_move() {
    let (server, mut anna, mut ben) = game("java-tech:6").await;
    let mut cleo = server.watcher("cleo", &anna).await;
    play(&mut anna, &mut ben, &["2", "1", "3"]).await;
    let win = |moves| Win { moves: Some(moves) };
    let loss = |moves| Loss { moves: Some(moves) };
    cleo.result().await;
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.result().await;
        // Each length includes the move itself.
        for (number, mv, before, after, words) in [
            (
                1,
                take(2),
                win(4),
                loss(3),
                "turned a win in 4 moves into a loss in 3 moves; take 1 was better",
            ),
            (
                2,
                take(1),
                win(2),
                loss(3),
                "turned a win in 2 moves into a loss in 3 moves; take 3 was better",
            ),
            (3, take(3), win(2), loss(1), "turned a win in 2 moves into a loss in 1 move; take 2 was better"),
        ] {
            let words = Text::cut(words);
            let wanted = Review { number, count: 3, mv, before, after, words };
            assert_eq!(review(client, number).await, wanted);
        }
    }
}

#[tokio::test]
async fn a_drawn_position_has_the_value_of_a_draw() {
    let (_server, mut anna, mut ben) = game("tic-tac-toe").await;
    play(&mut anna, &mut ben, &["5", "2"]).await;
    ben.ask(LobbyRequest::Resign).await;
    anna.result().await;
    let first = review(&mut anna, 1).await;
    assert_eq!((first.before, first.after, first.words.as_str()), (Draw, Draw, "kept a draw"));
    let second = review(&mut anna, 2).await;
    assert!(matches!((second.before, second.after), (Draw, Loss { moves: Some(_) })));
    assert!(second.words.as_str().starts_with("turned a draw into a loss in "), "{}", second.words.as_str());
}

#[cfg(unix)]
#[tokio::test]
async fn the_program_reviews_move_by_move() {
    let mut anna = Terminal::client(&["play", "java-tech:2", "--two", "--name", "anna", "--other", "ben"]);
    for typed in ["1", "1"] {
        anna.until("or help): ").await;
        anna.types(typed);
    }
    anna.until("or quit: ").await;
    anna.asks("review 3", "No: the game has no move with that number: it has 2.").await;
    anna.asks("review", "Move 1 of 2, ").await;
    anna.until("Type review for the next move.").await;
    anna.asks("next", "Move 2 of 2, ").await;
    anna.until("That was the last move.").await;
    anna.asks("review 1", "Move 1 of 2, ").await;
    anna.quits().await;
}

#[tokio::test]
async fn a_script_gets_the_value_of_a_move() {
    let lines = [
        r#"{"do":"review","number":1}"#,
        r#"{"do":"play","move":"take 2"}"#,
        r#"{"do":"review","number":1}"#,
        r#"{"do":"review","number":2}"#,
        r#"{"do":"quit"}"#,
    ];
    let args = ["play", "take:2:2:misere", "--two", "--json", "--name", "anna", "--other", "ben"];
    let mut script = Program::client(&args);
    script.types(lines.join("\n")).await;
    script.until(r#""request":"review","refusal":"not_over""#).await;
    let told = script.until(r#""event":"reviewed""#).await;
    let wanted =
        r#"{"event":"reviewed","number":1,"count":1,"who":{"side":"first","name":"anna","kind":"person"},"#;
    let then = r#""move":"take 2","hand":"own","before":{"outcome":"won","moves":2},"#;
    assert!(told.starts_with(&format!("{wanted}{then}")), "{told}");
    script.until(r#""request":"review","refusal":"no_such_move""#).await;
    assert_eq!(script.finish().await.code, Some(0));
}
