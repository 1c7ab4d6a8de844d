//! The hosts that were found, each once: who came, who changed, who is gone. Knows no network and no clock; addresses
//! and instants are given to it.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::time::Instant;

use super::{Card, HostId, HostName, Version};

/// The most hosts that are listed: more than there are machines in a classroom, and a screen or two.
pub const MAX_HOSTS: usize = 64;

/// The most hosts that are listed at one address: a machine runs a few servers, and none takes the room of all others.
pub const MAX_AT_ADDRESS: usize = 8;

/// The most addresses of one host: cable and wireless, of both protocols.
pub const MAX_ADDRESSES: usize = 4;

/// After how much silence a host is gone that has answered before: three requests of [`super::lookout`], and some.
pub const SILENCE: Duration = Duration::from_secs(17);

/// A host on this network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Which one it is; another one once it has been started again.
    pub id: HostId,
    /// What it is called. Two may have the same name.
    pub name: HostName,
    /// The version of its program.
    pub version: Version,
    /// Where it hosts: one address at least, [`MAX_ADDRESSES`] at most, those of the older protocol first.
    pub addresses: Vec<SocketAddr>,
    /// How many lobbies anybody may join; 65,535 stands for more too.
    pub open_lobbies: u16,
}

/// What is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// This host is there.
    Found(Host),
    /// It was there before, and is different now.
    Changed(Host),
    /// It is there no more.
    Gone(HostId),
}

/// All hosts, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Roll(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    host: Host,
    /// The name under which it was announced, if it was.
    announced: Option<String>,
    /// When it last answered, if it ever did.
    answered: Option<Instant>,
}

impl Entry {
    fn is_at(&self, ip: IpAddr) -> bool {
        self.host.addresses.iter().any(|address| address.ip() == ip)
    }

    fn is_silent(&self, now: Instant) -> bool {
        // Whoever is dead goes on being announced by what others remember of it: an answer that stays out says more.
        self.answered.is_some_and(|answered| now > answered + SILENCE)
    }
}

impl Roll {
    /// The hosts that are there.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &Host> {
        self.0.iter().map(|entry| &entry.host)
    }

    /// A host has answered a request. Where there is no room, it takes that of one which was only announced: what is announced
    /// anybody can say, whatever address it names.
    pub(super) fn note_answer(&mut self, card: Card, address: SocketAddr, now: Instant) -> Vec<Change> {
        let mut changes = Vec::new();
        if !self.knows(card.id) && !self.has_room(address.ip()) {
            let is_crowded = self.count_at(address.ip()) >= MAX_AT_ADDRESS;
            let last = self
                .0
                .iter()
                .rposition(|entry| entry.answered.is_none() && (!is_crowded || entry.is_at(address.ip())));
            changes.extend(last.map(|at| Change::Gone(self.0.remove(at).host.id)));
        }
        if let Some((entry, change)) = self.note(card, &[address]) {
            entry.answered = Some(now);
            changes.extend(change);
        }
        changes
    }

    /// A host was announced under this name.
    pub(super) fn note_announcement(
        &mut self,
        card: Card,
        addresses: &[SocketAddr],
        announced: String,
    ) -> Option<Change> {
        let (entry, change) = self.note(card, addresses)?;
        entry.announced = Some(announced);
        change
    }

    /// What was announced under this name is no more.
    pub(super) fn note_goodbye(&mut self, announced: &str) -> Option<Change> {
        let at = self.0.iter().position(|entry| entry.announced.as_deref() == Some(announced))?;
        Some(Change::Gone(self.0.remove(at).host.id))
    }

    /// Takes those out of whom nothing has been heard for too long.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<Change> {
        self.0.extract_if(.., |entry| entry.is_silent(now)).map(|entry| Change::Gone(entry.host.id)).collect()
    }

    fn knows(&self, id: HostId) -> bool {
        self.0.iter().any(|entry| entry.host.id == id)
    }

    /// Whether one more host has room that is at this address.
    fn has_room(&self, ip: IpAddr) -> bool {
        self.0.len() < MAX_HOSTS && self.count_at(ip) < MAX_AT_ADDRESS
    }

    fn count_at(&self, ip: IpAddr) -> usize {
        self.0.iter().filter(|entry| entry.is_at(ip)).count()
    }

    /// Enters a host, or what is new of it. `None` where there is no address or no more room.
    fn note(&mut self, card: Card, addresses: &[SocketAddr]) -> Option<(&mut Entry, Option<Change>)> {
        let at = self.0.iter().position(|entry| entry.host.id == card.id);
        let has_room = || addresses.iter().all(|address| self.has_room(address.ip()));
        if addresses.is_empty() || (at.is_none() && !has_room()) {
            return None;
        }
        let mut known = at.map_or_else(Vec::new, |at| self.0[at].host.addresses.clone());
        add(&mut known, addresses);
        let Card { id, name, version, open_lobbies, .. } = card;
        let host = Host { id, name, version, addresses: known, open_lobbies };
        let Some(at) = at else {
            self.0.push(Entry { host: host.clone(), announced: None, answered: None });
            return Some((self.0.last_mut()?, Some(Change::Found(host))));
        };
        let entry = &mut self.0[at];
        let change = (entry.host != host).then(|| Change::Changed(host.clone()));
        entry.host = host;
        Some((entry, change))
    }
}

/// Adds addresses as long as there is room for them.
fn add(known: &mut Vec<SocketAddr>, others: &[SocketAddr]) {
    for address in others {
        if known.len() < MAX_ADDRESSES && !known.contains(address) {
            known.push(*address);
        }
    }
    known.sort_by_key(|address| (address.is_ipv6(), *address));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(id: u64, open_lobbies: u16) -> Card {
        let (name, version) = ("laptop".parse().unwrap(), "0.1.0".parse().unwrap());
        Card { id: HostId(id), name, version, port: 7646, open_lobbies }
    }

    fn at(last: u8) -> SocketAddr {
        SocketAddr::from(([192, 168, 1, last], 7646))
    }

    #[test]
    fn a_host_that_is_found_twice_is_one_with_all_its_addresses() {
        let (mut roll, now) = (Roll::default(), Instant::now());
        assert!(matches!(roll.note_answer(card(1, 0), at(7), now)[..], [Change::Found(_)]));
        assert_eq!(roll.note_answer(card(1, 0), at(7), now), [], "that is nothing new");
        let announced = roll.note_announcement(card(1, 0), &[at(9), at(7), at(8)], "laptop".into());
        let Some(Change::Changed(host)) = announced else { panic!("{announced:?}") };
        assert_eq!(host.addresses, [at(7), at(8), at(9)]);
        assert_eq!(roll.hosts().collect::<Vec<_>>(), [&host]);
        let changed = roll.note_answer(card(1, 5), at(7), now);
        assert!(matches!(&changed[..], [Change::Changed(host)] if host.open_lobbies == 5));
    }

    #[test]
    fn whoever_answers_no_more_is_gone_whatever_was_announced() {
        let (mut roll, now) = (Roll::default(), Instant::now());
        roll.note_announcement(card(1, 0), &[at(7)], "laptop".into());
        roll.note_announcement(card(2, 0), &[at(8)], "tower".into());
        roll.note_answer(card(1, 0), at(7), now);
        assert!(roll.expire(now + SILENCE).is_empty());
        let late = now + SILENCE + Duration::from_millis(1);
        assert_eq!(roll.expire(late), [Change::Gone(HostId(1))], "the other never answered, and need not");
        assert_eq!(roll.note_goodbye("laptop"), None);
        assert_eq!(roll.note_goodbye("tower"), Some(Change::Gone(HostId(2))));
        assert_eq!(roll.hosts().count(), 0);
    }

    #[test]
    fn a_flood_of_hosts_fills_the_list_and_no_more() {
        let (mut roll, now) = (Roll::default(), Instant::now());
        for id in 0..1_000 {
            roll.note_answer(card(id, 0), at(7), now);
        }
        assert_eq!(roll.hosts().count(), MAX_AT_ADDRESS, "they are one machine");
        for id in 1_000..2_000 {
            roll.note_answer(card(id, 0), at((id % 100) as u8), now);
        }
        for last in 0..100 {
            roll.note_answer(card(1, 0), at(last), now);
        }
        assert_eq!(roll.hosts().count(), MAX_HOSTS);
        assert!(roll.hosts().all(|host| host.addresses.len() <= MAX_ADDRESSES));
        assert_eq!(roll.note_announcement(card(2_000, 0), &[], "nowhere".into()), None);
    }

    #[test]
    fn whoever_answers_finds_room_whatever_others_have_announced() {
        let (mut roll, now) = (Roll::default(), Instant::now());
        // Somebody announces more names than there is room for, also at the address of somebody else.
        for id in 0..1_000 {
            let last = if id % 2 == 0 { 7 } else { (id % 50) as u8 + 100 };
            roll.note_announcement(card(id, 0), &[at(last)], format!("liar {id}"));
        }
        assert_eq!(roll.hosts().count(), MAX_HOSTS);
        for (id, last) in [(2_000, 7), (2_001, 8)] {
            let changes = roll.note_answer(card(id, 0), at(last), now);
            let [Change::Gone(_), Change::Found(host)] = &changes[..] else { panic!("{changes:?}") };
            assert_eq!(host.id, HostId(id));
        }
        assert_eq!(roll.hosts().count(), MAX_HOSTS);
        // What has answered stays.
        for id in 3_000..4_000 {
            roll.note_answer(card(id, 0), at(9), now);
        }
        assert!(roll.knows(HostId(2_000)) && roll.knows(HostId(2_001)));
    }
}
