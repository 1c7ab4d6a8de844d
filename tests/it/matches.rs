//! Clocks and matches, over real sockets and in the client program. Their rules are compared with a model of
//! the lobby in `lobby::machine`.

use std::time::Duration;

use nim::game::{Outcome, Side};
use nim::lobby::{Cause, ClockRule, Event, GameResult};
use nim::wire::{HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal};

use crate::harness::{Program, TestServer, game_on, pair, pair_at, stopped_clock, take, terms};

fn lost(side: Side) -> GameResult {
    GameResult { outcome: Outcome::Win(!side), cause: Cause::Time }
}

#[tokio::test]
async fn the_server_ends_a_game_when_a_flag_falls_and_tells_both_players() {
    let _clock = stopped_clock();
    let server = TestServer::start();
    let clock = ClockRule::Move(5_000);
    let (mut anna, mut ben) = pair(&server, NewLobby { clock, ..terms("java-tech:21") }).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    tokio::time::advance(Duration::from_millis(5_260)).await;
    assert_eq!((anna.result().await, ben.result().await), (lost(Side::Second), lost(Side::Second)));
    assert_eq!(anna.lobby(), ben.lobby());
}

#[tokio::test]
async fn the_clocks_are_shown_and_a_fallen_flag_is_reported() {
    let mut both =
        Program::client(&["play", "java-tech:9", "--two", "--clock", "1s~100ms", "--name", "anna"]);
    both.until("The clock gives each 1 second for the game, and starts 100 milliseconds into each turn.")
        .await;
    both.asks("1", "Time: anna 1.0 s, guest 1.0 s.").await;
    both.until("anna won: guest ran out of time.").await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_move_sent_in_time_counts_although_the_server_was_stopped() {
    let (stopped, there) = Program::listening_server(&[]).await;
    let other = TestServer::start();
    let clock = ClockRule::Move(2_000);
    let hasty = |server| pair_at(server, NewLobby { clock, ..terms("java-tech:21") });
    let (mut anna, _ben) = hasty(there).await;
    stopped.signal("STOP").await;
    anna.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
    // On a server that was not stopped, a flag falls although its clock started later.
    let (mut cleo, _dora) = hasty(other.address()).await;
    assert_eq!(cleo.result().await.cause, Cause::Time);
    stopped.signal("CONT").await;
    let told = anna.until_event(|event| matches!(event, Event::Moved { .. } | Event::Ended { .. })).await;
    assert!(matches!(told, Event::Moved { turn: 1, .. }), "{told:?}");
}

#[tokio::test]
async fn an_unplayable_clock_and_an_endless_match_are_refused() {
    let (_server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let agreed = |clock, best_of| NewLobby { clock, best_of, ..terms("take:3:1") };
    for (terms, words) in [
        (agreed(ClockRule::Move(999), 0), "a clock gives 1 second at least"),
        (agreed(ClockRule::Fischer { base: 0, bonus: 9_000 }, 0), "a clock gives 1 second at least"),
        (agreed(ClockRule::None, 100), "a match has 99 games at most"),
    ] {
        let refusal = anna.refused_in_hall(HallRequest::Create(terms)).await;
        assert!(matches!(refusal, Refusal::Hall(HallRefusal::Conditions(_))), "{refusal:?}");
        assert_eq!(refusal.to_string(), words);
    }
    anna.create_on(agreed(ClockRule::Move(1_000), 99)).await;
    assert_eq!(anna.refused(LobbyRequest::Resume).await.to_string(), "the game is not paused");
}

#[tokio::test]
async fn the_score_follows_the_players_and_both_see_who_won_the_match() {
    let (_server, mut anna, mut ben) = game_on(NewLobby { best_of: 3, ..terms("java-tech:21") }).await;
    for (game, won) in [(1, [0, 1]), (2, [2, 0])] {
        anna.resigns().await;
        ben.result().await;
        for client in [&anna, &ben] {
            let score = client.lobby().score();
            assert_eq!(([score.won.first, score.won.second], score.drawn), (won, 0), "{game}");
            let decision = client.lobby().decision();
            assert_eq!(decision, (game == 2).then_some(Outcome::Win(ben.side())));
        }
        for client in [&mut anna, &mut ben] {
            client.ask(LobbyRequest::Again).await;
        }
        for client in [&mut anna, &mut ben] {
            client.until_event(|event| *event == Event::Started { game: game + 1, swap: true }).await;
        }
    }
}

#[tokio::test]
async fn the_score_is_shown_in_words() {
    let args = ["play", "take:1:1", "--two", "--best-of", "3", "--name", "anna", "--other", "ben"];
    let mut both = Program::client(&args);
    both.until("The match is the best of 3.").await;
    both.types("resign\nagain\nresign\nagain\nresign\n").await;
    both.until("Score: anna 0, ben 1 (best of 3).").await;
    both.until("Score: ben 1, anna 1 (best of 3).").await;
    let last = both.until("Score:").await;
    assert_eq!(last, "Score: anna 1, ben 2 (best of 3). ben has won the match.");
}
