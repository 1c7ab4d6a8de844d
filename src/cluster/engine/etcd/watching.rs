//! A watch of etcd that survives the loss of its connection.

use std::sync::Arc;
use std::time::Duration;

use etcd_client::{WatchOptions, WatchResponse, WatchStream};
use tokio::time::{Instant, timeout};

use super::connection::Connection;
use super::deadlines::CALL_DEADLINE;
use super::translate::{self, Namespace};
use crate::cluster::engine::{EngineError, Key, Revision, WatchSender};

/// After this silence the server is asked whether it is still there. etcd refuses pings of HTTP/2 that come
/// more often than every 5 s.
const QUIET: Duration = Duration::from_millis(600);

/// The pause before a lost watch is resumed.
const RESUME_PAUSE: Duration = Duration::from_millis(50);

/// How long no server may answer before the watch is given up.
const RESUME_WITHIN: Duration = Duration::from_secs(10);

/// The most bytes of a message: a watch that catches up gets a thousand revisions at once.
const MAX_MESSAGE: usize = 64 << 20;

/// A watch of the keys with a prefix.
pub(super) struct Watching {
    pub(super) connection: Arc<Connection>,
    pub(super) namespace: Namespace,
    pub(super) prefix: Key,
    /// Where what was not told yet begins.
    pub(super) from: Revision,
    pub(super) sender: WatchSender,
}

/// Why a watch does not go on.
enum Stop {
    /// Nobody listens any more.
    Unheard,
    /// The connection was lost.
    Lost(EngineError),
    /// No other server would help.
    Over(EngineError),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        if error.is_in_doubt() { Self::Lost(error) } else { Self::Over(error) }
    }
}

impl Watching {
    /// Tells all changes until nobody listens any more, or a change could be missed.
    pub(super) async fn run(mut self) {
        let (mut heard, sender) = (Instant::now(), self.sender.clone());
        let error = loop {
            let stop = tokio::select! {
                () = sender.closed() => return,
                stop = self.follow(&mut heard) => stop,
            };
            match stop {
                Stop::Unheard => return,
                Stop::Over(error) => break error,
                Stop::Lost(error) if heard.elapsed() > RESUME_WITHIN => break error,
                Stop::Lost(error) => {
                    tracing::debug!(%error, prefix = %self.prefix, "a watch is resumed");
                    tokio::time::sleep(RESUME_PAUSE).await;
                }
            }
        };
        // Nobody may listen any more.
        let _ = sender.send(Err(error)).await;
    }

    /// Tells all changes while one server answers.
    async fn follow(&mut self, heard: &mut Instant) -> Stop {
        let (turn, client) = match self.connection.client().await {
            Ok(found) => found,
            Err(error) => return error.into(),
        };
        let options =
            WatchOptions::new().with_prefix().with_start_revision(translate::signed(self.from).max(1));
        let mut client = client.watch_client().max_decoding_message_size(MAX_MESSAGE);
        let stop = match timeout(CALL_DEADLINE, client.watch(self.namespace.key(&self.prefix), Some(options)))
            .await
        {
            Ok(Ok(mut stream)) => loop {
                match self.follow_once(&mut stream).await {
                    Ok(()) => *heard = Instant::now(),
                    Err(stop) => break stop,
                }
            },
            Ok(Err(error)) => translate::error(&error).into(),
            Err(_) => EngineError::silent_for(CALL_DEADLINE).into(),
        };
        if matches!(stop, Stop::Lost(_)) {
            self.connection.give_up(turn);
        }
        stop
    }

    /// Tells what is in the next message.
    async fn follow_once(&mut self, stream: &mut WatchStream) -> Result<(), Stop> {
        let message = if let Ok(message) = timeout(QUIET, stream.message()).await {
            message
        } else {
            let asked = stream.request_progress().await;
            asked.map_err(|error| Stop::from(translate::error(&error)))?;
            let answer = timeout(CALL_DEADLINE, stream.message()).await;
            answer.map_err(|_| Stop::Lost(EngineError::silent_for(CALL_DEADLINE)))?
        };
        match message {
            Ok(Some(message)) => self.tell(&message).await,
            Ok(None) => Err(Stop::Lost(EngineError::NoAnswer("a watch was ended".into()))),
            Err(error) => Err(translate::error(&error).into()),
        }
    }

    async fn tell(&mut self, message: &WatchResponse) -> Result<(), Stop> {
        if message.canceled() {
            return Err(match message.cancel_reason() {
                _ if message.compact_revision() > 0 => Stop::Over(EngineError::Compacted),
                reason if reason.contains("permission denied") => {
                    Stop::Over(EngineError::NotAllowed(reason.into()))
                }
                reason => Stop::Lost(EngineError::NoAnswer(format!("a watch was ended: {reason}"))),
            });
        }
        for changed in self.namespace.changes(message.events()) {
            let next = changed.revision.next();
            self.sender.send(Ok(changed)).await.map_err(|_| Stop::Unheard)?;
            self.from = next;
        }
        Ok(())
    }
}
