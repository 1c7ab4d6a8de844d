//! A person with records on a screen without a terminal. Jobs are done at once.

use std::ops::ControlFlow;

use nim::client::atomic_file;
use nim::client::record_source::Listed;
use nim::client::records::Found;
use nim::client::tui::job::{Job, JobResult};
use nim::client::tui::records::Records;
use nim::client::tui::{Appearance, Left, Message};
use nim::record::Record;
use nim::study::Stop;
use ratatui::layout::Rect;

use super::person::{Person, drawn};

/// The records in RECORD.md; the first is a finished game.
pub(super) fn examples() -> Vec<Record> {
    let page = include_str!("../../../proto/RECORD.md");
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let whole = blocks.filter(|block| block.contains("Checksum:") && !block.contains('>'));
    whole.map(|block| Record::read(block.as_bytes()).unwrap()).collect()
}

/// A person with records.
pub(super) struct Reader {
    records: Records,
    /// How the person has left.
    pub(super) left: Option<Left>,
    /// Whether records are fetched at once.
    pub(super) fetches: bool,
}

impl Reader {
    pub(super) fn new((width, height): (u16, u16), appearance: Appearance) -> Self {
        let title = "Games that were played at this keyboard".to_owned();
        let (records, first) = Records::new(Rect::new(0, 0, width, height), appearance, title);
        let mut reader = Self { records, left: None, fetches: true };
        reader.start(first);
        reader
    }

    pub(super) fn usual() -> Self {
        Self::new((80, 24), Appearance::default())
    }

    /// The first of the games, open.
    pub(super) fn opened(size: (u16, u16), appearance: Appearance) -> Self {
        let mut reader = Self::new(size, appearance);
        reader.types("⏎");
        reader
    }

    fn start(&mut self, job: Job) {
        let result = match job {
            Job::List => {
                let found = |(number, record)| Found::in_file(&format!("{number}/1"), record);
                let games = (1..).zip(&examples()).map(found).collect();
                JobResult::Listed(Ok(Listed { games, ..Listed::default() }))
            }
            Job::Open(_) if !self.fetches => return,
            Job::Open(name) => {
                let number: usize = name.trim_end_matches("/1").parse().unwrap();
                JobResult::Opened(name, Ok(Box::new(examples().swap_remove(number - 1))))
            }
            Job::Write(path, text) => {
                let written = atomic_file::write(&path, &text, false);
                JobResult::Written(path, written)
            }
        };
        self.send(Message::Job(result));
    }

    /// The steps beside the board.
    pub(super) fn steps(&self) -> Vec<String> {
        let beside = |line: &str| line.split_once('│').map(|(_, beside)| beside.trim().to_owned());
        self.screen().lines().filter_map(beside).collect()
    }

    /// The text below the board.
    pub(super) fn below(&self) -> String {
        let screen = self.screen();
        let lines: Vec<&str> = screen.lines().collect();
        let from = lines.iter().rposition(|line| line.contains('┴')).unwrap();
        lines[from + 1..lines.len() - 1].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

impl Person for Reader {
    fn send(&mut self, message: Message) {
        match self.records.update(message) {
            ControlFlow::Continue(jobs) => jobs.into_iter().for_each(|job| self.start(job)),
            ControlFlow::Break(left) => self.left = Some(left),
        }
        if let Some((target, board)) = self.records.wanted() {
            let result = target.search(board, &Stop::new());
            self.send(Message::Job(result));
        }
    }

    fn screen(&self) -> String {
        let size = self.records.size();
        drawn((size.width, size.height), |frame| self.records.draw(frame))
    }
}
