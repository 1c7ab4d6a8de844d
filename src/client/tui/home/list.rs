//! The rows of the home screen under their headings.

use ratatui::layout::{Position as Point, Rect};

use crate::client::choices::GAMES;
use crate::client::nearby::Neighbour;
use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::{Painter, cut, first_shown, width};
use crate::client::tui::text_field::TextField;
use crate::client::words::form::starts;
use crate::client::words::home::{self as words, Opponent};
use crate::client::words::nearby;
use crate::lan::HostId;
use crate::wire::Starts;

/// The columns of the name of a row.
const NAME: u16 = 16;

/// A row that can be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    Game,
    Against,
    Starts,
    Host(HostId),
    Address,
    Kept(usize),
    ForgetOld,
    Records,
}

/// A line of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListLine {
    Heading(&'static str),
    Row(Row),
    Note(&'static str),
    Blank,
}

/// The values of the rows.
#[derive(Debug)]
pub(super) struct HomeList {
    pub(super) game: TextField,
    pub(super) against: Opponent,
    pub(super) starts: Starts,
    /// The hosts on this network; `None` if nobody looks for them.
    pub(super) hosts: Option<Vec<Neighbour>>,
    pub(super) address: TextField,
    pub(super) kept: Vec<String>,
    /// How many of these games are so old that they can be forgotten together.
    pub(super) old: usize,
    /// There are only rows for servers.
    pub(super) only_servers: bool,
}

impl HomeList {
    /// The list with these saved games.
    pub(super) fn new(kept: Vec<String>) -> Self {
        Self {
            game: TextField::preset(GAMES[0]),
            against: Opponent::default(),
            starts: Starts::Variant,
            hosts: None,
            address: TextField::default(),
            kept,
            old: 0,
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
        let row = |line| if let ListLine::Row(row) = line { Some(row) } else { None };
        self.lines().into_iter().filter_map(row).collect()
    }

    fn lines(&self) -> Vec<ListLine> {
        let mut lines = Vec::new();
        if !self.only_servers {
            let fixed = [Row::Game, Row::Against, Row::Starts].map(ListLine::Row);
            lines.extend(
                [ListLine::Heading("Play here and now")].into_iter().chain(fixed).chain([ListLine::Blank]),
            );
        }
        lines.push(ListLine::Heading("Go to a server"));
        lines.extend(
            self.hosts.as_ref().filter(|hosts| hosts.is_empty()).map(|_| ListLine::Note(words::NOBODY)),
        );
        lines.extend(self.hosts().map(|neighbour| ListLine::Row(Row::Host(neighbour.host.id))));
        lines.push(ListLine::Row(Row::Address));
        if !self.only_servers {
            if !self.kept.is_empty() {
                lines.extend([ListLine::Blank, ListLine::Heading("Go on where you were")]);
                lines.extend((0..self.kept.len()).map(|at| ListLine::Row(Row::Kept(at))));
                lines.extend((self.old > 0).then_some(ListLine::Row(Row::ForgetOld)));
            }
            lines.extend([ListLine::Blank, ListLine::Heading("Records"), ListLine::Row(Row::Records)]);
        }
        lines
    }

    /// All lines, and the first one that is shown in this many rows.
    fn scrolled(&self, selected: Row, rows: u16) -> (Vec<ListLine>, usize) {
        let lines = self.lines();
        let here = lines.iter().position(|line| *line == ListLine::Row(selected)).unwrap_or(0);
        (lines, first_shown(here, rows))
    }

    /// The row at this position, of a list in this area.
    pub(super) fn row_at(&self, selected: Row, area: Rect, at: Point) -> Option<Row> {
        let (lines, first) = self.scrolled(selected, area.height);
        let row = at.y.checked_sub(area.y).filter(|row| *row < area.height)?;
        match lines.get(first + usize::from(row))? {
            ListLine::Row(row) => Some(*row),
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
                ListLine::Heading(words) => painter.line(0, words, Tone::Title),
                ListLine::Row(row) => self.paint_row(row, row == selected, &mut painter),
                ListLine::Note(words) => painter.put(area.x + 4, y, words, Tone::Faint),
                ListLine::Blank => {}
            }
        }
    }

    fn paint_row(&self, row: Row, here: bool, painter: &mut Painter<'_>) {
        let Rect { x, y, width: room, .. } = painter.area();
        let tone = if here { Tone::Notice } else { Tone::Plain };
        painter.put(x + 2, y, if here { painter.appearance.pointer() } else { " " }, Tone::Notice);
        let (name, value, field) = match row {
            Row::Game => ("Game", self.game.text().to_owned(), Some(&self.game)),
            Row::Address => ("Address", self.address.text().to_owned(), Some(&self.address)),
            Row::Against => ("Against", self.against.words(), None),
            Row::Starts => ("First move", starts(self.starts).to_owned(), None),
            Row::Kept(at) => ("", self.kept[at].clone(), None),
            Row::ForgetOld => ("", words::forget_old(self.old), None),
            Row::Records => ("", "games that were played at this keyboard".to_owned(), None),
            Row::Host(id) => ("", self.host(id).map_or_else(String::new, nearby::in_list), None),
        };
        painter.put(x + 4, y, name, tone);
        let left = if name.is_empty() { 4 } else { 4 + NAME };
        if let Some(field) = field.filter(|_| here) {
            return field.paint(x + left, false, tone, painter);
        }
        let room = room.saturating_sub(left + 1);
        // When a game was played last is seen whatever else has room.
        let value = match (row, value.rsplit_once(", ")) {
            (Row::Kept(_), Some((what, ago))) => {
                let rest = room.saturating_sub(width(ago) + 2);
                format!("{}, {ago}", cut(what, rest, painter.appearance))
            }
            _ => cut(&value, room, painter.appearance),
        };
        painter.put(x + left, y, &value, tone);
    }
}
