//! Keys and the mouse in the list of records and in an open record.

use std::io;
use std::path::PathBuf;

use crossterm::event::{KeyCode, MouseButton, MouseEventKind};
use ratatui::layout::Position as Point;

use crate::client::tui::command::KeyCommand;
use crate::client::tui::job::{Job, JobResult};
use crate::client::tui::keys::no_such_key;
use crate::client::tui::message::Effect;
use crate::client::tui::page::{rows_of, rows_of_wheel};
use crate::client::tui::record_reader;
use crate::client::tui::records::Records;
use crate::client::tui::state::{Input, Overlay, Purpose, State};
use crate::client::words::records as words;

/// The rows of a turn of the wheel in the list.
const WHEEL: isize = 3;

/// Opens the records of the server, if it has any.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    state.records = state.library.clone().map(|title| Box::new(Records::new(title)));
    state.records.iter().map(|_| Effect::Job(Job::List)).collect()
}

/// Takes the result of a job. The name of a file that was not written can be corrected. If there is such a
/// file already, it is asked whether to overwrite it.
pub(super) fn take(state: &mut State, result: JobResult) {
    let Some(records) = &mut state.records else { return };
    if let JobResult::Written(path, Err(_)) = &result {
        state.input = Some(Input::new(Purpose::File, &path.display().to_string()));
    }
    if let JobResult::Written(path, Err(error)) = &result
        && error.kind() == io::ErrorKind::AlreadyExists
    {
        state.overlay = Some(Overlay::Overwrite(path.clone()));
        return;
    }
    if let Some(notice) = records.take(result) {
        state.notice = Some(notice);
    }
}

/// Runs a command of the records.
pub(super) fn run(state: &mut State, command: KeyCommand) -> Vec<Effect> {
    let Some(records) = &mut state.records else { return Vec::new() };
    match (command, &mut records.reader) {
        (KeyCommand::OpenRecord, _) => {
            records.opening = records.list.selected().map(|found| found.name.clone());
            return records.opening.clone().map(|name| Effect::Job(Job::Open(name))).into_iter().collect();
        }
        (KeyCommand::Learn, Some(reader)) => state.learn = reader.learn().map(Box::new),
        (KeyCommand::Export, Some(reader)) => {
            state.input = Some(Input::new(Purpose::File, &words::file_name(reader.record())));
        }
        (KeyCommand::BackToList, _) => records.reader = None,
        // The first time only the fetching is given up.
        (KeyCommand::Back, _) if records.opening.take().is_some() => {}
        _ => state.records = None,
    }
    Vec::new()
}

/// Writes the open record into a new file with this name.
pub(super) fn write(state: &State, name: &str) -> Vec<Effect> {
    match name.trim() {
        "" => Vec::new(),
        name => write_to(state, name.into(), false),
    }
}

/// Writes the open record in place of this file.
pub(super) fn overwrite(state: &mut State, path: PathBuf) -> Vec<Effect> {
    state.input = None;
    write_to(state, path, true)
}

fn write_to(state: &State, path: PathBuf, overwrites: bool) -> Vec<Effect> {
    let reader = state.records.as_ref().and_then(|records| records.reader.as_ref());
    let write = |text| Effect::Job(Job::Write { path, text, overwrites });
    reader.map(|reader| write(reader.record().to_string())).into_iter().collect()
}

/// Takes a key that is no command.
pub(super) fn press(state: &mut State, key: KeyCode) {
    let Some(records) = &mut state.records else { return };
    match key {
        KeyCode::Left if records.reader.is_some() => records.step(-1),
        KeyCode::Right | KeyCode::Enter if records.reader.is_some() => records.step(1),
        KeyCode::Char(_) => state.notice = Some(no_such_key(&state.keys, state.appearance)),
        key => records.step(rows_of(key).unwrap_or(0)),
    }
}

/// Takes a mouse event. A click on a row selects it; a second one opens the record.
pub(super) fn touch(state: &mut State, kind: MouseEventKind, at: Point) -> Vec<Effect> {
    let (size, is_typing) = (state.size, state.input.is_some());
    let Some(records) = &mut state.records else { return Vec::new() };
    if kind != MouseEventKind::Down(MouseButton::Left) {
        // In a record a turn of the wheel is one step.
        let rows = if records.reader.is_some() { 1 } else { WHEEL };
        records.step(rows_of_wheel(kind).unwrap_or(0) * rows);
        return Vec::new();
    }
    let reader = match &mut records.reader {
        _ if is_typing => return Vec::new(),
        None if records.list.click(size, at) == Some(true) => return run(state, KeyCommand::OpenRecord),
        None => return Vec::new(),
        Some(reader) => reader,
    };
    if let Some(step) = record_reader::step_at(reader, size, at) {
        reader.go(step);
    }
    Vec::new()
}
