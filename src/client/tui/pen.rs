//! Writing into a part of the screen: text that stays inside its place, lines, and long text cut into lines. It knows no
//! game, and what is written where is for others to say.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::look::{Look, Tone};

/// A part of the screen that is written into; nothing is ever written beside it.
#[derive(Debug)]
pub(super) struct Pen<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    pub(super) look: Look,
}

impl<'a> Pen<'a> {
    /// For this part.
    pub(super) fn new(buffer: &'a mut Buffer, area: Rect, look: Look) -> Self {
        let area = area.intersection(buffer.area);
        Self { buffer, area, look }
    }

    /// The same for a part of it.
    pub(super) fn inside(&mut self, area: Rect) -> Pen<'_> {
        Pen { area: area.intersection(self.area), buffer: &mut *self.buffer, look: self.look }
    }

    /// Where it writes.
    pub(super) fn area(&self) -> Rect {
        self.area
    }

    /// Writes this at a place of the screen, cut off where the part ends.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, tone: Tone) {
        let style = self.look.style(tone);
        self.put_in(x, y, text, style);
    }

    /// The same in a style of its own.
    pub(super) fn put_in(&mut self, x: u16, y: u16, text: &str, style: Style) {
        if (self.area.top()..self.area.bottom()).contains(&y)
            && (self.area.left()..self.area.right()).contains(&x)
        {
            self.buffer.set_stringn(x, y, text, usize::from(self.area.right() - x), style);
        }
    }

    /// Writes a line of the part, cut with a sign where it is too long.
    pub(super) fn line(&mut self, row: u16, text: &str, tone: Tone) {
        let text = cut(text, self.area.width, self.look);
        self.put(self.area.x, self.area.y + row, &text, tone);
    }

    /// Writes texts into the part, each broken into lines; with a sign where there is no room for the rest.
    pub(super) fn texts<T: AsRef<str>>(&mut self, texts: &[T], tone: Tone) {
        for (row, line) in (0..).zip(fitting(texts, self.area.width, self.area.height, self.look)) {
            self.line(row, &line, tone);
        }
    }

    /// Writes in the middle of a line of the part.
    pub(super) fn centred(&mut self, row: u16, text: &str, tone: Tone) {
        let text = cut(text, self.area.width, self.look);
        let x = self.area.x + (self.area.width - width(&text)) / 2;
        self.put(x, self.area.y + row, &text, tone);
    }

    /// Writes at the end of a line of the part.
    pub(super) fn right(&mut self, row: u16, text: &str, tone: Tone) {
        let text = cut(text, self.area.width, self.look);
        self.put(self.area.right() - width(&text), self.area.y + row, &text, tone);
    }

    /// Fills the part with blanks.
    pub(super) fn clear(&mut self) {
        for row in self.area.rows() {
            self.buffer.set_string(row.x, row.y, " ".repeat(row.width.into()), Style::reset());
        }
    }

    /// A line from the left end of the part to its right end.
    pub(super) fn rule(&mut self, row: u16) {
        let line = self.look.line().horizontal.repeat(self.area.width.into());
        self.put(self.area.x, self.area.y + row, &line, Tone::Faint);
    }

    /// A frame around the part, with a title. Returns what is inside.
    pub(super) fn frame(&mut self, title: &str) -> Rect {
        let (area, set) = (self.area, self.look.border());
        if area.width < 4 || area.height < 2 {
            return Rect::default();
        }
        let along = |line: &str| line.repeat(usize::from(area.width) - 2);
        let top = format!("{}{}{}", set.top_left, along(set.horizontal_top), set.top_right);
        let bottom = format!("{}{}{}", set.bottom_left, along(set.horizontal_bottom), set.bottom_right);
        self.put(area.x, area.y, &top, Tone::Faint);
        self.put(area.x, area.bottom() - 1, &bottom, Tone::Faint);
        for y in area.y + 1..area.bottom() - 1 {
            self.put(area.x, y, set.vertical_left, Tone::Faint);
            self.put(area.right() - 1, y, set.vertical_right, Tone::Faint);
        }
        if !title.is_empty() {
            let title = cut(title, area.width - 4, self.look);
            self.put(area.x + 1, area.y, &format!(" {title} "), Tone::Title);
        }
        Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 }
    }
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> u16 {
    u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX)
}

/// A text of so many columns at most, with a sign where the rest is missing.
pub(super) fn cut(text: &str, most: u16, look: Look) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if width(&kept) >= most {
            kept.pop();
            break;
        }
    }
    if most > 0 {
        kept.push_str(look.ellipsis());
    }
    kept
}

/// A text in lines of so many columns at most, broken between words where that is possible.
pub(super) fn wrap(text: &str, most: u16) -> Vec<String> {
    let most = most.max(1);
    if width(text) <= most {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        // There always is a line.
        let Some(line) = lines.last_mut() else { break };
        let gap = u16::from(!line.is_empty());
        if width(line) + gap + width(word) <= most {
            line.push_str(if gap == 1 { " " } else { "" });
            line.push_str(word);
            continue;
        }
        if line.is_empty() {
            lines.pop();
        }
        lines.extend(broken(word, most));
    }
    lines
}

/// Texts in so many lines of so many columns at most, with a sign where there is no room for the rest.
pub(super) fn fitting<T: AsRef<str>>(texts: &[T], most: u16, lines: u16, look: Look) -> Vec<String> {
    let mut all: Vec<String> = texts.iter().flat_map(|text| wrap(text.as_ref(), most)).collect();
    let has_more = all.len() > usize::from(lines);
    all.truncate(lines.into());
    if let Some(last) = all.last_mut().filter(|_| has_more) {
        let sign = format!("{last} {}", look.ellipsis());
        *last = if width(&sign) <= most { sign } else { cut(&format!("{last}  "), most, look) };
    }
    all
}

/// A word in parts of so many columns at most: one part for all words but monsters.
fn broken(word: &str, most: u16) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in word.chars() {
        // There always is a part.
        let Some(part) = parts.last_mut() else { break };
        let longer = format!("{part}{letter}");
        if width(&longer) > most && !part.is_empty() {
            parts.push(letter.to_string());
        } else {
            *part = longer;
        }
    }
    parts
}

/// The part of this size in the middle of another one; no larger than that.
pub(super) fn middle(of: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(of.width), height.min(of.height));
    Rect { x: of.x + (of.width - width) / 2, y: of.y + (of.height - height) / 2, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_between_words_and_a_long_word_inside() {
        assert_eq!(wrap("take one or two", 8), ["take one", "or two"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("李李李", 4), ["李李", "李"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn a_text_for_which_there_is_no_room_ends_with_a_sign() {
        let look = Look::default();
        assert_eq!(fitting(&["take one or two", "or three"], 8, 3, look), ["take one", "or two", "or three"]);
        assert_eq!(fitting(&["take one or two", "or three"], 8, 2, look), ["take one", "or two …"]);
        assert_eq!(fitting(&["take one or two"], 8, 1, look), ["take on…"]);
        assert!(fitting(&["take"], 8, 0, look).is_empty());
    }

    #[test]
    fn what_is_cut_says_so() {
        let look = Look::default();
        assert_eq!(cut("brave-otter", 11, look), "brave-otter");
        assert_eq!(cut("brave-otter", 6, look), "brave…");
        assert_eq!(cut("李李李", 4, look), "李…");
        assert_eq!(cut("abc", 0, look), "");
    }

    #[test]
    fn nothing_is_written_beside_the_part() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 3));
        let mut pen = Pen::new(&mut buffer, Rect::new(2, 1, 3, 1), Look::default());
        for (x, y) in [(0, 0), (1, 1), (5, 1), (2, 2), (100, 100)] {
            pen.put(x, y, "xxxx", Tone::Plain);
        }
        pen.put(4, 1, "yyyy", Tone::Plain);
        assert_eq!(buffer, Buffer::with_lines(["        ", "    y   ", "        "]).clone_style(&buffer));
    }

    trait SameStyle {
        fn clone_style(self, other: &Buffer) -> Buffer;
    }

    impl SameStyle for Buffer {
        fn clone_style(mut self, other: &Buffer) -> Buffer {
            for (mine, theirs) in self.content.iter_mut().zip(&other.content) {
                mine.set_style(theirs.style());
            }
            self
        }
    }
}
