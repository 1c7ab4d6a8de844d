//! Codes: no two lobbies have the same, and each is found from every node.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;
use nim::lobby::Code;

use super::client;
use crate::harness::TestClient;
use crate::programs::Cluster;

/// How many lobbies each node opens.
const LOBBIES: usize = 100;

async fn opens(cluster: &Cluster, node: usize, number: usize) -> (TestClient, Code) {
    let mut opener = client(cluster, node, &format!("opener {node} {number}")).await;
    let code = opener.create("take:3:1").await;
    (opener, code)
}

pub(super) async fn lobbies_of_all_nodes_have_different_codes_and_are_found_from_each(cluster: Arc<Cluster>) {
    let all = (0..3).flat_map(|node| (0..LOBBIES).map(move |number| (node, number)));
    let opened = join_all(all.map(|(node, number)| opens(&cluster, node, number))).await;
    let codes: BTreeSet<Code> = opened.iter().map(|(_, code)| *code).collect();
    assert_eq!(codes.len(), 3 * LOBBIES);
    let finders = (0..3).map(|node| {
        let (cluster, codes) = (&cluster, &codes);
        async move {
            let mut finder = client(cluster, node, "finder").await;
            for code in codes {
                finder.watch(*code).await;
                finder.leave().await;
            }
        }
    });
    join_all(finders).await;
}
