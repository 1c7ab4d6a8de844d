//! The index that SQLite keeps beside the log of a journal. It is made anew whenever a journal is opened that nobody has open; but after
//! a crash it still says how much had been written. The format is that of "WAL-Index Format", <https://sqlite.org/walformat.html>.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::frame::{PAGE, Salt};
use super::log::VERSION;
use super::sum::{Order, Sum};

/// The bytes of what stands there twice, and of those in it that a sum covers.
const HEADER: usize = 48;
const COVERED: usize = 40;

/// All that is read: the header twice, and how many frames are in the journal itself.
const READ: usize = 2 * HEADER + 4;

/// What an index says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Index {
    /// The salt of the log that it is for.
    pub(super) salt: Salt,
    /// The last frame in it of a transaction that ended.
    pub(super) last: u32,
    /// How many pages the journal had then.
    pub(super) count: u32,
    /// Up to which frame everything is in the journal too.
    pub(super) moved: u32,
}

impl Index {
    /// What the file says, if it is one that somebody used to the end.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let mut bytes = [0; READ];
        File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).ok()?;
        let (header, again) = (&bytes[..HEADER], &bytes[HEADER..2 * HEADER]);
        let sum = Sum::default().over(&header[..COVERED], Order::native());
        let is_whole = header == again
            && number(header, 0) == VERSION
            && usize::from(u16::from_ne_bytes([header[14], header[15]])) == PAGE
            && sum == Sum::read(&header[COVERED..], Order::native());
        let mut salt = Salt::default();
        salt.copy_from_slice(&header[32..COVERED]);
        let (last, count) = (number(header, 16), number(header, 20));
        is_whole.then(|| Self { salt, last, count, moved: number(&bytes, 2 * HEADER) })
    }
}

/// A number as this machine has it.
fn number(bytes: &[u8], place: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[place..place + 4]);
    u32::from_ne_bytes(four)
}
