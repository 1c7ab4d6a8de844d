//! Taking over the slots that the map gives to this node.

use std::collections::BTreeSet;

use tokio::time::Instant;

use super::error::KeepError;
use super::lobbies::Lobbies;
use super::state::Keeper;
use crate::cluster::keys::Slot;
use crate::cluster::node::Living;
use crate::cluster::pages::{RestoredLobby, restore};
use crate::server::Place;

/// How many lobbies go on before other tasks get their turn.
const AT_ONCE: usize = 200;

impl<L: Lobbies> Keeper<L> {
    /// Goes on with the lobbies of these slots. Their last owners are living no more, or have written all of them and
    /// given them away, when `living` was read. Where a log is damaged, only the slots wait that it concerns.
    pub(super) async fn take(&mut self, living: &Living, slots: BTreeSet<Slot>) -> Result<(), KeepError> {
        let all = self.take_together(living, slots.clone()).await;
        if let Err(KeepError::Damaged(_)) = all {
            for slot in slots {
                match self.take_together(living, [slot].into()).await {
                    Ok(()) | Err(KeepError::Damaged(_)) => {}
                    error => return error,
                }
            }
        }
        all
    }

    async fn take_together(&mut self, living: &Living, slots: BTreeSet<Slot>) -> Result<(), KeepError> {
        let began = Instant::now();
        let engine = &*self.engine;
        let restored = restore(engine, living, slots.iter().copied()).await;
        let restored = restored.map_err(|error| KeepError::of_log(engine, error))?;
        let mut stored: Vec<_> = restored.lobbies.iter().filter_map(RestoredLobby::stored).collect();
        let (count, mut damaged) = (stored.len(), restored.damaged.clone());
        // Before anything of them is recorded.
        self.pager.adopt(restored).await?;
        while !stored.is_empty() {
            let rest = stored.split_off(stored.len().min(AT_ONCE));
            damaged.extend(self.lobbies.restore(std::mem::replace(&mut stored, rest)));
            tokio::task::yield_now().await;
        }
        for damage in &damaged {
            tracing::error!(%damage, "a lobby is set aside because it is damaged");
        }
        self.held.extend(&slots);
        self.places.set(slots.iter().map(|slot| (*slot, Place::Here)));
        let took = began.elapsed().as_millis();
        tracing::info!(
            node = %self.name,
            slots = slots.len(),
            lobbies = count,
            damaged = damaged.len(),
            "took over slots in {took} ms"
        );
        Ok(())
    }
}
