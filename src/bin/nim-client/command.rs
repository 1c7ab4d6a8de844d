//! The command line: all commands with their flags and help texts.

use clap::{Parser, Subcommand};
use nim::cli::completions::Completions;
use nim::cli::manual::Manual;
use nim::cli::{self, Example, after_help};
use nim::client::failure::EXIT_CODES;
use nim::client::words::help::games;

use crate::config::{self, ConfigFlags};
use crate::connect::Connect;
use crate::examples;
use crate::face::StyleFlags;
use crate::hosts::{self, HostsFlags, LookFlags};
use crate::play::Play;
use crate::record;
use crate::resume::Resume;
use crate::study;
use crate::tutorial::{self, TutorialFlags};

/// Play Nim with people and bots on your network.
#[derive(Debug, Parser)]
#[command(name = "nim-client", version, after_help = gaming(examples::PROGRAM), args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    /// What to do; without a command, the first screen asks
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Ask line by line instead of on the first screen [default: the setting plain]
    #[arg(long)]
    pub(crate) plain: bool,

    #[command(flatten)]
    pub(crate) style: StyleFlags,

    #[command(flatten)]
    pub(crate) look: LookFlags,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play on a server
    #[command(after_help = gaming(examples::CONNECT))]
    Connect(Box<Connect>),
    /// List the hosts on this network
    #[command(after_help = after_help(&[hosts::EXIT_CODES], examples::HOSTS))]
    Hosts(HostsFlags),
    /// Resume a game after the program or the machine was stopped
    #[command(after_help = gaming(examples::RESUME))]
    Resume(Resume),
    /// Play at this keyboard, against the bot or with a second person
    #[command(after_help = gaming(examples::PLAY))]
    Play(Play),
    /// Analyse a game: its tree, its size, every move with its reason, the search step by step
    #[command(subcommand, after_help = after_help(&[study::EXIT_CODES], examples::STUDY))]
    Study(study::Study),
    /// Learn how these games are won, in three screens that you play with the keys
    #[command(after_help = after_help(&[tutorial::EXIT_CODES], examples::TUTORIAL))]
    Tutorial(TutorialFlags),
    /// List, export, show, replay and verify records of games, on a server or in files
    #[command(subcommand, after_help = after_help(&[record::EXIT_CODES], examples::RECORD))]
    Record(record::RecordCommand),
    /// Show or change your name, how strong the bot plays, and how the screen looks
    #[command(long_about = config::ABOUT, after_help = after_help(&[], examples::CONFIG))]
    Config(ConfigFlags),
    /// Write the completion script of a shell
    #[command(after_help = after_help(&[&cli::completions::installing("nim-client")], examples::COMPLETIONS))]
    Completions(Completions),
    /// Write this help as manual pages
    #[command(after_help = after_help(&[&cli::manual::installing("nim-client")], examples::MAN))]
    Man(Manual),
}

/// The text below the help of a command that plays games.
fn gaming(examples: &[Example]) -> String {
    after_help(&[&games(), EXIT_CODES], examples)
}

/// Reads a command from words of a command line.
pub(crate) fn parsed(words: Vec<String>) -> Result<Option<Command>, clap::Error> {
    Ok(Cli::try_parse_from(std::iter::once("nim-client".to_owned()).chain(words))?.command)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_help_ends_with_examples_that_can_be_typed() {
        cli::check_examples(&Cli::command());
    }
}
