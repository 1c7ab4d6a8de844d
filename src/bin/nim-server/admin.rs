//! `nim-server admin`: what the host asks of the running server.

mod who;

use anyhow::bail;
use clap::{Args, Subcommand};
use nim::cli::after_help;
use nim::game::notation::printable;
use nim::server::admin::{AdminAnswer, AdminRequest, Target};

use crate::examples;
use crate::place::PlaceFlags;
use crate::values::say;

/// Which server is asked, and what.
#[derive(Debug, Args)]
pub(crate) struct Admin {
    #[command(flatten)]
    place: PlaceFlags,
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Show who is connected, from which addresses, and the lobbies
    #[command(after_help = after_help(&[], examples::WHO))]
    Who,
    /// Close a connection, or all connections of an address; seats are kept as after any lost connection
    #[command(after_help = after_help(&[], examples::KICK))]
    Kick {
        /// The number of a connection, or an address
        #[arg(value_name = "CONNECTION|ADDRESS")]
        target: Target,
    },
}

impl Admin {
    /// Asks the server and prints its answer.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.place.ask(&self.act.request())? {
            AdminAnswer::Who(who) => who::lines(&who).iter().try_for_each(|line| say(&visible(line))),
            AdminAnswer::Done(words) => say(&format!("{}.", visible(&words))),
            AdminAnswer::Refused(why) => bail!("{}", visible(&why)),
            AdminAnswer::Status(_) => bail!("the server answered another question"),
        }
    }
}

impl Act {
    fn request(self) -> AdminRequest {
        match self {
            Self::Who => AdminRequest::Who,
            Self::Kick { target } => AdminRequest::Kick { target },
        }
    }
}

/// The text without characters that control a terminal: it has names that strangers chose.
fn visible(text: &str) -> String {
    printable(text).collect()
}
