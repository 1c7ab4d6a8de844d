//! Reading long ranges in pages, all as of one revision.

use super::error::EngineError;
use super::interface::Engine;
use super::key::{Key, Revision};
use super::range::{KeyValue, Range};

/// The most bytes of a page: an answer of more than 4 MB fails.
pub const MAX_PAGE: usize = 3 << 20;

/// Reads a range page by page. All pages show the keys as they were when the first was read.
#[derive(Debug)]
pub struct RangeReader<'a> {
    engine: &'a dyn Engine,
    range: Range,
    is_done: bool,
}

impl<'a> RangeReader<'a> {
    /// A reader of all keys from `from` up to but not including `to`. Each of them has at most `most` bytes.
    pub fn new(engine: &'a dyn Engine, (from, to): (Key, Key), most: usize) -> Self {
        let limit = (MAX_PAGE / most.max(1)).max(1);
        Self { engine, range: Range { from, to, limit, at: None }, is_done: false }
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
        let page = self.engine.range(self.range.clone()).await?;
        self.range.at.get_or_insert(page.revision);
        match page.found.last() {
            Some(last) if page.has_more => self.range.from = last.key.next(),
            _ => self.is_done = true,
        }
        Ok(Some(page.found))
    }
}
