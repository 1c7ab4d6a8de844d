//! Lines that are typed: where typing begins, what takes letters back, and the help beside them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nim::client::tui::home::{Choice, Home};
use nim::client::tui::{Appearance, LEAST, Message};
use nim::client::words::form::Term;
use nim::client::words::home::Opponent;
use nim::lobby::Level;
use ratatui::layout::Rect;

use super::desk::Desk;
use super::hall::hall;
use super::person::Person;
use super::reader::Reader;

const HELP: &str = "What you can do now";

/// Ctrl-U.
fn empty() -> Message {
    Message::Key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL))
}

#[test]
fn what_is_typed_takes_the_place_of_a_choice() {
    let mut desk = hall((80, 24), Appearance::default());
    desk.types("n");
    desk.types("nim:3-4");
    desk.shows("Game          nim:3-4 ");
    // What was typed is not a choice: it goes on.
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Up);
    desk.types("-5");
    desk.types("-6");
    desk.shows("Game          nim:3-4-5-6 ");
    desk.press(KeyCode::Right);
    desk.press(KeyCode::Backspace);
    desk.types("7");
    desk.shows("Game          java-tech:27 ");
    desk.send(empty());
    desk.types("take:9:2");
    desk.press(KeyCode::Enter);
    let asked = desk.asked();
    assert!(asked.contains("Create("), "{asked}");
}

#[test]
fn a_clock_is_typed_anew_too_and_a_password_emptied() {
    let mut desk = hall((80, 24), Appearance::default());
    desk.types("n");
    (0..7).for_each(|_| desk.press(KeyCode::Down));
    desk.types("5m");
    desk.shows("Clock         5m ");
    (0..4).for_each(|_| desk.press(KeyCode::Down));
    desk.types("secret");
    desk.send(empty());
    desk.types("no");
    desk.shows("Password      ** ");
}

fn presses(home: &mut Home, keys: &[KeyCode]) -> Option<Choice> {
    let press = |&key| home.update(&Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    keys.iter().map(press).last().flatten()
}

#[test]
fn on_the_first_screen_a_typed_game_takes_the_place_of_the_chosen_one() {
    use KeyCode::{Backspace, Char, Enter, Right};
    let home = || Home::new(Rect::new(0, 0, 80, 24), Appearance::default(), Vec::new());
    let typed: Vec<KeyCode> = "nim:3-4".chars().map(Char).collect();
    let plays = |choice: Option<Choice>, game: &str| {
        let against = Opponent::Bot(Level::Perfect);
        let chosen = matches!(&choice, Some(Choice::Play { variant, against: bot, .. })
            if *variant == game.parse().unwrap() && *bot == against);
        assert!(chosen, "{choice:?}");
    };
    plays(presses(&mut home(), &[&typed[..], &[Enter]].concat()), "nim:3-4");
    plays(presses(&mut home(), &[&[Right], &typed[..], &[Enter]].concat()), "nim:3-4");
    plays(presses(&mut home(), &[Backspace, Char('2'), Enter]), "java-tech:22");
    let mut emptied = home();
    presses(&mut emptied, &typed);
    emptied.update(&empty());
    plays(presses(&mut emptied, &[&typed[..], &[Enter]].concat()), "nim:3-4");
}

#[test]
fn the_help_opens_over_every_line_of_the_form_which_goes_on_behind_it() {
    for size in [(80, 24), LEAST] {
        let mut desk = hall(size, Appearance::default());
        desk.types("n");
        for term in Term::ALL {
            let here = format!("▸ {}", term.name());
            let (key, shown) = match term {
                Term::Password => (KeyCode::F(1), "F1 help"),
                _ => (KeyCode::Char('?'), "? help"),
            };
            desk.shows(&here);
            desk.shows(shown);
            for key in [key, KeyCode::F(1)] {
                desk.press(key);
                desk.shows(HELP);
                desk.press(KeyCode::Esc);
                desk.hides(HELP);
                desk.shows(&here);
            }
            desk.clicks(desk.place(shown));
            desk.shows(HELP);
            desk.press(KeyCode::Esc);
            desk.press(KeyCode::Tab);
        }
        // A password may hold any sign.
        desk.types("?");
        desk.hides(HELP);
        desk.shows("Password      * ");
        assert_eq!(desk.asked(), "[]");
    }
}

#[test]
fn while_a_line_is_typed_for_others_f1_opens_the_help_and_the_line_goes_on() {
    let mut desk = Desk::playing("java-tech");
    desk.types("thow");
    desk.shows("F1 help");
    desk.press(KeyCode::F(1));
    desk.shows(HELP);
    desk.press(KeyCode::Esc);
    desk.hides(HELP);
    desk.types(" so?");
    desk.shows("Say: how so?");
    desk.send(empty());
    desk.types("fine");
    desk.shows("Say: fine");
    desk.press(KeyCode::Enter);
    assert!(desk.asked().contains("Say("));
}

#[test]
fn f1_opens_the_help_wherever_the_question_mark_does() {
    let mut desks = [Desk::playing("java-tech"), hall((80, 24), Appearance::default())];
    for desk in &mut desks {
        desk.press(KeyCode::F(1));
        desk.shows(HELP);
    }
    let mut reader = Reader::usual();
    reader.press(KeyCode::F(1));
    reader.shows(HELP);
    let mut home = Home::new(Rect::new(0, 0, 80, 24), Appearance::default(), Vec::new());
    presses(&mut home, &[KeyCode::F(1)]);
    assert!(super::home::shown(&home).contains("What you can do here"));
}
