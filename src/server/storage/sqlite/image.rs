//! The pages of a journal as they were when its last transaction ended, read without SQLite: for one that SQLite does not read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::folder::{open_private, wal};
use super::frame::PAGE;
use super::index::Index;
use super::log::{Log, Pages, Place};
use super::trouble::of_file;
use crate::server::storage::StorageError;

/// Where the header says in which way the file is written, and the two bytes for a file that has nothing beside it.
const WAY: (usize, [u8; 2]) = (18, [1, 1]);

/// Where the header says how many pages there are.
const COUNT: usize = 28;

/// Where it says which pages are free: none has to be, to read the others.
const FREE: std::ops::Range<usize> = 32..40;

/// A page.
pub(super) type Page = [u8; PAGE];

/// A journal, and what stands beside it.
#[derive(Debug)]
pub(super) struct Image {
    journal: File,
    /// The file beside it, if there is one.
    log: Option<File>,
    logged: Pages,
    count: u32,
    /// Whether there are pages that SQLite does not find.
    pub(super) is_ahead: bool,
}

impl Image {
    /// That of the journal at this place, for whose log there may be an index.
    pub(super) fn of(path: &Path, index: Option<Index>) -> io::Result<Self> {
        let journal = File::open(path)?;
        let log = match File::open(wal(path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            log => Some(log?),
        };
        let read = log.as_ref().map_or_else(|| Ok(Log::default()), |log| Log::read(log, index))?;
        let (is_ahead, logged) = (read.is_damaged(), read.pages());
        let there = u32::try_from(journal.metadata()?.len().div_ceil(PAGE as u64)).unwrap_or(u32::MAX);
        let count = if logged.count > 0 { logged.count } else { there };
        Ok(Self { journal, log, logged, count, is_ahead })
    }

    /// The first page, if it is to be trusted before all others: the last word on it is beside the journal, or nothing is known to be
    /// wrong with the journal itself.
    pub(super) fn first_page(&self) -> Option<Page> {
        let is_best = self.is_ahead || self.logged.places.contains_key(&1);
        is_best.then(|| self.page(1).ok()).flatten()
    }

    /// The numbers of all pages.
    pub(super) fn numbers(&self) -> std::ops::RangeInclusive<u32> {
        1..=self.count
    }

    /// A page. What is cut off of it is zero.
    pub(super) fn page(&self, number: u32) -> io::Result<Page> {
        let mut page = [0; PAGE];
        let (mut file, place) = match (self.logged.places.get(&number), &self.log) {
            (Some(Place::Mended(page)), _) => return Ok(**page),
            (Some(Place::At(place)), Some(log)) => (log, *place),
            _ => (&self.journal, u64::from(number.saturating_sub(1)) * PAGE as u64),
        };
        file.seek(SeekFrom::Start(place))?;
        let mut read = 0;
        while let more @ 1.. = file.read(&mut page[read..])? {
            read += more;
        }
        Ok(page)
    }

    /// Writes all of it into a file of its own, with this first page. That is where a single wrong byte would hide everything
    /// else, and it is the same in every journal of a version but for a few numbers.
    pub(super) fn write(&self, mut first: Page, copy: &Path) -> Result<(), StorageError> {
        let trouble = |error: io::Error| of_file(copy, &error);
        let mut file = open_private(copy, OpenOptions::new().create_new(true))?;
        first[WAY.0..][..2].copy_from_slice(&WAY.1);
        first[COUNT..][..4].copy_from_slice(&self.count.to_be_bytes());
        first[FREE].fill(0);
        file.write_all(&first).map_err(trouble)?;
        for number in self.numbers().skip(1) {
            self.page(number).and_then(|page| file.write_all(&page)).map_err(trouble)?;
        }
        Ok(())
    }
}
