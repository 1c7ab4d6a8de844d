//! The list of records with its selection.

use ratatui::layout::{Position as Point, Rect};

use super::appearance::{Appearance, Tone};
use super::layout;
use super::painter::{Painter, cut, width, wrap};
use crate::client::record_source::GameList;
use crate::client::records::GameSummary;
use crate::client::words::{records as words, screen};

/// The columns before a line.
const POINTER: u16 = 2;

/// The fewest columns for what was played.
const LEAST_PLAYED: u16 = 12;

/// The records under their title.
#[derive(Debug)]
pub(super) struct RecordList {
    title: String,
    /// The records, once they are fetched.
    listed: Option<GameList>,
    /// The index of the selected record.
    at: usize,
}

impl RecordList {
    /// A list that is not fetched yet.
    pub(super) fn new(title: String) -> Self {
        Self { title, listed: None, at: 0 }
    }

    /// Takes the records.
    pub(super) fn take(&mut self, listed: GameList) {
        self.listed = Some(listed);
        self.step(0);
    }

    fn games(&self) -> &[GameSummary] {
        self.listed.as_ref().map_or(&[], |listed| &listed.games)
    }

    /// The selected record.
    pub(super) fn selected(&self) -> Option<&GameSummary> {
        self.games().get(self.at)
    }

    /// Moves the selection down by this many records.
    pub(super) fn step(&mut self, down: isize) {
        self.at = self.at.saturating_add_signed(down).min(self.games().len().saturating_sub(1));
    }

    /// Selects the record at this position of a screen of this size. Returns whether it was selected before.
    pub(super) fn click(&mut self, size: Rect, at: Point) -> Option<bool> {
        let count = self.games().len();
        let row = layout::line_at(area(size), self.at, at).filter(|row| *row < count)?;
        Some(std::mem::replace(&mut self.at, row) == row)
    }

    /// Paints the list on a screen of this size, and the details of the selected record.
    pub(super) fn paint(&self, size: Rect, painter: &mut Painter<'_>) {
        let parts = layout::hall(size);
        painter.inside(parts.title).line(0, &self.title, Tone::Title);
        parts.rules.iter().flatten().for_each(|y| painter.rule(*y));
        let Some(listed) = &self.listed else {
            return painter.inside(parts.list).line(1, screen::ONE_MOMENT, Tone::Faint);
        };
        if listed.games.is_empty() {
            return painter.inside(parts.list).line(1, words::NONE, Tone::Faint);
        }
        let mut table = table(&listed.games, parts.list.width.saturating_sub(POINTER), painter.appearance);
        let head = table.remove(0);
        painter.inside(parts.list).line(0, &format!("  {head}"), Tone::Faint);
        painter.inside(area(size)).list(table.into_iter().map(|line| (line, Tone::Plain)), self.at);
        let others = if listed.others && self.at + 1 == listed.games.len() { words::OTHERS } else { "" };
        let about = self.selected().map(words::about).unwrap_or_default();
        let text = [about.as_str(), others].join(" ");
        painter.inside(parts.detail).lines(0, &wrap(text.trim(), parts.detail.width), Tone::Plain);
    }
}

/// The lines of the games below that of the columns, in this many columns. How a game ended has room before
/// what was played, and that before the lobby.
fn table(games: &[GameSummary], room: u16, appearance: Appearance) -> Vec<String> {
    let rows: Vec<[String; 4]> = games.iter().map(words::row).collect();
    let [began, lobby, rest] = words::COLUMNS;
    let wide = |head: &str, at: usize| rows.iter().map(|row| width(&row[at])).fold(width(head), u16::max);
    let (began_wide, lobby_wide) = (wide(began, 0) + 2, wide(lobby, 1) + 2);
    let needs = |row: &[String; 4]| width(&row[2]).min(LEAST_PLAYED) + 2 + width(&row[3]);
    let has_lobby = rows.iter().all(|row| began_wide + lobby_wide + needs(row) <= room);
    let lobby_wide = if has_lobby { lobby_wide } else { 0 };
    let left = room.saturating_sub(began_wide + lobby_wide);
    let line = |began: &str, lobby: &str, rest: &str| {
        let lobby = if has_lobby { lobby } else { "" };
        format!("{began:0$}{lobby:1$}{rest}", usize::from(began_wide), usize::from(lobby_wide))
    };
    let lines = rows.iter().map(|[began, lobby, played, ended]| {
        let played_room = left.saturating_sub(width(ended) + 2).max(LEAST_PLAYED);
        line(began, lobby, &format!("{}: {ended}", cut(played, played_room, appearance)))
    });
    [line(began, lobby, rest)].into_iter().chain(lines).collect()
}

/// The area of the list on a screen of this size, below its header.
fn area(size: Rect) -> Rect {
    let list = layout::hall(size).list;
    Rect { y: list.y + 1, height: list.height.saturating_sub(1), ..list }
}
