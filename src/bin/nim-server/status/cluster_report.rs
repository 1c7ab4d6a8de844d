//! The report of `nim-server status --cluster`, one fact a line, and what is wrong.

use std::sync::Arc;

use anyhow::bail;
use nim::cluster::engine::Engine;
use nim::cluster::engine::etcd::{EtcdOptions, ServerHealth, health};
use nim::cluster::overview::{Logs, NodeRow, Overview};
use nim::game::notation::printable;
use nim::study::words::thousands;

use crate::values::{count, say};

/// Prints how a cluster is.
///
/// # Errors
///
/// If a node, or etcd, does not answer: the report says so, and has all the rest.
pub(super) async fn show(options: EtcdOptions, engine: Arc<dyn Engine>) -> anyhow::Result<()> {
    let servers = health(&options).await;
    let overview = Overview::read(&*engine).await;
    let mut silent: Vec<String> = Vec::new();
    if let Ok(overview) = &overview {
        silent.extend(overview.nodes.iter().filter(|node| node.fresh().is_none()).map(called));
        print(&facts(overview))?;
    }
    print(&servers.iter().map(server_line).collect::<Vec<_>>())?;
    let overview = overview?;
    silent
        .extend(servers.iter().filter(|server| server.answer.is_err()).map(|server| server.endpoint.clone()));
    match &silent[..] {
        _ if overview.nodes.is_empty() => bail!("no node is running"),
        [] => Ok(()),
        [one] => bail!("{one} does not answer as it should"),
        many => bail!("{} do not answer as they should", many.join(", ")),
    }
}

fn print(lines: &[String]) -> anyhow::Result<()> {
    // Other programs have written what is shown.
    lines.iter().try_for_each(|line| say(&printable(line).collect::<String>()))
}

fn called(node: &NodeRow) -> String {
    format!("node {}", node.name)
}

/// How the cluster is.
fn facts(overview: &Overview) -> Vec<String> {
    let fresh = || overview.nodes.iter().filter_map(NodeRow::fresh);
    let sum = |number: fn(&nim::cluster::stat::Stat) -> usize| fresh().map(number).sum::<usize>();
    // The sum of nothing would be shown as -0.0.
    let moves = fresh().map(|stat| stat.moves_a_second).fold(0.0, |sum, moves| sum + moves);
    let mut lines = vec![format!("nodes: {}", overview.nodes.len())];
    lines.extend(overview.nodes.iter().map(node_line));
    lines.extend([
        format!("connections: {}", sum(|stat| stat.clients)),
        format!("lobbies: {}", sum(|stat| stat.lobbies)),
        format!("games being played: {}", sum(|stat| stat.games)),
        format!("moves a second: {moves:.1}"),
        format!("slots without a living node: {}", overview.unowned),
        format!("slots that are being taken over: {}", overview.loading()),
        format!("logs of living nodes that are not in pages yet: {}", logs(overview.live)),
        format!("logs of dead nodes that are not deleted yet: {}", logs(overview.dead)),
    ]);
    lines
}

fn logs(logs: Logs) -> String {
    if logs.logs == 0 {
        return "none".into();
    }
    let segments = thousands(&logs.segments.to_string());
    let word = if logs.segments == 1 { "segment" } else { "segments" };
    format!("{} with {segments} {word}", count(logs.logs, "log", "logs"))
}

fn node_line(node: &NodeRow) -> String {
    let about = match &node.about {
        Err(why) => format!("what it says of itself cannot be read: {why}"),
        Ok(about) => {
            let clients = about.clients.as_deref().map_or_else(
                || "clients are not told where it is".into(),
                |address| format!("clients reach it at {address}"),
            );
            let leaves = if about.is_leaving { "; it is about to leave" } else { "" };
            format!("{clients}, release {}{leaves}", about.release)
        }
    };
    let numbers = match (&node.stat, node.fresh()) {
        (_, Some(stat)) => format!(
            "{}, {}, {:.1} moves a second",
            count(stat.lobbies, "lobby", "lobbies"),
            count(stat.clients, "connection", "connections"),
            stat.moves_a_second
        ),
        (Some(Ok(stat)), None) => {
            let age = humantime::format_duration(std::time::Duration::from_secs(stat.age().as_secs()));
            format!("it has not said for {age} how it is: it hangs, or the clocks of the machines differ")
        }
        (Some(Err(why)), None) => format!("its numbers cannot be read: {why}"),
        (None, None) => "it has not said yet how it is: it has just joined, or hangs".into(),
    };
    format!("  {}: {about}; {}, {numbers}", node.name, count(node.slots, "slot", "slots"))
}

fn server_line(server: &ServerHealth) -> String {
    match &server.answer {
        Ok(healthy) => {
            let role = if healthy.is_leader { ", the leader" } else { "" };
            let tenths = healthy.database.saturating_mul(10) >> 20;
            format!(
                "etcd at {}{role}: answers in {:.1} ms, release {}, a database of {}.{} MiB",
                server.endpoint,
                healthy.took.as_secs_f64() * 1e3,
                healthy.release,
                tenths / 10,
                tenths % 10,
            )
        }
        Err(error) => format!("etcd at {}: {error}", server.endpoint),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nim::cluster::about::About;
    use nim::cluster::engine::EngineError;
    use nim::cluster::engine::etcd::Healthy;
    use nim::cluster::stat::Stat;

    use super::*;

    fn node(name: &str, stat: Option<&str>) -> NodeRow {
        let about = About::new("10.0.0.1:7650".parse().unwrap(), Some("games.example:7646".into()), "attic");
        let about = About { release: "9.9.9".into(), ..about };
        let stat = stat.map(|text| Stat::read(text.as_bytes()));
        NodeRow { name: name.parse().unwrap(), about: Ok(about), slots: 128, stat }
    }

    #[test]
    fn each_line_is_a_fact() {
        let now = nim::server::storage::WallTime::now().0;
        let numbers = format!(
            r#"{{"version":1,"said":{now},"slots":120,"clients":4,"lobbies":2,"games":1,"moves_a_second":1.25}}"#
        );
        let overview = Overview {
            nodes: vec![node("a", Some(&numbers)), node("b", None)],
            unowned: 0,
            live: Logs { logs: 2, segments: 1_500 },
            dead: Logs::default(),
        };
        let told = "clients reach it at games.example:7646, release 9.9.9; 128 slots, ";
        let expected = [
            "nodes: 2",
            &format!("  a: {told}2 lobbies, 4 connections, 1.2 moves a second"),
            &format!("  b: {told}it has not said yet how it is: it has just joined, or hangs"),
            "connections: 4",
            "lobbies: 2",
            "games being played: 1",
            "moves a second: 1.2",
            "slots without a living node: 0",
            "slots that are being taken over: 136",
            "logs of living nodes that are not in pages yet: 2 logs with 1,500 segments",
            "logs of dead nodes that are not deleted yet: none",
        ];
        assert_eq!(facts(&overview), expected);
        let old = numbers.replace(&now.to_string(), &(now - 60_000).to_string());
        let line = node_line(&node("a", Some(&old)));
        assert!(line.contains("it has not said for 1m"), "{line}");
    }

    #[test]
    fn a_server_of_etcd_answers_or_not() {
        let healthy = Healthy {
            took: Duration::from_micros(1_230),
            is_leader: true,
            database: 13 << 19,
            release: "3.4.23".into(),
            cluster: 7,
        };
        let mut server = ServerHealth { endpoint: "http://10.0.0.1:2379".into(), answer: Ok(healthy) };
        let line = "etcd at http://10.0.0.1:2379, the leader: answers in 1.2 ms, release 3.4.23, a database of 6.5 MiB";
        assert_eq!(server_line(&server), line);
        server.answer = Err(EngineError::silent_for(Duration::from_millis(600)));
        assert!(server_line(&server).contains("did not answer: nothing came within 600 ms"));
    }
}
