//! `nim-server status`: a report of the running server.

use anyhow::bail;
use clap::Args;
use nim::game::notation::printable;
use nim::server::admin::{AdminAnswer, AdminRequest};

use crate::place::PlaceFlags;
use crate::values::say;

mod report;

/// The server to ask.
#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    place: PlaceFlags,
}

impl Status {
    /// Asks the server and prints its report.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self.place.ask(&AdminRequest::Status)? {
            AdminAnswer::Status(status) => {
                let lines = report::lines(&status)?;
                lines.iter().try_for_each(|line| say(&printable(line).collect::<String>()))
            }
            AdminAnswer::Refused(why) => bail!("{}", printable(&why).collect::<String>()),
            _ => bail!("the server answered another question"),
        }
    }
}
