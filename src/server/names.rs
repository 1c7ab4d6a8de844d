//! The names of everyone who is connected. No two look alike or are equal once they are folded (capitals and
//! Unicode forms), and none looks like a word by which a client refers to somebody.
//!
//! Where several servers share their lobbies, a name belongs to one of them: who says hello gets one that no other
//! server has, and who comes from another server keeps the one that they have.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use super::peers::Peers;
use crate::lobby::Name;

/// Words that stand for somebody in a client's sentences, and the bots' names.
const RESERVED: [&str; 8] =
    ["minimax", "maximin", "you", "somebody", "nobody", "the first side", "the second side", "the host"];

/// The last number that is tried in order after a name in use. Beyond it numbers are random, so that a crowd
/// of one name costs no long search.
const MAX_IN_TURN: u32 = 200;

/// The range of the random numbers.
const DRAWN: Range<u32> = 1_000..1_000_000;

/// How many names that other servers have are tried in order before the numbers are random: each costs a request to
/// all of them.
const ASKED_IN_TURN: usize = 4;

/// How many random numbers are tried after that. That a second one is needed means that something else is wrong, and
/// nobody is kept from playing by it.
const ASKED_AT_RANDOM: usize = 4;

/// How long somebody who says hello waits for a name. The others answer within a few milliseconds, unless very many come at
/// once: most of those come back to their seats, which have names.
const CLAIM_WITHIN: Duration = Duration::from_millis(100);

/// The names in use and the reserved words.
#[derive(Debug, Clone)]
pub(super) struct Names(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Held for a look-up only.
    in_use: Mutex<InUse>,
    /// The other servers, if this is one of several.
    peers: Option<Arc<dyn Peers>>,
}

/// Names, [folded](Name::folded) and by their [look](Name::look).
#[derive(Debug, PartialEq, Eq)]
struct InUse {
    keys: HashSet<String>,
    /// How often each is in use besides. That is rare: somebody was here already when the owner of the name came
    /// from another server.
    again: HashMap<String, usize>,
}

impl InUse {
    /// Adds a name, if neither it nor one that looks like it is in use. Returns whether it was added.
    fn add_if_free(&mut self, name: &Name) -> bool {
        let folded = name.folded();
        if self.keys.contains(&folded) {
            return false;
        }
        let look = name.look();
        let is_free = !self.keys.contains(&look);
        if is_free {
            self.keys.extend([folded, look]);
        }
        is_free
    }

    /// Adds a name, even if somebody else has it or one that looks like it.
    fn add(&mut self, name: &Name) {
        let (folded, look) = (name.folded(), name.look());
        let look = Some(look).filter(|look| *look != folded);
        for key in look.into_iter().chain([folded]) {
            if let Some(key) = self.keys.replace(key) {
                *self.again.entry(key).or_default() += 1;
            }
        }
    }

    /// Removes a name that was added. Returns whether nobody else has it, or one that looks like it.
    fn remove(&mut self, name: &Name) -> bool {
        let (folded, look) = (name.folded(), name.look());
        if look != folded {
            self.remove_key(look);
        }
        self.remove_key(folded)
    }

    fn remove_key(&mut self, key: String) -> bool {
        match self.again.remove(&key) {
            None => self.keys.remove(&key),
            Some(1) => false,
            Some(count) => {
                self.again.insert(key, count - 1);
                false
            }
        }
    }
}

/// A name that belongs to one connection as long as this lives.
#[derive(Debug)]
pub(super) struct NameClaim {
    name: Name,
    names: Names,
    /// Whether the other servers may know that this server has it.
    is_shared: bool,
}

impl Names {
    /// No names but the reserved words. Others are claimed among these servers.
    pub(super) fn new(peers: Option<Arc<dyn Peers>>) -> Self {
        let reserved = RESERVED.iter().filter_map(|word| Name::clean(word).ok());
        let keys = reserved.flat_map(|word| [word.folded(), word.look()]).collect();
        Self(Arc::new(Shared { in_use: Mutex::new(InUse { keys, again: HashMap::new() }), peers }))
    }

    /// Claims the name on this server, with a number after it if one that looks alike is taken, as
    /// [some words](RESERVED) always are.
    pub(super) fn claim(&self, wanted: &Name) -> NameClaim {
        self.claim_from(wanted, 1)
    }

    /// Like [`claim`](Self::claim), but tries no lower number than this one; 1 is the name itself.
    fn claim_from(&self, wanted: &Name, first: u32) -> NameClaim {
        let mut number = first;
        let mut name = if number > 1 { wanted.numbered(number) } else { wanted.clone() };
        let mut in_use = self.0.in_use.lock();
        while !in_use.add_if_free(&name) {
            number = if number < MAX_IN_TURN { number + 1 } else { fastrand::u32(DRAWN) };
            name = wanted.numbered(number);
        }
        drop(in_use);
        NameClaim { name, names: self.clone(), is_shared: false }
    }

    /// Claims the name for somebody who says hello, with a number after it if one that looks alike is taken here or
    /// if another server has it. Where nobody can tell within [`CLAIM_WITHIN`], the number is random, so that nobody
    /// else has it.
    pub(super) async fn claim_among_all(&self, wanted: &Name) -> NameClaim {
        let mut claim = self.claim(wanted);
        let Some(peers) = &self.0.peers else { return claim };
        // Those that others have are kept meanwhile, so that the next number is tried.
        let mut refused = Vec::new();
        let due = Instant::now() + CLAIM_WITHIN;
        loop {
            // From now on the other servers may know of it, also if nobody waits for their answer any more.
            claim.is_shared = true;
            if refused.len() == ASKED_IN_TURN + ASKED_AT_RANDOM {
                return claim;
            }
            match timeout_at(due, peers.claim_name(&claim.name)).await {
                Ok(true) => return claim,
                Ok(false) => claim.is_shared = false,
                Err(_) => return self.draw(wanted),
            }
            refused.push(claim);
            let first = if refused.len() < ASKED_IN_TURN { 1 } else { fastrand::u32(DRAWN) };
            claim = self.claim_from(wanted, first);
        }
    }

    /// Claims the name with a random number after it, which nobody else among several servers has, for somebody who needs
    /// none for long or cannot wait. A server that is alone gives the name itself, if it is free.
    pub(super) fn draw(&self, wanted: &Name) -> NameClaim {
        let Some(peers) = &self.0.peers else { return self.claim(wanted) };
        let mut drawn = self.claim_from(wanted, fastrand::u32(DRAWN));
        drawn.is_shared = true;
        peers.take_name_later(&drawn.name);
        drawn
    }

    /// Claims exactly this name for somebody who comes from another server with it, or whose seat does, even if
    /// somebody here has it. A server that is alone gives it a number if it is taken.
    pub(super) fn take(&self, name: &Name) -> NameClaim {
        let Some(peers) = &self.0.peers else { return self.claim(name) };
        peers.take_name(name);
        self.share(name)
    }

    /// Claims exactly this name for somebody who is connected here and has it in another server, which has claimed it
    /// among all. It is taken from there once they are in the hall of this server again.
    pub(super) fn share(&self, name: &Name) -> NameClaim {
        self.use_again(name, true)
    }

    /// Uses the name of a seat in another server, which claims it among all, and gives it up.
    pub(super) fn lend(&self, name: &Name) -> NameClaim {
        self.use_again(name, false)
    }

    fn use_again(&self, name: &Name, is_shared: bool) -> NameClaim {
        self.0.in_use.lock().add(name);
        NameClaim { name: name.clone(), names: self.clone(), is_shared }
    }
}

impl NameClaim {
    /// Whether it is another server's, which claims it among all.
    pub(super) fn is_lent(&self) -> bool {
        !self.is_shared
    }

    pub(super) fn name(&self) -> &Name {
        &self.name
    }
}

impl Drop for NameClaim {
    fn drop(&mut self) {
        let Shared { in_use, peers } = &*self.names.0;
        let is_free = in_use.lock().remove(&self.name);
        if is_free
            && self.is_shared
            && let Some(peers) = peers
        {
            peers.release_name(&self.name);
        }
    }
}
