//! Bans and mutes of addresses. They hold until they end or are lifted, over a restart too: they are kept in a
//! file of the data folder. Where several servers share them, it says as well which of them the others do not know yet.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::IpAddr;
use std::ops::Not;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use tokio::sync::watch;

use super::limits::address_text;
use super::storage::WallTime;
use crate::record::Date;

/// The file in the data folder.
const FILE: &str = "restrictions.json";

/// The most bans and mutes at a time.
pub(super) const MAX_RULES: usize = 10_000;

/// The most bytes of the file: more than that many bans and mutes take.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// What an address may not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restriction {
    /// Connect.
    Ban,
    /// Chat.
    Mute,
}

/// A ban or a mute of an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// What the address may not do.
    pub what: Restriction,
    /// The address, as the limits count it.
    pub address: IpAddr,
    /// Until when, in milliseconds since 1970 in UTC; `None` until it is lifted.
    pub until: Option<u64>,
}

/// A change of the bans and mutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleChange {
    /// One was added, or has another end.
    Set(Rule),
    /// This restriction of this address was lifted.
    Lifted(Restriction, IpAddr),
}

impl RuleChange {
    /// Which restriction of which address it is about.
    fn about(&self) -> (Restriction, IpAddr) {
        match self {
            Self::Set(rule) => (rule.what, rule.address),
            Self::Lifted(what, address) => (*what, *address),
        }
    }
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ban => "banned",
            Self::Mute => "muted",
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self { what, until, .. }, address) = (self, address_text(self.address));
        match until {
            Some(until) => write!(f, "{address} is {what} until {}", Date::of_millis(*until)),
            None => write!(f, "{address} is {what} until that is lifted"),
        }
    }
}

/// A ban or a mute as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kept {
    /// Until when it holds; `None` until it is lifted. One that was lifted, which the others do not know yet, has ended
    /// in 1970.
    until: Option<WallTime>,
    /// Whether the others know of it. Where there are no others, nobody does.
    is_shared: bool,
}

/// The end of one that was lifted.
const LIFTED: Option<WallTime> = Some(WallTime(0));

impl Kept {
    fn holds(self) -> bool {
        self.until.is_none_or(|until| WallTime::now() < until)
    }

    fn rule(self, (what, address): (Restriction, IpAddr)) -> Rule {
        Rule { what, address, until: self.until.map(|until| until.0) }
    }

    /// What the host has done, for the others.
    fn change(self, (what, address): (Restriction, IpAddr)) -> RuleChange {
        if self.holds() {
            RuleChange::Set(self.rule((what, address)))
        } else {
            RuleChange::Lifted(what, address)
        }
    }
}

/// A ban or a mute in the file.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    rule: Rule,
    #[serde(default, skip_serializing_if = "Not::not")]
    shared: bool,
}

/// All bans and mutes of addresses.
#[derive(Debug, Default)]
pub(super) struct Restrictions {
    /// Held for a look-up.
    rules: Mutex<BTreeMap<(Restriction, IpAddr), Kept>>,
    /// Where they are kept, if they are. Held while they are written, so that what is written last is the newest.
    file: Mutex<Option<PathBuf>>,
    /// Whether there are other servers that are told.
    are_shared: AtomicBool,
    /// Changes whenever the host has done something, or the others know of it.
    changes: watch::Sender<()>,
}

impl Restrictions {
    /// Reads those of this data folder, and keeps them there from now on.
    pub(super) fn keep_in(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(FILE);
        let mut bytes = Vec::new();
        match File::open(&path) {
            Ok(file) => file.take(MAX_FILE).read_to_end(&mut bytes).map(drop)?,
            Err(error) if error.kind() == ErrorKind::NotFound => bytes.extend(b"[]"),
            Err(error) => return Err(error),
        }
        let entries: Vec<Entry> = serde_json::from_slice(&bytes)?;
        let of_entry = |Entry { rule: Rule { what, address, until }, shared }| {
            ((what, address), Kept { until: until.map(WallTime), is_shared: shared })
        };
        *self.rules.lock() = entries.into_iter().map(of_entry).collect();
        *self.file.lock() = Some(path);
        Ok(())
    }

    /// Whether this restriction holds for this address now.
    pub(super) fn holds(&self, what: Restriction, address: IpAddr) -> bool {
        let kept = self.rules.lock().get(&(what, address)).copied();
        kept.is_some_and(Kept::holds)
    }

    /// Adds a restriction for the host, or changes its end. Returns `false` if there are too many.
    pub(super) fn add(&self, rule: &Rule) -> bool {
        let is_added = self.set(rule, false);
        self.changes.send_replace(());
        is_added
    }

    fn set(&self, rule: &Rule, is_shared: bool) -> bool {
        let (mut rules, are_shared) = (self.rules.lock(), self.are_shared());
        rules.retain(|_, kept| kept.holds() || (are_shared && !kept.is_shared));
        let key = (rule.what, rule.address);
        let has_room = rules.len() < MAX_RULES || rules.contains_key(&key);
        if has_room {
            rules.insert(key, Kept { until: rule.until.map(WallTime), is_shared });
        }
        has_room
    }

    /// Lifts a restriction for the host. Returns `false` if it does not hold.
    pub(super) fn lift(&self, what: Restriction, address: IpAddr) -> bool {
        let holds = self.holds(what, address);
        if holds && self.are_shared() {
            self.rules.lock().insert((what, address), Kept { until: LIFTED, is_shared: false });
            self.changes.send_replace(());
        } else if holds {
            self.rules.lock().remove(&(what, address));
        }
        holds
    }

    /// From now on there are other servers that are told what the host does.
    pub(super) fn share(&self) {
        self.are_shared.store(true, Ordering::Release);
    }

    fn are_shared(&self) -> bool {
        self.are_shared.load(Ordering::Acquire)
    }

    /// Changes whenever the host has done something, or the others know of it.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Something that the host has done, and the others do not know yet.
    pub(super) fn unshared(&self) -> Option<RuleChange> {
        let rules = self.rules.lock();
        rules.iter().find(|(_, kept)| !kept.is_shared).map(|(key, kept)| kept.change(*key))
    }

    /// Waits until the others know what the host has done about this address.
    pub(super) async fn shared(&self, what: Restriction, address: IpAddr) {
        let mut changes = self.changes();
        while self.rules.lock().get(&(what, address)).is_some_and(|kept| !kept.is_shared) {
            // The sender lives as long as this.
            let _ = changes.changed().await;
        }
    }

    /// Notes that the others know of this change, unless the host has done something else meanwhile.
    pub(super) fn note_shared(&self, change: &RuleChange) {
        let (what, address) = change.about();
        let mut rules = self.rules.lock();
        if let Some(kept) = rules.get_mut(&(what, address))
            && kept.change((what, address)) == *change
        {
            kept.is_shared = true;
            if matches!(change, RuleChange::Lifted(..)) {
                rules.remove(&(what, address));
            }
        }
        drop(rules);
        self.changes.send_replace(());
    }

    /// Applies a change of another server. What this one's host has done, and the others do not know yet, comes after it.
    pub(super) fn apply(&self, change: &RuleChange) {
        let key = change.about();
        if self.rules.lock().get(&key).is_some_and(|kept| !kept.is_shared) {
            return;
        }
        match change {
            RuleChange::Set(rule) => {
                if !self.set(rule, true) {
                    tracing::warn!(%rule, "it does not hold here, since there are too many bans and mutes");
                }
            }
            RuleChange::Lifted(..) => drop(self.rules.lock().remove(&key)),
        }
    }

    /// Makes these all that there are, with what this server's host has done and the others do not know yet.
    pub(super) fn replace(&self, rules: &[Rule]) {
        let of_rule = |rule: &Rule| {
            ((rule.what, rule.address), Kept { until: rule.until.map(WallTime), is_shared: true })
        };
        let mut held = self.rules.lock();
        let before = std::mem::replace(&mut *held, rules.iter().take(MAX_RULES).map(of_rule).collect());
        for (key, kept) in before {
            if !kept.is_shared {
                held.insert(key, kept);
            } else if kept.holds() && !held.contains_key(&key) {
                let (what, address) = (key.0, address_text(key.1));
                tracing::info!("{address} is not {what} any more, since that was lifted at another node");
            }
        }
    }

    /// All that hold now: first the bans, each by their addresses.
    pub(super) fn all(&self) -> Vec<Rule> {
        let rules = self.rules.lock();
        rules.iter().filter(|(_, kept)| kept.holds()).map(|(key, kept)| kept.rule(*key)).collect()
    }

    /// Writes them into the data folder, if there is one: the whole file at once, which only this user may read.
    pub(super) fn write(&self) -> io::Result<()> {
        let place = self.file.lock();
        let Some(path) = &*place else { return Ok(()) };
        let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        serde_json::to_writer(&mut file, &self.entries())?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|failed| failed.error)
    }

    fn entries(&self) -> Vec<Entry> {
        let (rules, are_shared) = (self.rules.lock(), self.are_shared());
        let lasting = rules.iter().filter(|(_, kept)| kept.holds() || (are_shared && !kept.is_shared));
        lasting.map(|(key, kept)| Entry { rule: kept.rule(*key), shared: kept.is_shared }).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn beyond_the_most_rules_the_next_one_is_refused_until_one_ends() {
        let restrictions = Restrictions::default();
        let ban = |number: usize, until: Option<u64>| Rule {
            what: Restriction::Ban,
            address: Ipv4Addr::from_bits(u32::try_from(number).unwrap()).into(),
            until,
        };
        let rules = (1..=MAX_RULES).map(|number| ban(number, None));
        let kept = Kept { until: None, is_shared: false };
        *restrictions.rules.lock() = rules.map(|rule| ((rule.what, rule.address), kept)).collect();
        assert!(!restrictions.add(&ban(0, None)));
        assert!(restrictions.add(&ban(7, Some(0))), "one that is there may change");
        assert!(restrictions.add(&ban(0, None)), "one has ended");
        assert_eq!(restrictions.all().len(), MAX_RULES);
    }
}
