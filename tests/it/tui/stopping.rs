//! Signals and Ctrl-Z: the terminal is restored, also for a while.

use rustix::process::{Pid, Signal, kill_process};

use super::window::Window;

const CLIENT: &str = env!("CARGO_BIN_EXE_nim-client");

/// Sends a signal to the program of this window.
fn signal(window: &Window, signal: Signal) {
    let id = Pid::from_raw(i32::try_from(window.pty.process()).unwrap()).expect("a process");
    kill_process(id, signal).unwrap();
}

#[tokio::test]
async fn a_signal_restores_the_terminal() {
    for (kind, number) in [(Signal::TERM, 15), (Signal::HUP, 1), (Signal::INT, 2), (Signal::QUIT, 3)] {
        let mut window = Window::client(&["play", "--name", "anna", "tic-tac-toe"]);
        window.until_shown("Your turn.").await;
        assert!(!window.is_cooked());
        signal(&window, kind);
        assert_eq!(window.ended().await, 128 + number);
        window.is_sane();
        assert!(window.is_cooked());
    }
}

/// A shell with job control that runs the program, and continues it after a line is typed.
fn shell(continuing: &str, program: &[&str]) -> Window {
    let script = format!("\"$0\" \"$@\"; echo suspended; read line; {continuing}; echo \"exit code $?\"");
    Window::with("sh", &[&["-mc", &script, CLIENT], program].concat(), &[], (24, 80))
}

async fn is_suspended(window: &mut Window) {
    window.until_shown("suspended").await;
    window.is_sane();
    assert!(window.is_cooked());
}

async fn is_screen_again(window: &mut Window, part: &str) {
    window.until_shown(part).await;
    window.until("the whole screen", |shown| shown.contains(" quit")).await;
    assert!(window.terminal.screen().alternate_screen() && window.terminal.screen().hide_cursor());
    // The shell gives the terminal back while the old screen is still shown.
    let raw = async {
        while window.is_cooked() {
            tokio::task::yield_now().await;
        }
    };
    crate::harness::within("a raw terminal", raw).await;
}

#[tokio::test]
async fn ctrl_z_gives_the_terminal_to_the_shell_until_the_program_is_continued() {
    let program = ["play", "--name", "anna", "--bot-pace", "0", "--starts", "me", "take:9:3"];
    let mut window = shell("fg >/dev/null", &program);
    window.until_shown("Your turn.").await;
    window.types("\x1a");
    is_suspended(&mut window).await;
    window.types("\r");
    is_screen_again(&mut window, "Your turn.").await;
    window.asks("3\r", "You: take 3").await;
    window.asks("q", "Leave this game?").await;
    window.asks("k", "exit code 0").await;
    window.is_sane();
}

#[tokio::test]
async fn ctrl_z_on_the_first_screen_and_while_a_text_is_typed_too() {
    let mut window = shell("fg >/dev/null", &["--no-animation"]);
    window.until_shown("Play here and now").await;
    // An address is being typed.
    window.asks("\x1b[B\x1b[B\x1b[Bbrave", "brave").await;
    window.types("\x1a");
    is_suspended(&mut window).await;
    window.types("\r");
    is_screen_again(&mut window, "brave").await;
    window.asks("\x03", "exit code 0").await;
    window.is_sane();
}

#[tokio::test]
async fn a_program_that_no_shell_could_continue_does_not_stop() {
    let mut window = Window::client(&["play", "--name", "anna", "tic-tac-toe"]);
    window.until_shown("Your turn.").await;
    window.asks("\x1a?", "What you can do now").await;
    assert!(window.terminal.screen().alternate_screen() && !window.is_cooked());
    window.asks("q", "Your turn.").await;
    window.quits("q").await;
}

#[tokio::test]
async fn a_program_that_was_stopped_from_outside_takes_the_terminal_again() {
    let mut window = Window::client(&["play", "--name", "anna", "tic-tac-toe"]);
    window.until_shown("Your turn.").await;
    signal(&window, Signal::STOP);
    // Nothing of what the terminal shows is there any more.
    window.terminal = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    signal(&window, Signal::CONT);
    is_screen_again(&mut window, "Your turn.").await;
    window.quits("q").await;
}
