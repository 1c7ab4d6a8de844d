//! What the host sees at a terminal while others come and go.

use std::net::SocketAddr;

use vt100::Parser;

use crate::harness::{Pty, TestClient, server, within};

/// A server at a terminal.
struct Window {
    pty: Pty,
    terminal: Parser,
    address: SocketAddr,
}

impl Window {
    /// A server in a window of this many rows and columns, once its pinned lines are shown.
    async fn of(rows: u16, columns: u16) -> Self {
        let mut command = server(&["--bind", "127.0.0.1:0"]);
        command.env("TERM", "xterm-256color");
        let pty = Pty::running(command.as_std(), (rows, columns));
        let terminal = Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0);
        let mut window = Self { pty, terminal, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        window.until("0 connections, 0 games. Ctrl-C stops the server.").await;
        let shown = window.shown();
        let heading = shown.lines().find_map(|line| line.strip_prefix("listening on "));
        window.address = heading.unwrap_or_else(|| panic!("{shown}")).trim().parse().unwrap();
        window
    }

    fn shown(&self) -> String {
        self.terminal.screen().contents()
    }

    /// Reads until the screen has this text.
    async fn until(&mut self, part: &str) {
        within(part, async {
            while !self.shown().contains(part) {
                let more = self.pty.reads(&format!("{part:?} behind\n{}", self.shown())).await;
                self.terminal.process(&more.unwrap_or_else(|| panic!("it ended:\n{}", self.shown())));
            }
        })
        .await;
    }
}

#[tokio::test]
async fn the_command_to_type_stays_in_sight_below_the_log_and_when_the_window_is_resized() {
    let mut window = Window::of(18, 60).await;
    let command = format!("Only this machine: nim-client connect {}", window.address);
    // Each of them is a line of the log.
    let mut clients = Vec::new();
    for number in 0..40 {
        clients.push(TestClient::at(window.address, &format!("guest {number}")).await);
    }
    window.until("40 connections, 0 games.").await;
    drop(clients);
    window.until("\n0 connections, 0 games.").await;
    let shown = window.shown();
    let rows: Vec<String> = window.terminal.screen().rows(0, 60).collect();
    assert_eq!(rows[16..], [&command, "0 connections, 0 games. Ctrl-C stops the server."], "{shown}");
    assert!(rows[..16].iter().all(|row| !row.contains("Only this machine")), "{shown}");
    assert!(!shown.contains("listening"), "the log scrolls\n{shown}");
    for (rows, columns) in [(24, 80), (60, 200), (18, 60)] {
        window.terminal.screen_mut().set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
        window.pty.resize(rows, columns);
        // It fits the new width within a second, and the next line of the log comes above it.
        let _guest = TestClient::at(window.address, "guest").await;
        window.until("1 connection, 0 games.").await;
        window.until(&command).await;
        assert_eq!(window.shown().matches("Only this machine").count(), 1, "{}", window.shown());
    }
}

#[tokio::test]
async fn nothing_stays_pinned_when_the_server_stops() {
    let mut window = Window::of(24, 80).await;
    window.pty.types(&[3]);
    window.until("stopping; Ctrl-C again to end at once").await;
    assert!(!window.shown().contains("connections, 0 games"), "{}", window.shown());
    assert_eq!(window.pty.code().await, 0);
}
