//! Whether a bench only shows that it runs: `-- --smoke`, or `NIM_BENCH=smoke` in the environment.

/// Whether it is.
pub(crate) fn is_wanted() -> bool {
    let is_said = std::env::args().any(|word| word == "--smoke");
    is_said || std::env::var("NIM_BENCH").is_ok_and(|word| word == "smoke")
}

/// All of something, or as little as shows that it runs.
pub(crate) fn all_or<T>(few: T, all: T) -> T {
    if is_wanted() { few } else { all }
}
