//! The page of a host's metrics.

#[cfg(target_os = "linux")]
use std::io::ErrorKind::WouldBlock;
use std::net::SocketAddr;

use nim::wire::LobbyRequest;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{Program, TestClient, first_move, play_out, within};

/// A host with metrics, its address, and the address of the metrics.
async fn host(flags: &[&str]) -> (Program, SocketAddr, String) {
    let flags = [&["--metrics", "127.0.0.1:0"], flags].concat();
    let (mut host, address) = Program::listening_server(&flags).await;
    let line = host.until("Metrics are served at http://").await;
    let metrics = line.split("http://").nth(1).and_then(|rest| rest.strip_suffix("/metrics.")).unwrap();
    (host, address, metrics.to_owned())
}

/// The page's answer to these bytes.
async fn answer(metrics: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(metrics).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A connection without a request may be reset.
    let _ = within("the page", stream.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

async fn page(metrics: &str) -> String {
    answer(metrics, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n").await
}

#[tokio::test]
async fn the_metrics_count_what_happens_on_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, address, metrics) = host(&["--data", folder.path().to_str().unwrap()]).await;
    let mut anna = TestClient::at(address, "anna").await;
    let mut ben = TestClient::at(address, "ben").await;
    ben.join(anna.create("java-tech:21").await).await;
    play_out(&mut anna, &mut ben, first_move).await;
    anna.refused(LobbyRequest::Resign).await;
    let moves = anna.lobby().turn() - 1;

    let told = page(&metrics).await;
    assert!(told.starts_with("HTTP/1.1 200 OK\r\n"), "{told}");
    for line in [
        &format!("nim_moves_total {moves}"),
        "nim_games_total{game=\"java-tech\",result=\"won\",cause=\"rules\"} 1",
        "nim_refusals_total{reason=\"no_game\"} 1",
        "nim_connections 2",
        "nim_lobbies 1",
        "nim_journal_halted 0",
        "# EOF",
    ] {
        assert!(told.lines().any(|known| known == line), "{line} is not in\n{told}");
    }
    assert!(!told.contains("anna") && !told.contains("ben"), "{told}");
}

#[tokio::test]
async fn the_metrics_page_is_read_only() {
    let (_host, _, metrics) = host(&["--memory"]).await;
    for (request, begins) in [
        ("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 405 "),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 404 "),
        ("HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 "),
        ("\u{16}\u{3}\u{1}", ""),
        ("nonsense\r\n\r\n", "HTTP/1.1 400 "),
    ] {
        // An incomplete request has a deadline of a few seconds.
        let told = answer(&metrics, request).await;
        assert!(told.starts_with(begins), "{request}: {told}");
    }
    assert!(page(&metrics).await.contains("nim_connections 0\n"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn unfinished_requests_do_not_block_the_metrics_for_other_addresses() {
    let (_host, _, metrics) = host(&["--memory"]).await;
    let mut silent = Vec::new();
    for number in 0..40_u8 {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 2 + number / 20], 0).into()).unwrap();
        let mut stream = socket.connect(metrics.parse().unwrap()).await.unwrap();
        // It may be closed already.
        let _ = stream.write_all(b"GET /metrics HT").await;
        silent.push(stream);
    }
    assert!(page(&metrics).await.contains("nim_connections 0\n"));
    // If the page waited for their deadlines, all of them would be closed by now.
    let is_open =
        |stream: &TcpStream| stream.try_read(&mut [0]).is_err_and(|error| error.kind() == WouldBlock);
    assert!(silent.iter().any(is_open));
    assert_eq!(within("the first one to go", silent[0].read(&mut [0])).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_port_for_metrics_that_is_in_use_is_named_with_its_flag() {
    let (_host, _, metrics) = host(&["--memory"]).await;
    let taken = Program::server(&["--bind", "127.0.0.1:0", "--metrics", &metrics, "--memory"]).ended().await;
    assert_eq!(taken.code, Some(1));
    assert!(taken.stderr.contains("is in use") && taken.stderr.contains("--metrics"), "{}", taken.stderr);
    let wrong = Program::server(&["--metrics", "somewhere", "--memory"]).ended().await;
    wrong.fails(2, "write a port of this machine as in 7647");
}
