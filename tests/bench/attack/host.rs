//! The attacked server, and what its lobbies are when an attack begins.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use nim::wire::{BotWish, HallEvent, HallRequest, LobbyState, NewLobby, Secret, ToClient};

use crate::load::guest::{Guest, Setting, terms};
use crate::load::kind::Kind;
use crate::load::program::Program;
use crate::load::script::Script;
use crate::load::seating::seat;
use crate::load::traffic::Traffic;
use crate::smoke;

/// The journal's folder and the log, in the server's folder.
const JOURNAL: &str = "journal";
const LOG: &str = "log";

/// The finished games of which the server has records: as many as it looks at for a page of their list.
const RECORDS: u64 = 2_000;

/// The real server as a host starts it. It records in this folder, and its log is there too.
pub(crate) fn serve(folder: &Path, files: Option<u32>) -> anyhow::Result<Program> {
    let ulimit = files.map_or_else(String::new, |files| format!("ulimit -n {files} && "));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{ulimit}exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_nim-server")]);
    command.args(["--bind", "127.0.0.1:0", "--data"]).arg(folder.join(JOURNAL));
    command.stderr(File::create(folder.join(LOG))?);
    Program::run(command, None)
}

/// The bytes of the journal and of the log in this folder.
pub(crate) fn sizes(folder: &Path) -> anyhow::Result<(u64, u64)> {
    let mut journal = 0;
    for file in fs::read_dir(folder.join(JOURNAL))? {
        journal += file?.metadata()?.len();
    }
    Ok((journal, fs::metadata(folder.join(LOG))?.len()))
}

/// Plays games of one move, so that the server has records.
pub(crate) fn play_short_games(server: SocketAddr) -> anyhow::Result<()> {
    let pairs = seat(Kind::Process, server, Setting::untimed("take:1:1"), 10)?;
    let mut traffic = Traffic::of(pairs, Script::of("take:1:1")?, false)?;
    traffic.flat_out(|tally| tally.games >= smoke::all_or(10, RECORDS))?;
    traffic.leave()
}

/// The codes of games in the list of lobbies.
pub(crate) fn listed_games(server: SocketAddr) -> anyhow::Result<Vec<String>> {
    let mut guest = Guest::connect(server, 0)?;
    guest.say_hello(0)?;
    guest.ask_hall(HallRequest::Look)?;
    let listed = guest.until(|message| match message {
        ToClient::Hall(HallEvent::Lobbies { listed, .. }) => Some(listed.clone()),
        _ => None,
    })?;
    let games = listed.iter().filter(|listing| listing.watched && listing.state == LobbyState::Playing);
    Ok(games.map(|listing| listing.code.to_string()).collect())
}

/// Opens a lobby with a password; it exists as long as its creator stays connected.
pub(crate) fn locked_lobby(server: SocketAddr) -> anyhow::Result<(String, Guest)> {
    let mut host = Guest::connect(server, 0)?;
    host.say_hello(0)?;
    let lobby = terms(Setting::untimed("java-tech"), BotWish::PeopleOnly);
    let password = Secret::of("open sesame");
    host.ask_hall(HallRequest::Create(NewLobby { password, listed: false, ..lobby }))?;
    Ok((host.until_seated()?.to_string(), host))
}
