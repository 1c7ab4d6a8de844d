//! Bans and mutes of the whole cluster: what the host of one node does is written to etcd, and applied by all nodes.
//!
//! The key is `ban/`, then `banned/` or `muted/`, then the address. The value is the time at which the rule ends, in
//! ms since 1970, as 8 bytes, the high one first; all bits are set if it holds until it is lifted. It is a
//! [checked](super::checked) value of version 1. A rule with an end has a lease, with which its key goes.

mod rule;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use self::rule::{MOST_BYTES, key, rule_of, value};
use super::engine::{Change, Engine, EngineError, LeaseId, Operation, Txn};
use super::following::{Follower, News, RETRY_PAUSE};
use super::keys;
use super::node::{FencedOff, Membership, Sequence, WriteError};
use crate::server::storage::WallTime;
use crate::server::{Rule, RuleChange, SharedRules};

/// What has changed in the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Applied {
    /// These are all bans and mutes.
    All(Vec<Rule>),
    /// One was added or lifted.
    One(RuleChange),
}

/// Shares the bans and mutes of this server, until this node is no member any more. What is not written by then waits in
/// the server's data folder for the node's next life.
pub async fn share_bans(
    engine: Arc<dyn Engine>,
    membership: Membership,
    mut rules: SharedRules,
) -> FencedOff {
    let mut follower = Follower::new(Arc::clone(&engine), keys::BANS, MOST_BYTES);
    let sequence = Sequence::new(Arc::clone(&engine), membership.clone(), keys::acts(membership.epoch()));
    let mut writer = Writer { engine, sequence };
    // However much is to be written, first those hold that etcd has.
    let mut has_read = false;
    loop {
        let unshared = rules.unshared();
        tokio::select! {
            () = membership.fenced_off() => return FencedOff,
            act = std::future::ready(unshared.as_ref()), if has_read && unshared.is_some() => {
                if let Some(act) = act
                    && let Err(off) = writer.share(act, &rules).await
                {
                    return off;
                }
            }
            () = rules.changed() => {}
            news = follower.next() => {
                has_read = true;
                for applied in changes_of(news) {
                    match applied {
                        Applied::All(all) => rules.replace(&all),
                        Applied::One(change) => rules.apply(&change),
                    }
                }
            }
        }
    }
}

fn changes_of(news: News) -> Vec<Applied> {
    match news {
        News::All(all, _) => {
            let rules = all.iter().filter_map(|found| rule_of(&found.key, Some(&found.value)));
            vec![Applied::All(rules.collect())]
        }
        News::Changed(changed) => {
            let known = changed.changes.iter().filter_map(|change| match change {
                Change::Put(found) => rule_of(&found.key, Some(&found.value)).map(RuleChange::Set),
                Change::Deleted(key) => {
                    rule_of(key, None).map(|rule| RuleChange::Lifted(rule.what, rule.address))
                }
            });
            known.map(Applied::One).collect()
        }
    }
}

/// Writes what this node's host does.
struct Writer {
    engine: Arc<dyn Engine>,
    sequence: Sequence,
}

impl Writer {
    /// Writes an act. Where that fails, it waits.
    async fn share(&mut self, act: &RuleChange, rules: &SharedRules) -> Result<(), FencedOff> {
        match self.write(act).await {
            Ok(true) => rules.note_shared(act).await,
            Ok(false) => {}
            Err(WriteError::FencedOff(off)) => {
                tracing::warn!(
                    ?act,
                    "the other nodes know of this act of the host once this one has joined anew"
                );
                return Err(off);
            }
            Err(WriteError::Engine(error)) => {
                tracing::warn!(%error, "the other nodes do not know yet what the host has done");
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
        Ok(())
    }

    /// Returns whether it was written.
    async fn write(&mut self, act: &RuleChange) -> Result<bool, WriteError> {
        let operation = match act {
            RuleChange::Set(rule) => {
                let lease = self.lease(rule).await?;
                Operation::Put { key: key(rule.what, rule.address), value: value(rule), lease }
            }
            RuleChange::Lifted(what, address) => Operation::Delete(key(*what, *address)),
        };
        let txn = Txn { then: vec![operation], ..Txn::default() };
        Ok(self.sequence.run(txn).await?.held)
    }

    /// The lease of a rule that ends.
    async fn lease(&self, rule: &Rule) -> Result<Option<LeaseId>, EngineError> {
        let Some(until) = rule.until else { return Ok(None) };
        let left = Duration::from_millis(until.saturating_sub(WallTime::now().0));
        Ok(Some(self.engine.grant((left + SLACK).min(LONGEST)).await?.id))
    }
}

/// How much longer the lease of a rule lasts than the rule, which ends by itself: while etcd is slow, the rule must not
/// come too late for its lease.
const SLACK: Duration = Duration::from_secs(30);

/// The longest lease: etcd grants none of more than 9,000,000,000 s.
const LONGEST: Duration = Duration::from_hours(2_500_000);
