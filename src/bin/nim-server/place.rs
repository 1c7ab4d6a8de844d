//! Flags that say which server on this machine is asked: as that server was started.

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use nim::server::DEFAULT_PORT;
use nim::server::admin::{AdminAnswer, AdminPlace, AdminRequest, ask};

use crate::data;
use crate::values::yes_or_no;

/// Which server on this machine is asked.
#[derive(Debug, Args)]
pub(crate) struct PlaceFlags {
    /// Ask the server that records in this folder [default: where nim-server keeps its games]
    #[arg(long, env = "NIM_DATA", value_name = "DIR", conflicts_with = "memory", global = true)]
    data: Option<PathBuf>,

    /// Ask the server that records nothing, and listens on --port
    #[arg(long, env = "NIM_MEMORY", value_parser = yes_or_no, global = true)]
    memory: bool,

    #[arg(long, value_name = "PORT", global = true, help = format!("The port of a server with --memory [default: {DEFAULT_PORT}]"))]
    port: Option<u16>,
}

impl PlaceFlags {
    /// Asks the server. Fails if none runs there.
    pub(crate) fn ask(&self, request: &AdminRequest) -> anyhow::Result<AdminAnswer> {
        let (place, server) = self.place()?;
        ask(&place.socket, request).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::ConnectionRefused => anyhow!("no server runs {server}"),
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                anyhow!("the server does not answer: its process is stopped, or this machine is very busy")
            }
            _ => anyhow!(error).context(format!("the server at {} cannot be asked", place.socket.display())),
        })
    }

    /// Where the server's socket is, and a description of the server with what to do if it is not there.
    fn place(&self) -> anyhow::Result<(AdminPlace, String)> {
        if self.memory {
            let port = self.port.unwrap_or(DEFAULT_PORT);
            let words = format!("with --memory on port {port}; name its port with --port");
            return Ok((AdminPlace::of_port(port)?, words));
        }
        // Otherwise another server than the named one would be asked.
        if self.port.is_some() {
            bail!(
                "--port is for a server with --memory; name one that keeps its games by its data folder, with --data DIR"
            );
        }
        let folder = data::folder(self.data.as_deref()).context("which server is asked?")?;
        let words = format!(
            "with the data folder {}; start one with nim-server, or name its folder with --data (--memory and --port if it has none)",
            folder.display()
        );
        Ok((AdminPlace::in_folder(&folder), words))
    }
}
