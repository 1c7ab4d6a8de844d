//! Lines from standard input, without blocking what else the client does.

use std::io::{self, BufRead, Read};
use std::thread;

use tokio::sync::mpsc;

/// The most bytes of a line that are read, its end among them; the rest of a longer one is dropped.
pub const MAX_LINE: u64 = 4 * 1024;

/// The lines that somebody types or a program sends.
///
/// A line is read only when one is asked for, so that from a pipe no line is taken before its time.
#[derive(Debug)]
pub struct Lines {
    ask: mpsc::UnboundedSender<()>,
    answers: mpsc::UnboundedReceiver<String>,
    asked: bool,
}

impl Lines {
    /// The lines of `source`, read on a thread of their own.
    pub fn of(source: impl Read + Send + 'static) -> Self {
        let (ask, mut asked) = mpsc::unbounded_channel();
        let (reply, answers) = mpsc::unbounded_channel();
        let mut source = io::BufReader::new(source);
        // The thread ends with the program, or with the source; a reader that waits cannot be woken.
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

    /// The next line without its end; `None` when there are no more.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
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

/// One line without its end, cut at [`MAX_LINE`] bytes; `None` at the end of the source. Bytes that are no
/// text are replaced.
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
