//! A pseudo-terminal with a program, and a terminal emulator for its output.

use std::num::NonZeroU16;
use std::process::Command;

use rustix::termios::LocalModes;
use vt100::{MouseProtocolMode, Parser};

use crate::harness::{Home, Pty, within};

/// A window with a program, which is killed on drop.
pub(super) struct Window {
    pub(super) pty: Pty,
    pub(super) terminal: Parser,
    /// The program has taken the terminal.
    pub(super) was_screen: bool,
    /// All that the program has written.
    pub(super) written: Vec<u8>,
    pub(super) home: Home,
}

impl Window {
    /// The client with these arguments.
    pub(super) fn client(arguments: &[&str]) -> Self {
        Self::with(env!("CARGO_BIN_EXE_nim-client"), arguments, &[], (24, 80))
    }

    /// The same with these environment variables, in a window of this many rows and columns.
    pub(super) fn with(
        program: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
        (rows, columns): (u16, u16),
    ) -> Self {
        Self::at(Home::new(), program, arguments, environment, (rows, columns))
    }

    /// The client with these arguments, for the person whose window this was.
    pub(super) fn again(self, arguments: &[&str]) -> Self {
        Self::at(self.home, env!("CARGO_BIN_EXE_nim-client"), arguments, &[], (24, 80))
    }

    fn at(
        home: Home,
        program: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
        (rows, columns): (u16, u16),
    ) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).env("NIM_STATE", home.path()).env_remove("NO_COLOR");
        command.envs([("NIM_LOOK_ON", "127.0.0.1"), ("NIM_CONFIG", ""), ("TERM", "xterm-256color")]);
        command.env("RUST_BACKTRACE", "0").envs(environment.iter().copied());
        let terminal = Parser::new(some(rows), some(columns), 0);
        Self {
            pty: Pty::running(&command, (rows, columns)),
            terminal,
            was_screen: false,
            written: Vec::new(),
            home,
        }
    }

    pub(super) fn types(&mut self, keys: &str) {
        self.pty.types(keys.as_bytes());
    }

    pub(super) fn resize(&mut self, rows: u16, columns: u16) {
        self.terminal.screen_mut().set_size(some(rows), some(columns));
        self.pty.resize(rows, columns);
    }

    /// Resizes the window, and waits until its last row has the keys.
    pub(super) async fn resizes(&mut self, rows: u16, columns: u16) {
        self.resize(rows, columns);
        let last = usize::from(rows - 1);
        let is_below = |shown: &str| shown.lines().nth(last).is_some_and(|line| line.contains("q quit"));
        self.until("the keys below", is_below).await;
    }

    /// Sends a mouse event at a position from 0: `M` for a press, `m` for a release; 32 is added for a move.
    pub(super) fn mouse(&mut self, button: u8, (column, row): (u16, u16), kind: char) {
        self.types(&format!("\x1b[<{button};{};{}{kind}", column + 1, row + 1));
    }

    pub(super) fn shown(&self) -> String {
        self.terminal.screen().contents()
    }

    /// Reads until the screen meets this condition.
    pub(super) async fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) {
        // A screen with a clock never stops writing.
        within(&format!("{what}, though more was shown"), self.shows(what, holds)).await;
    }

    async fn shows(&mut self, what: &str, holds: impl Fn(&str) -> bool) {
        while !holds(&self.shown()) {
            let more = self.pty.reads(&format!("{what} behind\n{}", self.shown())).await;
            let more = more.unwrap_or_else(|| panic!("it ended without {what}:\n{}", self.shown()));
            self.read(&more);
        }
    }

    fn read(&mut self, more: &[u8]) {
        self.written.extend(more);
        // A screen may open and close within one read.
        for byte in more {
            self.terminal.process(std::slice::from_ref(byte));
            self.was_screen |= self.terminal.screen().alternate_screen();
        }
    }

    pub(super) async fn until_shown(&mut self, part: &str) {
        self.until(part, |shown| shown.contains(part)).await;
    }

    /// Types these keys, and waits until `part` is shown.
    pub(super) async fn asks(&mut self, keys: &str, part: &str) {
        self.types(keys);
        self.until_shown(part).await;
    }

    /// Types these keys, which end the program and restore the terminal.
    pub(super) async fn quits(mut self, keys: &str) {
        self.types(keys);
        assert_eq!(self.ended().await, 0);
        self.is_sane();
    }

    /// Waits for the next turn, or the end of the game after this many moves; returns whether it is the end.
    pub(super) async fn is_over_behind(&mut self, moves: usize) -> bool {
        let ended = |shown: &str| shown.contains("The game is over");
        let made = |shown: &str| shown.matches("You: ").count() == moves;
        self.until("the next turn", |shown| made(shown) && (ended(shown) || shown.contains("Your turn.")))
            .await;
        ended(&self.shown())
    }

    /// The position of the last of these signs.
    pub(super) fn place(&self, sign: &str) -> Option<(u16, u16)> {
        let screen = self.terminal.screen();
        let (rows, columns) = screen.size();
        let mut all = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (column, row)));
        let here = |&(column, row): &(u16, u16)| {
            screen.cell(row, column).is_some_and(|cell| cell.contents() == sign)
        };
        all.rfind(here)
    }

    /// Waits for the exit code, and reads all output.
    pub(super) async fn ended(&mut self) -> u32 {
        let end = async {
            while let Some(more) = self.pty.reads("the end").await {
                self.read(&more);
            }
        };
        within("the end, though more was shown", end).await;
        self.pty.code().await
    }

    /// Asserts that the terminal is restored: its main screen, its cursor, no mouse reports, and echo.
    pub(super) fn is_sane(&self) {
        let screen = self.terminal.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", self.shown());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
    }

    /// Whether the terminal is in line mode with echo.
    pub(super) fn is_cooked(&self) -> bool {
        self.pty.has_modes(LocalModes::ECHO | LocalModes::ICANON)
    }
}

/// A number of rows or columns.
fn some(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has a line and a column")
}
