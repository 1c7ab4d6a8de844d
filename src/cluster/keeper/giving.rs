//! Giving slots of this node to others that are living.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use super::error::KeepError;
use super::lobbies::Lobbies;
use super::state::Keeper;
use crate::cluster::about::About;
use crate::cluster::engine::{EngineError, Operation, Txn};
use crate::cluster::keys::Slot;
use crate::cluster::map::{MapError, Move, change_map, read_map};
use crate::cluster::node::FencedOff;
use crate::server::{PeerId, Place};

/// The pause after something could not be recorded, or etcd did not answer, while people wait.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

impl<L: Lobbies> Keeper<L> {
    /// Moves slots of this node to others. It begins by stopping their lobbies, so it goes on until that is done or
    /// this node is no member any more.
    pub(super) async fn give(&mut self, moves: &[Move]) -> Result<(), KeepError> {
        let began = Instant::now();
        let slots: BTreeSet<Slot> = moves.iter().map(|planned| planned.slot).collect();
        self.places.set(slots.iter().map(|slot| (*slot, Place::Moving)));
        while let Err(error) = self.lobbies.give_away(&slots).await {
            if error.is_final() {
                self.membership.fence_off();
                return Err(FencedOff.into());
            }
            tracing::debug!(%error, "slots cannot be given away yet");
            tokio::time::sleep(RETRY_PAUSE).await;
        }
        let lobbies = self.pager.write_slots(slots.clone()).await?;
        // First: once others have the slots, this node must not say that all of them is in pages.
        self.pager.forget(slots.clone()).await?;
        self.change_owners(moves).await?;
        self.held.retain(|slot| !slots.contains(slot));
        self.places.set(moves.iter().map(|planned| (planned.slot, Place::At(PeerId(planned.to.0.0)))));
        let names: BTreeSet<String> = moves.iter().map(|planned| self.called(planned.to)).collect();
        let (to, took) = (Vec::from_iter(names).join(", "), began.elapsed().as_millis());
        tracing::info!(node = %self.name, to, slots = slots.len(), lobbies, "gave slots away in {took} ms");
        Ok(())
    }

    /// Changes the map, however often others change it meanwhile.
    async fn change_owners(&self, moves: &[Move]) -> Result<(), KeepError> {
        loop {
            match self.try_to_change_owners(moves).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(MapError::Engine(error)) => {
                    tracing::debug!(%error, "the map of slots is not changed yet");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Changes the map once. Returns whether none of the slots is this node's any more.
    async fn try_to_change_owners(&self, moves: &[Move]) -> Result<bool, MapError> {
        let stored = read_map(&*self.engine).await?;
        let mut map = stored.map.clone();
        let own = Some(self.epoch());
        for planned in moves {
            if map.owner(planned.slot) == own {
                map.give(planned.slot, planned.to);
            }
        }
        if map == stored.map {
            return Ok(true);
        }
        Ok(change_map(&*self.engine, &self.membership, &stored, map).await?.is_some())
    }

    /// Says to the others that this node leaves, so that they give it nothing.
    pub(super) async fn say_leaving(&self) -> Result<(), KeepError> {
        let about = About { is_leaving: true, ..self.about.clone() };
        let (key, lease) = (self.membership.key().clone(), Some(self.membership.lease()));
        let put = Operation::Put { key, value: about.value(), lease };
        let txn = Txn { compares: vec![self.membership.fence()], then: vec![put], ..Txn::default() };
        let reply = match self.engine.txn(txn.clone()).await {
            Err(error) if error.is_in_doubt() => self.engine.txn(txn).await,
            reply => reply,
        };
        match reply {
            Ok(reply) if reply.held => Ok(()),
            Ok(_) | Err(EngineError::NoSuchLease) => {
                self.membership.fence_off();
                Err(FencedOff.into())
            }
            Err(error) => Err(error.into()),
        }
    }
}
