//! The first screen's picture, and what a place on it means.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::{Home, Row};
use crate::client::nearby::Neighbour;
use crate::client::tui::card::{Breadth, Card};
use crate::client::tui::deed::Deed;
use crate::client::tui::draw::small;
use crate::client::tui::hall::first;
use crate::client::tui::keys::{self, Key};
use crate::client::tui::layout::is_small;
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, cut, fitting, middle, width};
use crate::client::words::{home as words, nearby, screen};

/// The line of the first heading.
const TOP: u16 = 4;

/// The lines below the list.
const FOOT: u16 = 5;

/// The columns of a row's name.
const NAME: u16 = 16;

/// The columns that a host's name has at least.
const LEAST_NAME: u16 = 8;

/// The columns in which most addresses have room.
const ADDRESS: u16 = 21;

/// A line of the picture: a heading, a row, or a word where there is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Heading(&'static str),
    Row(Row),
    Word(&'static str),
    Blank,
}

/// All lines below the title.
fn lines(home: &Home) -> Vec<Line> {
    let mut lines = if home.only_servers { Vec::new() } else { vec![Line::Heading(words::PLAY)] };
    let nobody = home.hosts.as_ref().is_some_and(Vec::is_empty);
    let mut begun = false;
    for row in home.rows() {
        if matches!(row, Row::Host(_) | Row::Address) && !std::mem::replace(&mut begun, true) {
            lines.extend((!lines.is_empty()).then_some(Line::Blank));
            lines.push(Line::Heading(words::SERVER));
            lines.extend(nobody.then_some(Line::Word(words::NOBODY)));
        }
        if row == Row::Kept(0) {
            lines.extend([Line::Blank, Line::Heading(words::KEPT)]);
        }
        if row == Row::Records {
            lines.extend([Line::Blank, Line::Heading(words::RECORDS)]);
        }
        lines.push(Line::Row(row));
    }
    lines
}

/// How many of them have room.
fn room(home: &Home) -> u16 {
    home.size.height.saturating_sub(TOP + FOOT)
}

/// The lines that are shown, so that the cursor is among them; and how many there are above and below.
fn shown(home: &Home) -> (Vec<Line>, [usize; 2]) {
    let all = lines(home);
    let here = all.iter().position(|line| *line == Line::Row(home.at)).unwrap_or(0);
    let above = first(here, room(home));
    let shown: Vec<Line> = all.iter().skip(above).take(room(home).into()).copied().collect();
    let below = all.len() - above - shown.len();
    (shown, [above, below])
}

/// The part in which everything stands.
fn area(home: &Home) -> Rect {
    middle(home.size, 72.min(home.size.width.saturating_sub(2)), home.size.height)
}

/// The row at a place of the screen.
pub(super) fn row_at(home: &Home, (_, y): (u16, u16)) -> Option<Row> {
    let at = usize::from(y.checked_sub(TOP)?);
    match shown(home).0.get(at) {
        Some(Line::Row(row)) => Some(*row),
        _ => None,
    }
}

/// The keys that are shown at the bottom, with what they do on the chosen line.
fn keys(home: &Home) -> Vec<Key<KeyCode>> {
    let (turns, enter) = match home.at {
        Row::Game | Row::Against | Row::Starts => (true, words::BEGIN),
        Row::Host(_) | Row::Address => (false, words::GO),
        Row::Kept(_) => (false, words::GO_ON),
        Row::Records => (false, words::LOOK),
    };
    let key = |does: KeyCode, name: &str, words: &str| {
        let stays = does != KeyCode::Right;
        Key { does, name: name.to_owned(), words: words.to_owned(), stays }
    };
    let turn = key(KeyCode::Right, if home.look.ascii { "Right" } else { "→" }, words::TURN);
    let fixed = [
        key(KeyCode::Enter, "Enter", enter),
        key(KeyCode::Char('?'), "?", words::HELP),
        key(KeyCode::Esc, "Esc", if home.failure.is_some() { words::CLOSE } else { words::END }),
    ];
    turns.then_some(turn).into_iter().chain(fixed).collect()
}

/// The line on which they are.
fn foot(home: &Home) -> Rect {
    let area = area(home);
    Rect { y: area.bottom().saturating_sub(1), height: 1, ..area }
}

/// The key that is shown at a place of the screen.
pub(super) fn key_at(home: &Home, (x, y): (u16, u16)) -> Option<KeyCode> {
    keys::at(keys(home), foot(home), Point { x, y })
}

/// The help, so many lines down.
fn help(home: &Home, down: usize) -> Card {
    let text: Vec<String> = about_keys(home).iter().map(|&line| line.to_owned()).collect();
    Card::new(home.size, words::KEYS, &text, down, Breadth::Full)
}

/// How many lines down the help is behind this key; nothing where it is closed by it.
pub(super) fn scrolled(home: &Home, down: usize, key: KeyCode) -> Option<usize> {
    help(home, down).scrolled(key)
}

/// The key of the line of the help at a place of the screen; not that which ends the program, as it closes the help too.
pub(super) fn key_in_help(home: &Home, down: usize, (x, y): (u16, u16)) -> Option<KeyCode> {
    let lines = about_keys(home);
    let (name, _) = lines.get(help(home, down).text_at(Point { x, y })?)?.split_once('\t')?;
    keys(home).into_iter().find(|key| key.name == name && key.does != KeyCode::Esc).map(|key| key.does)
}

fn about_keys(home: &Home) -> &'static [&'static str] {
    if home.only_servers { &words::ABOUT_SERVER_KEYS } else { &words::ABOUT_KEYS }
}

impl Home {
    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let size = self.size.intersection(frame.area());
        let mut pen = Pen::new(frame.buffer_mut(), size, self.look);
        if is_small(size) {
            return small(screen::UNSEEN, &mut pen);
        }
        let mut pen = pen.inside(area(self));
        pen.line(1, words::TITLE, Tone::Title);
        pen.rule(2);
        let (lines, [above, below]) = shown(self);
        for (row, line) in (TOP..).zip(lines) {
            match line {
                Line::Heading(words) => pen.line(row, words, Tone::Title),
                Line::Row(kind) => self.draw_row(row, kind, &mut pen),
                Line::Word(words) => pen.put(pen.area().x + 4, row, words, Tone::Faint),
                Line::Blank => {}
            }
        }
        if above > 0 {
            pen.right(TOP - 1, pen.look.under(), Tone::Faint);
        }
        if below > 0 {
            pen.right(TOP + room(self), pen.look.over(), Tone::Faint);
        }
        self.draw_foot(&mut pen);
        if let Some(down) = self.help {
            self.draw_help(down, frame);
        }
    }

    fn draw_help(&self, down: usize, frame: &mut Frame<'_>) {
        let size = self.size.intersection(frame.area());
        let mut pen = Pen::new(frame.buffer_mut(), size, self.look);
        let help = help(self, down);
        help.paint(&mut pen);
        let keys = help.keys();
        pen.put(keys.x, keys.y, "Esc", Tone::Key);
        pen.put(keys.x + 4, keys.y, screen::label(Deed::Close), Tone::Plain);
    }

    fn draw_row(&self, y: u16, row: Row, pen: &mut Pen<'_>) {
        let (x, room) = (pen.area().x, pen.area().width);
        let here = row == self.at;
        let tone = if here { Tone::Notice } else { Tone::Plain };
        pen.put(x + 2, y, if here { pen.look.pointer() } else { " " }, Tone::Notice);
        let (name, value) = match row {
            Row::Game => (words::GAME, self.game.as_str().to_owned()),
            Row::Against => (words::AGAINST, self.against.words()),
            Row::Starts => (words::STARTS, self.starts.words().to_owned()),
            Row::Address => (words::ADDRESS, self.address.as_str().to_owned()),
            Row::Kept(at) => ("", self.kept[at].clone()),
            Row::Records => ("", words::PLAYED.to_owned()),
            Row::Host(id) => return self.draw_host(y, self.host(id), tone, pen),
        };
        pen.put(x + 4, y, name, tone);
        let left = if name.is_empty() { 4 } else { 4 + NAME };
        let value = cut(&value, room.saturating_sub(left + 1), pen.look);
        pen.put(x + left, y, &value, tone);
        if here && matches!(row, Row::Game | Row::Address) {
            pen.put(x + left + width(&value), y, " ", Tone::Chosen);
        }
    }

    /// Its name, its address, and how many wait there how near.
    fn draw_host(&self, y: u16, host: Option<&Neighbour>, tone: Tone, pen: &mut Pen<'_>) {
        let Some(neighbour) = host else { return };
        let (look, area) = (pen.look, pen.area());
        let end = nearby::in_short(neighbour, look.dot());
        pen.right(y - area.y, &end, tone);
        // All rows have the same columns, whatever stands at their ends.
        let hosts = || self.hosts.iter().flatten();
        let ends = hosts().map(|other| width(&nearby::in_short(other, look.dot()))).max();
        let longest = hosts().map(|other| width(other.host.name.as_str())).max();
        let room = area.width.saturating_sub(4 + 2 + ADDRESS + 2 + ends.unwrap_or_default());
        let name = longest.unwrap_or_default().min(room.max(LEAST_NAME));
        pen.put(area.x + 4, y, &cut(neighbour.host.name.as_str(), name, look), tone);
        let left = 4 + name + 2;
        let room = area.width.saturating_sub(left + 2 + width(&end));
        pen.put(area.x + left, y, &cut(&neighbour.address.to_string(), room, look), tone);
    }

    /// What the chosen row is, or what is wrong with it, and the keys.
    fn draw_foot(&self, pen: &mut Pen<'_>) {
        let area = pen.area();
        let host = |id| self.host(id).map_or_else(String::new, nearby::going_to);
        let meaning = match self.at {
            Row::Game => words::ABOUT_GAMES.to_owned(),
            Row::Against => words::ABOUT_OPPONENTS.to_owned(),
            Row::Starts => words::ABOUT_STARTING.to_owned(),
            Row::Host(id) => host(id),
            Row::Address => words::ABOUT_ADDRESSES.to_owned(),
            Row::Kept(at) => words::about_kept(&self.kept[at]),
            Row::Records => words::ABOUT_RECORDS.to_owned(),
        };
        let failure = self.failure.as_deref().map(words::failed);
        let (said, tone) = match self.notice.as_ref().or(failure.as_ref()) {
            Some(notice) => (notice.as_str(), Tone::Notice),
            None => (meaning.as_str(), Tone::Plain),
        };
        for (row, line) in (area.height - 4..area.height - 1).zip(fitting(&[said], area.width, 3, pen.look)) {
            pen.line(row, &line, tone);
        }
        keys::paint(keys(self), foot(self), pen);
    }
}
