//! Lines that arrive before their prompt. A request that is valid at any time is executed at once, and an
//! answer waits for its prompt. A script that sends everything at once plays the same game.

use nim::lobby;

use super::scripts::{is_ended, two_scripts};
use super::{Run, Script, refusal};
use crate::harness::{Network, NetworkState, Program, TestServer, take};
use crate::returning::ben_and_annas;

#[tokio::test]
async fn a_player_not_to_move_may_chat_ask_offer_and_resign() {
    let server = TestServer::start();
    let (mut anna, mut ben) = two_scripts(&server, &[]).await;
    ben.until("your_turn").await;
    anna.say(r#"{"do":"why"}"#).await;
    assert_eq!(anna.until("why").await["words"], "ben [program]'s turn.");
    anna.say(r#"{"do":"say","words":"hurry up"}"#).await;
    for script in [&mut anna, &mut ben] {
        assert_eq!(script.until("said").await["words"], "hurry up");
    }
    anna.say(r#"{"do":"mute","name":"ben"}"#).await;
    anna.say(r#"{"do":"claim"}"#).await;
    assert_eq!(refusal(&anna.until("refused").await), "claim: nothing_to_claim");
    anna.say(r#"{"do":"offer","offer":"draw"}"#).await;
    ben.until("answer").await;
    anna.say(r#"{"do":"resign"}"#).await;
    is_ended(&ben.until("ended").await, "won", "resigned");
}

#[tokio::test]
async fn a_player_who_waits_for_an_opponent_may_ask_why_and_leave() {
    let server = TestServer::start();
    let mut anna = Script::connect(&server, "anna", &["--new", "java-tech:21", "--people-only"]);
    let code = anna.code().await;
    anna.say(r#"{"do":"why"}"#).await;
    let words = format!("The game starts when somebody sits down in {code}.");
    assert_eq!(anna.until("why").await["words"], words);
    anna.say(r#"{"do":"resign"}"#).await;
    assert_eq!(refusal(&anna.until("refused").await), "resign: no_game");
    anna.say(r#"{"do":"leave"}"#).await;
    anna.until("hall").await;
    server.lobby_is_freed(code.parse().unwrap()).await;
}

#[tokio::test]
async fn a_dead_script_does_not_hold_a_lobby() {
    let server = TestServer::start();
    for face in [&["--json"][..], &[]] {
        let address = server.address().to_string();
        let flags = ["connect", &address, "--name", "anna", "--new", "java-tech:21", "--people-only"];
        let ended = Program::client(&[&flags, face].concat()).finish().await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{face:?}");
    }
}

#[tokio::test]
async fn the_end_of_the_input_waits_for_the_opponents_move() {
    let (server, [mut ben]) = TestServer::start_for(["ben"]).await;
    let code = ben.create("take:4:3").await.to_string();
    let address = server.address().to_string();
    let flags = ["connect", &address, "--json", "--name", "anna", "--join", &code];
    let mut anna = Program::client(&flags);
    anna.closes_input();
    ben.until_playing().await;
    anna.until(r#""event":"started""#).await;
    ben.says("take your time").await;
    anna.until("take your time").await;
    ben.ask(nim::wire::LobbyRequest::Resign).await;
    anna.until(r#""outcome":"won""#).await;
    assert_eq!(anna.ended().await.code, Some(0));
}

#[tokio::test]
async fn an_answer_waits_for_its_prompt_and_nothing_after_it_is_read() {
    let server = TestServer::start();
    let (mut anna, mut ben) = two_scripts(&server, &[]).await;
    anna.say("{\"do\":\"play\",\"move\":\"2\"}\n{\"do\":\"why\"}").await;
    ben.until("your_turn").await;
    ben.say(r#"{"do":"say","words":"my turn"}"#).await;
    anna.until("said").await;
    ben.say(r#"{"do":"play","move":"3"}"#).await;
    for turn in [2, 3] {
        assert_eq!(anna.until_one_of(&["moved", "why"]).await["turn"], turn);
    }
    assert_eq!(anna.until_one_of(&["moved", "why"]).await["words"], "ben [program]'s turn.");
}

#[tokio::test]
async fn a_script_sent_all_at_once_quits_after_the_bots_last_move() {
    for word in ["quit", "leave", "resign"] {
        let lines = format!("{{\"do\":\"play\",\"move\":\"3\"}}\n{{\"do\":\"{word}\"}}\n");
        let run =
            Run::of(&["play", "java-tech:4", "--json", "--seed", "7", "--bot-pace", "50ms"], lines).await;
        assert_eq!((run.code, run.all("ended").count()), (0, 1), "{word}");
        is_ended(run.all("ended").next().unwrap(), "won", "rules");
    }
}

#[tokio::test]
async fn a_move_that_is_read_while_the_connection_is_lost_is_made_after_the_return() {
    let server = TestServer::start();
    for (face, asked, lost, line) in [
        (&["--json"][..], "your_turn", "lost", r#"{"do":"play","move":"3"}"#),
        (&[], "Your move", "reconnecting", "3"),
    ] {
        let network = Network::before(server.address()).await;
        let (mut ben, mut anna) = ben_and_annas(&server, &network, face).await;
        ben.play(take(1)).await;
        anna.until(asked).await;
        network.set(NetworkState::Down);
        anna.until(lost).await;
        anna.types(format!("{line}\n")).await;
        // All later lines wait for the result of the move.
        anna.types(format!("{line}\n")).await;
        network.set(NetworkState::Up);
        ben.until_event(|event| matches!(event, lobby::Event::Moved { turn: 2, .. })).await;
        assert_eq!(ben.lobby().board().write_position(), "5 first", "{face:?}");
        ben.leave().await;
    }
}
