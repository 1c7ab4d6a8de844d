//! A person with the records of this keyboard. Jobs run at once.

use nim::client::record_source::GameList;
use nim::client::records::GameSummary;
use nim::client::tui::job::{Job, JobResult};
use nim::client::tui::records::Records;
use nim::client::tui::{Appearance, Message};
use nim::file::atomic;
use nim::record::Record;

use super::person::Person;
use super::player::Player;

/// The records in RECORD.md; the first is a finished game.
pub(super) fn examples() -> Vec<Record> {
    let page = include_str!("../../../proto/RECORD.md");
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let whole = blocks.filter(|block| block.contains("Checksum:") && !block.contains('>'));
    whole.map(|block| Record::read(block.as_bytes()).unwrap()).collect()
}

/// A person with a list of records.
pub(super) fn reader(size: (u16, u16), appearance: Appearance) -> Player {
    let mut reader = Player::in_hall(size, appearance);
    reader.state.records = Some(Box::new(Records::new("Games that were played at this keyboard".to_owned())));
    reader.does_jobs = true;
    reader.send(Message::Job(done(Job::List)));
    reader
}

pub(super) fn usual() -> Player {
    reader((80, 24), Appearance::default())
}

/// The first of the records, open.
pub(super) fn opened(size: (u16, u16), appearance: Appearance) -> Player {
    let mut reader = reader(size, appearance);
    reader.types("⏎");
    reader
}

/// The result of a job.
pub(super) fn done(job: Job) -> JobResult {
    match job {
        Job::List => {
            let found = |(number, record)| GameSummary::in_file(&format!("{number}/1"), record);
            let games = (1..).zip(&examples()).map(found).collect();
            JobResult::Listed(Ok(GameList { games, ..GameList::default() }))
        }
        Job::Open(name) => {
            let number: usize = name.trim_end_matches("/1").parse().unwrap();
            JobResult::Opened(name, Ok(Box::new(examples().swap_remove(number - 1))))
        }
        Job::Write { path, text, overwrites } => {
            let written = atomic::write(&path, &text, overwrites);
            JobResult::Written(path, written)
        }
    }
}

/// The steps beside the board.
pub(super) fn steps(reader: &Player) -> Vec<String> {
    let beside = |line: &String| line.split_once('│').map(|(_, beside)| beside.trim().to_owned());
    reader.lines().iter().filter_map(beside).collect()
}

/// The text below the board.
pub(super) fn below(reader: &Player) -> String {
    let lines = reader.lines();
    let from = lines.iter().rposition(|line| line.contains('┴')).unwrap();
    lines[from + 1..lines.len() - 1].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}
