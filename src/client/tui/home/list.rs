//! The rows of the home screen under their headings.

use ratatui::layout::{Position as Point, Rect};

use crate::client::nearby::Neighbour;
use crate::client::tui::appearance::Tone;
use crate::client::tui::form::GAMES;
use crate::client::tui::layout::first_shown;
use crate::client::tui::painter::{Painter, cut, width};
use crate::client::tui::text_field::TextField;
use crate::client::words::home::{self as words, Opponent, Starter};
use crate::client::words::nearby;
use crate::lan::HostId;

/// The columns of the name of a row.
const NAME: u16 = 16;

/// The fewest columns of the name of a host.
const LEAST_NAME: u16 = 8;

/// The columns of most addresses.
const ADDRESS: u16 = 21;

/// A row that can be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    Game,
    Against,
    Starts,
    Host(HostId),
    Address,
    Kept(usize),
    Records,
}

/// A line of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Heading(&'static str),
    Row(Row),
    Note(&'static str),
    Blank,
}

/// The values of the rows.
#[derive(Debug)]
pub(super) struct List {
    pub(super) game: TextField,
    pub(super) against: Opponent,
    pub(super) starts: Starter,
    /// The hosts on this network; `None` if nobody looks for them.
    pub(super) hosts: Option<Vec<Neighbour>>,
    pub(super) address: TextField,
    pub(super) kept: Vec<String>,
    /// There are only rows for servers.
    pub(super) only_servers: bool,
}

impl List {
    /// The list with these saved games.
    pub(super) fn new(kept: Vec<String>) -> Self {
        Self {
            game: TextField::preset(GAMES[0]),
            against: Opponent::default(),
            starts: Starter::default(),
            hosts: None,
            address: TextField::default(),
            kept,
            only_servers: false,
        }
    }

    /// The hosts on this network.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &Neighbour> {
        self.hosts.iter().flatten()
    }

    /// The host with this id.
    pub(super) fn host(&self, id: HostId) -> Option<&Neighbour> {
        self.hosts().find(|neighbour| neighbour.host.id == id)
    }

    /// All rows.
    pub(super) fn rows(&self) -> Vec<Row> {
        let hosts = self.hosts().map(|neighbour| Row::Host(neighbour.host.id));
        if self.only_servers {
            return hosts.chain([Row::Address]).collect();
        }
        let kept = (0..self.kept.len()).map(Row::Kept);
        let fixed = [Row::Game, Row::Against, Row::Starts];
        fixed.into_iter().chain(hosts).chain([Row::Address]).chain(kept).chain([Row::Records]).collect()
    }

    fn lines(&self) -> Vec<Line> {
        let mut lines = if self.only_servers { Vec::new() } else { vec![Line::Heading(words::PLAY)] };
        let nobody = self.hosts.as_ref().is_some_and(Vec::is_empty);
        let mut has_servers = false;
        for row in self.rows() {
            if matches!(row, Row::Host(_) | Row::Address) && !std::mem::replace(&mut has_servers, true) {
                lines.extend((!lines.is_empty()).then_some(Line::Blank));
                lines.push(Line::Heading(words::SERVER));
                lines.extend(nobody.then_some(Line::Note(words::NOBODY)));
            }
            match row {
                Row::Kept(0) => lines.extend([Line::Blank, Line::Heading(words::KEPT)]),
                Row::Records => lines.extend([Line::Blank, Line::Heading(words::RECORDS)]),
                _ => {}
            }
            lines.push(Line::Row(row));
        }
        lines
    }

    /// All lines, and the first one that is shown in this many rows.
    fn scrolled(&self, selected: Row, rows: u16) -> (Vec<Line>, usize) {
        let lines = self.lines();
        let here = lines.iter().position(|line| *line == Line::Row(selected)).unwrap_or(0);
        (lines, first_shown(here, rows))
    }

    /// The row at this position, of a list in this area.
    pub(super) fn row_at(&self, selected: Row, area: Rect, at: Point) -> Option<Row> {
        let (lines, first) = self.scrolled(selected, area.height);
        let row = at.y.checked_sub(area.y).filter(|row| *row < area.height)?;
        match lines.get(first + usize::from(row))? {
            Line::Row(row) => Some(*row),
            _ => None,
        }
    }

    /// Paints the list into this area.
    pub(super) fn paint(&self, selected: Row, area: Rect, painter: &mut Painter<'_>) {
        let (lines, first) = self.scrolled(selected, area.height);
        let below = lines.len().saturating_sub(first + usize::from(area.height));
        if first > 0 {
            painter.right(area.y - painter.area().y - 1, painter.appearance.up(), Tone::Faint);
        }
        if below > 0 {
            painter.right(area.bottom() - painter.area().y, painter.appearance.down(), Tone::Faint);
        }
        for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(first)) {
            let mut painter = painter.inside(Rect { y, height: 1, ..area });
            match line {
                Line::Heading(words) => painter.line(0, words, Tone::Title),
                Line::Row(row) => self.paint_row(row, row == selected, &mut painter),
                Line::Note(words) => painter.put(area.x + 4, y, words, Tone::Faint),
                Line::Blank => {}
            }
        }
    }

    fn paint_row(&self, row: Row, here: bool, painter: &mut Painter<'_>) {
        let Rect { x, y, width: room, .. } = painter.area();
        let tone = if here { Tone::Notice } else { Tone::Plain };
        painter.put(x + 2, y, if here { painter.appearance.pointer() } else { " " }, Tone::Notice);
        let (name, value, field) = match row {
            Row::Game => (words::GAME, self.game.text().to_owned(), Some(&self.game)),
            Row::Address => (words::ADDRESS, self.address.text().to_owned(), Some(&self.address)),
            Row::Against => (words::AGAINST, self.against.words(), None),
            Row::Starts => (words::STARTS, self.starts.words().to_owned(), None),
            Row::Kept(at) => ("", self.kept[at].clone(), None),
            Row::Records => ("", words::PLAYED.to_owned(), None),
            Row::Host(id) => return self.paint_host(self.host(id), tone, painter),
        };
        painter.put(x + 4, y, name, tone);
        let left = if name.is_empty() { 4 } else { 4 + NAME };
        if let Some(field) = field.filter(|_| here) {
            return field.paint(x + left, false, tone, painter);
        }
        let value = cut(&value, room.saturating_sub(left + 1), painter.appearance);
        painter.put(x + left, y, &value, tone);
    }

    /// Paints a host: its name, its address, its open lobbies and its distance.
    fn paint_host(&self, host: Option<&Neighbour>, tone: Tone, painter: &mut Painter<'_>) {
        let Some(neighbour) = host else { return };
        let (appearance, area) = (painter.appearance, painter.area());
        let end = nearby::in_short(neighbour, appearance.dot());
        painter.right(0, &end, tone);
        // All hosts have the same columns.
        let ends = self.hosts().map(|other| width(&nearby::in_short(other, appearance.dot()))).max();
        let longest = self.hosts().map(|other| width(other.host.name.as_str())).max();
        let room = area.width.saturating_sub(4 + 2 + ADDRESS + 2 + ends.unwrap_or_default());
        let name = longest.unwrap_or_default().min(room.max(LEAST_NAME));
        painter.put(area.x + 4, area.y, &cut(neighbour.host.name.as_str(), name, appearance), tone);
        let left = 4 + name + 2;
        let room = area.width.saturating_sub(left + 2 + width(&end));
        painter.put(area.x + left, area.y, &cut(&neighbour.address.to_string(), room, appearance), tone);
    }
}
