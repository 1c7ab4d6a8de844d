//! The program in a pseudo-terminal.

use super::window::Window;

const PLAY: [&str; 7] = ["play", "--name", "anna", "--bot-pace", "0", "--seed", "7"];

fn play(game: &str) -> Window {
    Window::client(&[&PLAY[..], &[game]].concat())
}

#[tokio::test]
async fn a_game_is_played_with_keys() {
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
    window.quits("q").await;
}

#[tokio::test]
async fn a_game_is_played_with_the_mouse() {
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
    // The button is released before the terminal is restored, and its report is not echoed.
    window.mouse(0, (x, y), 'm');
    assert_eq!(window.ended().await, 0);
    window.is_sane();
    assert!(!window.shown().contains("[<"), "{}", window.shown());
}

#[tokio::test]
async fn a_game_from_the_home_screen_leads_back_to_it_and_leaves_a_record() {
    let mut window = Window::client(&["--no-animation"]);
    window.until_shown("Play here and now").await;
    window.asks("\x1b[C\x1b[B\x1b[C\x1b[A\r", "Your turn.").await;
    window.asks("1\r", "You: take 1").await;
    window.until_shown("Your turn.").await;
    window.asks("q", "Leave this game?").await;
    window.asks("s?", "leave, and go back to the first screen").await;
    window.asks("z:quit", "All you can do now").await;
    window.until_shown("leave, and go back to the first screen").await;
    window.types("\x1b");
    window.until("the list is closed", |shown: &str| !shown.contains("All you can do now")).await;
    window.asks("qg", "Play here and now").await;
    let is_as_chosen = |shown: &str| shown.contains("nim:3-4-5") && !shown.contains("a bot, perfect");
    window.until("what was chosen", is_as_chosen).await;
    // The records are on the last line.
    let to_records = "\x1b[B".repeat(9) + "\r";
    window.asks(&to_records, "Games that were played at this keyboard").await;
    window.until_shown("nim:3-4-5").await;
    window.asks("\r", "The start").await;
    window.asks("\x1b[F", "take ").await;
    window.quits("q").await;
}

#[tokio::test]
async fn a_game_open_in_another_window_is_not_offered() {
    let state = tempfile::tempdir().unwrap();
    let folder = [("NIM_STATE", state.path().to_str().unwrap())];
    let client = env!("CARGO_BIN_EXE_nim-client");
    let open = |arguments: &[&str]| Window::with(client, arguments, &folder, (24, 80));
    let mut first = open(&["play", "take:9:2", "--name", "anna", "--bot-pace", "0", "--starts", "me"]);
    first.until_shown("Your turn.").await;
    first.types("1\r");
    first.is_over_behind(1).await;
    let mut home = open(&[]);
    home.until_shown("Play here and now").await;
    assert!(!home.shown().contains("Go on where you were"), "{}", home.shown());
    // The window is closed.
    drop(first);
    let mut home = open(&[]);
    home.until_shown("Go on where you were").await;
    let mut again = open(&["resume"]);
    again.until_shown("Your turn.").await;
    home.asks("\x1b[B\x1b[B\x1b[B\x1b[B\r", "is open in another window").await;
    assert!(!home.shown().contains("could not start"), "{}", home.shown());
}

#[tokio::test]
async fn the_learn_panel_searches_and_shows_values() {
    let mut window = Window::client(&[&PLAY[..], &["java-tech:4", "--starts", "me"]].concat());
    window.until_shown("Your turn.").await;
    window.asks("s", "Best: take 3. It leaves 1").await;
    window.types("o");
    window.until("two levels", |shown| shown.contains("cut L   1  +1")).await;
    window.types("o");
    let found = |shown: &str| shown.contains("cut L   1  -1") && !shown.contains("Thinking");
    window.until("all of the tree", found).await;
    window.types("\x1b");
    window.until("the board", |shown| !shown.contains("Best:")).await;
    window.quits("q").await;
}

#[tokio::test]
async fn a_resized_window_is_filled() {
    let mut window = play("tic-tac-toe");
    window.until_shown("Your turn.").await;
    window.resizes(40, 120).await;
    window.resize(10, 40);
    window.until_shown("The screen needs").await;
}

#[tokio::test]
async fn small_dumb_and_plain_terminals_use_the_line_face() {
    for (plain, term, lines, columns) in [
        (&["--plain"][..], "xterm-256color", 24, 80),
        (&[], "dumb", 24, 80),
        (&[], "xterm-256color", 17, 80),
        (&[], "xterm-256color", 24, 59),
    ] {
        let arguments = [&["play", "--name", "anna", "take:1:1"][..], plain].concat();
        let client = env!("CARGO_BIN_EXE_nim-client");
        let mut window = Window::with(client, &arguments, &[("TERM", term)], (lines, columns));
        window.until_shown("or help):").await;
        assert!(!window.terminal.screen().alternate_screen() && window.is_cooked());
        let is_small = window.shown().contains("The screen needs 60 columns and 18 lines");
        assert_eq!(is_small, (lines, columns) != (24, 80), "{}", window.shown());
        window.quits("quit\r").await;
    }
}

/// The program panics if it cannot start the thread that reads the keyboard: with less memory than the
/// stack of a thread.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_panic_of_the_program_restores_the_terminal() {
    let stack = (1_u64 << 33).to_string();
    let kilobytes = (1_u64 << 32) / 1024;
    let limited = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
    let arguments =
        ["-c", &limited, env!("CARGO_BIN_EXE_nim-client"), "connect", "127.0.0.1", "--name", "anna"];
    let mut window = Window::with("sh", &arguments, &[("RUST_MIN_STACK", &stack)], (24, 80));
    window.until_shown("panicked at").await;
    window.until_shown("failed to spawn thread").await;
    assert_eq!(window.ended().await, 101);
    assert!(window.was_screen, "it had taken the terminal before");
    window.is_sane();
    assert!(window.is_cooked());
}
