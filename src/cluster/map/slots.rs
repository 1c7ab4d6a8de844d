//! The map of slots, and its bytes: a [checked] value of version 1.
//!
//! ```text
//! +-----------+---------------------+--------------------------------------------+
//! | u8: count | u64 for each: epoch | u8 for each slot: the place of its owner's |
//! | of owners |                     | epoch from 1, or 0 if nobody owns it       |
//! +-----------+---------------------+--------------------------------------------+
//! ```

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::cluster::checked;
use crate::cluster::engine::Revision;
use crate::cluster::format::Format;
use crate::cluster::keys::{Epoch, Slot};
use crate::number::saturating;

/// Who owns each slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotMap(BTreeMap<Slot, Epoch>);

impl SlotMap {
    /// The most owners that a map has.
    pub const MAX_OWNERS: usize = 255;

    /// Who owns a slot, if anybody does.
    pub fn owner(&self, slot: Slot) -> Option<Epoch> {
        self.0.get(&slot).copied()
    }

    /// The slots of an epoch.
    pub fn slots_of(&self, epoch: Epoch) -> Vec<Slot> {
        self.0.iter().filter(|(_, owner)| **owner == epoch).map(|(slot, _)| *slot).collect()
    }

    /// Gives a slot to an epoch.
    pub fn give(&mut self, slot: Slot, to: Epoch) {
        self.0.insert(slot, to);
    }

    /// The value in etcd. An owner beyond [`MAX_OWNERS`](Self::MAX_OWNERS) is left out.
    pub fn value(&self) -> Bytes {
        let owners: Vec<Epoch> =
            self.0.values().copied().collect::<BTreeSet<_>>().into_iter().take(Self::MAX_OWNERS).collect();
        let mut value = vec![0; checked::HEADER];
        value.push(saturating(owners.len()));
        value.extend(owners.iter().flat_map(|owner| owner.0.0.to_be_bytes()));
        value.extend(Slot::all().map(|slot| {
            let place = self.owner(slot).and_then(|owner| owners.binary_search(&owner).ok());
            place.map_or(0_u8, |place| saturating(place + 1))
        }));
        checked::finish(Format::FIRST, value)
    }

    /// The map with this value.
    ///
    /// # Errors
    ///
    /// What is wrong, as the end of a sentence.
    pub fn read(value: &[u8]) -> Result<Self, String> {
        let content = checked::content(value)?;
        let (count, rest) = content.split_first().ok_or("it ends too early")?;
        let (epochs, places) = rest.split_at_checked(usize::from(*count) * 8).ok_or("it ends too early")?;
        let (epochs, _) = epochs.as_chunks::<8>();
        if places.len() != Slot::COUNT {
            return Err(format!("it has {} slots", places.len()));
        }
        let mut map = Self::default();
        for (slot, place) in Slot::all().zip(places) {
            if let Some(place) = usize::from(*place).checked_sub(1) {
                let epoch = epochs.get(place).ok_or("a slot in it has an unknown owner")?;
                map.give(slot, Epoch(Revision(u64::from_be_bytes(*epoch))));
            }
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::prelude::{any, proptest};

    use super::*;

    proptest! {
        #[test]
        fn every_map_reads_back(owners in btree_map(any::<u8>(), 1..40_u64, 0..256)) {
            let owners = owners.into_iter().map(|(slot, epoch)| (Slot(slot), Epoch(Revision(epoch))));
            let map = SlotMap(owners.collect());
            assert!(map.value().len() < 1_000);
            assert_eq!(SlotMap::read(&map.value()), Ok(map));
        }

        #[test]
        fn any_bytes_are_refused(bytes: Vec<u8>) {
            assert!(SlotMap::read(&bytes).is_err());
            let value = checked::finish(Format::FIRST, [&[0; checked::HEADER][..], &bytes].concat());
            assert!(SlotMap::read(&value).is_err());
        }
    }
}
