//! Carries out what a host asks.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::message::{AdminAnswer, AdminRequest, Target};
use super::overview;
use crate::game::notation::printable;
use crate::lobby::{Code, Text};
use crate::number::millis;
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::limits::address_text;
use crate::server::restrictions::{MAX_RULES, Restriction, Rule};
use crate::server::storage::WallTime;
use crate::wire::limits::MAX_CHAT;
use crate::wire::{Farewell, ToClient};

/// What happens when one of several servers drains.
const LEAVES: &str = "the lobbies of this node go to the other nodes, and then it stops";

/// What became of an act: what was done, or why it was not done, in a sentence without a full stop.
type Outcome = Result<String, String>;

/// Carries out a request; `asked` is added to it where it is written down. May take some milliseconds, so it is not
/// called on a task that moves frames.
pub(super) fn carry_out(app: &Arc<App>, request: &AdminRequest, asked: &str) -> AdminAnswer {
    let outcome = match request {
        AdminRequest::Status => return AdminAnswer::Status(Box::new(overview::status(app))),
        AdminRequest::Who => return AdminAnswer::Who(Box::new(overview::who(app))),
        AdminRequest::Kick { target } => kick(app, *target),
        AdminRequest::Mute { target, seconds } => mute(app, *target, *seconds),
        AdminRequest::Unmute { target } => unmute(app, *target),
        AdminRequest::Ban { address, seconds } => ban(app, *address, *seconds),
        AdminRequest::Unban { address } => lift(app, Restriction::Ban, *address),
        AdminRequest::Close { code } => close(app, *code),
        AdminRequest::Say { words } => say(app, words),
        AdminRequest::Drain { cancel: false } if leaves(app) => Ok(LEAVES.into()),
        AdminRequest::Drain { cancel } | AdminRequest::DrainAll { cancel } => drain(app, *cancel),
    };
    audit(app, &format!("{request}{asked}"), outcome)
}

/// Writes the act down, and answers.
fn audit(app: &App, act: &str, outcome: Outcome) -> AdminAnswer {
    let said = match &outcome {
        Ok(words) => words.clone(),
        Err(why) => format!("refused, since {why}"),
    };
    tracing::info!(act, outcome = said, "the host acts");
    let written = app.audit.note(act, &said);
    let unwritten = written.map_err(|error| {
        tracing::error!(%error, "the audit file cannot be written");
        format!("; but the audit file cannot be written: {error}")
    });
    let note = unwritten.err().unwrap_or_default();
    match outcome {
        Ok(words) => AdminAnswer::Done(words + &note),
        Err(why) => AdminAnswer::Refused(why + &note),
    }
}

/// The connections that are meant; the error says that there are none.
fn chosen(app: &App, target: Target) -> Result<Vec<Arc<Connection>>, String> {
    let is_meant = |number: u64, connection: &Connection| match target {
        Target::Connection(wanted) => number == wanted,
        Target::Address(address) => connection.address() == address,
    };
    let all = app.connections.all().into_iter();
    let chosen: Vec<_> =
        all.filter(|(number, one)| is_meant(*number, one)).map(|(_, connection)| connection).collect();
    match target {
        _ if !chosen.is_empty() => Ok(chosen),
        Target::Connection(number) => {
            Err(format!("there is no connection {number}: see nim-server admin who"))
        }
        Target::Address(_) => Err(format!("{target} has no connection: see nim-server admin who")),
    }
}

/// What these connections are called: the only one by its name.
fn called(target: Target, connections: &[Arc<Connection>]) -> String {
    match (target, connections) {
        (Target::Connection(number), [only]) => {
            let name = only.name().map_or_else(String::new, |name| format!("{name} at "));
            format!("connection {number} ({name}{})", address_text(only.address()))
        }
        (_, [only]) => format!("1 connection of {}", address_text(only.address())),
        (_, all) => format!("{} connections of {target}", all.len()),
    }
}

/// Ends these connections.
fn end(connections: &[Arc<Connection>]) {
    for connection in connections {
        connection.end(Farewell::ClosedByHost);
    }
}

fn kick(app: &App, target: Target) -> Outcome {
    let connections = chosen(app, target)?;
    end(&connections);
    Ok(format!("closed {}", called(target, &connections)))
}

fn mute(app: &App, target: Target, seconds: Option<u64>) -> Outcome {
    match (target, seconds) {
        (Target::Address(address), seconds) => restrict(app, Restriction::Mute, address, seconds),
        (Target::Connection(_), None) => set_muted(app, target, true),
        (Target::Connection(_), Some(_)) => {
            Err("--for is for an address: a connection is muted until it ends".into())
        }
    }
}

fn unmute(app: &App, target: Target) -> Outcome {
    match target {
        Target::Address(address) => lift(app, Restriction::Mute, address),
        Target::Connection(_) => set_muted(app, target, false),
    }
}

/// Mutes a connection or takes that back.
fn set_muted(app: &App, target: Target, is_muted: bool) -> Outcome {
    let connections = chosen(app, target)?;
    for connection in &connections {
        connection.set_muted(is_muted);
    }
    let done = if is_muted { "muted until it ends:" } else { "not muted any more:" };
    Ok(format!("{done} {}", called(target, &connections)))
}

fn ban(app: &App, address: IpAddr, seconds: Option<u64>) -> Outcome {
    let banned = restrict(app, Restriction::Ban, address, seconds)?;
    match chosen(app, Target::Address(address)) {
        Err(_) => Ok(banned),
        Ok(connections) => {
            end(&connections);
            Ok(format!("{banned}; closed {}", called(Target::Address(address), &connections)))
        }
    }
}

/// Bans or mutes an address.
fn restrict(app: &App, what: Restriction, address: IpAddr, seconds: Option<u64>) -> Outcome {
    if seconds == Some(0) {
        return Err("--for 0s would end at once: name a longer time, as in --for 1h, or omit --for to keep it until it is lifted".into());
    }
    let end = |seconds| WallTime::now().0.saturating_add(millis(Duration::from_secs(seconds)));
    let rule = Rule { what, address, until: seconds.map(end) };
    if !app.restrictions.add(&rule) {
        return Err(format!("there are {MAX_RULES} bans and mutes already; lift some"));
    }
    Ok(format!("{rule}{}", keep(app)))
}

/// Lifts a ban or a mute of an address.
fn lift(app: &App, what: Restriction, address: IpAddr) -> Outcome {
    if !app.restrictions.lift(what, address) {
        return Err(format!("{} is not {what}: see nim-server admin who", address_text(address)));
    }
    Ok(format!("{} is not {what} any more{}", address_text(address), keep(app)))
}

/// Keeps bans and mutes in the data folder. Returns a note if that fails.
fn keep(app: &App) -> String {
    let kept = app.restrictions.write().map_err(|error| {
        tracing::error!(%error, "bans and mutes cannot be written");
        format!("; this is forgotten at the next start, since it cannot be written: {error}")
    });
    kept.err().unwrap_or_default()
}

fn close(app: &App, code: Code) -> Outcome {
    let Some(lobby) = app.registry.find(code) else {
        return Err("no lobby has this code: see nim-server admin who".into());
    };
    lobby.close(&Farewell::LobbyClosed);
    Ok(format!("closed the lobby {}", code.redacted()))
}

fn say(app: &App, words: &str) -> Outcome {
    let line: String = printable(words.trim()).collect();
    if line.is_empty() {
        return Err("there is nothing in that line".into());
    }
    let Ok(words) = Text::<MAX_CHAT>::try_from(line) else {
        return Err(format!("a line has at most {MAX_CHAT} bytes: say it in two, or in fewer words"));
    };
    let told = ToClient::HostSaid { words };
    // Who was not welcomed yet expects another message first. Who was carried here is told by the other server.
    let is_told = |connection: &Connection| connection.name().is_some() && !connection.is_carried();
    let welcomed = app.connections.all().into_iter().filter(|(_, connection)| is_told(connection));
    let count = welcomed.inspect(|(_, connection)| connection.send_out_of_band(&told)).count();
    Ok(format!("sent to {count} {}", if count == 1 { "connection" } else { "connections" }))
}

/// Has this server leave the others, if there are any: its games go on there. Returns whether it leaves.
fn leaves(app: &App) -> bool {
    let has_others = app.services.peers.as_ref().is_some_and(|peers| peers.has_others());
    if has_others {
        app.services.drain.leave();
    }
    app.services.drain.leaves()
}

/// Begins no new games, or does so again.
fn drain(app: &App, cancel: bool) -> Outcome {
    if app.services.drain.leaves() {
        return if cancel { Err(format!("{LEAVES}: that cannot be taken back")) } else { Ok(LEAVES.into()) };
    }
    app.services.drain.set(!cancel);
    if cancel {
        // Bots whose time came meanwhile sit down.
        for lobby in app.registry.all() {
            lobby.renew();
        }
        return Ok("new games begin again".into());
    }
    Ok(match app.registry.games() {
        0 => "no game is being played: the server stops now".into(),
        1 => "no new games begin; the server stops after the one that is being played".into(),
        count => format!("no new games begin; the server stops after the {count} that are being played"),
    })
}
