//! Following who is living and who owns what, and doing what is this node's part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::error::KeepError;
use super::lobbies::Lobbies;
use super::state::Keeper;
use crate::cluster::engine::{Changed, Engine, EngineError, Key, Range, Watch};
use crate::cluster::keys::{self, Epoch, Slot};
use crate::cluster::map::{Move, SlotMap, StoredMap, change_map, moves, read_map_and_living, share_out};
use crate::cluster::node::{FencedOff, Living};
use crate::server::{PeerId, Place};

/// How many slots move at once to living nodes: a thirtieth of all lobbies stands still for a moment.
pub(super) const MOVED_AT_ONCE: usize = 8;

/// The pause between two such moves to a node that has joined, in which their people come back. A node that leaves rests no
/// longer than each move took.
const MOVE_PAUSE: Duration = Duration::from_millis(100);

/// The pause after an error of etcd, and after something damaged was found there.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
const DAMAGED_PAUSE: Duration = Duration::from_secs(10);

/// When to look again.
enum Next {
    /// Something was changed.
    Now,
    /// Something else is to be changed then.
    After(Duration),
    /// Nothing is to be done until somebody changes anything.
    OnChange,
}

impl<L: Lobbies> Keeper<L> {
    /// Lives until this node is no member any more.
    pub async fn run(mut self) {
        let membership = self.membership.clone();
        tokio::select! {
            () = membership.fenced_off() => {}
            () = self.live() => {}
        }
    }

    async fn live(&mut self) {
        loop {
            let Err(error) = self.follow().await;
            match error {
                KeepError::FencedOff(FencedOff) => return self.membership.fence_off(),
                KeepError::Engine(error) => {
                    tracing::debug!(%error, "it is not known what happens in the cluster");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                KeepError::Damaged(why) => {
                    tracing::error!("{why}");
                    tokio::time::sleep(DAMAGED_PAUSE).await;
                }
            }
        }
    }

    /// Does what is to be done whenever anything has changed.
    async fn follow(&mut self) -> Result<Infallible, KeepError> {
        let mut watches = Watches::open(&*self.engine).await?;
        loop {
            let pause = match self.settle().await? {
                Next::Now => continue,
                Next::After(pause) => pause,
                Next::OnChange => Duration::MAX,
            };
            tokio::select! {
                changed = watches.next() => drop(changed?),
                Some(reached) = self.reaching.join_next() => {
                    if let Some(epoch) = reached.ok().flatten() {
                        self.reached.insert(epoch);
                        self.attend(epoch);
                    }
                }
                Some(_) = self.attending.join_next() => {}
                () = tokio::time::sleep(pause) => {}
                Some(asked) = self.asked.recv() => self.leave(asked).await,
            }
        }
    }

    /// Gives all slots away, and says so to the one who has asked for it.
    async fn leave(&mut self, asked: oneshot::Sender<()>) {
        while let Err(KeepError::Engine(error)) = self.give_all().await {
            tracing::debug!(%error, "this node cannot give its slots away yet");
            tokio::time::sleep(RETRY_PAUSE).await;
        }
        // Who asked may have gone.
        let _ = asked.send(());
    }

    /// Looks at everything anew, and does the next thing.
    async fn settle(&mut self) -> Result<Next, KeepError> {
        let (mut stored, living) = read_map_and_living(&*self.engine).await?;
        self.show(&stored.map, &living)?;
        self.reach_others(&living);
        if self.is_leaving {
            return Ok(Next::OnChange);
        }
        let shared = self.share_out(&stored.map, &living);
        if shared != stored.map {
            match self.take_from_the_dead(&stored, &living, shared).await? {
                Some(changed) => stored = changed,
                None => return Ok(Next::Now),
            }
            self.show(&stored.map, &living)?;
        }
        let own: BTreeSet<Slot> = stored.map.slots_of(self.epoch()).into_iter().collect();
        let new: BTreeSet<Slot> = own.difference(&self.held).copied().collect();
        if !new.is_empty() {
            let Err(error) = self.take(&living, new).await else { return Ok(Next::Now) };
            let KeepError::Damaged(why) = error else { return Err(error) };
            tracing::error!("{why}");
            return Ok(Next::After(DAMAGED_PAUSE));
        }
        let pause = self.next_move.saturating_duration_since(Instant::now());
        if !pause.is_zero() {
            return Ok(Next::After(pause));
        }
        let mut moves = moves(&stored.map, &self.receivers(&stored.map, &living), MOVED_AT_ONCE);
        moves.retain(|planned| planned.from == self.epoch());
        if moves.is_empty() {
            return Ok(Next::OnChange);
        }
        self.give(&moves).await?;
        self.next_move = Instant::now() + MOVE_PAUSE;
        Ok(Next::Now)
    }

    /// Shows all tasks of this node who is living and where the slots are.
    fn show(&self, map: &SlotMap, living: &Living) -> Result<(), KeepError> {
        self.places.set_nodes(living);
        let own = self.epoch();
        let is_lost = |slot: &Slot| map.owner(*slot) != Some(own);
        if !living.nodes.contains_key(&own) {
            return Err(FencedOff.into());
        }
        if self.held.iter().any(is_lost) {
            tracing::error!("the map of slots gives away what this node has; it starts anew");
            return Err(FencedOff.into());
        }
        self.places.set(Slot::all().map(|slot| {
            let place = match map.owner(slot) {
                Some(owner) if owner == own && self.held.contains(&slot) => Place::Here,
                Some(owner) if owner != own && living.nodes.contains_key(&owner) => {
                    Place::At(PeerId(owner.0.0))
                }
                _ => Place::Moving,
            };
            (slot, place)
        }));
        Ok(())
    }

    /// The map in which the slots of dead nodes have living owners.
    fn share_out(&self, map: &SlotMap, living: &Living) -> SlotMap {
        let mut shared = share_out(map, &self.heirs(map, living));
        for slot in Slot::all() {
            // Who leaves gives its slots away itself.
            if let Some(owner) = map.owner(slot).filter(|owner| living.nodes.contains_key(owner)) {
                shared.give(slot, owner);
            }
        }
        shared
    }

    /// The living nodes that do not leave. One whose key is damaged cannot be reached, and gets nothing.
    fn takers(&self, living: &Living) -> BTreeSet<Epoch> {
        let nodes = self.places.nodes();
        let stays = |epoch: &Epoch| nodes.get(epoch).is_some_and(|(_, about)| !about.is_leaving);
        living.nodes.keys().copied().filter(stays).collect()
    }

    /// Those that may get slots of the dead: some node has reached them, as they have slots. Where nobody has, this one.
    fn heirs(&self, map: &SlotMap, living: &Living) -> BTreeSet<Epoch> {
        let mut heirs = self.takers(living);
        heirs.retain(|epoch| !map.slots_of(*epoch).is_empty());
        if heirs.is_empty() { [self.epoch()].into() } else { heirs }
    }

    /// Those that may get slots of this node. One that cannot be reached would keep its lobbies from everybody else.
    fn receivers(&self, map: &SlotMap, living: &Living) -> BTreeSet<Epoch> {
        let mut receivers = self.takers(living);
        receivers.retain(|epoch| {
            *epoch == self.epoch() || self.reached.contains(epoch) || !map.slots_of(*epoch).is_empty()
        });
        receivers
    }

    /// Begins to reach the nodes that are new.
    fn reach_others(&mut self, living: &Living) {
        for set in [&mut self.reached, &mut self.tried] {
            set.retain(|epoch| living.nodes.contains_key(epoch));
        }
        let own = self.epoch();
        for epoch in living.nodes.keys().copied().filter(|epoch| *epoch != own) {
            if self.tried.insert(epoch) {
                let others = Arc::clone(&self.others);
                self.reaching.spawn(async move { others.until_reached(epoch).await.then_some(epoch) });
            }
        }
    }

    /// Notices when a node dies that was reached.
    fn attend(&mut self, epoch: Epoch) {
        let others = Arc::clone(&self.others);
        self.attending.spawn(async move { others.until_gone(epoch).await });
    }

    /// Changes the map, so that slots of dead nodes have these owners. Returns what is stored then; `None` if somebody
    /// else was faster.
    async fn take_from_the_dead(
        &self,
        stored: &StoredMap,
        living: &Living,
        shared: SlotMap,
    ) -> Result<Option<StoredMap>, KeepError> {
        let (mut dead, mut heirs) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
        for slot in Slot::all() {
            let (from, to) = (stored.map.owner(slot), shared.owner(slot));
            if let Some(heir) = to.filter(|_| from != to) {
                let is_dead = |owner: &Epoch| !living.nodes.contains_key(owner);
                dead.extend(from.filter(is_dead).map(|owner| self.called(owner)));
                *heirs.entry(self.called(heir)).or_default() += 1;
            }
        }
        let changed = change_map(&*self.engine, &self.membership, stored, shared).await?;
        if changed.is_some() {
            let dead = Vec::from_iter(dead).join(", ");
            let heirs: Vec<String> = heirs.iter().map(|(heir, slots)| format!("{heir} {slots}")).collect();
            let heirs = heirs.join(", ");
            tracing::info!(node = %self.name, dead, heirs, "shared out the slots that no living node had");
        }
        Ok(changed)
    }

    /// Gives all slots to others, as nobody is to wait for this node. A node that is alone keeps them.
    async fn give_all(&mut self) -> Result<(), KeepError> {
        self.is_leaving = true;
        self.say_leaving().await?;
        // What is written before is not waited for by anybody.
        self.pager.write().await?;
        let (StoredMap { map, .. }, living) = read_map_and_living(&*self.engine).await?;
        self.show(&map, &living)?;
        let (from, mut others) = (self.epoch(), self.receivers(&map, &living));
        others.remove(&from);
        let planned = share_out(&map, &others);
        let to = |slot: &Slot| planned.owner(*slot).filter(|to| others.contains(to));
        let moves: Vec<Move> =
            self.held.iter().filter_map(|slot| Some(Move { slot: *slot, from, to: to(slot)? })).collect();
        for some in moves.chunks(MOVED_AT_ONCE) {
            let began = Instant::now();
            self.give(some).await?;
            tokio::time::sleep(began.elapsed().min(MOVE_PAUSE)).await;
        }
        Ok(())
    }
}

/// Tells that something has changed.
struct Watches {
    nodes: Watch,
    map: Watch,
}

impl Watches {
    /// From now on.
    async fn open(engine: &dyn Engine) -> Result<Self, EngineError> {
        let now = engine.range(Range::key(Key::from(keys::MAP))).await?.revision.next();
        let nodes = engine.watch(Key::from(keys::NODES), now).await?;
        Ok(Self { nodes, map: engine.watch(Key::from(keys::MAP), now).await? })
    }

    async fn next(&mut self) -> Result<Changed, EngineError> {
        tokio::select! {
            changed = self.nodes.next() => changed,
            changed = self.map.next() => changed,
        }
    }
}
