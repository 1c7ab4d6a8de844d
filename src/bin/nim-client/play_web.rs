//! `nim-client play --web`: games in a browser on this machine, with the server and its web site inside this program.
//! All of them share one journal, and the port stays the same where possible: browsers keep seats by address.

use std::convert::Infallible;
use std::future::pending;
use std::io::{Write, stderr};
use std::net::{Ipv4Addr, TcpStream};

use nim::client::{Failure, SeatStore};
use nim::game::any::Variant;
use nim::server::Config;
use tokio::signal::ctrl_c;

use crate::flags::say;
use crate::local_games::BrowserFolder;
use crate::local_server::LocalServer;

/// Serves the page, and opens it in the browser, until Ctrl-C. With a game, the page begins one at once.
pub(crate) async fn play(
    config: &Config,
    seats: Option<&SeatStore>,
    game: Option<&Variant>,
) -> Result<(), Failure> {
    let folder = match seats.map(BrowserFolder::open).transpose() {
        Ok(folder) => folder,
        Err(error) => {
            complain(&format!("These games are not kept for another time: {error}."));
            None
        }
    };
    let server = match LocalServer::with_site(config, folder.as_ref()) {
        Ok(server) => server,
        Err(failure) => {
            let Some(port) = folder.and_then(|folder| folder.port()).filter(|port| is_served(*port)) else {
                return Err(failure);
            };
            say("Another window serves the page already:")?;
            return show(&address(port, game)).await;
        }
    };
    // Ctrl-C is listened for before anybody is told of it.
    let ended = tokio::select! {
        biased;
        pressed = ctrl_c() => pressed.map_err(Failure::Start),
        Err(failure) = present(&server, game) => Err(failure),
    };
    server.close().await;
    ended
}

/// Shows the page of this server. Returns only if that fails.
async fn present(server: &LocalServer, game: Option<&Variant>) -> Result<Infallible, Failure> {
    for news in server.news() {
        complain(news);
    }
    say("Play in a browser on this machine:")?;
    show(&address(server.port(), game)).await?;
    say("Ctrl-C ends this. The games are kept, and the page continues them next time.")?;
    pending().await
}

/// The address of the page on this machine.
fn address(port: u16, game: Option<&Variant>) -> String {
    let game = game.map(|game| format!("?play={}", game.text())).unwrap_or_default();
    format!("http://{}:{port}/{game}", Ipv4Addr::LOCALHOST)
}

/// Whether something listens on this port of this machine.
fn is_served(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Shows an address, and opens it in the browser.
async fn show(address: &str) -> Result<(), Failure> {
    say(&format!("  {address}"))?;
    let page = address.to_owned();
    let opened = tokio::task::spawn_blocking(move || open::that_detached(page)).await;
    if !matches!(opened, Ok(Ok(()))) {
        complain("No browser could be opened here. Open the address yourself.");
    }
    Ok(())
}

/// Writes a line to standard error. A closed standard error is not an error.
fn complain(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}
