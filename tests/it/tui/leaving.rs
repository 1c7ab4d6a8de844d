//! The program in a terminal that leaves a game and comes back to it.

use nim::lobby::{ConnectionLoss, Notice, Phase};

use super::window::Window;
use crate::harness::{TestClient, TestServer, terms};

/// ben in his lobby, to move first, and the window of anna, who has joined.
async fn begun(server: &TestServer) -> (TestClient, Window) {
    let mut ben = server.client("ben").await;
    let code = ben.create_on(terms("take:9:4")).await.to_string();
    let address = server.address().to_string();
    let mut window = Window::client(&["connect", &address, "--name", "anna", "--join", &code]);
    ben.until_playing().await;
    window.until_shown("ben's turn").await;
    (ben, window)
}

async fn sees_away(ben: &mut TestClient) {
    let closed = |notice: &Notice| matches!(notice, Notice::Away { loss: ConnectionLoss::Closed, .. });
    ben.until_notice(closed).await;
    assert_eq!(ben.lobby().phase(), Phase::Playing);
}

#[tokio::test]
async fn enter_in_the_question_how_to_quit_keeps_the_game() {
    let server = TestServer::start();
    for keys in ["q\r", "\x03\x03"] {
        let (mut ben, window) = begun(&server).await;
        window.quits(keys).await;
        sees_away(&mut ben).await;
        ben.leave().await;
    }
}

#[tokio::test]
async fn a_kept_game_is_entered_again_from_the_hall() {
    let server = TestServer::start();
    let (mut ben, mut window) = begun(&server).await;
    for _ in 0..2 {
        window.asks("l", "A stand-in [bot, beginner] plays for you after 10 seconds.").await;
        window.asks("\r", "You have a seat there.").await;
        sees_away(&mut ben).await;
        window.until_shown("⏎ return").await;
        window.asks("\r", "You are back in your seat.").await;
        ben.until_notice(|notice| matches!(notice, Notice::Back { .. })).await;
    }
    // A seat that is given up is not offered any more.
    window.asks("l", "Leave this game?").await;
    window.asks("g", "The hall: 1 lobby").await;
    window.until("no seat there", |shown| !shown.contains("You have a seat there.")).await;
    window.quits("q").await;
}
