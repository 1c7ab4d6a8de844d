//! The bot in JavaScript on the page of the JSON face, run by Node. Without Node the test passes, and `zz_tools`
//! says so.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::harness::{TestServer, tools};
use crate::vectors;

/// The timeout of the program, which takes less than a second.
const PATIENCE: Duration = Duration::from_mins(2);

#[tokio::test]
async fn the_bot_in_javascript_on_the_page_plays_a_whole_game() {
    if !tools::has("node") {
        return;
    }
    let page = vectors::read("JSON.md");
    let (_, rest) = page.split_once("```js\n").unwrap();
    let (bot, _) = rest.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dice.mjs");
    std::fs::write(&file, bot).unwrap();
    let server = TestServer::with_web(|_| {});
    let mut command = Command::new("node");
    command.arg("--experimental-websocket").arg(file).arg(server.address().to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await.expect("it ends").unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let is_one_line = told.lines().count() == 1;
    assert!(is_one_line && (told.starts_with("You won: ") || told.starts_with("You lost: ")), "{told}");
}
