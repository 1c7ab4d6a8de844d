//! A record as text for people: its heading, each step, its end.

use nim::lobby::Kind;
use nim::record::{Record, Scene};

/// The game, its players and the first position.
pub(super) fn heading(record: &Record) -> String {
    let (variant, game, code, started) = (record.variant(), record.game(), record.code(), record.started());
    let level = record.conditions().level;
    let [first, second] =
        [&record.players().first, &record.players().second].map(|sitter| match sitter.kind {
            Kind::Person => sitter.name.to_string(),
            Kind::Bot => format!("{} [bot, {level}]", sitter.name),
        });
    let from = record.origin().map_or_else(String::new, |origin| {
        format!("It goes on from move {} of the record {}.\n", origin.moves, origin.record)
    });
    format!(
        "{variant}, game {game} in {code}, {started}\nFirst: {first}\nSecond: {second}\n{from}\n{}\n",
        record.start().draw()
    )
}

/// One step: the event, the worth of a move if it is given, and the position if it has changed.
pub(super) fn step(scene: &Scene, worth: Option<&str>) -> String {
    let worth = worth.map_or_else(String::new, |worth| format!("{worth}\n"));
    let board = scene.board.as_ref().map_or_else(String::new, |board| format!("\n{}\n", board.draw()));
    format!("\n{} ({})\n{worth}{board}", scene.words, scene.after)
}

pub(super) fn ending(record: &Record) -> String {
    format!("\n{}.\n", sentence(&record.verdict()))
}

/// A clause with a capital letter.
pub(super) fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    first + rest.as_str()
}
