//! What the parts share: numbers from the environment, and a cluster that has come to rest.

use crate::programs::Cluster;
use crate::smoke;

/// A number from the environment.
pub(super) fn number(name: &str, few: usize, all: usize) -> usize {
    let given = std::env::var(name).ok().and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| smoke::all_or(few, all))
}

/// A cluster in which no slot moves any more: a client whose lobby moved would be sent away. `None` without etcd.
pub(super) async fn settled(nodes: usize) -> Option<Cluster> {
    let cluster = Cluster::start(nodes).await?;
    cluster.until_settled().await;
    Some(cluster)
}
