//! Serves a connection after the welcome: receives its requests, has them answered, and sends the results of
//! its jobs.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::Instant;

use super::end::End;
use super::location::Location;
use super::receiver::{Received, Receiver};
use super::state::ServerSession;
use crate::lobby::Who;
use crate::wire::{Farewell, Misplaced, ToClient, ToServer};

/// How many messages of one connection are answered before other tasks run.
const MAX_AT_ONCE: usize = 8;

impl ServerSession {
    /// Serves the connection until it is to end. It is polled by hand, so that an idle connection needs no
    /// more memory than its state. A finished job comes before incoming frames: a client that sends without
    /// end would never get its answer otherwise.
    pub(super) fn poll_serve(&mut self, context: &mut Context<'_>) -> Poll<End> {
        for _ in 0..MAX_AT_ONCE {
            if let Some(thinking) = &mut self.thinking
                && let Poll::Ready(answer) = Pin::new(&mut thinking.job).poll(context)
            {
                self.thinking = None;
                // There is an answer unless the server is stopping.
                answer.flatten().inspect(|answer| self.connection().send(answer));
            } else if let Some(reading) = &mut self.reading
                && let Poll::Ready(answer) = Pin::new(&mut reading.answer).poll(context)
            {
                self.send_answer(answer.flatten());
            } else if self.elsewhere.is_some() {
                if let Err(end) = ready!(self.poll_elsewhere(context)) {
                    return Poll::Ready(end);
                }
            } else {
                match ready!(self.receiver.poll_next(context)) {
                    Ok(Received::Silence(since)) => self.note_silence(Some(since)),
                    Ok(Received::Message(message)) => self.handle(message),
                    Err(end) => return Poll::Ready(end),
                }
            }
        }
        // Others that are ready come first.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    pub(super) fn handle(&mut self, message: ToServer) {
        if self.is_silent {
            self.note_silence(None);
        }
        match message {
            ToServer::Hello(_) => {
                self.receiver.count_sign();
                self.refuse(0, Misplaced::SecondHello);
            }
            ToServer::Hall { id, request } => {
                let answered = self.answer_in_hall(id, request);
                answered.unwrap_or_else(|refusal| self.refuse(id, refusal));
            }
            ToServer::Lobby { id, request } => {
                let answered = self.answer_in_lobby(id, request);
                answered.unwrap_or_else(|refusal| self.refuse(id, refusal));
            }
            ToServer::Ping(number) => {
                self.receiver.count_sign();
                self.send_despite_halt(&ToClient::Pong(number));
            }
            ToServer::Pong(_) => self.receiver.count_sign(),
        }
    }

    /// Reports to the lobby that a player's connection is silent since this instant, or is not silent any
    /// more.
    fn note_silence(&mut self, heard: Option<Instant>) {
        self.is_silent = heard.is_some();
        if let Some(Location { lobby, who: Who::Player(player), .. }) = &self.location {
            lobby.note_silence(*player, self.connection(), heard);
        }
    }

    /// Leaves the lobby, unless the server is stopping, and returns the connection.
    pub(super) fn finish(self, end: &End) -> Receiver {
        let is_stopping = match end {
            End::Farewell(Farewell::Stopping | Farewell::Kept) => true,
            // One that is to come back may find its lobby still here.
            End::Farewell(Farewell::Moved) => self.app().connections.are_ended(),
            _ => false,
        };
        if is_stopping && let Some(location) = self.location {
            location.stay();
        }
        self.receiver
    }
}
