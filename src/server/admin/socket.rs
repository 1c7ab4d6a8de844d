//! The admin socket: a Unix socket that only the server's own user may use, with one request and one answer
//! for each connection to it.

use std::fs::{self, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{sleep, timeout};

use super::message::{AdminAnswer, AdminRequest, MAX_ANSWER, MAX_REQUEST};
use super::spreading::carry_out_everywhere;
use crate::server::app::App;

/// How long one request may take in all. The next one waits for it.
const DEADLINE: Duration = Duration::from_secs(5);

/// How long to wait after `accept` has failed, for instance because descriptors ran out.
const PAUSE: Duration = Duration::from_millis(100);

/// The socket of a running server. Its file is removed on drop.
#[derive(Debug)]
pub(in crate::server) struct AdminSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl AdminSocket {
    /// Binds this path, in place of a socket of a server that runs no more.
    ///
    /// The socket is made in a folder of its own, which only this user may enter (mode 0700), gets mode 0600
    /// there, and is then renamed. So it never has wider rights at a place that others may reach, whatever
    /// the umask and the rights of its folder are.
    pub(in crate::server) fn bind(path: &Path) -> io::Result<Self> {
        if BlockingStream::connect(path).is_ok() {
            return Err(io::Error::new(ErrorKind::AddrInUse, "another server answers there"));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        // The path in it is not longer than the socket's: `/.aXXXXXX/s` and `/admin.sock`.
        let private = tempfile::Builder::new()
            .prefix(".a")
            .rand_bytes(6)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(folder)?;
        let made = private.path().join("s");
        let listener = UnixListener::bind(&made).map_err(|error| match error.kind() {
            ErrorKind::InvalidInput => io::Error::new(
                ErrorKind::InvalidInput,
                "its path is longer than the 107 bytes of a local socket",
            ),
            _ => error,
        })?;
        fs::set_permissions(&made, Permissions::from_mode(0o600))?;
        fs::rename(&made, path)?;
        Ok(Self { listener, path: path.into() })
    }

    /// Answers requests, one after the other. Never returns.
    pub(in crate::server) async fn serve(&self, app: &Arc<App>) {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            match timeout(DEADLINE, talk(stream, app)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "a request over the admin socket failed"),
                Err(_) => tracing::debug!("a request over the admin socket took too long"),
            }
        }
    }
}

impl Drop for AdminSocket {
    fn drop(&mut self) {
        // If this fails, the next server replaces it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Reads one request and has it answered.
async fn talk(stream: UnixStream, app: &Arc<App>) -> io::Result<()> {
    let (reading, writing) = stream.into_split();
    let mut line = Vec::new();
    tokio::io::BufReader::new(reading.take(MAX_REQUEST)).read_until(b'\n', &mut line).await?;
    // A server that stops meanwhile waits for this task.
    let answered = app.sessions.spawn(answer(line, writing, Arc::clone(app)));
    answered.await.map_err(io::Error::other)?
}

/// Answers one request.
async fn answer(line: Vec<u8>, mut writing: OwnedWriteHalf, app: Arc<App>) -> io::Result<()> {
    let answer = match serde_json::from_slice::<AdminRequest>(&line) {
        Ok(request) => carry_out_everywhere(&app, request).await?,
        Err(_) if line.len() as u64 == MAX_REQUEST => {
            AdminAnswer::Refused(format!("a request has at most {MAX_REQUEST} bytes: use fewer words"))
        }
        Err(error) => AdminAnswer::Refused(format!("this server does not know that request: {error}")),
    };
    let mut bytes = serde_json::to_vec(&answer)?;
    bytes.push(b'\n');
    writing.write_all(&bytes).await
}

/// Asks the server that has this socket. The error has the kind [`NotFound`](ErrorKind::NotFound) or
/// [`ConnectionRefused`](ErrorKind::ConnectionRefused) if no server runs there.
pub fn ask(socket: &Path, request: &AdminRequest) -> io::Result<AdminAnswer> {
    let mut stream = BlockingStream::connect(socket)?;
    stream.set_read_timeout(Some(2 * DEADLINE))?;
    stream.set_write_timeout(Some(DEADLINE))?;
    let mut bytes = serde_json::to_vec(request)?;
    bytes.push(b'\n');
    stream.write_all(&bytes)?;
    let mut line = Vec::new();
    BufReader::new(stream.take(MAX_ANSWER)).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::peers::fake::FakePeers;
    use crate::server::restrictions::Restriction;
    use crate::server::shared_rules::SharedRules;

    #[tokio::test]
    async fn a_request_that_is_being_carried_out_is_answered_though_the_server_stops() {
        let (folder, app) = (tempfile::tempdir().unwrap(), App::one_of_several(FakePeers::new()));
        let (path, mut rules) = (folder.path().join("s"), SharedRules::new(&app));
        let socket = AdminSocket::bind(&path).unwrap();
        let address = [10, 0, 0, 7].into();
        let ban = AdminRequest::Ban { address, seconds: None };
        let asked = tokio::task::spawn_blocking(move || ask(&path, &ban).unwrap());
        tokio::select! {
            () = socket.serve(&app) => {}
            () = rules.changed() => {}
        }
        drop(socket);
        assert!(app.restrictions.holds(Restriction::Ban, address));
        rules.note_shared(&rules.unshared().unwrap()).await;
        let banned = "10.0.0.7 is banned until that is lifted";
        assert_eq!(asked.await.unwrap(), AdminAnswer::Done(banned.into()));
    }
}
