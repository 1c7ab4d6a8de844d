//! What the flags of both programs have in common.

/// Reads the number from which all chance comes.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}, as in --seed 7", u64::MAX))
}
