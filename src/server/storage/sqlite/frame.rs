//! A page in the log of a journal, with what stands in front of it, and how a wrong byte in it is put right. It knows nothing of the
//! frames around it but what it is told. The format is that of "WAL-mode File Format", <https://sqlite.org/walformat.html>.

use std::io::{self, Read};
use std::ops::Range;

use super::gleaning::glean;
use super::sum::{Fault, Order, Slip, Sum, fault};

/// The bytes of a page, in every journal.
pub(super) const PAGE: usize = 4096;

/// Those in front of each page.
pub(super) const FRAME_HEADER: usize = 24;

/// The bytes of a page with what stands in front of it.
pub(super) const FRAME: usize = FRAME_HEADER + PAGE;

/// Where in front of a page its salt stands. It is that of the file, or the page is older than the file's beginning.
pub(super) const SALT: Range<usize> = 8..16;

/// Where its sum stands: it covers everything but the salt and itself.
const SUM: usize = 16;

/// The bytes in front of a page that its sum covers: its number, and how many pages there are then.
const NUMBERS: usize = 8;

/// What all frames have in common since the file was begun anew.
pub(super) type Salt = [u8; SALT.end - SALT.start];

/// A page, and what is said of it.
pub(super) struct Frame {
    pub(super) salt: Salt,
    /// All that the sum covers.
    content: Box<[u8; NUMBERS + PAGE]>,
    pub(super) sum: Sum,
}

impl Frame {
    /// The next frame of a file, if there is a whole one.
    pub(super) fn next(bytes: &mut impl Read) -> io::Result<Option<Self>> {
        let mut frame = [0; FRAME];
        if !fill(bytes, &mut frame)? {
            return Ok(None);
        }
        let (mut salt, mut content) = (Salt::default(), Box::new([0; NUMBERS + PAGE]));
        salt.copy_from_slice(&frame[SALT]);
        content[..NUMBERS].copy_from_slice(&frame[..NUMBERS]);
        content[NUMBERS..].copy_from_slice(&frame[FRAME_HEADER..]);
        Ok(Some(Self { salt, content, sum: Sum::read(&frame[SUM..], Order::High) }))
    }

    /// Whether it is as it was written behind what has this sum.
    pub(super) fn follows(&self, before: Sum, order: Order) -> bool {
        before.over(&*self.content, order) == self.sum
    }

    pub(super) fn page(&self) -> Box<[u8; PAGE]> {
        let mut page = Box::new([0; PAGE]);
        page.copy_from_slice(&self.content[NUMBERS..]);
        page
    }

    /// Which page it is.
    pub(super) fn number(&self) -> u32 {
        number(&*self.content, 0)
    }

    /// How many pages there are now, if it is the last frame of a transaction; else 0.
    pub(super) fn count(&self) -> u32 {
        number(&*self.content, 4)
    }

    /// Puts it right if a single byte of it is wrong; the sum of all up to here.
    pub(super) fn mend(&mut self, around: &Around<'_>) -> Option<Sum> {
        let order = around.order;
        let goes_on = |sum| around.next.is_some_and(|next| next.follows(sum, order));
        match fault(&*self.content, around.before, self.sum, order, goes_on)? {
            Fault::Sum(sum) => Some(sum),
            Fault::Word(slips) => {
                if let Some(slip) = self.likeliest(&slips, around) {
                    slip.mend(&mut *self.content, order);
                }
                Some(self.sum)
            }
        }
    }

    /// The word that is wrong. If there are several that may be, it is one on the page with which more rows are right, or where nothing
    /// stood; and then what is said of the page, if it makes sense with another word there.
    fn likeliest(&self, slips: &[Slip], around: &Around<'_>) -> Option<Slip> {
        if let [slip] = slips {
            return Some(*slip);
        }
        let (of_header, on_page): (Vec<&Slip>, Vec<&Slip>) =
            slips.iter().partition(|slip| slip.place < NUMBERS);
        let with = |slip: &Slip| {
            let mut mended = Self { content: self.content.clone(), ..*self };
            slip.mend(&mut *mended.content, around.order);
            mended
        };
        let best = on_page.iter().map(|slip| (with(slip).rows(), **slip)).max_by_key(|(rows, _)| *rows);
        if let Some((_, slip)) = best.filter(|(rows, _)| *rows > self.rows()) {
            return Some(slip);
        }
        if let Some(slip) = on_page.iter().find(|slip| slip.right == 0) {
            return Some(**slip);
        }
        of_header.into_iter().find(|slip| with(slip).makes_sense(around)).copied()
    }

    /// How many rows on the page are as they were written.
    fn rows(&self) -> usize {
        let mut rows = 0;
        // Counting cannot fail.
        let _ = glean(&self.page(), &mut |_, _| {
            rows += 1;
            Ok(())
        });
        rows
    }

    /// Whether what is said of the page fits the frames around it: the pages of a transaction are in their order.
    fn makes_sense(&self, around: &Around<'_>) -> bool {
        let (number, count) = (self.number(), self.count());
        let is_later = number > around.earlier.unwrap_or(0);
        let goes_on = around.next.is_some_and(|next| next.number() > number);
        let is_count =
            count >= number && around.count.is_none_or(|earlier| count.abs_diff(earlier) < MAX_GROWTH);
        is_later && if count == 0 { goes_on } else { is_count }
    }
}

/// By fewer pages than this the journal grows in most transactions.
const MAX_GROWTH: u32 = 16;

/// What is known around a frame.
pub(super) struct Around<'a> {
    /// The sum of all in front of it.
    pub(super) before: Sum,
    /// How numbers stand in sums.
    pub(super) order: Order,
    /// The number of the page before it in the same transaction.
    pub(super) earlier: Option<u32>,
    /// How many pages there were after the transaction before.
    pub(super) count: Option<u32>,
    /// The frame behind it.
    pub(super) next: Option<&'a Frame>,
}

/// Reads so many bytes; whether there were that many.
pub(super) fn fill(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// A number in the header of the file or of a frame.
pub(super) fn number(bytes: &[u8], place: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[place..place + 4]);
    u32::from_be_bytes(four)
}
