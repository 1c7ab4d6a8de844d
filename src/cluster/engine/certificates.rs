//! Certificates for a test, made by the program `openssl`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use tempfile::TempDir;

use super::etcd::Tls;
use super::not_checked::not_checked;

/// Makes an authority and a certificate of it for 127.0.0.1 in this folder: `ca.pem`, `node.pem` and `node.key`.
///
/// # Errors
///
/// If there is no program `openssl` of version 3, or it fails.
pub(crate) fn make_certificates(folder: &Path) -> io::Result<()> {
    let new_key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(
        folder,
        &[
            format!("req -x509 {new_key} -keyout ca.key -out ca.pem -subj /CN=authority -days 30"),
            format!(
                "req {new_key} -keyout node.key -out node.csr -subj /CN=node -addext subjectAltName=IP:127.0.0.1"
            ),
            "x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy -out node.pem -days 30"
                .into(),
        ],
    )
}

/// Runs the program with each of these lines of arguments.
fn openssl(folder: &Path, lines: &[String]) -> io::Result<()> {
    for arguments in lines {
        let quiet = Stdio::null;
        let mut openssl = Command::new("openssl");
        openssl.args(arguments.split(' ')).current_dir(folder);
        let status = openssl.stdin(quiet()).stdout(quiet()).stderr(quiet()).status()?;
        if !status.success() {
            return Err(io::Error::other(format!("openssl {arguments}: {status}")));
        }
    }
    Ok(())
}

/// The same in a new folder; `None` if they cannot be made, which is said.
pub(crate) fn new_certificates(test: &str) -> Option<TempDir> {
    let folder = tempfile::tempdir().ok()?;
    let made = make_certificates(folder.path());
    made.inspect_err(|error| not_checked(test, "openssl", error)).ok().map(|()| folder)
}

/// What a node needs of the certificates in this folder; `None` if there are none.
pub(crate) fn tls_of(folder: &Path) -> Option<Tls> {
    let read = |name: &str| fs::read(folder.join(name)).ok();
    Some(Tls { authority: read("ca.pem")?, identity: Some((read("node.pem")?, read("node.key")?)) })
}
