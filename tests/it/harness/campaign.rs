//! Long and random tests: a short sample in `cargo test`, all of it in `.ci/campaign`.

use std::env;

use proptest::test_runner::Config;

/// Whether this is a campaign.
pub(crate) fn is_on() -> bool {
    env::var_os("NIM_CAMPAIGN").is_some()
}

/// `all` in a campaign, otherwise `few`.
pub(crate) fn sample<T>(few: T, all: T) -> T {
    if is_on() { all } else { few }
}

/// The value of the environment variable `name`; without it, `all` in a campaign, otherwise `few`.
pub(crate) fn count(name: &str, few: u64, all: u64) -> u64 {
    number(name).unwrap_or(sample(few, all))
}

/// `few` cases of a property, or the number in the environment variable `PROPTEST_CASES`, which a campaign
/// sets.
pub(crate) fn cases(few: u32) -> Config {
    let cases = number("PROPTEST_CASES").map_or(few, |cases| u32::try_from(cases).unwrap_or(u32::MAX));
    Config { cases, ..Config::default() }
}

/// The seed to repeat, from the environment variable `NIM_SEED`.
pub(crate) fn seed() -> Option<u64> {
    number("NIM_SEED")
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}
