//! What a game is about: its goal and the turn on every screen, each game in the form, and its conditions.

use std::time::Duration;

use crossterm::event::KeyCode;
use nim::client::choices::GAMES;
use nim::client::session::ConnectionStatus;
use nim::client::tui::{Appearance, LEAST};
use nim::game::any::Variant;
use nim::lobby::{Conditions, LobbyRequest};

use super::hall::hall;
use super::person::Person;
use super::player::{ANNA, BEN, Player};

const SIZES: [(u16, u16); 5] = [LEAST, (66, 21), (80, 24), (120, 40), (200, 60)];

/// Whether these words stand on the screen one after the other in one column, perhaps in several rows.
fn has_goal(player: &Player, goal: &str) -> bool {
    let mut words = goal.split(' ').peekable();
    for line in player.lines() {
        let line: Vec<&str> = line.split_whitespace().collect();
        let first = words.peek().copied();
        let from = line.iter().position(|word| Some(*word) == first);
        line[from.unwrap_or(line.len())..].iter().for_each(|word| {
            words.next_if_eq(word);
        });
    }
    words.peek().is_none()
}

#[test]
fn the_goal_and_the_turn_are_on_the_screen_of_every_game_at_every_size() {
    for game in GAMES {
        let goal = game.parse::<Variant>().unwrap().goal();
        for size in SIZES {
            let mut player = Player::sized(game, size, Appearance::default());
            for keys in ["", "h", "t", "⎋", "s"] {
                player.types(keys);
                let screen = player.screen();
                assert!(has_goal(&player, goal), "{keys} {goal}\n{screen}");
                let turn = screen.contains("(your turn)") || screen.contains("▸ ben");
                assert!(turn || screen.contains("▸ ● ben") || screen.contains("▸ ○ ben"), "{keys}\n{screen}");
            }
        }
    }
}

#[test]
fn the_turn_is_said_beside_the_name_under_every_notice_and_without_a_connection() {
    for size in SIZES {
        let mut player = Player::sized("java-tech", size, Appearance::default());
        player.state.notice = Some("A long notice that fills all the rows down to the keys. ".repeat(9));
        player.shows("▸ anna (your turn)");
        player.state.notice = None;
        player.link = Some(ConnectionStatus::Lost);
        player.shows("▸ anna (your turn)");
        player.link = None;
        player.moves(ANNA, "take 1");
        player.shows("anna (you)");
        player.shows("▸ ben");
    }
}

#[test]
fn the_result_of_a_match_and_how_to_go_on_have_room_on_every_screen() {
    for size in SIZES {
        let conditions = Conditions { best_of: 3, ..Conditions::default() };
        let mut player = Player::on(conditions, "java-tech", size, Appearance::default());
        player.joined_by_ben();
        for _ in 0..2 {
            player.wants(ANNA, LobbyRequest::Resign);
            let text = player.lines().join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains("(best of 3).") && !text.contains('…'), "{}", player.screen());
            player.go_again();
        }
        let mut player = Player::against_the_bot("java-tech", size, Appearance::default());
        player.wants(ANNA, LobbyRequest::Resign);
        player.shows("The game is over. a starts another.");
    }
}

#[test]
fn a_game_that_is_over_still_shows_its_goal() {
    let mut player = Player::sized("take:3:3:misere", LEAST, Appearance::default());
    player.moves(ANNA, "take 3");
    assert!(has_goal(&player, "Taking the last object loses."), "{}", player.screen());
    player.wants(BEN, LobbyRequest::Again);
    assert!(has_goal(&player, "Taking the last object loses."), "{}", player.screen());
}

#[test]
fn the_form_goes_through_every_game_and_says_what_it_is() {
    let mut seen = Vec::new();
    let mut player = Player::in_hall(LEAST, Appearance::default());
    player.types("n");
    for game in GAMES {
        player.shows(game);
        let variant: Variant = game.parse().unwrap();
        seen.push(variant.name());
        let about = player.lines().join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        let (summary, goal) = (variant.summary(), variant.goal());
        assert!(about.contains(&format!("{summary} {goal}")), "{summary} {goal}\n{}", player.screen());
        player.press(KeyCode::Right);
    }
    for (form, _) in Variant::forms() {
        let name = form.split(['[', ':']).next().unwrap();
        assert!(seen.contains(&name), "the form does not go through {name}");
    }
}

#[test]
fn a_game_against_the_bot_at_home_speaks_only_of_what_matters_there() {
    let mut player = Player::against_the_bot("java-tech", (80, 24), Appearance::default());
    player.asks("i", "The level of the bot is perfect.");
    player.hides_all(["stand-in", "password", "watch", "Nobody", "kept"]);
    player.types("⎋");
    player.link = Some(ConnectionStatus::Up(Some(Duration::from_millis(1))));
    player.asks("i", "stand-in");
    player.hides("There is no clock");
}

#[test]
fn a_pile_answers_to_its_letter() {
    let mut player = Player::playing("nim:3-4-5");
    player.asks("b", "⏎ take 1 from b");
    player.asks("3", "⏎ take 3 from b");
    player.asks("C", "⏎ take 1 from c");
    player.moves(ANNA, "take 4 from b");
    player.moves(BEN, "take 1 from a");
    player.types("c");
    player.asks("b", "This key does nothing here");
    player.shows("from c");
}

#[test]
fn a_quick_match_asks_for_a_game_or_any_and_nothing_else() {
    let mut player = hall(LEAST, Appearance::default());
    player.asks("m", "any");
    player.hides_all(["Clock", "Password", "When away", "Hints"]);
    player.causes("⏎", "Join(");
    player.types("m→");
    player.shows("java-tech:21");
    player.causes("⏎", "Quick(");
    // Where nobody waits, it waits itself.
    let mut player = Player::in_hall(LEAST, Appearance::default());
    player.causes("m⏎", "Quick(");
}
