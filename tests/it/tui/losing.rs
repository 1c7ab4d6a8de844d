//! The program in a terminal while the connection is lost in a game.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{ConnectionLoss, Event, Notice, Phase};
use nim::wire::LobbyRequest;

use super::window::Window;
use crate::harness::{Network, NetworkState, TestClient, TestServer, terms};

/// ben in his lobby, to move first, and the window of anna, who has joined over a network that can break.
struct Game {
    _server: TestServer,
    network: Network,
    ben: TestClient,
    window: Window,
}

impl Game {
    async fn begun() -> Self {
        let server = TestServer::start();
        let network = Network::before(server.address()).await;
        let mut ben = server.client("ben").await;
        let code = ben.create_on(terms("take:9:4")).await.to_string();
        let address = network.address().to_string();
        let window = Window::client(&["connect", &address, "--name", "anna", "--join", &code]);
        ben.until_playing().await;
        Self { _server: server, network, ben, window }
    }

    /// The connection is lost while ben is to move.
    async fn lost_in_bens_turn() -> Self {
        let mut game = Self::begun().await;
        game.window.until_shown("ben's turn").await;
        game.is_lost().await;
        game
    }

    /// The connection is lost while anna is to move, with 8 objects left.
    async fn lost_in_annas_turn() -> Self {
        let mut game = Self::begun().await;
        takes(&mut game.ben, 1).await;
        game.window.until_shown("Your turn.").await;
        game.is_lost().await;
        game
    }

    /// Breaks the connection, and waits until both know it.
    async fn is_lost(&mut self) {
        self.network.set(NetworkState::Down);
        self.ben
            .until_notice(|notice| matches!(notice, Notice::Away { loss: ConnectionLoss::Closed, .. }))
            .await;
        let says = |shown: &str| {
            let line = shown.lines().nth(21).unwrap_or_default();
            line.contains("The connection is lost; reconnecting for another")
        };
        self.window.until("the loss in the sentence at the bottom", says).await;
    }
}

async fn takes(ben: &mut TestClient, count: u64) {
    ben.play(Move::Nim(Take { pile: 0, count })).await;
}

#[tokio::test]
async fn a_move_made_without_a_connection_is_sent_later() {
    let Game { _server, network, mut ben, mut window } = Game::lost_in_annas_turn().await;
    window.types("4\r");
    window.until_shown(" take 4 is made when the server is back. Choose again to change it.").await;
    window.until_shown("⏎ take 4 waits").await;
    // The waiting move is shown, and another one replaces it.
    window.types("3");
    window.until_shown(" take 4 is made when the server is back. Enter makes take 3 instead.").await;
    window.asks("\r", "⏎ take 3 waits").await;
    network.set(NetworkState::Up);
    ben.until_event(|event| matches!(event, Event::Moved { .. })).await;
    assert_eq!(ben.lobby().board().write_position(), "5 first");
    window.until_shown("You are back in").await;
    let is_over = |shown: &str| !shown.contains("The connection is lost;") && !shown.contains("take 3 waits");
    window.until("the end of the loss", is_over).await;
    takes(&mut ben, 4).await;
    window.until_shown("Your turn.").await;
    window.asks("1\r", "The game is over").await;
    ben.result().await;
    window.quits("q").await;
}

#[tokio::test]
async fn the_screen_answers_without_a_connection_and_catches_up() {
    let Game { _server, network, mut ben, mut window } = Game::lost_in_bens_turn().await;
    window.asks("?", "What you can do now").await;
    window.types("\x1b");
    window.until("the board", |shown| !shown.contains("What you can do now")).await;
    takes(&mut ben, 2).await;
    network.set(NetworkState::Up);
    window.until_shown("ben: take 2").await;
    window.until_shown("Your turn.").await;
    assert!(!window.shown().contains("The connection is lost;"), "{}", window.shown());
}

#[tokio::test]
async fn the_hall_reports_a_lost_connection_and_reloads() {
    let server = TestServer::start();
    let network = Network::before(server.address()).await;
    let (mut ben, mut cleo) = (server.client("ben").await, server.client("cleo").await);
    ben.create_on(terms("take:9:4")).await;
    let stays = cleo.create_on(terms("take:9:4")).await.to_string();
    let address = network.address().to_string();
    let mut window = Window::client(&["connect", &address, "--name", "anna"]);
    window.until_shown("The hall: 2 lobbies").await;
    window.until_shown("connected, ").await;
    network.set(NetworkState::Down);
    window.until_shown("The connection is lost; reconnecting for another").await;
    window.until_shown("connection lost").await;
    ben.leave().await;
    network.set(NetworkState::Up);
    window.until_shown("The hall: 1 lobby").await;
    let is_back =
        |shown: &str| !shown.contains("is lost") && shown.contains("connected") && shown.contains(&stays);
    window.until("the hall as it is", is_back).await;
    window.quits("q").await;
}

#[tokio::test]
async fn ctrl_c_twice_without_a_connection_keeps_the_seat() {
    let Game { _server, network: _network, ben, mut window } = Game::lost_in_bens_turn().await;
    window.asks("\x03", "Leave this game?").await;
    window.types("\x03");
    says_how_to_come_back(&mut window).await;
    assert_eq!(ben.lobby().phase(), Phase::Playing);
}

#[tokio::test]
async fn quitting_twice_without_a_connection_goes_at_once() {
    let Game { _server, network: _network, ben, mut window } = Game::lost_in_annas_turn().await;
    assert!(window.shown().contains("⏎ take 1"), "{}", window.shown());
    window.asks("qg", "To leave now and keep the seat, quit again.").await;
    // No move is made or promised any more.
    window.types("\r");
    window.until("no other answer", |shown| !shown.contains("You leave once")).await;
    assert!(window.shown().contains("; you leave"), "{}", window.shown());
    for key in ["⏎ take", "l leave"] {
        assert!(!window.shown().contains(key), "{}", window.shown());
    }
    let quit = window.place("q").expect("the key to quit");
    window.mouse(0, quit, 'M');
    window.mouse(0, quit, 'm');
    says_how_to_come_back(&mut window).await;
    // The button was released before anything was printed.
    assert!(!window.shown().contains("[<"), "{}", window.shown());
    assert_eq!(ben.lobby().phase(), Phase::Playing);
}

#[tokio::test]
async fn a_screen_with_a_finished_game_ends_without_a_connection() {
    let mut game = Game::begun().await;
    game.window.until_shown("ben's turn").await;
    game.ben.ask(LobbyRequest::Resign).await;
    game.window.until_shown("The game is over").await;
    game.is_lost().await;
    game.window.types("q");
    says_how_to_come_back(&mut game.window).await;
}

#[tokio::test]
async fn a_player_who_waits_for_an_opponent_goes_at_once_without_a_connection() {
    let server = TestServer::start();
    let network = Network::before(server.address()).await;
    let address = network.address().to_string();
    let opens = ["connect", &address, "--name", "anna", "--new", "take:9:4", "--people-only"];
    let mut window = Window::client(&opens);
    window.until_shown("Only people may join").await;
    window.until_shown("connected, ").await;
    network.set(NetworkState::Down);
    window.until_shown("The connection is lost; reconnecting for another").await;
    window.types("q");
    says_how_to_come_back(&mut window).await;
    assert!(!window.shown().contains("You closed"), "{}", window.shown());
}

/// Waits for the end of the program, which prints how to come back.
async fn says_how_to_come_back(window: &mut Window) {
    assert_eq!(window.ended().await, 7);
    window.is_sane();
    let shown = window.shown();
    assert!(shown.contains(" is kept: nim-client resume "), "{shown}");
}
