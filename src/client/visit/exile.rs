//! The time without a connection: how it begins, and how it ends.

use std::time::Duration;

use tokio::time::Instant;

use super::{Asked, News, Visit};
use crate::client::comeback::Comeback;
use crate::client::model::Role;
use crate::client::{Connection, Failure, Way, Wish};
use crate::lobby::Text;
use crate::wire::{Farewell, HallRequest, LobbyRequest, Refusal};

/// The time without a connection, which ends when the client is back in its seat.
#[derive(Debug)]
pub(super) struct Exile {
    pub(super) since: Instant,
    /// The attempts to reach the server; `None` once it is reached and asked for the seat.
    pub(super) comeback: Option<Comeback>,
    /// A move to be made after the return, if it is still for the same turn.
    pub(super) held: Option<Held>,
}

/// A move that the server may not know of.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) play: LobbyRequest,
    /// It was typed when the connection was lost already, so that the server cannot know of it.
    pub(super) typed: bool,
}

impl Visit {
    /// The way back after this failure, if it is one that passes, and if there is something to come back to.
    pub(super) fn way_back(&self, failure: &Failure) -> Option<&Way> {
        let passes = match failure {
            Failure::Broken(_) | Failure::Silent(_) => true,
            Failure::Goodbye(word) => {
                matches!(
                    word,
                    Farewell::Stopping
                        | Farewell::Kept
                        | Farewell::Behind
                        | Farewell::Silent
                        | Farewell::HalfFrame
                )
            }
            _ => false,
        };
        self.way.as_ref().filter(|way| passes && !way.patience.is_zero() && !self.arriving && !self.quitting)
    }

    /// The connection is lost: from now on the client tries to come back.
    pub(super) fn lose(&mut self, failure: Failure) -> Result<News, Failure> {
        let Some(way) = self.way_back(&failure) else { return Err(failure) };
        let patience = self.patience(way);
        let again = self.exile.is_some();
        let way = way.clone();
        let play = self.pending.take().and_then(|pending| pending.play);
        let exile = self.exile.get_or_insert(Exile { since: Instant::now(), comeback: None, held: None });
        exile.held = play.map(|play| Held { play, typed: false }).or(exile.held.take());
        exile.comeback = Some(Comeback::begin(&way, patience.saturating_sub(exile.since.elapsed())));
        Ok(if again { News::Nothing } else { News::Lost { failure, patience } })
    }

    /// For how long to look for the server: no longer than the seat is kept.
    fn patience(&self, way: &Way) -> Duration {
        let kept = self.model.lobby().and_then(|mine| mine.lobby.kept_without(mine.you()?));
        kept.map_or(way.patience, |kept| kept.min(way.patience))
    }

    /// The server is reached again: the client asks for its seat, or where it had none looks at the hall.
    pub(super) async fn reach(&mut self, connection: Connection) -> Result<News, Failure> {
        self.hands.replace(connection);
        if let Some(exile) = &mut self.exile {
            exile.comeback = None;
        }
        let place = self.model.lobby().map(|mine| (mine.role, mine.lobby.code(), mine.lobby.last_event()));
        let asked = match place {
            Some((Role::Player { ticket, .. }, code, seen)) => {
                let code = Text::cut(&code.to_string());
                self.ask_hall(Asked::Return, HallRequest::Return { code, ticket, seen }).await
            }
            Some((Role::Watcher, code, _)) => {
                let request = Wish::Watch(code, self.password.clone());
                self.ask_hall(Asked::Return, (&request).into()).await
            }
            None => self.wish(&Wish::Hall).await,
        };
        match asked {
            Err(failure) => self.lose(failure),
            Ok(()) => Ok(News::Nothing),
        }
    }

    /// The server cannot record that anybody comes back. That passes, so the client tries again in a while.
    pub(super) fn wait_outside(&mut self, refusal: Refusal) -> Result<News, Failure> {
        let (Some(way), Some(exile)) = (&self.way, &mut self.exile) else {
            return Err(Failure::Refused(refusal));
        };
        exile.comeback = Some(Comeback::begin_later(way, way.patience.saturating_sub(exile.since.elapsed())));
        Ok(News::Nothing)
    }

    /// The client cannot come back for this reason. A seat is not its own any more, so nobody is to come back to it.
    pub(super) fn shut_out(&mut self, refusal: Refusal) -> Failure {
        if self.is_watching() {
            return Failure::Refused(refusal);
        }
        match (&mut self.keeper, &self.claimed) {
            (Some(keeper), Some(seat)) => keeper.forget(seat),
            (Some(keeper), None) => keeper.note(None),
            (None, _) => {}
        }
        Failure::SeatLost(refusal)
    }

    /// The client is back in its seat, and makes the move that it owes, if it is still for the same turn. Returns whether one
    /// comes too late that was typed meanwhile.
    pub(super) async fn come_back(&mut self) -> Result<bool, Failure> {
        (self.pending, self.arriving, self.claimed) = (None, false, None);
        let held = self.exile.take().and_then(|exile| exile.held);
        let turn = self.model.lobby().filter(|mine| mine.is_to_move()).map(|mine| mine.lobby.turn());
        let Some(Held { play, typed }) = held else { return Ok(false) };
        let in_time = matches!(play, LobbyRequest::Play { turn: meant, .. } if turn == Some(meant));
        if in_time {
            self.ask(play).await?;
        }
        Ok(typed && !in_time)
    }
}
