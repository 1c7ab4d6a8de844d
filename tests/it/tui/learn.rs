//! The learn panel: the value of every move, the tree, and the moves of a finished game.

use crossterm::event::MouseEventKind;
use nim::client::tui::job::JobResult;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::lobby::{Conditions, Hints, LobbyRequest};

use super::person::Person;
use super::player::{ANNA, BEN, Player};

/// anna's panel at the start of a game, after all searches.
fn opened(game: &str) -> Player {
    let mut player = Player::playing(game);
    player.does_jobs = true;
    player.types("s");
    player
}

/// The line of the tree with this text.
fn line(player: &Player, text: &str) -> String {
    let lines = player.lines();
    lines
        .iter()
        .find(|line| line.contains(text))
        .unwrap_or_else(|| panic!("no {text}\n{}", player.screen()))
        .clone()
}

/// Asserts that this text is beside the board, wrapped or not.
#[track_caller]
fn tells(player: &Player, text: &str) {
    let beside = |line: &String| line.split_once('│').map(|(_, beside)| beside.trim().to_owned());
    let told = player.lines().iter().filter_map(beside).collect::<Vec<_>>().join(" ");
    assert!(told.contains(text), "{text:?} is not on\n{}", player.screen());
}

#[test]
fn keys_open_and_close_the_tree_and_the_board_follows() {
    let mut player = opened("java-tech:4");
    player.types("↓→");
    let opened = player.lines().iter().filter(|line| line.contains(" take ")).count();
    player.asks("→↓", "take 2: win in 2 plies");
    // One of four sticks was taken, and now two more.
    player.shows("1  ┃");
    player.types("←←");
    let closed = player.lines().iter().filter(|line| line.contains(" take ")).count();
    assert_eq!(opened - closed, 3);
    player.asks("⇱", "anna is to move");
}

#[test]
fn the_mouse_opens_and_closes_the_tree() {
    let mut player = opened("java-tech:4");
    let before = player.lines().len();
    let place = player.place("take 1   ");
    player.clicks(place);
    player.shows("take 1: loss in 3 plies");
    let sign = player.place("▸   take 1");
    player.clicks(sign);
    assert!(line(&player, "★ take 2").ends_with("W   2  -1"), "{}", player.screen());
    let sign = player.place("▾   take 1");
    player.clicks(sign);
    assert!(!player.screen().contains("★ take 2") && player.lines().len() == before);
    player.mouse(MouseEventKind::ScrollDown, sign);
    player.shows("take 3: win in 2 plies");
}

#[test]
fn enter_and_a_second_click_make_the_move_of_a_line() {
    let mut player = opened("java-tech:4");
    assert!(!player.lines().last().unwrap().contains("⏎ take"), "no move is chosen\n{}", player.screen());
    player.asks("↓", "⏎ take 1");
    player.types("⏎");
    assert_eq!(player.asked_move().as_deref(), Some("take 1"));
    let place = player.place("★ take 3");
    player.clicks(place);
    assert_eq!(player.asked_move(), None);
    player.shows("⏎ take 3");
    player.clicks(place);
    assert_eq!(player.asked_move().as_deref(), Some("take 3"));
    player.clicks_on("⏎ take 3");
    assert_eq!(player.asked_move().as_deref(), Some("take 3"));
    player.asks("?", "make the chosen move");
    player.shows("Enter makes the move on whose line you are");
}

#[test]
fn only_a_next_move_of_the_game_is_made() {
    let mut player = opened("java-tech:4");
    let open_or_close = |player: &mut Player| {
        player.shows("⏎ open");
        player.types("⏎");
        let (x, y) = player.place("take 1");
        player.clicks((x, y));
        player.clicks((x, y));
        assert_eq!(player.asked_move(), None);
    };
    // After the next move of the game it is the opponent's turn.
    player.types("↓→↓");
    open_or_close(&mut player);
    // Moves are made neither for the opponent nor in the past.
    player.moves(ANNA, "1");
    player.types("↓");
    open_or_close(&mut player);
    player.moves(BEN, "1");
    player.types("bb↓");
    open_or_close(&mut player);
}

#[test]
fn the_panel_follows_the_game() {
    let mut player = opened("java-tech:4");
    player.moves(ANNA, "1");
    player.shows("ben is to move and wins in 2 plies");
    player.types("b");
    player.shows("Move 1 of 1: take 1 (anna)");
    tells(&player, "Made: take 1, which turned a win in 2 plies into a loss in 3 plies; take 3 was better.");
    assert!(line(&player, "made").contains("take 1"));
    // A panel at an earlier position stays there.
    player.moves(BEN, "2");
    player.shows("Move 1 of 2: take 1 (anna)");
}

#[test]
fn a_finished_game_is_reviewed_move_by_move() {
    let mut player = Player::playing("java-tech:4");
    player.does_jobs = true;
    for (who, text) in [(ANNA, "1"), (BEN, "1"), (ANNA, "1"), (BEN, "1")] {
        player.moves(who, text);
    }
    player.types("v");
    for (told, cost) in [
        ("Move 1 of 4: take 1 (anna)", "turned a win in 2 plies into a loss in 3 plies"),
        ("Move 2 of 4: take 1 (ben)", "turned a win in 2 plies into a loss in 3 plies"),
        ("Move 3 of 4: take 1 (anna)", "kept a win in 2 plies"),
        ("Move 4 of 4: take 1 (ben)", "kept a loss"),
    ] {
        player.shows(told);
        tells(&player, cost);
        player.types("f");
    }
    player.shows_all(["After move 4", "The game is over here."]);
    player.hides_all(["⏎ open", "o open all"]);
    player.asks("b", "Move 4 of 4");
}

#[test]
fn without_hints_the_panel_opens_only_after_the_game() {
    let conditions = Conditions { hints: Hints::Nobody, ..Conditions::default() };
    let mut player = Player::agreed(conditions, "java-tech:4");
    player.does_jobs = true;
    player.asks("s", "This key does nothing here");
    player.wants(ANNA, LobbyRequest::Resign);
    player.types("v");
    player.shows("Best: take 3");
    player.go_again();
    player.hides("Best:");
}

#[test]
fn escape_stops_a_search_before_it_closes_the_panel() {
    let mut player = Player::playing("nim:3-4-5");
    player.types("s");
    let (target, board) = player.search().expect("a thought");
    player.send(Message::Job(JobResult::Searched(12_345)));
    player.shows("Thinking: 12,345 positions looked at; Esc stops it.");
    player.types("⎋");
    assert!(player.search().is_none());
    player.shows("The start of the game");
    // A late answer changes nothing.
    player.send(Message::Job(target.search(&board, &nim::study::Stop::new())));
    player.hides("Best:");
    player.types("⏎");
    player.searches();
    player.shows("Best:");
    player.types("⎋");
    player.hides("The start of the game");
}

#[test]
fn a_long_reason_is_cut_and_has_a_key() {
    let mut player = Player::sized("nim:3-4-5", LEAST, Appearance::default());
    player.does_jobs = true;
    player.moves(ANNA, "take 1 from c");
    player.wants(BEN, LobbyRequest::Resign);
    player.types("v");
    player.shows("…");
    player.hides("nim-sum 0");
    player.shows("r reason");
    player.asks("r", "Explanation");
    player.shows("nim-sum 0");
    player.types("⎋");
    player.hides("Explanation");
    player.shows("Move 1 of 1: take 1 from c");
}

#[test]
fn all_moves_are_listed_and_scroll() {
    let mut player = opened("nim:20-30-40");
    player.shows("take 1 from a");
    player.hides("moves listed");
    player.asks("⇲", "take 40 from c");
    player.types("⇱");
    player.hides("take 40 from c");
    let place = player.place("take 1 from a");
    for _ in 0..30 {
        player.mouse(MouseEventKind::ScrollDown, place);
    }
    player.shows("⏎ take 40 from c");
}

#[test]
fn a_listed_move_can_be_typed() {
    let mut player = opened("nim:3-4-1000000000000000000");
    player.shows("208 of 1,000,000,000,000,000,007 moves listed");
    player.asks("123456 from c", "Go to the move: 123456 from c");
    player.asks("⏎", "This move is not listed here.");
    player.asks("⎋3 from a⏎", "⏎ take 3 from a");
    assert!(player.search().is_none());
    player.types("⏎");
    assert_eq!(player.asked_move().as_deref(), Some("take 3 from a"));
}

#[test]
fn a_move_below_an_open_line_can_be_typed_and_corrected() {
    let mut player = opened("java-tech:9");
    player.asks("7⏎", "a move takes at most 3.");
    player.asks("⌫2⏎", "⏎ take 2");
    player.types("⇱↓→");
    player.asks("3⏎", "take 3: win in");
    player.hides("⏎ take 3");
}

#[test]
fn a_value_without_a_distance_has_a_reason() {
    let mut player = opened("java-tech:1001");
    assert!(
        line(&player, "take 1 ").ends_with("?  -1") || line(&player, "take 1 ").ends_with("?  +1"),
        "{}",
        player.screen()
    );
    player.shows("in ? plies: the game is too large to search");
    player.asks("r", "How soon is not known: the game is too large to be searched");
    player.asks("⎋?", "A question mark stands for the plies");
}
