//! Flags that say how etcd is reached, for the host of a node and for the commands that look at a cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use nim::cluster::engine::Engine;
use nim::cluster::engine::etcd::{Etcd, EtcdOptions, Login, Tls};

/// How etcd is reached, apart from its addresses.
#[derive(Debug, Args)]
pub(crate) struct EtcdFlags {
    /// What stands before all keys in etcd, so that others can use the same etcd
    #[arg(long, env = "NIM_CLUSTER_NAMESPACE", value_name = "TEXT", default_value = "nim/")]
    cluster_namespace: String,

    /// The certificate of the authority of etcd's servers, for https addresses
    #[arg(long, env = "NIM_ETCD_CA", value_name = "FILE")]
    etcd_ca: Option<PathBuf>,

    /// The certificate of this node, where etcd asks for one
    #[arg(long, env = "NIM_ETCD_CERT", value_name = "FILE", requires_all = ["etcd_ca", "etcd_key"])]
    etcd_cert: Option<PathBuf>,

    /// The key of this certificate
    #[arg(long, env = "NIM_ETCD_KEY", value_name = "FILE", requires = "etcd_cert")]
    etcd_key: Option<PathBuf>,

    /// The user of etcd, where etcd asks for one
    #[arg(long, env = "NIM_ETCD_USER", value_name = "NAME", requires = "etcd_password_file")]
    etcd_user: Option<String>,

    /// The file with the password of this user, in one line
    #[arg(long, env = "NIM_ETCD_PASSWORD_FILE", value_name = "FILE", requires = "etcd_user")]
    etcd_password_file: Option<PathBuf>,
}

/// The cluster that a command looks at, if it looks at one. It has to be typed: on the machine of a node the
/// environment names it for the host.
#[derive(Debug, Args)]
pub(crate) struct ClusterPlace {
    /// Look at the whole cluster that keeps all games in this etcd: the addresses of its servers, as in
    /// http://10.0.0.1:2379,http://10.0.0.2:2379
    #[arg(long, value_name = "URL", value_delimiter = ',', value_parser = endpoint)]
    cluster: Vec<String>,

    #[command(flatten)]
    etcd: EtcdFlags,
}

/// Reads the address of a server of etcd.
pub(crate) fn endpoint(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    match rest {
        Some(rest) if !rest.is_empty() && rest.chars().all(|char| char.is_ascii_graphic()) => Ok(text.into()),
        _ => Err("write addresses as in http://10.0.0.1:2379, or https://… with --etcd-ca".into()),
    }
}

impl EtcdFlags {
    /// Fails if flags contradict these addresses.
    pub(crate) fn check(&self, cluster: &[String]) -> Result<(), String> {
        let is_secure = |url: &String| url.starts_with("https://");
        if self.etcd_ca.is_none() && cluster.iter().any(is_secure) {
            return Err("an https address of etcd needs --etcd-ca FILE".into());
        }
        if self.etcd_ca.is_some() && !cluster.iter().all(is_secure) {
            return Err("with --etcd-ca, all addresses of etcd begin with https://".into());
        }
        Ok(())
    }

    /// Fails if there are flags for etcd where it is not used.
    pub(crate) fn check_unused(&self) -> Result<(), String> {
        let named = [("--etcd-ca", self.etcd_ca.is_some()), ("--etcd-user", self.etcd_user.is_some())];
        match named.into_iter().find(|(_, is_named)| *is_named) {
            Some((flag, _)) => Err(format!("{flag} is for a node of a cluster: add --cluster URL")),
            None => Ok(()),
        }
    }

    /// How etcd is reached at these addresses.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub(crate) fn options(&self, cluster: &[String]) -> anyhow::Result<EtcdOptions> {
        Ok(EtcdOptions {
            endpoints: cluster.to_vec(),
            namespace: self.cluster_namespace.clone(),
            login: self.login()?,
            tls: self.tls()?,
        })
    }

    fn login(&self) -> anyhow::Result<Option<Login>> {
        let (Some(user), Some(file)) = (&self.etcd_user, &self.etcd_password_file) else { return Ok(None) };
        let password =
            fs::read_to_string(file).with_context(|| format!("--etcd-password-file {}", file.display()))?;
        let password = password.trim_end_matches(['\r', '\n']);
        if password.is_empty() || password.contains('\n') {
            bail!("--etcd-password-file {}: the file is to have one line, the password", file.display());
        }
        Ok(Some(Login { user: user.clone(), password: password.into() }))
    }

    fn tls(&self) -> anyhow::Result<Option<Tls>> {
        let Some(authority) = &self.etcd_ca else { return Ok(None) };
        let identity = match (&self.etcd_cert, &self.etcd_key) {
            (Some(certificate), Some(key)) => {
                Some((read("--etcd-cert", certificate)?, read_key("--etcd-key", key)?))
            }
            _ => None,
        };
        Ok(Some(Tls { authority: read("--etcd-ca", authority)?, identity }))
    }
}

/// Reads the file of this flag.
pub(crate) fn read(flag: &str, file: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("{flag} {}", file.display()))
}

/// Reads a key. The log says so if every user of this machine can do that.
pub(crate) fn read_key(flag: &str, file: &Path) -> anyhow::Result<Vec<u8>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let is_open = |about: fs::Metadata| about.permissions().mode() & 0o004 != 0;
        if fs::metadata(file).is_ok_and(is_open) {
            let file = file.display();
            tracing::warn!("every user of this machine can read the key of {flag}: chmod o= '{file}'");
        }
    }
    read(flag, file)
}

impl ClusterPlace {
    /// Whether a cluster is looked at.
    pub(crate) fn is_on(&self) -> bool {
        !self.cluster.is_empty()
    }

    /// Works with etcd until that is done.
    ///
    /// # Errors
    ///
    /// If the flags contradict each other, or a file cannot be read.
    pub(crate) fn work<T>(
        &self,
        work: impl AsyncFnOnce(EtcdOptions, Arc<dyn Engine>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.etcd.check(&self.cluster).map_err(|why| anyhow!(why))?;
        let options = self.etcd.options(&self.cluster)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("the system has no means to begin")?;
        runtime.block_on(async { work(options.clone(), Arc::new(Etcd::new(options))).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_etcd_are_understood_or_refused() {
        assert!(endpoint("https://10.0.0.1:2379").is_ok());
        for bad in ["10.0.0.1:2379", "http://", "ftp://a", "http://a b"] {
            assert!(endpoint(bad).is_err(), "{bad}");
        }
    }
}
