//! How people come to the page: what the host and the page tell them, as text and as QR codes.

use nim::wire::Ticket;
use serde_json::json;

use super::browser::Browser;
use crate::harness::{Program, TestServer, qr};

#[tokio::test]
async fn the_host_names_the_page_and_the_command_and_without_a_web_site_the_command_alone() {
    for (arguments, has_page) in [(&[][..], true), (&["--no-web"], false)] {
        let (mut host, address) = Program::listening_server(arguments).await;
        host.until(&format!("nim-client connect {address}")).await;
        host.signal("TERM").await;
        let said = host.ended().await.stdout;
        assert_eq!(said.contains(&format!("open: http://{address}/\n")), has_page, "{said}");
        assert_eq!(said.contains("A phone cannot open that address"), has_page, "{said}");
        assert!(!said.contains('█'), "a program reads no QR code: {said}");
    }
}

#[tokio::test]
async fn a_lobby_shows_the_qr_code_of_its_address_while_a_seat_is_free() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::as_host(server.address(), "annas-laptop:7646", "anna", "/").await;
    anna.asks_for_seat("new", json!({"game": "nim:3-4-5", "opponent": "people"})).await;
    anna.shows("title", "A friend can join at").await;
    let page = format!("http://annas-laptop:7646{}", anna.path);
    assert!(anna.region("title").contains(&page), "{}", anna.region("title"));
    assert_eq!(qr::in_html(anna.region("title")), Some(page));
    let mut ben = Browser::at(server.address(), "ben", &anna.path.clone()).await;
    ben.asks_for_seat("join", json!({"code": &anna.path[1..]})).await;
    anna.shows("players", "ben").await;
    assert_eq!(qr::in_html(anna.region("title")), None);
}

#[tokio::test]
async fn the_wall_shows_the_address_to_join_and_its_qr_code() {
    let server = TestServer::with_web(|_| {});
    let mut wall = Browser::as_host(server.address(), "annas-laptop:7646", "anna", "/wall").await;
    wall.shows("main", "http://annas-laptop:7646/").await;
    assert_eq!(qr::in_html(wall.region("main")).as_deref(), Some("http://annas-laptop:7646/"));
}

#[tokio::test]
async fn a_page_that_was_opened_as_localhost_tells_others_where_they_reach_the_host() {
    let elsewhere = "192.168.1.7:7646".parse().ok();
    for (server, told) in [
        (TestServer::with_web(|_| {}), None),
        (TestServer::with_web_elsewhere(elsewhere), Some("http://192.168.1.7:7646/")),
    ] {
        let mut wall = Browser::at(server.address(), "anna", "/wall").await;
        wall.shows("main", "Play too").await;
        assert_eq!(qr::in_html(wall.region("main")).as_deref(), told);
        let mut anna = Browser::at(server.address(), "anna", "/").await;
        anna.asks_for_seat("new", json!({"game": "nim:3-4-5", "opponent": "people"})).await;
        anna.shows("title", "can join at").await;
        let code = &anna.path[1..];
        assert_eq!(qr::in_html(anna.region("title")), told.map(|told| format!("{told}{code}")));
        let (who, host) = match told {
            None => ("Another window on this machine", format!("http://{}/", server.address())),
            Some(told) => ("A friend", told.to_owned()),
        };
        let said = format!("{who} can join at <span class=\"link\">{host}{code}</span>");
        assert!(anna.region("title").contains(&said), "{}", anna.region("title"));
    }
}

#[tokio::test]
async fn a_link_moves_a_seat_to_another_browser() {
    let server = TestServer::with_web_elsewhere("192.168.1.7:7646".parse().ok());
    let mut phone = Browser::at(server.address(), "anna k", "/").await;
    phone.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    phone.shows("players", "anna k (you)").await;
    phone.does("ask", json!({"about": "leave"})).await;
    phone.shows("dialog", "Play on another device").await;
    phone.does("ask", json!({"about": "device"})).await;
    phone.shows("dialog", "#seat=").await;
    let link = qr::in_html(phone.region("dialog")).unwrap();
    assert!(phone.region("dialog").contains(&link.replace('&', "&amp;")), "{link}");
    let (page, fragment) = link.split_once("#seat=").unwrap();
    let (ticket, name) = fragment.split_once("&name=").unwrap();
    assert_eq!(name, "anna%20k");
    let path = phone.path.clone();
    assert_eq!(page, format!("http://192.168.1.7:7646{path}"));
    assert!(Ticket::from_hex(ticket).is_some());

    // What the script of the other browser keeps of the link.
    let seat = json!({"code": &path[1..], "ticket": ticket, "name": "guest", "about": ""});
    let seats = [(path[1..].to_owned(), seat)].into();
    let mut laptop = Browser::with_seats(server.address(), "ben", &path, &seats).await;
    laptop.shows("players", "anna k (you)").await;
    while !phone.is_over {
        phone.hear().await.unwrap();
    }
}

#[tokio::test]
async fn who_only_watches_gets_no_link_to_a_seat() {
    let server = TestServer::with_web(|_| {});
    let code = server.client("anna").await.create("java-tech:21").await;
    let mut ben = Browser::at(server.address(), "ben", &format!("/{code}?watch")).await;
    ben.shows("title", "java-tech:21").await;
    ben.does("ask", json!({"about": "device"})).await;
    ben.does("ask", json!({"about": "rules"})).await;
    ben.shows("dialog", "Rules").await;
    assert!(!ben.region("dialog").contains("seat="));
}

#[tokio::test]
async fn a_link_begins_a_game_against_the_bot() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/?play=tic-tac-toe").await;
    anna.shows("players", "minimax [bot, perfect]").await;
    anna.shows("title", "tic-tac-toe").await;
    assert_eq!(anna.seats.len(), 1, "the browser keeps the seat");
    for wrong in ["/?play=chess", "/?play=%3Cscript%3E"] {
        let mut ben = Browser::at(server.address(), "ben", wrong).await;
        ben.shows("start", "Play now").await;
        ben.shows("notice", "No: ").await;
    }
}
