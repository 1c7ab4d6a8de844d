//! Which keys are shown: those that do something now.

use crossterm::event::KeyCode;
use nim::client::session::{ConnectionStatus, SendStatus};
use nim::client::tui::{Appearance, Message};
use nim::lobby::{AwayRule, ClockRule, Conditions, Loss, Offer, Request, WhenAway};

use super::desk::{ANNA, BEN, Desk};
use super::person::Person;

/// A game in which it is anna's turn again.
fn both_have_moved(game: &str) -> Desk {
    let mut desk = Desk::sized(game, (120, 40), Appearance::default());
    desk.moves(ANNA, "take 2");
    desk.moves(BEN, "take 1");
    desk
}

#[test]
fn only_what_can_be_offered_is_shown_and_has_a_key() {
    let mut desk = Desk::sized("java-tech", (120, 40), Appearance::default());
    desk.hides("u take back");
    desk.types("u");
    desk.shows("This key does nothing here");
    assert_eq!(desk.asked(), "[]");
    desk.moves(ANNA, "take 2");
    desk.shows("u take back");
    desk.moves(BEN, "take 1");
    desk.shows("u take back");
    // While there is an offer to answer, no other one can be made; the same one is an answer.
    desk.happens(BEN, Request::Offer(Offer::Draw));
    desk.hides("u take back");
    desk.hides("p pause");
    desk.shows("d draw");
    desk.types("d");
    assert!(desk.asked().contains("Offer(Draw)"));
    // What has been offered in this turn cannot be offered again in it.
    let mut desk = both_have_moved("java-tech");
    desk.happens(ANNA, Request::Offer(Offer::Pause));
    desk.hides("p pause");
    desk.shows("d draw");
    desk.shows("u take back");
}

#[test]
fn without_a_connection_only_those_keys_are_shown_that_do_something() {
    let mut desk = both_have_moved("java-tech");
    for words in ["t talk", "u take back", "d draw"] {
        desk.shows(words);
    }
    desk.link = Some(ConnectionStatus::Lost);
    for words in ["t talk", "u take back", "d draw", "p pause", "r resign", "h hint"] {
        desk.hides(words);
    }
    desk.shows("⏎ take 1");
    desk.shows("q quit");
    for key in ["t", "u", "r"] {
        desk.types(key);
        desk.shows("That has to wait until the server is back.");
        assert_eq!(desk.asked(), "[]", "{key}");
    }
    desk.types("z");
    desk.shows("This key does nothing here");
}

#[test]
fn behind_the_end_of_a_game_the_help_says_nothing_of_choosing_moves() {
    let mut desk = both_have_moved("java-tech");
    desk.types("?");
    desk.shows("The arrow keys and digits");
    desk.types("?");
    desk.happens(BEN, Request::Resign);
    desk.types("?");
    desk.shows("play another game");
    desk.hides("The arrow keys and digits");
}

#[test]
fn of_a_game_that_rests_the_screen_names_the_key_that_goes_on() {
    let mut desk = both_have_moved("java-tech");
    desk.happens(ANNA, Request::Offer(Offer::Pause));
    let turn = desk.view().lobby().unwrap().turn();
    desk.happens(BEN, Request::Answer { turn, offer: Offer::Pause, accept: true });
    desk.shows("The game rests. Press p to");
    desk.hides("resume");
    desk.shows("p go on");
}

#[test]
fn whether_to_quit_is_not_asked_any_more_once_the_game_is_over() {
    let clock = ClockRule::Move(8_000);
    let conditions = Conditions { clock, ..Conditions::default() };
    let mut desk = Desk::on(conditions, "java-tech", (80, 24), Appearance::default());
    desk.joined_by_ben();
    desk.moves(ANNA, "take 2");
    desk.types("q");
    desk.shows("The game is lost by it.");
    desk.falls_due();
    desk.hides("The game is lost by it.");
    desk.shows("You won: ben ran out of time.");
    desk.types("q");
    assert!(desk.asked().contains("Quit"));
}

#[test]
fn a_move_that_waits_for_the_server_is_the_one_that_is_shown_and_another_one_can_take_its_place() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.link = Some(ConnectionStatus::Lost);
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Down);
    desk.types("3");
    desk.shows("⏎ take 3 from c");
    desk.press(KeyCode::Enter);
    desk.held = Some(desk.view().lobby().unwrap().board().read_move("take 3 from c").unwrap());
    assert_eq!(desk.asked_move().as_deref(), Some("take 3 from c"));
    desk.send(Message::Sent(SendStatus::Later));
    desk.shows("⏎ take 3 from c waits");
    desk.shows(" take 3 from c waits; another move takes its place.");
    desk.types("2");
    desk.shows("⏎ take 2 from c");
    desk.shows(" take 3 from c waits; Enter has take 2 from c made instead.");
    desk.press(KeyCode::Up);
    desk.shows(" take 3 from c waits; Enter has take");
    // Whoever is back has made it, or can make it.
    (desk.link, desk.held) = (Some(ConnectionStatus::Up(None)), None);
    desk.hides("waits");
}

#[test]
fn two_at_one_keyboard_get_no_values_while_their_game_rests() {
    let mut desk = both_have_moved("java-tech");
    desk.two = true;
    desk.types("s");
    desk.thinks();
    desk.shows("Best:");
    desk.happens(ANNA, Request::Offer(Offer::Pause));
    let turn = desk.view().lobby().unwrap().turn();
    desk.happens(BEN, Request::Answer { turn, offer: Offer::Pause, accept: true });
    desk.shows("The game rests.");
    for words in ["Best:", "s learn", "h hint"] {
        desk.hides(words);
    }
    desk.types("s");
    desk.shows("This key does nothing here");
}

#[test]
fn two_at_one_keyboard_are_asked_whether_they_mean_a_draw() {
    let mut desk = both_have_moved("java-tech");
    desk.two = true;
    desk.types("d");
    desk.shows("Is this game a draw?");
    assert_eq!(desk.asked(), "[]");
    desk.types("n");
    desk.hides("Is this game a draw?");
    desk.types("dy");
    assert!(desk.asked().contains("Offer(Draw)"));
    // Of two at two keyboards the other one is asked.
    let mut desk = both_have_moved("java-tech");
    desk.types("d");
    assert!(desk.asked().contains("Offer(Draw)"));
}

#[test]
fn the_key_that_claims_a_game_is_shown_once_it_can_be_claimed() {
    let away = AwayRule { then: WhenAway::Forfeit, ..AwayRule::default() };
    let mut desk =
        Desk::on(Conditions { away, ..Conditions::default() }, "java-tech", (80, 24), Appearance::default());
    desk.joined_by_ben();
    desk.moves(ANNA, "take 2");
    let since = desk.now;
    desk.happens(BEN, Request::Lose { loss: Loss::Closed, since });
    desk.shows("the game can be claimed in");
    desk.hides("c claim");
    desk.shows("w wait");
    desk.types("c");
    assert_eq!(desk.asked(), "[]");
    desk.now = desk.now + std::time::Duration::from_mins(5);
    desk.shows("the game can be claimed.");
    desk.shows("c claim");
    // They may come back at this very moment.
    desk.types("c");
    desk.shows("Take this game?");
    assert_eq!(desk.asked(), "[]");
    desk.types("n");
    desk.hides("Take this game?");
    desk.types("cy");
    assert!(desk.asked().contains("Claim"));
}

#[test]
fn what_is_offered_is_answered_from_the_learn_panel_too() {
    let mut desk = both_have_moved("java-tech");
    desk.types("s");
    desk.hides("y accept");
    desk.happens(BEN, Request::Offer(Offer::Draw));
    desk.shows("y accept");
    desk.shows("n decline");
    desk.types("n");
    assert!(desk.asked().contains("Answer"));
    desk.hides("Sure?");
}
