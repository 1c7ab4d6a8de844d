//! The real program in a pseudo-terminal, whose output is read as a terminal would show it.

use std::io::{Read, Write};
use std::num::NonZeroU16;

use nim::client::tui::Screen;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use vt100::{MouseProtocolMode, Parser};

use crate::harness::within;

/// A window in which a program runs; it is killed when this is dropped.
struct Window {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: UnboundedReceiver<Vec<u8>>,
    terminal: Parser,
    master: Box<dyn MasterPty + Send>,
    _state: tempfile::TempDir,
}

impl Window {
    /// The player's program with these arguments.
    fn client(arguments: &[&str]) -> Self {
        Self::open(env!("CARGO_BIN_EXE_nim-client"), arguments)
    }

    fn open(program: &str, arguments: &[&str]) -> Self {
        let pair = native_pty_system().openpty(size(24, 80)).unwrap();
        let state = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env("NIM_STATE", state.path());
        command.env("NIM_LOOK_ON", "127.0.0.1");
        command.env("NIM_CONFIG", "");
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        command.env_remove("NO_COLOR");
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
        let terminal = Parser::new(some(24), some(80), 0);
        Self { child, keyboard, output, terminal, master: pair.master, _state: state }
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// A button of the mouse at a place counted from 0: `M` is pressed, `m` released; 32 is added while it moves.
    fn mouse(&mut self, button: u8, (column, row): (u16, u16), kind: char) {
        self.types(&format!("\x1b[<{button};{};{}{kind}", column + 1, row + 1));
    }

    fn shown(&self) -> String {
        self.terminal.screen().contents()
    }

    /// Reads on until this holds of what is shown.
    async fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) {
        while !holds(&self.shown()) {
            let more = within(&format!("{what} behind\n{}", self.shown()), self.output.recv()).await;
            self.terminal
                .process(&more.unwrap_or_else(|| panic!("it ended without {what}:\n{}", self.shown())));
        }
    }

    async fn until_shown(&mut self, part: &str) {
        self.until(part, |shown| shown.contains(part)).await;
    }

    /// Waits for the next turn, or for the end of the game, behind so many moves; returns whether it is the end.
    async fn is_over_behind(&mut self, moves: usize) -> bool {
        let ended = |shown: &str| shown.contains("The game is over");
        let made = |shown: &str| shown.matches("You: ").count() == moves;
        self.until("the next turn", |shown| made(shown) && (ended(shown) || shown.contains("Your turn.")))
            .await;
        ended(&self.shown())
    }

    /// Where the last of these signs is.
    fn place(&self, sign: &str) -> Option<(u16, u16)> {
        let screen = self.terminal.screen();
        let (rows, columns) = screen.size();
        let mut all = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (column, row)));
        let here = |&(column, row): &(u16, u16)| {
            screen.cell(row, column).is_some_and(|cell| cell.contents() == sign)
        };
        all.rfind(here)
    }

    /// The exit code, once the program has ended and all that it wrote was read.
    async fn ended(&mut self) -> u32 {
        while let Some(more) = within("the end", self.output.recv()).await {
            self.terminal.process(&more);
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
    fn is_sane(&self) {
        let screen = self.terminal.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", self.shown());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
    }

    /// Whether what is typed comes line by line and is shown, as it is outside of a screen.
    fn is_cooked(&self) -> bool {
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
fn some(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has a line and a column")
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, ..PtySize::default() }
}

const PLAY: [&str; 7] = ["play", "--name", "anna", "--bot-pace", "0", "--seed", "7"];

fn play(game: &str) -> Window {
    Window::client(&[&PLAY[..], &[game]].concat())
}

#[tokio::test]
async fn a_whole_game_is_played_by_keys() {
    let mut window = play("java-tech:9");
    window.until_shown("Your turn.").await;
    assert!(window.terminal.screen().alternate_screen());
    for made in 1..=9 {
        window.types("3\r");
        if window.is_over_behind(made).await {
            break;
        }
    }
    window.until_shown("The game is over").await;
    window.types("q");
    assert_eq!(window.ended().await, 0);
    window.is_sane();
}

#[tokio::test]
async fn a_whole_game_is_played_by_mouse() {
    let mut window = play("nim:1-2");
    window.until_shown("Your turn.").await;
    for made in 1..=3 {
        let (x, y) = window.place("┃").expect("a stick");
        window.mouse(0, (x, y), 'M');
        window.mouse(32, (x - 1, y), 'M');
        window.mouse(32, (x, 5), 'M');
        window.mouse(0, (x, 5), 'm');
        if window.is_over_behind(made).await {
            break;
        }
    }
    let (x, y) = window.place("q").expect("the key to quit");
    window.mouse(0, (x, y), 'M');
    assert_eq!(window.ended().await, 0);
    window.is_sane();
}

#[tokio::test]
async fn what_moves_are_worth_is_found_out_and_shown() {
    let mut window = Window::client(&[&PLAY[..], &["java-tech:4", "--starts", "me"]].concat());
    window.until_shown("Your turn.").await;
    window.types("s");
    window.until_shown("Best: take 3. It leaves 1").await;
    window.types("o");
    window.until("two levels", |shown| shown.matches("cut L   1  +1").count() == 2).await;
    window.types("o");
    let found = |shown: &str| shown.contains("cut L   1  -1") && shown.contains("W win, L loss");
    window.until("all of the tree", found).await;
    window.types("\x1b");
    window.until("the board", |shown| !shown.contains("Best:")).await;
    window.types("q");
    window.until_shown("Sure?").await;
    window.types("y");
    assert_eq!(window.ended().await, 0);
    window.is_sane();
}

#[tokio::test]
async fn a_window_of_another_size_is_filled() {
    let mut window = play("tic-tac-toe");
    window.until_shown("Your turn.").await;
    window.terminal.screen_mut().set_size(some(40), some(120));
    window.master.resize(size(40, 120)).unwrap();
    window
        .until("the keys below", |shown| shown.lines().nth(39).is_some_and(|line| line.contains("q quit")))
        .await;
    window.terminal.screen_mut().set_size(some(10), some(40));
    window.master.resize(size(10, 40)).unwrap();
    window.until_shown("The screen needs").await;
}

#[tokio::test]
async fn a_small_a_dumb_and_a_plain_terminal_have_lines() {
    let mut window = Window::client(&["play", "--plain", "--name", "anna", "take:1:1"]);
    window.until_shown("or help):").await;
    assert!(!window.terminal.screen().alternate_screen());
}

#[tokio::test]
async fn a_signal_gives_the_terminal_back() {
    let mut window = play("tic-tac-toe");
    window.until_shown("Your turn.").await;
    assert!(!window.is_cooked());
    let id = window.child.process_id().expect("it runs");
    let id = rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).expect("a process");
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(window.ended().await, 128 + 15);
    window.is_sane();
}

#[tokio::test]
async fn a_panic_gives_the_terminal_back_and_is_read_there() {
    let program = std::env::current_exe().unwrap();
    let test = "tui::terminal::a_screen_that_panics";
    let arguments = ["--ignored", "--exact", test, "--nocapture", "--test-threads", "1"];
    let mut window = Window::open(program.to_str().unwrap(), &arguments);
    window.until_shown("as it was meant to").await;
    window.until("a terminal as before", |_| true).await;
    assert_ne!(window.ended().await, 0);
    window.is_sane();
}

#[tokio::test]
#[ignore = "another test runs it in a terminal of its own"]
async fn a_screen_that_panics() {
    let _screen = Screen::open().unwrap();
    panic!("as it was meant to");
}
