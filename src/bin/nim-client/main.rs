//! The player's program: flags, then a connection and a face.

mod conditions;
mod config;
mod connecting;
mod entrance;
mod examples;
mod face;
mod failure;
mod flags;
mod local_games;
mod local_records;
mod local_server;
mod menu;
mod nearby;
mod play;
mod record;
mod resuming;
mod seats;
mod study;

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand};
use config::{ConfigFlags, gathered};
use connecting::Connect;
use face::{Stage, StyleFlags, is_screen};
use nearby::{HostsFlags, LookFlags};
use nim::cli::completions::Completions;
use nim::cli::manual::Manual;
use nim::cli::{self, Example, below};
use nim::client::Failure;
use nim::client::failure::EXIT_CODES;
use nim::client::json;
use nim::client::tui::guard;
use nim::client::words::help::games;
use play::Play;
use resuming::Resume;

/// Play Nim with people and bots on your network.
#[derive(Debug, Parser)]
#[command(name = "nim-client", version, after_help = gaming(examples::PROGRAM), args_conflicts_with_subcommands = true)]
struct Cli {
    /// What to do; without one, the first screen asks
    #[command(subcommand)]
    command: Option<Command>,

    /// Ask what to do one line at a time instead of on the first screen [default: the setting plain]
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    style: StyleFlags,

    #[command(flatten)]
    look: LookFlags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play on somebody's server
    #[command(after_help = gaming(examples::CONNECT))]
    Connect(Box<Connect>),
    /// List the hosts on this network
    #[command(after_help = below(&[EXIT_CODES], examples::HOSTS))]
    Hosts(HostsFlags),
    /// Go on where you were, after the program or the machine had stopped
    #[command(after_help = gaming(examples::RESUME))]
    Resume(Resume),
    /// Play here and now, against the bot or with a second person at this keyboard
    #[command(after_help = gaming(examples::PLAY))]
    Play(Play),
    /// Look into a game: its tree, its size, every move with its reason, the search step by step
    #[command(subcommand, after_help = below(&[study::EXIT_CODES], examples::STUDY))]
    Study(study::Study),
    /// Records of games, on a server or in files: list them, export one, show it, go through it with what every move was
    /// worth, check whether it is right
    #[command(subcommand, after_help = below(&[record::EXIT_CODES], examples::RECORD))]
    Record(record::Command),
    /// Show or change what you are called, how strong the bot plays, and how the screen looks
    #[command(long_about = config::ABOUT, after_help = below(&[], examples::CONFIG))]
    Config(ConfigFlags),
    /// Write what a shell needs to complete what is typed at Tab
    #[command(after_help = below(&[&cli::completions::installing("nim-client")], examples::COMPLETIONS))]
    Completions(Completions),
    /// Write this help as pages for man
    #[command(after_help = below(&[&cli::manual::installing("nim-client")], examples::MAN))]
    Man(Manual),
}

/// What stands below the help of a command that leads to games.
fn gaming(examples: &[Example]) -> String {
    below(&[&games(), EXIT_CODES], examples)
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Some(command) => obey(command),
        None => begin(cli.plain, cli.style, &cli.look),
    }
}

/// Nothing was said: the first screen asks, or lines where there is none.
fn begin(plain: bool, style: StyleFlags, look: &LookFlags) -> ExitCode {
    let settings = match gathered().right() {
        Ok(settings) => settings,
        Err(failure) => return done(Err(failure.into())),
    };
    let plain = plain || settings.plain().unwrap_or_default();
    if !plain && is_screen() {
        return run(false, entrance::run(style, look.clone(), &settings));
    }
    match menu::ask(plain, look) {
        Ok(Some(command)) => obey(command),
        Ok(None) => ExitCode::SUCCESS,
        Err(failure) => done(Err(failure.into())),
    }
}

fn obey(command: Command) -> ExitCode {
    // It is given back at the end of what is done on it, before anything is said of that.
    let mut stage = Stage::default();
    match command {
        Command::Connect(flags) => run(flags.face.json, async move {
            connecting::connect(*flags, &gathered().right()?, &mut stage).await.map(drop)
        }),
        Command::Hosts(flags) => run(false, async { nearby::list(&flags).await }),
        Command::Resume(flags) => run(flags.face.json, async move {
            resuming::resume(flags, &gathered().right()?, &mut stage).await.map(drop)
        }),
        Command::Play(flags) => {
            run(flags.face.json, async move { play::play(flags, &gathered().right()?, &mut stage).await })
        }
        Command::Study(study) => study::run(study),
        Command::Record(record) => record::run(record),
        Command::Config(flags) => done(config::run(&flags)),
        Command::Completions(completions) => done(completions.write(Cli::command())),
        Command::Man(manual) => done(manual.write(Cli::command())),
    }
}

/// Tells what went wrong, if something did.
fn done(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody may be there to be told, which is no reason to panic.
            let _ = writeln!(stderr(), "nim-client: {error:#}");
            error.downcast_ref().map_or(ExitCode::FAILURE, |failure: &Failure| failure.exit_code().into())
        }
    }
}

/// How long at most is waited in the end for work on other threads: long enough for a file that is being written, and not as long
/// as a host may be looked up by its name.
const LAST: Duration = Duration::from_secs(1);

/// Plays, and tells why it came to an end if that was no good one.
fn run(json: bool, game: impl Future<Output = Result<(), Failure>>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Start);
    let result = runtime.and_then(|runtime| {
        let result = runtime.block_on(game);
        runtime.shutdown_timeout(LAST);
        result
    });
    if json {
        // Where the output takes no more, there is nobody to be told of it either.
        let _ = json::write_end(&mut stdout(), result.as_ref().err());
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // What is said on the screen is gone with it.
            guard::give_back();
            // A program behind a pipe that has seen enough is no failure to be told of.
            if !matches!(&failure, Failure::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe) {
                // That nobody may read this either does not change the exit code.
                let _ = writeln!(stderr(), "nim-client: {failure}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_ends_with_examples_that_can_be_typed() {
        nim::cli::check_examples(&Cli::command());
    }
}
