//! The file that SQLite keeps beside a journal, its write-ahead log, read without SQLite: which pages were written there by
//! transactions that ended. The format is that of "WAL-mode File Format", <https://sqlite.org/walformat.html>.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;

/// The bytes of a page, in every journal.
pub(super) const PAGE: usize = 4096;

/// The bytes in front of the file.
pub(super) const HEADER: usize = 32;

/// Those in front of each page.
const FRAME_HEADER: usize = 24;

/// The bytes of a page with what stands in front of it.
pub(super) const FRAME: usize = FRAME_HEADER + PAGE;

/// Where in front of a page its salt stands. It is that of the file, or the page is older than the file's beginning.
pub(super) const SALT: Range<usize> = 8..16;

/// Where the file's own salt stands.
pub(super) const OWN_SALT: usize = 16;

/// The first four bytes but for the last bit, which says how numbers stand in sums: the high byte first if it is set.
const MAGIC: u32 = 0x377f_0682;

/// The version of the format.
const VERSION: u32 = 3_007_000;

/// The pages that were written by transactions that ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pages {
    /// Where in the file each one begins, as it was written last.
    pub(super) places: HashMap<u32, u64>,
    /// How many pages the journal had in the end.
    pub(super) count: u32,
}

/// Reads which pages there are; none if it is no such file. It ends at the first byte that is not as it was written.
pub(super) fn read(file: &File) -> io::Result<Pages> {
    let (mut file, mut pages) = (BufReader::new(file), Pages::default());
    let mut header = [0; HEADER];
    if !fill(&mut file, &mut header)? {
        return Ok(pages);
    }
    let Some(mut sum) = Sum::begin(&header) else { return Ok(pages) };
    let (mut frame, mut place, mut unfinished) = ([0; FRAME], HEADER as u64, Vec::new());
    while fill(&mut file, &mut frame)? && frame[SALT] == header[OWN_SALT..][..8] && sum.takes(&frame) {
        unfinished.push((number(&frame, 0), place + FRAME_HEADER as u64));
        place += FRAME as u64;
        // The last page of a transaction says how many there are now.
        let count = number(&frame, 4);
        if count > 0 {
            pages.places.extend(unfinished.drain(..));
            pages.count = count;
        }
    }
    Ok(pages)
}

/// Reads so many bytes; whether there were that many.
fn fill(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// A number in the header of the file or of a frame.
fn number(bytes: &[u8], place: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[place..place + 4]);
    u32::from_be_bytes(four)
}

/// The sum of everything up to here.
struct Sum {
    has_high_byte_first: bool,
    sums: (u32, u32),
}

impl Sum {
    /// That of the file's header, if that is one, and of pages of this size.
    fn begin(header: &[u8; HEADER]) -> Option<Self> {
        let magic = number(header, 0);
        let mut sum = Self { has_high_byte_first: magic & 1 == 1, sums: (0, 0) };
        let is_ours = magic & !1 == MAGIC
            && number(header, 4) == VERSION
            && usize::try_from(number(header, 8)) == Ok(PAGE);
        sum.add(&header[..24]);
        (is_ours && sum.sums == (number(header, 24), number(header, 28))).then_some(sum)
    }

    /// Goes on over a frame; whether that is as it was written.
    fn takes(&mut self, frame: &[u8; FRAME]) -> bool {
        self.add(&frame[..8]);
        self.add(&frame[FRAME_HEADER..]);
        self.sums == (number(frame, 16), number(frame, 20))
    }

    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let (first, second) = (self.number(pair, 0), self.number(pair, 4));
            self.sums.0 = self.sums.0.wrapping_add(first).wrapping_add(self.sums.1);
            self.sums.1 = self.sums.1.wrapping_add(second).wrapping_add(self.sums.0);
        }
    }

    fn number(&self, bytes: &[u8], place: usize) -> u32 {
        let number = number(bytes, place);
        if self.has_high_byte_first { number } else { number.swap_bytes() }
    }
}
