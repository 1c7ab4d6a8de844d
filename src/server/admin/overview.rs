//! What is shown of a server: how it is, who is connected, which lobbies there are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use super::message::{AddressRow, ConnectionRow, LobbyRow, Recording, Role, Status, Whereabouts, Who};
use crate::lobby::Phase;
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::lobby::Overview;
use crate::wire::ChatRoom;

/// The most connections, and the most lobbies, and the most bans and mutes, in one answer; how many more there are is said.
const MAX_ROWS: usize = 1_000;

/// This program and its release.
const PROGRAM: &str = concat!("nim-server ", env!("CARGO_PKG_VERSION"));

/// How the server is.
pub(super) fn status(app: &App) -> Status {
    let (gauges, services) = (app.gauges(), &app.services);
    let connections = app.connections.all();
    let addresses: BTreeSet<IpAddr> = connections.iter().map(|(_, one)| one.address()).collect();
    Status {
        program: PROGRAM.into(),
        process: std::process::id(),
        seconds: app.started.elapsed().as_secs(),
        recording: match services.journal.error() {
            Some(error) => Recording::Stopped(error.to_string()),
            None if services.journal.records() => Recording::Ok,
            None => Recording::Off,
        },
        connections: connections.len(),
        addresses: addresses.len(),
        lobbies: gauges.lobbies,
        games: app.registry.games(),
        draining: services.drain.is_on(),
        jobs_running: gauges.jobs_running,
        jobs_waiting: gauges.jobs_waiting,
        notes_waiting: gauges.notes_waiting,
        metrics: services.metrics.counters().unwrap_or_default(),
    }
}

/// Who is connected, and which lobbies there are.
pub(super) fn who(app: &App) -> Who {
    let lobbies: Vec<Overview> = app.registry.all().iter().map(|lobby| lobby.overview()).collect();
    let places = places(&lobbies);
    let mut all: BTreeMap<IpAddr, Vec<(u64, Arc<Connection>)>> = BTreeMap::new();
    for (number, connection) in app.connections.all() {
        all.entry(connection.address()).or_default().push((number, connection));
    }
    let mut sorted: Vec<_> = all.into_values().collect();
    sorted.sort_by_key(|connections| Reverse(connections.len()));
    let (mut addresses, mut room, mut more) = (Vec::new(), MAX_ROWS, 0);
    for connections in sorted {
        let shown = connections.len().min(room);
        (room, more) = (room - shown, more + connections.len() - shown);
        addresses.extend(address_row(&connections, shown, &places));
    }
    let more_lobbies = lobbies.len().saturating_sub(MAX_ROWS);
    let mut lobbies: Vec<LobbyRow> = lobbies.iter().map(lobby_row).collect();
    lobbies.sort_by(|one, other| one.code.cmp(&other.code));
    lobbies.truncate(MAX_ROWS);
    let mut rules = app.restrictions.all();
    let more_rules = rules.len().saturating_sub(MAX_ROWS);
    rules.truncate(MAX_ROWS);
    let has_peers = app.services.peers.is_some();
    Who { addresses, more_connections: more, lobbies, more_lobbies, rules, more_rules, has_peers }
}

/// The places of all connections that are in a lobby.
type Places = HashMap<*const Connection, Whereabouts>;

fn places(lobbies: &[Overview]) -> Places {
    let in_lobby = lobbies.iter().flat_map(|lobby| {
        lobby.connections.iter().map(|(connection, room)| {
            let role = if *room == ChatRoom::Players { Role::Player } else { Role::Watcher };
            (Arc::as_ptr(connection), Whereabouts { lobby: lobby.code.to_string(), role })
        })
    });
    in_lobby.collect()
}

/// The row of an address with some of its connections; `None` if none is shown.
fn address_row(connections: &[(u64, Arc<Connection>)], shown: usize, places: &Places) -> Option<AddressRow> {
    let (_, first) = connections[..shown].first()?;
    let (requests, journal) = first.limits().used();
    let row = |(number, connection): &(u64, Arc<Connection>)| ConnectionRow {
        number: *number,
        name: connection.name().map(|name| name.to_string()),
        place: places.get(&Arc::as_ptr(connection)).cloned(),
        muted: connection.is_muted(),
        idle: connection.idle().as_secs(),
    };
    Some(AddressRow {
        address: first.address(),
        count: connections.len(),
        requests,
        journal,
        connections: connections[..shown].iter().map(row).collect(),
    })
}

fn lobby_row(lobby: &Overview) -> LobbyRow {
    let state = match lobby.phase {
        Phase::Waiting => "waiting",
        Phase::Playing => "playing",
        Phase::Over { .. } => "over",
        Phase::Closed => "closed",
    };
    LobbyRow {
        code: lobby.code.to_string(),
        variant: lobby.variant.clone(),
        state: state.into(),
        players: lobby.players.iter().map(ToString::to_string).collect(),
        watchers: lobby.watchers,
        opener: lobby.opener,
    }
}
