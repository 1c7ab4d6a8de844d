//! `nim-client record replay`: a game step by step, with the value of every move.

use std::io::{IsTerminal, stdin};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use nim::client::input::read_line;
use nim::client::text::marked;
use nim::client::words::records as words;
use nim::game::any::{Board, Move};
use nim::record::{Record, ShownStep};
use nim::study::{Stop, annotation};

use super::source::{ChosenSource, SourceFlags};
use crate::failure::{CliError, is_stdin, print};
use crate::work::on_large_stack;

/// The time limit for one move; most take milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The instructions before the first step at a terminal.
const HOW: &str = "\nEnter shows the next step; q and Enter ends.\n";

/// Replays the game with this name.
pub(super) fn replay(name: &Path, flags: &SourceFlags) -> Result<(), CliError> {
    let source = ChosenSource::of(flags)?;
    let steps = !(source.is_of_files() && is_stdin(name)) && stdin().is_terminal();
    let record = { source }.record(name)?;
    print(&heading(&record))?;
    if steps {
        print(HOW)?;
    }
    for step in record.shown_steps() {
        if steps && !goes_on()? {
            return Ok(());
        }
        let worth = step.played.as_ref().map(|(board, mv)| worth(board, *mv)).transpose()?;
        print(&step_text(&record, &step, worth.as_deref()))?;
    }
    print(&ending(&record))
}

/// Waits for Enter. Returns whether to show the next step.
fn goes_on() -> Result<bool, CliError> {
    let line = read_line(&mut stdin().lock()).map_err(CliError::Input)?;
    Ok(line.is_some_and(|line| !line.trim().eq_ignore_ascii_case("q")))
}

/// The value of this move and its reason, and the same for a better move: a line each.
fn worth(board: &Board, mv: Move) -> Result<String, CliError> {
    let (stop, board) = (Stop::new(), board.clone());
    let (send, answer) = channel();
    let line = stop.clone();
    on_large_stack(move || send.send(annotation(&board, mv, &line)))?;
    let words = answer.recv_timeout(PATIENCE).ok().flatten();
    // Stops a search that has reached the time limit.
    stop.raise();
    Ok(words.unwrap_or_else(|| {
        format!("This move was not judged: it would take longer than {} seconds.", PATIENCE.as_secs())
    }))
}

/// The game, its players and the first position.
pub(super) fn heading(record: &Record) -> String {
    let (variant, game, code, started) = (record.variant(), record.game(), record.code(), record.started());
    let level = record.conditions().level;
    let [first, second] = [&record.players().first, &record.players().second]
        .map(|sitter| marked(&sitter.name, sitter.kind, level));
    let from = record.origin().map_or_else(String::new, |origin| {
        format!("It goes on from move {} of the record {}.\n", origin.moves, origin.record)
    });
    format!(
        "{variant}, game {game} in {code}, {started}\nFirst: {first}\nSecond: {second}\n{from}\n{}\n",
        record.start().draw()
    )
}

/// One step: the event, the value of a move if it is given, and the position if it has changed.
pub(super) fn step_text(record: &Record, step: &ShownStep, worth: Option<&str>) -> String {
    let worth = worth.map_or_else(String::new, |worth| format!("{worth}\n"));
    let board = step.board.as_ref().map_or_else(String::new, |board| format!("\n{}\n", board.draw()));
    format!("\n{} ({})\n{worth}{board}", words::step(record, &step.words), step.after)
}

pub(super) fn ending(record: &Record) -> String {
    format!("\n{}\n", words::end(record))
}
