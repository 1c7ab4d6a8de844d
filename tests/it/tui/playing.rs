//! What keys and clicks do in a game.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use nim::client::session::{ConnectionStatus, SessionEvent};
use nim::client::tui::{Appearance, Effect, LEAST, Message};
use nim::client::{Action, Leaving};
use nim::lobby::{Conditions, LobbyRequest, PlayerId, Text};
use nim::wire::ToClient;

use super::person::Person;
use super::player::{ANNA, BEN, Player};

#[test]
fn every_game_can_be_played_to_its_end_with_arrow_keys_and_enter() {
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
        let mut player = Player::playing(game);
        for turn in 0..200 {
            let lobby = player.view().lobby().unwrap();
            let Some(mover) = lobby.to_move().map(|player| player.id) else { break };
            if mover == PlayerId(2) {
                let board = lobby.board();
                let mv = nim::game::Game::moves(&board.position()).next().unwrap();
                player.moves(BEN, &board.write_move(mv));
                continue;
            }
            player.press(ways[turn % ways.len()]);
            player.types("⏎");
            let text = player.asked_move().unwrap_or_else(|| panic!("no move in\n{}", player.screen()));
            player.moves(ANNA, &text);
        }
        player.shows("The game is over");
    }
}

#[test]
fn a_number_that_cannot_be_taken_is_refused_and_selects_nothing_else() {
    for (game, keys, told) in [
        ("java-tech:21", "9", "A move takes at most 3."),
        ("nim:3-4-5", "b9", "Only 4 are left"),
        ("even-or-odd", "0", "A move takes at least"),
        ("one-two-ten", "7", "A move adds at most 2"),
    ] {
        let mut player = Player::playing(game);
        let before = player.state.board.chosen;
        player.types(keys);
        player.shows(told);
        assert!(keys.len() > 1 || player.state.board.chosen == before, "{game}");
        player.types("⏎");
        assert_ne!(player.asked_move(), Some("take 4 from b".to_owned()));
    }
}

#[test]
fn a_digit_selects_and_enter_or_a_click_makes_the_move() {
    for (game, digit, wanted, sign) in [
        ("java-tech", "3", "take 3", None),
        ("even-or-odd", "2", "take 2", None),
        ("tic-tac-toe", "9", "9", Some("9")),
        ("connect-four", "1", "1", Some("1   2")),
        ("pong-hau-ki", "2", "from 2 to 3", Some("●  2")),
        ("mu-torere", "4", "from 4 to centre", Some("●  4")),
    ] {
        let mut player = Player::playing(game);
        player.types(digit);
        assert_eq!(player.asked_move(), None);
        player.types("⏎");
        assert_eq!(player.asked_move().as_deref(), Some(wanted), "{game}");
        let Some((x, y)) = sign.map(|sign| player.place(sign)) else { continue };
        let at = if game == "connect-four" { (x, y - 4) } else { (x, y) };
        player.mouse(MouseEventKind::Moved, at);
        assert_eq!(player.asked_move(), None);
        player.clicks(at);
        assert_eq!(player.asked_move().as_deref(), Some(wanted), "{game}");
    }
}

#[test]
fn a_click_on_the_track_makes_the_move() {
    let mut player = Player::playing("one-two-ten");
    let (x, y) = player.place("1   2   3");
    player.mouse(MouseEventKind::Moved, (x + 4, y - 2));
    player.shows("⏎ add 2");
    for (at, wanted) in [
        ((x + 4, y - 2), Some("add 2")),
        ((x, y - 2), Some("add 1")),
        ((x + 4, y), Some("add 2")),
        ((x + 8, y), None),
        ((x - 4, y), None),
    ] {
        player.clicks(at);
        assert_eq!(player.asked_move().as_deref(), wanted, "{at:?}");
    }
    player.asks("?", "the point on the track");
    player.hides("pile");
}

#[test]
fn a_digit_and_a_click_on_a_full_column_say_that_it_is_full() {
    let mut player = Player::playing("connect-four");
    for who in [ANNA, BEN, ANNA, BEN, ANNA, BEN] {
        player.moves(who, "3");
    }
    player.asks("3", "Column 3 is full.");
    player.types("4");
    player.hides("Column 3 is full.");
    let (x, y) = player.place("3   4");
    player.clicks((x, y - 4));
    player.shows("Column 3 is full.");
    assert_eq!(player.asked_move(), None);
}

#[test]
fn no_move_is_made_while_the_opponent_is_to_move() {
    let mut player = Player::playing("tic-tac-toe");
    player.moves(ANNA, "5");
    player.clicks_on("1   │   2");
    player.types("1⏎");
    assert_eq!(player.asked_move(), None);
}

#[test]
fn final_commands_ask_for_a_confirmation() {
    let mut player = Player::playing("java-tech");
    player.types("r");
    assert_eq!(player.asked(), "[]");
    player.shows("Sure?");
    player.types("⎋");
    assert_eq!(player.asked(), "[]");
    player.hides("Sure?");
    player.types("r");
    player.clicks_on("Esc no");
    assert_eq!(player.asked(), "[]");
    player.types("r");
    player.clicks_on("y yes");
    assert!(player.asked().contains("Resign"));
    player.types("r");
    player.causes("y", "Resign");
}

#[test]
fn leaving_a_game_asks_and_the_usual_answer_keeps_it() {
    for (key, leaves) in [("q", "Quit"), ("l", "Leave")] {
        let mut player = Player::playing("java-tech");
        player.asks(key, "Leave this game?");
        player.shows_all(["⏎ keep it   g give it up   Esc stay", "nim-client resume returns to it."]);
        // No other key is an answer.
        for other in ["q", "l", "y", "n", "2"] {
            player.asks(other, "Leave this game?");
        }
        for stays in ["⎋", "s"] {
            player.types(stays);
            player.hides("Leave this game?");
            player.types(key);
        }
        assert_eq!(player.asked(), "[]");
        for (answer, how) in [("⏎", "Keep"), ("k", "Keep"), ("g", "GiveUp")] {
            player.asks(key, "Leave this game?");
            player.types(answer);
            assert_eq!(player.asked(), format!("[Act({leaves}({how}))]"));
        }
        // Nothing is lost after the game.
        player.wants(BEN, LobbyRequest::Resign);
        player.types(key);
        assert_eq!(player.asked(), format!("[Act({leaves}(GiveUp))]"));
    }
}

#[test]
fn ctrl_c_asks_and_a_second_one_keeps_the_game() {
    let mut player = Player::playing("java-tech");
    let interrupt = || Message::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    player.send(interrupt());
    player.shows("Leave this game?");
    assert_eq!(player.asked(), "[]");
    player.send(interrupt());
    assert_eq!(player.asked(), "[Act(Quit(Keep))]");
}

#[test]
fn a_chat_message_is_typed_and_sent() {
    let mut player = Player::playing("java-tech");
    player.asks("tgood luck, quit?", "Say: good luck, quit?");
    player.causes("⌫⏎", "good luck, quit");
    player.types("tnever mind⎋");
    assert_eq!(player.asked(), "[]");
    player.types("t");
    player.types(&"x".repeat(900));
    player.types("⏎");
    assert_eq!(player.asked(), "[]");
    player.shows("bytes at most");
}

#[test]
fn a_stone_falls_row_by_row_unless_animation_is_off() {
    let mut player = Player::playing("connect-four");
    player.moves(ANNA, "1");
    let rows: Vec<u16> = (0..6)
        .map(|_| {
            let (_, y) = player.place("● ");
            player.send(Message::Tick);
            y
        })
        .collect();
    assert!(rows.is_sorted() && rows[0] < rows[5], "{rows:?}");
    assert_eq!(player.state.board.fall, None);
    let still = Appearance { still: true, ..Appearance::default() };
    let mut player = Player::sized("connect-four", (80, 24), still);
    player.moves(ANNA, "1");
    assert_eq!(player.state.board.fall, None);
}

#[test]
fn an_unknown_key_points_to_the_help() {
    let mut player = Player::playing("java-tech");
    player.asks("z", "This key does nothing here; ? shows those that do.");
    player.asks("?", "What you can do now");
    player.types("z");
    player.hides("What you can do now");
}

#[test]
fn quitting_while_nothing_can_be_recorded_ends_the_session() {
    let mut player = Player::playing("java-tech");
    let why = Text::cut("the disk is full");
    player.learn(&ToClient::Halted { why: Some(why), now: player.now });
    player.send(Message::Session(SessionEvent::Halted));
    // Nothing is lost now, so there is no question.
    player.cannot_leave_now = true;
    player.types("q");
    assert!(matches!(player.asked.last(), Some(Effect::Act(Action::Quit(Leaving::GiveUp)))));
    player.send(Message::Session(SessionEvent::LeftUnrecorded));
    assert!(matches!(player.asked.last(), Some(Effect::End)));
}

#[test]
fn what_the_host_says_is_shown_in_a_lobby_and_in_the_hall() {
    let said = || Message::Session(SessionEvent::HostSaid("We stop at noon.".into()));
    let mut player = Player::playing("java-tech");
    player.send(said());
    player.shows("The host says: We stop at");
    let mut player = super::hall::hall((80, 24), Appearance::default());
    player.send(said());
    player.shows("The host says: We stop at noon.");
}

#[test]
fn the_connection_and_its_round_trip_are_shown() {
    for (link, words) in [
        (ConnectionStatus::Up(None), "connected"),
        (ConnectionStatus::Up(Some(Duration::from_micros(12_300))), "connected, 12.3 ms"),
        (ConnectionStatus::Silent(Duration::from_secs(13)), "silent for 13 seconds"),
        (ConnectionStatus::Lost, "connection lost"),
    ] {
        for mut player in
            [Player::playing("nim:1-3-5-7:misere"), Player::sized("nim:3-4-5", LEAST, Appearance::default())]
        {
            player.link = Some(link);
            assert!(player.lines()[0].ends_with(words), "{}", player.screen());
            assert!(player.lines()[0].starts_with(" nim:"), "{}", player.screen());
        }
    }
}

#[test]
fn the_score_of_a_match_names_the_players_and_in_short_has_ones_own_games_first() {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let mut player = Player::on(conditions, "nim:1-3-5-7:misere", (100, 24), Appearance::default());
    player.joined_by_ben();
    assert!(player.lines()[0].ends_with("game 1, best of 3"), "{}", player.screen());
    player.wants(ANNA, LobbyRequest::Resign);
    player.go_again();
    let score = "score: ben 1, you 0";
    assert!(player.lines()[0].ends_with(&format!("game 2, best of 3 · {score}")), "{}", player.screen());
    // In a small window the score stays.
    player.link = Some(ConnectionStatus::Up(Some(Duration::from_micros(300))));
    for (width, score, end) in
        [(100, score, " · connected, 0.3 ms"), (80, "you 0:1", " · 0.3 ms"), (60, "you 0:1", " · 0.3 ms")]
    {
        player.send(Message::Resize(width, 24));
        assert!(player.lines()[0].contains(score) && player.lines()[0].ends_with(end), "{}", player.screen());
    }
    player.link = Some(ConnectionStatus::Lost);
    assert!(
        player.lines()[0].contains("you 0:1") && player.lines()[0].ends_with(" · no server"),
        "{}",
        player.screen()
    );
}

#[test]
fn the_smallest_screen_shows_a_short_score() {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let up = ConnectionStatus::Up(Some(Duration::from_micros(300)));
    for (game, link, first, second) in [
        ("java-tech", up, "game 1, best of 3 · 0.3 ms", ", best of 3 · 0.3 ms"),
        ("nim:3-4-5", up, "best of 3 · 0.3 ms", ", best of 3 · 0.3 ms"),
        // A lost connection is shown below the board too.
        ("nim:1-2-3-4-5-6:misere", ConnectionStatus::Lost, "game 1, best of 3", ", best of 3"),
    ] {
        let mut player = Player::on(conditions, game, LEAST, Appearance::default());
        player.joined_by_ben();
        player.link = Some(link);
        assert!(player.lines()[0].ends_with(&format!("  {first}")), "{}", player.screen());
        player.wants(ANNA, LobbyRequest::Resign);
        player.go_again();
        assert!(player.lines()[0].ends_with(second), "{}", player.screen());
    }
}

#[test]
fn a_window_that_is_too_small_only_allows_quitting() {
    let mut player = Player::sized("java-tech:9", (59, 18), Appearance::default());
    let says = |player: &Player, words: &str| {
        assert!(player.lines().join(" ").contains(words), "{}", player.screen());
    };
    says(&player, "Ctrl-C quits, and no other key does anything.");
    for key in
        [KeyCode::Enter, KeyCode::Char('2'), KeyCode::Char('r'), KeyCode::Char('y'), KeyCode::Char('q')]
    {
        player.press(key);
    }
    for column in 0..59 {
        player.clicks((column, 10));
        player.clicks((column, 17));
    }
    assert_eq!(player.asked(), "[]");
    player.send(Message::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    says(&player, "Quit? Enter or Ctrl-C keeps the game for later, g gives it up");
    player.types("n");
    says(&player, "Ctrl-C quits, and no other key does anything.");
    player.send(Message::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    player.types("⏎");
    assert_eq!(player.asked(), "[Act(Quit(Keep))]");
    // After the resize everything is as before.
    player.send(Message::Resize(80, 24));
    player.types("⏎");
    assert_eq!(player.asked_move().as_deref(), Some("take 1"));
}

#[test]
fn a_click_in_the_help_runs_the_command_and_asks_first() {
    let mut player = Player::sized("java-tech:9", LEAST, Appearance::default());
    player.types("?");
    player.clicks_on("give this game up");
    player.shows("Give this game up?");
    player.types("n?");
    player.clicks_on("offer a draw");
    assert!(player.asked().contains("Offer(Draw)"));
    player.hides("What you can do now");
}

#[test]
fn the_log_of_another_lobby_begins_empty() {
    let has = |player: &Player, text: &str| player.state.log.texts().any(|line| line == text);
    let mut player = Player::playing("java-tech");
    let other = Player::for_two("java-tech");
    assert!(has(&player, "ben sits down."));
    player.enters(&other);
    assert!(!has(&player, "ben sits down."), "{}", player.screen());
}

#[test]
fn a_chat_message_stays_until_the_connection_is_back() {
    let mut player = Player::playing("java-tech");
    player.types("tgood luck");
    player.link = Some(ConnectionStatus::Lost);
    player.asks("⏎", "That has to wait until the server is back.");
    assert_eq!(player.asked(), "[]");
    player.link = Some(ConnectionStatus::Up(None));
    player.asks("!", "Say: good luck!");
    player.causes("⏎", "good luck!");
}

#[test]
fn a_click_to_which_several_stones_can_go_moves_none() {
    let mut player = Player::playing("pong-hau-ki");
    player.clicks_on("◌");
    assert_eq!(player.asked_move(), None);
    player.shows("No stone is on 3.");
    let stone = player.place("●  2");
    player.clicks(stone);
    assert_eq!(player.asked_move().as_deref(), Some("from 2 to 3"));
    player.asks("?", "click the stone that is to go");
}

#[test]
fn the_rules_name_the_stones_that_are_drawn() {
    for (ascii, game, stones) in [
        (false, "tic-tac-toe", "╳ for the first player and ○ for the second"),
        (false, "connect-four", "● for the first player and ○ for the second"),
        (false, "pong-hau-ki", "● for the first player and ○ for the second"),
        (false, "mu-torere", "● for the first player and ○ for the second"),
        (true, "mu-torere", "x for the first player and o for the second"),
    ] {
        let mut player = Player::sized(game, (80, 24), Appearance { ascii, ..Appearance::default() });
        player.types("i");
        // The text inside the popup.
        let line = |line: &String| line.chars().skip(6).take(68).collect::<String>();
        let text = player.lines().iter().map(line).collect::<Vec<_>>().join(" ");
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(stones), "{}", player.screen());
    }
}
