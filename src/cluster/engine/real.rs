//! A real etcd of one server for a test, on free ports of this machine, in a folder that goes with it.

use std::io;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::certificates::{new_certificates, tls_of};
use super::etcd::{Etcd, EtcdOptions};
use super::not_checked::not_checked;
use super::{Engine, Key, Range, Revision};

/// How long it may take until it answers.
const START_DEADLINE: Duration = Duration::from_secs(30);

/// A running etcd. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct RealEtcd {
    process: Child,
    arguments: Vec<String>,
    address: String,
    folder: TempDir,
}

impl RealEtcd {
    /// Starts one, with the flags that a cluster is run with. `None` if there is no program `etcd`: that is
    /// said on stderr, and is a failure where CI=true.
    pub(crate) async fn start(test: &str) -> Option<Self> {
        Self::start_with_flags(test, &[]).await
    }

    /// The same with more flags.
    pub(crate) async fn start_with_flags(test: &str, flags: &[&str]) -> Option<Self> {
        Self::start_in(test, tempfile::tempdir().unwrap(), "http", flags).await
    }

    /// The same with certificates, which it asks of its clients too.
    pub(crate) async fn start_with_tls(test: &str) -> Option<Self> {
        Self::start_in(test, new_certificates(test)?, "https", &[]).await
    }

    async fn start_in(test: &str, folder: TempDir, scheme: &str, others: &[&str]) -> Option<Self> {
        let [client, peer] = free_ports().map(|port| format!("127.0.0.1:{port}"));
        let (client, peer) = (format!("{scheme}://{client}"), format!("http://{peer}"));
        let cluster = format!("a={peer}");
        let [place, authority, certificate, key] = ["data", "ca.pem", "node.pem", "node.key"]
            .map(|name| folder.path().join(name).display().to_string());
        let flags = [
            ["--data-dir", &place],
            ["--name", "a"],
            ["--initial-cluster", &cluster],
            ["--listen-client-urls", &client],
            ["--advertise-client-urls", &client],
            ["--listen-peer-urls", &peer],
            ["--initial-advertise-peer-urls", &peer],
            ["--heartbeat-interval", "50"],
            ["--election-timeout", "500"],
            ["--logger", "zap"],
        ];
        let certificates =
            [["--trusted-ca-file", &authority], ["--cert-file", &certificate], ["--key-file", &key]];
        let tls = [certificates.as_flattened(), &["--client-cert-auth"]].concat();
        let more = if scheme == "https" { &tls[..] } else { &[] };
        // No test takes the power away, and on some machines each write to the disk takes 70 ms.
        let words = flags.as_flattened().iter().chain(&["--unsafe-no-fsync"]).chain(more).chain(others);
        let arguments: Vec<String> = words.map(|word| (*word).into()).collect();
        let process = match spawn(&arguments) {
            Ok(process) => process,
            Err(error) => {
                not_checked(test, "etcd", &error);
                return None;
            }
        };
        let started = Self { process, arguments, address: client, folder };
        started.wait().await;
        Some(started)
    }

    /// Ends it at once, and starts it again with what it has recorded.
    pub(crate) async fn crash_and_restart(&mut self) {
        self.kill();
        self.process = spawn(&self.arguments).unwrap();
        self.wait().await;
    }

    /// A way to it, with keys of its own.
    pub(crate) fn engine(&self, namespace: &str) -> Etcd {
        Etcd::new(self.options(namespace))
    }

    /// How it is reached.
    pub(crate) fn options(&self, namespace: &str) -> EtcdOptions {
        let (endpoints, namespace) = (vec![self.address.clone()], format!("{namespace}/"));
        EtcdOptions { endpoints, namespace, login: None, tls: tls_of(self.folder.path()) }
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

    /// Forgets all that is not there any more, and takes writes again.
    pub(crate) async fn make_room(&self) {
        let mut client = etcd_client::Client::connect([&self.address], None).await.unwrap();
        let now = client.get("none", None).await.unwrap().header().unwrap().revision();
        let physically = etcd_client::CompactionOptions::new().with_physical();
        client.compact(now, Some(physically)).await.unwrap();
        client.defragment().await.unwrap();
        let (disarm, full) = (etcd_client::AlarmAction::Deactivate, etcd_client::AlarmType::Nospace);
        for alarm in client.alarm(etcd_client::AlarmAction::Get, full, None).await.unwrap().alarms() {
            let mut of = etcd_client::AlarmOptions::new();
            of.with_member(alarm.member_id());
            client.alarm(disarm, full, Some(of)).await.unwrap();
        }
    }

    /// Lets only this user in from now on, who may do everything.
    pub(crate) async fn require_login(&self, user: &str, password: &str) {
        let mut client = etcd_client::Client::connect([&self.address], None).await.unwrap();
        client.user_add(user, password, None).await.unwrap();
        client.user_grant_role(user, "root").await.unwrap();
        client.auth_enable().await.unwrap();
    }

    /// Adds a user who may log in, and may read and write nothing.
    pub(crate) async fn add_user_who_may_not_read(&self, user: &str, password: &str) {
        let mut client = etcd_client::Client::connect([&self.address], None).await.unwrap();
        client.user_add(user, password, None).await.unwrap();
    }

    async fn wait(&self) {
        let answers = async {
            while self.engine("start").range(Range::key(Key::from("none"))).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(START_DEADLINE, answers).await.expect("etcd answers");
    }

    fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for RealEtcd {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(arguments: &[String]) -> io::Result<Child> {
    let quiet = Stdio::null;
    Command::new("etcd").args(arguments).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()
}

/// Two ports that nobody listens on. Both are held until both are known.
fn free_ports() -> [u16; 2] {
    let held = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}
