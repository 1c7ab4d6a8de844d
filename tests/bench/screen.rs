//! How quick the full screen is: `cargo bench --bench bench -- screen`.
//!
//! It runs the real client in a pseudo-terminal of 80 columns and 24 rows, in turns on its first screen and in a
//! game. *First paint* is the time from the start of the program until its keys are shown. *Key echo* is the
//! time from a key until the help that it opens or closes has changed on the screen. Both are of the wall
//! clock, with the bench's own reading. *Idle output* is what the program writes while nobody types. A time is
//! the median of all rounds, followed by the least and the greatest. It knows nothing of how the screen is
//! drawn.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;
use vt100::Parser;

use crate::smoke;

/// The rows and columns of the terminal.
const SIZE: (u16, u16) = (24, 80);

/// The number of starts of each screen.
const ROUNDS: usize = 21;

/// The number of keys in each round.
const KEYS: usize = 20;

/// How long nobody types.
const IDLE: Duration = Duration::from_secs(5);

/// How long the program is quiet before it counts as idle, and the longest wait for any answer.
const QUIET: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(20));

/// Each screen with the arguments that lead to it.
const SCREENS: [(&str, &[&str]); 2] = [
    ("the first screen", &[]),
    ("a game", &["play", "java-tech:21", "--name", "anna", "--starts", "me", "--bot-pace", "0"]),
];

/// What the last row shows, and what the help shows.
const BAR: &str = "? help";
const HELP: &str = "What you can do ";

pub(crate) fn run() -> anyhow::Result<()> {
    let (rounds, keys) = (smoke::all_or(1, ROUNDS), smoke::all_or(2, KEYS));
    let mut figures = SCREENS.map(|_| (Vec::new(), Vec::new()));
    for _ in 0..rounds {
        for ((_, arguments), (paints, echoes)) in SCREENS.iter().zip(&mut figures) {
            let began = Instant::now();
            let mut window = Window::open(arguments)?;
            paints.push(window.until(|shown| shown.contains(BAR))? - began);
            window.settle(QUIET.0)?;
            for key in 0..keys {
                let pressed = Instant::now();
                window.keyboard.write_all(b"?")?;
                echoes.push(window.until(|shown| shown.contains(HELP) == (key % 2 == 0))? - pressed);
            }
        }
    }
    let idle = smoke::all_or(Duration::from_millis(100), IDLE);
    println!("{:18} {:>24} {:>24} {:>12}", "", "first paint", "key echo", "idle output");
    for ((name, arguments), (paints, echoes)) in SCREENS.iter().zip(figures) {
        let mut window = Window::open(arguments)?;
        window.until(|shown| shown.contains(BAR))?;
        window.settle(QUIET.0)?;
        let written = window.settle(idle)?;
        println!(
            "{name:18} {:>24} {:>24} {:>12}",
            spread(paints),
            spread(echoes),
            format!("{written} bytes")
        );
    }
    println!("{rounds} starts, {keys} keys in each; idle for {idle:?}");
    Ok(())
}

/// The median of these times, the least and the greatest.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let millis = |at: usize| times[at].as_secs_f64() * 1e3;
    let last = times.len() - 1;
    format!("{:.1} ms ({:.1}..{:.1})", millis(times.len() / 2), millis(0), millis(last))
}

/// A pseudo-terminal with the client, which is killed on drop.
struct Window {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    screen: Parser,
    /// Keep the terminal open, and the client's folder.
    _rest: (Box<dyn MasterPty + Send>, TempDir),
}

impl Window {
    fn open(arguments: &[&str]) -> anyhow::Result<Self> {
        let (rows, cols) = SIZE;
        let folder = tempfile::tempdir()?;
        let pair = native_pty_system().openpty(PtySize { rows, cols, ..PtySize::default() })?;
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_nim-client"));
        command.args(arguments);
        command.env("NIM_STATE", folder.path());
        for (name, value) in [("NIM_CONFIG", ""), ("NIM_LOOK_ON", "127.0.0.1"), ("TERM", "xterm-256color")] {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command)?;
        let output = chunks(pair.master.try_clone_reader()?);
        let keyboard = pair.master.take_writer()?;
        let [rows, cols] = [rows, cols].map(NonZeroU16::new);
        let screen = Parser::new(rows.context("rows")?, cols.context("columns")?, 0);
        Ok(Self { child, keyboard, output, screen, _rest: (pair.master, folder) })
    }

    /// Reads until the screen meets this condition. Returns when the last part of it was read.
    fn until(&mut self, holds: impl Fn(&str) -> bool) -> anyhow::Result<Instant> {
        loop {
            let (at, bytes) = self.output.recv_timeout(QUIET.1).with_context(|| {
                format!("the screen does not change any more:\n{}", self.screen.screen().contents())
            })?;
            self.screen.process(&bytes);
            if holds(&self.screen.screen().contents()) {
                return Ok(at);
            }
        }
    }

    /// Reads for this long. Returns the number of bytes.
    fn settle(&mut self, time: Duration) -> anyhow::Result<usize> {
        let (end, mut count) = (Instant::now() + time, 0);
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((_, bytes)) => {
                    count += bytes.len();
                    self.screen.process(&bytes);
                }
                Err(RecvTimeoutError::Timeout) => return Ok(count),
                Err(RecvTimeoutError::Disconnected) => bail!("the program ended"),
            }
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The output of a terminal, until nobody has it open, each part with the time when it was read.
fn chunks(mut reader: Box<dyn Read + Send>) -> Receiver<(Instant, Vec<u8>)> {
    let (send, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if send.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                return;
            }
        }
    });
    output
}
