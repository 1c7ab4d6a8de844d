//! `nim-client record list`: the games on a server, in files, or at this keyboard.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use nim::client::json::listed::ListedGame;
use nim::client::json::write_line;
use nim::client::records::{Filter, GameFilter, GameSummary};
use nim::client::words::records::table;
use nim::lobby::Name;
use nim::number::{millis, saturating};
use nim::record::{BadDate, Date};
use nim::wire::GamesWish;

use super::source::{Library, SourceFlags, read};
use crate::failure::{CliError, named, print};
use crate::local_records::LocalRecords;

/// The default number of games in a list.
const DEFAULT_COUNT: u32 = 50;

#[derive(Debug, Args)]
pub(crate) struct ListFlags {
    /// Files, each with one record; - is the standard input [default: the games that were played at this
    /// keyboard]
    #[arg(value_name = "FILE", conflicts_with = "server")]
    files: Vec<PathBuf>,

    /// List only games of a player with this name
    #[arg(long, value_name = "NAME", value_parser = crate::flags::name)]
    with: Option<Name>,

    /// List only this game, such as java-tech, or this variant, such as java-tech:21
    #[arg(long, value_name = "GAME")]
    game: Option<GameFilter>,

    /// List only games that began since a date in UTC, such as 2026-11-01, or since a time ago, such as 7d or
    /// 12h
    #[arg(long, value_name = "DATE|TIME", value_parser = since)]
    since: Option<Date>,

    /// List only games that you played from this computer; not for files, which do not say who you are
    #[arg(long, requires = "server", conflicts_with = "files")]
    mine: bool,

    /// The maximum number of games, the newest first
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_COUNT, value_parser = clap::value_parser!(u32).range(1..))]
    most: u32,

    /// For scripts: write one JSON object per line, as proto/JSON.md describes
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    source: SourceFlags,
}

/// Lists the games. Files without a valid record are reported, and the others listed.
pub(super) fn list(flags: ListFlags) -> Result<(), CliError> {
    let filter = Filter { with: flags.with, game: flags.game, since: flags.since };
    let most = saturating(flags.most);
    let (games, others, failures) = if let Some(server) = &flags.source.server {
        let wish = GamesWish { mine: flags.mine, ..filter.wish() };
        let (games, others) = Library::enter(server, &flags.source.state)?.list(wish, most)?;
        (games, others, Vec::new())
    } else {
        let (games, failures) = if flags.files.is_empty() {
            LocalRecords::of(&flags.source.state).list()
        } else {
            in_files(&flags.files)
        };
        let (games, others) = cut(games, &filter, most);
        (games, others, failures)
    };
    failures.iter().for_each(CliError::report);
    let shown = if flags.json { print_json(&games) } else { print_table(&games, others) };
    shown.and(failures.last().map_or(Ok(()), |last| Err(CliError::Reported(last.exit_code()))))
}

/// The games in these files, and the failures of the other files.
fn in_files(files: &[PathBuf]) -> (Vec<GameSummary>, Vec<CliError>) {
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for file in files {
        match read(file) {
            Ok(record) => found.push(GameSummary::in_file(&named(file), &record)),
            Err(wrong) => failures.push(wrong),
        }
    }
    (found, failures)
}

/// The games that match, the newest first, and whether there are more than `most`.
fn cut(mut found: Vec<GameSummary>, filter: &Filter, most: usize) -> (Vec<GameSummary>, bool) {
    found.retain(|game| filter.matches(game));
    found.sort_by_key(|game| std::cmp::Reverse(game.started));
    let others = found.len() > most;
    found.truncate(most);
    (found, others)
}

fn print_table(games: &[GameSummary], others: bool) -> Result<(), CliError> {
    let mut lines = if games.is_empty() { vec!["No games.".into()] } else { table(games) };
    if others {
        lines.push(format!("There are others: --most {} lists more.", games.len().max(1) * 10));
    }
    print(&lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>())
}

fn print_json(games: &[GameSummary]) -> Result<(), CliError> {
    let mut out = stdout().lock();
    let written = games.iter().try_for_each(|game| write_line(&mut out, &ListedGame::from(game)));
    written.and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Reads a date, or a time before now.
fn since(text: &str) -> Result<Date, String> {
    for date in [&format!("{text} 00:00:00 UTC"), text] {
        match date.parse() {
            Ok(date) => return Ok(date),
            Err(BadDate::Form) => {}
            Err(none) => return Err(none.to_string()),
        }
    }
    let ago = humantime::parse_duration(text)
        .map_err(|_| "write a date as in 2026-11-01, or a time as in 7d or 12h".to_owned())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Date::of_millis(millis::<u64>(now).saturating_sub(millis(ago))))
}
