//! Records on the screen: a list, and one record at a time. Where they come from is not known here: jobs
//! fetch them.

use ratatui::layout::Rect;

use super::command::KeyCommand;
use super::job::JobResult;
use super::layout;
use super::painter::Painter;
use super::record_list::RecordList;
use super::record_reader;
use crate::client::learn::search::{SearchResult, SearchTarget};
use crate::client::record_reader::RecordReader;
use crate::client::record_source::GameList;
use crate::client::words::records as words;
use crate::game::any::Board;

/// The records.
#[derive(Debug)]
pub struct Records {
    pub(super) list: RecordList,
    /// The name of the record that is being fetched.
    pub(super) opening: Option<String>,
    /// The open record.
    pub(super) reader: Option<RecordReader>,
}

impl Records {
    /// An empty list under this title.
    pub fn new(title: String) -> Self {
        Self { list: RecordList::new(title), opening: None, reader: None }
    }

    /// The search that the open record waits for, and its board.
    pub(super) fn wanted(&self) -> Option<(SearchTarget, &Board)> {
        self.reader.as_ref()?.wanted()
    }

    /// Takes the result of a job; returns a notice about it.
    pub(super) fn take(&mut self, result: JobResult) -> Option<String> {
        match (result, &mut self.reader) {
            (JobResult::Listed(Ok(listed)), _) => {
                let complaints = listed.complaints.join(" ");
                self.list.take(listed);
                return Some(complaints).filter(|complaints| !complaints.is_empty());
            }
            (JobResult::Listed(Err(why)), _) => {
                self.list.take(GameList::default());
                return Some(why);
            }
            // The person does not wait for it any more.
            (JobResult::Opened(name, _), _) if self.opening.as_ref() != Some(&name) => {}
            (JobResult::Opened(_, Ok(record)), _) => {
                (self.opening, self.reader) = (None, Some(RecordReader::new(*record)));
            }
            (JobResult::Opened(_, Err(why)), _) => {
                self.opening = None;
                return Some(why);
            }
            (JobResult::Written(path, Ok(())), _) => return Some(words::written(&path)),
            (JobResult::Written(path, Err(error)), _) => return Some(words::not_written(&path, &error)),
            (JobResult::Searched(searched), Some(reader)) => reader.progress(searched),
            (JobResult::Found(SearchResult::Value(step, value)), Some(reader)) => {
                reader.take(step, value);
            }
            _ => {}
        }
        None
    }

    /// The commands that are available now, in the order of their importance.
    pub(super) fn commands(&self) -> Vec<KeyCommand> {
        let mut commands = match &self.reader {
            Some(reader) if reader.ply().is_some() => {
                vec![KeyCommand::Learn, KeyCommand::Export, KeyCommand::BackToList]
            }
            Some(_) => vec![KeyCommand::Export, KeyCommand::BackToList],
            None if self.list.selected().is_some() => vec![KeyCommand::OpenRecord, KeyCommand::Back],
            None => vec![KeyCommand::Back],
        };
        commands.extend([KeyCommand::Help, KeyCommand::Leave { quits: true }]);
        commands
    }

    /// How to use this screen, for the help.
    pub(super) fn how(&self) -> &'static [&'static str] {
        if self.reader.is_some() { &words::HOW_TO_READ } else { &words::HOW_TO_LOOK }
    }

    /// Moves down the list, or forward in the record.
    pub(super) fn step(&mut self, down: isize) {
        match &mut self.reader {
            Some(reader) => reader.step(down),
            None => self.list.step(down),
        }
    }

    /// The rows of the notice and of the key bar on a screen of this size.
    pub(super) fn last_rows(&self, size: Rect) -> [Rect; 2] {
        let (notice, keys) = match self.reader {
            Some(_) => (layout::record(size).why, layout::record(size).keys),
            None => (layout::hall(size).notice, layout::hall(size).keys),
        };
        [Rect { y: notice.bottom().saturating_sub(1), height: 1, ..notice }, keys]
    }

    /// Paints them without their notice and their keys.
    pub(super) fn paint(&self, size: Rect, painter: &mut Painter<'_>) {
        match &self.reader {
            Some(reader) => record_reader::paint(reader, size, painter),
            None => self.list.paint(size, painter),
        }
    }
}
