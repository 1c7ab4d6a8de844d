//! What the screen says where a game or a match ends, and where the next one begins.

use nim::client::session::SessionEvent;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::lobby::{ClockRule, Conditions, Departure, Hints, Request, Text};

use super::desk::{ANNA, BEN, Desk};
use super::person::Person;

/// anna and ben at a game with these conditions, of whom anna has asked for a hint.
fn hinted(size: (u16, u16)) -> Desk {
    let conditions = Conditions { clock: ClockRule::Move(8_000), hints: Hints::All, ..Conditions::default() };
    let mut desk = Desk::on(conditions, "java-tech", size, Appearance::default());
    desk.joined_by_ben();
    let lobby = desk.view().lobby().unwrap();
    let (turn, mv) = (lobby.turn(), lobby.board().read_move("take 2").unwrap());
    let words = Text::cut("it leaves 19");
    desk.send(Message::Session(SessionEvent::Hint { turn, mv, words }));
    desk
}

/// The line on which a hint stands, and then the result.
fn notice(desk: &Desk) -> String {
    let lines = desk.lines();
    let (hint, result) = ("Hint: take 2. It leaves 19.", "You ");
    let line =
        lines[lines.len() / 2..].iter().rfind(|line| line.contains(hint) || line.trim().starts_with(result));
    line.cloned().unwrap_or_default()
}

/// Somebody ends the game.
type End = fn(&mut Desk);

#[test]
fn the_result_takes_the_place_of_a_hint_whoever_ends_the_game() {
    for size in [(80, 24), LEAST] {
        let ends: [(&str, End); 3] = [
            ("You won: ben resigned.", |desk| desk.happens(BEN, Request::Resign)),
            ("You won: ben left.", |desk| desk.happens(BEN, Request::Leave(Departure::Quit))),
            ("You lost: you ran out of time.", Desk::falls_due),
        ];
        for (result, end) in ends {
            let mut desk = hinted(size);
            assert!(notice(&desk).contains("Hint: take 2."), "{}", desk.screen());
            end(&mut desk);
            assert!(notice(&desk).contains(result), "{result}\n{}", desk.screen());
        }
    }
}

/// A match of anna and ben, the best of three, that anna has lost.
fn lost_match(size: (u16, u16)) -> Desk {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let mut desk = Desk::on(conditions, "java-tech", size, Appearance::default());
    desk.joined_by_ben();
    desk.happens(ANNA, Request::Resign);
    desk.hides("has won the match");
    for who in [ANNA, BEN] {
        desk.happens(who, Request::Again);
    }
    desk.happens(ANNA, Request::Resign);
    desk
}

#[test]
fn who_has_won_a_match_is_said_below_the_board_and_another_one_is_a_new_match() {
    for size in [(80, 24), LEAST] {
        let mut desk = lost_match(size);
        let below = desk.lines()[usize::from(size.1) - 4..].join(" ");
        assert!(below.contains("The match is over (ben has won it"), "{}", desk.screen());
        desk.shows("a new match");
        desk.hides("a again");
        for who in [ANNA, BEN] {
            desk.happens(who, Request::Again);
        }
        assert!(desk.lines()[0].contains("game 1, best of 3"), "{}", desk.screen());
        assert!(
            desk.screens.state.log.texts().any(|text| text == "A new match begins, the best of 3."),
            "{}",
            desk.screen()
        );
    }
}

#[test]
fn both_clocks_of_the_screen_show_the_same_time() {
    let clock = ClockRule::Fischer { base: 300_000, bonus: 0 };
    let mut desk =
        Desk::on(Conditions { clock, ..Conditions::default() }, "java-tech", (80, 24), Appearance::default());
    desk.joined_by_ben();
    desk.now = desk.now + std::time::Duration::from_millis(1_400);
    desk.shows("4:58");
    desk.shows("4 minutes 58 seconds left on the clock");
}
