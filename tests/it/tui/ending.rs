//! The ends of games and matches.

use nim::client::session::SessionEvent;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::client::words::alert;
use nim::lobby::{ClockRule, Conditions, Hints, LobbyRequest, Request, Text};

use super::person::Person;
use super::player::{ANNA, BEN, Player};

/// A game with these conditions in which anna has asked for a hint.
fn hinted(size: (u16, u16), words: &str) -> Player {
    let conditions = Conditions { clock: ClockRule::Move(8_000), hints: Hints::All, ..Conditions::default() };
    let mut player = Player::on(conditions, "java-tech", size, Appearance::default());
    player.joined_by_ben();
    let lobby = player.view().lobby().unwrap();
    let (turn, mv) = (lobby.turn(), lobby.board().read_move("take 2").unwrap());
    let words = Text::cut(words);
    player.send(Message::Session(SessionEvent::Hint { turn, mv, words }));
    player
}

/// The row of a hint, and then of the result.
fn notice(player: &Player) -> String {
    player.lines().into_iter().rev().nth(3).unwrap()
}

/// A player ends the game.
type End = fn(&mut Player);

#[test]
fn the_result_replaces_a_hint() {
    for size in [(80, 24), LEAST] {
        let ends: [(&str, End); 3] = [
            ("You won: ben resigned.", |player| player.happens(BEN, Request::Ask(LobbyRequest::Resign))),
            ("You won: ben left.", |player| player.happens(BEN, Request::Ask(LobbyRequest::Leave))),
            ("You lost: you ran out of time.", Player::falls_due),
        ];
        for (result, end) in ends {
            let mut player = hinted(size, "it leaves 19");
            assert!(notice(&player).contains("Hint: take 2."), "{}", player.screen());
            end(&mut player);
            assert!(notice(&player).contains(result), "{result}\n{}", player.screen());
        }
    }
}

#[test]
fn a_hint_that_needs_two_rows_has_them_and_the_turn_stays_below_it() {
    let reason = "it leaves 17: one more than a multiple of 4, so every reply can be answered";
    for size in [(80, 24), LEAST] {
        let mut player = hinted(size, reason);
        let below = player.lines()[usize::from(size.1) - 4..].join(" ");
        let words = below.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("Hint: take 2. {}.", nim::client::text::capital(reason))), "{below}");
        player.shows_all(["Your turn", "anna (your turn)"]);
        player.moves(ANNA, "2");
        player.shows("ben's turn");
    }
}

#[test]
fn the_result_stands_once_on_the_screen_and_in_the_log_of_the_next_game() {
    for size in [(80, 24), (200, 60), LEAST] {
        let mut player = Player::sized("java-tech", size, Appearance::default());
        player.wants(ANNA, LobbyRequest::Resign);
        assert_eq!(player.screen().to_lowercase().matches("you lost").count(), 1, "{}", player.screen());
        player.does_jobs = true;
        player.types("v");
        assert_eq!(player.screen().to_lowercase().matches("you lost").count(), 1, "{}", player.screen());
        player.go_again();
        assert!(player.state.log.texts().any(|text| text == "You lost: you resigned."));
    }
}

/// A match, best of three, that anna has lost.
fn lost_match(size: (u16, u16)) -> Player {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let mut player = Player::on(conditions, "java-tech", size, Appearance::default());
    player.joined_by_ben();
    player.wants(ANNA, LobbyRequest::Resign);
    player.hides("has won the match");
    player.go_again();
    player.wants(ANNA, LobbyRequest::Resign);
    player
}

#[test]
fn a_decided_match_shows_its_winner_and_offers_a_new_match() {
    for size in [(80, 24), LEAST] {
        let mut player = lost_match(size);
        let below = player.lines()[usize::from(size.1) - 4..].join(" ");
        assert!(below.contains("The match is over; another one starts"), "{}", player.screen());
        player.shows("a new match");
        player.hides("a again");
        player.go_again();
        assert!(player.lines()[0].contains("game 1, best of 3"), "{}", player.screen());
        assert!(
            player.state.log.texts().any(|text| text == "A new match begins (best of 3)."),
            "{}",
            player.screen()
        );
    }
}

#[test]
fn the_line_after_a_decided_match_has_its_result() {
    let player = lost_match((80, 24));
    let line = alert::after(player.view().mine().unwrap(), None).unwrap();
    let last = "See its last game again with nim-client record replay brave-otter.";
    assert_eq!(line, format!("ben has won the match (ben 2, you 0). {last}"));
}

#[test]
fn both_clocks_of_the_screen_show_the_same_time() {
    let clock = ClockRule::Fischer { base: 300_000, bonus: 0 };
    let mut player = Player::agreed(Conditions { clock, ..Conditions::default() }, "java-tech");
    player.now = player.now + std::time::Duration::from_millis(1_400);
    player.shows_all(["4:58", "4 minutes 58 seconds left on the clock"]);
}

#[test]
fn leaving_between_two_games_of_a_match_asks_whether_to_keep_it() {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let mut player = Player::agreed(conditions, "java-tech");
    player.wants(BEN, LobbyRequest::Resign);
    player.asks("q", "Leave this match?");
    player.shows_all(["The match waits for you. Your seat is kept for 15 minutes.", "it ends undecided"]);
    player.causes("⏎", "Quit(Keep)");
    player.causes("qg", "Quit(GiveUp)");
    // Once the match is decided, nothing is lost.
    player.go_again();
    player.wants(BEN, LobbyRequest::Resign);
    player.causes("q", "Quit(GiveUp)");
}
