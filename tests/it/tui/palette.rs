//! The list of all actions, and keys that were changed in the settings.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nim::client::settings::{KeyBinding, SettingSource};
use nim::client::tui::{Keys, LEAST, Message};
use nim::lobby::{LobbyRequest, Offer};

use super::person::Person;
use super::player::{ANNA, BEN, Player};

const TITLE: &str = "All you can do now";

fn control(player: &mut Player, letter: char) {
    player.send(Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)));
}

/// anna on her second turn, with these keys.
fn with_keys(lines: &[(&str, &str)]) -> Player {
    let binding = |(action, key): &(&str, &str)| KeyBinding {
        action: (*action).to_owned(),
        key: (*key).to_owned(),
        at: SettingSource::Variable("keys"),
    };
    let (keys, wrong) = Keys::read(&lines.iter().map(binding).collect::<Vec<_>>());
    assert_eq!(wrong, []);
    let mut player = Player::playing("java-tech");
    player.state.keys = keys;
    player.moves(ANNA, "take 2");
    player.moves(BEN, "take 1");
    player
}

#[test]
fn the_list_shows_every_action_that_is_possible_now_with_its_key() {
    let mut player = with_keys(&[]);
    player.asks(":", TITLE);
    player.shows_all(["move          ⏎", "hint          h", "take-back     u", "pause         p"]);
    player.hides_all(["again ", "open-all", "claim"]);
    player.types("⎋");
    player.hides(TITLE);
    control(&mut player, 'p');
    player.shows(TITLE);
    player.types("⎋");
    player.wants(BEN, LobbyRequest::Resign);
    player.asks(":", "again         a");
    player.hides("hint  ");
}

#[test]
fn typing_filters_the_list_and_enter_does_the_selected_action() {
    let mut player = with_keys(&[]);
    player.asks(":tak", "take-back     u");
    player.hides("pause         p");
    player.causes("⏎", "Offer(Takeback)");
    player.hides(TITLE);
    // The words of the help are found too, below the names.
    player.asks(":best move", "hint          h");
    player.causes("⏎", "Hint");
    player.causes(":↓⏎", "Hint");
    player.asks(":xyz", "Nothing that you can do now");
    player.types("⏎");
    player.shows(TITLE);
    assert_eq!(player.asked(), "[]");
    // What asks before, asks here too.
    player.asks("⎋:resign⏎", "Give this game up?");
}

#[test]
fn a_click_in_the_list_does_its_line_and_one_outside_closes_it() {
    let mut player = with_keys(&[]);
    player.types(":");
    player.clicks_on("hint  ");
    assert!(player.asked().contains("Hint"));
    player.types(":");
    player.clicks((0, 0));
    player.hides(TITLE);
    assert_eq!(player.asked(), "[]");
}

#[test]
fn the_list_opens_in_the_hall_and_the_learn_panel_but_not_where_a_text_is_typed() {
    let mut player = super::hall::hall(LEAST, nim::client::tui::Appearance::default());
    player.asks(":", "quick         m");
    player.types("⎋n:");
    player.hides(TITLE);
    control(&mut player, 'p');
    player.hides(TITLE);
    let mut player = with_keys(&[]);
    player.asks("s:", "open-all      o");
    player.asks("⎋⎋⎋t:", "Say: :");
    player.hides(TITLE);
}

#[test]
fn changed_keys_work_and_are_shown_everywhere() {
    let mut player = with_keys(&[("hint", "x"), ("learn", "h"), ("help", "!"), ("pause", "F2")]);
    player.shows_all(["x hint", "h learn", "! help"]);
    player.causes("x", "Hint");
    player.asks("!", "x       the best move and why");
    player.shows("F2      ask to pause the game");
    player.types("⎋");
    player.asks(":", "hint          x");
    player.types("⎋");
    player.does_jobs = true;
    player.asks("h", "W win, L loss");
    player.types("⎋");
    player.asks("z", "! shows those that do.");
    player.press(KeyCode::F(2));
    assert!(player.asked().contains("Offer(Pause)"));
    player.wants(ANNA, LobbyRequest::Offer(Offer::Pause));
    player.accepts(BEN);
    player.shows("F2 to resume it.");
    // In a form a letter or a sign is part of the text.
    let mut player = super::hall::hall((80, 24), nim::client::tui::Appearance::default());
    player.state.keys = with_keys(&[("help", "!")]).state.keys;
    player.asks("n", "F1 help");
    player.hides("! help");
}
