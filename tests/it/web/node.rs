//! The bot in JavaScript on the page of the JSON face, run by Node. Without Node the test passes, and `zz_tools`
//! says so.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use super::script::ApiScript;
use crate::harness::{TestServer, tools};
use crate::vectors;

/// The timeout of the program, which takes a second or two.
const PATIENCE: Duration = Duration::from_mins(2);

/// The bot on the page.
fn bot() -> String {
    let page = vectors::read("JSON.md");
    let (_, rest) = page.split_once("```js\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Plays a game with the bot against this server, and checks what it says.
async fn play(server: SocketAddr) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dice.mjs");
    std::fs::write(&file, bot()).unwrap();
    let mut command = Command::new("node");
    command.arg("--experimental-websocket").arg(file).arg(server.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await.expect("it ends").unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let is_one_line = told.lines().count() == 1;
    assert!(is_one_line && (told.starts_with("You won: ") || told.starts_with("You lost: ")), "{told}");
}

#[tokio::test]
async fn the_bot_in_javascript_on_the_page_plays_a_whole_game() {
    assert_eq!(bot().lines().count(), 19);
    if tools::has("node") {
        play(TestServer::with_web(|_| {}).address()).await;
    }
}

#[tokio::test]
async fn the_bot_in_javascript_returns_to_its_seat_if_the_connection_breaks() {
    if !tools::has("node") {
        return;
    }
    let server = TestServer::with_web(|_| {});
    let (way, connections) = break_at_first_turn(server.address()).await;
    play(way).await;
    assert_eq!(connections.load(Ordering::Relaxed), 2);
    // It has left the only lobby that it opened.
    let mut anna = ApiScript::named(server.address(), "anna").await;
    assert_eq!(anna.until("lobbies").await["listed"], json!([]));
}

/// Forwards to the server; the first connection breaks as soon as the client has to move. Returns where to connect,
/// and the number of connections so far.
async fn break_at_first_turn(server: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, count) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let breaks = counted.fetch_add(1, Ordering::Relaxed) == 0;
            tokio::spawn(pass_on(client, server, breaks));
        }
    });
    (address, count)
}

/// Forwards both directions until one closes, or until the client has to move if it `breaks` then.
async fn pass_on(mut client: TcpStream, server: SocketAddr, breaks: bool) {
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    let ((mut ears, mut mouth), (mut from_server, mut to_server)) = (client.split(), server.split());
    let answers = async {
        let (mut said, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            let Ok(read @ 1..) = from_server.read(&mut chunk).await else { return };
            if mouth.write_all(&chunk[..read]).await.is_err() {
                return;
            }
            // The server does not mask what it says.
            said.extend_from_slice(&chunk[..read]);
            if breaks && String::from_utf8_lossy(&said).contains("your_turn") {
                return;
            }
        }
    };
    tokio::select! {
        _ = tokio::io::copy(&mut ears, &mut to_server) => {}
        () = answers => {}
    }
}
