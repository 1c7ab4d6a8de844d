//! HTTP on the game's port.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::http::StatusCode;

use super::browser::open;
use crate::harness::{Program, TestClient, TestServer, within};

/// The answer to these bytes.
async fn answer(server: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(server).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    within("an answer", stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8(answer).unwrap()
}

pub(super) async fn get(server: SocketAddr, path: &str) -> String {
    answer(server, &format!("GET {path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n\r\n")).await
}

#[tokio::test]
async fn the_games_port_has_the_page_its_script_and_its_style_with_safe_headers() {
    let server = TestServer::with_web(|_| {});
    let page = get(server.address(), "/").await;
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(page.contains(&format!("data-version=\"{}\"", nim::web::page_version())), "{page}");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'",
        "referrer-policy: no-referrer",
        "x-content-type-options: nosniff",
    ] {
        assert!(page.contains(header), "{header} is not in {page}");
    }
    let head = page.split("\r\n\r\n").next().unwrap();
    assert!(!head.contains("cookie") && page.contains("frame-ancestors 'none'"), "{head}");
    for (path, kind) in [("/assets/script.js", "text/javascript"), ("/assets/style.css", "text/css")] {
        let asset = get(server.address(), path).await;
        assert!(asset.contains(&format!("content-type: {kind}")), "{asset}");
    }
}

#[tokio::test]
async fn nothing_on_the_page_comes_from_elsewhere_and_no_code_is_inline() {
    let server = TestServer::with_web(|_| {});
    for path in ["/", "/assets/script.js", "/assets/style.css"] {
        let text = get(server.address(), path).await;
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(!body.contains("//cdn") && !body.contains("https://"), "{path}");
        assert!(!body.contains("onclick=") && !body.contains(" style=\""), "{path}");
    }
}

#[tokio::test]
async fn the_style_asks_for_nothing_that_phones_of_recent_years_lack() {
    let server = TestServer::with_web(|_| {});
    let style = get(server.address(), "/assets/style.css").await;
    assert!(!style.contains("light-dark("), "a browser without it shows no colours");
    assert!(style.contains("@media (prefers-color-scheme: dark)"));
}

#[tokio::test]
async fn a_page_is_found_by_a_code_and_no_other_path_leads_anywhere() {
    let server = TestServer::with_web(|_| {});
    let code = server.client("anna").await.create("java-tech:21").await;
    for path in
        [format!("/{code}").as_str(), "/wall", "/study", "/study/java-tech:4", "/records", "/records/17/2"]
    {
        assert!(get(server.address(), path).await.starts_with("HTTP/1.1 200"), "{path}");
    }
    for path in
        ["/brave-otter", "/nowhere", "/a/b/c", "/..%2fetc", "/assets/other", "/records/x/1", "/study/chess"]
    {
        assert!(get(server.address(), path).await.starts_with("HTTP/1.1 404"), "{path}");
    }
    let server = server.address();
    let post = format!("POST / HTTP/1.1\r\nHost: {server}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    assert!(answer(server, &post).await.starts_with("HTTP/1.1 405"));
}

#[tokio::test]
async fn a_path_with_a_slash_at_its_end_leads_to_the_page_and_never_to_another_host() {
    let server = TestServer::with_web(|_| {});
    let code = server.client("anna").await.create("java-tech:21").await;
    for (path, to) in [
        (format!("/{code}/?watch"), format!("/{code}?watch")),
        ("/wall/".to_owned(), "/wall".to_owned()),
        ("/study//".to_owned(), "/study".to_owned()),
        ("/study/java-tech:4/".to_owned(), "/study/java-tech:4".to_owned()),
        ("/records/17/2/".to_owned(), "/records/17/2".to_owned()),
    ] {
        let told = get(server.address(), &path).await;
        assert!(told.starts_with("HTTP/1.1 308"), "{path}: {told}");
        assert!(told.contains(&format!("\r\nlocation: {to}\r\n")), "{path}: {told}");
    }
    for path in ["//evil.example/", "/\\evil.example/", "//", "///"] {
        let told = get(server.address(), path).await;
        assert!(told.starts_with("HTTP/1.1 404"), "{path}: {told}");
    }
}

#[tokio::test]
async fn a_path_that_is_no_text_has_a_page_that_says_so() {
    let server = TestServer::with_web(|_| {});
    for path in ["/%ff", "/study/%ff", "/records/%ff/%fe"] {
        let told = get(server.address(), path).await;
        assert!(told.starts_with("HTTP/1.1 404") && told.contains("There is no such page"), "{path}: {told}");
    }
}

#[tokio::test]
async fn who_opens_the_api_as_a_page_is_told_what_it_is() {
    let server = TestServer::with_web(|_| {});
    let told = get(server.address(), "/api").await;
    assert!(told.starts_with("HTTP/1.1 426") && told.contains("proto/JSON.md"), "{told}");
}

#[tokio::test]
async fn after_too_many_guesses_the_page_of_no_lobby_says_whether_it_is_there() {
    let server = TestServer::with_web(|config| config.max_guesses = 2);
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(get(server.address(), "/brave-otter").await[9..12].to_owned());
    }
    assert_eq!(answers, ["404", "404", "200", "200"]);
}

#[tokio::test]
async fn only_the_hosts_own_names_are_answered() {
    let host = TestServer::with_web(|_| {});
    let server = host.address();
    let request = "GET /api HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert!(answer(server, request).await.starts_with("HTTP/1.1 421"));
    for (host, status) in [("annas-laptop:7646", 200), ("[::1]:7646", 200), ("evil.example", 421)] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let told = answer(server, &request).await;
        assert!(told.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {told}");
    }
    for twice in [
        format!("{server}\r\nHost: {server}"),
        format!("evil.example\r\nHost: {server}"),
        "localhost:evil".into(),
    ] {
        let told =
            answer(server, &format!("GET / HTTP/1.1\r\nHost: {twice}\r\nConnection: close\r\n\r\n")).await;
        assert!(told.starts_with("HTTP/1.1 421"), "{twice}: {told}");
    }
    let nameless = answer(server, "GET / HTTP/1.0\r\n\r\n").await;
    assert!(nameless.starts_with("HTTP/1.0 421"), "{nameless}");
}

#[tokio::test]
async fn pages_of_other_sites_open_no_socket() {
    let host = TestServer::with_web(|_| {});
    let server = host.address();
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(open(server, origin).await.err(), Some(StatusCode::FORBIDDEN), "{origin}");
    }
    assert!(open(server, &format!("http://{server}")).await.is_ok());
}

#[tokio::test]
async fn a_browser_with_https_is_refused_at_once() {
    let host = TestServer::with_web(|_| {});
    let server = host.address();
    let mut stream = TcpStream::connect(server).await.unwrap();
    stream.write_all(&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]).await.unwrap();
    let mut answer = Vec::new();
    within("the end", stream.read_to_end(&mut answer)).await.unwrap();
    assert!(answer.is_empty());
}

#[tokio::test]
async fn a_request_that_is_too_large_or_no_http_is_refused() {
    let host = TestServer::with_web(|_| {});
    let server = host.address();
    let long = format!("GET / HTTP/1.1\r\nHost: {server}\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let mut stream = TcpStream::connect(server).await.unwrap();
    // It may be refused before all of it is written.
    let _ = stream.write_all(long.as_bytes()).await;
    let mut answered = Vec::new();
    let _ = within("the end", stream.read_to_end(&mut answered)).await;
    let answered = String::from_utf8_lossy(&answered).into_owned();
    assert!(answered.is_empty() || answered.starts_with("HTTP/1.1 431"), "{answered}");
    assert!(answer(server, "GET nonsense\r\n\r\n").await.starts_with("HTTP/1.1 400"));
}

#[tokio::test]
async fn where_there_is_no_web_site_a_browser_is_told_how_to_play() {
    let (_host, server) = Program::listening_server(&["--no-web"]).await;
    let told = get(server, "/").await;
    assert!(told.starts_with("HTTP/1.1 400") && told.contains("nim-client connect"), "{told}");
}

#[tokio::test]
async fn connections_of_browsers_count_as_those_of_their_address() {
    let host = TestServer::with_web(|config| config.max_connections_each = 2);
    let server = host.address();
    let _anna = TestClient::at(server, "anna").await;
    let mut kept = TcpStream::connect(server).await.unwrap();
    kept.write_all(format!("GET / HTTP/1.1\r\nHost: {server}\r\n\r\n").as_bytes()).await.unwrap();
    let mut start = [0; 15];
    within("the page", kept.read_exact(&mut start)).await.unwrap();
    let refused = get(server, "/").await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(refused.contains("your address has as many connections as the server allows, 2"), "{refused}");
    assert!(refused.contains("Close pages that nobody needs, and load this page again."), "{refused}");
}
