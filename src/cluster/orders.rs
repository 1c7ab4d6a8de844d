//! What the host of one node asks of all nodes, such as words to everybody: each node carries it out once and answers.
//!
//! An order lies at `order/<epoch>/<number>` under a lease of its own, and the answers below it. Both are texts of the
//! server in a [checked] value of version 1. A node carries out those that were made after it has joined.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::checked;
use super::engine::{
    Change, Compare, Engine, EngineError, Key, KeyValue, LeaseId, Operation, Range, Revision, Txn,
};
use super::following::{Follower, News};
use super::format::Format;
use super::keys::{self, Epoch};
use super::node::Membership;
use super::places::Places;
use crate::server::PeerAnswer;

/// How long an order lies in etcd: a node that is cut off for a moment still carries it out.
const LIES_FOR: Duration = Duration::from_secs(30);

/// How long answers are waited for. The host of the node waits, and its program gives up after 10 s.
const WAIT: Duration = Duration::from_millis(1_500);

/// How often answers are looked for meanwhile.
const LOOK: Duration = Duration::from_millis(50);

/// The most bytes of an order or an answer.
const MAX_ORDER: usize = 8 << 10;

/// The orders of this node's host to the others.
#[derive(Debug)]
pub struct Orders {
    engine: Arc<dyn Engine>,
    membership: Membership,
    places: Arc<Places>,
    /// The number of the next one.
    next: AtomicU64,
}

impl Orders {
    /// The orders of a node that has just joined.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership, places: Arc<Places>) -> Self {
        Self { engine, membership, places, next: AtomicU64::new(1) }
    }

    /// Has all other nodes carry out an order. Returns their answers, of those who give one in time.
    ///
    /// # Errors
    ///
    /// Why they do not know of it, as the end of a sentence.
    pub async fn pass_on(&self, order: &str) -> Result<Vec<PeerAnswer>, String> {
        let own = self.membership.epoch();
        let nodes = self.places.nodes();
        let others: BTreeMap<Epoch, String> = nodes
            .iter()
            .filter(|(epoch, _)| **epoch != own)
            .map(|(epoch, (name, _))| (*epoch, format!("node {name}")))
            .collect();
        if others.is_empty() {
            return Ok(Vec::new());
        }
        let key = keys::order(own, self.next.fetch_add(1, Ordering::Relaxed));
        let lease = self.write(&key, order).await?;
        let mut answers = self.answers(&key, others.len()).await;
        if answers.len() >= others.len() {
            // It would end by itself.
            let _ = self.engine.revoke(lease).await;
        }
        let answer = |(epoch, server)| PeerAnswer { server, said: answers.remove(&epoch) };
        Ok(others.into_iter().map(answer).collect())
    }

    async fn write(&self, key: &Key, order: &str) -> Result<LeaseId, String> {
        if order.len() > MAX_ORDER - checked::HEADER {
            return Err(format!("it has {} bytes", order.len()));
        }
        let lease = self.engine.grant(LIES_FOR).await.map_err(|error| error.to_string())?.id;
        let txn = Txn {
            compares: vec![self.membership.fence(), Compare::Absent(key.clone())],
            then: vec![Operation::Put { key: key.clone(), value: value(order), lease: Some(lease) }],
            otherwise: vec![Operation::get(key.clone())],
        };
        let reply = match self.engine.txn(txn.clone()).await {
            // The same again finds it if it has run.
            Err(error) if error.is_in_doubt() => self.engine.txn(txn).await,
            reply => reply,
        };
        let reply = reply.map_err(|error| error.to_string())?;
        if reply.held || reply.found_key(0).is_some() {
            Ok(lease)
        } else {
            Err("they have taken over from this node".into())
        }
    }

    /// The answers to an order, once there are so many or the time is over.
    async fn answers(&self, order: &Key, wanted: usize) -> BTreeMap<Epoch, String> {
        let (until, mut answers) = (Instant::now() + WAIT, BTreeMap::new());
        while answers.len() < wanted && Instant::now() < until {
            tokio::time::sleep(LOOK).await;
            let below = Key::of([order.bytes(), b"/"].concat());
            let Ok(page) = self.engine.range(Range::prefix(&below, wanted)).await else { continue };
            answers.extend(
                page.found
                    .iter()
                    .filter_map(|found| Some((keys::answer_of(&found.key)?, text(&found.value).ok()?))),
            );
        }
        answers
    }
}

/// Carries out the orders of the hosts of other nodes, one after the other, until this node is no member any more. `act`
/// returns the answer; `None` if there is nobody any more who could act.
pub async fn carry_out_orders<F: Future<Output = Option<String>>>(
    engine: Arc<dyn Engine>,
    membership: Membership,
    act: impl Fn(String) -> F,
) {
    let mut follower = Follower::new(Arc::clone(&engine), keys::ORDERS, MAX_ORDER);
    let mut done = membership.epoch().0;
    loop {
        let news = tokio::select! {
            () = membership.fenced_off() => return,
            news = follower.next() => news,
        };
        for order in new_orders(news, membership.epoch(), done) {
            done = done.max(order.created);
            let answer = match text(&order.value) {
                Ok(text) => act(text).await,
                Err(why) => {
                    tracing::warn!(key = %order.key, why, "what the host of another node asks cannot be read");
                    None
                }
            };
            if let Some(answer) = answer
                && let Err(error) = reply(&*engine, &membership, &order, &answer).await
            {
                tracing::debug!(%error, "the host of another node is not told what became of an act");
            }
        }
    }
}

/// The orders of others that came after a revision, in their order.
fn new_orders(news: News, own: Epoch, after: Revision) -> Vec<KeyValue> {
    let mut orders: Vec<KeyValue> = match news {
        News::All(all, _) => all,
        News::Changed(changed) => changed
            .changes
            .into_iter()
            .filter_map(|change| match change {
                Change::Put(found) => Some(found),
                Change::Deleted(_) => None,
            })
            .collect(),
    };
    orders.retain(|found| {
        found.created > after && keys::order_of(&found.key).is_some_and(|epoch| epoch != own)
    });
    orders.sort_by_key(|found| found.created);
    orders
}

/// Answers to an order. Its lease may have ended, which says nothing of this node's own.
async fn reply(
    engine: &dyn Engine,
    membership: &Membership,
    order: &KeyValue,
    answer: &str,
) -> Result<(), EngineError> {
    let (key, lease) = (keys::answer(&order.key, membership.epoch()), order.lease);
    let then = vec![Operation::Put { key, value: value(answer), lease }];
    let compares = vec![membership.fence(), Compare::CreatedAt(order.key.clone(), order.created)];
    engine.txn(Txn { compares, then, ..Txn::default() }).await.map(drop)
}

fn value(text: &str) -> Bytes {
    checked::finish(Format::FIRST, [&[0; checked::HEADER][..], text.as_bytes()].concat())
}

fn text(value: &[u8]) -> Result<String, String> {
    if value.len() > MAX_ORDER {
        return Err(format!("it has {} bytes", value.len()));
    }
    let content = checked::content(value)?;
    String::from_utf8(content.to_vec()).map_err(|_| "it is no text".into())
}

#[cfg(test)]
mod tests;
