//! The host's program: flags, then a server that runs until it is stopped.

mod admin;
mod announcing;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "cluster")]
mod cluster_check;
#[cfg(feature = "cluster")]
mod cluster_host;
mod data;
mod descriptors;
#[cfg(feature = "cluster")]
mod etcd;
mod examples;
mod host;
mod log_fields;
mod log_limit;
mod logging;
mod pinned;
mod place;
mod qr;
mod signals;
mod start_screen;
mod status;
mod values;
mod web;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use host::HostFlags;
use nim::cli::completions::{self, Completions};
use nim::cli::manual::Manual;
use nim::cli::{self, after_help};
use values::{complain, name_variable};

/// The exit codes, for the help text.
const EXIT_CODES: &str = "\
Exit codes:
  0    the server was stopped, by Ctrl-C or by the system
  1    the server could not start, because the port is in use, for instance, or it has failed
  2    the command line or the environment is wrong
  3    the check or the backup found damage
  130  a second Ctrl-C stopped the server at once";

/// The exit code where the journal is damaged.
const UNSOUND: u8 = 3;

/// Host games of Nim for everyone on your network.
///
/// The first line on standard output is `listening on ADDRESS:PORT`; the next lines are the addresses to open in
/// a browser, and the commands to type on other machines. Logs go to standard error; `RUST_LOG` sets their level
/// (default: info). On a terminal the address, its QR code and the command stay at the bottom of the window, and
/// the log scrolls above them.
#[derive(Debug, Parser)]
#[command(name = "nim-server", version, args_conflicts_with_subcommands = true, after_help = after_help(&[EXIT_CODES], examples::PROGRAM))]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    host: HostFlags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Host games; the default command
    #[command(after_help = after_help(&[EXIT_CODES], examples::HOST))]
    Host(Box<HostFlags>),
    /// Verify the journal; the exit code is 3 if anything is wrong
    #[command(after_help = after_help(&[EXIT_CODES], examples::CHECK))]
    Check(data::CheckFlags),
    /// Copy the journal, even while games go on; the exit code is 3 if damaged rows were left out
    #[command(after_help = after_help(&[EXIT_CODES], examples::BACKUP))]
    Backup(data::Backup),
    /// Ask the running server on this machine who is connected, or act as its host
    #[command(after_help = after_help(&[], examples::ADMIN))]
    Admin(admin::Admin),
    /// Show the state of the server on this machine
    #[command(after_help = after_help(&[], examples::STATUS))]
    Status(status::Status),
    /// Write the completion script of a shell
    #[command(after_help = after_help(&[&cli::completions::installing("nim-server")], examples::COMPLETIONS))]
    Completions(Completions),
    /// Write this help as manual pages
    #[command(after_help = after_help(&[&cli::manual::installing("nim-server")], examples::MAN))]
    Man(Manual),
}

fn main() -> ExitCode {
    completions::answer(Cli::command);
    let cli = Cli::try_parse().unwrap_or_else(|error| name_variable(error, &Cli::command()).exit());
    let done = match cli.command.unwrap_or_else(|| Command::Host(Box::new(cli.host))) {
        Command::Host(flags) => host(flags).map(|()| ExitCode::SUCCESS),
        Command::Check(check) => check.run().map(soundness),
        Command::Backup(backup) => backup.run().map(soundness),
        Command::Admin(admin) => admin.run().map(|()| ExitCode::SUCCESS),
        Command::Status(status) => status.run().map(|()| ExitCode::SUCCESS),
        Command::Completions(completions) => completions.write(&Cli::command()).map(|()| ExitCode::SUCCESS),
        Command::Man(manual) => manual.write(Cli::command()).map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            complain(&format!("nim-server: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// The exit code of a command that verifies the journal.
fn soundness(is_sound: bool) -> ExitCode {
    if is_sound { ExitCode::SUCCESS } else { UNSOUND.into() }
}

/// Runs a host. Ends the program if flags or `RUST_LOG` are wrong.
fn host(host: Box<HostFlags>) -> anyhow::Result<()> {
    let checked = host.check().and_then(|()| logging::filter());
    let log = checked.unwrap_or_else(|why| Cli::command().error(ErrorKind::InvalidValue, why).exit());
    #[cfg(feature = "cluster")]
    if host.cluster.is_on() {
        return host.run(log, cluster_host::serve);
    }
    host.run(log, host::serve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_ends_with_examples_that_can_be_typed() {
        nim::cli::check_examples(&Cli::command());
    }
}
