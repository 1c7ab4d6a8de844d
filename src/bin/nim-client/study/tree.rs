//! `nim-client study tree`: the tree or the graph of a game, as text, as a drawing, or for other programs.

use clap::{Args, ValueEnum};
use nim::study::figure::Figure;
use nim::study::figure::text::TextOrder;
use nim::study::tree::{self, FigureOptions};
use nim::study::{Stop, StudyError};

use super::root::{Root, RootFlags};
use crate::failure::CliError;
use nim::cli::output::OutputFlags;

/// The maximum number of nodes in a drawing: a larger one is slow in a browser and hard to read.
const MAX_DRAWN: usize = 2_000;
/// The maximum number of nodes in a text for people or programs.
const MAX_WRITTEN: usize = 20_000;

#[derive(Debug, Args)]
pub(crate) struct TreeFlags {
    #[command(flatten)]
    subject: RootFlags,

    /// Show equal positions as one
    #[arg(long, conflicts_with = "tree")]
    graph: bool,

    /// The format of the tree
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// The order in which the text visits the tree; "in" needs positions with at most two moves
    #[arg(long, value_enum, conflicts_with = "graph")]
    order: Option<TextOrder>,

    #[command(flatten)]
    output: OutputFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Plain lines, for people
    Text,
    /// For Graphviz
    Dot,
    /// A drawing for a browser
    Svg,
    /// For programs
    Json,
}

/// Writes the tree.
pub(super) fn write(flags: &TreeFlags, stop: &Stop) -> Result<(), CliError> {
    if flags.order.is_some() && flags.format != Format::Text {
        return Err(CliError::Usage("--order is for --format text".into()));
    }
    let output = flags.output.check()?;
    let max_nodes = if matches!(flags.format, Format::Svg | Format::Dot) { MAX_DRAWN } else { MAX_WRITTEN };
    let options = FigureOptions { depth: flags.subject.depth, merged: flags.graph, max_nodes };
    let figure = match flags.subject.read()? {
        Root::Board(board) => tree::figure(&board, options, stop)?,
        Root::Tree(root) => tree::abstract_figure(&root, options, stop)?,
    };
    Ok(output.write(flags.draw(&figure)?)?)
}

impl TreeFlags {
    fn draw(&self, figure: &Figure) -> Result<String, StudyError> {
        match self.format {
            Format::Text => figure.text(self.order.unwrap_or_default()),
            Format::Dot => Ok(figure.dot()),
            Format::Svg => Ok(figure.svg()),
            Format::Json => Ok(figure.json()),
        }
    }
}
