//! The player's program: flags, then a connection and a face.

mod command;
mod conditions;
mod config;
mod connect;
mod examples;
mod face;
mod failure;
mod flags;
mod hosts;
mod local_games;
mod local_records;
mod local_server;
mod mistake;
mod play;
mod play_web;
mod record;
mod resume;
mod seats;
mod start;
mod study;
mod tutorial;
mod work;

use std::io::stdout;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use command::{Cli, Command};
use config::gathered;
use face::{StyleFlags, is_screen};
use failure::CliError;
use hosts::LookFlags;
use nim::cli::completions;
use nim::client::settings::Key;
use nim::client::tui::guard;
use nim::client::{self, json};

fn main() -> ExitCode {
    completions::answer(Cli::command);
    let cli = Cli::try_parse().unwrap_or_else(|error| mistake::with_tip(error).exit());
    let done = match cli.command {
        Some(command) => execute(command),
        None => without_command(cli.plain, cli.style, &cli.look),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // The terminal discards what is written while it shows the screen.
            guard::give_back();
            failure.report();
            failure.exit_code().into()
        }
    }
}

/// Runs without a command: on the first screen, or with plain lines if there is no screen.
fn without_command(plain: bool, style: StyleFlags, look: &LookFlags) -> Result<(), CliError> {
    let settings = gathered().right()?;
    let plain = plain || settings.get(Key::Plain).unwrap_or_default();
    if !plain && is_screen() {
        return run(false, start::on_screen(style, look.clone(), &settings));
    }
    start::ask(plain, look)?.map_or(Ok(()), execute)
}

fn execute(command: Command) -> Result<(), CliError> {
    match command {
        // The face ends with its future, so the screen is restored before a failure is reported.
        Command::Connect(flags) => run(flags.face.json, async move {
            let settings = gathered().right()?;
            let mut face = flags.face.with(&settings);
            Box::pin(connect::connect(*flags, &settings, &mut face)).await.map(drop)
        }),
        Command::Hosts(flags) => run(false, async { hosts::list(&flags).await }),
        Command::Resume(flags) => {
            run(flags.face.json, async move { resume::resume(flags, &gathered().right()?).await.map(drop) })
        }
        Command::Play(flags) => run(flags.face.json, async move {
            let settings = gathered().right()?;
            let mut face = flags.face.with(&settings);
            Box::pin(play::play(flags, &settings, &mut face)).await
        }),
        Command::Study(study) => study::run(study),
        Command::Tutorial(flags) => {
            run(false, async move { tutorial::run(&flags, &gathered().right()?).await })
        }
        Command::Record(record) => record::run(record),
        Command::Config(flags) => config::run(&flags),
        Command::Completions(completions) => Ok(completions.write(&Cli::command())?),
        Command::Man(manual) => Ok(manual.write(Cli::command())?),
    }
}

/// How long the program waits for other threads at its end: enough to write a file, but less than a DNS
/// lookup may take.
const SHUTDOWN_WAIT: Duration = Duration::from_secs(1);

/// Runs a game.
fn run(json: bool, game: impl Future<Output = Result<(), client::Failure>>) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let result = runtime.map_err(client::Failure::Start).and_then(|runtime| {
        let result = runtime.block_on(game);
        runtime.shutdown_timeout(SHUTDOWN_WAIT);
        result
    });
    if json {
        // If the output is closed, nobody reads this either.
        let _ = json::write_end(&mut stdout(), result.as_ref().err());
    }
    Ok(result?)
}
