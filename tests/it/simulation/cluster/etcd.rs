//! The host that plays etcd, and the ways to it. A question and its answer each take a step of time, and etcd has a
//! clock of its own, which no crash of a node stops.

use std::sync::Arc;
use std::time::Duration;

use nim::cluster::engine::memory::{Fate, MemoryClient, MemoryEtcd};
use nim::cluster::engine::{
    Answer, Engine, EngineError, EngineMaker, Key, Lease, LeaseId, Operation, Page, Range, Revision, Txn,
    TxnReply, Watch,
};
use nim::cluster::keys;
use tokio::sync::{Mutex, mpsc, oneshot};

/// What etcd does for somebody, in a task of its host.
type Question = Box<dyn FnOnce() + Send>;

/// A mistake that is made on purpose, and that the checks must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    None,
    /// A node appends to its log though it is no member any more.
    NoFence,
    /// A node takes its events for recorded as soon as it has asked etcd to record them.
    ToldBefore,
}

/// How late etcd records where nodes do not wait for it: longer than a lease.
const LATE: Duration = Duration::from_secs(3);

/// The host that plays etcd. Clones are the same one.
#[derive(Debug, Clone)]
pub(super) struct EtcdHost {
    pub(super) etcd: MemoryEtcd,
    asking: mpsc::UnboundedSender<Question>,
    asked: Arc<Mutex<mpsc::UnboundedReceiver<Question>>>,
}

impl EtcdHost {
    pub(super) fn new() -> Self {
        let (asking, asked) = mpsc::unbounded_channel();
        Self { etcd: MemoryEtcd::default(), asking, asked: Arc::new(Mutex::new(asked)) }
    }

    /// Answers for ever.
    pub(super) async fn run(self) {
        let mut asked = self.asked.lock().await;
        while let Some(question) = asked.recv().await {
            question();
        }
    }

    /// A node's way to it, which makes this mistake.
    pub(super) fn way(&self, mistake: Mistake) -> Way {
        Way { client: self.etcd.client(), asking: self.asking.clone(), mistake }
    }
}

/// A node's way to etcd, in all of its lives. Clones are the same one.
#[derive(Debug, Clone)]
pub(super) struct Way {
    client: Arc<MemoryClient>,
    asking: mpsc::UnboundedSender<Question>,
    mistake: Mistake,
}

impl Way {
    pub(super) fn cut_off(&self) {
        self.client.cut_off();
    }

    pub(super) fn heal(&self) {
        self.client.heal();
    }

    pub(super) fn lose_reply(&self, fate: Fate) {
        self.client.lose_reply(fate);
    }

    pub(super) fn maker(&self) -> EngineMaker {
        let way = self.clone();
        Arc::new(move || Arc::new(way.clone()))
    }

    /// Has etcd's host ask in this way. What a node has asked is done though the node dies.
    fn ask<T, F>(&self, ask: impl FnOnce(Arc<MemoryClient>) -> F + Send + 'static) -> Answer<'static, T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, EngineError>> + Send + 'static,
    {
        let (client, (answer, answered)) = (Arc::clone(&self.client), oneshot::channel());
        let question = move || {
            tokio::spawn(async move {
                // Who asked may be dead.
                let _ = answer.send(ask(client).await);
            });
        };
        // The world keeps etcd's end.
        let _ = self.asking.send(Box::new(question));
        Box::pin(async move {
            answered.await.unwrap_or_else(|_| Err(EngineError::NoAnswer("the world has ended".into())))
        })
    }
}

impl Engine for Way {
    fn txn(&self, mut txn: Txn) -> Answer<'_, TxnReply> {
        match self.mistake {
            Mistake::NoFence if is_append(&txn) => txn.compares.clear(),
            Mistake::ToldBefore if is_append(&txn) => {
                let later = self.ask(|client| async move {
                    tokio::time::sleep(LATE).await;
                    client.txn(txn).await
                });
                drop(later);
                return self.ask(|client| async move {
                    let revision = client.range(Range::key("none".into())).await?.revision;
                    Ok(TxnReply { held: true, revision, found: Vec::new() })
                });
            }
            _ => {}
        }
        self.ask(|client| async move { client.txn(txn).await })
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        self.ask(|client| async move { client.range(range).await })
    }

    fn count(&self, from: Key, to: Key) -> Answer<'_, u64> {
        self.ask(|client| async move { client.count(from, to).await })
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        self.ask(move |client| async move { client.watch(prefix, from).await })
    }

    fn grant(&self, ttl: Duration) -> Answer<'_, Lease> {
        self.ask(move |client| async move { client.grant(ttl).await })
    }

    fn keep_alive(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.ask(move |client| async move { client.keep_alive(lease).await })
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.ask(move |client| async move { client.revoke(lease).await })
    }

    fn whole_key(&self, key: &Key) -> String {
        self.client.whole_key(key)
    }
}

/// Whether this records entries in a log.
fn is_append(txn: &Txn) -> bool {
    txn.then
        .iter()
        .any(|operation| matches!(operation, Operation::Put { key, .. } if keys::epoch_of(key).is_some()))
}
