//! An etcd in memory, for tests and simulations: the same answers, tokio's time for leases, and faults on
//! demand. Each client is one node's way to it.

mod store;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use self::store::Store;
use super::interface::whole_seconds;
use super::{
    Answer, Engine, EngineError, Key, Lease, LeaseId, Page, Range, Revision, Txn, TxnReply, Watch,
    WatchSender, watch_channel,
};

/// How long a client waits for an answer that does not come.
pub const DEADLINE: Duration = Duration::from_millis(600);

/// An etcd in memory. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct MemoryEtcd(Arc<Mutex<State>>);

/// What an etcd had at a moment. The default is an empty one.
#[derive(Debug, Clone, Default)]
pub struct Snapshot(Store, BTreeMap<LeaseId, (Instant, Duration)>);

#[derive(Debug, Default)]
struct State {
    store: Store,
    /// When each lease ends, and how long it lasts anew.
    leases: BTreeMap<LeaseId, (Instant, Duration)>,
    last_lease: i64,
    watchers: Vec<Watcher>,
    clients: Vec<Faults>,
    /// How often it was asked.
    asked: u64,
}

#[derive(Debug)]
struct Watcher {
    client: usize,
    prefix: Key,
    /// Where the next change for it begins.
    from: Revision,
    sender: WatchSender,
}

/// What goes wrong for a client.
#[derive(Debug)]
struct Faults {
    is_cut_off: bool,
    /// Whether no read is answered.
    answers_no_read: bool,
    /// For how many turns of others it waits at most.
    turns: u8,
    /// How many transactions are answered before that.
    lost: Option<(usize, Fate)>,
}

impl Default for Faults {
    fn default() -> Self {
        Self { is_cut_off: false, answers_no_read: false, turns: 3, lost: None }
    }
}

impl Faults {
    /// What becomes of the next transaction, if its reply is lost.
    fn next_txn(&mut self) -> Option<Fate> {
        match self.lost.take() {
            Some((0, fate)) => Some(fate),
            later => {
                self.lost = later.map(|(before, fate)| (before - 1, fate));
                None
            }
        }
    }
}

/// What becomes of a transaction whose reply is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It runs.
    Run,
    /// It never runs.
    Lost,
    /// It runs after this time.
    RunLater(Duration),
}

impl MemoryEtcd {
    /// A new client.
    pub fn client(&self) -> Arc<MemoryClient> {
        let mut state = self.0.lock();
        state.clients.push(Faults::default());
        Arc::new(MemoryClient { etcd: self.clone(), number: state.clients.len() - 1 })
    }

    /// The revision of the last change.
    pub fn revision(&self) -> Revision {
        self.0.lock().store.revision()
    }

    /// The bytes of all values that were read, also of those whose keys alone were asked for: etcd reads them, too.
    pub fn bytes_read(&self) -> usize {
        self.0.lock().store.bytes_read()
    }

    /// Forgets everything before this revision. Watches that are behind it end.
    pub fn compact(&self, to: Revision) {
        self.0.lock().store.compact(to);
    }

    /// All that it has now.
    pub fn snapshot(&self) -> Snapshot {
        let state = self.0.lock();
        Snapshot(state.store.clone(), state.leases.clone())
    }

    /// Goes back to an earlier state. Leases begin anew, and watches tell nothing before there is news for them.
    pub fn restore(&self, snapshot: Snapshot) {
        let Snapshot(store, mut leases) = snapshot;
        for (ends, ttl) in leases.values_mut() {
            *ends = Instant::now() + *ttl;
        }
        for lease in leases.keys() {
            tokio::spawn(self.clone().end_in_time(*lease));
        }
        let mut state = self.0.lock();
        (state.store, state.leases) = (store, leases);
    }

    /// Lets a lease end now, as if it was not kept alive. Nothing happens if it has ended.
    pub fn expire(&self, lease: LeaseId) {
        // It may have ended before.
        let _ = self.0.lock().end(lease);
    }

    /// Ends the lease once its time is over.
    async fn end_in_time(self, lease: LeaseId) {
        loop {
            let Some((ends, _)) = self.0.lock().leases.get(&lease).copied() else { return };
            if ends <= Instant::now() {
                return self.expire(lease);
            }
            tokio::time::sleep_until(ends).await;
        }
    }
}

impl State {
    /// For how many turns of others this client waits now: the same in each run.
    fn pause(&mut self, client: usize) -> u8 {
        self.asked += 1;
        fastrand::Rng::with_seed(self.asked).u8(..=self.clients[client].turns)
    }

    fn txn(&mut self, txn: &Txn) -> Result<TxnReply, EngineError> {
        let reply = self.store.txn(txn);
        self.tell();
        reply
    }

    fn end(&mut self, lease: LeaseId) -> Result<(), EngineError> {
        self.leases.remove(&lease);
        let ended = self.store.end(lease);
        self.tell();
        ended
    }

    /// Tells all watchers what has changed.
    fn tell(&mut self) {
        let (store, clients) = (&self.store, &self.clients);
        self.watchers.retain_mut(|watcher| {
            // What it misses meanwhile it is told later.
            clients[watcher.client].is_cut_off || watcher.catch_up(store)
        });
    }
}

impl Watcher {
    /// Sends what has changed. Returns whether the watch goes on.
    fn catch_up(&mut self, store: &Store) -> bool {
        let from = self.from;
        self.from = from.max(store.revision().next());
        match store.since(&self.prefix, from) {
            Ok(changes) => changes.into_iter().all(|changed| self.sender.try_send(Ok(changed)).is_ok()),
            Err(error) => {
                // Nobody may listen any more.
                let _ = self.sender.try_send(Err(error));
                false
            }
        }
    }
}

/// One node's way to an etcd in memory.
#[derive(Debug)]
pub struct MemoryClient {
    etcd: MemoryEtcd,
    number: usize,
}

impl MemoryClient {
    /// From now on it gets no answer, and does not reach the etcd.
    pub fn cut_off(&self) {
        self.faults(|faults| faults.is_cut_off = true);
    }

    /// It reaches the etcd again. Its watches tell what they have missed.
    pub fn heal(&self) {
        self.faults(|faults| faults.is_cut_off = false);
        self.etcd.0.lock().tell();
    }

    /// From now on no read is answered, as from an etcd that has lost its leader and waits for the word of a new one.
    pub fn answers_no_read(&self) {
        self.faults(|faults| faults.answers_no_read = true);
    }

    /// From now on it waits for so many turns of others at most.
    pub fn is_late(&self, turns: u8) {
        self.faults(|faults| faults.turns = turns);
    }

    /// The reply to the next transaction is lost.
    pub fn lose_reply(&self, fate: Fate) {
        self.lose_reply_after(0, fate);
    }

    /// So many transactions are answered, and the reply to the one after them is lost.
    pub fn lose_reply_after(&self, answered: usize, fate: Fate) {
        self.faults(|faults| faults.lost = Some((answered, fate)));
    }

    fn faults<T>(&self, act: impl FnOnce(&mut Faults) -> T) -> T {
        act(&mut self.etcd.0.lock().clients[self.number])
    }

    /// Asks the etcd, if it can be reached.
    async fn ask<T>(&self, act: impl FnOnce(&mut State) -> Result<T, EngineError>) -> Result<T, EngineError> {
        // Those who ask at the same time are answered in any order.
        let turns = self.etcd.0.lock().pause(self.number);
        for _ in 0..=turns {
            tokio::task::yield_now().await;
        }
        if self.faults(|faults| faults.is_cut_off) {
            return no_answer().await;
        }
        act(&mut self.etcd.0.lock())
    }

    async fn lose(&self, txn: Txn, fate: Fate) -> Result<TxnReply, EngineError> {
        match fate {
            Fate::Run => drop(self.ask(|state| state.txn(&txn)).await),
            Fate::Lost => {}
            Fate::RunLater(pause) => {
                let etcd = self.etcd.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(pause).await;
                    // The reply is lost.
                    let _ = etcd.0.lock().txn(&txn);
                });
            }
        }
        no_answer().await
    }
}

async fn no_answer<T>() -> Result<T, EngineError> {
    tokio::time::sleep(DEADLINE).await;
    Err(EngineError::silent_for(DEADLINE))
}

impl Engine for MemoryClient {
    fn txn(&self, txn: Txn) -> Answer<'_, TxnReply> {
        Box::pin(async move {
            match self.faults(Faults::next_txn) {
                Some(fate) => self.lose(txn, fate).await,
                None => self.ask(|state| state.txn(&txn)).await,
            }
        })
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            if self.faults(|faults| faults.answers_no_read) {
                return no_answer().await;
            }
            self.ask(move |state| state.store.range(&range)).await
        })
    }

    fn count(&self, from: Key, to: Key) -> Answer<'_, u64> {
        let range = Range::new((from, to), usize::MAX);
        Box::pin(self.ask(move |state| Ok(state.store.range(&range)?.found.len() as u64)))
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        let client = self.number;
        Box::pin(self.ask(move |state| {
            let (sender, watch) = watch_channel();
            let mut watcher = Watcher { client, prefix, from, sender };
            if watcher.catch_up(&state.store) {
                state.watchers.push(watcher);
            }
            Ok(watch)
        }))
    }

    fn grant(&self, ttl: Duration) -> Answer<'_, Lease> {
        let etcd = self.etcd.clone();
        Box::pin(self.ask(move |state| {
            let ttl = Duration::from_secs(whole_seconds(ttl));
            state.last_lease += 1;
            let id = LeaseId(state.last_lease);
            state.store.grant(id);
            state.leases.insert(id, (Instant::now() + ttl, ttl));
            tokio::spawn(etcd.end_in_time(id));
            Ok(Lease { id, ttl })
        }))
    }

    fn keep_alive(&self, lease: LeaseId) -> Answer<'_, ()> {
        Box::pin(self.ask(move |state| {
            let (ends, ttl) = state.leases.get_mut(&lease).ok_or(EngineError::NoSuchLease)?;
            *ends = Instant::now() + *ttl;
            Ok(())
        }))
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        Box::pin(self.ask(move |state| state.end(lease)))
    }

    fn whole_key(&self, key: &Key) -> String {
        // As where hosts choose no other namespace.
        format!("nim/{key}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::{Change, Operation};

    fn put(value: &'static str) -> Txn {
        Txn { then: vec![Operation::put("a".into(), value)], ..Txn::default() }
    }

    async fn value(client: &MemoryClient) -> Option<String> {
        let page = client.range(Range::key("a".into())).await.unwrap();
        page.found.first().map(|found| found.value.escape_ascii().to_string())
    }

    #[tokio::test(start_paused = true)]
    async fn a_lost_reply_leaves_it_open_whether_the_transaction_was_run() {
        let client = MemoryEtcd::default().client();
        for (fate, then, later) in [
            (Fate::Lost, None, None),
            (Fate::Run, Some("1"), Some("1")),
            (Fate::RunLater(DEADLINE * 2), Some("1"), Some("2")),
        ] {
            client.lose_reply(fate);
            let answer = client.txn(put(if then == later { "1" } else { "2" })).await;
            assert!(answer.unwrap_err().is_in_doubt());
            assert_eq!(value(&client).await.as_deref(), then, "{fate:?}");
            tokio::time::sleep(DEADLINE * 2).await;
            assert_eq!(value(&client).await.as_deref(), later, "{fate:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_was_cut_off_is_told_what_it_missed() {
        let etcd = MemoryEtcd::default();
        let (one, other) = (etcd.client(), etcd.client());
        let mut watch = one.watch("a".into(), etcd.revision().next()).await.unwrap();
        one.cut_off();
        assert!(one.txn(put("1")).await.unwrap_err().is_in_doubt());
        let revision = other.txn(put("2")).await.unwrap().revision;
        one.heal();
        let told = watch.next().await.unwrap();
        assert!(matches!(&told.changes[..], [Change::Put(put)] if put.changed == revision));
        assert_eq!(value(&one).await.as_deref(), Some("2"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_can_be_made_to_end() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let lease = client.grant(Duration::from_mins(1)).await.unwrap();
        etcd.expire(lease.id);
        assert_eq!(client.keep_alive(lease.id).await, Err(EngineError::NoSuchLease));
    }
}
