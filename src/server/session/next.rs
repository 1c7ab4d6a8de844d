//! What a session waits for: what was thought of for it, what was read for it, and what it hears.

use std::pin::Pin;
use std::task::{Context, Poll};

use super::receiver::Heard;
use super::{End, Session};
use crate::server::record_service::Answer;
use crate::wire::ToClient;

/// What comes next.
pub(super) enum Next {
    /// What was being thought of; `None` if there is no answer.
    Thought(Option<ToClient>),
    /// What was being read; `None` if there is no answer.
    Answer(Option<Answer>),
    /// Over the connection.
    Heard(Heard),
}

impl Session {
    /// Waits for whatever comes next. A thought is told once, and before all that is heard: those who ask without end would have
    /// it wait for ever.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Next, End>> {
        if let Some(thinking) = &mut self.thinking
            && let Poll::Ready(answer) = Pin::new(&mut thinking.thought).poll(context)
        {
            return Poll::Ready(Ok(Next::Thought(answer.flatten())));
        }
        if let Some(reading) = &mut self.reading
            && let Poll::Ready(answer) = Pin::new(&mut reading.answer).poll(context)
        {
            return Poll::Ready(Ok(Next::Answer(answer.ok())));
        }
        self.receiver.poll_next(context).map(|heard| heard.map(Next::Heard))
    }
}
