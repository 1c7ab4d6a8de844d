//! What the host sees at a terminal while others come and go.

use std::net::SocketAddr;

use vt100::{Color, Parser};

use crate::harness::{Pty, TestClient, TestLan, qr, server, within};

/// A server at a terminal.
struct Window {
    pty: Pty,
    terminal: Parser,
    address: SocketAddr,
}

impl Window {
    /// A server in a window of this many rows and columns, once its pinned lines are shown.
    async fn of(rows: u16, columns: u16) -> Self {
        Self::running(server(&["--bind", "127.0.0.1:0"]), rows, columns).await
    }

    /// The same for this server.
    async fn running(mut command: tokio::process::Command, rows: u16, columns: u16) -> Self {
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
        self.until_is(part, |window| window.shown().contains(part)).await;
    }

    /// Reads until the screen is like this.
    async fn until_is(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        within(what, async {
            while !is_so(self) {
                let more = self.pty.reads(&format!("{what:?} behind\n{}", self.shown())).await;
                self.terminal.process(&more.unwrap_or_else(|| panic!("it ended:\n{}", self.shown())));
            }
        })
        .await;
    }

    fn resize(&mut self, rows: u16, columns: u16) {
        self.terminal.screen_mut().set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
        self.pty.resize(rows, columns);
    }

    /// What the QR code says that is on the screen, black on white; `None` as long as it is not whole.
    fn qr(&self) -> Option<String> {
        let screen = self.terminal.screen();
        let (rows, columns): (u16, u16) = (screen.size().0.into(), screen.size().1.into());
        let cell = |row: u16, column: u16| screen.cell(row, column).unwrap();
        let is_white = |row: u16, column: u16| cell(row, column).bgcolor() == Color::Idx(231);
        let white: Vec<u16> = (0..rows).filter(|row| is_white(*row, 0)).collect();
        let (top, side) =
            (*white.first()?, (0..columns).filter(|column| is_white(white[0], *column)).count());
        let last = u16::try_from(side).unwrap().checked_sub(1)?;
        let is_whole = white.len() == side.div_ceil(2) && white.iter().all(|row| is_white(*row, last));
        is_whole.then(|| {
            qr::read(side, |x, y| {
                let (x, row) = (u16::try_from(x).unwrap(), top + u16::try_from(y / 2).unwrap());
                match cell(row, x).contents() {
                    "█" => true,
                    "▀" => y % 2 == 0,
                    "▄" => y % 2 == 1,
                    _ => false,
                }
            })
        })
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
        window.resize(rows, columns);
        // It fits the new width within a second, and the next line of the log comes above it.
        let _guest = TestClient::at(window.address, "guest").await;
        window.until("1 connection, 0 games.").await;
        window.until(&command).await;
        assert_eq!(window.shown().matches("Only this machine").count(), 1, "{}", window.shown());
    }
}

#[tokio::test]
async fn the_qr_code_of_the_page_stays_in_sight_where_the_window_has_room_for_it() {
    const PAGE: &str = "http://10.77.0.1:4000/";
    let lan = TestLan::of(1).await;
    let [machine] = &lan.machines[..] else { panic!("one machine") };
    if !machine.is_real() {
        // No phone reaches a server on the loopback.
        return;
    }
    let command = machine.server_command(&["--bind", "10.77.0.1:4000"]);
    let mut window = Window::running(command, 24, 80).await;
    let shows = |window: &Window| window.qr().as_deref() == Some(PAGE);
    window.until_is("the QR code", shows).await;
    assert!(window.shown().contains(&format!("In a browser: {PAGE}")), "{}", window.shown());
    window.resize(20, 80);
    window
        .until_is("no QR code", |window| window.qr().is_none() && window.shown().contains("Others type"))
        .await;
    window.resize(40, 100);
    window.until_is("the QR code again", shows).await;
    let command = machine.server_command(&["--bind", "10.77.0.1:4001", "--no-qr"]);
    let window = Window::running(command, 40, 100).await;
    assert_eq!(window.qr(), None);
}

#[tokio::test]
async fn a_server_that_only_this_machine_reaches_shows_no_qr_code_and_says_so() {
    let window = Window::of(60, 200).await;
    assert_eq!(window.qr(), None);
    assert!(window.shown().contains("A phone cannot open that address"), "{}", window.shown());
    assert!(window.shown().contains(&format!("In a browser here: http://{}/", window.address)));
}

#[tokio::test]
async fn nothing_stays_pinned_when_the_server_stops() {
    let mut window = Window::of(24, 80).await;
    window.pty.types(&[3]);
    window.until("stopping; Ctrl-C again to end at once").await;
    assert!(!window.shown().contains("connections, 0 games"), "{}", window.shown());
    assert_eq!(window.pty.code().await, 0);
}
