//! `nim-server status`: a report of the running server, or of a whole cluster.

use anyhow::bail;
use clap::Args;
use nim::game::notation::printable;
use nim::server::admin::{AdminAnswer, AdminRequest};

use crate::place::PlaceFlags;
use crate::values::say;

#[cfg(feature = "cluster")]
mod cluster_report;
mod report;

/// The server to ask.
#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    place: PlaceFlags,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    cluster: crate::etcd::ClusterPlace,
}

impl Status {
    /// Asks the server, or the cluster, and prints its report.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        #[cfg(feature = "cluster")]
        if self.cluster.is_on() {
            return self.cluster.work(cluster_report::show);
        }
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
