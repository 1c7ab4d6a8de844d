//! Bans and mutes of addresses. They hold until they end or are lifted, over a restart too: they are kept in a
//! file of the data folder.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use tokio::sync::mpsc;

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

/// All bans and mutes of addresses.
#[derive(Debug, Default)]
pub(super) struct Restrictions {
    /// Held for a look-up.
    rules: Mutex<BTreeMap<(Restriction, IpAddr), Option<WallTime>>>,
    /// Where they are kept, if they are.
    file: Mutex<Option<PathBuf>>,
    /// Who is told what the host changes, if somebody is. No more waits there than a person has typed.
    reports: Mutex<Option<mpsc::UnboundedSender<RuleChange>>>,
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
        let rules: Vec<Rule> = serde_json::from_slice(&bytes)?;
        let of_rule = |rule: Rule| ((rule.what, rule.address), rule.until.map(WallTime));
        *self.rules.lock() = rules.into_iter().map(of_rule).collect();
        *self.file.lock() = Some(path);
        Ok(())
    }

    /// Whether this restriction holds for this address now.
    pub(super) fn holds(&self, what: Restriction, address: IpAddr) -> bool {
        let until = self.rules.lock().get(&(what, address)).copied();
        until.is_some_and(|until| until.is_none_or(|until| WallTime::now() < until))
    }

    /// Adds a restriction for the host, or changes its end. Returns `false` if there are too many.
    pub(super) fn add(&self, rule: &Rule) -> bool {
        let is_added = self.set(rule);
        if is_added {
            self.tell(RuleChange::Set(rule.clone()));
        }
        is_added
    }

    fn set(&self, rule: &Rule) -> bool {
        let mut rules = self.rules.lock();
        rules.retain(|_, until| until.is_none_or(|until| WallTime::now() < until));
        let key = (rule.what, rule.address);
        let has_room = rules.len() < MAX_RULES || rules.contains_key(&key);
        if has_room {
            rules.insert(key, rule.until.map(WallTime));
        }
        has_room
    }

    /// Lifts a restriction for the host. Returns `false` if it does not hold.
    pub(super) fn lift(&self, what: Restriction, address: IpAddr) -> bool {
        let holds = self.holds(what, address);
        self.rules.lock().remove(&(what, address));
        if holds {
            self.tell(RuleChange::Lifted(what, address));
        }
        holds
    }

    /// What the host changes from now on. Only the last call counts.
    pub(super) fn report(&self) -> mpsc::UnboundedReceiver<RuleChange> {
        let (sender, receiver) = mpsc::unbounded_channel();
        *self.reports.lock() = Some(sender);
        receiver
    }

    fn tell(&self, change: RuleChange) {
        if let Some(reports) = &*self.reports.lock() {
            // Nobody may listen any more.
            let _ = reports.send(change);
        }
    }

    /// Applies a change of another server.
    pub(super) fn apply(&self, change: &RuleChange) {
        match change {
            RuleChange::Set(rule) => {
                if !self.set(rule) {
                    tracing::warn!(%rule, "it does not hold here, since there are too many bans and mutes");
                }
            }
            RuleChange::Lifted(what, address) => {
                self.rules.lock().remove(&(*what, *address));
            }
        }
    }

    /// Makes these all that there are.
    pub(super) fn replace(&self, rules: &[Rule]) {
        let of_rule = |rule: &Rule| ((rule.what, rule.address), rule.until.map(WallTime));
        *self.rules.lock() = rules.iter().take(MAX_RULES).map(of_rule).collect();
    }

    /// All that hold now: first the bans, each by their addresses.
    pub(super) fn all(&self) -> Vec<Rule> {
        let (rules, now) = (self.rules.lock(), WallTime::now());
        let hold = rules.iter().filter(|(_, until)| until.is_none_or(|until| now < until));
        let rule = |(&(what, address), until): (&(Restriction, IpAddr), &Option<WallTime>)| Rule {
            what,
            address,
            until: until.map(|until| until.0),
        };
        hold.map(rule).collect()
    }

    /// Writes them into the data folder, if there is one: the whole file at once, which only this user may read.
    pub(super) fn write(&self) -> io::Result<()> {
        let Some(path) = self.file.lock().clone() else { return Ok(()) };
        let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        serde_json::to_writer(&mut file, &self.all())?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(&path).map(drop).map_err(|failed| failed.error)
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
        *restrictions.rules.lock() = rules.map(|rule| ((rule.what, rule.address), None)).collect();
        assert!(!restrictions.add(&ban(0, None)));
        assert!(restrictions.add(&ban(7, Some(0))), "one that is there may change");
        assert!(restrictions.add(&ban(0, None)), "one has ended");
        assert_eq!(restrictions.all().len(), MAX_RULES);
    }
}
