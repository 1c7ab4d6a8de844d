//! Planning who owns which slots. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::slots::SlotMap;
use crate::cluster::keys::{Epoch, Slot};

/// A slot that goes from one living node to another: the owner writes all of its pages first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Which slot.
    pub slot: Slot,
    /// Who owns it.
    pub from: Epoch,
    /// Who is to own it.
    pub to: Epoch,
}

/// The map in which the slots of dead nodes are shared out among the living ones, all at once, since their clocks
/// need an owner. The node that has fewest gets the next. No slot of a living node moves.
pub fn share_out(map: &SlotMap, living: &BTreeSet<Epoch>) -> SlotMap {
    let (mut shared, mut counts) = (map.clone(), counts(map, living));
    for slot in Slot::all() {
        if map.owner(slot).is_none_or(|owner| !living.contains(&owner))
            && let Some((count, to)) = least(&counts)
        {
            shared.give(slot, to);
            counts.insert(to, count + 1);
        }
    }
    shared
}

/// At most `most` moves towards living nodes that all have the same number of slots, or one more. Repeated, they
/// are the fewest that get there.
pub fn moves(map: &SlotMap, living: &BTreeSet<Epoch>, most: usize) -> Vec<Move> {
    let (mut planned, mut moves, mut counts) = (map.clone(), Vec::new(), counts(map, living));
    while moves.len() < most
        && let (Some((fewest, to)), Some((largest, from))) = (least(&counts), greatest(&counts))
        && largest > fewest + 1
        && let Some(slot) = planned.slots_of(from).first().copied()
    {
        planned.give(slot, to);
        moves.push(Move { slot, from, to });
        counts.extend([(to, fewest + 1), (from, largest - 1)]);
    }
    moves
}

/// How many slots each living node has.
fn counts(map: &SlotMap, living: &BTreeSet<Epoch>) -> BTreeMap<Epoch, usize> {
    living.iter().map(|epoch| (*epoch, map.slots_of(*epoch).len())).collect()
}

fn least(counts: &BTreeMap<Epoch, usize>) -> Option<(usize, Epoch)> {
    counts.iter().map(|(epoch, count)| (*count, *epoch)).min()
}

fn greatest(counts: &BTreeMap<Epoch, usize>) -> Option<(usize, Epoch)> {
    counts.iter().map(|(epoch, count)| (*count, *epoch)).max()
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::proptest;

    use super::*;
    use crate::cluster::engine::Revision;

    fn epochs(numbers: impl IntoIterator<Item = u64>) -> BTreeSet<Epoch> {
        numbers.into_iter().map(|number| Epoch(Revision(number))).collect()
    }

    fn map_of(owners: &[u64]) -> SlotMap {
        let mut map = SlotMap::default();
        for (slot, owner) in Slot::all().zip(owners) {
            if *owner > 0 {
                map.give(slot, Epoch(Revision(*owner)));
            }
        }
        map
    }

    fn spread(map: &SlotMap, living: &BTreeSet<Epoch>) -> usize {
        let counts = counts(map, living);
        counts.values().max().unwrap() - counts.values().min().unwrap()
    }

    proptest! {
        #[test]
        fn every_slot_gets_a_living_owner_and_those_of_the_living_stay(
            owners in vec(0..9_u64, 256),
            living in btree_set(1..12_u64, 1..9),
        ) {
            let (map, living) = (map_of(&owners), epochs(living));
            let shared = share_out(&map, &living);
            for slot in Slot::all() {
                let (before, after) = (map.owner(slot), shared.owner(slot).unwrap());
                assert!(living.contains(&after));
                assert!(before.is_none_or(|before| before == after || !living.contains(&before)));
            }
            // Who got any has at most one more than who has fewest.
            let (before, after) = (counts(&map, &living), counts(&shared, &living));
            let fewest = after.values().min().unwrap();
            assert!(living.iter().all(|epoch| after[epoch] == before[epoch] || after[epoch] <= fewest + 1));
        }

        #[test]
        fn the_fewest_moves_make_all_equal(owners in vec(1..9_u64, 256), most in 1..20_usize, joined in 0..4_u64) {
            let living = epochs(1..9 + joined);
            let mut map = map_of(&owners);
            let mut counts: Vec<usize> = counts(&map, &living).into_values().collect();
            counts.sort_unstable_by(|one, other| other.cmp(one));
            let (each, more) = (256 / counts.len(), 256 % counts.len());
            let target = |place: usize| each + usize::from(place < more);
            let needed: usize = counts.iter().enumerate().map(|(place, count)| count.saturating_sub(target(place))).sum();
            let mut done = 0;
            loop {
                let moves = moves(&map, &living, most);
                assert!(moves.len() <= most);
                if moves.is_empty() {
                    break;
                }
                for Move { slot, from, to } in &moves {
                    assert_eq!(map.owner(*slot), Some(*from));
                    map.give(*slot, *to);
                }
                done += moves.len();
            }
            assert_eq!(done, needed);
            assert!(spread(&map, &living) <= 1);
        }
    }

    #[test]
    fn the_first_node_gets_all_and_nobody_gets_any_where_nobody_lives() {
        let shared = share_out(&SlotMap::default(), &epochs([7]));
        assert_eq!(shared.slots_of(Epoch(Revision(7))).len(), Slot::COUNT);
        assert_eq!(share_out(&shared, &epochs([])), shared);
        assert_eq!(moves(&shared, &epochs([]), 9), []);
    }
}
