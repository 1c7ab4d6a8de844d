//! The first visit: what is sent until the board can be played.

use std::net::SocketAddr;

use anyhow::{Context, ensure};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use super::browser::Browser;
use crate::load::kind::Kind;
use crate::load::program::Program;
use crate::load::report::Table;

/// The requests before the WebSocket.
const PATHS: [(&str, &str); 3] =
    [("page", "/"), ("script", "/assets/script.js"), ("style", "/assets/style.css")];

/// The most bytes of a first visit.
const AIM: u64 = 60 * 1024;

/// Visits a server, and prints the bytes of each request.
pub(super) fn run(runtime: &Runtime) -> anyhow::Result<()> {
    let program = Program::start(Kind::Memory)?;
    let (mut table, mut sum) = (Table::new(&["", "bytes"]), 0);
    for (name, path) in PATHS {
        let bytes = runtime.block_on(get(program.address(), path)).context(name)?;
        sum += bytes;
        table.row(vec![name.to_owned(), bytes.to_string()]);
    }
    let bytes = runtime.block_on(play_now(program.address()))?;
    sum += bytes;
    table.row(vec!["WebSocket until the first move can be made".to_owned(), bytes.to_string()]);
    table.row(vec![format!("all, at most {AIM}"), sum.to_string()]);
    table.print("a first visit");
    Ok(())
}

/// The bytes of the answer, as a browser asks for it.
async fn get(server: SocketAddr, path: &str) -> anyhow::Result<u64> {
    let mut stream = TcpStream::connect(server).await?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {server}\r\nAccept-Encoding: gzip, deflate\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    ensure!(answer.starts_with(b"HTTP/1.1 200 "), "not found: {path}");
    Ok(answer.len() as u64)
}

/// The bytes of a WebSocket until the first move of a game that one tap begins can be made.
async fn play_now(server: SocketAddr) -> anyhow::Result<u64> {
    let mut browser = Browser::at(server, "anna", "/").await?;
    browser.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await?;
    browser.until("a game", |browser| browser.turn.is_some()).await?;
    Ok(browser.bytes())
}
