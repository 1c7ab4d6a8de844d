//! The text of operating system errors, without error numbers.

use std::fmt;
use std::io;

/// Displays an I/O error without its number.
///
/// ```
/// let missing = std::io::Error::from_raw_os_error(2);
/// assert!(!nim::system::ErrorText(&missing).to_string().contains("os error"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ErrorText<'a>(pub &'a io::Error);

impl fmt::Display for ErrorText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        f.write_str(text.split_once(" (os error").map_or(&*text, |(words, _)| words))
    }
}
