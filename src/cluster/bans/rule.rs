//! A ban or a mute as a key and its value.

use std::net::IpAddr;

use bytes::Bytes;

use crate::cluster::checked;
use crate::cluster::engine::Key;
use crate::cluster::format::Format;
use crate::cluster::keys;
use crate::server::{Restriction, Rule};

/// The most bytes of a key and its value.
pub(super) const MOST_BYTES: usize = 128;

/// The time of a rule that holds until it is lifted.
const NEVER: u64 = u64::MAX;

/// The key of a rule.
pub(super) fn key(what: Restriction, address: IpAddr) -> Key {
    format!("{}{what}/{address}", keys::BANS).into()
}

/// The value of a rule.
pub(super) fn value(rule: &Rule) -> Bytes {
    let until = rule.until.unwrap_or(NEVER).to_be_bytes();
    checked::finish(Format::FIRST, [&[0; checked::HEADER][..], &until].concat())
}

/// The rule of a key. If its value cannot be read, or is `None`, it holds until it is lifted: a ban must not end by
/// damage. `None` if the key is not ours.
pub(super) fn rule_of(key: &Key, value: Option<&[u8]>) -> Option<Rule> {
    let (what, address) = key.after(keys::BANS)?.split_once('/')?;
    let what = [Restriction::Ban, Restriction::Mute].into_iter().find(|known| known.to_string() == what)?;
    let content = value.and_then(|value| checked::content(value).ok());
    let until = content.and_then(|content| content.try_into().ok()).map_or(NEVER, u64::from_be_bytes);
    Some(Rule { what, address: address.parse().ok()?, until: (until != NEVER).then_some(until) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_reads_back_and_a_damaged_one_has_no_end() {
        let addresses: [IpAddr; 2] = [[10, 0, 0, 7].into(), "2001:db8::".parse().unwrap()];
        for address in addresses {
            for (what, until) in [(Restriction::Ban, None), (Restriction::Mute, Some(1_000))] {
                let (rule, key) = (Rule { what, address, until }, key(what, address));
                assert_eq!(rule_of(&key, Some(&value(&rule))), Some(rule.clone()));
                assert_eq!(rule_of(&key, Some(b"?")), Some(Rule { until: None, ..rule }));
            }
        }
        assert_eq!(rule_of(&"ban/banned/x".into(), None), None);
        assert_eq!(rule_of(&"ban/x/10.0.0.7".into(), None), None);
    }
}
