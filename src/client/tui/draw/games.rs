//! The games that were played as a list on the screen, and whatever lies below and over it and over one of them.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::{paint_input, reading};
use crate::client::tui::card::{Breadth, Card};
use crate::client::tui::hall::first;
use crate::client::tui::keys::{self, Key};
use crate::client::tui::layout;
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, wrap};
use crate::client::tui::records::{Act, Records};
use crate::client::words::records as words;
use crate::client::words::screen;

/// The part of the lines of the list, below its heading.
fn list(size: Rect) -> Rect {
    let list = layout::hall(size).list;
    Rect { y: list.y + 1, height: list.height.saturating_sub(1), ..list }
}

/// The game at a place of the screen.
pub(in crate::client::tui) fn row_at(records: &Records, at: Point) -> Option<usize> {
    let list = list(records.size);
    let row = usize::from(at.y.checked_sub(list.y)?);
    let number = first(records.at, list.height) + row;
    let count = records.listed.as_ref().map_or(0, |listed| listed.games.len());
    (list.contains(at) && number < count).then_some(number)
}

/// What the key does that is shown at a place of the screen.
pub(in crate::client::tui) fn act_at(records: &Records, at: Point) -> Option<Act> {
    keys::at(shown_keys(records), line_of_keys(records), at)
}

fn line_of_keys(records: &Records) -> Rect {
    match records.book {
        Some(_) => layout::reading(records.size).keys,
        None => layout::hall(records.size).keys,
    }
}

fn shown_keys(records: &Records) -> Vec<Key<Act>> {
    let key = |act: Act| Key {
        does: act,
        name: name(act, records.look.ascii),
        words: words::label(act, records.book.is_some()).to_owned(),
        stays: matches!(act, Act::Back | Act::Help | Act::HelpInText | Act::Quit | Act::Drop),
    };
    records.acts().into_iter().map(key).collect()
}

/// A key as it is called.
fn name(act: Act, ascii: bool) -> String {
    match act.key() {
        KeyCode::Enter if !ascii => "⏎".into(),
        KeyCode::Enter => "Enter".into(),
        KeyCode::Char(letter) => letter.to_string(),
        KeyCode::F(number) => format!("F{number}"),
        _ => "Esc".into(),
    }
}

/// What the line of the help at a place of the screen is about.
pub(in crate::client::tui) fn act_in_help(records: &Records, down: usize, at: Point) -> Option<Act> {
    records.acts().get(help(records, down).text_at(at)?).copied()
}

/// The help, so many lines down.
fn help(records: &Records, down: usize) -> Card {
    let line = |act: Act| {
        format!("{}\t{}", name(act, records.look.ascii), words::meaning(act, records.book.is_some()))
    };
    let mut text: Vec<String> = records.acts().into_iter().map(line).collect();
    text.extend([String::new(), screen::HOW_TO_CLICK.to_owned()]);
    let how: &[&str] = match (&records.typing, &records.book) {
        (Some(_), _) => &[screen::HOW_TO_TYPE],
        (None, Some(_)) => &words::HOW_TO_READ,
        (None, None) => &words::HOW_TO_LOOK,
    };
    text.extend(how.iter().map(|&line| line.to_owned()));
    Card::new(records.size, screen::HELP, &text, down, Breadth::Full)
}

/// How many lines down the help is behind this key; nothing where it is closed by it.
pub(in crate::client::tui) fn scrolled(records: &Records, down: usize, key: KeyCode) -> Option<usize> {
    help(records, down).scrolled(key)
}

impl Records {
    /// Draws them.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        if self.book.as_ref().is_some_and(|book| book.draw_tree(frame)) {
            return;
        }
        let size = self.size.intersection(frame.area());
        let mut pen = Pen::new(frame.buffer_mut(), size, self.look);
        if layout::is_small(size) {
            return super::small(screen::UNSEEN, &mut pen);
        }
        match &self.book {
            Some(book) => reading::paint(self, book, &mut pen),
            None => self.paint_list(&mut pen),
        }
        self.paint_notice(&mut pen);
        match self.help {
            None => keys::paint(shown_keys(self), line_of_keys(self), &mut pen),
            Some(down) => self.paint_help(down, &mut pen),
        }
    }

    fn paint_help(&self, down: usize, pen: &mut Pen<'_>) {
        let help = help(self, down);
        help.paint(pen);
        let line = help.keys();
        pen.put(line.x, line.y, "Esc", Tone::Key);
        pen.put(line.x + 4, line.y, words::CLOSE, Tone::Plain);
    }

    fn paint_list(&self, pen: &mut Pen<'_>) {
        let parts = layout::hall(self.size);
        pen.inside(parts.title).line(0, &self.title, Tone::Title);
        for y in parts.rules.iter().flatten() {
            pen.inside(Rect { x: 0, y: *y, width: self.size.width, height: 1 }).rule(0);
        }
        let Some(listed) = &self.listed else {
            return pen.inside(parts.list).line(1, screen::ONE_MOMENT, Tone::Faint);
        };
        if listed.games.is_empty() {
            return pen.inside(parts.list).line(1, words::NONE, Tone::Faint);
        }
        let table = words::list(&listed.games);
        pen.inside(parts.list).line(0, &format!("  {}", table[0]), Tone::Faint);
        let area = list(self.size);
        let mut lines = pen.inside(area);
        let skipped = first(self.at, area.height);
        for (row, (at, line)) in (0..area.height).zip(table[1..].iter().enumerate().skip(skipped)) {
            let (pointer, tone) =
                if at == self.at { (self.look.pointer(), Tone::Notice) } else { (" ", Tone::Plain) };
            lines.line(row, &format!("{pointer} {line}"), tone);
        }
        let others = if listed.others && self.at + 1 == listed.games.len() { words::OTHERS } else { "" };
        let about = self.here().map(words::about).unwrap_or_default();
        let text = [about.as_str(), others].join(" ");
        let mut detail = pen.inside(parts.detail);
        for (row, line) in (0..parts.detail.height).zip(wrap(text.trim(), parts.detail.width)) {
            detail.line(row, &line, Tone::Plain);
        }
    }

    /// What is being typed, or what is worth looking at.
    fn paint_notice(&self, pen: &mut Pen<'_>) {
        let (line, over) = match self.book {
            // There is something on all lines.
            Some(_) => (layout::reading(self.size).why, true),
            None => (layout::hall(self.size).notice, false),
        };
        let last = Rect { y: line.bottom().saturating_sub(1), height: 1, ..line };
        let mut pen = pen.inside(last);
        if over && (self.notice.is_some() || self.typing.is_some()) {
            pen.clear();
        }
        match (&self.notice, &self.typing) {
            (Some(notice), _) => pen.line(0, notice, Tone::Notice),
            (None, Some(text)) => paint_input(words::WRITE_TO, text, &mut pen),
            (None, None) if self.opening.is_some() => pen.line(0, screen::ONE_MOMENT, Tone::Notice),
            (None, None) => {}
        }
    }
}
