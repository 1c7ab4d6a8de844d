//! What a server shows: when it starts to listen, the first line for programs and the rest for people; and while
//! it runs on a terminal, the lines that stay in sight.

use std::future::pending;
use std::io::{IsTerminal, stdout};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use nim::lan;
use nim::server::{DEFAULT_PORT, Load};

use crate::pinned::Pinned;
use crate::qr;
use crate::values::count;

/// How often the pinned lines are made to fit the server and the terminal's width.
const LOOK: Duration = Duration::from_secs(1);

/// How many rows of the window a pinned QR code leaves to the log.
const LOG_ROWS: usize = 3;

/// The last line.
const STOPS: &str = "Ctrl-C stops the server.";

/// Who reads the start screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A program, or a person later.
    Program,
    /// A person at a terminal, whose log is elsewhere or cannot be held off the last lines.
    Person,
    /// A person at a terminal on which the [most important lines](pinned_lines) are pinned.
    PersonWithPinned,
}

impl Reader {
    /// Who reads the standard output.
    pub(crate) fn of_stdout() -> Self {
        match stdout().is_terminal() {
            true if Pinned::is_possible() => Self::PersonWithPinned,
            true => Self::Person,
            false => Self::Program,
        }
    }
}

/// What a server offers to the people whom its host invites.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offered {
    /// Where it listens.
    pub(crate) bound: SocketAddr,
    /// Whether it has a web site.
    pub(crate) has_web: bool,
    /// Whether a terminal shows the QR code of its web site.
    pub(crate) has_qr: bool,
}

impl Offered {
    /// The first address at which others reach it.
    fn first(self) -> Option<SocketAddr> {
        lan::reachable(self.bound).first().copied()
    }

    /// The QR code of its web site, where a phone can open it and the terminal has room for it above `below` other
    /// rows.
    fn qr(self, first: Option<SocketAddr>, below: usize) -> Vec<String> {
        let first = first.filter(|_| self.has_web && self.has_qr && Pinned::has_cursor());
        first.map_or_else(Vec::new, |first| qr::lines_above(&page(first), below))
    }
}

/// The lines for a server, with the lines of `words`. What is pinned is not among them.
pub(crate) fn lines(offered: Offered, words: &[String], reader: Reader) -> Vec<String> {
    let others = lan::reachable(offered.bound);
    let is_pinned = reader == Reader::PersonWithPinned;
    let ways = match others.first() {
        None if is_pinned => alone(offered).into_iter().skip(1 + usize::from(offered.has_web)).collect(),
        None => alone(offered),
        Some(_) => {
            let ways = others.iter().skip(usize::from(is_pinned));
            ways.flat_map(|other| invitations(*other, offered.has_web)).collect()
        }
    };
    let aloud = others.first().filter(|_| reader != Reader::Program).and_then(|first| said_aloud(*first));
    let heading = [format!("listening on {}", offered.bound)];
    let above = heading.into_iter().chain(ways).chain(words.iter().cloned());
    let mut lines: Vec<String> = above.chain(aloud).collect();
    if reader == Reader::Person {
        lines.extend(offered.qr(others.first().copied(), 1));
    }
    lines.extend((!is_pinned).then(|| STOPS.to_owned()));
    lines
}

/// Keeps the pinned lines as they should be, if there are any. Never returns.
pub(crate) async fn follow(pinned: &Pinned, offered: Offered, load: impl Fn() -> Load) {
    if Reader::of_stdout() != Reader::PersonWithPinned {
        return pending().await;
    }
    let first = offered.first();
    loop {
        let mut lines = pinned_lines(offered, first, &load());
        let qr = offered.qr(first, lines.len() + LOG_ROWS);
        // Below the address that it holds, which is bold.
        lines.splice(1..1, qr);
        pinned.show(lines);
        tokio::time::sleep(LOOK).await;
    }
}

/// The lines that stay in sight: what others open or type, how busy the server is, and why nothing can be recorded.
fn pinned_lines(offered: Offered, first: Option<SocketAddr>, load: &Load) -> Vec<String> {
    let at = first.unwrap_or_else(|| here(offered.bound));
    let (in_browser, in_terminal) = match first {
        Some(_) => ("In a browser", "Others type"),
        None => ("In a browser here", "Only this machine"),
    };
    let in_browser = format!("{in_browser}: {}", page(at));
    let in_terminal = format!("{in_terminal}: {}", command(at));
    let connections = count(load.connections, "connection", "connections");
    let games = count(load.games, "game", "games");
    let error = load.error.as_ref().map(|error| format!("Nothing can be recorded now: {error}."));
    let ways = offered.has_web.then_some(in_browser).into_iter().chain([in_terminal]);
    ways.chain([format!("{connections}, {games}. {STOPS}")]).chain(error).collect()
}

/// The lines for a server that only this machine can reach. The first ones are pinned.
fn alone(offered: Offered) -> Vec<String> {
    let here = here(offered.bound);
    let terminal = format!("Only this machine can reach it: {}", command(here));
    let browser = [
        format!("In a browser on this machine, open: {}", page(here)),
        "A phone cannot open that address, so there is no code to scan.".to_owned(),
    ];
    let browser = browser.into_iter().filter(|_| offered.has_web);
    [terminal].into_iter().chain(browser).collect()
}

/// The address at which this machine itself reaches the server.
fn here(bound: SocketAddr) -> SocketAddr {
    let loopback: IpAddr = match bound {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    let ip = if bound.ip().is_unspecified() { loopback } else { bound.ip() };
    SocketAddr::new(ip, bound.port())
}

fn invitations(address: SocketAddr, has_web: bool) -> Vec<String> {
    let browser = has_web.then(|| format!("On a phone or in any browser, open: {}", page(address)));
    let terminal = format!("On another machine of this network, type: {}", command(address));
    browser.into_iter().chain([terminal]).collect()
}

/// The address of the web site. Browsers have another default port, so this one is always named.
fn page(address: SocketAddr) -> String {
    format!("http://{address}/")
}

fn command(address: SocketAddr) -> String {
    format!("nim-client connect {}", typed(address))
}

/// The line for reading the address aloud; `None` for IPv6.
fn said_aloud(address: SocketAddr) -> Option<String> {
    let said = typed(address).replace('.', " dot ").replace(':', ", port ");
    address.is_ipv4().then(|| format!("Say it aloud: {said}"))
}

/// An address as people type it for the client: without the default port.
fn typed(address: SocketAddr) -> String {
    match (address.port(), address) {
        (DEFAULT_PORT, SocketAddr::V4(v4)) => v4.ip().to_string(),
        (DEFAULT_PORT, SocketAddr::V6(v6)) => v6.ip().to_string(),
        (_, address) => address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(bound: &str, has_web: bool) -> Offered {
        Offered { bound: bound.parse().unwrap(), has_web, has_qr: true }
    }

    fn lines_at(address: &str, has_web: bool) -> Vec<String> {
        lines(offered(address, has_web), &[], Reader::Program)
    }

    #[test]
    fn the_host_shows_what_guests_have_to_type_and_to_open() {
        const ELSEWHERE: &str = "On another machine of this network, type: nim-client connect ";
        const HERE: &str = "Only this machine can reach it: nim-client connect ";
        for (address, who, what) in [
            ("192.168.1.7:7646", ELSEWHERE, "192.168.1.7"),
            ("192.168.1.7:4000", ELSEWHERE, "192.168.1.7:4000"),
            ("[2001:db8::1]:7646", ELSEWHERE, "2001:db8::1"),
            ("[2001:db8::1]:4000", ELSEWHERE, "[2001:db8::1]:4000"),
            ("127.0.0.1:7646", HERE, "127.0.0.1"),
            ("127.0.0.1:4000", HERE, "127.0.0.1:4000"),
        ] {
            let (first, command) = (format!("listening on {address}"), format!("{who}{what}"));
            let stops = "Ctrl-C stops the server.".to_owned();
            assert_eq!(lines_at(address, false), [first.clone(), command.clone(), stops.clone()]);
            let mut expected = if who == ELSEWHERE {
                vec![first, format!("On a phone or in any browser, open: http://{address}/"), command]
            } else {
                let page = format!("In a browser on this machine, open: http://{address}/");
                let alone = "A phone cannot open that address, so there is no code to scan.";
                vec![first, command, page, alone.to_owned()]
            };
            expected.push(stops);
            assert_eq!(lines_at(address, true), expected);
        }
    }

    #[test]
    fn what_is_pinned_fits_a_narrow_window_and_is_on_the_start_screen_only_once() {
        let load = Load { connections: 30, games: 1, error: None };
        let busy = "30 connections, 1 game. Ctrl-C stops the server.";
        let here = offered("127.0.0.1:4000", true);
        let (page, command) = (
            "In a browser here: http://127.0.0.1:4000/",
            "Only this machine: nim-client connect 127.0.0.1:4000",
        );
        assert_eq!(pinned_lines(here, None, &load), [page, command, busy]);
        assert_eq!(pinned_lines(offered("127.0.0.1:4000", false), None, &load), [command, busy]);
        let outside = "192.168.101.107:40000".parse().ok();
        let pinned = pinned_lines(here, outside, &load);
        let page = "In a browser: http://192.168.101.107:40000/";
        assert_eq!(pinned, [page, "Others type: nim-client connect 192.168.101.107:40000", busy]);
        assert!(pinned.iter().all(|line| line.len() <= 60));
        assert_eq!(
            lines(here, &[], Reader::PersonWithPinned),
            ["listening on 127.0.0.1:4000", "A phone cannot open that address, so there is no code to scan."]
        );
    }

    #[test]
    fn the_start_screen_on_the_pages_is_the_one_that_is_shown() {
        let words = [
            "Others on this network find it as annas-laptop: nim-client connect".to_owned(),
            "All games are recorded in /home/anna/.local/state/nim/server.".to_owned(),
        ];
        let shown = lines(offered("192.168.1.7:7646", true), &words, Reader::Program);
        let shown = shown[1..].join("\n");
        for (name, page) in [
            ("docs/hosting.md", include_str!("../../../docs/hosting.md")),
            ("README.md", include_str!("../../../README.md")),
        ] {
            let block = page.split("```").find(|block| block.starts_with("text\n$ nim-server\n")).unwrap();
            let expected = format!("text\n$ nim-server\nlistening on 0.0.0.0:7646\n{shown}\n");
            assert_eq!(block, expected, "{name}");
        }
    }

    #[test]
    fn what_keeps_the_server_from_recording_is_pinned() {
        let load = Load { connections: 0, games: 0, error: Some("the disk is full".into()) };
        let pinned = pinned_lines(offered("127.0.0.1:4000", true), None, &load);
        assert_eq!(pinned.last().map(String::as_str), Some("Nothing can be recorded now: the disk is full."));
    }

    #[test]
    fn an_address_can_be_said() {
        for (address, said) in [
            ("192.168.1.7:7646", Some("Say it aloud: 192 dot 168 dot 1 dot 7")),
            ("10.0.0.2:4000", Some("Say it aloud: 10 dot 0 dot 0 dot 2, port 4000")),
            ("[2001:db8::1]:4000", None),
        ] {
            assert_eq!(said_aloud(address.parse().unwrap()).as_deref(), said);
        }
    }

    #[test]
    fn a_server_on_all_networks_is_reached_from_here_at_the_loopback() {
        for (bound, reached) in
            [("0.0.0.0:1", "127.0.0.1:1"), ("[::]:1", "[::1]:1"), ("127.0.0.2:1", "127.0.0.2:1")]
        {
            assert_eq!(here(bound.parse().unwrap()), reached.parse().unwrap());
        }
    }

    #[test]
    fn a_server_on_all_networks_says_each_address_of_this_machine() {
        let bound = "0.0.0.0:4000";
        let (lines, others) = (lines_at(bound, false), lan::reachable(bound.parse().unwrap()));
        assert_eq!(lines[0], format!("listening on {bound}"));
        // A machine without a network has no address; one line in their place says so.
        assert_eq!(lines.len(), 2 + others.len().max(1));
        for other in others {
            assert!(lines.contains(&invitations(other, false)[0]), "{other}: {lines:?}");
        }
    }
}
