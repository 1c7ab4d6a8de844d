//! What a command of `study` is about: a position of a game, or a tree from a file.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use nim::game::abstract_tree::AbstractTree;
use nim::game::any::{Board, Variant};

use crate::failure::{CliError, read_file};
use crate::flags;

/// The maximum depth of a tree or a search; it bounds the stack of the recursion.
const MAX_DEPTH: i64 = 500;
/// The maximum size of a file with a tree, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The form of a file with a tree, for the help of the commands that read one.
pub(crate) const TREE_FILE: &str = "\
A file for --tree has one node on each line, and its children are indented
below it. A leaf has a number. The first side moves at the root and wants
large numbers. Text after # is ignored:

  A            # the root: first (max) moves here
    B          # second (min) moves here
      D = 10   # a leaf: first gets 10
      E = 14
    C
      F = 2
      G = 20";

/// A game and a position in it.
#[derive(Debug, Args)]
pub(crate) struct PositionFlags {
    /// The game
    #[arg(value_name = "GAME", add = flags::games())]
    variant: Variant,

    /// The position to start from, such as "13 first" [default: the start of the game]
    #[arg(long, value_name = "POSITION")]
    at: Option<String>,
}

/// A game, or a tree from a file.
#[derive(Debug, Args)]
pub(crate) struct RootFlags {
    /// The game
    #[arg(value_name = "GAME", add = flags::games(), required_unless_present = "tree")]
    variant: Option<Variant>,

    /// The position to start from, such as "13 first" [default: the start of the game]
    #[arg(long, value_name = "POSITION", conflicts_with = "tree")]
    at: Option<String>,

    /// A file with a tree that has numbers at its leaves, instead of a game; its form is shown below
    #[arg(long, value_name = "FILE", conflicts_with = "variant")]
    tree: Option<PathBuf>,

    /// How many moves to look ahead [default: to the end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_DEPTH))]
    pub(super) depth: Option<u32>,
}

/// A position of a game, or a tree from a file.
pub(super) enum Root {
    Board(Box<Board>),
    Tree(AbstractTree),
}

impl PositionFlags {
    /// Returns the board.
    pub(super) fn board(&self) -> Result<Board, CliError> {
        board(&self.variant, self.at.as_deref())
    }
}

impl RootFlags {
    /// Returns the tree from a file, or else the board.
    pub(super) fn read(&self) -> Result<Root, CliError> {
        match (&self.tree, &self.variant) {
            (Some(file), _) => read_tree(file).map(Root::Tree),
            (None, Some(variant)) => {
                board(variant, self.at.as_deref()).map(|board| Root::Board(Box::new(board)))
            }
            (None, None) => Err(CliError::Usage("name a game, or a file with --tree".into())),
        }
    }
}

fn board(variant: &Variant, at: Option<&str>) -> Result<Board, CliError> {
    match at {
        None => Ok(variant.start()),
        Some(text) => variant.read_position(text).map_err(|bad| CliError::Usage(bad.to_string())),
    }
}

fn read_tree(path: &Path) -> Result<AbstractTree, CliError> {
    let wrong = |why: String| CliError::Usage(format!("{}: {why}", path.display()));
    let bytes = read_file(path, MAX_FILE)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(wrong(format!("a tree has at most {MAX_FILE} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        CliError::Unreadable(
            path.to_owned(),
            io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8"),
        )
    })?;
    text.parse().map_err(|bad: nim::game::notation::BadText| wrong(bad.to_string()))
}
