//! The client program at a real terminal, where a person can type at any time.

use std::io::{Read, Write};
use std::path::Path;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::termios::LocalModes;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::within;

/// Ctrl-C.
const INTERRUPT: &[u8] = &[3];

/// Ctrl-D: the end of the input.
const END: &[u8] = &[4];

/// A pseudo-terminal with a program, which is killed on drop.
pub(crate) struct Pty {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: UnboundedReceiver<Vec<u8>>,
    /// Keeps the terminal open.
    master: Box<dyn MasterPty + Send>,
}

impl Pty {
    /// Starts a program in a terminal of this many rows and columns.
    pub(crate) fn running(program: &std::process::Command, (rows, cols): (u16, u16)) -> Self {
        let pair = native_pty_system().openpty(PtySize { rows, cols, ..PtySize::default() }).unwrap();
        let mut command = CommandBuilder::new(program.get_program());
        command.args(program.get_args());
        for (key, value) in program.get_envs() {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            }
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let output = chunks(pair.master.try_clone_reader().unwrap());
        Self { child, keyboard: pair.master.take_writer().unwrap(), output, master: pair.master }
    }

    /// Types bytes, as the terminal sends them.
    pub(crate) fn types(&mut self, bytes: &[u8]) {
        self.keyboard.write_all(bytes).unwrap();
    }

    /// The next bytes that the program writes; `None` once nobody has the terminal open.
    pub(crate) async fn reads(&mut self, what: &str) -> Option<Vec<u8>> {
        within(what, self.output.recv()).await
    }

    pub(crate) fn resize(&self, rows: u16, cols: u16) {
        self.master.resize(PtySize { rows, cols, ..PtySize::default() }).unwrap();
    }

    /// The process's number.
    pub(crate) fn process(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    /// Whether all these local modes are on; they are the same on all systems on which these tests run.
    pub(crate) fn has_modes(&self, modes: LocalModes) -> bool {
        let flags = self.master.get_termios().expect("a terminal").local_flags.bits();
        u64::from(flags) & u64::from(modes.bits()) == u64::from(modes.bits())
    }

    /// Waits for the exit code.
    pub(crate) async fn code(&mut self) -> u32 {
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
}

impl Drop for Pty {
    fn drop(&mut self) {
        // It may have exited.
        let _ = self.child.kill();
    }
}

/// A terminal with a program in the line face.
pub(crate) struct Terminal {
    pty: Pty,
    /// All output, and how much of it the test has read.
    screen: Vec<u8>,
    read: usize,
}

impl Terminal {
    /// The client program with these arguments, in the line face.
    pub(crate) fn client(arguments: &[&str]) -> Self {
        Self::keeping(super::program::state(), arguments)
    }

    /// The same, with its seats in this folder.
    pub(crate) fn keeping(folder: &Path, arguments: &[&str]) -> Self {
        // Without the flag the terminal would show the screen.
        let (first, rest) = arguments.split_first().expect("a command");
        let plain = matches!(*first, "connect" | "play" | "resume").then_some("--plain");
        let arguments: Vec<&str> = std::iter::once(*first).chain(plain).chain(rest.iter().copied()).collect();
        let mut command = super::client(&arguments);
        command.env("NIM_STATE", folder);
        Self::running(command.as_std())
    }

    /// Any program. The terminal is so wide that no sentence is broken.
    pub(crate) fn running(program: &std::process::Command) -> Self {
        Self::of_columns(program, 1_000)
    }

    /// Any program in a terminal of this many columns.
    pub(crate) fn of_columns(program: &std::process::Command, columns: u16) -> Self {
        Self { pty: Pty::running(program, (24, columns)), screen: Vec::new(), read: 0 }
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        self.pty.types(format!("{line}\n").as_bytes());
    }

    /// Types a line, and waits until `part` is shown.
    pub(crate) async fn asks(&mut self, line: &str, part: &str) -> String {
        self.types(line);
        self.until(part).await
    }

    /// The code of the lobby in which it waits alone.
    pub(crate) async fn code(&mut self) -> String {
        self.until("Waiting in ").await;
        self.until(" for").await.trim_end_matches(" for").to_owned()
    }

    /// Types `quit`, and waits for a successful exit.
    pub(crate) async fn quits(mut self) {
        self.types("quit");
        let (code, screen) = self.ended().await;
        assert_eq!(code, 0, "{screen}");
    }

    /// Types `quit` in the middle of a game, gives it up, and waits for a successful exit.
    pub(crate) async fn gives_up(mut self) {
        self.asks("quit", "[keep]: ").await;
        self.types("give up");
        let (code, screen) = self.ended().await;
        assert_eq!(code, 0, "{screen}");
    }

    /// Presses Ctrl-C.
    pub(crate) fn interrupts(&mut self) {
        self.pty.types(INTERRUPT);
    }

    /// Waits until the terminal's echo is on, or off.
    pub(crate) async fn shows_typing(&self, shows: bool) {
        let turned = async {
            while self.pty.has_modes(LocalModes::ECHO) != shows {
                tokio::task::yield_now().await;
            }
        };
        within("a terminal that shows what is typed, or does not", turned).await;
    }

    /// Presses Ctrl-D at the start of a line.
    pub(crate) fn ends_input(&mut self) {
        self.pty.types(END);
    }

    /// Reads until this text appears, and returns the unread output up to it.
    pub(crate) async fn until(&mut self, part: &str) -> String {
        within(&format!("{part:?}, though more was shown"), self.shows(part)).await
    }

    async fn shows(&mut self, part: &str) -> String {
        loop {
            let shown = String::from_utf8_lossy(&self.screen[self.read..]).into_owned();
            if let Some(at) = shown.find(part) {
                let end = at + part.len();
                self.read += end;
                return shown[..end].to_owned();
            }
            let more = self.pty.reads(&format!("{part:?} after\n{shown}")).await;
            self.screen.extend(more.unwrap_or_else(|| panic!("it never showed {part:?}, but:\n{shown}")));
        }
    }

    /// Waits for the program's exit. Returns its exit code and the whole output, with plain line ends.
    pub(crate) async fn ended(mut self) -> (u32, String) {
        while let Some(more) = self.pty.reads("the program to end").await {
            self.screen.extend(more);
        }
        (self.pty.code().await, String::from_utf8_lossy(&self.screen).replace("\r\n", "\n"))
    }
}

/// The output of a terminal, until nobody has it open.
fn chunks(mut reader: Box<dyn Read + Send>) -> UnboundedReceiver<Vec<u8>> {
    let (send, output) = unbounded_channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        // At the end Linux returns an error, other systems an empty read.
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if send.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    output
}
