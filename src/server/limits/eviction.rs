//! Eviction where a limit is reached: one rule for connections, lobbies and watchers.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;

/// What is evicted for a newcomer from this address, if anything: the longest idle holder of the address that
/// has most, if that address has more than the newcomer's.
///
/// Each holder has an address for which it counts, and an instant since which it has been idle: `None` if it must
/// not be evicted.
pub(in crate::server) fn choose_evicted<I: Ord + Copy, T>(
    newcomer: IpAddr,
    holders: impl IntoIterator<Item = (IpAddr, Option<I>, T)>,
) -> Option<T> {
    let holders: Vec<_> = holders.into_iter().collect();
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    for (address, ..) in &holders {
        *counts.entry(*address).or_default() += 1;
    }
    let own = counts.get(&newcomer).copied().unwrap_or(0);
    let idle =
        holders.into_iter().filter_map(|(address, since, what)| Some((counts[&address], since?, what)));
    let may_go = idle.filter(|(count, ..)| *count > own);
    may_go.min_by_key(|(count, since, _)| (Reverse(*count), *since)).map(|(.., what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index of the holder that is evicted for a newcomer from the address that ends in this number; a
    /// holder without an instant must not be evicted.
    fn goes(newcomer: u8, holders: &[(u8, Option<u32>)]) -> Option<usize> {
        let address = |last| IpAddr::from([10, 0, 0, last]);
        let holders = holders.iter().enumerate();
        let holders = holders.map(|(what, &(last, idle_since))| (address(last), idle_since, what));
        choose_evicted(address(newcomer), holders)
    }

    #[test]
    fn the_one_idle_longest_of_the_address_that_has_most_goes() {
        let holders = [(1, Some(0)), (2, Some(5)), (2, Some(3)), (2, Some(4))];
        assert_eq!(goes(3, &holders), Some(2));
    }

    #[test]
    fn one_that_must_not_go_counts_and_stays() {
        let holders = [(1, Some(9)), (1, Some(8)), (2, None), (2, None), (2, None)];
        assert_eq!(goes(3, &holders), Some(1), "of the next address");
        assert_eq!(goes(3, &holders[2..]), None);
    }

    #[test]
    fn no_address_makes_room_for_one_that_has_as_much() {
        let holders = [(1, Some(1)), (1, Some(2)), (2, Some(3)), (2, Some(0))];
        assert_eq!([goes(1, &holders), goes(2, &holders), goes(3, &holders)], [None, None, Some(3)]);
        assert_eq!(goes(3, &[]), None);
    }
}
