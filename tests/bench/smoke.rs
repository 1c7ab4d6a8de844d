//! Smoke runs, which only show that a bench works: `-- --smoke`, or `NIM_BENCH=smoke` in the environment.

/// Whether this is a smoke run.
pub(crate) fn is_wanted() -> bool {
    let is_said = std::env::args().any(|word| word == "--smoke");
    is_said || std::env::var("NIM_BENCH").is_ok_and(|word| word == "smoke")
}

/// `all`, or `few` in a smoke run.
pub(crate) fn all_or<T>(few: T, all: T) -> T {
    if is_wanted() { few } else { all }
}
