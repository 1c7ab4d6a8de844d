//! Following all keys with a prefix: what is there, and then every change, over losses of the watch.

use std::sync::Arc;
use std::time::Duration;

use super::engine::{Changed, Engine, EngineError, Key, KeyValue, RangeReader, Revision, Watch};

/// The pause before something is tried again that etcd did not answer.
pub(super) const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// What has become of the keys.
#[derive(Debug)]
pub(super) enum News {
    /// These are all of them as of this revision. What was there before and is not among them is gone.
    All(Vec<KeyValue>, Revision),
    /// Some have changed.
    Changed(Changed),
}

/// Follows all keys with a prefix.
#[derive(Debug)]
pub(super) struct Follower {
    engine: Arc<dyn Engine>,
    prefix: Key,
    /// The most bytes of a key and its value.
    most: usize,
    watch: Option<Watch>,
}

impl Follower {
    /// A follower of the keys with this prefix, each of which has at most `most` bytes with its value.
    pub(super) fn new(engine: Arc<dyn Engine>, prefix: &'static str, most: usize) -> Self {
        Self { engine, prefix: prefix.into(), most, watch: None }
    }

    /// What comes next; first all that is there. While etcd does not answer it waits. Cancel safe.
    pub(super) async fn next(&mut self) -> News {
        loop {
            if let Some(watch) = &mut self.watch {
                match watch.next().await {
                    Ok(changed) => return News::Changed(changed),
                    Err(error) => tracing::debug!(prefix = %self.prefix, %error, "a watch begins anew"),
                }
                self.watch = None;
            }
            match self.begin().await {
                Ok((watch, found, revision)) => {
                    self.watch = Some(watch);
                    return News::All(found, revision);
                }
                Err(error) => {
                    tracing::debug!(prefix = %self.prefix, %error, "keys cannot be read");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    async fn begin(&self) -> Result<(Watch, Vec<KeyValue>, Revision), EngineError> {
        let mut reader = RangeReader::of_prefix(&*self.engine, &self.prefix, self.most);
        let mut all = Vec::new();
        while let Some(page) = reader.next().await? {
            all.extend(page);
        }
        let revision = reader.revision().unwrap_or_default();
        let watch = self.engine.watch(self.prefix.clone(), revision.next()).await?;
        Ok((watch, all, revision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::memory::{MemoryClient, MemoryEtcd};
    use crate::cluster::engine::{Operation, Txn};

    async fn put(client: &MemoryClient, key: &'static str) -> Revision {
        let then = vec![Operation::put(key.into(), "")];
        client.txn(Txn { then, ..Txn::default() }).await.unwrap().revision
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_comes_first_and_all_of_it_again_after_a_change_that_was_missed() {
        let etcd = MemoryEtcd::default();
        let (client, other) = (etcd.client(), etcd.client());
        put(&other, "a/1").await;
        put(&other, "b/1").await;
        let mut follower = Follower::new(client.clone(), "a/", 100);
        let News::All(all, as_of) = follower.next().await else { panic!("first comes all") };
        assert_eq!((all.len(), as_of), (1, etcd.revision()));
        let changed = put(&other, "a/2").await;
        assert!(matches!(follower.next().await, News::Changed(news) if news.revision == changed));
        client.cut_off();
        put(&other, "a/3").await;
        etcd.compact(put(&other, "a/4").await);
        client.heal();
        let News::All(all, _) = follower.next().await else { panic!("a change was missed") };
        assert_eq!(all.len(), 4);
    }
}
