//! The learn panel: the value of every move, the tree, and the moves of a finished game.

use crossterm::event::MouseEventKind;
use nim::client::tui::job::JobResult;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::lobby::{Conditions, ConnectionLoss, Hints, LobbyRequest, Offer, PlayerId, Request, Who};
use nim::study::Stop;

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
    player.asks("→↓", "take 2: win in 2 moves");
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
    player.shows("take 1: loss in 3 moves");
    let sign = player.place("▸   take 1");
    player.clicks(sign);
    assert!(line(&player, "★ take 2").ends_with("W   2  -1"), "{}", player.screen());
    let sign = player.place("▾   take 1");
    player.clicks(sign);
    assert!(!player.screen().contains("★ take 2") && player.lines().len() == before);
    player.mouse(MouseEventKind::ScrollDown, sign);
    player.shows("take 3: win in 2 moves");
}

#[test]
fn only_its_own_key_makes_the_move_of_a_line() {
    let mut player = opened("java-tech:4");
    player.hides("m take");
    player.asks("↓", "m take 1");
    let place = player.place("★ take 3");
    player.types("⏎ ");
    player.clicks(place);
    player.clicks(place);
    player.clicks(place);
    assert_eq!(player.asked_move(), None, "Enter and clicks explore");
    player.shows("m take 3");
    player.types("m");
    assert_eq!(player.asked_move().as_deref(), Some("take 3"));
    player.clicks_on("m take 3");
    assert_eq!(player.asked_move().as_deref(), Some("take 3"));
    player.asks("?", "make the move of the selected line");
    player.shows("Enter and clicks never make a move here");
}

#[test]
fn the_best_move_is_marked_with_a_word_and_a_star() {
    let player = opened("java-tech:4");
    assert!(line(&player, "★ take 3").contains("best"), "{}", player.screen());
    assert_eq!(player.screen().matches("best ").count(), 1);
}

#[test]
fn a_tree_that_goes_on_below_says_so() {
    let mut player = opened("nim:20-30-40");
    player.shows("more");
    let hidden = |player: &Player| {
        let line = line(player, " more ");
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "more").unwrap();
        words[at - 1].parse::<usize>().unwrap()
    };
    // The line of the position, and a move for each object.
    let listed = player.screen().matches("▸   take").count() + 1;
    assert_eq!(hidden(&player) + listed, 1 + 20 + 30 + 40, "{}", player.screen());
    player.types("⇲");
    player.hides(" more ");
}

#[test]
fn only_a_next_move_of_the_game_is_made() {
    let mut player = opened("java-tech:4");
    let open_or_close = |player: &mut Player| {
        player.shows("⏎ open");
        player.types("⏎m");
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
    player.shows("ben is to move and wins in 2 moves");
    player.types("b");
    player.shows("Move 1 of 1: take 1 (anna)");
    tells(&player, "Made: take 1, which turned a win in 2 moves into a loss in 3 moves; take 3 was better.");
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
        ("Move 1 of 4: take 1 (anna)", "Made: take 1, which turned a win in 2"),
        ("Move 2 of 4: take 1 (ben)", "turned a win in 2 moves into a loss in 3 moves"),
        ("Move 3 of 4: take 1 (anna)", "kept a win in 2 moves"),
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
fn a_review_begins_with_the_turning_points_and_n_goes_through_them() {
    let mut player = Player::playing("java-tech:7");
    player.does_jobs = true;
    // anna wins with 2, and every other move loses; with 1 ben wins back what she gave away.
    for (who, text) in [(ANNA, "1"), (BEN, "2"), (ANNA, "3"), (BEN, "1")] {
        player.moves(who, text);
    }
    player.types("v");
    tells(&player, "Turning points: move 1 (anna), move 2 (ben). Accuracy: anna 50%, ben 50%.");
    player.asks("n", "Move 2 of 4: take 2 (ben)");
    tells(&player, "Made: take 2, which turned a win");
    player.hides("Turning points");
    player.asks("n", "Move 1 of 4: take 1 (anna)");
    player.types("?");
    player.shows("go to the next turning point");
}

#[test]
fn a_review_without_turning_points_has_no_key_for_them() {
    let mut player = Player::playing("java-tech:4");
    player.does_jobs = true;
    for (who, text) in [(ANNA, "3"), (BEN, "1")] {
        player.moves(who, text);
    }
    player.types("v");
    tells(&player, "Turning points: none. Accuracy: anna 100%, ben 100%.");
    player.hides("next turning point");
    player.asks("n", "There are no turning points.");
}

#[test]
fn moves_of_a_stand_in_are_its_own_and_count_for_no_players_accuracy() {
    let mut player = Player::playing("java-tech:7");
    player.does_jobs = true;
    player.moves(ANNA, "1");
    let closed = Request::Disconnect { loss: ConnectionLoss::Closed, since: player.now };
    player.happens(BEN, closed);
    player.falls_due();
    let stand_in = Who::StandIn(PlayerId(2));
    for (who, text) in [(stand_in, "2"), (ANNA, "3"), (stand_in, "1")] {
        player.moves(who, text);
    }
    player.types("v");
    let points = "Turning points: move 1 (anna), move 2 (stand-in [bot, beginner] for ben).";
    tells(&player, &format!("{points} Accuracy: anna 50%."));
    player.hides("ben 0%");
}

#[test]
fn a_resignation_in_a_won_position_is_a_turning_point() {
    let mut player = Player::playing("java-tech:4");
    player.does_jobs = true;
    player.moves(ANNA, "3");
    player.wants(ANNA, LobbyRequest::Resign);
    player.types("v");
    tells(&player, "Turning points: the resignation (anna). Accuracy: anna 100%.");
    player.asks("n", "After move 1");
    tells(&player, "anna resigned here, and so gave a win away.");
    // Even before the first move.
    let mut player = Player::playing("java-tech:4");
    player.does_jobs = true;
    player.wants(ANNA, LobbyRequest::Resign);
    player.types("v");
    tells(&player, "Turning points: the resignation (anna). anna resigned here, and so gave a win away.");
    player.types("n");
    tells(&player, "anna resigned here");
    // Whoever has lost anyway gives nothing away.
    let mut player = Player::playing("java-tech:4");
    player.does_jobs = true;
    player.moves(ANNA, "3");
    player.wants(BEN, LobbyRequest::Resign);
    player.types("v");
    tells(&player, "Turning points: none. Accuracy: anna 100%.");
}

#[test]
fn the_legend_explains_cut_wherever_a_move_is_marked_so() {
    for (size, legend) in [
        (LEAST, "cut: a search can skip it"),
        ((80, 24), "cut: no need to look"),
        ((120, 40), "cut: a search need not look here"),
    ] {
        let mut player = Player::sized("java-tech:4", size, Appearance::default());
        player.does_jobs = true;
        let has_cut = |player: &Player| player.lines().iter().any(|line| line.contains(" cut "));
        player.types("s");
        assert!(!has_cut(&player), "{}", player.screen());
        player.hides("cut: ");
        player.types("ooo");
        let mut times = 0;
        for _ in 0..12 {
            if has_cut(&player) {
                times += 1;
                player.shows(legend);
            }
            player.types("↓");
        }
        assert!(times > 0, "{}", player.screen());
    }
}

#[test]
fn the_panel_says_in_words_which_position_it_is_about() {
    for (game, root) in [
        ("java-tech:4", "4 left, anna to move"),
        ("one-two-ten", "count 0, anna to move"),
        ("even-or-odd", "15 left, anna to move"),
        ("tic-tac-toe", "▾   anna to move"),
        ("nim:3-4-5", "▾   anna to move"),
    ] {
        opened(game).shows(root);
    }
    let mut player = opened("java-tech:7");
    player.moves(ANNA, "1");
    player.shows_all(["The position now, after move 1", "6 left, ben to move"]);
    player.types("?");
    player.asks(&"↓".repeat(20), "A star marks the best moves, unless all");
}

#[test]
fn a_search_that_has_not_counted_yet_shows_no_number() {
    let mut player = Player::playing("nim:3-4-5");
    player.asks("s", "Thinking; Esc stops it.");
}

#[test]
fn a_paused_game_says_that_there_are_no_hints() {
    let mut player = Player::playing("java-tech:7");
    player.wants(ANNA, LobbyRequest::Offer(Offer::Pause));
    player.accepts(BEN);
    player.asks("h", "No hints while the game is paused.");
}

#[test]
fn a_review_says_how_many_moves_are_left_to_judge_and_has_no_accuracy_before() {
    let mut player = Player::playing("java-tech:4");
    for (who, text) in [(ANNA, "3"), (BEN, "1")] {
        player.moves(who, text);
    }
    player.types("v");
    tells(&player, "Turning points so far: none. Still to judge: 2 moves.");
    let mut steps = 0;
    while let Some((target, board)) = player.search() {
        player.hides("Accuracy");
        steps += 1;
        player.send(Message::Job(JobResult::Found(target.search(&board, &Stop::new()))));
    }
    assert!(steps > 1, "the last move is judged after another one");
    tells(&player, "Turning points: none. Accuracy:");
    player.hides("Still to judge");
}

#[test]
fn without_hints_the_panel_opens_only_after_the_game() {
    let conditions = Conditions { hints: Hints::Nobody, ..Conditions::default() };
    let mut player = Player::agreed(conditions, "java-tech:4");
    player.does_jobs = true;
    player.asks("s", "Hints are off in this game.");
    player.asks("z", "This key does nothing here");
    player.asks("h", "Hints are off in this game.");
    // A notice goes away with the next event.
    player.moves(ANNA, "1");
    player.hides("Hints are off");
    player.wants(ANNA, LobbyRequest::Resign);
    player.types("v");
    player.shows("★ take 3");
    player.go_again();
    player.hides("★ take 3");
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
    player.send(Message::Job(JobResult::Found(target.search(&board, &nim::study::Stop::new()))));
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
fn the_explanation_draws_the_rule_of_nim_for_the_selected_position() {
    let mut player = opened("nim:3-4-5");
    player.asks("r", "Explanation");
    player.shows("pile c   5   1 0 1");
    player.shows("nim-sum  2   0 1 0");
    player.types("⎋↓");
    player.asks("r", "Explanation");
    player.shows("nim-sum  3   0 1 1");
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
    player.shows("m take 40 from c");
}

#[test]
fn a_listed_move_can_be_typed() {
    let mut player = opened("nim:3-4-1000000000000000000");
    player.shows("208 of 1,000,000,000,000,000,007 moves listed");
    player.asks("123456 from c", "Go to the move: 123456 from c");
    player.asks("⏎", "This move is not listed here.");
    player.asks("⎋3 from a⏎", "m take 3 from a");
    assert!(player.search().is_none());
    player.types("m");
    assert_eq!(player.asked_move().as_deref(), Some("take 3 from a"));
}

#[test]
fn a_move_below_an_open_line_can_be_typed_and_corrected() {
    let mut player = opened("java-tech:9");
    player.asks("7⏎", "a move takes at most 3.");
    player.asks("⌫2⏎", "m take 2");
    player.types("⇱↓→");
    player.asks("3⏎", "take 3: win in");
    player.hides("m take 3");
}

#[test]
fn a_value_without_a_distance_has_a_reason() {
    let mut player = opened("java-tech:1001");
    assert!(
        line(&player, "take 1 ").ends_with("?  -1") || line(&player, "take 1 ").ends_with("?  +1"),
        "{}",
        player.screen()
    );
    player.shows("?: too large to count");
    player.asks("r", "How soon is not known: the game is too large to be searched");
    player.asks("⎋?", "A question mark stands for the number of moves");
}

#[test]
fn the_legend_of_the_signs_is_always_shown() {
    for size in [LEAST, (80, 24), (200, 60)] {
        let mut player = Player::sized("java-tech", size, Appearance::default());
        // While it searches, while a move is typed, and beside a notice.
        for keys in ["s", "3", "⎋z"] {
            player.asks(keys, "W win, L loss, D draw for who ");
        }
        player.does_jobs = true;
        player.asks("⎋⎋s", "W win, L loss, D draw for who ");
    }
}

#[test]
fn the_key_that_opens_the_panel_closes_it() {
    let mut player = Player::playing("java-tech:4");
    player.does_jobs = true;
    player.asks("s", "★ take 3");
    player.types("s");
    player.hides("★ take 3");
    player.moves(ANNA, "3");
    player.moves(BEN, "1");
    player.asks("v", "Turning points:");
    player.types("v");
    player.hides("Turning points:");
}
