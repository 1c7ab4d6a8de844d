//! Games at one keyboard, and the program that is killed or closed in the middle of them.

use std::path::Path;

use crate::harness::{Finished, Program};

/// The program with a folder of its own for what it keeps.
fn program(state: &Path, arguments: &[&str]) -> Program {
    Program::client(&[arguments, &["--state", state.to_str().unwrap()]].concat())
}

fn games(state: &Path) -> usize {
    std::fs::read_dir(state.join("play")).map_or(0, Iterator::count)
}

/// How it ends that somebody would go on with what is kept here.
async fn resumed(state: &Path, arguments: &[&str]) -> Finished {
    program(state, &[&["resume"], arguments].concat()).finish().await
}

/// A game against the bot in which both have moved.
async fn begun(state: &Path, name: &str) -> Program {
    let flags = ["play", "java-tech:9", "--starts", "me", "--bot-pace", "0ms", "--name", name];
    let mut game = program(state, &flags);
    game.until("Your move").await;
    game.types("2\n").await;
    game.until("minimax [bot, perfect]: take").await;
    game.until("Your move").await;
    game
}

#[tokio::test]
async fn a_game_against_the_bot_goes_on_after_the_program_was_killed() {
    let state = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        begun(state.path(), "anna").await.dies().await;
        let mut game = program(state.path(), &["resume"]);
        game.until("So far: take 2, take ").await;
        game.until("You are back in your seat.").await;
        game.plays("1").await;
        game.types("quit\n").await;
        assert_eq!(game.finish().await.code, Some(0));
    }
    assert_eq!(games(state.path()), 2, "of a game that is over the record is kept");
    let nothing = resumed(state.path(), &[]).await;
    assert!(nothing.code == Some(11) && nothing.stderr.contains("no seat of yours is kept"), "{nothing:?}");
}

#[tokio::test]
async fn two_at_one_keyboard_are_both_back_in_their_seats() {
    let state = tempfile::tempdir().unwrap();
    let flags = ["play", "java-tech:9", "--two", "--name", "anna", "--other", "ben"];
    let mut game = program(state.path(), &flags);
    game.types("1\n2\n").await;
    game.until("ben: take 2").await;
    game.until("move (").await;
    game.dies().await;
    // Not only once.
    for _ in 0..2 {
        let mut game = program(state.path(), &["resume"]);
        game.until("anna against ben.").await;
        game.until("So far: take 1, take 2.").await;
        game.until("anna's move").await;
        game.dies().await;
    }
    let mut game = program(state.path(), &["resume"]);
    game.types("3\n3\nquit\n").await;
    game.until("ben: take 3").await;
    assert_eq!(game.finish().await.code, Some(0));
    assert_eq!(resumed(state.path(), &[]).await.code, Some(11), "it is over");
}

#[tokio::test]
async fn the_end_of_the_input_keeps_a_game_and_a_typed_quit_does_not() {
    let state = tempfile::tempdir().unwrap();
    let ended = begun(state.path(), "anna").await.finish().await;
    assert_eq!(ended.code, Some(8));
    assert!(ended.stderr.contains("The game is kept: nim-client resume goes on."), "{ended:?}");
    let mut again = program(state.path(), &["resume"]);
    again.types("quit\n").await;
    assert_eq!(again.finish().await.code, Some(0));
    assert_eq!(resumed(state.path(), &[]).await.code, Some(11));
}

#[tokio::test]
async fn of_a_game_without_a_move_nothing_is_kept() {
    let state = tempfile::tempdir().unwrap();
    let mut game = program(state.path(), &["play", "java-tech:9", "--starts", "me"]);
    game.until("Your move").await;
    assert_eq!(games(state.path()), 1);
    game.types("quit\n").await;
    assert_eq!((game.finish().await.code, games(state.path())), (Some(0), 0));
}

#[tokio::test]
async fn two_games_at_once_are_kept_apart_and_one_that_is_open_is_nobody_elses() {
    let state = tempfile::tempdir().unwrap();
    let (mut annas, mut bens) = (begun(state.path(), "anna").await, begun(state.path(), "ben").await);
    let both = resumed(state.path(), &[]).await;
    assert!(both.code == Some(13) && both.stderr.contains(" are open in other windows"), "{both:?}");
    annas.dies().await;
    let which = resumed(state.path(), &["--as", "ben"]).await;
    assert!(which.code == Some(13) && which.stderr.contains(" is open in another window"), "{which:?}");
    let code = which.stderr.split_whitespace().nth(3).unwrap().to_owned();
    let open = resumed(state.path(), &[&code]).await;
    assert_eq!((open.code, &open.stderr), (Some(13), &which.stderr));
    // Only the seat that nobody has is offered.
    let mut back = program(state.path(), &["resume"]);
    back.until("anna against minimax").await;
    back.dies().await;
    annas = begun(state.path(), "cleo").await;
    annas.dies().await;
    let offered = resumed(state.path(), &[]).await;
    assert!(offered.code == Some(11) && !offered.stderr.contains(&code), "{offered:?}");
    let script = resumed(state.path(), &[&code, "--json"]).await;
    assert!(script.code == Some(13) && script.stdout.contains(r#""exit_code":13"#), "{script:?}");
    bens.dies().await;
    let mut back = program(state.path(), &["resume", &code]);
    back.until("ben against minimax").await;
    back.plays("1").await;
}

#[tokio::test]
async fn resuming_without_a_name_takes_the_game_that_is_not_over() {
    let state = tempfile::tempdir().unwrap();
    begun(state.path(), "anna").await.dies().await;
    let mut over = program(state.path(), &["play", "take:1:1", "--starts", "me", "--name", "anna"]);
    over.types("1\n").await;
    over.until("Type again").await;
    over.dies().await;
    let mut game = program(state.path(), &["resume"]);
    game.until("So far: take 2, take ").await;
    game.dies().await;
}

#[tokio::test]
async fn of_games_that_nobody_comes_back_to_only_the_last_are_kept() {
    let state = tempfile::tempdir().unwrap();
    for number in 1..=30 {
        std::fs::create_dir_all(state.path().join(format!("play/game-{number}"))).unwrap();
    }
    begun(state.path(), "anna").await.dies().await;
    assert_eq!(games(state.path()), 21, "20, and the one that goes on");
    assert_eq!(resumed(state.path(), &[]).await.code, Some(8), "the last one is among them");
}

#[tokio::test]
async fn a_game_that_cannot_be_kept_is_played_all_the_same() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let mut game = begun(&file, "anna").await;
    game.until_error("this game is not kept for another time: ").await;
    game.types("1\n").await;
    game.plays("1").await;
}

/// The files of the seats in a game's folder.
fn seats(game: &Path) -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(game).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "seat")).collect()
}

#[tokio::test]
async fn a_game_that_can_be_gone_on_with_makes_no_room_for_any_other() {
    let state = tempfile::tempdir().unwrap();
    begun(state.path(), "anna").await.dies().await;
    let first = only_game(state.path());
    for number in 2..=30 {
        let game = state.path().join(format!("play/game-{number}"));
        std::fs::create_dir_all(&game).unwrap();
        // Every second one can be gone on with too.
        for file in seats(&first).iter().filter(|_| number % 2 == 0) {
            std::fs::copy(file, game.join(file.file_name().unwrap())).unwrap();
        }
    }
    for over in (31..=40).map(|number| state.path().join(format!("play/game-{number}"))) {
        std::fs::create_dir_all(over).unwrap();
    }
    let mut newest = begun(state.path(), "ben").await;
    assert_eq!(games(state.path()), 16 + 20 + 1);
    let is_there = |number: u32| state.path().join(format!("play/game-{number}")).exists();
    assert!(is_there(1) && is_there(2) && is_there(30) && is_there(41));
    assert!(!is_there(3) && !is_there(9) && is_there(11));
    newest.types("quit\n").await;
    assert_eq!(newest.finish().await.code, Some(0));
}

#[tokio::test]
async fn of_a_game_that_nobody_came_back_to_for_a_month_only_the_record_is_left() {
    const DAY: std::time::Duration = std::time::Duration::from_hours(24);
    let state = tempfile::tempdir().unwrap();
    begun(state.path(), "anna").await.dies().await;
    let first = only_game(state.path());
    for (days, offered) in [(29, true), (31, false)] {
        for seat in seats(&first) {
            let file = std::fs::File::options().write(true).open(seat).unwrap();
            file.set_modified(std::time::SystemTime::now() - days * DAY).unwrap();
        }
        begun(state.path(), "ben").await.dies().await;
        let anna = resumed(state.path(), &["--as", "anna"]).await;
        assert_eq!(anna.code, Some(if offered { 8 } else { 11 }), "{anna:?}");
    }
    let listed = record(state.path(), &["list"]).await.stdout;
    assert!(listed.contains("1/1") && listed.contains("anna against minimax"), "{listed}");
}

/// The folder of the only game.
fn only_game(state: &Path) -> std::path::PathBuf {
    let games: Vec<_> =
        std::fs::read_dir(state.join("play")).unwrap().map(|game| game.unwrap().path()).collect();
    assert_eq!(games.len(), 1);
    games[0].clone()
}

/// Damages the journal of the only game.
fn damage(state: &Path) {
    damage_at(state, 4_100);
}

/// The same where the byte says how many lobbies there are: a reader of the file sees that too.
fn damage_lobbies(state: &Path) {
    damage_at(state, 3 * 4_096 + 4);
}

fn damage_at(state: &Path, at: usize) {
    let journal = only_game(state).join("journal.sqlite");
    // Whatever is in the file beside it moves into the journal.
    drop(rusqlite::Connection::open(&journal).unwrap().query_row(
        "PRAGMA wal_checkpoint(TRUNCATE)",
        [],
        |_| Ok(()),
    ));
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes[at] ^= 0xff;
    std::fs::write(&journal, bytes).unwrap();
}

#[tokio::test]
async fn damage_in_the_journal_of_a_game_is_told_when_it_goes_on() {
    let state = tempfile::tempdir().unwrap();
    begun(state.path(), "anna").await.dies().await;
    damage(state.path());
    let mut game = program(state.path(), &["resume"]);
    game.until_error("damaged").await;
}

#[tokio::test]
async fn a_request_for_a_damaged_record_is_answered_with_what_saves_it() {
    let state = tempfile::tempdir().unwrap();
    begun(state.path(), "anna").await.dies().await;
    let listed = record(state.path(), &["list"]).await.stdout;
    let code = listed.lines().nth(1).unwrap().split_whitespace().nth(3).unwrap().to_owned();
    damage_lobbies(state.path());
    let command = format!("nim-client resume {code} --state {}", state.path().display());
    for arguments in [&["list"][..], &["export", "1/1"], &["export", &code]] {
        let told = record(state.path(), arguments).await;
        let words =
            format!("nim-client: the record of {code}, a game at this keyboard, is damaged: {command} ");
        assert!(told.code == Some(1) && told.stderr.starts_with(&words), "{told:?}");
    }
    let mut game = program(state.path(), &["resume", &code]);
    game.types("quit\n").await;
    game.ended().await;
    let told = record(state.path(), &["list"]).await;
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn the_damaged_record_of_a_game_that_is_over_is_told_with_its_folder() {
    let state = tempfile::tempdir().unwrap();
    let mut game = begun(state.path(), "anna").await;
    game.types("quit\n").await;
    assert_eq!(game.finish().await.code, Some(0));
    damage_lobbies(state.path());
    let told = record(state.path(), &["list"]).await;
    let words =
        format!("that is over is damaged, in {}: remove that folder", only_game(state.path()).display());
    assert!(told.code == Some(1) && told.stderr.contains(&words), "{told:?}");
    assert_eq!(told.stdout, "No games.\n");
}

#[tokio::test]
async fn a_game_that_is_lost_is_said_to_be_lost_and_is_not_offered_again() {
    let state = tempfile::tempdir().unwrap();
    let flags = ["play", "java-tech:9", "--two", "--name", "anna", "--other", "ben"];
    let mut game = program(state.path(), &flags);
    game.types("1\n").await;
    game.until("anna: take 1").await;
    game.dies().await;
    let folder = only_game(state.path());
    for file in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"] {
        let _ = std::fs::remove_file(folder.join(file));
    }
    let lost = resumed(state.path(), &[]).await;
    assert_eq!(lost.code, Some(11), "{lost:?}");
    assert!(lost.stderr.contains(" is lost: what was recorded of it is gone or damaged"), "{lost:?}");
    assert!(lost.stderr.contains(folder.to_str().unwrap()), "{lost:?}");
    assert!(!lost.stderr.contains("over already") && !lost.stderr.contains("server"), "{lost:?}");
    let nothing = resumed(state.path(), &[]).await;
    assert!(nothing.stderr.contains("no seat of yours is kept"), "{nothing:?}");
}

#[tokio::test]
async fn a_game_whose_record_cannot_be_trusted_is_lost_and_its_files_stay() {
    let state = tempfile::tempdir().unwrap();
    begun(state.path(), "anna").await.dies().await;
    let folder = only_game(state.path());
    for file in ["journal.sqlite-wal", "journal.sqlite-shm"] {
        let _ = std::fs::remove_file(folder.join(file));
    }
    std::fs::write(folder.join("journal.sqlite"), vec![7; 40_000]).unwrap();
    for (code, words) in [(Some(11), " is lost: "), (Some(11), "no seat of yours is kept")] {
        let lost = resumed(state.path(), &[]).await;
        assert!(lost.code == code && lost.stderr.contains(words), "{lost:?}");
    }
    assert!(folder.exists(), "somebody may want to look at it");
}

#[tokio::test]
async fn a_game_that_cannot_be_recorded_any_more_can_be_left() {
    for (flag, quits) in [("", "leave\n"), ("--json", "{\"do\":\"quit\"}\n")] {
        let state = tempfile::tempdir().unwrap();
        let flags = ["play", "java-tech:9", "--two", "--name", "anna", flag];
        let flags: Vec<&str> = flags.into_iter().filter(|flag| !flag.is_empty()).collect();
        let mut game = program(state.path(), &flags);
        game.until(if flag.is_empty() { "move (" } else { "your_turn" }).await;
        // No event can be written into the journal, as if the disk were full.
        let other = rusqlite::Connection::open(only_game(state.path()).join("journal.sqlite")).unwrap();
        let full = "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END";
        other.execute_batch(full).unwrap();
        let is_script = flag == "--json";
        game.types(if is_script { "{\"do\":\"play\",\"move\":\"1\"}\n" } else { "1\n" }).await;
        game.until(if is_script { r#""event":"halted""# } else { "The game waits: " }).await;
        game.types(quits).await;
        let ended = game.ended().await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.contains("What was recorded before is kept"), "{ended:?}");
        other.execute_batch("DROP TRIGGER full").unwrap();
        drop(other);
        let mut again = program(state.path(), &["resume"]);
        again.until("You are back in your seat.").await;
    }
}

/// What `record` says of the games that were played here.
async fn record(state: &Path, arguments: &[&str]) -> Finished {
    program(state, &[&["record"], arguments].concat()).finish().await
}

#[tokio::test]
async fn a_game_that_was_played_here_has_a_record_while_it_goes_on_and_afterwards() {
    let state = tempfile::tempdir().unwrap();
    assert_eq!(record(state.path(), &["list"]).await.stdout, "No games.\n");
    let mut game = begun(state.path(), "anna").await;
    let listed = record(state.path(), &["list"]).await;
    assert!(
        listed.code == Some(0)
            && listed.stdout.contains("java-tech:9, anna against minimax [bot, perfect]: it goes on"),
        "{listed:?}"
    );
    let export = record(state.path(), &["export", "1/1"]).await;
    assert!(
        export.stdout.starts_with("nim record 1\n") && export.stdout.contains("the game goes on"),
        "{export:?}"
    );
    game.types("quit\n").await;
    assert_eq!(game.finish().await.code, Some(0));
    let mut second = begun(state.path(), "ben").await;
    second.types("resign\n").await;
    second.until("You lost").await;
    second.dies().await;
    let listed = record(state.path(), &["list"]).await.stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[1].starts_with("2/1") && lines[1].contains("ben against"), "{listed}");
    assert!(lines[2].starts_with("1/1") && lines[2].contains("anna against"), "{listed}");
    assert_eq!(lines.len(), 3);
    let with_anna = record(state.path(), &["list", "--with", "anna", "--json"]).await.stdout;
    assert!(with_anna.lines().count() == 1 && with_anna.contains(r#""game":"1/1""#), "{with_anna}");
    let code = lines[1].split_whitespace().nth(3).unwrap();
    let file = state.path().join("game.txt");
    let file = file.to_str().unwrap();
    for (number, name) in ["2/1", code, &format!("{code}/1")].into_iter().enumerate() {
        let force = if number == 0 { &[][..] } else { &["--force"] };
        let done = record(state.path(), &[&["export", name, "--to", file], force].concat()).await;
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{name}");
        let verified = Program::client(&["record", "verify", file]).finish().await.stdout;
        assert!(verified.contains("2 moves, Second won (First resigned): right"), "{verified}");
    }
    for (name, code) in [("3/1", 5), ("brave-otter", 5), ("what", 2)] {
        let none = record(state.path(), &["export", name]).await;
        assert!(none.code == Some(code) && none.stderr.contains("nim-client record list"), "{none:?}");
    }
}
