//! The hosts on this network for as long as somebody looks on: they come, change and go, and how near each is gets measured
//! beside that.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::task::JoinSet;

use super::Neighbour;
use crate::lan::{Change, Host, HostId, Lookout, Reach, round_trips};

/// The address at which a host answered first, and how long that took.
type Trip = Option<(SocketAddr, Duration)>;

/// Somebody who looks on. Nothing is sent or heard any more once this is dropped.
pub struct Watch {
    lookout: Lookout,
    found: Vec<Neighbour>,
    /// One for each host at most, however often it says something new.
    trips: JoinSet<(HostId, Trip)>,
    measured: Vec<HostId>,
}

impl Watch {
    /// Begins to look within this reach. Fails as the operating system says.
    ///
    /// Must be called within a tokio runtime.
    pub fn start(reach: Reach) -> io::Result<Self> {
        let lookout = Lookout::start(reach)?;
        Ok(Self { lookout, found: Vec::new(), trips: JoinSet::new(), measured: Vec::new() })
    }

    /// The hosts that are there, once something of them is new: in the order of their names, and those that take no
    /// connection last. Waits as long as it takes; nothing is lost if the future is dropped before it is ready.
    pub async fn next(&mut self) -> Vec<Neighbour> {
        loop {
            let is_new = tokio::select! {
                change = self.lookout.next() => self.note(change),
                Some(measured) = self.trips.join_next() => match measured {
                    Ok((id, trip)) => self.place(id, trip),
                    // It has panicked, and said so.
                    Err(_) => false,
                },
            };
            if is_new {
                self.found.sort_by(|one, other| one.place().cmp(&other.place()));
                return self.found.clone();
            }
        }
    }

    /// Takes in what is new of a host; returns whether the list is another one by it. A new host is on it once it is known
    /// how near it is.
    fn note(&mut self, change: Change) -> bool {
        match change {
            Change::Gone(id) => {
                self.found.retain(|neighbour| neighbour.host.id != id);
                true
            }
            Change::Found(host) | Change::Changed(host) => {
                let known = self.found.iter_mut().find(|neighbour| neighbour.host.id == host.id);
                match known {
                    Some(neighbour) if neighbour.host.addresses == host.addresses => {
                        neighbour.host = host;
                        true
                    }
                    _ => {
                        self.measure(host);
                        false
                    }
                }
            }
        }
    }

    fn measure(&mut self, host: Host) {
        let id = host.id;
        if self.measured.contains(&id) {
            return;
        }
        self.measured.push(id);
        self.trips.spawn(async move { (id, round_trips(&[host]).await.pop().flatten()) });
    }

    /// Puts a host on the list, as it is now, if it still is there.
    fn place(&mut self, id: HostId, trip: Trip) -> bool {
        self.measured.retain(|measured| *measured != id);
        self.found.retain(|neighbour| neighbour.host.id != id);
        let host = self.lookout.hosts().find(|host| host.id == id).cloned();
        self.found.extend(host.and_then(|host| Neighbour::of(host, trip)));
        true
    }
}
