//! The connection to one of etcd's servers at a time. Where one does not answer, the next one is asked.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use etcd_client::{Client, GetOptions};
use parking_lot::Mutex;

use super::deadlines::CALL_DEADLINE;
use super::options::EtcdOptions;
use super::translate;
use crate::cluster::engine::EngineError;
use crate::cluster::keys;

/// The connection to the present server.
#[derive(Debug)]
pub(super) struct Connection {
    options: EtcdOptions,
    /// The number of etcd's cluster, once a server has said it.
    cluster: Arc<OnceLock<u64>>,
    present: Mutex<Present>,
}

#[derive(Default)]
struct Present {
    turn: Turn,
    client: Option<Client>,
    /// Whether it has said that it is of our cluster.
    is_checked: bool,
}

impl std::fmt::Debug for Present {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Present").field("turn", &self.turn).finish_non_exhaustive()
    }
}

/// Who may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whom {
    /// A server that has said by a read that it is of our cluster. Reads wait while the server's disk does.
    OurCluster,
    /// Any server, for what only our cluster grants.
    AnyCluster,
}

/// How often the server was changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Turn(usize);

impl Connection {
    pub(super) fn new(options: EtcdOptions, cluster: Arc<OnceLock<u64>>) -> Self {
        Self { options, cluster, present: Mutex::default() }
    }

    /// How many servers there are.
    pub(super) fn servers(&self) -> usize {
        self.options.endpoints.len()
    }

    /// The client of the present server. Servers of another cluster are passed over: only where all of them are of another
    /// one, that is the error.
    pub(super) async fn client(&self) -> Result<(Turn, Client), EngineError> {
        let mut left = self.servers();
        loop {
            left = left.saturating_sub(1);
            match self.checked().await {
                Err(EngineError::OtherCluster(_)) if left > 0 => {}
                client => return client,
            }
        }
    }

    /// The client of the present server, which has said that it is of our cluster.
    async fn checked(&self) -> Result<(Turn, Client), EngineError> {
        let (turn, client) = self.connected().await?;
        if self.is_checked(turn) {
            return Ok((turn, client));
        }
        let checked = tokio::time::timeout(CALL_DEADLINE, self.check(turn, client.clone())).await;
        match checked.unwrap_or_else(|_| Err(EngineError::silent_for(CALL_DEADLINE))) {
            Ok(()) => {
                let mut present = self.present.lock();
                present.is_checked |= present.turn == turn;
                Ok((turn, client))
            }
            Err(error) => {
                self.give_up(turn);
                Err(error)
            }
        }
    }

    fn is_checked(&self, turn: Turn) -> bool {
        let present = self.present.lock();
        present.turn == turn && present.is_checked
    }

    /// The client of the present server, which is connected to if it is not yet. It may be of another cluster.
    async fn connected(&self) -> Result<(Turn, Client), EngineError> {
        let turn = {
            let present = self.present.lock();
            if let Some(client) = &present.client {
                return Ok((present.turn, client.clone()));
            }
            present.turn
        };
        match self.connect(turn).await {
            Ok(client) => {
                let mut present = self.present.lock();
                if present.turn == turn {
                    present.client = Some(client.clone());
                }
                Ok((turn, client))
            }
            Err(error) => {
                self.give_up(turn);
                Err(error)
            }
        }
    }

    /// Asks the next server from now on, unless another call has seen to that.
    pub(super) fn give_up(&self, turn: Turn) {
        let mut present = self.present.lock();
        if present.turn == turn {
            *present = Present { turn: Turn(turn.0.wrapping_add(1)), ..Present::default() };
        }
    }

    /// Asks the present server, and gives it up if it does not answer.
    pub(super) async fn ask<T, F: Future<Output = Result<T, etcd_client::Error>>>(
        &self,
        whom: Whom,
        deadline: Duration,
        call: impl FnOnce(Client) -> F,
    ) -> Result<T, EngineError> {
        let (turn, client) = match whom {
            Whom::OurCluster => self.client().await?,
            Whom::AnyCluster => self.connected().await?,
        };
        let error = match tokio::time::timeout(deadline, call(client)).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => translate::error(&error),
            Err(_) => EngineError::silent_for(deadline),
        };
        if error.is_in_doubt() {
            self.give_up(turn);
        }
        Err(error)
    }

    fn endpoint(&self, turn: Turn) -> Option<&String> {
        self.options.endpoints.get(turn.0 % self.servers().max(1))
    }

    async fn connect(&self, turn: Turn) -> Result<Client, EngineError> {
        let Some(endpoint) = self.endpoint(turn) else {
            return Err(EngineError::Refused("no server of etcd is named".into()));
        };
        let connecting = Client::connect([endpoint], Some(self.options.to_connect()));
        match tokio::time::timeout(CALL_DEADLINE, connecting).await {
            Ok(connected) => connected.map_err(|error| translate::error(&error)),
            Err(_) => Err(EngineError::silent_for(CALL_DEADLINE)),
        }
    }

    /// Asks a server of which cluster it is.
    async fn check(&self, turn: Turn, mut client: Client) -> Result<(), EngineError> {
        // Any key will do, whether it is there or not, and however old: where etcd has no leader, other reads wait.
        let key = format!("{}{}", self.options.namespace, keys::FORMAT);
        let at_once = GetOptions::new().with_serializable();
        let answer = client.get(key, Some(at_once)).await.map_err(|error| translate::error(&error))?;
        let found = answer.header().map_or(0, etcd_client::ResponseHeader::cluster_id);
        if *self.cluster.get_or_init(|| found) == found {
            return Ok(());
        }
        let endpoint = self.endpoint(turn).cloned().unwrap_or_default();
        tracing::warn!(
            "etcd at {endpoint} is of another cluster than the first that answered: it is asked nothing"
        );
        Err(EngineError::OtherCluster(endpoint))
    }
}
