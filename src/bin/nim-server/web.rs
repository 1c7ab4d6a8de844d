//! The web site of this server: whether there is one, and the names to which it answers.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use nim::lan;
use nim::server::Server;
use nim::web::{HostName, Origin, Site};

use crate::start_screen::Offered;
use crate::values::yes_or_no;

/// The flags of the web site.
#[derive(Debug, Clone, Args)]
pub(crate) struct WebFlags {
    /// Serve no web site: who opens this server's address in a browser is told how to play in a terminal
    #[arg(long, env = "NIM_NO_WEB", value_parser = yes_or_no)]
    no_web: bool,

    /// A name of this machine under which browsers may open the web site, besides its addresses and its own name
    #[arg(long, env = "NIM_WEB_HOST", value_name = "NAME", value_delimiter = ',')]
    web_host: Vec<HostName>,

    /// The origin of pages that may use the API at /api: a scheme, a host and perhaps a port
    #[arg(long, env = "NIM_WEB_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    web_origin: Vec<Origin>,

    /// Show no QR code of the web site's address on the terminal
    #[arg(long, env = "NIM_NO_QR", value_parser = yes_or_no)]
    no_qr: bool,
}

impl WebFlags {
    /// What a server at this address offers.
    pub(crate) fn offered(&self, bound: SocketAddr) -> Offered {
        Offered { bound, has_web: !self.no_web, has_qr: !self.no_qr }
    }

    /// Serves the web site of a server at this address, unless that is turned off.
    pub(crate) fn serve(&self, server: &Server, bound: SocketAddr) {
        if self.no_web {
            return;
        }
        let machine = whoami::hostname().unwrap_or_default();
        let own = machine.split('.').next().filter(|name| !name.is_empty());
        let own =
            own.into_iter().flat_map(|name| [name.to_owned(), format!("{name}.local"), machine.clone()]);
        let names: Vec<String> = own.chain(self.web_host.iter().map(HostName::to_string)).collect();
        let origins = self.web_origin.clone();
        let elsewhere = lan::reachable(bound).first().copied();
        server.serve_web(|entrance| Arc::new(Site::new(entrance, names, origins).reached_at(elsewhere)));
    }
}
