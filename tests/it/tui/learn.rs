//! The learn panel: what every move is worth, the tree below, and the moves of a game that is over, by keys and by mouse.

use crossterm::event::{KeyCode, MouseEventKind};
use nim::client::tui::job::{Job, JobResult};
use nim::client::tui::{Appearance, Effect, LEAST, Message};
use nim::lobby::{Conditions, Hints, Request};

use super::desk::{ANNA, BEN, Desk};
use super::person::Person;

/// anna's panel at the start of a game, once everything was found out.
fn opened(game: &str) -> Desk {
    let mut desk = Desk::playing(game);
    desk.types("s");
    desk.thinks();
    desk
}

/// The line of the tree in which this stands.
fn line(desk: &Desk, text: &str) -> String {
    let lines = desk.lines();
    lines
        .iter()
        .find(|line| line.contains(text))
        .unwrap_or_else(|| panic!("no {text}\n{}", desk.screen()))
        .clone()
}

/// This stands beside the board, on however many lines.
#[track_caller]
fn tells(desk: &Desk, text: &str) {
    let beside = |line: &String| line.split_once('│').map(|(_, beside)| beside.trim().to_owned());
    let told = desk.lines().iter().filter_map(beside).collect::<Vec<_>>().join(" ");
    assert!(told.contains(text), "{text:?} is not on\n{}", desk.screen());
}

#[test]
fn every_move_has_its_value_its_distance_and_its_reason() {
    let mut desk = opened("java-tech:4");
    assert!(line(&desk, "take 1 ").ends_with("L   3  -1"), "{}", desk.screen());
    assert!(line(&desk, "★ take 3").ends_with("W   2  +1"));
    desk.shows("anna is to move and wins in 2 plies");
    desk.shows("Best: take 3. It leaves 1");
    desk.press(KeyCode::Down);
    desk.shows("take 1: loss in 3 plies. It leaves 3");
}

#[test]
fn the_tree_is_opened_and_closed_by_keys_and_the_board_goes_along() {
    let mut desk = opened("java-tech:4");
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Right);
    desk.thinks();
    let opened = desk.lines().iter().filter(|line| line.contains(" take ")).count();
    desk.press(KeyCode::Right);
    desk.press(KeyCode::Down);
    desk.shows("take 2: win in 2 plies");
    // Of four sticks one was taken, and now two more.
    assert!(desk.screen().contains("1  ┃"), "{}", desk.screen());
    desk.press(KeyCode::Left);
    desk.press(KeyCode::Left);
    let closed = desk.lines().iter().filter(|line| line.contains(" take ")).count();
    assert_eq!(opened - closed, 3);
    desk.press(KeyCode::Home);
    desk.shows("anna is to move");
}

#[test]
fn the_tree_is_opened_and_closed_by_mouse() {
    let mut desk = opened("java-tech:4");
    let before = desk.lines().len();
    let place = desk.place("take 1   ");
    desk.clicks(place);
    desk.shows("take 1: loss in 3 plies");
    let sign = desk.place("▸   take 1");
    desk.clicks(sign);
    desk.thinks();
    assert!(line(&desk, "★ take 2").ends_with("W   2  -1"), "{}", desk.screen());
    let sign = desk.place("▾   take 1");
    desk.clicks(sign);
    assert!(!desk.screen().contains("★ take 2") && desk.lines().len() == before);
    desk.mouse(MouseEventKind::ScrollDown, sign);
    desk.shows("take 3: win in 2 plies");
}

#[test]
fn the_move_of_a_line_is_made_by_enter_and_by_a_second_click() {
    let mut desk = opened("java-tech:4");
    assert!(!desk.lines().last().unwrap().contains("⏎ take"), "no move is chosen\n{}", desk.screen());
    desk.press(KeyCode::Down);
    desk.shows("⏎ take 1");
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked_move().as_deref(), Some("take 1"));
    let place = desk.place("★ take 3");
    desk.clicks(place);
    assert_eq!(desk.asked_move(), None);
    desk.shows("⏎ take 3");
    desk.clicks(place);
    assert_eq!(desk.asked_move().as_deref(), Some("take 3"));
    let button = desk.place("⏎ take 3");
    desk.clicks(button);
    assert_eq!(desk.asked_move().as_deref(), Some("take 3"));
    desk.types("?");
    desk.shows("make the chosen move");
    desk.shows("Enter makes the move on whose line you are");
}

#[test]
fn no_move_is_made_that_is_not_the_next_one_of_the_game() {
    let mut desk = opened("java-tech:4");
    let open_or_close = |desk: &mut Desk| {
        desk.shows("⏎ open");
        desk.press(KeyCode::Enter);
        let (x, y) = desk.place("take 1");
        desk.clicks((x, y));
        desk.clicks((x, y));
        assert_eq!(desk.asked_move(), None);
    };
    // Behind the next move of the game come those of the other side.
    for key in [KeyCode::Down, KeyCode::Right] {
        desk.press(key);
    }
    desk.thinks();
    desk.press(KeyCode::Down);
    open_or_close(&mut desk);
    // Neither are moves made for the other side, nor in the past.
    desk.moves(ANNA, "1");
    desk.thinks();
    desk.press(KeyCode::Down);
    open_or_close(&mut desk);
    desk.moves(BEN, "1");
    desk.types("bb");
    desk.thinks();
    desk.press(KeyCode::Down);
    open_or_close(&mut desk);
}

#[test]
fn what_alpha_beta_leaves_out_is_said() {
    let mut desk = opened("java-tech:4");
    for _ in 0..3 {
        desk.types("o");
        desk.thinks();
    }
    // The figure of the textbooks: behind 1, 1 and 1 the last 1 loses, so the other side need not look at 2.
    let cut: Vec<String> = desk.lines().into_iter().filter(|line| line.contains("cut")).collect();
    assert!(cut.len() == 1 && cut[0].contains("take 2"), "{cut:#?}\n{}", desk.screen());
}

#[test]
fn the_panel_goes_on_with_the_game() {
    let mut desk = opened("java-tech:4");
    desk.moves(ANNA, "1");
    desk.shows("Thinking: 0 positions looked at");
    desk.thinks();
    desk.shows("ben is to move and wins in 2 plies");
    desk.types("b");
    desk.thinks();
    desk.shows("Move 1 of 1: take 1 (anna)");
    tells(&desk, "Made: take 1, which turned a win in 2 plies into a loss in 3 plies; take 3 was better.");
    assert!(line(&desk, "made").contains("take 1"));
    // Whoever looks back is left there.
    desk.moves(BEN, "2");
    desk.shows("Move 1 of 2: take 1 (anna)");
}

#[test]
fn a_game_that_is_over_is_gone_through_move_by_move() {
    let mut desk = Desk::playing("java-tech:4");
    for (who, text) in [(ANNA, "1"), (BEN, "1"), (ANNA, "1"), (BEN, "1")] {
        desk.moves(who, text);
    }
    desk.types("v");
    for (told, cost) in [
        ("Move 1 of 4: take 1 (anna)", "turned a win in 2 plies into a loss in 3 plies"),
        ("Move 2 of 4: take 1 (ben)", "turned a win in 2 plies into a loss in 3 plies"),
        ("Move 3 of 4: take 1 (anna)", "kept a win in 2 plies"),
        ("Move 4 of 4: take 1 (ben)", "could not help it"),
    ] {
        desk.thinks();
        desk.shows(told);
        tells(&desk, cost);
        desk.types("f");
    }
    desk.shows("Behind move 4");
    desk.shows("The game is over here.");
    desk.hides("⏎ open");
    desk.hides("o open all");
    desk.types("b");
    desk.shows("Move 4 of 4");
}

#[test]
fn who_may_have_no_hints_sees_nothing_until_the_game_is_over() {
    let conditions = Conditions { hints: Hints::Nobody, ..Conditions::default() };
    let mut desk = Desk::on(conditions, "java-tech:4", (80, 24), Appearance::default());
    desk.joined_by_ben();
    desk.types("s");
    desk.shows("This key does nothing here");
    desk.happens(ANNA, Request::Resign);
    desk.types("v");
    desk.thinks();
    desk.shows("Best: take 3");
    desk.happens(ANNA, Request::Again);
    desk.happens(BEN, Request::Again);
    assert!(!desk.screen().contains("Best:"), "{}", desk.screen());
}

#[test]
fn escape_stops_a_thought_before_it_closes_the_panel() {
    let mut desk = Desk::playing("nim:3-4-5");
    desk.types("s");
    let (question, board) = desk.thought().expect("a thought");
    desk.send(Message::Job(JobResult::Learning(question, 12_345)));
    desk.shows("Thinking: 12,345 positions looked at; Esc stops it.");
    desk.press(KeyCode::Esc);
    assert!(desk.asked.iter().any(|command| matches!(command, Effect::Job(Job::StopLearning))));
    desk.shows("The start of the game");
    // What comes too late changes nothing.
    let found = question.answer(&board, &nim::study::Stop::new());
    desk.send(Message::Job(JobResult::Learnt(question, found)));
    assert!(!desk.screen().contains("Best:"), "{}", desk.screen());
    desk.press(KeyCode::Enter);
    desk.thinks();
    desk.shows("Best:");
    desk.press(KeyCode::Esc);
    assert!(!desk.screen().contains("The start of the game"));
}

#[test]
fn a_reason_for_which_there_is_no_room_ends_with_a_sign_and_is_read_by_a_key() {
    let mut desk = Desk::sized("nim:3-4-5", LEAST, Appearance::default());
    desk.moves(ANNA, "take 1 from c");
    desk.happens(BEN, Request::Resign);
    desk.types("v");
    desk.thinks();
    desk.shows("…");
    desk.hides("nim-sum 0");
    desk.shows("r reason");
    desk.types("r");
    desk.shows("What is to be said of it");
    desk.shows("nim-sum 0");
    desk.press(KeyCode::Esc);
    desk.hides("What is to be said of it");
    desk.shows("Move 1 of 1: take 1 from c");
}

#[test]
fn every_move_is_listed_and_scrolled_to() {
    let mut desk = opened("nim:20-30-40");
    desk.shows("take 1 from a");
    desk.hides("moves listed");
    desk.press(KeyCode::End);
    desk.shows("take 40 from c");
    desk.press(KeyCode::Home);
    desk.hides("take 40 from c");
    let place = desk.place("take 1 from a");
    for _ in 0..30 {
        desk.mouse(MouseEventKind::ScrollDown, place);
    }
    desk.shows("⏎ take 40 from c");
}

#[test]
fn where_not_every_move_is_listed_it_is_said_and_any_is_typed() {
    let mut desk = opened("nim:3-4-1000000000000000000");
    desk.shows("208 of 1,000,000,000,000,000,007 moves listed; type any other: 201 from c");
    desk.types("123456 from c");
    desk.shows("Go to the move: 123456 from c");
    desk.press(KeyCode::Enter);
    desk.thinks();
    desk.shows("⏎ take 123456 from c");
    desk.shows("209 of");
    assert!(
        line(&desk, "take 123456 from c").contains("cut")
            || desk.screen().contains("take 123456 from c: loss")
    );
    desk.press(KeyCode::Up);
    desk.shows("⏎ take 200 from c");
    // What is listed already is gone to at once.
    desk.types("3 from a");
    desk.press(KeyCode::Enter);
    desk.shows("⏎ take 3 from a");
    assert!(desk.thought().is_none());
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked_move().as_deref(), Some("take 3 from a"));
}

#[test]
fn a_move_that_is_none_can_be_put_right() {
    let mut desk = opened("java-tech:9");
    desk.types("7");
    desk.press(KeyCode::Enter);
    desk.shows("a move takes at most 3.");
    desk.press(KeyCode::Backspace);
    desk.types("2");
    desk.press(KeyCode::Enter);
    desk.shows("⏎ take 2");
}

#[test]
fn a_move_below_an_open_line_is_typed_too() {
    let mut desk = opened("java-tech:9");
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Right);
    desk.thinks();
    desk.types("3");
    desk.press(KeyCode::Enter);
    desk.shows("take 3: win in");
    desk.hides("⏎ take 3");
}

#[test]
fn where_it_is_not_known_how_soon_a_game_ends_the_reason_is_said() {
    let mut desk = opened("java-tech:1001");
    assert!(
        line(&desk, "take 1 ").ends_with("?  -1") || line(&desk, "take 1 ").ends_with("?  +1"),
        "{}",
        desk.screen()
    );
    desk.shows("in ? plies: the game is too large to search");
    desk.types("r");
    desk.shows("How soon is not known: the game is too large to be searched");
    desk.press(KeyCode::Esc);
    desk.types("?");
    desk.shows("A question mark stands for the plies");
}

#[test]
fn a_move_that_is_typed_while_the_list_is_thought_about_is_gone_to_afterwards() {
    for text in ["2 from b", "777 from b"] {
        let mut desk = Desk::playing("nim:3-1000000");
        desk.types("s");
        desk.types(text);
        desk.press(KeyCode::Enter);
        desk.shows("Thinking:");
        desk.thinks();
        desk.shows(&format!("⏎ take {text}"));
        desk.press(KeyCode::Home);
        desk.shows("take 1 from a");
    }
}
