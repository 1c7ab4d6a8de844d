//! Reading long ranges in pages, all as of one revision.

use super::error::EngineError;
use super::interface::Engine;
use super::key::{Key, Revision};
use super::range::{KeyValue, Page, Range};

/// About how many bytes a page has. The first page has no more, whatever is in it.
pub const MAX_PAGE: usize = 3 << 20;

/// The most bytes of an answer: small keys, many of which make a page, may be followed by large ones.
pub const MAX_ANSWER: usize = 64 << 20;

/// How many times as many keys a page has at most as the one before it, however small those were: larger ones may follow.
const GROWTH: usize = 16;

/// The most keys of a page without values.
const MAX_KEYS: usize = 1_000;

/// Reads a range page by page. All pages show the keys as they were when the first was read.
#[derive(Debug)]
pub struct RangeReader<'a> {
    engine: &'a dyn Engine,
    range: Range,
    /// How many keys a page has at least and at most.
    limits: [usize; 2],
    is_done: bool,
}

impl<'a> RangeReader<'a> {
    /// A reader of all keys from `from` up to but not including `to`. Each of them has at most `most` bytes.
    pub fn new(engine: &'a dyn Engine, (from, to): (Key, Key), most: usize) -> Self {
        let limits = [MAX_PAGE, MAX_ANSWER].map(|bytes| (bytes / most.max(1)).max(1));
        let range = Range::new((from, to), limits[0]);
        Self { engine, range, limits, is_done: false }
    }

    /// A reader of all keys with this prefix.
    pub fn of_prefix(engine: &'a dyn Engine, prefix: &Key, most: usize) -> Self {
        Self::new(engine, (prefix.clone(), prefix.behind_prefix()), most)
    }

    /// The same as of this revision.
    #[must_use]
    pub fn at(mut self, revision: Revision) -> Self {
        self.range.at = Some(revision);
        self
    }

    /// The same with so many keys in a page, if those before them are small.
    #[must_use]
    pub fn keys_at_most(mut self, most: usize) -> Self {
        self.limits[1] = most.max(self.limits[0]);
        self
    }

    /// The same without keys that were created at this revision or before it. The keys were created in their order.
    #[must_use]
    pub fn created_after(mut self, revision: Revision) -> Self {
        self.range.created_after = revision;
        self
    }

    /// The same without values. etcd reads them all the same, so a page has few keys.
    #[must_use]
    pub fn keys_only(mut self) -> Self {
        self.range.keys_only = true;
        (self.range.limit, self.limits) = (MAX_KEYS, [MAX_KEYS; 2]);
        self
    }

    /// The revision as of which it reads; `None` before the first page.
    pub fn revision(&self) -> Option<Revision> {
        self.range.at
    }

    /// The next page; `None` after the last one. After an error that is in doubt it can be asked for again.
    ///
    /// # Errors
    ///
    /// [`EngineError::Compacted`] if it takes so long that the revision is not kept any more.
    pub async fn next(&mut self) -> Result<Option<Vec<KeyValue>>, EngineError> {
        if self.is_done {
            return Ok(None);
        }
        let page = self.page().await?;
        self.range.at.get_or_insert(page.revision);
        match page.found.last() {
            Some(last) if page.has_more => self.range.from = last.key.next(),
            _ => self.is_done = true,
        }
        self.range.limit = self.limit_after(&page.found);
        if !page.found.is_empty() {
            // All that follow are younger, and etcd would look at each of them again.
            self.range.created_after = Revision::default();
        }
        Ok(Some(page.found))
    }

    /// Asks for a page. Where many keys were asked for and that failed, they may be larger than those before them: then it
    /// asks for the fewest.
    async fn page(&mut self) -> Result<Page, EngineError> {
        let answer = self.engine.range(self.range.clone()).await;
        let [least, _] = self.limits;
        if answer.is_ok() || self.range.limit <= least {
            return answer;
        }
        self.range.limit = least;
        self.engine.range(self.range.clone()).await
    }

    /// How many keys the next page has, if they are about as large as those of this page.
    fn limit_after(&self, found: &[KeyValue]) -> usize {
        let bytes: usize = found.iter().map(|one| one.key.bytes().len() + one.value.len()).sum();
        let mean = (bytes / found.len().max(1)).max(1);
        let [least, most] = self.limits;
        (MAX_PAGE / mean).clamp(least, most.min(found.len() * GROWTH).max(least))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::engine::real::RealEtcd;
    use crate::cluster::engine::{Operation, Txn};

    /// Large keys after many small ones: more than an answer may have.
    async fn reads_large_keys_behind_small_ones(engine: Arc<dyn Engine>) {
        let put = |number: usize, value: Vec<u8>| Operation::put(format!("log/{number:03}").into(), value);
        let always = async |then: Vec<Operation>| {
            // etcd may be late on a busy machine.
            while let Err(error) = engine.txn(Txn { then: then.clone(), ..Txn::default() }).await {
                assert!(error.is_in_doubt(), "{error}");
            }
        };
        always((0..64).map(|number| put(number, vec![1])).collect()).await;
        let large = MAX_PAGE / 2 - 100_000;
        let count = MAX_ANSWER / large + 1;
        for number in 64..64 + count {
            always(vec![put(number, vec![2; large])]).await;
        }
        assert!(engine.range(Range::prefix(&"log/".into(), 1_000)).await.is_err());
        let mut reader = RangeReader::of_prefix(&*engine, &"log/".into(), MAX_PAGE / 2).keys_at_most(4_096);
        let mut pages = Vec::new();
        loop {
            match reader.next().await {
                Ok(Some(page)) => pages.push(page.len()),
                Ok(None) => break,
                Err(error) => assert!(error.is_in_doubt(), "{error}"),
            }
        }
        assert_eq!(pages.iter().sum::<usize>(), 64 + count, "{pages:?}");
        assert!(pages.iter().any(|keys| *keys > 16), "{pages:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn where_large_keys_follow_small_ones_all_of_them_are_read() {
        reads_large_keys_behind_small_ones(MemoryEtcd::default().client()).await;
    }

    #[tokio::test]
    async fn where_large_keys_follow_small_ones_in_a_real_etcd_all_of_them_are_read() {
        let Some(etcd) = RealEtcd::start("large keys behind small ones").await else { return };
        reads_large_keys_behind_small_ones(Arc::new(etcd.engine("a"))).await;
    }
}
