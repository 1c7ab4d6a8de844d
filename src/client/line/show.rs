//! Shows what the server says as lines.

use std::io::Write;

use super::password::PasswordQuestion;
use super::{Line, Typing};
use crate::client::model::Changes;
use crate::client::session::{Afterwards, Flow, SessionEvent};
use crate::client::words;
use crate::client::{Action, Failure};
use crate::game::any::Move;
use crate::lobby::{Event, Lobby};
use crate::wire::{ChatLine, HallEvent, Refusal, Review};

impl<W: Write> Line<W> {
    pub(super) async fn tell(&mut self, news: SessionEvent) -> Result<Flow, Failure> {
        match news {
            SessionEvent::Entered => self.tell_entered()?,
            SessionEvent::Happened { event: Event::Closed, .. } if self.session.is_watching() => {
                self.say(words::chat::CLOSED)?;
            }
            SessionEvent::Happened { event, before } => self.tell_happened(&event, &before)?,
            SessionEvent::Lost { failure, patience, limited } => {
                self.say(&words::connection::lost(&failure, patience, limited, self.session.is_watching()))?;
                if self.session.leaves_later() {
                    self.tell_leaving()?;
                }
            }
            SessionEvent::ReturnDeferred { refusal, left } => {
                self.say(&words::connection::barred(&refusal, left))?
            }
            SessionEvent::Returned { late, anew } => self.tell_returned(late, anew)?,
            SessionEvent::Hall { told, changes, looking } => self.tell_hall(&told, &changes, looking)?,
            SessionEvent::Hint { turn, mv, words } => self.tell_hint(turn, mv, &words.to_string())?,
            SessionEvent::LeftUnrecorded => return self.leave_unrecorded(),
            SessionEvent::Halted => self.say(&words::connection::halted(self.session.model().halted()))?,
            SessionEvent::Said(lines) => self.tell_said(&lines)?,
            SessionEvent::Reviewed(review) => self.tell_review(&review)?,
            SessionEvent::Refused { refusal, .. } => self.tell_refusal(refusal)?,
            SessionEvent::Outside
                if self.session.is_quitting() || self.session.afterwards() == Afterwards::Home =>
            {
                return Ok(Flow::Break(()));
            }
            SessionEvent::Outside => self.wish(&Action::Look).await?,
            SessionEvent::Nothing => {}
        }
        Ok(Flow::Continue(()))
    }

    /// The person quits, or leaves a game at this keyboard, although that cannot be recorded.
    pub(super) fn leave_unrecorded(&mut self) -> Result<Flow, Failure> {
        self.say(words::connection::left_unrecorded(self.session.kept_for_me()))?;
        Ok(Flow::Break(()))
    }

    fn tell_entered(&mut self) -> Result<(), Failure> {
        let Some(mine) = self.session.model().lobby().filter(|mine| !mine.is_for_two()) else {
            return Ok(());
        };
        let Some(you) = mine.you() else {
            let mut told = words::chat::watching(&mine.lobby);
            if let Some(first) = told.first_mut() {
                first.push_str(words::chat::TYPE_HELP);
            }
            self.say_all(&told)?;
            return self.tell_clocks();
        };
        let missing = words::not_granted(&self.wish, &mine.lobby);
        let missing = missing.into_iter().map(str::to_owned);
        let lines: Vec<String> = words::entered(&mine.lobby, you).into_iter().chain(missing).collect();
        self.say_all(&lines)
    }

    fn tell_happened(&mut self, event: &Event, before: &Lobby) -> Result<(), Failure> {
        let eyes = self.session.viewpoint();
        if matches!(event, Event::Started { .. }) {
            self.reviewed = 0;
        }
        self.show(|after| words::happened(event, before, after, eyes))?;
        let turns = matches!(event, Event::Moved { .. } | Event::TakenBack { .. });
        if turns || matches!(event, Event::Paused | Event::Resumed { .. }) {
            self.tell_clocks()?;
        }
        let changes = |after| words::status::changes_the_wait(event, before, after, eyes);
        // After a return, and after the server can record again, what the lobby waits for is shown last.
        let is_here = !self.session.is_lost() && !self.session.is_halted();
        if is_here && self.session.lobby().is_some_and(changes) { self.tell_why() } else { Ok(()) }
    }

    fn tell_said(&mut self, lines: &[ChatLine]) -> Result<(), Failure> {
        let lines: Vec<String> = lines.iter().map(words::chat::said).collect();
        self.say_all(&lines)
    }

    fn tell_review(&mut self, review: &Review) -> Result<(), Failure> {
        self.reviewed = review.number;
        self.show(|lobby| vec![words::chat::reviewed(lobby, review)])?;
        let more = review.number < review.count;
        self.say(if more { "Type review for the next move." } else { "That was the last move." })
    }

    fn tell_clocks(&mut self) -> Result<(), Failure> {
        let clocks = words::session::clocks(&self.session);
        self.say_all(clocks.as_slice())
    }

    fn tell_returned(&mut self, late: bool, anew: bool) -> Result<(), Failure> {
        if anew {
            let eyes = self.session.viewpoint();
            self.show(|lobby| words::returned(lobby, eyes))?;
        }
        self.say(words::connection::returned(self.session.is_watching()))?;
        if late {
            self.say(words::connection::TOO_LATE)?;
        }
        self.tell_clocks()?;
        self.tell_why()
    }

    /// Shows what the lobby waits for, and what can be typed.
    pub(super) fn tell_why(&mut self) -> Result<(), Failure> {
        let (why, how) = (words::session::why(&self.session), words::session::can_be_typed(&self.session));
        self.say(&how.map_or(why.clone(), |how| format!("{why} {how}")))
    }

    fn tell_hall(&mut self, told: &HallEvent, changes: &Changes, looking: bool) -> Result<(), Failure> {
        let HallEvent::Lobbies { complete, .. } = told;
        match (looking, complete) {
            (true, true) => self.say_all(&words::hall(self.session.model().hall())),
            (true, false) => Ok(()),
            (false, _) => self.say_all(&words::changes(changes)),
        }
    }

    fn tell_hint(&mut self, turn: u32, mv: Move, words: &str) -> Result<(), Failure> {
        let lobby = self.session.lobby().filter(|lobby| lobby.turn() == turn);
        // Otherwise the game went on before the hint was found.
        let Some(hint) = lobby.map(|lobby| words::hint(lobby, mv, words)) else { return Ok(()) };
        self.say_all(&hint)?;
        if words.contains(words::NIM_SUM) && !std::mem::replace(&mut self.explained, true) {
            self.say_all(&words::WHAT_THE_NIM_SUM_IS)?;
        }
        Ok(())
    }

    /// The program ends if what the client came for is refused; after any other refusal the question is shown
    /// again.
    fn tell_refusal(&mut self, refusal: Refusal) -> Result<(), Failure> {
        // A script learns from the program's end that its lobby was refused.
        let asks = self.typing == Typing::AtTerminal || !self.session.is_arriving();
        if let Some(question) = PasswordQuestion::after(&self.wish, &refusal).filter(|_| asks) {
            let reason = question.reason();
            self.password = Some(question);
            return self.say(&reason);
        }
        if self.session.is_arriving() {
            return Err(Failure::Refused(refusal));
        }
        self.say(&format!("No: {refusal}."))
    }
}
