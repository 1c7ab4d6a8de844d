use std::sync::LazyLock;

use super::feed::Feed;
use crate::storage::crash::{Crash, INDEX, MAIN, WAL};

/// The most changes: more would leave nothing to read.
const CHANGES: usize = 12;

/// The size of SQLite's page, and of a frame in its log file: a page and its header.
const PAGE: usize = 4_096;
const FRAME: usize = PAGE + 24;

/// Journals in states that a crash may leave: all events in the main file, some of them, and almost none.
static JOURNALS: LazyLock<[Crash; 3]> =
    LazyLock::new(|| [Crash::after(101, 12, 0), Crash::after(102, 6, 6), Crash::after(103, 1, 9)]);

/// Changes the files of a journal as the bytes say, and opens it. No unrecorded event is loaded, and every
/// loss is reported.
pub fn body(data: &[u8]) {
    let mut feed = Feed::of(data);
    let crash = &JOURNALS[usize::from(feed.byte()) % JOURNALS.len()];
    let mut files = [MAIN, WAL, INDEX].map(|name| (name, crash.try_file(name)));
    let mut left = CHANGES;
    while !feed.is_empty() && left > 0 {
        let which = usize::from(feed.byte());
        change(&mut files[which % 3].1, which / 3, &mut feed);
        left -= 1;
    }
    let changed: Vec<(&str, Option<&[u8]>)> = files
        .iter()
        .filter(|(name, bytes)| *bytes != crash.try_file(name))
        .map(|(name, bytes)| (*name, bytes.as_deref()))
        .collect();
    crash.judge_all("these bytes", &changed);
}

/// Changes a file, if there is one.
fn change(file: &mut Option<Vec<u8>>, how: usize, feed: &mut Feed<'_>) {
    let Some(bytes) = file else { return };
    let (place, value) = (feed.u32() as usize % bytes.len().max(1), feed.byte());
    let page = place / PAGE * PAGE;
    match how % 16 {
        0..6 => bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= value.max(1)),
        6 | 7 => set(bytes, place, &[value]),
        8 => set(bytes, place, &[value; 8]),
        // Numbers in SQLite's files are big-endian.
        9 => set(bytes, place & !3, &feed.u32().to_be_bytes()),
        10 => set(bytes, page, &[value; PAGE]),
        11 => copy_within(bytes, feed.u32() as usize / PAGE * PAGE, page, PAGE),
        12 => copy_within(bytes, 32 + feed.u16() as usize * FRAME, 32 + place / FRAME * FRAME, FRAME),
        13 => bytes.truncate(place),
        14 => bytes.extend(std::iter::repeat_n(value, usize::from(feed.u16()))),
        _ if value < 8 => *file = None,
        _ => bytes.truncate(page),
    }
}

fn set(bytes: &mut [u8], place: usize, values: &[u8]) {
    for (byte, value) in bytes.iter_mut().skip(place).zip(values) {
        *byte = *value;
    }
}

fn copy_within(bytes: &mut [u8], from: usize, to: usize, count: usize) {
    let (from, length) = (from % bytes.len().max(1), bytes.len());
    if to < length {
        bytes.copy_within(from..from + count.min(length - from).min(length - to), to);
    }
}
