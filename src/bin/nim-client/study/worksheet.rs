//! `nim-client study worksheet`: a page of positions to solve, and a page of answers.

use clap::{Args, ValueEnum};
use nim::game::any::Variant;
use nim::study::Stop;
use nim::study::worksheet::Worksheet;

use crate::failure::CliError;
use crate::flags;
use nim::cli::output::OutputFlags;

#[derive(Debug, Args)]
pub(crate) struct WorksheetFlags {
    /// The game
    #[arg(value_name = "GAME", add = flags::games())]
    variant: Variant,

    /// The seed of all random choices; the same seed gives the same page
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// The format of the page
    #[arg(long, value_enum, default_value = "text")]
    format: PageFormat,

    #[command(flatten)]
    output: OutputFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PageFormat {
    /// Plain lines
    Text,
    /// A page for a browser, which prints the answers on a sheet of their own
    Html,
}

/// Writes the worksheet.
pub(super) fn write(flags: &WorksheetFlags, stop: &Stop) -> Result<(), CliError> {
    let output = flags.output.check()?;
    let worksheet = Worksheet::new(&flags.variant, flags.seed, stop)?;
    Ok(output.write(match flags.format {
        PageFormat::Text => worksheet.text(),
        PageFormat::Html => worksheet.html(),
    })?)
}
