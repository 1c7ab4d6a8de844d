//! Requests in a lobby: actions of the game, hints and reviews, chat, leaving.

use super::location::Location;
use super::state::{About, ServerSession, Thinking};
use crate::bot::Stop;
use crate::game::notation::printable;
use crate::lobby::{self, Text};
use crate::number::saturating;
use crate::server::lobby::PlayedMove;
use crate::server::restrictions::Restriction;
use crate::study;
use crate::wire::limits::{MAX_CHAT, SAID_WITHIN};
use crate::wire::{ChatRefusal, LobbyRequest, Misplaced, PositionValue, Refusal, Review, ToClient};

impl ServerSession {
    /// Grants or refuses a request in a lobby.
    pub(super) fn answer_in_lobby(&mut self, id: u32, request: LobbyRequest) -> Result<(), Refusal> {
        self.charge(1)?;
        self.leave_if_kicked();
        // Leaving needs no journal if it causes no event and all earlier ones were sent.
        let may_leave = |location: &Location| location.lobby.leaving_has_effect(location.who);
        let needs_journal =
            || self.location.as_ref().is_some_and(may_leave) || self.connection().has_deferred();
        if request != LobbyRequest::Leave || needs_journal() {
            self.check_journal()?;
        }
        self.connection().note_request();
        if request == LobbyRequest::Again {
            self.check_drain()?;
        }
        let location = self.location.as_ref().ok_or(Misplaced::InHall)?;
        match request {
            LobbyRequest::Hint => {
                let (board, turn) = location.lobby.board_for_hint((location.who, self.connection()))?;
                self.think(id, About::Turn(turn), move |stop| {
                    let hint = study::hint(&board, stop)?;
                    Some(ToClient::Hint { turn, mv: hint.mv, words: Text::cut(&hint.words) })
                })?;
            }
            LobbyRequest::Review { number } => {
                let PlayedMove { board, mv, count } = location.lobby.played(number)?;
                self.think(id, About::Move(number), move |stop| {
                    let study::MoveReview { before, after, words } = study::review(&board, mv, stop)?;
                    let (before, after, words) =
                        (position_value(before), position_value(after), Text::cut(&words));
                    Some(ToClient::Reviewed(Review { number, count, mv, before, after, words }))
                })?;
            }
            LobbyRequest::Say { words } => self.say(&words)?,
            LobbyRequest::Kick { name } => location.lobby.kick((location.who, self.connection()), &name)?,
            LobbyRequest::Leave => {
                self.cancel_job();
                if let Some(location) = self.location.take() {
                    location.leave();
                }
            }
            request => {
                let asking = (location.who, self.connection());
                location.lobby.ask(asking, request, self.receiver.last_received)?;
                // The position has changed, so the earlier job is obsolete.
                self.cancel_job();
            }
        }
        Ok(())
    }

    /// Starts a job, unless the same one is running.
    fn think(
        &mut self,
        id: u32,
        about: About,
        work: impl FnOnce(&Stop) -> Option<ToClient> + Send + 'static,
    ) -> Result<(), Refusal> {
        if self.thinking.as_ref().is_some_and(|thinking| thinking.about == about) {
            return Err(lobby::Refusal::HintPending.into());
        }
        self.cancel_job();
        let job = self.app().services.think_pool.run(self.connection().address(), work);
        self.thinking = Some(Box::new(Thinking { id, about, job }));
        Ok(())
    }

    /// Puts the client back into the hall if it watched and was kicked. It was told already.
    pub(super) fn leave_if_kicked(&mut self) {
        if let Some(location) = self.location.take_if(|location| location.is_kicked()) {
            location.stay();
            self.cancel_job();
        }
    }

    /// Cancels an obsolete hint or evaluation, and reports it to the client.
    fn cancel_job(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.refuse(thinking.id, lobby::Refusal::HintLate);
        }
    }

    /// Broadcasts a line of chat to the same room.
    fn say(&mut self, words: &Text<MAX_CHAT>) -> Result<(), Refusal> {
        let location = self.location.as_ref().ok_or(Misplaced::InHall)?;
        let most = self.receiver.app.config.max_lines;
        if most == 0 {
            return Err(Refusal::Chat(ChatRefusal::Off));
        }
        let (connection, restrictions) = (self.connection(), &self.app().restrictions);
        if connection.is_muted() || restrictions.holds(Restriction::Mute, connection.address()) {
            return Err(Refusal::Chat(ChatRefusal::Muted));
        }
        let line: String = printable(words.as_str().trim()).collect();
        if line.is_empty() {
            return Err(Refusal::Chat(ChatRefusal::Empty));
        }
        if !self.limits().chat(self.receiver.last_received) {
            let seconds = saturating(SAID_WITHIN.as_secs());
            return Err(Refusal::Chat(ChatRefusal::TooFast { most, seconds }));
        }
        location.lobby.say(location.room(), self.name.name(), Text::cut(&line));
        Ok(())
    }
}

/// The evaluation of a position as the protocol has it.
fn position_value(known: Option<study::Known>) -> PositionValue {
    let Some(known) = known else { return PositionValue::Unknown };
    match known.verdict() {
        study::Verdict::Win => PositionValue::Win { moves: known.plies() },
        study::Verdict::Loss => PositionValue::Loss { moves: known.plies() },
        study::Verdict::Draw => PositionValue::Draw,
    }
}
