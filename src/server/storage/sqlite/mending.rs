//! The first page of a journal, where a single wrong byte would hide everything else. It is the same in every journal of a
//! version but for a few numbers, so a copy of a damaged journal can be given the one of a new journal, to be read once more.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::folder::{open_private, wal};
use super::trouble::of_file;
use crate::server::storage::Trouble;

/// The bytes of a page, in every journal.
const PAGE: usize = 4096;

/// Where the header says in which way the file is written, and the two bytes for WAL.
const WAY: (usize, [u8; 2]) = (18, [2, 2]);

/// Where the header says how many pages there are.
const PAGES: usize = 28;

/// Where it says which pages are free: none has to be, to read the others.
const FREE: std::ops::Range<usize> = 32..40;

/// Copies a journal, and gives the copy the first page of a new one.
pub(super) fn mend(journal: &Path, new: &Path, copy: &Path) -> Result<(), Trouble> {
    let trouble = |error: io::Error| of_file(copy, &error);
    let mut page = first_page(new).map_err(|error| of_file(new, &error))?;
    let mut file = open_private(copy, OpenOptions::new().create_new(true))?;
    let length = File::open(journal).and_then(|mut from| io::copy(&mut from, &mut file)).map_err(trouble)?;
    let pages = u32::try_from(length / PAGE as u64).unwrap_or(u32::MAX);
    page[WAY.0..][..2].copy_from_slice(&WAY.1);
    page[PAGES..][..4].copy_from_slice(&pages.to_be_bytes());
    page[FREE].fill(0);
    file.rewind().and_then(|()| file.write_all(&page)).map_err(trouble)?;
    match fs::copy(wal(journal), wal(copy)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(trouble(error)),
        _ => Ok(()),
    }
}

fn first_page(new: &Path) -> io::Result<[u8; PAGE]> {
    let mut page = [0; PAGE];
    File::open(new)?.read_exact(&mut page)?;
    Ok(page)
}
