//! The host's log of what browsers do.

use serde_json::json;

use super::browser::Browser;
use crate::harness::{Program, server};

#[tokio::test]
async fn no_level_of_the_log_has_tickets_passwords_or_codes_of_hidden_lobbies() {
    let mut host = Program::spawn(server(&["--bind", "127.0.0.1:0"]).env("RUST_LOG", "trace"));
    let address = host.listens().await;
    let mut secrets = Vec::new();
    for (terms, join) in [
        (json!({"game": "java-tech:21", "opponent": "people", "listed": "no"}), json!({})),
        (
            json!({"game": "java-tech:21", "opponent": "people", "password": "sesame"}),
            json!({"password": "sesame"}),
        ),
    ] {
        let mut anna = Browser::at(address, "anna", "/").await;
        anna.asks_for_seat("new", terms.clone()).await;
        anna.shows("players", "(you)").await;
        let (code, seats) = (anna.path[1..].to_owned(), anna.seats.clone());
        let mut ben = Browser::at(address, "ben", &anna.path).await;
        let mut join = join.clone();
        join["code"] = json!(code);
        ben.asks_for_seat("join", join).await;
        ben.shows("players", "(you)").await;
        drop(anna);
        let mut anna = Browser::with_seats(address, "anna", &format!("/{code}"), &seats).await;
        anna.shows("players", "(you)").await;
        anna.does("ask", json!({"about": "device"})).await;
        anna.shows("dialog", "#seat=").await;
        secrets.extend(
            seats.values().chain(ben.seats.values()).map(|seat| seat["ticket"].as_str().unwrap().to_owned()),
        );
        if terms["listed"] == "no" {
            secrets.push(code);
        }
    }
    secrets.push("sesame".to_owned());
    host.signal("TERM").await;
    let log = host.ended().await.stderr;
    assert!(log.contains("DEBUG"), "{log}");
    for secret in secrets {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(&secret)).take(3).collect();
        assert!(lines.is_empty(), "{secret} is in {lines:#?}");
    }
}
