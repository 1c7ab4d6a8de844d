//! How a node becomes a member and stays one.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::agreeing::{self, Agreed};
use super::error::JoinError;
use super::living::Living;
use super::membership::Membership;
use crate::cluster::about::About;
use crate::cluster::engine::{Compare, Engine, EngineError, Key, Lease, LeaseId, Operation, Range, Txn};
use crate::cluster::keys::{self, Epoch, NodeName};

/// How long a node's lease lasts where the host says nothing else, and the shortest one. etcd grants no shorter one than
/// three halves of its election time-out: 750 ms, rounded up, at an election time-out of 500 ms.
pub const LEASE: Duration = Duration::from_secs(1);

/// The longest lease that a host may choose.
pub const LONGEST_LEASE: Duration = Duration::from_secs(10);

/// How long a name may be taken before a living node has it: the lease of one that has died ends before.
const TAKEN_WITHIN: Duration = LONGEST_LEASE.saturating_add(Duration::from_secs(1));

/// How long a name may be taken before that is said.
const TAKEN_FOR_A_MOMENT: Duration = Duration::from_secs(2);

/// How long etcd may not answer before joining is given up.
const JOIN_WITHIN: Duration = Duration::from_secs(10);

/// The pause before something is tried again.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// How many times in a lease it is kept alive: some requests may get no answer.
const BEATS: u32 = 4;

/// A member of the cluster. Where it is dropped, its lease ends by itself, as if the process had died.
#[derive(Debug)]
pub struct Node {
    engine: Arc<dyn Engine>,
    membership: Membership,
    lease: LeaseId,
    _staying: AbortOnDropHandle<()>,
}

impl Node {
    /// Joins under this name. `about` is what others read of this node. A node of the same name that has
    /// died a moment ago is waited for until its lease has ended. The lease lasts for `ttl`, rounded up to
    /// whole seconds, and at most for [`LONGEST_LEASE`].
    pub async fn join(
        engine: Arc<dyn Engine>,
        name: &NodeName,
        about: &About,
        ttl: Duration,
    ) -> Result<Self, JoinError> {
        let joining = Joining { engine, key: keys::node(name), name, about, ttl };
        let (begun, mut is_said) = (Instant::now(), false);
        loop {
            match joining.attempt().await {
                Ok(Attempt::Joined(lease, membership)) => {
                    return Ok(Self::of(joining.engine, lease, membership));
                }
                Ok(Attempt::Taken(lease)) if begun.elapsed() > TAKEN_WITHIN => {
                    let key = joining.engine.whole_key(&joining.key);
                    return Err(match lease {
                        Some(_) => JoinError::InUse(name.clone()),
                        None => JoinError::Unleased { name: name.clone(), key },
                    });
                }
                Err(JoinError::Engine(error)) if error.is_in_doubt() && begun.elapsed() <= JOIN_WITHIN => {
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Err(error) => return Err(error),
                Ok(Attempt::Taken(_)) => {
                    if begun.elapsed() > TAKEN_FOR_A_MOMENT && !is_said {
                        is_said = true;
                        tracing::warn!(
                            "a node called {name} is there, or has just died: this one waits up to {} s for its end",
                            TAKEN_WITHIN.as_secs()
                        );
                    }
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Ok(Attempt::Crossed) => tokio::time::sleep(RETRY_PAUSE).await,
            }
        }
    }

    fn of(engine: Arc<dyn Engine>, lease: Lease, membership: Membership) -> Self {
        let staying = stay(Arc::clone(&engine), lease, membership.clone());
        let staying = AbortOnDropHandle::new(tokio::spawn(staying));
        Self { engine, membership, lease: lease.id, _staying: staying }
    }

    /// What it knows of its membership.
    pub fn membership(&self) -> &Membership {
        &self.membership
    }

    /// Ends the membership at once, so that others take over without waiting for the end of the lease.
    ///
    /// # Errors
    ///
    /// If etcd does not answer: the lease then ends by itself.
    pub async fn leave(self) -> Result<(), EngineError> {
        self.membership.fence_off();
        match self.engine.revoke(self.lease).await {
            Err(EngineError::NoSuchLease) => Ok(()),
            left => left,
        }
    }
}

/// What is asked for by a node that joins.
struct Joining<'a> {
    engine: Arc<dyn Engine>,
    key: Key,
    name: &'a NodeName,
    about: &'a About,
    ttl: Duration,
}

enum Attempt {
    Joined(Lease, Membership),
    /// The name is taken, by a key with this lease.
    Taken(Option<LeaseId>),
    /// Another node has joined at the same time.
    Crossed,
}

impl Joining<'_> {
    async fn attempt(&self) -> Result<Attempt, JoinError> {
        let agreed = Agreed::read(&*self.engine).await??;
        let format = agreed.with(self.name, self.about, &Living::read(&*self.engine).await?)?;
        let asked = Instant::now();
        let lease = self.engine.grant(self.ttl).await?;
        let put = Operation::Put { key: self.key.clone(), value: self.about.value(), lease: Some(lease.id) };
        let txn = Txn {
            compares: vec![Compare::Absent(self.key.clone()), agreed.unchanged()],
            then: vec![put, agreeing::put(format)],
            otherwise: vec![Operation::get(self.key.clone())],
        };
        let reply = match self.engine.txn(txn.clone()).await {
            // The same again tells by the lease whether it was run.
            Err(error) if error.is_in_doubt() => self.engine.txn(txn).await?,
            reply => reply?,
        };
        let created = match reply.found_key(0) {
            None if reply.held => reply.revision,
            Some(found) if found.lease == Some(lease.id) => found.created,
            found => {
                // It would end by itself.
                let _ = self.engine.revoke(lease.id).await;
                return Ok(found.map_or(Attempt::Crossed, |found| Attempt::Taken(found.lease)));
            }
        };
        let membership = Membership::new(Epoch(created), self.key.clone(), lease, asked, format);
        Ok(Attempt::Joined(lease, membership))
    }
}

/// Keeps a lease alive, and looks at the node's key, until one of them has ended. The lease never waits for a read: after
/// etcd's leader has died, reads may be silent for longer than the lease lasts.
async fn stay(engine: Arc<dyn Engine>, lease: Lease, membership: Membership) {
    let pause = lease.ttl / BEATS;
    tokio::select! {
        () = keep_alive(&*engine, lease.id, pause, &membership) => {}
        () = look_after_key(&*engine, lease.id, pause, &membership) => {}
    }
    membership.fence_off();
}

/// Keeps a lease alive until it has ended.
async fn keep_alive(engine: &dyn Engine, lease: LeaseId, pause: Duration, membership: &Membership) {
    loop {
        let asked = Instant::now();
        let kept = engine.keep_alive(lease).await;
        if kept.is_ok() {
            membership.note_kept_alive(asked);
        }
        let Some(pause) = next_pause(kept, pause) else { return };
        tokio::time::sleep(pause).await;
    }
}

/// Looks at the node's key until that is gone. An etcd that was restored from a snapshot may have the lease: the key, and
/// the revision at which it is read, tell that it is not the same any more.
///
/// A key that somebody has set by hand has no lease, and would stay when the node dies.
async fn look_after_key(engine: &dyn Engine, lease: LeaseId, pause: Duration, membership: &Membership) {
    loop {
        let read = engine.range(Range::key(membership.key().clone())).await;
        let is_there = read.and_then(|page| match page.found.first() {
            Some(found) if found.created == membership.epoch().0 && found.lease == Some(lease) => Ok(()),
            _ => Err(EngineError::NoSuchLease),
        });
        let Some(pause) = next_pause(is_there, pause) else { return };
        tokio::time::sleep(pause).await;
    }
}

/// The pause before etcd is asked again; `None` where its answer says that the membership has ended.
fn next_pause(answer: Result<(), EngineError>, usual: Duration) -> Option<Duration> {
    match answer {
        Ok(()) => Some(usual),
        Err(EngineError::NoSuchLease) => None,
        Err(error) if error.is_of_another() => {
            tracing::error!("{error}");
            None
        }
        Err(error) => {
            tracing::debug!(%error, "etcd did not say whether this node is a member");
            Some(RETRY_PAUSE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryEtcd};
    use crate::cluster::node::{FencedOff, TELLING_MARGIN};

    async fn join(engine: Arc<dyn Engine>, name: &str) -> Result<Node, JoinError> {
        Node::join(engine, &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_stays_a_member_while_it_reaches_etcd() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = join(client.clone(), "a").await.unwrap();
        assert_eq!(node.membership().epoch(), Epoch(etcd.revision()));
        for _ in 0..100 {
            tokio::time::sleep(LEASE / 3).await;
            assert!(node.membership().is_certain());
        }
        client.cut_off();
        tokio::time::sleep(LEASE / 4).await;
        client.heal();
        tokio::time::sleep(DEADLINE * 2).await;
        assert!(node.membership().is_certain(), "a short cut does no harm");
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_stays_a_member_while_etcd_answers_no_read() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = join(client.clone(), "a").await.unwrap();
        client.answers_no_read();
        for _ in 0..100 {
            tokio::time::sleep(LEASE / 20).await;
            assert!(node.membership().is_certain());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_is_cut_off_is_not_certain_long_before_its_lease_ends_and_is_fenced_off_for_good() {
        let etcd = MemoryEtcd::default();
        let (client, other) = (etcd.client(), etcd.client());
        let node = join(client.clone(), "a").await.unwrap();
        let mut watch = other.watch("o/".into(), etcd.revision().next()).await.unwrap();
        tokio::time::sleep(LEASE * 5).await;
        client.cut_off();
        let cut = Instant::now();
        while node.membership().is_certain() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(cut.elapsed() + TELLING_MARGIN <= LEASE, "{:?}", cut.elapsed());
        watch.next().await.unwrap();
        assert!(cut.elapsed() + LEASE / BEATS >= LEASE, "{:?}", cut.elapsed());
        assert_eq!(node.membership().check(), Ok(()), "it does not know yet");
        client.heal();
        node.membership().fenced_off().await;
        assert_eq!(node.membership().check(), Err(FencedOff));
        assert!(!node.membership().is_certain());
        let again = join(client, "a").await.unwrap();
        assert!(again.membership().epoch() > node.membership().epoch());
        assert_eq!(node.membership().check(), Err(FencedOff));
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_in_use_is_said_and_a_dead_nodes_name_is_waited_for() {
        let etcd = MemoryEtcd::default();
        let first = join(etcd.client(), "a").await.unwrap();
        let error = join(etcd.client(), "a").await.unwrap_err();
        assert_eq!(error, JoinError::InUse("a".parse().unwrap()));
        assert!(error.to_string().contains("called a and is alive"), "{error}");
        drop(first);
        let begun = Instant::now();
        join(etcd.client(), "a").await.unwrap();
        assert!(begun.elapsed() <= LEASE * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dead_nodes_name_is_waited_for_though_its_lease_was_longer() {
        let etcd = MemoryEtcd::default();
        let (client, about) = (etcd.client(), crate::cluster::sample::about());
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &about, LONGEST_LEASE).await.unwrap();
        drop(node);
        join(client, "a").await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_whose_key_was_set_by_hand_is_fenced_off_and_says_what_to_do() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = join(client.clone(), "a").await.unwrap();
        let key = node.membership().key().clone();
        let put = Operation::put(key, "?");
        client.txn(Txn { then: vec![put], ..Txn::default() }).await.unwrap();
        node.membership().fenced_off().await;
        let error = join(client, "a").await.unwrap_err().to_string();
        assert!(error.contains("etcdctl del nim/o/a"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_leaves_is_gone_at_once() {
        let etcd = MemoryEtcd::default();
        let node = join(etcd.client(), "a").await.unwrap();
        let membership = node.membership().clone();
        node.leave().await.unwrap();
        assert_eq!(membership.check(), Err(FencedOff));
        let begun = Instant::now();
        join(etcd.client(), "a").await.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_joins_once_although_the_reply_was_lost() {
        for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE / 2), Fate::RunLater(DEADLINE * 2)] {
            let etcd = MemoryEtcd::default();
            let client = etcd.client();
            client.lose_reply(fate);
            let node = join(client.clone(), "a").await.unwrap();
            tokio::time::sleep(LEASE * 3).await;
            assert!(node.membership().is_certain(), "{fate:?}");
            let fence = Txn { compares: vec![node.membership().fence()], ..Txn::default() };
            assert!(client.txn(fence).await.unwrap().held, "{fate:?}");
        }
    }
}
