//! Lists the checks that were skipped because a tool is missing. Its name makes it the last test to start;
//! others may end after it, and `.ci/run` repeats the list at its end.

use crate::harness::tools;

#[test]
fn checks_skipped_for_missing_tools_are_listed_at_the_end() {
    let missing = tools::TOOLS.iter().filter(|(name, _)| !tools::has(name));
    let lines: Vec<String> = missing
        .map(|(name, checks)| format!("NOT CHECKED: {checks}, since {name} is not installed"))
        .collect();
    if !lines.is_empty() {
        tools::say(&lines.join("\n"));
    }
    let is_required = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(lines.is_empty() || !is_required, "with CI=true every tool is required:\n{}", lines.join("\n"));
}
