//! Errors of the operating system as text for people, without their numbers.

use std::fmt;
use std::io;

/// An error of the system, shown without its number.
///
/// ```
/// let missing = std::io::Error::from_raw_os_error(2);
/// assert!(!nim::system::ErrorText(&missing).to_string().contains("os error"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ErrorText<'a>(pub &'a io::Error);

impl fmt::Display for ErrorText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.0.to_string();
        f.write_str(said.split_once(" (os error").map_or(&*said, |(words, _)| words))
    }
}
