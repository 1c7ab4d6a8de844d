//! The text of `nim-server admin who`.

use std::time::Duration;

use nim::server::address_text;
use nim::server::admin::{AddressRow, ConnectionRow, LobbyRow, Role, Who};

use crate::values::count;

/// What is shown, in lines.
pub(super) fn lines(who: &Who) -> Vec<String> {
    let shown: usize = who.addresses.iter().map(|address| address.connections.len()).sum();
    let connections = shown + who.more_connections;
    let mut lines = vec![format!(
        "{} from {}, {}",
        count(connections, "connection", "connections"),
        count(who.addresses.len(), "address", "addresses"),
        count(who.lobbies.len() + who.more_lobbies, "lobby", "lobbies"),
    )];
    for address in &who.addresses {
        lines.push(String::new());
        lines.push(address_line(address));
        lines.extend(address.connections.iter().map(connection_line));
    }
    lines.extend(more(who.more_connections, "connection", "connections"));
    lines.extend((!who.lobbies.is_empty()).then(String::new));
    lines.extend(who.lobbies.iter().map(lobby_line));
    lines.extend(more(who.more_lobbies, "lobby", "lobbies"));
    lines.extend((!who.rules.is_empty()).then(String::new));
    lines.extend(who.rules.iter().map(ToString::to_string));
    lines.extend(more(who.more_rules, "ban or mute", "bans and mutes"));
    let of_one = "this node alone; the other nodes have connections and lobbies of their own, and bans and mutes hold at all";
    lines.extend(who.has_peers.then(|| of_one.to_owned()));
    lines
}

fn address_line(row: &AddressRow) -> String {
    format!(
        "{}: {}; {}% of its requests and {}% of its journal used",
        address_text(row.address),
        count(row.count, "connection", "connections"),
        row.requests,
        row.journal,
    )
}

fn connection_line(row: &ConnectionRow) -> String {
    let place = match &row.place {
        _ if row.name.is_none() => "has not said hello".into(),
        None => "in the hall".into(),
        Some(place) if place.role == Role::Player => format!("plays in {}", place.lobby),
        Some(place) => format!("watches {}", place.lobby),
    };
    let idle = humantime::format_duration(Duration::from_secs(row.idle));
    let name = row.name.as_deref().unwrap_or("-");
    let muted = if row.muted { ", muted" } else { "" };
    format!("{:>8}  {name}, {place}, idle for {idle}{muted}", row.number)
}

fn lobby_line(row: &LobbyRow) -> String {
    let players = if row.players.is_empty() { "nobody".into() } else { row.players.join(" and ") };
    let watchers = match row.watchers {
        0 => String::new(),
        watchers => format!(", {}", count(watchers as usize, "watcher", "watchers")),
    };
    let opener = address_text(row.opener);
    format!("{}  {}, {}: {players}{watchers}; opened from {opener}", row.code, row.variant, row.state)
}

/// The line that more is not shown.
fn more(left_out: usize, one: &str, many: &str) -> Option<String> {
    (left_out > 0).then(|| format!("… and {} more", count(left_out, one, many)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_written_alike_in_all_lines() {
        let network = "2001:db8:1:2::".parse().unwrap();
        let (count, requests, journal) = (1, 0, 0);
        let address = AddressRow { address: network, count, requests, journal, connections: Vec::new() };
        let lobby = LobbyRow {
            code: "brave-otter".into(),
            variant: "nim:3-4-5".into(),
            state: "waiting".into(),
            players: Vec::new(),
            watchers: 0,
            opener: network,
        };
        for line in [address_line(&address), lobby_line(&lobby)] {
            assert!(line.contains("2001:db8:1:2::/64"), "{line}");
        }
    }
}
