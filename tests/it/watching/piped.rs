//! Watching programs without a keyboard: scripts, and people with pipes.

use nim::wire::LobbyRequest;

use crate::harness::{Program, TestServer, game, play_out};

#[tokio::test]
async fn a_piped_watcher_can_chat_and_watches_to_the_end() {
    let (server, mut anna, mut ben) = game("take:3:1").await;
    let code = anna.lobby().code().to_string();
    let mut cleo = server.program("cleo", &["--watch", &code]);
    cleo.until("anna against ben.").await;
    cleo.asks("say hello", "cleo (watching) says: hello").await;
    cleo.asks("board", "take:3:1:normal: anna against ben.").await;
    cleo.closes_input();
    play_out(&mut anna, &mut ben, |heaps| heaps.moves()[0]).await;
    cleo.until("anna won: ").await;
    ben.leave().await;
    anna.leave().await;
    cleo.until("The lobby is closed: its players are gone.").await;
    assert_eq!(cleo.ended().await.code, Some(0));
}

#[tokio::test]
async fn the_program_opens_a_lobby_for_two_bots() {
    let mut play = Program::client(&["play", "take:3:1", "--watch", "--bot-pace", "0", "--name", "cleo"]);
    for part in ["You watch in", "[bot, perfect]: take 1", " won: "] {
        play.until(part).await;
    }
    play.asks("again", " won: ").await;
}

#[tokio::test]
async fn a_watcher_without_input_exits_when_the_game_of_bots_ends() {
    let play = ["play", "take:3:1", "--watch", "--bot-pace", "0", "--name", "cleo"];
    let ended = Program::client(&play).finish().await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.stdout.contains(" won: "), "{}", ended.stdout);
    let server = TestServer::start();
    let mut cleo = server.program("cleo", &["--new", "take:3:1", "--bots"]);
    let watches = cleo.until("You watch in ").await;
    let code = watches.split_whitespace().find_map(|word| word.trim_end_matches('.').parse().ok()).unwrap();
    cleo.until(" won: ").await;
    // While another watcher is there, the bots may play again.
    let mut dora = server.client("dora").await;
    dora.watch(code).await;
    cleo.until("dora watches").await;
    cleo.closes_input();
    dora.ask(LobbyRequest::Again).await;
    cleo.until(" won: ").await;
    dora.result().await;
    dora.leave().await;
    assert_eq!(cleo.ended().await.code, Some(0));
    server.lobby_is_freed(code).await;
}

#[tokio::test]
async fn a_script_can_watch() {
    let (server, mut anna, mut ben) = game("take:3:1").await;
    let mut cleo = server.program("cleo", &["--json", "--watch", &anna.lobby().code().to_string()]);
    let entered = cleo.until(r#""event":"entered""#).await;
    let role = r#""role":"watcher","you":null"#;
    assert!(entered.contains(role) && entered.contains(r#""watchers":1"#), "{entered}");
    cleo.until(r#"{"event":"watching"}"#).await;
    cleo.asks(r#"{"do":"play","move":"1"}"#, r#""refusal":"not_seated""#).await;
    play_out(&mut anna, &mut ben, |heaps| heaps.moves()[0]).await;
    let ended = cleo.until(r#""event":"ended""#).await;
    assert!(ended.contains(r#""outcome":null"#), "{ended}");
    ben.leave().await;
    anna.leave().await;
    cleo.until(r#"{"event":"outside"}"#).await;
    cleo.until(r#"{"event":"hall"}"#).await;
    cleo.types("{\"do\":\"quit\"}\n").await;
    assert_eq!(cleo.ended().await.code, Some(0));
}

#[tokio::test]
async fn a_watcher_may_stop_watching_at_any_time() {
    let (server, anna, _ben) = game("java-tech:21").await;
    let mut cleo = server.program("cleo", &["--json", "--watch", &anna.lobby().code().to_string()]);
    cleo.until(r#"{"event":"watching"}"#).await;
    let ended = cleo.finish().await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}
