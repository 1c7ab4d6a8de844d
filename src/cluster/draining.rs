//! Draining of all nodes: an order of the host reaches those that are there, and a node that joins later finds that others
//! drain.
//!
//! The key `drains/<epoch>` is there while that node drains, under its lease.

use std::sync::Arc;

use super::engine::{Engine, EngineError, Key, Operation, Range, Txn};
use super::following::RETRY_PAUSE;
use super::keys;
use super::node::{FencedOff, Membership, Sequence, WriteError};
use crate::server::Member;

/// Has this server drain if another node does, and then says to those that join later whether it drains, until this node is
/// no member any more.
pub async fn share_drain(engine: Arc<dyn Engine>, membership: Membership, member: Member) -> FencedOff {
    tokio::select! {
        () = membership.fenced_off() => FencedOff,
        off = share(Arc::clone(&engine), membership.clone(), member) => off,
    }
}

async fn share(engine: Arc<dyn Engine>, membership: Membership, member: Member) -> FencedOff {
    if another_drains(&*engine).await {
        tracing::warn!(
            "other nodes drain, so this one begins no games either; start it once all have stopped"
        );
        member.drain();
    }
    let (own, key) = (keys::drains(membership.epoch()), keys::drain(membership.epoch()));
    let mut sequence = Sequence::new(engine, membership.clone(), key);
    let (mut drains, mut is_said) = (member.drains(), false);
    loop {
        let drains_now = *drains.borrow_and_update();
        if drains_now != is_said {
            let lease = Some(membership.lease());
            let operation = if drains_now {
                Operation::Put { key: own.clone(), value: Vec::new().into(), lease }
            } else {
                Operation::Delete(own.clone())
            };
            match sequence.run(Txn { then: vec![operation], ..Txn::default() }).await {
                Ok(reply) => is_said = if reply.held { drains_now } else { is_said },
                Err(WriteError::FencedOff(off)) => return off,
                Err(WriteError::Engine(error)) => {
                    tracing::debug!(%error, "nodes that join do not know yet whether this one drains");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        } else if drains.changed().await.is_err() {
            // The server has stopped.
            std::future::pending::<()>().await;
        }
    }
}

/// Whether any node drains.
async fn another_drains(engine: &dyn Engine) -> bool {
    loop {
        match is_any(engine).await {
            Ok(is_any) => return is_any,
            Err(error) => {
                tracing::debug!(%error, "it is not known whether other nodes drain");
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }
}

async fn is_any(engine: &dyn Engine) -> Result<bool, EngineError> {
    let page = engine.range(Range::prefix(&Key::from(keys::DRAINS), 1)).await?;
    Ok(!page.found.is_empty())
}
