//! Where a server's admin socket is.

use std::env;
use std::path::{Path, PathBuf};

/// The name of the socket in a data folder.
const IN_FOLDER: &str = "admin.sock";

/// The variable with the folder of sockets and such files of a logged-in user.
const RUNTIME: &str = "XDG_RUNTIME_DIR";

/// Where a server's admin socket is, for the server and for the programs that ask it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminPlace {
    /// The path of the socket.
    pub socket: PathBuf,
}

/// A server without a data folder has no admin socket, since the user has no folder for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a server without a data folder has its admin socket in the folder {RUNTIME}, and there is none: set it, or use --data"
)]
pub struct NoPlace;

impl AdminPlace {
    /// That of a server with this data folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self { socket: folder.join(IN_FOLDER) }
    }

    /// That of a server that keeps nothing and listens on this port, in the user's folder for such files.
    pub fn of_port(port: u16) -> Result<Self, NoPlace> {
        let folder = env::var_os(RUNTIME).map(PathBuf::from);
        let folder = folder.filter(|folder| folder.is_absolute() && folder.is_dir()).ok_or(NoPlace)?;
        Ok(Self { socket: folder.join(format!("nim-server-{port}.sock")) })
    }
}
