//! A line that somebody types before there is a face.

use std::io::{BufRead, Read, stdin};

use nim::client::Failure;

/// The most bytes that are read for one choice.
const MAX_LINE: u64 = 1 << 10;

/// The next one; nothing at the end of the input. What is no text is nothing that anybody means.
pub(crate) fn line() -> Result<Option<String>, Failure> {
    let mut line = Vec::new();
    let length = stdin().lock().take(MAX_LINE).read_until(b'\n', &mut line).map_err(Failure::Start)?;
    Ok((length > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// Whether there is no line to come. Waits for one, which is still to be read.
pub(crate) fn is_at_end() -> Result<bool, Failure> {
    Ok(stdin().lock().fill_buf().map_err(Failure::Start)?.is_empty())
}
