//! `nim-client play --web`: the page on this machine alone.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::browser::Browser;
use super::http::get;
use crate::harness::{Home, Program, client};

/// The program, on a machine where this folder has all programs that can open a page.
fn play(home: &Home, openers: &Path, arguments: &[&str]) -> Program {
    let mut command = client(&[&["play", "--web", "--bot-pace", "0"], arguments, &home.state()].concat());
    Program::spawn(command.env("PATH", openers))
}

/// A folder with a program that writes the addresses that it is to open into the file `opened` there.
fn openers() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (program, opened) = (folder.path().join("xdg-open"), folder.path().join("opened"));
    std::fs::write(&program, format!("#!/bin/sh\necho \"$1\" >> '{}'\n", opened.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// The address of the page, and its host.
async fn page(program: &mut Program) -> (String, SocketAddr) {
    let page = program.until("http://127.0.0.1:").await.trim().to_owned();
    let host = page.strip_prefix("http://").unwrap().split('/').next().unwrap().parse().unwrap();
    (page, host)
}

/// Ends it as Ctrl-C does.
async fn ends(program: Program) {
    program.signal("INT").await;
    let ended = program.ended().await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[tokio::test]
async fn the_page_is_opened_and_what_was_played_there_goes_on_the_next_time() {
    let (home, openers) = (Home::new(), openers());
    let mut program = play(&home, openers.path(), &["tic-tac-toe"]);
    let (opened, host) = page(&mut program).await;
    program.until("Ctrl-C ends this").await;
    let told = std::fs::read_to_string(openers.path().join("opened")).unwrap();
    assert_eq!((told.trim(), &opened), (opened.as_str(), &format!("http://{host}/?play=tic-tac-toe")));
    assert!(get(host, "/?play=tic-tac-toe").await.starts_with("HTTP/1.1 200"));
    let mut anna = Browser::at(host, "anna", "/?play=tic-tac-toe").await;
    anna.shows("title", "tic-tac-toe").await;
    assert!(anna.moves_first().await);
    let (path, seats) = (anna.path.clone(), anna.seats.clone());
    ends(program).await;

    // The browser finds its seat at the same address.
    let mut program = play(&home, openers.path(), &[]);
    assert_eq!(page(&mut program).await, (format!("http://{host}/"), host));
    let mut anna = Browser::with_seats(host, "anna", &path, &seats).await;
    anna.shows("players", "anna (you)").await;
    anna.plays_to_the_end().await;
    ends(program).await;
    let listed = home.runs(&["record", "list"]).finish().await;
    assert!(listed.stdout.contains(&path[1..]), "{listed:?}");
}

#[tokio::test]
async fn a_second_window_opens_the_page_that_is_served_already() {
    let (home, openers) = (Home::new(), openers());
    let mut first = play(&home, openers.path(), &[]);
    let (_, host) = page(&mut first).await;
    first.until("Ctrl-C ends this").await;
    let second = play(&home, openers.path(), &["nim:3-4-5"]).finish().await;
    assert!(second.stdout.starts_with("Another window serves the page already:\n"), "{second:?}");
    assert!(second.stdout.contains(&format!("http://{host}/?play=nim:3-4-5")), "{second:?}");
    assert_eq!(second.code, Some(0));
    ends(first).await;
}

#[tokio::test]
async fn where_the_port_of_the_last_time_is_taken_another_one_is_used() {
    let (home, openers) = (Home::new(), openers());
    let mut program = play(&home, openers.path(), &[]);
    let (_, host) = page(&mut program).await;
    program.until("Ctrl-C ends this").await;
    ends(program).await;
    let _taken = std::net::TcpListener::bind(host).unwrap();
    let mut program = play(&home, openers.path(), &[]);
    let (_, other) = page(&mut program).await;
    assert_ne!(other, host);
    program.until("Ctrl-C ends this").await;
    ends(program).await;
}

#[tokio::test]
async fn where_no_browser_can_be_opened_the_address_is_to_be_typed() {
    let (home, nothing) = (Home::new(), tempfile::tempdir().unwrap());
    let mut program = play(&home, nothing.path(), &[]);
    page(&mut program).await;
    program.until_error("No browser could be opened here").await;
    program.until("Ctrl-C ends this").await;
    ends(program).await;
}
