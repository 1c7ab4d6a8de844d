//! Three etcds: how they are started, and how they are asked.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use nim::cluster::engine::etcd::{Etcd, EtcdOptions};
use nim::cluster::engine::{Engine, Key, Range};

use crate::ground::{Ground, Place, START_DEADLINE, ports};

/// A way to the keys of these servers of etcd.
pub(crate) fn engine_at(endpoints: Vec<String>) -> Etcd {
    Etcd::new(EtcdOptions { endpoints, namespace: "nim/".into(), login: None, tls: None })
}

/// Waits until etcd does something.
pub(crate) async fn until_answers(engine: &Etcd) {
    let answers = async {
        while engine.range(Range::key(Key::from("none"))).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(START_DEADLINE, answers).await.expect("etcd answers");
}

/// How long old versions are kept: as etcd's flags say below.
const RETENTION: Duration = Duration::from_mins(5);

/// Forgets old versions in place of etcd. A server does it only once it has run for five minutes: where each dies sooner,
/// nothing is ever forgotten, and the database grows without end.
#[derive(Default)]
pub(crate) struct Compaction {
    /// The revisions at some moments, the oldest first.
    seen: VecDeque<(Instant, i64)>,
}

impl Compaction {
    /// Forgets what is older than five minutes, as far as the revision of that time is known.
    pub(crate) async fn forget_old_versions(&mut self, endpoints: &[String]) {
        let mut client = etcd_client::Client::connect(endpoints, None).await.expect("etcd is connected to");
        let header = client.get("none", None).await.expect("etcd answers").header().cloned();
        self.seen.push_back((Instant::now(), header.expect("an answer has a header").revision()));
        let old = self.seen.partition_point(|(seen, _)| seen.elapsed() > RETENTION);
        let newest_old = self.seen.drain(..old).next_back();
        if let Some((_, revision)) = newest_old {
            client.compact(revision, None).await.expect("etcd forgets old versions");
        }
    }
}

/// A server of etcd, before it is started.
pub(crate) struct Server {
    pub(crate) place: Place,
    /// Those of `nice`, which starts it.
    pub(crate) arguments: Vec<String>,
    /// Where it is asked.
    pub(crate) endpoint: String,
}

/// Set by `.ci/cluster` where nothing is measured: etcd then does not wait for the disk. No test takes the power away, and
/// on some machines each write would take 70 ms.
const UNSYNCED: &str = "NIM_CLUSTER_UNSYNCED";

/// Three etcds that know each other, with the flags and the priority that docs/cluster.md names. Who may not set
/// priorities gets a warning of `nice` in etcd's log, and an etcd that is as any other program.
pub(crate) fn servers(ground: &mut Ground, folder: &Path) -> Vec<Server> {
    let places: Vec<(Place, [u16; 2])> = (1..=3)
        .map(|number| {
            let place = ground.place(&format!("e{number}"));
            let ports = ports(place.address);
            (place, ports)
        })
        .collect();
    let url = |place: &Place, port: u16| format!("http://{}:{port}", place.address);
    let members: Vec<String> = places
        .iter()
        .enumerate()
        .map(|(number, (place, [_, peer]))| format!("e{number}={}", url(place, *peer)))
        .collect();
    let members = members.join(",");
    let server = |(number, (place, [client, peer])): (usize, (Place, [u16; 2]))| {
        let (client, peer) = (url(&place, client), url(&place, peer));
        let data = folder.join(format!("etcd{number}"));
        let flags = [
            ("--data-dir", data.display().to_string()),
            ("--name", format!("e{number}")),
            ("--initial-cluster", members.clone()),
            ("--listen-client-urls", client.clone()),
            ("--advertise-client-urls", client.clone()),
            ("--listen-peer-urls", peer.clone()),
            ("--initial-advertise-peer-urls", peer),
            ("--heartbeat-interval", "50".into()),
            ("--election-timeout", "500".into()),
            ("--snapshot-count", "10000".into()),
            ("--auto-compaction-mode", "periodic".into()),
            ("--auto-compaction-retention", "5m".into()),
            ("--logger", "zap".into()),
        ];
        let flags = flags.into_iter().flat_map(|(flag, value)| [flag.into(), value]);
        let unsynced = std::env::var_os(UNSYNCED).map(|_| "--unsafe-no-fsync".into());
        let words = ["-n", "-10", "etcd"].map(String::from);
        let arguments = words.into_iter().chain(flags).chain(unsynced).collect();
        Server { place, arguments, endpoint: client }
    };
    places.into_iter().enumerate().map(server).collect()
}
