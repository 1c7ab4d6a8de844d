//! The file that SQLite keeps beside a journal, its write-ahead log, read without SQLite: which pages were written there by
//! transactions that ended. The format is that of "WAL-mode File Format", <https://sqlite.org/walformat.html>.
//!
//! SQLite reads it up to the first byte that is wrong and forgets all that follows. Here it is read to its end: a page and what
//! stands in front of it, a frame, carries the salt of the file's present beginning, and a sum that goes on from the one of the frame
//! before. So each frame can be known to be right whatever came before that, and one wrong byte in it can be put right.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

use super::frame::{Around, FRAME, FRAME_HEADER, Frame, PAGE, Salt, fill, number};
use super::index::Index;
use super::sum::{Fault, Order, Sum, fault};

/// The bytes in front of the file.
pub(super) const HEADER: usize = 32;

/// Where the file's own salt stands.
pub(super) const OWN_SALT: usize = 16;

/// Where the sum of what stands in front of the file does.
const OWN_SUM: usize = 24;

/// The first four bytes but for the last bit, which says how numbers stand in sums: the high byte first if it is set.
const MAGIC: u32 = 0x377f_0682;

/// The version of the format.
pub(super) const VERSION: u32 = 3_007_000;

/// What a file beside a journal has come to.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The salt of what is in it; `None` if there is nothing by which to know it.
    pub(super) salt: Option<Salt>,
    /// The transactions that ended, in their order.
    transactions: Vec<Transaction>,
    /// The first frame that SQLite does not take, counted from 1; 0 if that is the beginning of the file.
    end: u32,
    /// Whether a last transaction was left out that is not whole.
    pub(super) is_doubtful: bool,
}

/// The pages that were written together.
#[derive(Debug)]
struct Transaction {
    pages: Vec<(u32, Place)>,
    /// How many pages the journal had then.
    count: u32,
    /// Its last frame, which says that it ended.
    last: u32,
    /// Whether a frame is not as it was written, and nobody can say how it was.
    has_hole: bool,
}

/// Where a page stands.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// From this byte of the file on.
    At(u64),
    /// Here, since a byte in the file is wrong.
    Mended(Box<[u8; PAGE]>),
}

/// The pages that were written by transactions that ended.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Each one as it was written last.
    pub(super) places: HashMap<u32, Place>,
    /// How many pages the journal had in the end.
    pub(super) count: u32,
}

impl Log {
    /// Reads the file, for which there may be an index of those who wrote it.
    pub(super) fn read(file: &File, index: Option<Index>) -> io::Result<Self> {
        let mut bytes = BufReader::new(file);
        bytes.rewind()?;
        let mut header = [0; HEADER];
        if !fill(&mut bytes, &mut header)? {
            return Ok(Self::default());
        }
        let mut next = Frame::next(&mut bytes)?;
        let beginning = match Beginning::of(header, next.as_ref()) {
            Some(beginning) => Some(beginning),
            None => Beginning::guessed(&mut bytes, next.as_ref())?,
        };
        let Some(beginning) = beginning else { return Ok(Self::default()) };
        bytes.seek(io::SeekFrom::Start((HEADER + FRAME) as u64))?;
        let mut scan = Scan::from(&beginning, index);
        while let Some(frame) = next {
            next = Frame::next(&mut bytes)?;
            scan.take(frame, next.as_ref());
        }
        Ok(scan.log())
    }

    /// Up to which frame there are transactions that ended.
    pub(super) fn ended(&self) -> u32 {
        self.transactions.last().map_or(0, |last| last.last)
    }

    /// Whether there are any that SQLite does not find.
    pub(super) fn is_damaged(&self) -> bool {
        self.end <= self.ended() && self.ended() > 0
    }

    /// The pages as they were in the end.
    pub(super) fn pages(self) -> Pages {
        let count = self.transactions.last().map_or(0, |last| last.count);
        let all = self.transactions.into_iter().flat_map(|transaction| transaction.pages);
        Pages { places: all.filter(|(number, _)| (1..=count).contains(number)).collect(), count }
    }
}

/// What is known of a file by its first bytes.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    salt: Salt,
    order: Order,
    sum: Sum,
    /// Whether SQLite takes it.
    is_whole: bool,
}

impl Beginning {
    /// What the file's own header says, if need be with one byte of it put right.
    fn of(header: [u8; HEADER], first: Option<&Frame>) -> Option<Self> {
        let written = Sum::read(&header[OWN_SUM..], Order::High);
        let said = if number(&header, 0) & 1 == 1 { Order::High } else { Order::Low };
        if Sum::default().over(&header[..OWN_SUM], said) == written {
            return Self::sound(&header, said, written, true);
        }
        Order::BOTH.into_iter().find_map(|order| {
            let goes_on = |sum| first.is_some_and(|first| first.follows(sum, order));
            match fault(&header[..OWN_SUM], Sum::default(), written, order, goes_on)? {
                Fault::Sum(sum) => Self::sound(&header, order, sum, false),
                Fault::Word(slips) => slips.into_iter().find_map(|slip| {
                    let mut header = header;
                    slip.mend(&mut header, order);
                    Self::sound(&header, order, written, false)
                }),
            }
        })
    }

    fn sound(header: &[u8; HEADER], order: Order, sum: Sum, is_whole: bool) -> Option<Self> {
        let is_ours = number(header, 0) == MAGIC | u32::from(order == Order::High)
            && number(header, 4) == VERSION
            && usize::try_from(number(header, 8)) == Ok(PAGE);
        let mut salt = Salt::default();
        salt.copy_from_slice(&header[OWN_SALT..OWN_SUM]);
        is_ours.then_some(Self { salt, order, sum, is_whole })
    }

    /// What the first frame says that goes on where the one before it ended; of the one before all of them, nothing is known.
    fn guessed(bytes: &mut impl Read, first: Option<&Frame>) -> io::Result<Option<Self>> {
        let mut before = first.map(|first| first.sum);
        while let (Some(sum), Some(next)) = (before, Frame::next(bytes)?) {
            if let Some(order) = Order::BOTH.into_iter().find(|order| next.follows(sum, *order)) {
                return Ok(Some(Self { salt: next.salt, order, sum: Sum::default(), is_whole: false }));
            }
            before = Some(next.sum);
        }
        Ok(None)
    }
}

/// A file that is read frame by frame.
struct Scan {
    beginning: Beginning,
    /// What SQLite noted of this beginning.
    index: Option<Index>,
    /// The sum of all up to here, and whether the last frame is one of this file's present beginning.
    sum: Sum,
    is_sum_ours: bool,
    frames: u32,
    transactions: Vec<Transaction>,
    /// What was written since the last one ended.
    pages: Vec<(u32, Place)>,
    has_hole: bool,
    /// The first frame that SQLite does not take.
    end: Option<u32>,
}

impl Scan {
    fn from(beginning: &Beginning, index: Option<Index>) -> Self {
        Self {
            beginning: *beginning,
            index: index.filter(|index| index.salt == beginning.salt),
            sum: beginning.sum,
            is_sum_ours: true,
            frames: 0,
            transactions: Vec::new(),
            pages: Vec::new(),
            has_hole: false,
            end: (!beginning.is_whole).then_some(0),
        }
    }

    fn take(&mut self, mut frame: Frame, next: Option<&Frame>) {
        self.frames += 1;
        let Beginning { salt, order, .. } = self.beginning;
        let (before, is_salted) = (self.sum, frame.salt == salt);
        // Frames that are left of an earlier beginning go on from each other too.
        let is_right = (is_salted || self.is_sum_ours) && frame.follows(before, order);
        self.is_sum_ours = is_salted || is_right;
        self.sum = frame.sum;
        if !is_right || !is_salted {
            self.end.get_or_insert(self.frames);
        }
        if is_right {
            self.add(&frame, self.place());
        } else if is_salted {
            let earlier = self.pages.last().map(|(number, _)| *number);
            let count = self.transactions.last().map(|last| last.count);
            let around = Around { before, order, earlier, count, next };
            match frame.mend(&around) {
                Some(sum) => {
                    self.sum = sum;
                    self.add(&frame, Place::Mended(frame.page()));
                }
                None => self.add_hole(&frame),
            }
        } else {
            self.has_hole = true;
        }
    }

    /// Takes a page of which nobody can say how it was: its rows have checksums of their own, but what is said in front of it ends
    /// nothing, unless it is known otherwise that a transaction ended there.
    fn add_hole(&mut self, frame: &Frame) {
        self.has_hole = true;
        self.pages.push((frame.number(), self.place()));
        if let Some(index) = self.index.filter(|index| index.last == self.frames) {
            self.finish(index.count);
        }
    }

    /// Where the page of the last frame stands.
    fn place(&self) -> Place {
        let frames_before = u64::from(self.frames - 1);
        Place::At((HEADER + FRAME_HEADER) as u64 + frames_before * FRAME as u64)
    }

    fn add(&mut self, frame: &Frame, place: Place) {
        self.pages.push((frame.number(), place));
        // The last page of a transaction says how many there are now.
        if frame.count() > 0 {
            self.finish(frame.count());
        }
    }

    fn finish(&mut self, count: u32) {
        let (pages, has_hole) = (std::mem::take(&mut self.pages), std::mem::take(&mut self.has_hole));
        self.transactions.push(Transaction { pages, count, last: self.frames, has_hole });
    }

    /// What all of it comes to. A last transaction with a hole may be one during which the power went, and nobody was told of it.
    fn log(mut self) -> Log {
        let told = self.index.map_or(0, |index| index.last);
        let end = self.end.unwrap_or(u32::MAX);
        let known = self.transactions.iter().rev().nth(1).map_or(0, |last_but_one| last_but_one.last);
        let is_doubtful =
            end > known && self.transactions.last().is_some_and(|last| last.has_hole && last.last > told);
        if is_doubtful {
            self.transactions.pop();
        }
        Log { salt: Some(self.beginning.salt), transactions: self.transactions, end, is_doubtful }
    }
}
