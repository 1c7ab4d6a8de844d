//! Painting into a part of the screen: text that stays inside its area, rules, frames, and text wrapped
//! into lines.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use super::appearance::{Appearance, Tone};
use crate::number::saturating;

/// An area of the screen to paint into. Nothing is ever painted outside it.
#[derive(Debug)]
pub(super) struct Painter<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    pub(super) appearance: Appearance,
}

impl<'a> Painter<'a> {
    /// A painter for this area.
    pub(super) fn new(buffer: &'a mut Buffer, area: Rect, appearance: Appearance) -> Self {
        let area = area.intersection(buffer.area);
        Self { buffer, area, appearance }
    }

    /// A painter for a part of this area.
    pub(super) fn inside(&mut self, area: Rect) -> Painter<'_> {
        Painter { area: area.intersection(self.area), buffer: &mut *self.buffer, appearance: self.appearance }
    }

    /// The area.
    pub(super) fn area(&self) -> Rect {
        self.area
    }

    /// Writes text at a position of the screen, cut off at the edge of the area.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, tone: Tone) {
        if (self.area.top()..self.area.bottom()).contains(&y)
            && (self.area.left()..self.area.right()).contains(&x)
        {
            let style = self.appearance.style(tone);
            self.buffer.set_stringn(x, y, text, usize::from(self.area.right() - x), style);
        }
    }

    /// Writes a row of the area, shortened with an ellipsis where it is too long.
    pub(super) fn line(&mut self, row: u16, text: &str, tone: Tone) {
        let text = cut(text, self.area.width, self.appearance);
        self.put(self.area.x, self.area.y + row, &text, tone);
    }

    /// Writes lines from this row on, as many as there is room for.
    pub(super) fn lines<T: AsRef<str>>(&mut self, from: u16, lines: &[T], tone: Tone) {
        for (row, line) in (from..self.area.height).zip(lines) {
            self.line(row, line.as_ref(), tone);
        }
    }

    /// Writes the lines of a list with a pointer at the selected one, scrolled so that this one is shown.
    pub(super) fn list(&mut self, lines: impl Iterator<Item = (String, Tone)>, selected: usize) {
        let skipped = first_shown(selected, self.area.height);
        let mut shown = lines.enumerate().skip(skipped);
        for (row, (at, (text, tone))) in (0..self.area.height).zip(shown.by_ref()) {
            let is_selected = at == selected;
            let pointer = if is_selected { self.appearance.pointer() } else { " " };
            self.line(row, &format!("{pointer} {text}"), if is_selected { Tone::Notice } else { tone });
        }
        self.more_below(self.area.height.saturating_sub(1), shown.count());
    }

    /// Says at the end of a row how many lines of a list follow below it, if there are any.
    pub(super) fn more_below(&mut self, row: u16, hidden: usize) {
        if hidden > 0 {
            self.right(row, &format!(" {} {hidden} more ", self.appearance.down()), Tone::Notice);
        }
    }

    /// Writes wrapped texts from the first row on, with an ellipsis where there is no room for the rest.
    pub(super) fn texts<T: AsRef<str>>(&mut self, texts: &[T], tone: Tone) {
        self.lines(0, &fitting(texts, self.area.width, self.area.height, self.appearance), tone);
    }

    /// Writes at the end of a row of the area.
    pub(super) fn right(&mut self, row: u16, text: &str, tone: Tone) {
        let text = cut(text, self.area.width, self.appearance);
        self.put(self.area.right() - width(&text), self.area.y + row, &text, tone);
    }

    /// Clears the area.
    pub(super) fn clear(&mut self) {
        Clear.render(self.area, self.buffer);
        // The terminal's own style, whatever the style of what is covered.
        self.buffer.set_style(self.area, Style::reset());
    }

    /// A line across the screen at this row of it, from the left edge of the area to the right one.
    pub(super) fn rule(&mut self, y: u16) {
        let line = self.appearance.line().horizontal.repeat(self.area.width.into());
        self.put(self.area.x, y, &line, Tone::Faint);
    }

    /// A frame around the area, with a title. Returns the area inside.
    pub(super) fn frame(&mut self, title: &str) -> Rect {
        if self.area.width < 4 || self.area.height < 2 {
            return Rect::default();
        }
        let title = cut(title, self.area.width - 4, self.appearance);
        let title = Line::styled(format!(" {title} "), self.appearance.style(Tone::Title));
        let style = self.appearance.style(Tone::Faint);
        let set = self.appearance.border();
        let block = Block::bordered().border_set(set).border_style(style).title(title);
        let inner = block.inner(self.area);
        block.render(self.area, self.buffer);
        inner
    }
}

/// The first line of a list that is shown in this many rows, so that the selected one is among them.
pub(super) fn first_shown(selected: usize, rows: u16) -> usize {
    (selected + 1).saturating_sub(rows.into())
}

/// The number of columns of a text.
pub(super) fn width(text: &str) -> u16 {
    saturating(Span::raw(text).width())
}

/// A text of at most `most` columns, with an ellipsis where the rest is missing.
pub(super) fn cut(text: &str, most: u16, appearance: Appearance) -> String {
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
        kept.push_str(appearance.ellipsis());
    }
    kept
}

/// A text in lines of at most `most` columns, broken between words where possible.
pub(super) fn wrap(text: &str, most: u16) -> Vec<String> {
    wrap_indented(text, most, 0)
}

/// The same, with all lines but the first indented by `indent` columns.
pub(super) fn wrap_indented(text: &str, most: u16, indent: u16) -> Vec<String> {
    let indent = " ".repeat(indent.into());
    let options = Options::new(most.max(1).into())
        .subsequent_indent(&indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(Into::into).collect()
}

/// Texts in at most `lines` lines of at most `most` columns, with an ellipsis where there is no room for
/// the rest.
pub(super) fn fitting<T: AsRef<str>>(
    texts: &[T],
    most: u16,
    lines: u16,
    appearance: Appearance,
) -> Vec<String> {
    let mut all: Vec<String> = texts.iter().flat_map(|text| wrap(text.as_ref(), most)).collect();
    let has_more = all.len() > usize::from(lines);
    all.truncate(lines.into());
    if let Some(last) = all.last_mut().filter(|_| has_more) {
        let whole = format!("{last} {}", appearance.ellipsis());
        *last = if width(&whole) <= most { whole } else { cut(&format!("{last}  "), most, appearance) };
    }
    all
}

/// An area of this size in the middle of another one, at most as large as that.
pub(super) fn middle(of: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(of.width), height.min(of.height));
    Rect { x: of.x + (of.width - width) / 2, y: of.y + (of.height - height) / 2, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_between_words_and_a_long_word_is_broken() {
        assert_eq!(wrap("take one or two", 8), ["take one", "or two"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("李李李", 4), ["李李", "李"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap_indented("take one or two", 10, 2), ["take one", "  or two"]);
    }

    #[test]
    fn text_without_room_ends_with_an_ellipsis() {
        let appearance = Appearance::default();
        let fit = |text: &str, most, lines| fitting(&[text], most, lines, appearance);
        assert_eq!(fitting(&["take one or", "three"], 8, 3, appearance), ["take one", "or", "three"]);
        assert_eq!(fitting(&["take one or two", "or three"], 8, 2, appearance), ["take one", "or two …"]);
        assert_eq!(fit("take one or two", 8, 1), ["take on…"]);
        assert!(fit("take", 8, 0).is_empty());
        assert_eq!(cut("brave-otter", 11, appearance), "brave-otter");
        assert_eq!(cut("brave-otter", 6, appearance), "brave…");
        assert_eq!(cut("李李李", 4, appearance), "李…");
        assert_eq!(cut("abc", 0, appearance), "");
    }

    #[test]
    fn nothing_is_painted_outside_the_area() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 3));
        let mut painter = Painter::new(&mut buffer, Rect::new(2, 1, 3, 1), Appearance::default());
        for (x, y) in [(0, 0), (1, 1), (5, 1), (2, 2), (100, 100)] {
            painter.put(x, y, "xxxx", Tone::Plain);
        }
        painter.put(4, 1, "yyyy", Tone::Plain);
        let shown: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(shown, "            y           ");
    }
}
