//! `nim-server admin` and `nim-server status`, as a host types them.

use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;

use nim::wire::Farewell;

use crate::harness::{Finished, Program, TestClient, first_move, play_out, server};

/// A host with this data folder, and its address.
pub(super) async fn host(data: &Path) -> (Program, std::net::SocketAddr) {
    Program::listening_server(&["--data", data.to_str().unwrap()]).await
}

/// The result of a command about the server with this data folder.
pub(super) async fn typed(data: &Path, words: &[&str]) -> Finished {
    Program::server(&[words, &["--data", data.to_str().unwrap()]].concat()).ended().await
}

/// The lines that it prints.
pub(super) async fn printed(data: &Path, words: &[&str]) -> Vec<String> {
    let finished = typed(data, words).await;
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.stdout.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn status_reports_one_fact_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, address) = host(folder.path()).await;
    let mut anna = TestClient::at(address, "anna").await;
    let mut ben = TestClient::at(address, "ben").await;
    ben.join(anna.create("java-tech:21").await).await;
    play_out(&mut anna, &mut ben, first_move).await;
    let moves = format!("moves made: {}", anna.lobby().turn() - 1);
    let lines = printed(folder.path(), &["status"]).await;
    assert!(lines[0].starts_with("nim-server ") && lines[0].contains(", running for "), "{lines:?}");
    for line in [
        "recording: ok",
        "connections: 2 from 1 address",
        "lobbies: 1",
        "games being played: 0",
        "computations of bots and hints: 0 running, 0 waiting",
        &moves,
        "games that are over: 1",
        "  java-tech, won, rules: 1",
        "changes that wait to be recorded: 0",
    ] {
        assert!(lines.iter().any(|known| known == line), "{line:?} is not in {lines:#?}");
    }
    for line in &lines {
        assert!(!line.contains("note") && !line.contains("batch"), "a word of the code: {line}");
    }
}

#[tokio::test]
async fn a_port_without_memory_asks_no_other_server() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, _) = host(folder.path()).await;
    for words in [&["status", "--port", "7646"][..], &["admin", "--port", "7646", "drain"]] {
        typed(folder.path(), words)
            .await
            .fails(1, "--port is for a server with --memory; name one that keeps");
    }
}

#[tokio::test]
async fn who_and_kick_work_for_the_host_of_the_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, address) = host(folder.path()).await;
    let mut anna = TestClient::at(address, "anna").await;
    let code = anna.create("java-tech:21").await;
    let lines = printed(folder.path(), &["admin", "who"]).await;
    assert_eq!(lines[0], "1 connection from 1 address, 1 lobby");
    assert!(lines[2].starts_with("127.0.0.1: 1 connection; "), "{lines:?}");
    assert!(lines[3].starts_with(&format!("       1  anna, plays in {code}, idle for ")), "{lines:?}");
    let lobby = format!("{code}  java-tech:21, waiting: anna; opened from 127.0.0.1");
    assert_eq!(lines.last(), Some(&lobby));
    let said = printed(folder.path(), &["admin", "kick", "1"]).await;
    assert_eq!(said, ["closed connection 1 (anna at 127.0.0.1)."]);
    assert_eq!(anna.wire().farewell().await, Farewell::ClosedByHost);
    typed(folder.path(), &["admin", "kick", "1"])
        .await
        .fails(1, "there is no connection 1: see nim-server admin who");
    typed(folder.path(), &["admin", "kick", "anna"]).await.fails(2, "neither the number of a connection");
}

#[tokio::test]
async fn only_the_hosts_user_may_use_the_socket_and_it_goes_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let (host, _) = host(folder.path()).await;
    let socket = folder.path().join("admin.sock");
    let mode = std::fs::metadata(&socket).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    host.signal("TERM").await;
    assert_eq!(host.ended().await.code, Some(0));
    assert!(!socket.exists());
    let folders: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(folders.iter().all(|path| path.is_file()), "nothing else is left: {folders:?}");
    let none = typed(folder.path(), &["status"]).await;
    none.fails(1, &format!("no server runs with the data folder {}; start one", folder.path().display()));
}

#[tokio::test]
async fn a_socket_that_a_killed_server_left_is_replaced_and_that_of_a_running_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (mut first, _) = host(folder.path()).await;
    let socket = folder.path().join("admin.sock");
    first.dies().await;
    assert!(std::fs::metadata(&socket).unwrap().file_type().is_socket(), "it is left");
    typed(folder.path(), &["admin", "who"]).await.fails(1, "no server runs with the data folder");
    let (_second, _) = host(folder.path()).await;
    let process = printed(folder.path(), &["status"]).await.remove(0);
    let third = typed(folder.path(), &["--bind", "127.0.0.1:0"]).await;
    assert_eq!(third.code, Some(1), "{third:?}");
    let same = printed(folder.path(), &["status"]).await.remove(0);
    let number = |line: &str| line.split(", ").nth(1).unwrap().to_owned();
    assert_eq!(number(&same), number(&process));
}

#[tokio::test]
async fn a_server_without_a_data_folder_has_its_socket_in_the_users_runtime_folder() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["--bind", "127.0.0.1:0", "--memory"];
    let mut host = Program::spawn(server(&flags).env("XDG_RUNTIME_DIR", folder.path()));
    let port = host.listens().await.port().to_string();
    assert!(folder.path().join(format!("nim-server-{port}.sock")).exists());
    let ask = ["status", "--memory", "--port", &port];
    let told = Program::spawn(server(&ask).env("XDG_RUNTIME_DIR", folder.path())).ended().await;
    assert!(told.stdout.contains("recording: off: all games are lost"), "{told:?}");
    let mut without = Program::server(&flags);
    without.until_error("nim-server admin and status do not work: a server without a data folder").await;
    without.listens().await;
    Program::server(&ask).ended().await.fails(1, "XDG_RUNTIME_DIR, and there is none");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_socket_of_a_running_server_is_not_replaced_by_one_with_the_same_port_at_another_address() {
    let folder = tempfile::tempdir().unwrap();
    let host = |address: &str| {
        Program::spawn(server(&["--bind", address, "--memory"]).env("XDG_RUNTIME_DIR", folder.path()))
    };
    let mut first = host("127.0.0.1:0");
    let port = first.listens().await.port().to_string();
    let ask = || async {
        let ask = ["status", "--memory", "--port", &port];
        let told = Program::spawn(server(&ask).env("XDG_RUNTIME_DIR", folder.path())).ended().await;
        told.stdout.split(", ").nth(1).unwrap().to_owned()
    };
    let process = ask().await;
    let mut second = host(&format!("127.0.0.2:{port}"));
    second.until_error("another server answers there").await;
    second.listens().await;
    assert_eq!(ask().await, process);
}

#[tokio::test]
async fn a_server_whose_data_folder_has_too_long_a_path_for_a_socket_serves_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("x".repeat(120));
    let mut host = Program::server(&["--bind", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    host.until_error("its path is longer than the 107 bytes of a local socket").await;
    let address = host.listens().await;
    TestClient::at(address, "anna").await;
}

#[tokio::test]
async fn nothing_that_a_program_at_the_socket_says_controls_the_terminal() {
    use std::io::{BufRead, BufReader, Write};
    let folder = tempfile::tempdir().unwrap();
    let pretender = UnixListener::bind(folder.path().join("admin.sock")).unwrap();
    let answers = std::thread::spawn(move || {
        let (mut stream, _) = pretender.accept().unwrap();
        BufReader::new(&stream).read_line(&mut String::new()).unwrap();
        stream.write_all(b"{\"done\":\"\\u001b[2J\\u202e\\nbye\"}\n").unwrap();
    });
    let told = typed(folder.path(), &["admin", "kick", "1"]).await;
    answers.join().unwrap();
    assert_eq!(told.stdout, "\u{fffd}[2J\u{fffd}\u{fffd}bye.\n");
}
