//! The player's program at a real terminal, where a person types whenever they like.

use std::io::{Read, Write};
use std::path::Path;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::within;

/// What Ctrl-D sends: the end of the input.
const END: &[u8] = &[4];

/// A terminal in which the program runs; it is killed when this is dropped.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: UnboundedReceiver<Vec<u8>>,
    /// All that was shown, and how much of it the test has looked at.
    screen: Vec<u8>,
    read: usize,
    /// Keeps the terminal open.
    master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// The player's program with these arguments, one line at a time.
    pub(crate) fn client(arguments: &[&str]) -> Self {
        Self::keeping(super::program::STATE.as_ref(), arguments)
    }

    /// The same, which keeps its seats in this folder.
    pub(crate) fn keeping(folder: &Path, arguments: &[&str]) -> Self {
        // At a terminal there would be the screen.
        let (first, rest) = arguments.split_first().expect("a command");
        let plain = matches!(*first, "connect" | "play" | "resume").then_some("--plain");
        let arguments: Vec<&str> = std::iter::once(*first).chain(plain).chain(rest.iter().copied()).collect();
        let mut command = super::client(&arguments);
        command.env("NIM_STATE", folder);
        Self::running(command.as_std())
    }

    /// Any program.
    pub(crate) fn running(program: &std::process::Command) -> Self {
        let size = PtySize { rows: 24, cols: 80, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program.get_program());
        command.args(program.get_args());
        for (key, value) in program.get_envs() {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            }
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let (keyboard, reader) =
            (pair.master.take_writer().unwrap(), pair.master.try_clone_reader().unwrap());
        let output = chunks(reader);
        Self { child, keyboard, output, screen: Vec::new(), read: 0, master: pair.master }
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Types a line, and waits until `part` is shown.
    pub(crate) async fn asks(&mut self, line: &str, part: &str) -> String {
        self.types(line);
        self.until(part).await
    }

    /// Types `quit`, and waits until it has ended as it should.
    pub(crate) async fn quits(mut self) {
        self.types("quit");
        let (code, screen) = self.ended().await;
        assert_eq!(code, 0, "{screen}");
    }

    /// Waits until the terminal does not show what is typed.
    #[cfg(unix)]
    pub(crate) async fn hides_typing(&self) {
        within("a terminal that hides what is typed", async { self.turns_echo(false).await }).await;
    }

    /// Waits until the terminal shows what is typed.
    #[cfg(unix)]
    pub(crate) async fn shows_typing(&self) {
        within("a terminal that shows what is typed", async { self.turns_echo(true).await }).await;
    }

    #[cfg(unix)]
    async fn turns_echo(&self, on: bool) {
        /// The flag of a terminal that shows what is typed, the same on every system that these tests run on.
        const ECHO: u64 = 0x8;
        let shows = || {
            let flags = self.master.get_termios().expect("a terminal").local_flags.bits();
            u64::from(flags) & ECHO != 0
        };
        while shows() != on {
            tokio::task::yield_now().await;
        }
    }

    /// Presses Ctrl-D at the start of a line.
    pub(crate) fn ends_input(&mut self) {
        self.keyboard.write_all(END).unwrap();
    }

    /// Reads on until this is shown, and returns what was shown up to it and has not been returned before.
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
            let more = within(&format!("{part:?} after\n{shown}"), self.output.recv()).await;
            self.screen.extend(more.unwrap_or_else(|| panic!("it never showed {part:?}, but:\n{shown}")));
        }
    }

    /// Waits until the program has ended: its exit code, and all that the terminal has shown, with plain line
    /// ends.
    pub(crate) async fn ended(mut self) -> (u32, String) {
        while let Some(more) = within("the program to end", self.output.recv()).await {
            self.screen.extend(more);
        }
        let status = tokio::task::spawn_blocking(move || self.child.wait().unwrap());
        let code = within("the exit code", status).await.unwrap().exit_code();
        (code, String::from_utf8_lossy(&self.screen).replace("\r\n", "\n"))
    }
}

/// What a terminal shows, as it comes, until nobody has it open any more.
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
