//! How etcd is reached: addresses, name and password, certificates.

use std::fmt;

use etcd_client::{Certificate, ConnectOptions, Identity, TlsOptions};

use super::deadlines::CONNECT_DEADLINE;

/// How etcd is reached.
#[derive(Debug, Clone, Default)]
pub struct EtcdOptions {
    /// The servers of etcd, such as `http://10.0.0.1:2379`, or `https://…` with TLS. At least one.
    pub endpoints: Vec<String>,
    /// What stands before all keys, so that others can use the same etcd.
    pub namespace: String,
    /// The user, where etcd asks for one.
    pub login: Option<Login>,
    /// The certificates, where etcd is reached by TLS.
    pub tls: Option<Tls>,
}

/// A user of etcd.
#[derive(Clone)]
pub struct Login {
    /// The name.
    pub user: String,
    /// The password. No log shows it.
    pub password: String,
}

/// Certificates in PEM.
#[derive(Clone)]
pub struct Tls {
    /// Who signs the certificates of etcd's servers.
    pub authority: Vec<u8>,
    /// This node's own certificate and its key, where etcd asks for one. No log shows the key.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("has_identity", &self.identity.is_some()).finish_non_exhaustive()
    }
}

impl EtcdOptions {
    /// The same for the crate that speaks with etcd. A server that is cut off from etcd's leader says so
    /// instead of keeping silent.
    pub(super) fn to_connect(&self) -> ConnectOptions {
        let mut options = ConnectOptions::new()
            .with_connect_timeout(CONNECT_DEADLINE)
            .with_require_leader(true)
            .with_auto_token_refresh(true);
        if let Some(Login { user, password }) = &self.login {
            options = options.with_user(user, password);
        }
        if let Some(Tls { authority, identity }) = &self.tls {
            let mut tls = TlsOptions::new().ca_certificate(Certificate::from_pem(authority));
            if let Some((certificate, key)) = identity {
                tls = tls.identity(Identity::from_pem(certificate, key));
            }
            options = options.with_tls(tls);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown() {
        let login = Some(Login { user: "nim".into(), password: "hunter2".into() });
        let tls =
            Some(Tls { authority: b"hunter2".into(), identity: Some((b"c".into(), b"hunter2".into())) });
        let shown = format!("{:?}", EtcdOptions { login, tls, ..EtcdOptions::default() });
        assert!(
            shown.contains("nim") && !shown.contains("hunter2") && !shown.contains("104, 117"),
            "{shown}"
        );
    }
}
