//! A record's text as lines, whatever a mail has made of them, and its checksum. It does not know what the lines mean.
//!
//! The canonical text is what the checksum is over: the lines from the first, `nim record 1`, to the one before the
//! checksum, each with a single line feed behind it, where
//!
//! - marks of quotation (`>` and `|`) and blanks before a line, and blanks behind it, are dropped;
//! - each other row of blanks is one space;
//! - lines that are empty then are dropped;
//! - a line that begins with `\` goes on, without that mark, where the line before it ended.
//!
//! A blank is whatever Unicode calls white space, and the byte order mark.

use super::VERSION;
use crate::game::notation::shown;
use crate::lobby::Checksum;

/// The largest text that is read, in bytes: many times that of a long game, with the mail around it.
pub const MAX_BYTES: usize = 4 << 20;

/// The most lines that are read: each of the most moves with an offer and an answer beside it fits.
pub const MAX_LINES: usize = 65_536;

/// The most characters of a written line: quoted twice, it still fits where mails are broken.
pub const MAX_WIDTH: usize = 72;

/// What the first line says before the version.
const TITLE: &str = "nim record ";

/// What the last line says before the checksum.
pub(super) const CHECKSUM: &str = "Checksum: ";

/// The mark of a line that continues the one before.
const CONTINUED: char = '\\';

/// What is wrong with a text: the line, from 1, and what it is and would have to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {words}")]
pub struct Fault {
    /// The number of the line in the whole text, from 1.
    pub line: usize,
    /// The sentence, without a full stop.
    pub words: String,
}

/// The CRC-32 (IEEE 802.3, as in gzip) of these lines, each with a line feed behind it. It shows what was changed by mistake;
/// whoever wants to forge a record can make a new one.
pub(super) fn checksum_over<'a>(lines: impl IntoIterator<Item = &'a str>) -> Checksum {
    let mut hasher = crc32fast::Hasher::new();
    for line in lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    Checksum(hasher.finalize())
}

/// A line of the canonical text, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The number of the line in the whole text, from 1; of a continued one, the first.
    pub(super) number: usize,
    pub(super) text: String,
}

impl Line {
    pub(super) fn fault(&self, words: impl Into<String>) -> Fault {
        Fault { line: self.number, words: words.into() }
    }

    /// Whether it begins with this word and a colon but for capital letters and blanks, as if somebody had typed it.
    pub(super) fn resembles(&self, word: &str) -> bool {
        let word = word.trim_end_matches([':', ' ']);
        let said = self.text.split_once(':').map(|(before, _)| before.trim());
        said.is_some_and(|said| said.eq_ignore_ascii_case(word))
    }
}

/// A record's lines: the canonical text, and the checksum that stands under it.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    /// Without the checksum's line; the title is the first.
    pub(super) lines: Vec<Line>,
    /// What stands behind its word.
    pub(super) checksum: Line,
}

/// The title of this release's records.
pub(super) fn title() -> String {
    format!("{TITLE}{VERSION}")
}

impl Sheet {
    /// The one record in a text, with whatever stands before and behind it.
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Fault> {
        let mut all = numbered(bytes)?;
        let title = loop {
            let (number, raw) = all.next().ok_or_else(|| nothing(bytes))?;
            let text = clean(&String::from_utf8_lossy(raw));
            if is_title(&text) {
                break Line { number, text };
            }
        };
        check_version(&title)?;
        let mut lines = vec![title];
        let checksum = loop {
            let last = lines.last().map_or(1, |line| line.number);
            let (number, raw) = all.next().ok_or_else(|| unfinished(last))?;
            let line = Line { number, text: clean(utf8(number, raw)?) };
            match line.text.strip_prefix(CHECKSUM) {
                Some(said) => break Line { number, text: said.into() },
                None if line.resembles(CHECKSUM) => {
                    return Err(line.fault("this line has to read as in \"Checksum: 1a2b3c4d\""));
                }
                None => add(&mut lines, line)?,
            }
        };
        match all.find(|(_, raw)| is_title(&clean(&String::from_utf8_lossy(raw)))) {
            Some((line, _)) => Err(second(line)),
            None => Ok(Self { lines, checksum }),
        }
    }

    /// Whether the text is the one that the checksum was made of.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let right = checksum_over(self.lines.iter().map(|line| line.text.as_str()));
        if self.checksum.text.parse() == Ok(right) {
            return Ok(());
        }
        if self.checksum.text.to_ascii_lowercase().parse() == Ok(right) {
            return Err(self.checksum.fault(format!("the checksum is written in small letters: {right}")));
        }
        let said = shown(&self.checksum.text);
        let words = format!("the text was changed: its checksum is {said}, and that of the text is {right}");
        Err(self.checksum.fault(words))
    }
}

/// The lines of a text that is not too large, numbered from 1.
fn numbered(bytes: &[u8]) -> Result<impl Iterator<Item = (usize, &[u8])>, Fault> {
    if bytes.len() > MAX_BYTES {
        return Err(Fault {
            line: 1,
            words: format!("the text is too large: it has at most {MAX_BYTES} bytes"),
        });
    }
    if lines(bytes).count() > MAX_LINES {
        let words = format!("the text is too long: it has at most {MAX_LINES} lines");
        return Err(Fault { line: MAX_LINES, words });
    }
    Ok(lines(bytes).enumerate().map(|(index, line)| (index + 1, line)))
}

/// What stands before, between and behind the line ends: a carriage return, a line feed, or both in this order.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let Some(end) = end else { return rest.take() };
        let length = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = Some(&text[end + length..]);
        Some(&text[..end])
    })
}

fn utf8(number: usize, line: &[u8]) -> Result<&str, Fault> {
    let words = "this is no UTF-8: save the text again as UTF-8";
    std::str::from_utf8(line).map_err(|_| Fault { line: number, words: words.into() })
}

fn is_title(line: &str) -> bool {
    line.strip_prefix(TITLE).is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check_version(line: &Line) -> Result<(), Fault> {
    if line.text == title() {
        return Ok(());
    }
    let version = shown(line.text.trim_start_matches(TITLE));
    let words = format!("this is a record of version {version}, and this program reads version {VERSION}");
    Err(line.fault(words))
}

fn nothing(bytes: &[u8]) -> Fault {
    let line = lines(bytes).count();
    Fault {
        line,
        words: format!("the text ends, and no record has begun: it begins with the line {:?}", title()),
    }
}

fn unfinished(line: usize) -> Fault {
    let words = "the record breaks off behind this line: it ends with a line as in \"Checksum: 1a2b3c4d\"";
    Fault { line, words: words.into() }
}

fn second(line: usize) -> Fault {
    Fault { line, words: "a second record begins here: put each one into a file of its own".into() }
}

/// Adds a line, unless nothing is in it or it belongs to the one before. The title stands alone.
fn add(lines: &mut Vec<Line>, line: Line) -> Result<(), Fault> {
    let is_first = lines.len() == 1;
    match (line.text.strip_prefix(CONTINUED), lines.last_mut()) {
        (Some(_), _) if is_first => return Err(line.fault("nothing continues the first line of a record")),
        (Some(rest), Some(last)) => last.text.push_str(rest),
        _ if line.text.is_empty() => {}
        _ => lines.push(line),
    }
    Ok(())
}

/// The line without marks of quotation before it, and with single spaces.
fn clean(line: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let line = line.trim_start_matches(|c| matches!(c, '>' | '|') || is_blank(c));
    let words: Vec<&str> = line.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// A line cut into pieces of at most [`MAX_WIDTH`] characters, each but the first with the mark before it. No piece
/// begins or ends with a blank, so that none is lost.
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

/// Where to cut: as far behind as there is room for, not beside a blank, and behind a hyphen or a colon if there is one.
fn cut(text: &str, room: usize) -> usize {
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    let fits = |&at: &usize| {
        let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
        ![before, after].into_iter().flatten().any(char::is_whitespace)
    };
    let places: Vec<usize> =
        text[..end].char_indices().skip(1).map(|(at, _)| at).chain([end]).filter(fits).collect();
    let good = places.iter().rev().find(|&&at| at * 2 > end && text[..at].ends_with(['-', ':']));
    good.or(places.last()).copied().unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::BadChecksum;

    fn sheet(text: &str) -> Sheet {
        Sheet::of(text.as_bytes()).unwrap()
    }

    fn texts(sheet: &Sheet) -> Vec<&str> {
        sheet.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn what_a_mail_does_to_a_text_does_not_matter() {
        let right = ["nim record 1", "Game: one", "a b c"];
        for text in [
            "nim record 1\nGame: one\na b c\nChecksum: x",
            "\u{feff}nim record 1\r\n\r\nGame:   one\r\n  a b\tc  \r\nChecksum: x\r\n",
            "Hello!\n> see this:\n> nim record 1\n>\n> Game: one\n> a b c\n> Checksum: x\n> -- \n> anna",
            "| nim record 1\n| Game: one\n||\n> | a b c\n | > Checksum: x",
            ">> nim record 1\n> >Game:\u{a0}one\n>> a b c\n>>\n>> Checksum: x",
            "nim record 1\rGame: one\r\ra b c\rChecksum: x\r",
            "nim record 1\r\r\nGame: one\n\ra b c\r\nChecksum: x\n\r",
            "nim record 1\nGame: o\n\\ne\na b \n> \\c\nChecksum: x".replace("a b \n> \\c", "a b c").as_str(),
        ] {
            let sheet = sheet(text);
            assert_eq!((texts(&sheet), sheet.checksum.text.as_str()), (right.to_vec(), "x"), "{text}");
        }
    }

    #[test]
    fn lines_keep_their_numbers() {
        let sheet = sheet("hello\n\nnim record 1\n\nab\n\\cd\nef\nChecksum: 0");
        let numbers: Vec<_> = sheet.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
        assert_eq!(numbers, [(3, "nim record 1"), (5, "abcd"), (7, "ef")]);
        assert_eq!(sheet.checksum.number, 8);
    }

    #[test]
    fn a_line_ends_in_either_way_and_is_counted_once() {
        let all = |text: &'static str| lines(text.as_bytes()).map(<[u8]>::to_vec).collect::<Vec<_>>();
        for (text, count) in
            [("", 1), ("a", 1), ("a\n", 2), ("a\r\nb", 2), ("a\rb\n", 3), ("\r\n\r", 3), ("\n\r", 3)]
        {
            assert_eq!(all(text).len(), count, "{text:?}");
            assert!(all(text).concat().iter().all(u8::is_ascii_lowercase), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_record_is_told_so() {
        for (text, words) in [
            (&b""[..], "line 1: the text ends, and no record has begun"),
            (b"hello\nthere", "line 2: the text ends"),
            (b"nim record 2\n", "line 1: this is a record of version 2"),
            (b"nim record 1\n\\2\nChecksum: x", "line 2: nothing continues the first line"),
            (b"nim record 1\nGame: x\n", "line 2: the record breaks off behind this line"),
            (
                b"nim record 1\rGame: x\rchecksum : 1",
                "line 3: this line has to read as in \"Checksum: 1a2b3c4d\"",
            ),
            (b"nim record 1\n\xff\nChecksum: x", "line 2: this is no UTF-8"),
            (b"nim record 1\nChecksum: x\nnim record 1", "line 3: a second record begins here"),
        ] {
            let told = Sheet::of(text).unwrap_err().to_string();
            assert!(told.starts_with(words), "{told}");
        }
        let told = Sheet::of(&vec![b'x'; MAX_BYTES + 1]).unwrap_err().to_string();
        assert!(told.starts_with("line 1: the text is too large"), "{told}");
        let told = Sheet::of(&vec![b'\n'; MAX_LINES]).unwrap_err().to_string();
        assert!(told.starts_with("line 65536: the text is too long"), "{told}");
        assert!(Sheet::of(b"\xff\xfe hello\nnim record 1\nChecksum: x\n\xff").is_ok());
    }

    #[test]
    fn the_checksum_is_that_of_gzip() {
        assert_eq!(checksum_over(["123456789"]).to_string().len(), 8);
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(Checksum(10).to_string().parse(), Ok(Checksum(10)));
        for text in ["a", "0000000A", "00000000a", "+000000a", ""] {
            assert_eq!(text.parse::<Checksum>(), Err(BadChecksum), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_folded_line_is_unfolded_to_itself(words in proptest::collection::vec("[-a-z:é\\\\]{1,200}", 1..8)) {
            let line = format!("x {}", words.join(" "));
            let pieces = folded(&line);
            assert!(pieces.iter().all(|piece| piece.chars().count() <= MAX_WIDTH));
            let text = format!("nim record 1\n{}\nChecksum: x", pieces.join("  \r\n> "));
            assert_eq!(texts(&sheet(&text)), ["nim record 1", &line]);
        }
    }
}
