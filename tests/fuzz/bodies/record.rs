use std::borrow::Cow;

use nim::game::Game;
use nim::record::{MAX_WIDTH, Record, RecordError};

/// How often a line is replaced by the correct one from the error message. A fuzzer cannot guess a checksum,
/// and a person who changes a record by hand would do the same.
const TRIES: usize = 12;

/// Reads a record, writes it, and reads it again.
pub fn body(data: &[u8]) {
    let mut text = Cow::Borrowed(data);
    for _ in 0..TRIES {
        match Record::read(&text) {
            Ok(record) => return check(&record),
            Err(fault) => match mended(&text, &fault) {
                Some(better) => text = Cow::Owned(better),
                None => return,
            },
        }
    }
}

/// The text with the faulty line corrected, if the message says how.
fn mended(text: &[u8], fault: &RecordError) -> Option<Vec<u8>> {
    let sentence = fault.to_string();
    assert!(fault.line > 0 && !sentence.chars().any(char::is_control), "{sentence:?}");
    let right = fault.words.split_once("this line has to read: ").map(|(_, right)| right.to_owned());
    let sum = fault.words.split_once(", and that of the text is ").map(|(_, sum)| format!("Checksum: {sum}"));
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let better = right.or(sum)?;
    *lines.get_mut(fault.line - 1)? = better.as_bytes();
    Some(lines.join(&b'\n'))
}

fn check(record: &Record) {
    let text = record.to_string();
    assert_eq!(Record::read(text.as_bytes()).as_ref(), Ok(record), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= MAX_WIDTH && line.trim_end() == line), "{text}");
    let boards = record.boards();
    let decided = boards.last().and_then(nim::game::any::Board::finish);
    assert!(decided.is_none() || record.result().is_some(), "{text}");
    for pair in boards.windows(2) {
        assert!(pair[0].position().move_count() > 0, "{text}");
    }
    assert!(!record.verdict().is_empty() && record.checksum() == record.clone().checksum());
}
