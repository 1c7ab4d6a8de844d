//! The tutorial: what its screens say, its keys, and the program in a terminal and without one.

use std::ops::ControlFlow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nim::client::tui::{Appearance, Component, LEAST, Message, Tutorial};
use ratatui::layout::Rect;

use super::person::{Person, drawn, keys};
use super::window::Window;
use crate::harness::Program;

/// A pupil at the tutorial.
struct Pupil {
    tutorial: Tutorial,
    size: (u16, u16),
    has_quit: bool,
}

impl Pupil {
    fn sized(size: (u16, u16), ascii: bool) -> Self {
        let look = Appearance { ascii, ..Appearance::default() };
        Self { tutorial: Tutorial::new(Rect::new(0, 0, size.0, size.1), look), size, has_quit: false }
    }

    fn new() -> Self {
        Self::sized((80, 24), false)
    }

    /// Presses these keys, after which this is said, in as many rows as it needs.
    #[track_caller]
    fn hears(&mut self, keys: &str, words: &str) {
        self.types(keys);
        let rows: Vec<String> = self.screen().split_whitespace().map(str::to_owned).collect();
        assert!(rows.join(" ").contains(words), "{words:?} is not on\n{}", self.screen());
    }
}

impl Person for Pupil {
    fn send(&mut self, message: Message) {
        self.has_quit |= matches!(self.tutorial.update(message), Ok(ControlFlow::Break(())));
    }

    fn screen(&self) -> String {
        drawn(self.size, |frame| self.tutorial.draw(frame))
    }
}

#[test]
fn in_the_first_game_each_move_is_answered_until_somebody_has_to_take_the_last_object() {
    let mut pupil = Pupil::new();
    for words in ["Tutorial 1 of 3", "The player who takes the last one loses.", "Your turn: 7 are left."] {
        pupil.hears("", words);
    }
    pupil.hears("2", "⏎ take 2");
    pupil.hears("↑", "⏎ take 3");
    pupil.hears("⏎", "You: take 3. The other side: take 3.");
    pupil.shows("Your turn: 1 is left.");
    pupil.hears("⏎", "You lose: you had to take the last object.");
    pupil.hears("u", "Your turn: 1 is left.");
    pupil.hears("r2⏎", "You: take 2. The other side: take 1.");
    pupil.hears("3⏎", "You win: the other side had to take the last object.");
    pupil.hides("⏎");
}

#[test]
fn a_move_that_gives_the_first_game_away_has_its_reason_at_once() {
    let mut pupil = Pupil::new();
    pupil.hears("1⏎", "You: take 1.");
    pupil.hears("", "That loses. It leaves 6");
    pupil.hears("", "Your turn: ");
    pupil.types("u2⏎");
    pupil.hides("That loses.");
}

#[test]
fn the_keys_of_the_tutorial_are_listed_on_every_screen() {
    for pages in ["", "n", "nn"] {
        let mut pupil = Pupil::new();
        pupil.types(pages);
        pupil.shows("? help");
        pupil.asks("?", "make the move; after a right answer");
        pupil.types("⎋");
        pupil.hides("make the move; after");
        assert!(!pupil.has_quit);
    }
}

#[test]
fn a_wrong_answer_has_its_reason_and_can_be_taken_back_and_the_last_right_one_leads_to_the_rule() {
    let mut pupil = Pupil::new();
    pupil.hears("n", "Puzzle 1 of 4: 4 are left.");
    pupil.hears("⏎", "That loses. It leaves 3: the other side takes 2 and leaves 1, which you have to take.");
    pupil.hears("u", "Puzzle 1 of 4");
    for (answer, reason) in
        [("3⏎", "It leaves 1, which"), ("2⏎", "It leaves 5: one more"), ("3⏎", "It leaves 9:")]
    {
        pupil.hears(answer, "Right: take ");
        pupil.hears("", reason);
        pupil.types("⏎");
    }
    pupil.shows("Puzzle 4 of 4: 20 are left.");
    pupil.hears("3⏎", "Right, and that was the last puzzle.");
    pupil.hears("", "each is one more than a multiple of 4. 1 5 9 13 17");
    pupil.hears("⏎", "Puzzle 1 of 4");
}

#[test]
fn the_tree_is_opened_and_closed_and_every_value_is_explained() {
    let mut pupil = Pupil::new();
    pupil.hears(
        "nn",
        "The first side is to move, and its moves have the values -1, -1, +1. It chooses the largest: +1.",
    );
    pupil.hears(
        "↓",
        "The second side is to move, and its moves have the values +1, -1, +1. It chooses the smallest: -1.",
    );
    let rows = pupil.screen().matches("take ").count();
    pupil.types("→");
    assert_eq!(pupil.screen().matches("take ").count(), rows + 3, "{}", pupil.screen());
    pupil.types("←");
    assert_eq!(pupil.screen().matches("take ").count(), rows);
    pupil.types("↓↓");
    pupil.hears("", "The second side has one move, of value +1. So the value is +1.");
    pupil.hears(
        "→→",
        "The second side has taken the last object, which loses. The value is +1: the first side wins.",
    );
}

#[test]
fn one_goes_on_and_back_and_quits_on_every_screen() {
    let mut pupil = Pupil::new();
    for (keys, title) in
        [("n", "2 of 3"), ("n", "3 of 3"), ("n", "3 of 3"), ("b", "2 of 3"), ("b", "1 of 3"), ("b", "1 of 3")]
    {
        pupil.asks(keys, &format!("Tutorial {title}"));
    }
    pupil.hears("nnn", "That was all. nim-client play begins a game.");
    pupil.asks("⎋", "Tutorial 2 of 3");
    pupil.asks("⎋", "Tutorial 1 of 3");
    pupil.asks("⎋", "Esc once more, or q, ends the tutorial.");
    // Any other key goes on.
    pupil.types("↓⎋");
    assert!(!pupil.has_quit);
    pupil.types("⎋");
    assert!(pupil.has_quit);
    for pages in ["", "n", "nn", "n⏎", "nnb"] {
        for quit in
            [KeyEvent::from(KeyCode::Char('q')), KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)]
        {
            let mut pupil = Pupil::new();
            pupil.types(pages);
            assert!(!pupil.has_quit);
            pupil.send(Message::Key(quit));
            assert!(pupil.has_quit, "{pages:?} {quit:?}");
        }
    }
}

#[test]
fn the_mouse_selects_and_makes_moves_opens_the_tree_and_presses_keys() {
    let mut pupil = Pupil::new();
    let (x, y) = pupil.place("▴");
    pupil.clicks((x - 2, y));
    pupil.shows("⏎ take 2");
    pupil.clicks((x - 2, y));
    pupil.shows("You: take 2. The other side: take 1.");
    pupil.clicks_on("next screen");
    pupil.clicks_on("next screen");
    pupil.shows("Tutorial 3 of 3");
    let before = pupil.screen();
    let (x, y) = pupil.place("take 1");
    pupil.clicks((x - 4, y));
    assert_ne!(pupil.screen(), before);
    pupil.clicks_on("q quit");
    assert!(pupil.has_quit);
}

#[test]
fn everything_fits_on_every_screen_from_the_smallest_on_and_in_ascii() {
    for size in [LEAST, (80, 24), (200, 60)] {
        let mut pupil = Pupil::sized(size, true);
        for key in keys("1⏎1⏎1⏎n1⏎u3⏎⏎2⏎⏎3⏎⏎3⏎n⏎⏎⏎↓↓↓↓↓↓") {
            pupil.press(key);
            let screen = pupil.screen();
            assert!(screen.is_ascii() && !screen.contains('~') && !screen.contains("..."), "{screen}");
            pupil.shows("q quit");
        }
    }
}

#[test]
fn a_smaller_screen_says_what_it_needs_and_takes_no_key() {
    let mut pupil = Pupil::new();
    pupil.size = (50, 12);
    pupil.send(Message::Resize(50, 12));
    pupil.shows_all(["The screen needs 60 columns and 18 lines", "50 and"]);
    pupil.types("qn");
    assert!(!pupil.has_quit);
    pupil.size = LEAST;
    pupil.send(Message::Resize(LEAST.0, LEAST.1));
    pupil.shows("Tutorial 1 of 3");
}

#[tokio::test]
async fn the_tutorial_runs_in_a_terminal_and_gives_it_back() {
    let mut window = Window::client(&["tutorial"]);
    window.asks("n", "Tutorial 2 of 3").await;
    window.quits("q").await;
}

#[tokio::test]
async fn without_a_screen_the_tutorial_is_printed_as_text() {
    let ended = Program::client(&["tutorial"]).finish().await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    for part in [
        "Tutorial 1 of 3",
        "take 1: 6 are left.",
        "Answer: take 3. It leaves 17",
        "1 5 9 13 17\n",
        "0: 4, first to move: +1",
    ] {
        assert!(ended.stdout.contains(part), "{part:?}: {}", ended.stdout);
    }
    let mut narrow = Window::with(env!("CARGO_BIN_EXE_nim-client"), &["tutorial"], &[], (200, 50));
    assert_eq!(narrow.ended().await, 0);
    let shown = narrow.shown();
    assert!(shown.contains("The screen needs 60 columns") && shown.contains("Tutorial 3 of 3"), "{shown}");
}
