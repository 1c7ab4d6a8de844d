//! Lines from standard input, read without blocking the rest of the client.

use std::io::{self, BufRead, Read};
use std::thread;

use tokio::sync::mpsc;

/// The most bytes of a line that are read, including its end; the rest of a longer line is dropped.
pub const MAX_LINE: u64 = 4 * 1024;

/// The lines of an input.
///
/// A line is read only on request, so that no line of a pipe is consumed early.
#[derive(Debug)]
pub struct InputLines {
    ask: mpsc::UnboundedSender<()>,
    answers: mpsc::UnboundedReceiver<String>,
    asked: bool,
}

impl InputLines {
    /// The lines of `source`, which its own thread reads.
    pub fn of(source: impl Read + Send + 'static) -> Self {
        let (ask, mut asked) = mpsc::unbounded_channel();
        let (reply, answers) = mpsc::unbounded_channel();
        let mut source = io::BufReader::new(source);
        // The thread ends with the program or with the source; a blocked read cannot be cancelled.
        thread::spawn(move || {
            while asked.blocking_recv().is_some() {
                let Ok(Some(line)) = read_line(&mut source) else { return };
                if reply.send(line).is_err() {
                    return;
                }
            }
        });
        Self { ask, answers, asked: false }
    }

    /// The next line without its end; `None` when there are no more. Cancel safe.
    pub async fn next(&mut self) -> Option<String> {
        if !self.asked {
            // If the thread has ended, there will be no line either.
            let _ = self.ask.send(());
            self.asked = true;
        }
        let line = self.answers.recv().await;
        self.asked = false;
        line
    }
}

/// Reads one line without its end, cut at [`MAX_LINE`] bytes; `None` at the end. Invalid UTF-8 is replaced.
pub fn read_line(source: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if source.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
        source.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned()))
}
