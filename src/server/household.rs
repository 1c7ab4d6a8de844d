//! Where somebody comes from, as far as what one address may do is concerned.

use std::net::{IpAddr, Ipv6Addr};

/// The address by which connections from this one are counted.
///
/// With IPv6 whoever has one address that is known in the internet has as many as they like, all of one network of 64 bits, as a
/// household has one IPv4 address; so that network counts as one (RFC 4291, section 2.5.4). Other addresses, as those within
/// a server are, each count for themselves.
pub(super) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if is_global(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
        other => other,
    }
}

/// Whether this is an address of the internet, `2000::/3` (RFC 4291, section 2.4, and what IANA gives away of it).
fn is_global(address: Ipv6Addr) -> bool {
    address.segments()[0] >> 13 == 0b001
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_one_network_in_the_internet_count_as_one_and_all_others_for_themselves() {
        for (address, counts_as) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("3fff:ffff::1", "3fff:ffff::"),
            ("fe80::1:2", "fe80::1:2"),
            ("fd00::1:2", "fd00::1:2"),
            ("::1", "::1"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
            ("10.0.0.1", "10.0.0.1"),
        ] {
            assert_eq!(
                household(address.parse().unwrap()),
                counts_as.parse::<IpAddr>().unwrap(),
                "{address}"
            );
        }
    }
}
