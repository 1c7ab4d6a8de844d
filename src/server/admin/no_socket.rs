//! There is no admin socket on systems without Unix sockets.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::message::{AdminAnswer, AdminRequest};
use crate::server::app::App;

/// A socket that cannot be made.
#[derive(Debug)]
pub(in crate::server) struct AdminSocket(Infallible);

impl AdminSocket {
    /// Fails.
    pub(in crate::server) fn bind(_: &Path) -> io::Result<Self> {
        Err(none())
    }

    /// Is never called.
    pub(in crate::server) async fn serve(&self, _: &Arc<App>) {
        match self.0 {}
    }
}

/// Fails.
pub fn ask(_: &Path, _: &AdminRequest) -> io::Result<AdminAnswer> {
    Err(none())
}

fn none() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this system has no Unix sockets")
}
