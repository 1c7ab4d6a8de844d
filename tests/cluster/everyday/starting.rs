//! Nodes that cannot join: they say why, and end.

use std::sync::Arc;

use super::client;
use crate::programs::Cluster;

pub(super) async fn a_second_node_of_a_name_says_so_and_ends(cluster: Arc<Cluster>) {
    let flags = [("--cluster", &*cluster.endpoints()), ("--node-name", "B")];
    let (code, words) = cluster.node_ends(&flags).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("another node of the cluster is called B and is alive"), "{words}");
    assert!(words.contains("--node-name"), "it says what to do: {words}");
    // The first one does not notice.
    client(&cluster, 1, "anna").await.create("java-tech:21").await;
}

pub(super) async fn a_node_that_does_not_reach_etcd_says_so_and_ends(cluster: Arc<Cluster>) {
    // Nothing listens there.
    let flags = [("--cluster", "http://127.0.0.1:9"), ("--node-name", "D")];
    let (code, words) = cluster.node_ends(&flags).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("etcd") && words.contains("127.0.0.1:9"), "{words}");
}
