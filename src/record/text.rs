//! A record's text as lines, and its checksum. Does not interpret the lines.
//!
//! The canonical text is what the checksum covers: the lines from the first, `nim record 1`, to the last
//! before the checksum, each followed by one line feed, after these steps:
//!
//! - quotation marks (`>` and `|`) and blanks before a line, and blanks after it, are removed;
//! - any other run of blanks becomes one space;
//! - empty lines are removed;
//! - a line that begins with `\` is appended, without the `\`, to the line before it.
//!
//! A blank is any Unicode white space, and the byte order mark.

use crate::game::notation::shown;
use crate::lobby::Checksum;

/// The version of the format, the only one that this program reads and writes.
pub const VERSION: u32 = 1;

/// The largest text that is read, in bytes: [`MAX_LINES`] lines of [`MAX_WIDTH`], with the mail around them.
pub const MAX_BYTES: usize = 10 << 20;

/// The limit of lines in a text: enough for the [most moves](crate::game::MAX_MOVES), each with two offers and
/// their answers.
pub const MAX_LINES: usize = 131_072;

/// The maximum width of a written line in characters, so that it fits into 80 columns when quoted twice.
pub const MAX_WIDTH: usize = 72;

/// The start of the first line, before the version.
const TITLE: &str = "nim record ";

/// The start of the last line, before the checksum.
const CHECKSUM: &str = "Checksum: ";

/// Marks a line that continues the one before it.
const CONTINUED: char = '\\';

/// An error in the text of a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {words}")]
pub struct RecordError {
    /// The number of the line in the whole text, from 1.
    pub line: usize,
    /// What is wrong, and often what would be right. Without a full stop.
    pub words: String,
}

/// The first line of a record.
pub(super) fn title() -> String {
    format!("{TITLE}{VERSION}")
}

/// The CRC-32 (IEEE 802.3, as in gzip) of these lines, each followed by a line feed. It detects accidents,
/// not forgery: anyone can compute the checksum of a changed record.
pub(super) fn checksum_over<'a>(lines: impl IntoIterator<Item = &'a str>) -> Checksum {
    let mut hasher = crc32fast::Hasher::new();
    for line in lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    Checksum(hasher.finalize())
}

/// A line of the canonical text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordLine {
    /// The number in the whole text, from 1. For a continued line, that of its first part.
    number: usize,
    pub(super) text: String,
}

impl RecordLine {
    pub(super) fn error(&self, words: impl Into<String>) -> RecordError {
        RecordError { line: self.number, words: words.into() }
    }

    /// The error for a line that should read `right`.
    pub(super) fn expected(&self, right: &str) -> RecordError {
        self.error(format!("this line has to read: {right}"))
    }

    /// The text after `word: `.
    fn value(&self, word: &str) -> Option<&str> {
        self.text.strip_prefix(word)?.strip_prefix(": ")
    }

    /// Whether the line begins with this word and a colon, ignoring capitals and blanks. This finds likely
    /// typing errors.
    pub(super) fn resembles(&self, word: &str) -> bool {
        let word = word.trim_end_matches([':', ' ']);
        let before = self.text.split_once(':').map(|(before, _)| before.trim());
        before.is_some_and(|before| before.eq_ignore_ascii_case(word))
    }
}

/// The canonical text of a record, which is read line by line, and the checksum after it.
#[derive(Debug, Clone)]
pub(super) struct RecordLines {
    /// All lines from the title to the last one before the checksum.
    all: Vec<RecordLine>,
    /// The text after `Checksum: `.
    checksum: RecordLine,
    /// The index of the next line to read.
    next: usize,
}

impl RecordLines {
    /// Finds the record in a text. Ignores the text before and after it.
    pub(super) fn of(bytes: &[u8]) -> Result<Self, RecordError> {
        let all = numbered(bytes)?;
        let is_utf8 = std::str::from_utf8(bytes).is_ok();
        let count = all.len();
        let mut all = all.into_iter().map(|(number, text)| RecordLine { number, text });
        let title = all.find(|line| is_title(&line.text)).ok_or_else(|| no_record(count))?;
        check_version(&title)?;
        let mut lines = vec![title];
        let checksum = loop {
            let last = lines.last().map_or(1, |line| line.number);
            let line = all.next().ok_or_else(|| unfinished(last))?;
            if !is_utf8 && line.text.contains(char::REPLACEMENT_CHARACTER) {
                return Err(line.error("this is not UTF-8: save the text again as UTF-8"));
            }
            match line.text.strip_prefix(CHECKSUM) {
                Some(digits) => break RecordLine { number: line.number, text: digits.into() },
                None if line.resembles(CHECKSUM) => {
                    return Err(line.error("this line has to read as in \"Checksum: 1a2b3c4d\""));
                }
                None => add(&mut lines, line)?,
            }
        };
        match all.find(|line| is_title(&line.text)) {
            Some(line) => Err(line.error("a second record begins here: put each one into a file of its own")),
            None => Ok(Self { all: lines, checksum, next: 1 }),
        }
    }

    /// The next line, without advancing; `None` at the checksum.
    pub(super) fn peek(&self) -> Option<&RecordLine> {
        self.all.get(self.next)
    }

    /// The index of the next line.
    pub(super) fn index(&self) -> usize {
        self.next
    }

    /// Advances to the following line.
    pub(super) fn advance(&mut self) {
        self.next += 1;
    }

    /// Whether the next line begins with this word and a colon.
    pub(super) fn has(&self, word: &str) -> bool {
        self.peek().is_some_and(|line| line.value(word).is_some())
    }

    /// Parses the value after this word on the next line, and advances.
    pub(super) fn field<T>(
        &mut self,
        word: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, RecordError> {
        let missing = || format!("a line is missing here that begins with \"{word}: \"");
        let line = self.peek().ok_or_else(|| self.checksum.error(missing()))?;
        let value = line.value(word).ok_or_else(|| line.error(missing()))?;
        let value = read(value).map_err(|words| line.error(words))?;
        self.next += 1;
        Ok(value)
    }

    /// An error about the line at this index.
    pub(super) fn error_at(&self, index: usize, words: &str) -> RecordError {
        self.all.get(index).unwrap_or(&self.checksum).error(words)
    }

    /// Checks that the line at this index reads `right`.
    pub(super) fn compare(&self, index: usize, right: &str) -> Result<(), RecordError> {
        match self.all.get(index) {
            Some(line) if line.text != right => Err(line.expected(right)),
            _ => Ok(()),
        }
    }

    /// Verifies the checksum.
    pub(super) fn check(&self) -> Result<(), RecordError> {
        let right = checksum_over(self.all.iter().map(|line| line.text.as_str()));
        if self.checksum.text.parse() == Ok(right) {
            return Ok(());
        }
        if self.checksum.text.to_ascii_lowercase().parse() == Ok(right) {
            return Err(self.checksum.error(format!("the checksum is written in lower case: {right}")));
        }
        let found = shown(&self.checksum.text);
        let words = format!("the text was changed: the record says {found}, but its checksum is {right}");
        Err(self.checksum.error(words))
    }
}

/// The lines of a text, numbered from 1. Replaces invalid UTF-8. An error if the text exceeds a limit.
fn numbered(bytes: &[u8]) -> Result<Vec<(usize, String)>, RecordError> {
    if bytes.len() > MAX_BYTES {
        let words = format!("the text is too large: it has at most {MAX_BYTES} bytes");
        return Err(RecordError { line: 1, words });
    }
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    if text.matches('\n').count() >= MAX_LINES {
        let words = format!("the text is too long: it has at most {MAX_LINES} lines");
        return Err(RecordError { line: MAX_LINES, words });
    }
    Ok((1..).zip(text.split('\n').map(clean)).collect())
}

fn is_title(line: &str) -> bool {
    line.strip_prefix(TITLE).is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check_version(line: &RecordLine) -> Result<(), RecordError> {
    if line.text == title() {
        return Ok(());
    }
    let version = shown(line.text.trim_start_matches(TITLE));
    let words = format!("this is a record of version {version}, and this program reads version {VERSION}");
    Err(line.error(words))
}

fn no_record(line: usize) -> RecordError {
    let words = format!("there is no record in the text: a record begins with the line {:?}", title());
    RecordError { line, words }
}

fn unfinished(line: usize) -> RecordError {
    let words = "the record breaks off after this line: its last line is as in \"Checksum: 1a2b3c4d\"";
    RecordError { line, words: words.into() }
}

/// Adds a line, or appends it to the line before if it is a continuation. Drops an empty line.
fn add(lines: &mut Vec<RecordLine>, line: RecordLine) -> Result<(), RecordError> {
    let is_first = lines.len() == 1;
    match (line.text.strip_prefix(CONTINUED), lines.last_mut()) {
        (Some(_), _) if is_first => return Err(line.error("the first line of a record cannot be continued")),
        (Some(rest), Some(last)) => last.text.push_str(rest),
        _ if line.text.is_empty() => {}
        _ => lines.push(line),
    }
    Ok(())
}

/// A line without quotation marks at its start, and with single spaces.
fn clean(line: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let line = line.trim_start_matches(|c| matches!(c, '>' | '|') || is_blank(c));
    let words: Vec<&str> = line.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Folds a line into pieces of at most [`MAX_WIDTH`] characters, of which all but the first begin with
/// [`CONTINUED`]. No piece begins or ends with a blank, which the parser would remove.
pub(super) fn folded(line: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut mark, mut rest) = (String::new(), line);
    while rest.chars().count() + mark.len() > MAX_WIDTH {
        let cut = cut(rest, MAX_WIDTH - mark.len());
        pieces.push(mark + &rest[..cut]);
        (mark, rest) = (CONTINUED.into(), &rest[cut..]);
    }
    pieces.push(mark + rest);
    pieces
}

/// The index at which to fold a line: within `width` characters, not next to a blank, and preferably after a
/// hyphen or a colon.
fn cut(text: &str, width: usize) -> usize {
    let end = text.char_indices().nth(width).map_or(text.len(), |(at, _)| at);
    let fits = |&at: &usize| {
        let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
        ![before, after].into_iter().flatten().any(char::is_whitespace)
    };
    let ends = text[..end].char_indices().skip(1).map(|(at, _)| at).chain([end]);
    let cuts: Vec<usize> = ends.filter(fits).collect();
    let good = cuts.iter().rev().find(|&&at| at * 2 > end && text[..at].ends_with(['-', ':']));
    good.or(cuts.last()).copied().unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers() {
        let lines = RecordLines::of(b"hello\n\nnim record 1\n\nab\n\\cd\nef\nChecksum: 0").unwrap();
        let numbers: Vec<_> = lines.all.iter().map(|line| (line.number, line.text.as_str())).collect();
        assert_eq!(numbers, [(3, "nim record 1"), (5, "abcd"), (7, "ef")]);
        assert_eq!(lines.checksum.number, 8);
    }

    #[test]
    fn every_line_end_counts_once() {
        for (text, count) in
            [("", 1), ("a", 1), ("a\n", 2), ("a\r\nb", 2), ("a\rb\n", 3), ("\r\n\r", 3), ("\n\r", 3)]
        {
            assert_eq!(numbered(text.as_bytes()).unwrap().len(), count, "{text:?}");
        }
    }

    #[test]
    fn a_text_without_a_record_is_refused() {
        for (text, words) in [
            (&b""[..], "line 1: there is no record in the text"),
            (b"hello\nthere", "line 2: there is no record"),
            (b"nim record 2\n", "line 1: this is a record of version 2"),
            (b"nim record 1\n\\2\nChecksum: x", "line 2: the first line of a record cannot be continued"),
            (b"nim record 1\nGame: x\n", "line 2: the record breaks off after this line"),
            (
                b"nim record 1\rGame: x\rchecksum : 1",
                "line 3: this line has to read as in \"Checksum: 1a2b3c4d\"",
            ),
            (b"nim record 1\n\xff\nChecksum: x", "line 2: this is not UTF-8"),
            (b"nim record 1\nChecksum: x\nnim record 1", "line 3: a second record begins here"),
        ] {
            let fault = RecordLines::of(text).unwrap_err().to_string();
            assert!(fault.starts_with(words), "{fault}");
        }
        let fault = RecordLines::of(&vec![b'x'; MAX_BYTES + 1]).unwrap_err().to_string();
        assert!(fault.starts_with("line 1: the text is too large"), "{fault}");
        let fault = RecordLines::of(&vec![b'\n'; MAX_LINES]).unwrap_err().to_string();
        assert!(fault.starts_with("line 131072: the text is too long"), "{fault}");
        assert!(RecordLines::of(b"\xff\xfe hello\nnim record 1\nChecksum: x\n\xff").is_ok());
    }

    proptest::proptest! {
        #[test]
        fn a_folded_line_is_unfolded_to_itself(words in proptest::collection::vec("[-a-z:é\\\\]{1,200}", 1..8)) {
            let line = format!("x {}", words.join(" "));
            let pieces = folded(&line);
            assert!(pieces.iter().all(|piece| piece.chars().count() <= MAX_WIDTH));
            let text = format!("nim record 1\n{}\nChecksum: x", pieces.join("  \r\n> "));
            let lines = RecordLines::of(text.as_bytes()).unwrap().all;
            assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["nim record 1", &line]);
        }
    }
}
