//! Objects that are pulled off a pile: taken where the mouse lets go of them outside, and else fallen back.

use crossterm::event::{KeyCode, MouseButton, MouseEventKind};
use nim::client::session::SessionEvent;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::lobby::{ClockRule, Conditions, Departure, Offer, Request, Text};

use super::desk::{ANNA, BEN, Desk};
use super::person::Person;

/// The places of the sticks of pile c, which is the lowest of 3-4-5, from the left, on a line of its sticks.
fn sticks(desk: &Desk) -> [(u16, u16); 5] {
    let (x, y) = desk.place("c   5");
    [0, 2, 4, 6, 8].map(|step| (x + 7 + step, y))
}

/// A place outside of all piles.
const OUTSIDE: (u16, u16) = (4, 5);

#[test]
fn what_the_mouse_comes_across_is_lifted_and_taken_where_it_lets_go_outside() {
    let mut desk = Desk::playing("nim:3-4-5");
    let places = sticks(&desk);
    desk.pushes(places[4]);
    desk.pulls(places[3]);
    desk.pulls(places[2]);
    assert_eq!(desk.lines()[usize::from(places[0].1) + 1].matches('▴').count(), 3, "{}", desk.screen());
    desk.pulls(OUTSIDE);
    desk.shows("┃┃┃ 3");
    desk.lets_go(OUTSIDE);
    assert_eq!(desk.asked_move().as_deref(), Some("take 3 from c"));
}

#[test]
fn what_a_press_lifts_is_what_the_keys_would_take() {
    let mut desk = Desk::playing("nim:3-4-5");
    let places = sticks(&desk);
    desk.shows("take 1 from a");
    desk.pushes(places[4]);
    desk.shows("take 1 from c");
    desk.hides("take 1 from a");
}

#[test]
fn back_on_the_pile_it_falls_back_and_what_was_chosen_before_is_so_again() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.types("3");
    let (before, places) = (desk.screen(), sticks(&desk));
    for on_the_way in [places[3], OUTSIDE] {
        desk.pushes(places[4]);
        desk.pulls(on_the_way);
        desk.pulls(places[3]);
        desk.lets_go(places[3]);
        assert_eq!(desk.asked_move(), None);
        assert_eq!(desk.screen(), before);
    }
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked_move().as_deref(), Some("take 3 from a"));
}

#[test]
fn escape_lets_it_fall_back_and_what_was_chosen_before_is_so_again() {
    let mut desk = Desk::playing("nim:3-4-5");
    let (before, places) = (desk.screen(), sticks(&desk));
    for held in [places[4], places[2], OUTSIDE] {
        desk.pushes(places[4]);
        desk.pulls(held);
        desk.press(KeyCode::Esc);
        assert_eq!(desk.screen(), before);
        desk.lets_go(OUTSIDE);
        assert_eq!(desk.asked_move(), None);
        assert_eq!(desk.screen(), before);
    }
}

#[test]
fn how_many_are_lifted_stands_beside_them_also_on_the_pile() {
    let mut desk = Desk::playing("nim:3-4-5");
    let places = sticks(&desk);
    desk.pushes(places[4]);
    desk.pulls(places[3]);
    desk.shows("┃ ┃ 2");
    desk.pulls(places[2]);
    desk.shows("┃ ┃ ┃ 3");
    desk.press(KeyCode::Esc);
    desk.hides("┃ ┃ ┃ 3");
    // Where there is no room to lift them it stands behind the row.
    let mut desk = Desk::sized("nim:8-8-8-8-8-8-8-8-8-8", LEAST, Appearance::default());
    let (x, y) = desk.place("j   8");
    desk.pushes((x + 7, y));
    desk.pulls((x + 9, y));
    assert!(desk.lines()[usize::from(y)].contains("┃ ┃ ┃ ┃ ┃  ┃ ┃ ┃ 2"), "{}", desk.screen());
    let mut desk = Desk::playing("even-or-odd");
    let (x, y) = desk.place("● ● ● ● ●");
    desk.pushes((x + 8, y));
    desk.pulls((x + 6, y));
    desk.shows("● ● 2");
}

#[test]
fn a_click_during_which_the_mouse_trembles_is_a_click() {
    let mut desk = Desk::playing("nim:3-4-5");
    let (x, y) = sticks(&desk)[1];
    desk.pushes((x, y));
    desk.pulls((x, y + 1));
    desk.lets_go((x, y + 1));
    desk.shows("⏎ take 4 from c");
    assert_eq!(desk.asked_move(), None);
}

#[test]
fn a_hint_that_comes_meanwhile_stays_chosen_where_the_pull_is_called_off() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.pushes(sticks(&desk)[4]);
    desk.pulls(OUTSIDE);
    let lobby = desk.view().lobby().unwrap();
    let (turn, mv) = (lobby.turn(), lobby.board().read_move("take 2 from a").unwrap());
    desk.send(Message::Session(SessionEvent::Hint { turn, mv, words: Text::cut("nim-sum 2") }));
    desk.press(KeyCode::Esc);
    desk.shows("⏎ take 2 from a");
}

#[test]
fn no_more_is_lifted_than_may_be_taken() {
    let mut desk = Desk::playing("nim:3-4-5:max=2");
    let places = sticks(&desk);
    desk.pushes(places[0]);
    desk.pulls(places[4]);
    desk.pulls(OUTSIDE);
    desk.lets_go(OUTSIDE);
    assert_eq!(desk.asked_move().as_deref(), Some("take 2 from c"));
}

#[test]
fn a_click_on_a_stick_chooses_it_and_all_behind_it() {
    let mut desk = Desk::playing("nim:3-4-5");
    let places = sticks(&desk);
    desk.clicks(places[1]);
    assert_eq!(desk.asked_move(), None);
    let button = desk.place("take 4 from c");
    desk.clicks(button);
    assert_eq!(desk.asked_move().as_deref(), Some("take 4 from c"));
}

#[test]
fn where_the_button_was_released_unseen_nothing_is_taken() {
    for lost in [MouseEventKind::Moved, MouseEventKind::Down(MouseButton::Right)] {
        let mut desk = Desk::playing("nim:3-4-5");
        desk.pushes(sticks(&desk)[4]);
        desk.pulls(OUTSIDE);
        // Outside the window the mouse was let go of, and comes back without a button.
        desk.mouse(lost, OUTSIDE);
        desk.lets_go(OUTSIDE);
        assert_eq!(desk.asked_move(), None);
    }
    let mut desk = Desk::playing("nim:3-4-5");
    desk.pushes(sticks(&desk)[4]);
    desk.pulls(OUTSIDE);
    desk.send(Message::Unfocused);
    desk.lets_go(OUTSIDE);
    assert_eq!(desk.asked_move(), None);
}

#[test]
fn a_release_far_outside_takes_as_any_other_place_outside_does() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.pushes(sticks(&desk)[4]);
    desk.pulls((500, 500));
    assert!(desk.screen().contains("nim:3-4-5"));
    desk.lets_go((u16::MAX, u16::MAX));
    assert_eq!(desk.asked_move().as_deref(), Some("take 1 from c"));
}

#[test]
fn a_screen_of_another_size_lets_it_fall_back() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.pushes(sticks(&desk)[4]);
    desk.pulls(OUTSIDE);
    desk.send(Message::Resize(120, 40));
    desk.lets_go(OUTSIDE);
    assert_eq!(desk.asked_move(), None);
    let places = sticks(&desk);
    desk.pushes(places[4]);
    desk.pulls(OUTSIDE);
    desk.lets_go(OUTSIDE);
    assert_eq!(desk.asked_move().as_deref(), Some("take 1 from c"));
}

#[test]
fn a_board_that_changes_under_the_hand_lets_it_fall_back() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.moves(ANNA, "take 1 from a");
    desk.moves(BEN, "take 1 from a");
    desk.pushes(sticks(&desk)[4]);
    desk.pulls(OUTSIDE);
    // ben takes his move back while anna pulls.
    desk.happens(BEN, Request::Offer(Offer::Takeback));
    let turn = desk.view().lobby().unwrap().turn();
    desk.happens(ANNA, Request::Answer { turn, offer: Offer::Takeback, accept: true });
    desk.lets_go(OUTSIDE);
    assert_eq!(desk.asked_move(), None);
}

#[test]
fn while_the_other_one_is_to_move_nothing_can_be_pulled() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.moves(ANNA, "take 1 from a");
    desk.pushes(sticks(&desk)[4]);
    desk.moves(BEN, "take 1 from a");
    desk.pulls(OUTSIDE);
    desk.lets_go(OUTSIDE);
    assert_eq!(desk.asked_move(), None);
}

#[test]
fn a_game_that_ends_meanwhile_lets_it_fall_back() {
    let clock = ClockRule::Move(10_000);
    let conditions = Conditions { clock, ..Conditions::default() };
    let mut ends: Vec<Desk> = Vec::new();
    for _ in 0..2 {
        let mut desk = Desk::on(conditions, "nim:3-4-5", (80, 24), Appearance::default());
        desk.joined_by_ben();
        desk.pushes(sticks(&desk)[4]);
        desk.pulls(OUTSIDE);
        ends.push(desk);
    }
    let [mut late, mut left] = <[Desk; 2]>::try_from(ends).ok().unwrap();
    late.falls_due();
    left.happens(BEN, Request::Leave(Departure::Quit));
    for desk in [&mut late, &mut left] {
        desk.lets_go(OUTSIDE);
        assert_eq!(desk.asked_move(), None);
    }
    late.shows("You lost: you ran out of time.");
}

#[test]
fn tokens_are_pulled_off_as_sticks_are() {
    let mut desk = Desk::playing("even-or-odd");
    let (x, y) = desk.place("● ● ● ● ●");
    desk.pushes((x + 8, y));
    desk.pulls((x + 6, y));
    desk.pulls((x, y + 6));
    desk.lets_go((x, y + 6));
    assert_eq!(desk.asked_move().as_deref(), Some("take 2"));
}

#[test]
fn what_is_lifted_is_seen_wherever_the_mouse_is() {
    let mut desk = Desk::playing("nim:3-4-5");
    let places = sticks(&desk);
    desk.pushes(places[4]);
    desk.pulls(places[3]);
    for outside in [(30, 23), (30, 19), (79, 0), (79, 12)] {
        desk.pulls(outside);
        desk.shows("┃┃ 2");
    }
    desk.lets_go((30, 23));
    assert_eq!(desk.asked_move().as_deref(), Some("take 2 from c"));
}

#[test]
fn of_a_pile_that_is_too_large_to_be_drawn_any_number_is_taken_by_clicks() {
    for (width, height) in [(80, 24), LEAST] {
        let mut desk = Desk::sized("nim:1000000000000000000-12", (width, height), Appearance::default());
        for button in ["×10 most", "+ ×10", "+ ×10", "×10 most", "- +", "×10 most"] {
            desk.clicks(desk.place(button));
        }
        desk.shows("take 1190");
        desk.clicks(desk.place("⏎"));
        assert_eq!(desk.asked_move().as_deref(), Some("take 1190 from a"));
        desk.clicks(desk.place("most"));
        desk.press(KeyCode::Enter);
        assert_eq!(desk.asked_move().as_deref(), Some("take 1000000000000000000 from a"));
    }
}

#[test]
fn of_many_tokens_too_some_are_taken_by_clicks() {
    let mut desk = Desk::sized("even-or-odd:99", LEAST, Appearance::default());
    desk.clicks(desk.place("+"));
    desk.clicks(desk.place("⏎"));
    assert_eq!(desk.asked_move().as_deref(), Some("take 2"));
}
