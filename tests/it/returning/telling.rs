//! What a returning player is shown: the result of a move, the result of a game, the agreement.

use std::time::Duration;

use nim::lobby::{ClockRule, Hand, Offer, WhenAway};
use nim::wire::{AwayWish, LobbyRequest, NewLobby};

use super::{begun_on, ben_and_annas, ben_and_annas_on, hands_until, sees_away, takes};
use crate::harness::{Network, NetworkState, Terminal, TestClient, TestServer, game_on, terms};

/// A game in which a stand-in plays at once.
fn stood_in(variant: &str) -> NewLobby {
    NewLobby { away: AwayWish { then: WhenAway::StandIn, level: None, after: 0 }, ..terms(variant) }
}

/// Ben plays until the turn has this number, one object at a time, against the stand-in for anna.
async fn plays_until(ben: &mut TestClient, turn: u32) {
    while ben.lobby().turn() < turn {
        takes(ben, 1).await;
        hands_until(ben, ben.lobby().turn() + 1).await;
    }
}

#[tokio::test]
async fn a_returning_player_learns_of_a_move_that_never_arrived() {
    let server = TestServer::start();
    // With few missed events each is sent; with many, a snapshot is sent instead.
    for (until, types_it_again) in [(5, false), (5, true), (101, false)] {
        let not_made = "The move that you typed was not made: its turn is over.";
        for (state, hand) in
            [(NetworkState::LosesRequests, Hand::StandIn), (NetworkState::LosesAnswers, Hand::Own)]
        {
            let network = Network::before(server.address()).await;
            let (mut ben, mut program) =
                ben_and_annas_on(&server, &network, &[], stood_in("take:200:1")).await;
            takes(&mut ben, 1).await;
            program.until("Your move").await;
            network.set(state);
            program.types("1\n").await;
            if state == NetworkState::LosesRequests {
                network.has_swallowed(1).await;
                network.set(NetworkState::Down);
            }
            assert_eq!(hands_until(&mut ben, 3).await, [hand]);
            network.set(NetworkState::Down);
            if types_it_again {
                program.until("reconnecting").await;
                program.asks("1", "Your move is made as soon as the connection is back.").await;
            }
            plays_until(&mut ben, until).await;
            network.set(NetworkState::Up);
            program.until("You are back in your seat.").await;
            let next = program.line().await;
            assert_eq!(next == not_made, hand == Hand::StandIn, "{until}: {next}");
            ben.leave().await;
        }
    }
}

#[tokio::test]
async fn a_script_is_told_of_a_move_that_was_not_made() {
    let (_home, _server, network, mut ben, mut program) =
        begun_on(TestServer::start(), &["--json"], stood_in("take:20:3")).await;
    takes(&mut ben, 1).await;
    program.until(r#""event":"your_turn""#).await;
    network.set(NetworkState::LosesRequests);
    program.types("{\"do\":\"play\",\"move\":\"1\"}\n").await;
    network.has_swallowed(1).await;
    network.set(NetworkState::Down);
    assert_eq!(hands_until(&mut ben, 3).await, [Hand::StandIn]);
    network.set(NetworkState::Up);
    program.until(r#""event":"returned""#).await;
    let next = program.line().await;
    assert!(next.contains(r#""request":"play","refusal":"other_turn","turn":3"#), "{next}");
}

#[tokio::test]
async fn a_lost_client_shows_how_long_its_seat_is_kept_at_least() {
    let server = TestServer::with(|config| config.seats_kept = Duration::from_mins(1));
    let network = Network::before(server.address()).await;
    for (flags, told) in [
        (&[][..], "reconnecting for up to 1 minute; your seat may be given up after that."),
        (&["--give-up", "30s"], "reconnecting for up to 30 seconds."),
    ] {
        let (_ben, mut program) = ben_and_annas(&server, &network, flags).await;
        program.until("starts.").await;
        network.set(NetworkState::Down);
        let line = program.until("reconnecting").await;
        assert!(line.ends_with(told), "{line}");
        network.set(NetworkState::Up);
        program.until("You are back in your seat.").await;
    }
}

/// A game with a clock, and the sentences of its agreement.
fn timed() -> NewLobby {
    NewLobby { clock: ClockRule::Fischer { base: 300_000, bonus: 3_000 }, best_of: 3, ..terms("take:9:4") }
}

const ABSENCE: &str = "a stand-in [bot, beginner] plays after 10 seconds.";
const CLOCK: &str = "The clock gives each 5 minutes for the game, and 3 seconds more with every move.";

#[tokio::test]
async fn a_resumed_game_shows_the_agreement_and_the_clocks() {
    let (home, _server, _network, mut ben, mut program) = begun_on(TestServer::start(), &[], timed()).await;
    program.until(ABSENCE).await;
    program.until(CLOCK).await;
    takes(&mut ben, 1).await;
    program.until("Your move").await;
    program.dies().await;
    let mut again = home.resumes(&[]);
    again.until(ABSENCE).await;
    again.until(CLOCK).await;
    again.until("Time: ben 5:0").await;
    again.asks("terms", "seats and games are kept for 15 minutes, and a paused game for 7 days.").await;
    again.until("The match is the best of 3.").await;
    again.until("Up to 50 people may watch; the lobby is in the list, and has no password.").await;
}

#[tokio::test]
async fn a_returning_player_or_new_watcher_sees_how_the_game_ended() {
    let (home, server, _network, mut ben, mut program) = begun_on(TestServer::start(), &[], timed()).await;
    program.until("ben starts.").await;
    program.dies().await;
    sees_away(&mut ben).await;
    ben.resigns().await;
    let mut again = Terminal::keeping(home.path(), &["resume"]);
    for word in ["board", "why"] {
        again.until("You won: ben resigned.").await;
        again.until("Score: ben 0, you 1 (best of 3).").await;
        again.until("Type again").await;
        again.types(word);
    }
    again.until("The game is over (you won: ben resigned); another one starts when both want it.").await;
    let mut cleo = server.program("cleo", &["--watch", &ben.lobby().code().to_string()]);
    cleo.until("anna won: ben resigned.").await;
    cleo.asks("why", "The game is over (anna won: ben resigned); ").await;
}

#[tokio::test]
async fn a_script_that_resumes_is_told_its_name_what_was_agreed_and_how_the_game_ended() {
    let (home, _server, _network, mut ben, mut program) =
        begun_on(TestServer::start(), &["--json"], timed()).await;
    program.until(r#""event":"started""#).await;
    program.dies().await;
    ben.resigns().await;
    let mut again = home.resumes(&["--json"]);
    let welcome = again.until(r#""event":"welcome""#).await;
    assert!(!welcome.contains(r#""name":"anna""#), "the seat has that name: {welcome}");
    let entered = again.until(r#""event":"entered""#).await;
    assert!(entered.starts_with(r#"{"event":"entered","name":"anna","#), "{entered}");
    assert!(entered.contains(r#""level":"perfect","stand_in_level":"beginner","bot_after""#), "{entered}");
    assert!(entered.contains(r#""away_after":10000,"silent_after":40000"#), "{entered}");
    let result = r#""result":{"winner":"second","cause":"resigned","words":"You won: ben resigned."}"#;
    assert!(entered.contains(result), "{entered}");
    again.until(r#""event":"over""#).await;
    let terms = again.asks(r#"{"do":"terms"}"#, r#""event":"terms""#).await;
    let agreed = r#""clock":"5m+3s","best_of":3,"listed":true,"kept_for":900000,"rests_for":604800000"#;
    assert!(terms.contains(agreed), "{terms}");
}

#[tokio::test]
async fn a_new_watcher_sees_the_agreement_and_clocks_are_shown_at_a_pause_and_after_it() {
    let (server, mut anna, mut ben) = game_on(timed()).await;
    let code = anna.lobby().code().to_string();
    let mut cleo = server.program("cleo", &["--watch", &code]);
    cleo.until(ABSENCE).await;
    cleo.until("Time: anna ").await;
    anna.ask(LobbyRequest::Offer(Offer::Pause)).await;
    ben.accepts().await;
    cleo.until("The game is paused.").await;
    assert!(cleo.line().await.starts_with("Time: anna "));
    ben.ask(LobbyRequest::Resume).await;
    cleo.until("ben resumes the game.").await;
    assert!(cleo.line().await.starts_with("Time: anna "));
}
