//! What keys and clicks do in a game.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use nim::client::Action;
use nim::client::session::{ConnectionStatus, SessionEvent};
use nim::client::tui::{Appearance, Effect, LEAST, Message};
use nim::game::Side;
use nim::lobby::{Conditions, Offer, PlayerId, Request, Text};
use nim::wire::{Refusal, ToClient};

use super::desk::{ANNA, BEN, Desk};
use super::person::Person;

#[test]
fn every_game_is_played_by_arrow_keys_and_enter_to_its_end() {
    let games = [
        "java-tech:9",
        "nim:3-4-5",
        "one-two-ten",
        "even-or-odd",
        "tic-tac-toe",
        "connect-four",
        "pong-hau-ki",
        "mu-torere",
    ];
    let ways = [KeyCode::Right, KeyCode::Up, KeyCode::Left, KeyCode::Left, KeyCode::Down];
    for game in games {
        let mut desk = Desk::playing(game);
        for turn in 0..200 {
            let Some(mover) = desk.view().lobby().and_then(|lobby| lobby.to_move().map(|player| player.id))
            else {
                break;
            };
            if mover.0 == 2 {
                let mv =
                    nim::game::Game::moves(&desk.view().lobby().unwrap().board().position()).next().unwrap();
                let text = desk.view().lobby().unwrap().board().write_move(mv);
                desk.moves(BEN, &text);
                continue;
            }
            desk.press(ways[turn % ways.len()]);
            desk.press(KeyCode::Enter);
            let text = desk.asked_move().unwrap_or_else(|| panic!("no move in\n{}", desk.screen()));
            desk.moves(ANNA, &text);
        }
        desk.shows("The game is over");
    }
}

#[test]
fn a_digit_chooses_and_enter_makes_the_move() {
    for (game, digit, wanted) in [
        ("java-tech", '3', "take 3"),
        ("even-or-odd", '2', "take 2"),
        ("tic-tac-toe", '9', "9"),
        ("connect-four", '1', "1"),
        ("pong-hau-ki", '2', "from 2 to 3"),
        ("mu-torere", '4', "from 4 to centre"),
    ] {
        let mut desk = Desk::playing(game);
        desk.types(&digit.to_string());
        assert_eq!(desk.asked_move(), None);
        desk.press(KeyCode::Enter);
        assert_eq!(desk.asked_move().as_deref(), Some(wanted), "{game}");
    }
}

#[test]
fn a_click_makes_the_move_on_boards_of_places() {
    for (game, sign, wanted) in [
        ("tic-tac-toe", "7", "7"),
        ("connect-four", "1   2", "1"),
        ("pong-hau-ki", "●  2", "from 2 to 3"),
        ("mu-torere", "●  1", "from 1 to centre"),
    ] {
        let mut desk = Desk::playing(game);
        let (x, y) = desk.place(sign);
        let at = if game == "connect-four" { (x, y - 4) } else { (x, y) };
        desk.mouse(MouseEventKind::Moved, at);
        assert_eq!(desk.asked_move(), None);
        desk.clicks(at);
        assert_eq!(desk.asked_move().as_deref(), Some(wanted), "{game}");
    }
}

#[test]
fn a_click_on_a_point_that_the_count_can_reach_makes_the_move() {
    let mut desk = Desk::playing("one-two-ten");
    let (x, y) = desk.place("1   2   3");
    desk.mouse(MouseEventKind::Moved, (x + 4, y - 2));
    desk.shows("⏎ add 2");
    for (at, wanted) in [
        ((x + 4, y - 2), Some("add 2")),
        ((x, y - 2), Some("add 1")),
        ((x + 4, y), Some("add 2")),
        ((x + 8, y), None),
        ((x - 4, y), None),
    ] {
        desk.clicks(at);
        assert_eq!(desk.asked_move().as_deref(), wanted, "{at:?}");
    }
    desk.types("?");
    desk.shows("the point on the track");
    desk.hides("pile");
}

#[test]
fn a_digit_and_a_click_on_a_full_column_say_that_it_is_full() {
    let mut desk = Desk::playing("connect-four");
    for who in [ANNA, BEN, ANNA, BEN, ANNA, BEN] {
        desk.moves(who, "3");
    }
    desk.types("3");
    desk.shows("column 3 is full.");
    desk.types("4");
    desk.hides("column 3 is full.");
    let (x, y) = desk.place("3   4");
    desk.clicks((x, y - 4));
    desk.shows("column 3 is full.");
    assert_eq!(desk.asked_move(), None);
}

#[test]
fn while_the_other_one_is_to_move_neither_key_nor_click_makes_a_move() {
    let mut desk = Desk::playing("tic-tac-toe");
    desk.moves(ANNA, "5");
    let at = desk.place("1   │   2");
    desk.clicks(at);
    desk.types("1");
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked_move(), None);
}

#[test]
fn what_cannot_be_undone_is_asked_about_and_done_at_a_yes() {
    for (key, asked) in [('r', "Resign"), ('l', "Leave"), ('q', "Quit")] {
        let mut desk = Desk::playing("java-tech");
        desk.types(&key.to_string());
        assert_eq!(desk.asked(), "[]");
        desk.shows("Sure?");
        desk.press(KeyCode::Esc);
        assert_eq!(desk.asked(), "[]");
        assert!(!desk.screen().contains("Sure?"));
        desk.types(&key.to_string());
        desk.types("y");
        assert!(desk.asked().contains(asked), "{key}");
    }
}

#[test]
fn a_question_is_answered_with_the_mouse_too() {
    let mut desk = Desk::playing("java-tech");
    desk.types("q");
    let no = desk.place("Esc no");
    desk.clicks(no);
    assert_eq!(desk.asked(), "[]");
    desk.types("q");
    let yes = desk.place("y yes");
    desk.clicks(yes);
    assert!(desk.asked().contains("Quit"));
}

#[test]
fn ctrl_c_asks_and_a_second_one_ends() {
    let mut desk = Desk::playing("java-tech");
    let interrupt = || Message::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    desk.send(interrupt());
    desk.shows("Sure?");
    assert_eq!(desk.asked(), "[]");
    desk.send(interrupt());
    assert!(desk.asked().contains("Quit"));
}

#[test]
fn a_question_about_a_game_that_has_ended_is_gone() {
    let mut desk = Desk::playing("take:1:1");
    desk.types("r");
    desk.shows("Give this game up?");
    desk.moves(ANNA, "1");
    assert!(!desk.screen().contains("Give this game up?"), "{}", desk.screen());
    desk.types("a");
    assert!(desk.asked().contains("Rematch"));
}

#[test]
fn an_offer_is_shown_and_answered() {
    let mut desk = Desk::playing("java-tech");
    desk.happens(BEN, Request::Offer(Offer::Draw));
    desk.shows("y accept   n decline");
    desk.types("n");
    assert!(desk.asked().contains("accept: false"));
}

#[test]
fn a_line_is_typed_and_said() {
    let mut desk = Desk::playing("java-tech");
    desk.types("tgood luck, quit?");
    desk.shows("Say: good luck, quit?");
    desk.press(KeyCode::Backspace);
    desk.press(KeyCode::Enter);
    assert!(desk.asked().contains("good luck, quit"));
    desk.types("tnever mind");
    desk.press(KeyCode::Esc);
    assert_eq!(desk.asked(), "[]");
    desk.types("t");
    desk.types(&"x".repeat(900));
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked(), "[]");
    desk.shows("bytes at most");
}

#[test]
fn a_stone_falls_row_by_row_unless_nothing_is_to_move() {
    let mut desk = Desk::playing("connect-four");
    desk.moves(ANNA, "1");
    let rows: Vec<u16> = (0..6)
        .map(|_| {
            let (_, y) = desk.place("● ");
            desk.send(Message::Tick);
            y
        })
        .collect();
    assert!(rows.is_sorted() && rows[0] < rows[5], "{rows:?}");
    assert_eq!(desk.screens.state.board.fall, None);
    let still = Appearance { still: true, ..Appearance::default() };
    let mut desk = Desk::sized("connect-four", (80, 24), still);
    desk.moves(ANNA, "1");
    assert_eq!(desk.screens.state.board.fall, None);
}

#[test]
fn nothing_moves_by_itself_while_a_game_without_clocks_waits_for_you() {
    let mut desk = Desk::playing("connect-four");
    assert_eq!(desk.screens.state.tick(&desk.view()), None);
    desk.moves(ANNA, "1");
    assert!(desk.screens.state.tick(&desk.view()).is_some(), "a stone falls");
}

#[test]
fn a_key_that_means_nothing_is_answered_with_where_to_look() {
    let mut desk = Desk::playing("java-tech");
    desk.types("z");
    desk.shows("This key does nothing here; ? shows those that do.");
    desk.types("?");
    desk.shows("What you can do now");
    desk.types("z");
    assert!(!desk.screen().contains("What you can do now"));
}

#[test]
fn whoever_quits_while_nothing_can_be_recorded_is_told_how_to_go() {
    let mut desk = Desk::playing("java-tech");
    let why = Text::cut("the disk is full");
    desk.learn(&ToClient::Halted { why: Some(why.clone()), now: desk.now });
    desk.send(Message::Session(SessionEvent::Halted));
    desk.types("q");
    desk.shows("The game is lost by it.");
    desk.types("y");
    let refused = SessionEvent::Refused { asked: Some(Action::Quit), refusal: Refusal::Halted { why } };
    desk.send(Message::Session(refused));
    desk.shows("You have not left: wait, or quit now to go all the same.");
    desk.shows("You have not left: that");
    assert!(!desk.screen().contains("No: "), "{}", desk.screen());
    // Nothing is lost by it now, so it is not asked once more.
    desk.goes_as_it_is = true;
    desk.types("q");
    assert!(matches!(desk.asked.last(), Some(Effect::Act(Action::Quit))));
}

#[test]
fn the_connection_and_its_round_trip_are_shown() {
    for (link, words) in [
        (ConnectionStatus::Up(None), "connected"),
        (ConnectionStatus::Up(Some(Duration::from_micros(12_300))), "connected, 12.3 ms"),
        (ConnectionStatus::Silent(Duration::from_secs(13)), "silent for 13 seconds"),
        (ConnectionStatus::Lost, "connection lost"),
    ] {
        for mut desk in
            [Desk::playing("nim:1-3-5-7:misere"), Desk::sized("nim:3-4-5", LEAST, Appearance::default())]
        {
            desk.link = Some(link);
            assert!(desk.lines()[0].ends_with(words), "{}", desk.screen());
            assert!(desk.lines()[0].starts_with(" nim:"), "{}", desk.screen());
        }
    }
}

#[test]
fn the_score_of_the_match_is_shown_during_its_games_in_the_order_of_the_sides() {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let mut desk = Desk::on(conditions, "nim:1-3-5-7:misere", (100, 24), Appearance::default());
    desk.joined_by_ben();
    assert!(desk.lines()[0].ends_with("game 1, best of 3"), "{}", desk.screen());
    let anna_is_first = desk.view().lobby().unwrap().side_of(PlayerId(1)) == Some(Side::First);
    desk.happens(ANNA, Request::Resign);
    desk.happens(ANNA, Request::Again);
    desk.happens(BEN, Request::Again);
    // The sides are swapped, and the players' points with them.
    let score = if anna_is_first { "score 1:0" } else { "score 0:1" };
    assert!(desk.lines()[0].ends_with(&format!("game 2, best of 3 · {score}")), "{}", desk.screen());
    // Where there is little room the score stays.
    desk.link = Some(ConnectionStatus::Up(Some(Duration::from_micros(300))));
    for (width, end) in [(100, " · connected, 0.3 ms"), (80, " · 0.3 ms"), (60, " · 0.3 ms")] {
        desk.send(Message::Resize(width, 24));
        assert!(desk.lines()[0].contains(score) && desk.lines()[0].ends_with(end), "{}", desk.screen());
    }
    desk.link = Some(ConnectionStatus::Lost);
    assert!(
        desk.lines()[0].contains(score) && desk.lines()[0].ends_with(" · no server"),
        "{}",
        desk.screen()
    );
}

#[test]
fn on_the_smallest_screen_the_match_is_told_in_short() {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let up = ConnectionStatus::Up(Some(Duration::from_micros(300)));
    for (game, link, first, second) in [
        ("java-tech", up, "game 1, best of 3 · 0.3 ms", ", best of 3 · 0.3 ms"),
        ("nim:3-4-5", up, "best of 3 · 0.3 ms", ", best of 3 · 0.3 ms"),
        // Below the board it is told anyway.
        ("nim:1-2-3-4-5-6:misere", ConnectionStatus::Lost, "game 1, best of 3", ", best of 3"),
    ] {
        let mut desk = Desk::on(conditions, game, LEAST, Appearance::default());
        desk.joined_by_ben();
        desk.link = Some(link);
        assert!(desk.lines()[0].ends_with(&format!("  {first}")), "{}", desk.screen());
        desk.happens(ANNA, Request::Resign);
        desk.happens(ANNA, Request::Again);
        desk.happens(BEN, Request::Again);
        assert!(desk.lines()[0].ends_with(second), "{}", desk.screen());
    }
}

#[test]
fn in_a_window_that_is_too_small_nothing_is_done_unseen_but_to_quit() {
    let mut desk = Desk::sized("java-tech:9", (59, 18), Appearance::default());
    let says =
        |desk: &Desk, words: &str| assert!(desk.lines().join(" ").contains(words), "{}", desk.screen());
    says(&desk, "Ctrl-C quits, and no other key does anything.");
    for key in
        [KeyCode::Enter, KeyCode::Char('2'), KeyCode::Char('r'), KeyCode::Char('y'), KeyCode::Char('q')]
    {
        desk.press(key);
    }
    for column in 0..59 {
        desk.clicks((column, 10));
        desk.clicks((column, 17));
    }
    assert_eq!(desk.asked(), "[]");
    desk.send(Message::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    says(&desk, "Quit? The game is lost by it.");
    desk.types("n");
    says(&desk, "Ctrl-C quits, and no other key does anything.");
    desk.send(Message::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    desk.types("y");
    assert_eq!(desk.asked(), "[Act(Quit)]");
    // With room again all is as it was.
    desk.send(Message::Resize(80, 24));
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked_move().as_deref(), Some("take 1"));
}

#[test]
fn a_click_on_a_line_of_the_help_does_what_it_says_and_what_is_grave_is_asked_first() {
    let mut desk = Desk::sized("java-tech:9", LEAST, Appearance::default());
    desk.types("?");
    desk.clicks(desk.place("give this game up"));
    desk.shows("Give this game up?");
    desk.types("n");
    desk.types("?");
    desk.clicks(desk.place("offer a draw"));
    assert!(desk.asked().contains("Offer(Draw)"));
    desk.hides("What you can do now");
}

#[test]
fn a_line_that_nobody_would_hear_stays_until_the_connection_is_back() {
    let mut desk = Desk::playing("java-tech");
    desk.types("tgood luck");
    desk.link = Some(ConnectionStatus::Lost);
    desk.press(KeyCode::Enter);
    desk.shows("That has to wait until the server is back.");
    assert_eq!(desk.asked(), "[]");
    desk.link = Some(ConnectionStatus::Up(None));
    desk.types("!");
    desk.shows("Say: good luck!");
    desk.press(KeyCode::Enter);
    assert!(desk.asked().contains("good luck!"));
}

#[test]
fn a_click_on_a_point_to_which_two_stones_can_go_says_to_click_the_stone() {
    let mut desk = Desk::playing("pong-hau-ki");
    let free = desk.place("◌");
    desk.clicks(free);
    assert_eq!(desk.asked_move(), None);
    desk.shows("More than one can go there: click the stone that is to go.");
    let stone = desk.place("●  2");
    desk.clicks(stone);
    assert_eq!(desk.asked_move().as_deref(), Some("from 2 to 3"));
    desk.types("?");
    desk.shows("click the stone that is to go");
}

#[test]
fn the_rules_name_the_stones_as_they_are_drawn() {
    for (ascii, game, stones) in [
        (false, "tic-tac-toe", "╳ for the first player and ○ for the second"),
        (false, "connect-four", "● for the first player and ○ for the second"),
        (false, "pong-hau-ki", "● for the first player and ○ for the second"),
        (false, "mu-torere", "● for the first player and ○ for the second"),
        (true, "mu-torere", "x for the first player and o for the second"),
    ] {
        let mut desk = Desk::sized(game, (80, 24), Appearance { ascii, ..Appearance::default() });
        desk.types("i");
        // What stands between the edges of the card.
        let line = |line: &String| line.chars().skip(6).take(68).collect::<String>();
        let text = desk.lines().iter().map(line).collect::<Vec<_>>().join(" ");
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(stones), "{}", desk.screen());
    }
}
