//! The server program and its journal, as the host sees them.

use std::path::Path;

use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Entry, Storage, WallTime};
use nim::wire::ToClient;

use crate::harness::{Claim, Finished, Program, TestClient, server, take};
use crate::storage::crash::opened;
use crate::storage::pruning::closed;

async fn runs(arguments: &[&str]) -> Finished {
    Program::server(arguments).ended().await
}

/// A host with a journal, and two people who have each made a move.
async fn game(data: &Path) -> (Program, [TestClient; 2]) {
    let (host, address) = Program::listening_server(&["--data", data.to_str().unwrap()]).await;
    let mut anna = TestClient::at(address, "anna").await;
    let mut ben = TestClient::at(address, "ben").await;
    ben.join(anna.create("java-tech:21").await).await;
    anna.until_playing().await;
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    (host, [anna, ben])
}

#[tokio::test]
async fn a_journal_is_checked_and_copied_while_games_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (data, copies) = (folder.path().join("data"), folder.path().join("copies"));
    let (_host, people) = game(&data).await;
    let data = data.to_str().unwrap();
    let checked = runs(&["check", "--data", data]).await;
    let sound = "sound: 1 lobby, 1 of them open, and 4 events\n";
    assert_eq!((checked.code, checked.stdout.as_str()), (Some(0), sound));
    std::fs::create_dir(&copies).unwrap();
    let copy = copies.join("journal.sqlite");
    let written = runs(&["backup", copy.to_str().unwrap(), "--data", data]).await;
    assert_eq!(written.code, Some(0), "{written:?}");
    let again = runs(&["backup", copy.to_str().unwrap(), "--data", data]).await;
    again.fails(1, "is there already");
    let checked = runs(&["check", "--data", copies.to_str().unwrap()]).await;
    assert_eq!(checked.code, Some(0), "the copy is sound: {checked:?}");
    let (mut other, address) = Program::listening_server(&["--data", copies.to_str().unwrap()]).await;
    let mut back = TestClient::at(address, "anna").await;
    back.ask_hall(Claim { seen: 0, ..people[0].claim() }.request()).await;
    back.until(|message| matches!(message, ToClient::Entered { .. }).then_some(())).await;
    other.dies().await;
    // When the last connection closes, only one file is left.
    rusqlite::Connection::open(&copy).unwrap().execute_batch("SELECT 1 FROM events").unwrap();
    let mut bytes = std::fs::read(&copy).unwrap();
    let frame = bytes.windows(4).rposition(|part| part == b"anna").unwrap();
    bytes[frame] ^= 1;
    std::fs::write(&copy, bytes).unwrap();
    let checked = runs(&["check", "--data", copies.to_str().unwrap()]).await;
    assert_eq!(checked.code, Some(3), "{checked:?}");
    let (rest, copies) = (folder.path().join("rest"), copies.to_str().unwrap());
    let written = runs(&["backup", rest.to_str().unwrap(), "--data", copies]).await;
    assert_eq!(written.code, Some(3), "{written:?}");
    let said = "does not fit its checksum\nThe rest of the journal is copied to ";
    assert!(written.stdout.contains(said), "{written:?}");
}

#[tokio::test]
async fn an_unusable_data_folder_is_reported_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (host, _people) = game(&data).await;
    drop(host);
    let data = data.to_str().unwrap();
    let nowhere = folder.path().join("copies").join("copy");
    let no_folder = format!("there is no folder {}: make it", folder.path().join("copies").display());
    let host = |flags: &[&'static str]| [&["--bind", "127.0.0.1:0"], flags].concat();
    for (arguments, code, words) in [
        (vec!["backup", nowhere.to_str().unwrap(), "--data", data], 1, no_folder.as_str()),
        (vec!["backup", "-", "--data", data], 1, "name a file"),
        (host(&["--memory", "--durability", "power"]), 2, "'--memory' cannot be used with '--durability"),
        (host(&["--memory", "--history-days", "9"]), 2, "'--memory' cannot be used with '--history-days"),
        #[cfg(target_os = "linux")]
        (host(&["--data", "/proc/games"]), 1, "the folder /proc/games cannot be created there"),
    ] {
        runs(&arguments).await.fails(code, words);
    }
}

#[tokio::test]
async fn a_second_host_of_one_folder_is_told_who_uses_it_and_the_next_start_lists_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let (mut host, _people) = game(folder.path()).await;
    let second = runs(&["--bind", "127.0.0.1:0", "--data", folder.path().to_str().unwrap()]).await;
    second.fails(1, "process");
    host.dies().await;
    let mut again = Program::server(&["--bind", "127.0.0.1:0", "--data", folder.path().to_str().unwrap()]);
    again.until("All games are recorded in ").await;
    again.until("1 lobby goes on where it was.").await;
    let mut memory = Program::server(&["--bind", "127.0.0.1:0"]);
    memory.until("Nothing is recorded (--memory)").await;
}

#[tokio::test]
async fn a_host_prints_the_full_path_of_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = server(&["--bind", "127.0.0.1:0", "--data", "games"]);
    let mut host = Program::spawn(command.current_dir(folder.path()));
    let place = folder.path().canonicalize().unwrap().join("games");
    host.until(&format!("All games are recorded in {}.", place.display())).await;
}

#[tokio::test]
async fn the_log_shows_the_requested_name_and_the_name_in_the_seat() {
    let folder = tempfile::tempdir().unwrap();
    let (mut host, address) = Program::listening_server(&["--data", folder.path().to_str().unwrap()]).await;
    let mut anna = TestClient::at(address, "anna").await;
    anna.create("java-tech:21").await;
    host.until_error("welcome name=anna").await;
    let claim = Claim { seen: 0, ..anna.claim() };
    drop(anna);
    let mut back = TestClient::at(address, "anna").await;
    host.until_error("welcome: the name is in use or kept for a seat name=anna called=anna-2").await;
    back.tries(claim.request()).await.unwrap();
    host.until_error("back name=anna you=First").await;
}

/// Ben moves, then anna; both receive both moves.
#[cfg(unix)]
async fn play_on([anna, ben]: &mut [TestClient; 2]) {
    let mv = take(1);
    let turn = anna.lobby().turn();
    ben.play(mv).await;
    anna.until_turn(turn + 1).await;
    anna.play(mv).await;
    ben.until_turn(turn + 2).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_host_that_cannot_record_is_told_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (mut host, mut people) = game(folder.path()).await;
    play_on(&mut people).await;
    host.dies().await;
    drop(people);
    // A shell can limit the size of files, and ignore the signal for larger writes.
    let limited = r#"trap '' XFSZ; ulimit -f 65; exec "$0" "$@""#;
    let data = folder.path().to_str().unwrap();
    let mut shell = tokio::process::Command::new("sh");
    shell.args(["-c", limited, env!("CARGO_BIN_EXE_nim-server"), "--bind", "127.0.0.1:0", "--data", data]);
    shell.env("NIM_NO_ANNOUNCE", "true");
    let mut again = Program::spawn(&mut shell);
    let said = again.until("Nothing can be recorded now: ").await;
    assert!(said.contains(data) && said.ends_with("Until then no game begins or goes on."), "{said}");
    again.until("1 lobby goes on where it was.").await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_start_with_a_clock_years_ahead_removes_a_tenth_of_the_games_and_asks_about_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = opened(folder.path(), Durability::Process);
    for lobby in 1..=40 {
        let long_ago = closed(lobby, 1, 1).into_iter().map(|entry| Entry { wall: WallTime(lobby), ..entry });
        journal.record(&long_ago.collect::<Vec<_>>()).unwrap();
    }
    drop(journal);
    let flags = ["--data", folder.path().to_str().unwrap(), "--history-days", "365"];
    for left in [36, 32] {
        let (mut host, _) = Program::listening_server(&flags).await;
        let told = host.until_error("closed lobbies were removed").await;
        assert!(told.contains("lobbies=4 games_by_age=4 games_by_size=0"), "{told}");
        host.until_error("more games are too old than a tenth of all").await;
        host.signal("TERM").await;
        host.ended().await;
        let journal = rusqlite::Connection::open(folder.path().join("journal.sqlite")).unwrap();
        let count: u32 = journal.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).unwrap();
        assert_eq!(count, left);
    }
}
