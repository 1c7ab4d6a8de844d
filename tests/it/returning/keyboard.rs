//! Local games, and a program that is killed or closed during one.

use crate::harness::{Finished, Home, Program, seats};

fn games(home: &Home) -> usize {
    std::fs::read_dir(home.path().join("play")).map_or(0, Iterator::count)
}

/// A game against the bot in which both have moved.
async fn begun(home: &Home, name: &str) -> Program {
    let flags = ["play", "java-tech:9", "--starts", "me", "--bot-pace", "0ms", "--name", name];
    let mut game = home.runs(&flags);
    game.until("Your move").await;
    game.asks("2", "minimax [bot, perfect]: take").await;
    game.until("Your move").await;
    game
}

#[tokio::test]
async fn a_game_against_the_bot_goes_on_after_the_program_was_killed() {
    let home = Home::new();
    for _ in 0..2 {
        begun(&home, "anna").await.dies().await;
        let mut game = home.resumes(&[]);
        game.until("So far: take 2 (you), take ").await;
        game.until("You are back in your seat.").await;
        game.plays("1").await;
        game.quits().await;
    }
    assert_eq!(games(&home), 2, "the record of a finished game is kept");
    home.resumed(&[]).await.fails(11, "you have no unfinished game");
}

#[tokio::test]
async fn two_at_one_keyboard_are_both_back_in_their_seats() {
    let home = Home::new();
    let flags = ["play", "java-tech:9", "--two", "--name", "anna", "--other", "ben"];
    let mut game = home.runs(&flags);
    game.types("1\n2\n").await;
    game.until("ben: take 2").await;
    game.until("move (").await;
    game.dies().await;
    // A second return works too.
    for _ in 0..2 {
        let mut game = home.resumes(&[]);
        game.until("anna against ben.").await;
        game.until("So far: take 1 (anna), take 2 (ben).").await;
        game.until("anna's move").await;
        game.dies().await;
    }
    let mut game = home.resumes(&[]);
    game.types("3\n3\nquit\n").await;
    game.until("ben: take 3").await;
    assert_eq!(game.finish().await.code, Some(0));
    assert_eq!(home.resumed(&[]).await.code, Some(11), "it is over");
}

#[tokio::test]
async fn the_end_of_the_input_and_a_typed_quit_keep_a_game_and_giving_up_does_not() {
    let home = Home::new();
    let ended = begun(&home, "anna").await.finish().await;
    ended.fails(8, "The game is kept: nim-client resume goes on.");
    for _ in 0..2 {
        let mut game = home.is_back(&[]).await;
        game.asks("quit", "The game is kept: nim-client resume ").await;
        assert_eq!(game.ended().await.code, Some(0));
    }
    home.is_back(&[]).await.gives_up().await;
    assert_eq!((home.resumed(&[]).await.code, games(&home)), (Some(11), 1));
    // A game without a move is not kept.
    let mut game = home.runs(&["play", "java-tech:9", "--starts", "me"]);
    game.until("Your move").await;
    assert_eq!(games(&home), 2);
    game.quits().await;
    assert_eq!(games(&home), 1);
}

#[tokio::test]
async fn two_local_games_are_separate_and_an_open_one_is_locked() {
    let home = Home::new();
    let (mut annas, mut bens) = (begun(&home, "anna").await, begun(&home, "ben").await);
    home.resumed(&[]).await.fails(13, " are open in other windows");
    annas.dies().await;
    let which = home.resumed(&["--as", "ben"]).await;
    which.fails(13, " is open in another window");
    let code = which.stderr.split_whitespace().nth(3).unwrap().to_owned();
    let open = home.resumed(&[&code]).await;
    assert_eq!((open.code, &open.stderr), (Some(13), &which.stderr));
    // Only the seat that is free is offered.
    let mut back = home.resumes(&[]);
    back.until("anna against minimax").await;
    back.dies().await;
    annas = begun(&home, "cleo").await;
    annas.dies().await;
    let offered = home.resumed(&[]).await;
    assert!(offered.code == Some(11) && !offered.stderr.contains(&code), "{offered:?}");
    let script = home.resumed(&[&code, "--json"]).await;
    assert!(script.code == Some(13) && script.stdout.contains(r#""exit_code":13"#), "{script:?}");
    bens.dies().await;
    let mut back = home.resumes(&[&code]);
    back.until("ben against minimax").await;
    back.plays("1").await;
}

#[tokio::test]
async fn resume_without_a_name_takes_the_unfinished_game() {
    let home = Home::new();
    begun(&home, "anna").await.dies().await;
    let mut over = home.runs(&["play", "take:1:1", "--starts", "me", "--name", "anna"]);
    over.asks("1", "Type again").await;
    over.dies().await;
    let mut game = home.resumes(&[]);
    game.until("So far: take 2 (you), take ").await;
    game.dies().await;
}

#[tokio::test]
async fn a_game_that_cannot_be_saved_can_be_played() {
    let home = Home::new();
    let file = home.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let flags = ["play", "java-tech:9", "--bot-pace", "0ms", "--state", file.to_str().unwrap()];
    let mut game = Program::client(&flags);
    game.until_error("this game is not kept for another time: ").await;
    game.types("1\n").await;
    game.plays("1").await;
}

#[tokio::test]
async fn an_unfinished_game_is_never_pruned_for_another() {
    let home = Home::new();
    begun(&home, "anna").await.dies().await;
    let first = only_game(&home);
    for number in 2..=30 {
        let game = home.path().join(format!("play/game-{number}"));
        std::fs::create_dir_all(&game).unwrap();
        // Every second game can be resumed.
        for file in seats(&first).iter().filter(|_| number % 2 == 0) {
            std::fs::copy(file, game.join(file.file_name().unwrap())).unwrap();
        }
    }
    for over in (31..=40).map(|number| home.path().join(format!("play/game-{number}"))) {
        std::fs::create_dir_all(over).unwrap();
    }
    let newest = begun(&home, "ben").await;
    assert_eq!(games(&home), 16 + 20 + 1);
    let is_there = |number: u32| home.path().join(format!("play/game-{number}")).exists();
    assert!(is_there(1) && is_there(2) && is_there(30) && is_there(41));
    assert!(!is_there(3) && !is_there(9) && is_there(11));
    newest.quits().await;
}

#[tokio::test]
async fn an_unfinished_game_expires_after_a_month_but_its_record_stays() {
    const DAY: std::time::Duration = std::time::Duration::from_hours(24);
    let home = Home::new();
    begun(&home, "anna").await.dies().await;
    let first = only_game(&home);
    for (days, offered) in [(29, true), (31, false)] {
        for seat in seats(&first) {
            let file = std::fs::File::options().write(true).open(seat).unwrap();
            file.set_modified(std::time::SystemTime::now() - days * DAY).unwrap();
        }
        begun(&home, "ben").await.dies().await;
        let anna = home.resumed(&["--as", "anna"]).await;
        assert_eq!(anna.code, Some(if offered { 8 } else { 11 }), "{anna:?}");
    }
    let listed = record(&home, &["list"]).await.stdout;
    assert!(listed.contains("1/1") && listed.contains("anna against minimax"), "{listed}");
}

/// The folder of the only game.
fn only_game(home: &Home) -> std::path::PathBuf {
    let mut games = std::fs::read_dir(home.path().join("play")).unwrap();
    assert_eq!(self::games(home), 1);
    games.next().unwrap().unwrap().path()
}

/// Damages the first page of lobbies in the journal of the only game; a reader notices it too.
fn damage(home: &Home) {
    let journal = only_game(home).join("journal.sqlite");
    // This moves the contents of the log file into the journal.
    let into_journal = "PRAGMA wal_checkpoint(TRUNCATE)";
    let _ = rusqlite::Connection::open(&journal).unwrap().query_row(into_journal, [], |_| Ok(()));
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'lobbies'";
    let read = rusqlite::Connection::open(&journal).unwrap();
    let page: u32 = read.query_row(root, [], |row| row.get(0)).unwrap();
    drop(read);
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes[(page as usize - 1) * 4_096] ^= 0xff;
    std::fs::write(&journal, bytes).unwrap();
}

#[tokio::test]
async fn a_damaged_record_is_reported_with_a_repair_command_that_works() {
    let home = Home::new();
    begun(&home, "anna").await.dies().await;
    let listed = record(&home, &["list"]).await.stdout;
    let code = listed.lines().nth(1).unwrap().split_whitespace().nth(3).unwrap().to_owned();
    damage(&home);
    let command = format!("nim-client resume {code} --state {}", home.path().display());
    for arguments in [&["list"][..], &["export", "1/1"], &["export", &code]] {
        let told = record(&home, arguments).await;
        let words =
            format!("nim-client: the record of {code}, a game at this keyboard, is damaged: {command} ");
        assert!(told.code == Some(1) && told.stderr.starts_with(&words), "{told:?}");
    }
    let mut game = home.resumes(&[&code]);
    game.until_error("damaged").await;
    game.types("quit\n").await;
    game.ended().await;
    let told = record(&home, &["list"]).await;
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn a_damaged_finished_game_is_reported_with_its_folder() {
    let home = Home::new();
    let game = begun(&home, "anna").await;
    game.gives_up().await;
    damage(&home);
    let told = record(&home, &["list"]).await;
    let words = format!("that is over is damaged, in {}: remove that folder", only_game(&home).display());
    assert!(told.code == Some(1) && told.stderr.contains(&words), "{told:?}");
    assert_eq!(told.stdout, "No games.\n");
}

#[tokio::test]
async fn a_game_with_a_missing_or_damaged_journal_is_not_offered_again() {
    for is_gone in [true, false] {
        let home = Home::new();
        let flags = ["play", "java-tech:9", "--two", "--name", "anna", "--other", "ben"];
        let mut game = home.runs(&flags);
        game.asks("1", "anna: take 1").await;
        game.dies().await;
        let folder = only_game(&home);
        for file in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"] {
            let _ = std::fs::remove_file(folder.join(file));
        }
        if !is_gone {
            std::fs::write(folder.join("journal.sqlite"), vec![7; 40_000]).unwrap();
        }
        let lost = home.resumed(&[]).await;
        lost.fails(11, " is lost: what was recorded of it is gone or damaged");
        assert!(lost.stderr.contains(folder.to_str().unwrap()), "{lost:?}");
        assert!(!lost.stderr.contains("over already") && !lost.stderr.contains("server"), "{lost:?}");
        home.resumed(&[]).await.fails(11, "you have no unfinished game");
        assert!(folder.exists(), "the old file is kept for inspection");
    }
}

#[tokio::test]
async fn a_game_can_be_left_when_recording_fails() {
    for (flags, quits) in [(&[][..], "leave\n"), (&["--json"], "{\"do\":\"quit\"}\n")] {
        let home = Home::new();
        let play = ["play", "java-tech:9", "--two", "--name", "anna"];
        let mut game = home.runs(&[&play[..], flags].concat());
        let is_script = !flags.is_empty();
        game.until(if is_script { "your_turn" } else { "move (" }).await;
        // No event can be written into the journal, as on a full disk.
        let other = rusqlite::Connection::open(only_game(&home).join("journal.sqlite")).unwrap();
        let full = "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END";
        other.execute_batch(full).unwrap();
        game.types(if is_script { "{\"do\":\"play\",\"move\":\"1\"}\n" } else { "1\n" }).await;
        game.until(if is_script { r#""event":"halted""# } else { "The game waits: " }).await;
        game.types(quits).await;
        let ended = game.ended().await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.contains("What was recorded before is kept"), "{ended:?}");
        other.execute_batch("DROP TRIGGER full").unwrap();
        drop(other);
        home.is_back(&[]).await;
    }
}

/// The output of `record` about the local games.
async fn record(home: &Home, arguments: &[&str]) -> Finished {
    home.runs(&[&["record"], arguments].concat()).finish().await
}

#[tokio::test]
async fn a_local_game_has_a_record_during_and_after_it() {
    let home = Home::new();
    assert_eq!(record(&home, &["list"]).await.stdout, "No games.\n");
    let game = begun(&home, "anna").await;
    let listed = record(&home, &["list"]).await;
    let goes_on = "java-tech:9, anna against minimax [bot, perfect]: not finished";
    assert!(listed.code == Some(0) && listed.stdout.contains(goes_on), "{listed:?}");
    let export = record(&home, &["export", "1/1"]).await.stdout;
    assert!(export.starts_with("nim record 1\n") && export.contains("the game goes on"), "{export}");
    game.quits().await;
    let mut second = begun(&home, "ben").await;
    second.asks("resign", "You lost").await;
    second.dies().await;
    let listed = record(&home, &["list"]).await.stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[1].starts_with("2/1") && lines[1].contains("ben against"), "{listed}");
    assert!(lines[2].starts_with("1/1") && lines[2].contains("anna against"), "{listed}");
    assert_eq!(lines.len(), 3);
    let with_anna = record(&home, &["list", "--with", "anna", "--json"]).await.stdout;
    assert!(with_anna.lines().count() == 1 && with_anna.contains(r#""game":"1/1""#), "{with_anna}");
    let code = lines[1].split_whitespace().nth(3).unwrap();
    let file = home.path().join("game.txt").display().to_string();
    for (number, name) in ["2/1", code, &format!("{code}/1")].into_iter().enumerate() {
        let force = if number == 0 { &[][..] } else { &["--force"] };
        let done = record(&home, &[&["export", name, "--to", &file], force].concat()).await;
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{name}");
        let verified = Program::client(&["record", "verify", &file]).finish().await.stdout;
        assert!(verified.contains("2 moves, Second won (First resigned): right"), "{verified}");
    }
    for (name, code) in [("3/1", 5), ("brave-otter", 5), ("what", 2)] {
        let none = record(&home, &["export", name]).await;
        assert!(none.code == Some(code) && none.stderr.contains("nim-client record list"), "{none:?}");
    }
}
