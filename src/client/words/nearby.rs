//! The hosts on this network in words: as lines of a list, while they are looked for, and why none is chosen.

use std::fmt;
use std::time::Duration;

use crate::client::nearby::{Neighbour, NoHost};
use crate::client::text::{in_columns, spoken_time};

/// A server at this address has not answered yet.
pub fn connecting(address: &str) -> String {
    format!("Connecting to {address} …")
}

/// The client looks for hosts for this time.
pub fn looking(time: Duration) -> String {
    format!("Looking for hosts on this network for {} …", spoken_time(time))
}

/// The same for the line face.
pub fn looking_at_lines(time: Duration) -> String {
    format!("Looking for hosts on this network for {}; Ctrl-C stops it.", spoken_time(time))
}

/// How to cancel, if that leads back to the first screen.
pub const GIVE_UP: &str = "Esc gives it up, and goes back to the first screen.";

/// The same if it ends the program.
pub const GIVE_UP_AND_END: &str = "Esc gives it up, and ends the program.";

/// The hosts as a table, with a line above them that says what the columns are.
pub fn table(hosts: &[Neighbour]) -> Vec<String> {
    let head = ["host", "address", "round trip", "open lobbies", "version"].map(str::to_owned).to_vec();
    let row = |Neighbour { host, address, round_trip }: &Neighbour| {
        let (name, lobbies) = (host.name.to_string(), host.open_lobbies.to_string());
        vec![name, address.to_string(), answer(*round_trip), lobbies, host.version.to_string()]
    };
    in_columns(&std::iter::once(head).chain(hosts.iter().map(row)).collect::<Vec<_>>())
}

/// A time too short for seconds.
pub(super) fn trip(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1_000.0)
}

/// The same of a host that may take no connection.
fn answer(time: Option<Duration>) -> String {
    time.map_or_else(|| "no answer".into(), trip)
}

/// One host to choose: `192.168.1.7:7646  laptop, 2 open lobbies`.
pub fn choice(Neighbour { host, address, round_trip }: &Neighbour) -> String {
    let lobbies = open_lobbies(host.open_lobbies);
    let silence = if round_trip.is_none() { ", takes no connection now" } else { "" };
    format!("{:21}  {}, {lobbies}{silence}", address.to_string(), host.name)
}

/// The only host that was found.
pub fn found(Neighbour { host, address, .. }: &Neighbour) -> String {
    format!("Found {} at {address}.", host.name)
}

/// A host in the list of the first screen: `192.168.1.7:7646  laptop, 2 open lobbies, 0.4 ms`.
pub fn in_list(Neighbour { host, address, round_trip }: &Neighbour) -> String {
    let lobbies = open_lobbies(host.open_lobbies);
    format!("{:21}  {}, {lobbies}, {}", address.to_string(), host.name, answer(*round_trip))
}

/// What Enter does on a host of the list.
pub fn going_to(neighbour: &Neighbour) -> String {
    let Neighbour { host, address, round_trip } = neighbour;
    match round_trip {
        Some(_) => format!("Enter goes to {}, {address}, and shows who is waiting.", host.name),
        None => format!("{}, {address}, takes no connection now; Enter tries it.", host.name),
    }
}

impl fmt::Display for NoHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None(time) => write!(
                f,
                "no host was found on this network within {}\nIs nim-server running there, and this machine on the same \
                 network?\nSome networks let no machine find another: type the address that the host's screen shows, as in \
                 nim-client connect 192.168.1.7",
                spoken_time(*time)
            ),
            Self::Several(hosts) => {
                f.write_str("there are several hosts on this network; say which one")?;
                hosts.iter().try_for_each(|host| write!(f, "\n  nim-client connect {}", choice(host)))
            }
        }
    }
}

fn open_lobbies(count: u16) -> String {
    match count {
        1 => "1 open lobby".into(),
        count => format!("{count} open lobbies"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lan::{Host, HostId};

    fn neighbour(name: &str, last: u8, open_lobbies: u16, round_trip: Option<u64>) -> Neighbour {
        let address = ([192, 168, 1, last], 7646).into();
        let (name, version) = (name.parse().unwrap(), "0.1.0".parse().unwrap());
        let host = Host { id: HostId(last.into()), name, version, addresses: vec![address], open_lobbies };
        Neighbour { host, address, round_trip: round_trip.map(Duration::from_micros) }
    }

    #[test]
    fn hosts_stand_in_columns() {
        let hosts = [neighbour("anna's laptop", 7, 2, Some(412)), neighbour("zoë", 110, 0, None)];
        assert_eq!(
            table(&hosts),
            [
                "host           address             round trip  open lobbies  version",
                "anna's laptop  192.168.1.7:7646    0.4 ms      2             0.1.0",
                "zoë            192.168.1.110:7646  no answer   0             0.1.0",
            ]
        );
        assert_eq!(choice(&hosts[0]), "192.168.1.7:7646       anna's laptop, 2 open lobbies");
        assert_eq!(choice(&hosts[1]), "192.168.1.110:7646     zoë, 0 open lobbies, takes no connection now");
    }
}
