//! Records on the screen: the list, a reader with the value of each move, the learn panel, and export.

use std::path::Path;

use crossterm::event::{KeyCode, MouseEventKind};
use nim::client::record_source::GameList;
use nim::client::records::GameSummary;
use nim::client::tui::job::JobResult;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::record::Record;
use nim::study::{Stop, annotation};

use super::person::Person;
use super::player::Player;
use super::reader::{below, examples, opened, reader, steps, usual};
use super::window::Window;
use crate::harness::{Program, TestClient, join, terms};

/// The values of the moves of a record as `nim-client record replay` shows them; `None` for other steps.
fn replayed(record: &Record) -> Vec<Option<String>> {
    let worth = |step: nim::record::ShownStep| {
        let (board, mv) = step.played?;
        annotation(&board, mv, &Stop::new())
    };
    record.shown_steps().map(worth).collect()
}

#[test]
fn keys_step_through_a_record_and_each_move_has_its_value() {
    let mut reader = usual();
    reader.shows("anna against minimax [bot, fair]: minimax [bot, fair] won");
    reader.asks("⏎", "java-tech:9  ·  game 1 in brave-otter");
    reader.shows("2026-11-21 13:36:49 UTC");
    let record = &examples()[0];
    for (step, worth) in record.shown_steps().zip(replayed(record)) {
        let named = step.words.replace("First", "anna").replace("Second", "minimax");
        reader.asks("→", &named);
        let worth = worth.expect("a move").replace('\n', " ");
        assert!(below(&reader).starts_with(&worth), "{worth:?}\n{}", reader.screen());
    }
    reader.shows_all(["won: anna took the last object.", " 0"]);
    reader.types("→⇱⇲");
    reader.press(KeyCode::PageUp);
    reader.shows("The arrow keys go through the game");
    reader.asks("⎋", "what was played, by whom, how it ended");
    assert!(reader.state.records.is_some());
    reader.types("⎋");
    assert!(reader.state.records.is_none());
}

#[test]
fn the_list_shows_how_each_game_ended_on_every_screen() {
    for size in [LEAST, (80, 24), (120, 40)] {
        let reader = reader(size, Appearance::default());
        let rows = reader.lines().into_iter().filter(|line| line.contains("2026-11-21 13:36 "));
        for (row, game) in rows.zip(examples()) {
            let ended = GameSummary::in_file("1/1", &game).ending(None);
            assert!(row.ends_with(&format!(": {ended}")), "{row}\n{}", reader.screen());
        }
    }
}

#[test]
fn the_mouse_steps_through_a_record() {
    let mut reader = usual();
    reader.clicks_on("nim:3-4-5:normal, Zo");
    let first = reader.place("java-tech:9, anna");
    reader.clicks(first);
    reader.clicks(first);
    reader.shows("The start");
    for words in ["take 2:", "take 3:", "take 2:"] {
        reader.mouse(MouseEventKind::ScrollDown, (10, 10));
        assert!(below(&reader).starts_with(words), "{}", reader.screen());
    }
    reader.mouse(MouseEventKind::ScrollUp, (10, 10));
    assert!(below(&reader).starts_with("take 3:"));
    let last = reader.place("5. anna: take 1");
    reader.clicks(last);
    reader.shows("won: anna took the last object.");
    for (key, shown) in [("? help", "What you can do now"), ("Esc games", "how it ended")] {
        reader.clicks_on(key);
        reader.shows(shown);
        if shown.starts_with("What you") {
            reader.clicks((0, 0));
            reader.hides(shown);
        }
    }
    reader.clicks_on("Esc back");
    assert!(reader.state.records.is_none());
}

#[test]
fn a_record_has_the_learn_panel() {
    let mut reader = opened((80, 24), Appearance::default());
    reader.asks("→s", "Move 1 of 5: take 2 (anna)");
    reader.shows("made");
    reader.asks("f", "Move 2 of 5: take 3 (minimax [bot, fair])");
    reader.asks("↓⏎", "▾");
    reader.asks("?", "What you can do now");
    reader.asks("⎋⎋", "The start");
    assert!(below(&reader).starts_with("take 2:"), "where one was before\n{}", reader.screen());
    reader.causes("sq", "[Act(Quit(GiveUp))]");
}

#[test]
fn a_record_has_steps_for_all_events() {
    for (number, record) in examples().iter().enumerate() {
        let mut reader = usual();
        for _ in 0..number {
            reader.types("↓");
        }
        reader.types("⏎");
        for (step, worth) in record.shown_steps().zip(replayed(record)) {
            reader.types("↓");
            let begins = worth.map_or_else(String::new, |worth| worth.lines().next().unwrap().to_owned());
            assert!(below(&reader).starts_with(&begins), "{}: {begins}\n{}", step.words, reader.screen());
            // The learn panel leads back to the record.
            let is_offered = reader.screen().contains("s learn");
            reader.types("s");
            assert_eq!(reader.screen().contains("W win, L loss"), is_offered, "{}", reader.screen());
            if is_offered {
                reader.types("⎋");
            }
        }
        // A key clears the notice.
        reader.asks("⇲", &nim::client::words::records::end(record));
    }
}

#[test]
fn a_record_is_exported_into_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let write = |reader: &mut Player, path: &Path| {
        reader.types("e");
        reader.types(&"⌫".repeat(80));
        reader.types(path.to_str().unwrap());
        reader.types("⏎");
    };
    let mut reader = opened((120, 40), Appearance::default());
    reader.asks("e", "Write it to the file: brave-otter-1.txt");
    reader.types("⎋");
    reader.hides("Write it to the file:");
    write(&mut reader, &file);
    reader.shows("It is in ");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), examples()[0].to_string());
    std::fs::write(&file, "a letter").unwrap();
    write(&mut reader, &file);
    reader.shows_all(["game.txt is there already.", "Overwrite it?", "y yes", "no"]);
    reader.types("n");
    reader.hides("Overwrite it?");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "a letter");
    // The name can be corrected.
    reader.asks("2⏎", "game.txt2 now.");
    assert!(folder.path().join("game.txt2").exists());
    write(&mut reader, &file);
    reader.asks("y", "It is in ");
    reader.hides("Overwrite it?");
    reader.hides("Write it to the file:");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), examples()[0].to_string());
    write(&mut reader, &folder.path().join("none/game.txt"));
    reader.shows("cannot be written");
}

#[test]
fn a_record_that_cannot_be_fetched_is_reported_and_one_given_up_is_not_opened() {
    let mut reader = usual();
    reader.does_jobs = false;
    reader.asks("⏎", "One moment");
    reader.send(Message::Job(JobResult::Opened("1/1".into(), Err("The disk is gone.".into()))));
    reader.shows("The disk is gone.");
    reader.types("⏎⎋");
    assert!(reader.state.records.is_some(), "the wait ends first");
    let late = JobResult::Opened("1/1".into(), Ok(Box::new(examples().swap_remove(0))));
    reader.send(Message::Job(late));
    reader.shows("how it ended");
}

#[test]
fn a_list_that_cannot_be_fetched_is_reported() {
    let mut reader = usual();
    reader.send(Message::Job(JobResult::Listed(Ok(GameList::default()))));
    reader.shows("No games yet.");
    reader.types("⏎");
    reader.send(Message::Job(JobResult::Listed(Err("Nobody answers there.".into()))));
    reader.shows("Nobody answers there.");
    let complaints = vec!["The record of brave-otter is damaged.".to_owned()];
    reader.send(Message::Job(JobResult::Listed(Ok(GameList { complaints, ..GameList::default() }))));
    reader.shows("The record of brave-otter is damaged.");
}

#[test]
fn q_ends_the_program_everywhere() {
    for keys in ["", "⏎", "⏎→s"] {
        let mut reader = usual();
        reader.types(keys);
        reader.causes("q", "[Act(Quit(GiveUp))]");
    }
}

#[test]
fn the_records_of_a_server_open_from_its_hall_and_close_where_a_lobby_is_entered() {
    let mut player = Player::in_hall((80, 24), Appearance::default());
    player.types("r");
    assert_eq!(player.asked(), "[]", "without a library there are no records");
    player.state.library = Some("Games on tower that are open to you".to_owned());
    player.causes("r", "Job(List)");
    player.shows("Games on tower that are open to you");
    player.causes("q", "Quit");
    player.enters(&Player::playing("java-tech"));
    player.shows("java-tech:21  ·  brave-otter");
}

#[tokio::test]
async fn the_program_opens_a_record_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let (_host, address) = Program::listening_server(&["--data", &data]).await;
    let [mut anna, mut ben] = [TestClient::at(address, "anna").await, TestClient::at(address, "ben").await];
    let code = anna.create_on(terms("take:1:1")).await;
    ben.tries(join(code)).await.unwrap();
    anna.until_lobby(|lobby| lobby.to_move().is_some()).await;
    anna.play(Move::Nim(Take { pile: 0, count: 1 })).await;
    anna.result().await;

    let mut window = Window::client(&["connect", &address.to_string(), "--name", "cleo"]);
    window.until_shown("The hall:").await;
    window.asks("r", "began (UTC)").await;
    window.until_shown("anna against ben").await;
    window.asks("\r", "The start").await;
    window.asks("\x1b[C", "take 1: ").await;
    window.asks("\x1b", "open to you").await;
    window.asks("\x1b", "The hall:").await;
    window.quits("q").await;
}

#[test]
fn the_smallest_window_shows_every_step() {
    let mut reader = opened(LEAST, Appearance::default());
    let moves = steps(&reader).join(" ").matches(": take").count();
    assert!(moves >= 3, "{}", reader.screen());
    assert!(!steps(&reader).join(" ").contains('…'), "{}", reader.screen());
    reader.asks("⇲", "5. anna: take 1");
    // A click on the second row of a step goes there too.
    reader.types("⇱");
    let (x, y) = reader.place("2. ");
    reader.clicks((x + 3, y + 1));
    reader.shows("2. ");
    let there = reader.screen();
    reader.types("⇱→→");
    assert_eq!(reader.screen(), there);
}
