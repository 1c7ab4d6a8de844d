//! A window in which the real program runs: a pseudo-terminal whose output is read as a terminal would show it.

use std::io::{Read, Write};
use std::num::NonZeroU16;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use vt100::{MouseProtocolMode, Parser};

use crate::harness::within;

/// A window in which a program runs; it is killed when this is dropped.
pub(super) struct Window {
    pub(super) child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: UnboundedReceiver<Vec<u8>>,
    pub(super) terminal: Parser,
    /// It has taken the terminal at any time.
    pub(super) was_screen: bool,
    pub(super) master: Box<dyn MasterPty + Send>,
    _state: tempfile::TempDir,
}

impl Window {
    /// The player's program with these arguments.
    pub(super) fn client(arguments: &[&str]) -> Self {
        Self::open(env!("CARGO_BIN_EXE_nim-client"), arguments)
    }

    pub(super) fn open(program: &str, arguments: &[&str]) -> Self {
        Self::with(program, arguments, &[], (24, 80))
    }

    /// The same with some variables of the environment, in a window of so many lines and columns.
    pub(super) fn with(
        program: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
        (rows, columns): (u16, u16),
    ) -> Self {
        let pair = native_pty_system().openpty(size(rows, columns)).unwrap();
        let state = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env("NIM_STATE", state.path());
        command.env("NIM_LOOK_ON", "127.0.0.1");
        command.env("NIM_CONFIG", "");
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        command.env_remove("NO_COLOR");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, output) = unbounded_channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        let terminal = Parser::new(some(rows), some(columns), 0);
        Self { child, keyboard, output, terminal, was_screen: false, master: pair.master, _state: state }
    }

    pub(super) fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// A button of the mouse at a place counted from 0: `M` is pressed, `m` released; 32 is added while it moves.
    pub(super) fn mouse(&mut self, button: u8, (column, row): (u16, u16), kind: char) {
        self.types(&format!("\x1b[<{button};{};{}{kind}", column + 1, row + 1));
    }

    pub(super) fn shown(&self) -> String {
        self.terminal.screen().contents()
    }

    /// Reads on until this holds of what is shown.
    pub(super) async fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) {
        // A screen that counts the seconds always has more to show.
        within(&format!("{what}, though more was shown"), self.shows(what, holds)).await;
    }

    async fn shows(&mut self, what: &str, holds: impl Fn(&str) -> bool) {
        while !holds(&self.shown()) {
            let more = within(&format!("{what} behind\n{}", self.shown()), self.output.recv()).await;
            let more = more.unwrap_or_else(|| panic!("it ended without {what}:\n{}", self.shown()));
            self.read(&more);
        }
    }

    fn read(&mut self, more: &[u8]) {
        // All of a short life of a screen may come at once.
        for byte in more {
            self.terminal.process(std::slice::from_ref(byte));
            self.was_screen |= self.terminal.screen().alternate_screen();
        }
    }

    pub(super) async fn until_shown(&mut self, part: &str) {
        self.until(part, |shown| shown.contains(part)).await;
    }

    /// Waits for the next turn, or for the end of the game, behind so many moves; returns whether it is the end.
    pub(super) async fn is_over_behind(&mut self, moves: usize) -> bool {
        let ended = |shown: &str| shown.contains("The game is over");
        let made = |shown: &str| shown.matches("You: ").count() == moves;
        self.until("the next turn", |shown| made(shown) && (ended(shown) || shown.contains("Your turn.")))
            .await;
        ended(&self.shown())
    }

    /// Where the last of these signs is.
    pub(super) fn place(&self, sign: &str) -> Option<(u16, u16)> {
        let screen = self.terminal.screen();
        let (rows, columns) = screen.size();
        let mut all = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (column, row)));
        let here = |&(column, row): &(u16, u16)| {
            screen.cell(row, column).is_some_and(|cell| cell.contents() == sign)
        };
        all.rfind(here)
    }

    /// The exit code, once the program has ended and all that it wrote was read.
    pub(super) async fn ended(&mut self) -> u32 {
        while let Some(more) = within("the end", self.output.recv()).await {
            self.read(&more);
        }
        within("the exit code", async {
            loop {
                if let Some(status) = self.child.try_wait().unwrap() {
                    return status.exit_code();
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    /// The terminal is as it was before: its first screen, its cursor, no mouse, and what is typed is shown.
    pub(super) fn is_sane(&self) {
        let screen = self.terminal.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", self.shown());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
    }

    /// Whether what is typed comes line by line and is shown, as it is outside of a screen.
    pub(super) fn is_cooked(&self) -> bool {
        use rustix::termios::LocalModes;
        // Both have the same numbers on every system that these tests run on.
        let modes = self.master.get_termios().expect("a terminal").local_flags.bits();
        let wanted = (LocalModes::ECHO | LocalModes::ICANON).bits();
        u64::from(modes) & u64::from(wanted) == u64::from(wanted)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
    }
}

/// A number of lines or columns.
pub(super) fn some(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has a line and a column")
}

pub(super) fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, ..PtySize::default() }
}
