//! A record to play on from, as flags.

use std::io;
use std::path::PathBuf;

use clap::Args;
use clap::error::ErrorKind;
use nim::client::Failure;
use nim::client::Preferences;
use nim::client::action::Terms;
use nim::lobby::Origin;
use nim::record::Record;

use crate::failure;
use crate::record::read;

/// Where a lobby's games come from.
#[derive(Debug, Args)]
pub(crate) struct OriginFlags {
    /// Go on from a position of the record in this file, instead of beginning anew
    #[arg(long, value_name = "FILE", group = "wish")]
    from: Option<PathBuf>,

    /// From which position of the record: that after so many moves; 0 is its first [default: the last one]
    #[arg(long, value_name = "N", requires = "from")]
    at: Option<usize>,
}

impl OriginFlags {
    /// Whether a record is named.
    pub(crate) fn is_given(&self) -> bool {
        self.from.is_some()
    }

    /// What is to be played, if a record is named.
    pub(crate) fn terms(&self, preferences: &Preferences) -> Result<Option<Terms>, Failure> {
        let Some(file) = &self.from else {
            return if self.at.is_none() { Ok(None) } else { alone() };
        };
        if file.as_os_str() == "-" {
            return Err(Failure::BadRecord("the standard input is for your moves; name a file".into()));
        }
        let record = read(file).map_err(on_the_way_to_a_game)?;
        let origin = origin(&record, self.at)?;
        let (variant, preferences) = (record.variant().clone(), preferences.clone());
        Ok(Some(Terms { variant, origin: Some(origin), preferences }))
    }
}

/// Ends the program as any other wrong command line does. Clap itself lets `--at` pass beside whatever excludes `--from`.
fn alone() -> ! {
    clap::Error::raw(
        ErrorKind::MissingRequiredArgument,
        "--at says a position of a record: --from FILE names it\n",
    )
    .exit()
}

/// The position after so many moves, or the last one, if a game can begin there.
fn origin(record: &Record, at: Option<usize>) -> Result<Origin, Failure> {
    let boards = record.boards();
    let last = boards.len() - 1;
    let is_over = boards[last].finish().is_some();
    let most = if is_over { last.saturating_sub(1) } else { last };
    let number = at.unwrap_or(last);
    if number > most {
        let why = if is_over { "the game is over after" } else { "it ends with" };
        let range = format!("--at takes a number from 0 to {most}");
        return Err(Failure::BadRecord(format!("{why} move {last}: {range}")));
    }
    // A record has 20,000 moves at most.
    let moves = u32::try_from(number).unwrap_or(u32::MAX);
    Ok(Origin::of(record.checksum(), moves, &boards[number]))
}

/// The same failure for a person who wanted to play.
fn on_the_way_to_a_game(why: failure::Failure) -> Failure {
    match why {
        failure::Failure::Wrong(..) => Failure::BadRecord(why.to_string()),
        _ => Failure::Start(io::Error::other(why.to_string())),
    }
}
