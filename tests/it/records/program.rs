//! `nim-client record` with a server: what it lists, writes and refuses, and which tickets it sends to which
//! server.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use nim::record::Record;

use crate::harness::{Finished, Home, Program, TestClient, nobody};

/// A host, and a person with a folder of tickets.
struct Person {
    home: Home,
    _host: Program,
    address: SocketAddr,
}

impl Person {
    async fn new() -> Self {
        let home = Home::new();
        let data = home.path().join("data").to_str().unwrap().to_owned();
        let (host, address) = Program::listening_server(&["--data", &data, "--bot-pace", "0"]).await;
        Self { home, _host: host, address }
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).to_str().unwrap().to_owned()
    }

    /// The result of the program for this person.
    async fn record(&self, arguments: &[&str]) -> Finished {
        record(&self.home, arguments).await
    }

    /// Plays against the bot and leaves, with the real program.
    async fn plays(&self, terms: &[&str]) {
        let address = self.address.to_string();
        let opens = ["connect", &address, "--name", "anna", "--new", "take:3:1", "--bot"];
        let mut program = self.home.runs(&[&opens, terms].concat());
        program.types("1\n1\n").await;
        program.quits().await;
    }
}

async fn record(home: &Home, arguments: &[&str]) -> Finished {
    home.runs(&[&["record"], arguments].concat()).finish().await
}

#[tokio::test]
async fn a_player_can_read_their_games_after_leaving_and_others_cannot() {
    let anna = Person::new().await;
    anna.plays(&["--private"]).await;
    anna.plays(&[]).await;
    let server = anna.address.to_string();
    let listed = anna.record(&["list", "--server", &server]).await;
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert!(lines.len() == 3 && lines[1].starts_with("2/1 ") && lines[2].starts_with("1/1 "), "{lines:?}");
    assert!(
        lines[2].ends_with("take:3:1:normal, anna against minimax [bot, perfect]: anna won"),
        "{lines:?}"
    );
    for (arguments, names) in [
        (&["--mine", "--game", "take:3:1", "--with", "Anna", "--since", "1h"][..], &["2/1", "1/1"][..]),
        (&["--since", "2999-01-01"], &[]),
        (&["--game", "java-tech"], &[]),
        (&["--with", "ben"], &[]),
        (&["--most", "1"], &["2/1"]),
    ] {
        let listed =
            anna.record(&[&["list", "--server", &server, "--json"], arguments].concat()).await.stdout;
        let games = listed.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        assert_eq!(games.map(|game| game["game"].clone()).collect::<Vec<_>>(), names, "{arguments:?}");
    }
    let most = anna.record(&["list", "--server", &server, "--most", "1"]).await.stdout;
    assert!(most.ends_with("There are others: --most 10 lists more.\n"), "{most}");

    let stranger = Home::new();
    let seen = record(&stranger, &["list", "--server", &server]).await.stdout;
    assert!(seen.contains("2/1") && !seen.contains("1/1"), "{seen}");
    for name in ["1/1", "77/1", "brave-otter/3", "brave-otter"] {
        let refused = record(&stranger, &["show", "--server", &server, name]).await;
        let words = "nim-client: no record of a game with this name is open to you\nnim-client record list shows the games.\n";
        assert_eq!((refused.code, refused.stderr.as_str()), (Some(5), words), "{name}");
    }
    // Another address may be another machine: it gets no ticket.
    let alias = format!("localhost:{}", anna.address.port());
    let seen = anna.record(&["list", "--server", &alias, "--mine"]).await.stdout;
    assert_eq!(seen, "No games.\n");
}

#[tokio::test]
async fn a_record_is_written_once_and_read_from_the_server_as_from_the_file() {
    let anna = Person::new().await;
    anna.plays(&["--private"]).await;
    let (server, file) = (anna.address.to_string(), anna.path("game.txt"));
    let export = ["export", "--server", &server, "1/1", "--to", &file];
    let done = anna.record(&export).await;
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(0), "", ""));
    let text = fs::read_to_string(&file).unwrap();
    let code = Record::read(text.as_bytes()).unwrap().code().to_string();
    fs::write(&file, "mine").unwrap();
    let words = "is there already: choose another name, or overwrite it with --force\n";
    anna.record(&export).await.fails(1, words);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(anna.record(&[&export[..], &["--force"]].concat()).await.code, Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    for name in [&code, &format!("{code}/1"), "1/1"] {
        assert_eq!(anna.record(&["export", "--server", &server, name]).await.stdout, text, "{name}");
        let verified = anna.record(&["verify", "--server", &server, name]).await.stdout;
        assert!(verified.starts_with(&format!("{name}: 3 moves, First won (")), "{verified}");
    }
    let half = anna.record(&["export", "--server", &server, "1"]).await;
    assert_eq!((half.code, half.stdout.as_str()), (Some(2), ""));
    assert!(half.stderr.ends_with("1 alone names no game: write one of 1/1\n"), "{}", half.stderr);
    let several = anna.record(&["verify", "--server", &server, "99/1", "x/y", "nope-nope", "1/1"]).await;
    let wrong: Vec<&str> = several.stderr.lines().filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!(wrong, ["99/1", "x/y", "nope-nope"], "{several:?}");
    assert!(several.stdout.starts_with("1/1: 3 moves, First won ("), "{several:?}");
    for command in ["show", "replay"] {
        let there = anna.record(&[command, "--server", &server, "1/1"]).await;
        assert_eq!(there.code, Some(0));
        assert_eq!(there.stdout, anna.record(&[command, &file]).await.stdout);
    }
    // The list of files equals the server's, except for the names.
    let listed = anna.record(&["list", &file, "--with", "ANNA", "--game", "take"]).await.stdout;
    assert!(listed.lines().nth(1).unwrap().starts_with(&format!("{file}  20")), "{listed}");
    assert!(listed.ends_with("anna against minimax [bot, perfect]: anna won\n"), "{listed}");
    assert_eq!(anna.record(&["list", &file, "--game", "nim"]).await.stdout, "No games.\n");
    let missing = anna.record(&["list", &file, "nowhere.txt"]).await;
    assert!(missing.code == Some(1) && missing.stdout == listed, "{}", missing.stderr);
}

/// The files in this folder.
#[cfg(unix)]
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[cfg(unix)]
#[tokio::test]
async fn a_failed_export_leaves_no_partial_file_and_keeps_the_old_one() {
    use std::os::unix::fs::PermissionsExt;
    let anna = Person::new().await;
    anna.plays(&[]).await;
    let (server, folder) = (anna.address.to_string(), anna.home.path().join("records"));
    fs::create_dir(&folder).unwrap();
    let (file, link) = (folder.join("game.txt"), anna.path("link.txt"));
    let file_name = file.to_str().unwrap();
    let export = ["record", "export", "--server", &server, "1/1", "--to", file_name];
    // A shell can limit the size of files, so that a larger write fails without killing the program.
    let limited = |flags: &[&str]| {
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
        let mut shell = tokio::process::Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_nim-client")]).args(export).args(flags);
        Program::spawn(shell.env("NIM_STATE", anna.home.path())).finish()
    };
    for _ in 0..2 {
        limited(&[]).await.fails(1, &format!("cannot write {file_name}: "));
        assert_eq!(files(&folder), Vec::<String>::new());
    }
    let whole = || anna.record(&export[1..]);
    assert_eq!(whole().await.code, Some(0));
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.clone() + "of old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(limited(&["--force"]).await.code, Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), text.clone() + "of old");
    assert_eq!(files(&folder), ["game.txt"]);
    // A symlink stays one, and its target keeps its permissions.
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let done = anna.record(&["export", "--server", &server, "1/1", "--to", &link, "--force"]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[tokio::test]
async fn an_exported_record_has_default_permissions_and_can_go_to_a_device() {
    use std::os::unix::fs::PermissionsExt;
    let anna = Person::new().await;
    anna.plays(&[]).await;
    let (server, file, new) = (anna.address.to_string(), anna.path("game.txt"), anna.path("new.txt"));
    fs::write(&new, "").unwrap();
    assert_eq!(anna.record(&["export", "--server", &server, "1/1", "--to", &file]).await.code, Some(0));
    let rights = |file: &str| fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(rights(&file), rights(&new));
    let shown = ["export", "--server", &server, "1/1", "--to", "/dev/stdout", "--force"];
    assert_eq!(anna.record(&shown).await.stdout, fs::read_to_string(&file).unwrap());
}

#[tokio::test]
async fn a_saved_seat_opens_its_unfinished_game() {
    let anna = Person::new().await;
    let server = anna.address.to_string();
    let arguments =
        ["connect", &server, "--name", "anna", "--new", "java-tech", "--private", "--people-only"];
    let mut program = anna.home.runs(&arguments);
    let code = program.code().await;
    let mut ben = TestClient::at(anna.address, "ben").await;
    ben.join(code.parse().unwrap()).await;
    ben.until_playing().await;
    program.until("Your move").await;
    program.dies().await;
    let shown = anna.record(&["show", "--server", &server, &code, "--at", "0"]).await;
    assert!(shown.code == Some(0) && shown.stdout.ends_with("anna moves next.\n"), "{shown:?}");
    let listed = anna.record(&["list", "--server", &server]).await.stdout;
    assert!(listed.ends_with("java-tech:21, anna against ben: not finished\n"), "{listed}");
}

#[tokio::test]
async fn each_error_has_its_own_exit_code() {
    let (_socket, address) = nobody();
    let (anna, nowhere) = (Person::new().await, address.to_string());
    let server = anna.address.to_string();
    for (arguments, code, words) in [
        (&["list", "--server", &server, "a.txt"][..], 2, "cannot be used with"),
        (&["list", "--server", &server, "--game", "chess"], 2, "no game has this name"),
        (&["list", "--server", &server, "--since", "soon"], 2, "write a date as in 2026-11-01"),
        (&["list", "--since", "2026-02-30"], 2, "there is no such day"),
        (&["list", "--mine"], 2, "--server"),
        (&["list", "--most", "0"], 2, "0 is not in 1.."),
        (&["show", "1/1"], 1, "for a game on a server add --server HOST"),
        (&["verify", "brave-otter"], 1, "for a game on a server add --server HOST"),
        (&["export", "1/1"], 5, "nim-client record list shows the games"),
        (&["export", "what"], 2, "as in brave-otter or brave-otter/1: nim-client record list shows them"),
        (&["show", "--server", &server, "17"], 2, "as in 17/2, or its lobby's code, as in brave-otter"),
        (&["list", "--server", &nowhere], 3, "no server answers at"),
        (&["export", "--server", &server, "1/1"], 5, "no record of a game with this name is open to you"),
        (&["export", "--server", &server, "1/1", "--to", "/nowhere/at/all"], 5, "no record"),
    ] {
        let done = anna.record(arguments).await;
        assert_eq!((done.code, done.stdout.as_str()), (Some(code), ""), "{arguments:?}");
        assert!(done.stderr.contains(words), "{arguments:?}: {}", done.stderr);
    }
    let (_host, address) = Program::listening_server(&["--memory"]).await;
    TestClient::at(address, "anna").await.create("take:3:1").await;
    let done = anna.record(&["list", "--server", &address.to_string()]).await;
    assert_eq!((done.code, done.stderr.as_str()), (Some(9), "nim-client: this server keeps no records\n"));
}
