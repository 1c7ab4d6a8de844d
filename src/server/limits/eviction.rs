//! Eviction where a limit is reached: one rule for connections, lobbies and watchers.

use std::collections::HashMap;
use std::net::IpAddr;

/// A candidate for eviction.
#[derive(Debug)]
pub(in crate::server) struct Holder<I, T> {
    /// The address that it counts for.
    pub(in crate::server) address: IpAddr,
    /// Since when it has been idle; `None` if it must not be evicted.
    pub(in crate::server) idle_since: Option<I>,
    pub(in crate::server) what: T,
}

/// What is evicted for a newcomer from this address, if anything: the longest idle holder of the address that
/// has most, if that address has more than the newcomer's.
pub(in crate::server) fn choose_evicted<I: Ord, T>(
    newcomer: IpAddr,
    holders: impl IntoIterator<Item = Holder<I, T>>,
) -> Option<T> {
    let holders: Vec<Holder<I, T>> = holders.into_iter().collect();
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    for holder in &holders {
        *counts.entry(holder.address).or_default() += 1;
    }
    let count = |address| counts.get(&address).copied().unwrap_or(0);
    let own = count(newcomer);
    let may_go = holders.into_iter().filter_map(|Holder { address, idle_since, what }| {
        let count = count(address);
        idle_since.filter(|_| count > own).map(|since| (count, since, what))
    });
    let order = |(count, since, _): &(usize, I, T), other: &(usize, I, T)| {
        other.0.cmp(count).then_with(|| since.cmp(&other.1))
    };
    may_go.min_by(order).map(|(_, _, what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index of the holder that is evicted for a newcomer from the address that ends in this number; a
    /// holder without an instant must not be evicted.
    fn goes(newcomer: u8, holders: &[(u8, Option<u32>)]) -> Option<usize> {
        let address = |last| IpAddr::from([10, 0, 0, last]);
        let holders = holders.iter().enumerate();
        let holders =
            holders.map(|(what, &(last, idle_since))| Holder { address: address(last), idle_since, what });
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
