//! Shows the events of the session as lines.

use std::io::Write;

use super::password::PasswordQuestion;
use super::{LineFace, Typing};
use crate::client::model::Changes;
use crate::client::session::{Afterwards, Flow, SessionEvent};
use crate::client::words;
use crate::client::{Action, Failure};
use crate::game::any::Move;
use crate::lobby::{Event, Lobby, Notice};
use crate::wire::{ChatLine, HallEvent, Refusal, Review};

impl<W: Write> LineFace<W> {
    pub(super) fn show_event(&mut self, event: SessionEvent) -> Result<Flow, Failure> {
        match event {
            SessionEvent::Entered => self.show_entered()?,
            SessionEvent::Happened { event: Event::Closed, .. } if self.session.is_watching() => {
                self.say(words::chat::CLOSED)?;
            }
            SessionEvent::Happened { event, before } => self.show_happened(&event, &before)?,
            SessionEvent::Lost { failure, patience, limited } => {
                self.say(&words::connection::lost(&failure, patience, limited, self.session.is_watching()))?;
                if self.session.leaves_later() {
                    self.show_leaving()?;
                }
            }
            SessionEvent::RetryingReturn { refusal, left } => {
                self.say(&words::connection::retrying_return(&refusal, left))?;
            }
            SessionEvent::Noticed(notice) => self.show_noticed(&notice)?,
            SessionEvent::Kicked => self.say(words::chat::KICKED)?,
            SessionEvent::Returned { late, anew, replaced, noticed, quiet } => {
                if replaced.is_some() {
                    self.say_of_lobby(|lobby| vec![words::connection::still_seated(lobby)])?;
                }
                self.show_missed(anew, &noticed)?;
                self.show_returned(late, quiet)?;
            }
            SessionEvent::Hall { told, changes, looking } => self.show_hall(&told, &changes, looking)?,
            SessionEvent::Hint { turn, mv, words } => self.show_hint(turn, mv, &words.to_string())?,
            SessionEvent::LeftUnrecorded => return Ok(Flow::Break(())),
            SessionEvent::Halted => self.say(&words::connection::halted(self.session.model().halted()))?,
            SessionEvent::Said(lines) => self.show_said(&lines)?,
            SessionEvent::HostSaid(words) => self.say(&words::chat::host_said(&words))?,
            SessionEvent::Reviewed(review) => self.show_review(&review)?,
            SessionEvent::Refused { refusal, .. } => self.show_refusal(refusal)?,
            SessionEvent::Outside
                if self.session.is_quitting() || self.session.afterwards() == Afterwards::Home =>
            {
                return Ok(Flow::Break(()));
            }
            SessionEvent::Outside => {
                self.say_farewell()?;
                self.ask_hall(&Action::Look);
            }
            SessionEvent::Nothing => {}
        }
        Ok(Flow::Continue(()))
    }

    fn show_entered(&mut self) -> Result<(), Failure> {
        let Some(mine) = self.session.model().lobby().filter(|mine| !mine.is_for_two()) else {
            return Ok(());
        };
        let Some(you) = mine.you() else {
            let mut told = words::chat::watching(&mine.lobby);
            if let Some(first) = told.first_mut() {
                first.push_str(words::chat::TYPE_HELP);
            }
            self.say_all(&told)?;
            return self.show_clocks();
        };
        let missing = words::not_granted(&self.hall_action, &mine.lobby);
        let missing = missing.into_iter().map(str::to_owned);
        let lines: Vec<String> = words::entered(&mine.lobby, you).into_iter().chain(missing).collect();
        self.say_all(&lines)
    }

    fn show_happened(&mut self, event: &Event, before: &Lobby) -> Result<(), Failure> {
        let eyes = self.session.viewpoint();
        if matches!(event, Event::Started { .. }) {
            self.reviewed = 0;
        }
        self.say_of_lobby(|after| words::happened(event, before, after, eyes))?;
        let turns = matches!(event, Event::Moved { .. } | Event::TakenBack { .. });
        if turns || matches!(event, Event::Paused | Event::Resumed { .. }) {
            self.show_clocks()?;
        }
        self.show_why_if(|after| words::status::changes_the_wait(event, after, eyes))
    }

    fn show_noticed(&mut self, notice: &Notice) -> Result<(), Failure> {
        let eyes = self.session.viewpoint();
        self.say_of_lobby(|lobby| words::noticed(notice, lobby, eyes))?;
        self.show_why_if(|lobby| words::status::notice_changes_the_wait(notice, lobby, eyes))
    }

    /// Shows what the lobby waits for, if that changes. After a return, and after the server can record again,
    /// it is shown last.
    fn show_why_if(&mut self, changes: impl FnOnce(&Lobby) -> bool) -> Result<(), Failure> {
        let is_here = !self.session.is_lost() && !self.session.is_halted();
        if is_here && self.session.lobby().is_some_and(changes) { self.show_why() } else { Ok(()) }
    }

    fn show_said(&mut self, lines: &[ChatLine]) -> Result<(), Failure> {
        let lines: Vec<String> = lines.iter().map(words::chat::said).collect();
        self.say_all(&lines)
    }

    fn show_review(&mut self, review: &Review) -> Result<(), Failure> {
        self.reviewed = review.number;
        self.say_of_lobby(|lobby| vec![words::chat::reviewed(lobby, review)])?;
        let more = review.number < review.count;
        self.say(if more { "Type review for the next move." } else { "That was the last move." })
    }

    fn show_clocks(&mut self) -> Result<(), Failure> {
        let clocks = words::session::clocks(&self.session);
        self.say_all(clocks.as_slice())
    }

    fn show_missed(&mut self, anew: bool, noticed: &[Notice]) -> Result<(), Failure> {
        let eyes = self.session.viewpoint();
        for notice in noticed {
            self.say_of_lobby(|lobby| words::noticed(notice, lobby, eyes))?;
        }
        if anew {
            self.say_of_lobby(|lobby| words::returned(lobby, eyes))?;
        }
        Ok(())
    }

    /// Shows that the client is back, unless nobody was told that it was gone.
    fn show_returned(&mut self, late: bool, quiet: bool) -> Result<(), Failure> {
        if !quiet {
            self.say(words::connection::returned(self.session.is_watching()))?;
        }
        if late {
            self.say(words::connection::TOO_LATE)?;
        }
        if quiet {
            return Ok(());
        }
        self.show_clocks()?;
        self.show_why()
    }

    /// Shows what the lobby waits for, and what can be typed.
    pub(super) fn show_why(&mut self) -> Result<(), Failure> {
        let (why, how) = (words::session::why(&self.session), words::session::can_be_typed(&self.session));
        self.say(&how.map_or(why.clone(), |how| format!("{why} {how}")))
    }

    fn show_hall(&mut self, told: &HallEvent, changes: &Changes, looking: bool) -> Result<(), Failure> {
        let HallEvent::Lobbies { complete, .. } = told;
        match (looking, complete) {
            (true, true) => self.say_all(&words::hall(self.session.model().hall())),
            (true, false) => Ok(()),
            (false, _) => self.say_all(&words::changes(changes)),
        }
    }

    fn show_hint(&mut self, turn: u32, mv: Move, words: &str) -> Result<(), Failure> {
        let lobby = self.session.lobby().filter(|lobby| lobby.turn() == turn);
        // The hint is outdated if the game went on meanwhile.
        let Some(lobby) = lobby else { return Ok(()) };
        let (hint, pattern) = (words::hint(lobby, mv, words), words::hint_pattern(lobby, words));
        self.say_all(&hint)?;
        if !pattern.is_empty() && !std::mem::replace(&mut self.explained, true) {
            self.say_all(&pattern)?;
        }
        Ok(())
    }

    /// Shows a refusal. If it is that of the first action, the program ends; else the question is repeated.
    fn show_refusal(&mut self, refusal: Refusal) -> Result<(), Failure> {
        // With a pipe as input, the program ends with the refusal of the first action.
        let asks = self.typing == Typing::AtTerminal || !self.session.is_arriving();
        if let Some(question) = PasswordQuestion::after(&self.hall_action, &refusal).filter(|_| asks) {
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
