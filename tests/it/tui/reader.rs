//! A person with records on a screen without a terminal. Jobs are done at once.

use nim::client::record_source::Listed;
use nim::client::records::Found;
use nim::client::session::Afterwards;
use nim::client::tui::draw::draw;
use nim::client::tui::job::{Job, JobResult};
use nim::client::tui::records::Records;
use nim::client::tui::update::update;
use nim::client::tui::{Appearance, Effect, Message, State, View};
use nim::client::{Model, atomic_file};
use nim::lobby::Name;
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
    state: State,
    model: Model,
    /// The effects other than jobs.
    pub(super) asked: Vec<Effect>,
    /// Whether records are fetched at once.
    pub(super) fetches: bool,
}

impl Reader {
    pub(super) fn new((width, height): (u16, u16), appearance: Appearance) -> Self {
        let title = "Games that were played at this keyboard".to_owned();
        let mut state = State::new(Rect::new(0, 0, width, height), appearance, Afterwards::Home);
        state.records = Some(Box::new(Records::new(title)));
        let mut reader = Self { state, model: Model::new(Name::anyone()), asked: Vec::new(), fetches: true };
        reader.start(Job::List);
        reader
    }

    /// Whether the person is back where they came from.
    pub(super) fn is_back(&self) -> bool {
        self.state.records.is_none()
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
        for effect in update(&mut self.state, &View::of_record(&self.model, String::new()), message) {
            match effect {
                Effect::Job(job) => self.start(job),
                other => self.asked.push(other),
            }
        }
        if let Some((target, board)) = self.state.wanted() {
            let result = target.search(board, &Stop::new());
            self.send(Message::Job(result));
        }
    }

    fn screen(&self) -> String {
        let size = self.state.size;
        let view = View::of_record(&self.model, String::new());
        drawn((size.width, size.height), |frame| draw(&self.state, &view, frame))
    }
}
