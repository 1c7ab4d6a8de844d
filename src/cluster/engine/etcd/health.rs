//! How each of etcd's servers is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use etcd_client::Client;
use futures_util::future::join_all;
use parking_lot::Mutex;

use super::deadlines::CALL_DEADLINE;
use super::options::EtcdOptions;
use super::translate;
use crate::cluster::engine::EngineError;

/// How one of etcd's servers is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerHealth {
    /// Its address.
    pub endpoint: String,
    /// What it answers.
    pub answer: Result<Healthy, EngineError>,
}

/// What one of etcd's servers says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Healthy {
    /// How long its answer took, over a connection that was open.
    pub took: Duration,
    /// Whether it is the leader.
    pub is_leader: bool,
    /// The bytes that its database takes on disk.
    pub database: u64,
    /// Its release.
    pub release: String,
    /// The number of its cluster.
    pub cluster: u64,
}

/// Asks all of them at once how they are. One that is of another cluster than the first that answers says nothing of use.
pub async fn health(options: &EtcdOptions) -> Vec<ServerHealth> {
    let mut all = join_all(options.endpoints.iter().map(|endpoint| async {
        let asked = tokio::time::timeout(CALL_DEADLINE * 2, ask(options, endpoint)).await;
        let answer = asked.unwrap_or_else(|_| Err(EngineError::silent_for(CALL_DEADLINE * 2)));
        ServerHealth { endpoint: endpoint.clone(), answer }
    }))
    .await;
    let first = all.iter().find_map(|server| Some(server.answer.as_ref().ok()?.cluster));
    for server in &mut all {
        if server.answer.as_ref().is_ok_and(|healthy| Some(healthy.cluster) != first) {
            server.answer = Err(EngineError::OtherCluster(server.endpoint.clone()));
        }
    }
    all
}

/// Makes sure that those that answer are of one cluster.
///
/// # Errors
///
/// The first that is of another one than those before it.
pub async fn check_one_cluster(options: &EtcdOptions) -> Result<(), EngineError> {
    let errors = health(options).await.into_iter().filter_map(|server| server.answer.err());
    errors.into_iter().find(EngineError::is_of_another).map_or(Ok(()), Err)
}

async fn ask(options: &EtcdOptions, endpoint: &str) -> Result<Healthy, EngineError> {
    let failed = |error: etcd_client::Error| translate::error(&error);
    let mut client = Client::connect([endpoint], Some(options.to_connect())).await.map_err(failed)?;
    // The connection is made by the first request.
    client.status().await.map_err(failed)?;
    let asked = Instant::now();
    let status = client.status().await.map_err(failed)?;
    let own = status.header().map(etcd_client::ResponseHeader::member_id);
    let cluster = status.header().map(etcd_client::ResponseHeader::cluster_id).unwrap_or_default();
    Ok(Healthy {
        took: asked.elapsed(),
        is_leader: own == Some(status.leader()),
        database: u64::try_from(status.db_size()).unwrap_or_default(),
        release: status.version().into(),
        cluster,
    })
}

/// How often the servers are asked for the metrics.
const ASK_EVERY: Duration = Duration::from_secs(10);

/// How etcd's servers were when they were asked last, for metrics. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct SeenHealth(Arc<Mutex<Vec<ServerHealth>>>);

impl SeenHealth {
    /// Asks these servers now and then, without end. One that is of another cluster is named in the log.
    pub async fn follow(self, options: EtcdOptions) {
        loop {
            let found = health(&options).await;
            let before = std::mem::replace(&mut *self.0.lock(), found.clone());
            for server in found.iter().filter(|server| !before.contains(server)) {
                if let Err(error) = &server.answer
                    && error.is_of_another()
                {
                    tracing::error!("{error}");
                }
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    /// How many servers have answered, and the most bytes that the database of one of them takes, if any has. `None`
    /// before they were asked.
    pub fn answering(&self) -> Option<(usize, Option<u64>)> {
        let seen = self.0.lock();
        let healthy = || seen.iter().filter_map(|server| server.answer.as_ref().ok());
        let database = healthy().map(|one| one.database).max();
        (!seen.is_empty()).then(|| (healthy().count(), database))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::real::RealEtcd;

    #[tokio::test]
    async fn each_server_says_how_it_is_and_a_dead_one_does_not() {
        let Some(etcd) = RealEtcd::start("the health of etcd").await else { return };
        let dead = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let mut options = etcd.options("a");
        options.endpoints.push(format!("http://{dead}"));
        let found = health(&options).await;
        let one = found[0].answer.as_ref().unwrap();
        assert!(one.is_leader && one.database > 0 && one.release.starts_with("3."), "{one:?}");
        assert!(found[1].answer.as_ref().is_err_and(EngineError::is_in_doubt), "{:?}", found[1]);
        let seen = SeenHealth::default();
        assert_eq!(seen.answering(), None);
        *seen.0.lock() = found.clone();
        let database = found[0].answer.as_ref().unwrap().database;
        assert_eq!(seen.answering(), Some((1, Some(database))));
    }
}
