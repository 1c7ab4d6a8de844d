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
mod play;
mod record;
mod resume;
mod seats;
mod start;
mod study;

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use command::{Cli, Command};
use config::gathered;
use face::{StyleFlags, is_screen};
use hosts::LookFlags;
use nim::client::tui::guard;
use nim::client::{Failure, json};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Some(command) => obey(command),
        None => begin(cli.plain, cli.style, &cli.look),
    }
}

/// Without a command: the first screen, or plain lines where there is no screen.
fn begin(plain: bool, style: StyleFlags, look: &LookFlags) -> ExitCode {
    let settings = match gathered().right() {
        Ok(settings) => settings,
        Err(failure) => return done(Err(failure.into())),
    };
    let plain = plain || settings.plain().unwrap_or_default();
    if !plain && is_screen() {
        return run(false, start::on_screen(style, look.clone(), &settings));
    }
    match start::ask(plain, look) {
        Ok(Some(command)) => obey(command),
        Ok(None) => ExitCode::SUCCESS,
        Err(failure) => done(Err(failure.into())),
    }
}

fn obey(command: Command) -> ExitCode {
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
        Command::Record(record) => record::run(record),
        Command::Config(flags) => done(config::run(&flags)),
        Command::Completions(completions) => done(completions.write(Cli::command())),
        Command::Man(manual) => done(manual.write(Cli::command())),
    }
}

/// Reports a failure.
fn done(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody may read it, which is no reason to panic.
            let _ = writeln!(stderr(), "nim-client: {error:#}");
            error.downcast_ref().map_or(ExitCode::FAILURE, |failure: &Failure| failure.exit_code().into())
        }
    }
}

/// The time limit for other threads at the end: long enough to write a file, shorter than a DNS lookup may
/// take.
const LAST: Duration = Duration::from_secs(1);

/// Runs a game, and reports why it failed.
fn run(json: bool, game: impl Future<Output = Result<(), Failure>>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Start);
    let result = runtime.and_then(|runtime| {
        let result = runtime.block_on(game);
        runtime.shutdown_timeout(LAST);
        result
    });
    if json {
        // If the output is closed, nobody reads this either.
        let _ = json::write_end(&mut stdout(), result.as_ref().err());
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // What is written on the screen is lost with it.
            guard::give_back();
            // A closed pipe is not reported: the program that reads it has seen enough.
            if !matches!(&failure, Failure::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe) {
                // Nobody may read it, which does not change the exit code.
                let _ = writeln!(stderr(), "nim-client: {failure}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
