//! Records on the screen: a list, and one record at a time. Where they come from is not known here: jobs
//! fetch them.

mod list;
mod reader;

use std::ops::ControlFlow;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::app::Component;
use super::appearance::Appearance;
use super::command::{Command, Key};
use super::job::{Job, JobResult, Jobs, SearchTarget};
use super::layout;
use super::message::Message;
use super::page::{self, Chrome, Left, Page};
use super::painter::Painter;
use super::text_field::TextField;
use crate::client::record_source::{Library, Listed};
use crate::client::words::{records as words, screen};
use crate::client::{Action, Failure};
use crate::game::any::Board;
use list::RecordList;
use reader::Reader;

/// The rows of a turn of the wheel in the list.
const WHEEL: isize = 3;

/// The largest number of bytes of the name of a file.
const MOST: usize = 200;

/// Ends the program.
const QUIT: Command = Command::Act(Action::Quit);

/// The records.
#[derive(Debug)]
pub struct Records {
    chrome: Chrome,
    list: RecordList,
    /// The name of the record that is being fetched.
    opening: Option<String>,
    /// The open record.
    reader: Option<Box<Reader>>,
    /// The name of a file that is being typed.
    input: Option<TextField>,
    /// The jobs to start.
    jobs: Vec<Job>,
}

/// The records of a source, as a screen of the application.
#[derive(Debug)]
pub struct RecordsScreen {
    records: Records,
    jobs: Jobs,
}

impl RecordsScreen {
    /// The records of this source under this title.
    pub fn new(size: Rect, appearance: Appearance, title: String, source: Arc<dyn Library>) -> Self {
        let (records, first) = Records::new(size, appearance, title);
        let mut jobs = Jobs::new(Some(source));
        jobs.start(first);
        Self { records, jobs }
    }
}

impl Component for RecordsScreen {
    type Output = Left;

    fn draw(&self, frame: &mut Frame<'_>) {
        self.records.draw(frame);
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        Ok(Message::Job(self.jobs.next().await))
    }

    async fn update(&mut self, message: Message) -> Result<ControlFlow<Left>, Failure> {
        let flow = self.records.update(message);
        self.jobs.search(self.records.wanted());
        Ok(flow.map_continue(|jobs| jobs.into_iter().for_each(|job| self.jobs.start(job))))
    }
}

impl Records {
    /// An empty list under this title, and the job that fetches it.
    pub fn new(size: Rect, appearance: Appearance, title: String) -> (Self, Job) {
        let records = Self {
            chrome: Chrome::new(size, appearance),
            list: RecordList::new(title),
            opening: None,
            reader: None,
            input: None,
            jobs: Vec::new(),
        };
        (records, Job::List)
    }

    /// The area of the screen.
    pub fn size(&self) -> Rect {
        self.chrome.size
    }

    /// Takes a message; returns the jobs to start, or how the person leaves.
    pub fn update(&mut self, message: Message) -> ControlFlow<Left, Vec<Job>> {
        let left = match (&mut self.reader, message) {
            (_, Message::Job(result)) => {
                self.take(result);
                None
            }
            (Some(reader), message) if reader.is_learning() => {
                if let Message::Resize(columns, rows) = message {
                    self.chrome.size = Rect::new(0, 0, columns, rows);
                }
                reader.update_learn(message)
            }
            (_, message) => page::update(self, &message),
        };
        left.map_or_else(|| ControlFlow::Continue(std::mem::take(&mut self.jobs)), ControlFlow::Break)
    }

    /// The question to search now, and the board of it.
    pub fn wanted(&self) -> Option<(SearchTarget, &Board)> {
        self.reader.as_ref()?.wanted()
    }

    fn take(&mut self, result: JobResult) {
        match (result, &mut self.reader) {
            (JobResult::Listed(Ok(listed)), _) => {
                let complaints = listed.complaints.join(" ");
                self.chrome.notice = Some(complaints).filter(|complaints| !complaints.is_empty());
                self.list.take(listed);
            }
            (JobResult::Listed(Err(why)), _) => {
                self.list.take(Listed::default());
                self.chrome.notice = Some(why);
            }
            // The person does not wait for it any more.
            (JobResult::Opened(ref name, _), _) if self.opening.as_ref() != Some(name) => {}
            (JobResult::Opened(_, Ok(record)), _) => {
                (self.opening, self.reader) = (None, Some(Box::new(Reader::new(*record))));
            }
            (JobResult::Opened(_, Err(why)), _) => (self.opening, self.chrome.notice) = (None, Some(why)),
            (JobResult::Written(path, Ok(())), _) => self.chrome.notice = Some(words::written(&path)),
            (JobResult::Written(path, Err(error)), _) => {
                self.chrome.notice = Some(words::not_written(&path, &error));
                self.input = Some(TextField::new(path.display().to_string()));
            }
            (result, Some(reader)) => reader.take(result),
            _ => {}
        }
    }

    /// The commands that are available now, in the order of their importance.
    fn commands(&self) -> Vec<Command> {
        let is_listed = self.list.selected().is_some();
        match &self.reader {
            _ if self.input.is_some() => vec![Command::WriteFile, Command::Discard, Command::HelpInText],
            Some(reader) if reader.can_learn() => {
                vec![Command::Learn, Command::Export, Command::BackToList, Command::Help, QUIT]
            }
            Some(_) => vec![Command::Export, Command::BackToList, Command::Help, QUIT],
            None if is_listed => vec![Command::OpenRecord, Command::Back, Command::Help, QUIT],
            None => vec![Command::Back, Command::Help, QUIT],
        }
    }

    fn step(&mut self, down: isize) {
        match &mut self.reader {
            Some(reader) => reader.step(down),
            None => self.list.step(down),
        }
    }

    /// Starts writing the file with the typed name.
    fn write(&mut self) {
        let Some((input, reader)) = self.input.take().zip(self.reader.as_ref()) else { return };
        let path = input.text().trim();
        if !path.is_empty() {
            self.jobs.push(Job::Write(path.into(), reader.record().to_string()));
        }
    }

    fn run(&mut self, command: Command) -> Option<Left> {
        let Chrome { size, appearance, .. } = self.chrome;
        match (command, &mut self.reader) {
            (Command::OpenRecord, _) => {
                self.opening = self.list.selected().map(|found| found.name.clone());
                self.jobs.extend(self.opening.clone().map(Job::Open));
            }
            (Command::Learn, Some(reader)) => reader.learn(size, appearance),
            (Command::Export, Some(reader)) => {
                self.input = Some(TextField::new(words::file_name(reader.record())));
            }
            (Command::WriteFile, _) => self.write(),
            (Command::Discard, _) => self.input = None,
            (Command::Help | Command::HelpInText, _) => self.chrome.help = Some(0),
            (Command::BackToList, _) => self.reader = None,
            // The first time only the fetching is given up.
            (Command::Back, _) if self.opening.take().is_some() => {}
            (Command::Back, _) => return Some(Left::Back),
            (QUIT, _) => return Some(Left::Quit),
            _ => {}
        }
        None
    }

    /// Draws them.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        if !self.reader.as_ref().is_some_and(|reader| reader.draw_learn(frame)) {
            page::draw(self, frame);
        }
    }

    /// Paints the typed name or the notice.
    fn paint_notice(&self, painter: &mut Painter<'_>) {
        let (row, covers) = match self.reader {
            Some(_) => (layout::record(self.chrome.size).why, true),
            None => (layout::hall(self.chrome.size).notice, false),
        };
        let row = Rect { y: row.bottom().saturating_sub(1), height: 1, ..row };
        let mut painter = painter.inside(row);
        if covers && (self.chrome.notice.is_some() || self.input.is_some()) {
            painter.clear();
        }
        let input = self.input.as_ref().map(|field| (words::WRITE_TO, field, false));
        let otherwise = if self.opening.is_some() { screen::ONE_MOMENT } else { "" };
        page::paint_notice(self.chrome.notice.as_deref(), input, otherwise, &mut painter);
    }
}

impl Page for Records {
    type Output = Left;

    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn keys(&self) -> (Vec<Key>, Rect) {
        let keys = self.commands().into_iter().map(|command| Key::of(&command, self.chrome.appearance));
        let row = match self.reader {
            Some(_) => layout::record(self.chrome.size).keys,
            None => layout::hall(self.chrome.size).keys,
        };
        (keys.collect(), row)
    }

    fn help(&self) -> (&'static str, Vec<String>) {
        let name = |command: &Command| command.key_name(self.chrome.appearance);
        let line = |command: Command| format!("{}\t{}", name(&command), command.meaning());
        let mut lines: Vec<String> = self.commands().into_iter().map(line).collect();
        let how: &[&str] = match (&self.input, &self.reader) {
            (Some(_), _) => &[screen::HOW_TO_TYPE],
            (None, Some(_)) => &words::HOW_TO_READ,
            (None, None) => &words::HOW_TO_LOOK,
        };
        lines.extend(["", screen::HOW_TO_CLICK].iter().chain(how).map(|&line| line.to_owned()));
        (screen::HELP, lines)
    }

    fn key_in_help(&self, line: usize) -> Option<KeyCode> {
        self.commands().get(line).map(Command::key)
    }

    fn quit(&self) -> Left {
        Left::Quit
    }

    fn paint(&self, painter: &mut Painter<'_>) {
        match &self.reader {
            Some(reader) => reader.paint(self.chrome.size, painter),
            None => self.list.paint(self.chrome.size, painter),
        }
        self.paint_notice(painter);
    }

    fn press(&mut self, key: KeyEvent) -> Option<Left> {
        if let Some(input) = &mut self.input
            && !matches!(key.code, KeyCode::Enter | KeyCode::Esc)
        {
            input.press(key, MOST);
            return None;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return None;
        }
        let key = page::lower(key.code);
        if let Some(command) = self.commands().into_iter().find(|command| command.key() == key) {
            return self.run(command);
        }
        match key {
            KeyCode::Left if self.reader.is_some() => self.step(-1),
            KeyCode::Right | KeyCode::Enter if self.reader.is_some() => self.step(1),
            KeyCode::Char(_) => self.chrome.notice = Some(screen::NO_SUCH_KEY.to_owned()),
            key => self.step(page::rows_of(key).unwrap_or(0)),
        }
        None
    }

    /// A click on a row selects it; a second one opens the record.
    fn click(&mut self, at: Point) -> Option<Left> {
        if self.input.is_some() {
            return None;
        }
        if let Some(reader) = &mut self.reader {
            if let Some(step) = reader.step_at(self.chrome.size, at) {
                reader.go(step);
            }
            return None;
        }
        if self.list.click(self.chrome.size, at)? {
            return self.run(Command::OpenRecord);
        }
        None
    }

    fn scroll(&mut self, rows: isize) -> Option<Left> {
        // In a record a turn of the wheel is one step.
        self.step(if self.reader.is_some() { rows } else { rows * WHEEL });
        None
    }
}
