//! A real etcd of one server for a test, on free ports of this machine, in a folder that goes with it.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::etcd::{Etcd, EtcdOptions};
use super::{Engine, Key, Range, Revision};

/// How long it may take until it answers.
const START_DEADLINE: Duration = Duration::from_secs(30);

/// A running etcd. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct RealEtcd {
    process: Child,
    address: String,
    _folder: TempDir,
}

impl RealEtcd {
    /// Starts one, with the flags that a cluster is run with. `None` if there is no program `etcd`: that is
    /// said on stderr, and is a failure where CI=true.
    pub(crate) async fn start(test: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let [client, peer] = free_ports().map(|port| format!("http://127.0.0.1:{port}"));
        let command = Command::new("etcd")
            .arg("--data-dir")
            .arg(folder.path())
            .args(["--name", "a", "--initial-cluster", &format!("a={peer}")])
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--heartbeat-interval", "50", "--election-timeout", "500", "--logger", "zap"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let process = match command {
            Ok(process) => process,
            Err(error) => {
                eprintln!("\n== NOT CHECKED: {test}, since etcd cannot be started: {error}");
                assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "etcd is missing");
                return None;
            }
        };
        let started = Self { process, address: client, _folder: folder };
        started.wait().await;
        Some(started)
    }

    /// A way to it, with keys of its own.
    pub(crate) fn engine(&self, namespace: &str) -> Etcd {
        Etcd::new(EtcdOptions {
            endpoints: vec![self.address.clone()],
            namespace: format!("{namespace}/"),
            ..EtcdOptions::default()
        })
    }

    /// Its address, as `http://127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Forgets everything before this revision.
    pub(crate) async fn compact(&self, to: Revision) {
        let mut client = etcd_client::Client::connect([&self.address], None).await.unwrap();
        client.compact(i64::try_from(to.0).unwrap(), None).await.unwrap();
    }

    async fn wait(&self) {
        let engine = self.engine("start");
        let answers = async {
            while engine.range(Range::key(Key::from("none"))).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(START_DEADLINE, answers).await.expect("etcd answers");
    }
}

impl Drop for RealEtcd {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Two ports that nobody listens on. Both are held until both are known.
fn free_ports() -> [u16; 2] {
    let held = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}
