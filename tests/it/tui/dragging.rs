//! Dragging objects off a pile.

use crossterm::event::{MouseButton, MouseEventKind};
use nim::client::session::SessionEvent;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::lobby::{ClockRule, Conditions, LobbyRequest, Offer, Request, Text};

use super::person::Person;
use super::player::{ANNA, BEN, Player};

/// The positions of the sticks of pile c, the lowest of 3-4-5, from the left.
fn sticks(player: &Player) -> [(u16, u16); 5] {
    let (x, y) = player.place("c   5");
    [0, 2, 4, 6, 8].map(|step| (x + 7 + step, y))
}

/// A position outside all piles.
const OUTSIDE: (u16, u16) = (4, 5);

/// A position outside the screen.
const FAR: (u16, u16) = (500, 500);

#[test]
fn a_release_outside_takes_as_many_objects_as_are_legal() {
    for (game, from, to, outside, wanted) in [
        ("nim:3-4-5", 4, 2, OUTSIDE, "take 3 from c"),
        ("nim:3-4-5", 4, 4, FAR, "take 1 from c"),
        ("nim:3-4-5:max=2", 0, 4, OUTSIDE, "take 2 from c"),
    ] {
        let mut player = Player::playing(game);
        let places = sticks(&player);
        player.drags(&[places[from], places[to], outside]);
        player.lets_go(outside);
        assert_eq!(player.asked_move().as_deref(), Some(wanted));
    }
    let mut player = Player::playing("even-or-odd");
    let (x, y) = player.place("● ● ● ● ●");
    player.drags(&[(x + 8, y), (x + 6, y), (x, y + 6)]);
    player.lets_go((x, y + 6));
    assert_eq!(player.asked_move().as_deref(), Some("take 2"));
}

#[test]
fn a_press_lifts_what_the_keys_would_take() {
    let mut player = Player::playing("nim:3-4-5");
    let places = sticks(&player);
    player.shows("take 1 from a");
    player.pushes(places[4]);
    player.shows("take 1 from c");
    player.hides("take 1 from a");
    player.drags(&[places[4], places[3], places[2]]);
    assert_eq!(player.lines()[usize::from(places[0].1) + 1].matches('▴').count(), 3, "{}", player.screen());
}

#[test]
fn a_release_on_the_pile_cancels_the_drag() {
    let mut player = Player::playing("nim:3-4-5");
    player.types("3");
    let (before, places) = (player.screen(), sticks(&player));
    for on_the_way in [places[3], OUTSIDE] {
        player.drags(&[places[4], on_the_way, places[3]]);
        player.lets_go(places[3]);
        assert_eq!(player.asked_move(), None);
        assert_eq!(player.screen(), before);
    }
    player.types("⏎");
    assert_eq!(player.asked_move().as_deref(), Some("take 3 from a"));
}

#[test]
fn escape_cancels_the_drag() {
    let mut player = Player::playing("nim:3-4-5");
    let (before, places) = (player.screen(), sticks(&player));
    for held in [places[4], places[2], OUTSIDE] {
        player.drags(&[places[4], held]);
        player.types("⎋");
        assert_eq!(player.screen(), before);
        player.lets_go(OUTSIDE);
        assert_eq!(player.asked_move(), None);
        assert_eq!(player.screen(), before);
    }
}

#[test]
fn the_number_of_lifted_objects_is_beside_them() {
    let mut player = Player::playing("nim:3-4-5");
    let places = sticks(&player);
    player.drags(&places[3..].iter().rev().copied().collect::<Vec<_>>());
    player.shows("┃ ┃ 2");
    player.pulls(places[2]);
    player.shows("┃ ┃ ┃ 3");
    player.types("⎋");
    player.hides("┃ ┃ ┃ 3");
    // Without room to lift them, the number is after the row.
    let mut player = Player::sized("nim:8-8-8-8-8-8-8-8-8-8", LEAST, Appearance::default());
    let (x, y) = player.place("j   8");
    player.drags(&[(x + 7, y), (x + 9, y)]);
    assert!(player.lines()[usize::from(y)].contains("┃ ┃ ┃ ┃ ┃  ┃ ┃ ┃ 2"), "{}", player.screen());
    let mut player = Player::playing("even-or-odd");
    let (x, y) = player.place("● ● ● ● ●");
    player.drags(&[(x + 8, y), (x + 6, y)]);
    player.shows("● ● 2");
}

#[test]
fn a_click_selects_an_object_and_all_after_it_even_with_a_trembling_mouse() {
    let mut player = Player::playing("nim:3-4-5");
    let (x, y) = sticks(&player)[1];
    for release in [(x, y), (x, y + 1)] {
        player.drags(&[(x, y), release]);
        player.lets_go(release);
        assert_eq!(player.asked_move(), None);
        player.clicks_on("⏎ take 4 from c");
        assert_eq!(player.asked_move().as_deref(), Some("take 4 from c"));
    }
}

#[test]
fn a_hint_during_a_drag_stays_selected_when_it_is_cancelled() {
    let mut player = Player::playing("nim:3-4-5");
    player.drags(&[sticks(&player)[4], OUTSIDE]);
    let lobby = player.view().lobby().unwrap();
    let (turn, mv) = (lobby.turn(), lobby.board().read_move("take 2 from a").unwrap());
    player.send(Message::Session(SessionEvent::Hint { turn, mv, words: Text::cut("nim-sum 2") }));
    player.asks("⎋", "⏎ take 2 from a");
}

/// A game with a clock in which both have moved once, and anna holds a stick over the table.
fn holding() -> Player {
    let conditions = Conditions { clock: ClockRule::Move(10_000), ..Conditions::default() };
    let mut player = Player::agreed(conditions, "nim:3-4-5");
    player.moves(ANNA, "take 1 from a");
    player.moves(BEN, "take 1 from a");
    player.drags(&[sticks(&player)[4], OUTSIDE]);
    player
}

#[test]
fn any_other_event_cancels_the_drag() {
    let interruptions: [fn(&mut Player); 6] = [
        // The button was released outside the window, and the mouse returns without it.
        |player| player.mouse(MouseEventKind::Moved, OUTSIDE),
        |player| player.mouse(MouseEventKind::Down(MouseButton::Right), OUTSIDE),
        |player| player.send(Message::Resize(120, 40)),
        |player| {
            player.wants(BEN, LobbyRequest::Offer(Offer::Takeback));
            player.accepts(ANNA);
        },
        |player| player.happens(BEN, Request::Ask(LobbyRequest::Leave)),
        |player| {
            player.falls_due();
            player.shows("You lost: you ran out of time.");
        },
    ];
    for (number, interrupts) in interruptions.into_iter().enumerate() {
        let mut player = holding();
        interrupts(&mut player);
        player.lets_go(OUTSIDE);
        assert_eq!(player.asked_move(), None, "{number}");
        if number < 3 {
            player.drags(&[sticks(&player)[4], OUTSIDE]);
            player.lets_go(OUTSIDE);
            assert_eq!(player.asked_move().as_deref(), Some("take 1 from c"), "{number}: another one works");
        }
    }
}

#[test]
fn nothing_can_be_dragged_on_the_turn_of_the_opponent() {
    let mut player = Player::playing("nim:3-4-5");
    player.moves(ANNA, "take 1 from a");
    player.pushes(sticks(&player)[4]);
    player.moves(BEN, "take 1 from a");
    player.pulls(OUTSIDE);
    player.lets_go(OUTSIDE);
    assert_eq!(player.asked_move(), None);
}

#[test]
fn dragged_objects_are_shown_wherever_the_mouse_is() {
    let mut player = Player::playing("nim:3-4-5");
    let places = sticks(&player);
    player.drags(&[places[4], places[3]]);
    for outside in [(30, 23), (30, 19), (79, 0), (79, 12)] {
        player.pulls(outside);
        player.shows("┃┃ 2");
    }
    player.lets_go((30, 23));
    assert_eq!(player.asked_move().as_deref(), Some("take 2 from c"));
}

#[test]
fn any_number_of_a_large_pile_can_be_typed() {
    for size in [(80, 24), LEAST] {
        let mut player = Player::sized("nim:1000000000000000000-12", size, Appearance::default());
        player.asks("1190 from a", "Go to the move: 1190 from a");
        player.asks("⏎", "⏎ take 1190 from a");
        player.types("←⏎");
        assert_eq!(player.asked_move().as_deref(), Some("take 1191 from a"));
        // An illegal move can be corrected.
        player.types(&format!("13 from b⏎{}2 from b⏎", "⌫".repeat(8)));
        player.clicks(player.place("⏎"));
        assert_eq!(player.asked_move().as_deref(), Some("take 12 from b"));
    }
    // A digit also selects tokens that are too many to be drawn.
    let mut player = Player::sized("even-or-odd:99", LEAST, Appearance::default());
    player.types("2⏎");
    assert_eq!(player.asked_move().as_deref(), Some("take 2"));
}
