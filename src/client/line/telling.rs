//! What the server says, as it is shown to whoever reads along. It knows no keyboard.

use std::io::Write;

use super::door::Door;
use super::{Line, Typing};
use crate::client::visit::{Afterwards, Changes, Flow, News};
use crate::client::words;
use crate::client::{Failure, Wish};
use crate::game::any::Move;
use crate::lobby::{Event, Lobby};
use crate::wire::{ChatLine, HallEvent, Refusal, Review};

impl<W: Write> Line<W> {
    pub(super) async fn tell(&mut self, news: News) -> Result<Flow, Failure> {
        match news {
            News::Entered => self.tell_entered()?,
            News::Happened { event: Event::Closed, .. } if self.visit.is_watching() => {
                self.say(words::company::CLOSED)?;
            }
            News::Happened { event, before } => self.tell_happened(&event, &before)?,
            News::Lost { failure, patience, limited } => {
                self.say(&words::absence::lost(&failure, patience, limited, self.visit.is_watching()))?;
                if self.visit.leaves_later() {
                    self.tell_leaving()?;
                }
            }
            News::Barred { refusal, left } => self.say(&words::absence::barred(&refusal, left))?,
            News::Returned { late } => self.tell_back(late)?,
            News::ReturnedAnew { late } => self.tell_returned(late)?,
            News::Hall { told, changes, looking } => self.tell_hall(&told, &changes, looking)?,
            News::Hint { turn, mv, words } => self.tell_hint(turn, mv, &words.to_string())?,
            News::Halted if self.visit.leaves_unrecorded() => return self.go_home(),
            News::Halted => {
                self.say(&self.visit.halt())?;
                if self.visit.leaves_once_recorded() {
                    self.say(words::absence::LEAVING_UNRECORDED)?;
                }
            }
            News::Said(lines) => self.tell_said(&lines)?,
            News::Reviewed(review) => self.tell_review(&review)?,
            News::Refused { asked: Some(asked), refusal: Refusal::Halted { .. } }
                if asked.is_leave() && self.visit.is_kept_here() =>
            {
                return self.go_home();
            }
            News::Refused { asked: Some(asked), refusal: Refusal::Halted { why } } if asked.is_leave() => {
                self.say(&words::absence::kept_in(&why.to_string(), self.visit.kept_for_me()))?;
            }
            News::Refused { refusal, .. } => self.tell_refusal(refusal)?,
            News::Outside if self.visit.is_quitting() || self.afterwards == Afterwards::Home => {
                return Ok(Flow::Break(()));
            }
            News::Outside => self.wish(&Wish::Hall).await?,
            News::Nothing => {}
        }
        Ok(Flow::Continue(()))
    }

    /// Whoever plays here can go, though it cannot be recorded that they have left.
    fn go_home(&mut self) -> Result<Flow, Failure> {
        self.say(words::absence::LEFT_UNRECORDED)?;
        Ok(Flow::Break(()))
    }

    fn tell_entered(&mut self) -> Result<(), Failure> {
        match self.visit.model().lobby().map(|mine| (mine.lobby.clone(), mine.you())) {
            Some((lobby, None)) => {
                let mut told = words::company::watching(&lobby);
                if let Some(first) = told.first_mut() {
                    first.push_str(words::company::TYPE_HELP);
                }
                self.say_all(&told)?;
                self.tell_clocks()
            }
            Some((lobby, Some(you))) if !self.visit.is_of_two() => {
                self.say_all(&words::entered(&lobby, you))?;
                let missing = words::not_granted(&self.wish, words::Chosen::ByFlags, &lobby);
                missing.into_iter().try_for_each(|line| self.say(line))
            }
            _ => Ok(()),
        }
    }

    fn tell_happened(&mut self, event: &Event, before: &Lobby) -> Result<(), Failure> {
        let eyes = self.visit.eyes();
        if matches!(event, Event::Started { .. }) {
            self.reviewed = 0;
        }
        self.show(|after| words::happened(event, before, after, eyes))?;
        let turns = matches!(event, Event::Moved { .. } | Event::TakenBack { .. });
        if turns || matches!(event, Event::Paused | Event::Resumed { .. }) {
            self.tell_clocks()?;
        }
        let changes = |after| words::absence::changes_the_wait(event, before, after, eyes);
        // While it is told what was missed, what the lobby waits for is told behind that; and behind what is told once something
        // can be recorded again, that it can.
        let is_here = !self.visit.is_lost() && !self.visit.is_halted();
        if is_here && self.visit.lobby().is_some_and(changes) { self.tell_why() } else { Ok(()) }
    }

    fn tell_said(&mut self, lines: &[ChatLine]) -> Result<(), Failure> {
        let lines: Vec<String> = lines.iter().map(words::company::said).collect();
        self.say_all(&lines)
    }

    fn tell_review(&mut self, review: &Review) -> Result<(), Failure> {
        self.reviewed = review.number;
        self.show(|lobby| vec![words::company::reviewed(lobby, review)])?;
        let more = review.number < review.count;
        self.say(if more { "Type review for the next move." } else { "That was the last move." })
    }

    fn tell_returned(&mut self, late: bool) -> Result<(), Failure> {
        let eyes = self.visit.eyes();
        self.show(|lobby| words::returned(lobby, eyes))?;
        self.tell_back(late)
    }

    fn tell_clocks(&mut self) -> Result<(), Failure> {
        let clocks = self.visit.clocks();
        self.say_all(clocks.as_slice())
    }

    fn tell_back(&mut self, late: bool) -> Result<(), Failure> {
        self.say(words::absence::returned(self.visit.is_watching()))?;
        if late {
            self.say(words::absence::TOO_LATE)?;
        }
        self.tell_clocks()?;
        self.tell_why()
    }

    /// What the lobby waits for, and what can be typed about it.
    pub(super) fn tell_why(&mut self) -> Result<(), Failure> {
        let (why, how) = (self.visit.why(), self.visit.can_be_typed());
        self.say(&how.map_or(why.clone(), |how| format!("{why} {how}")))
    }

    fn tell_hall(&mut self, told: &HallEvent, changes: &Changes, looking: bool) -> Result<(), Failure> {
        let HallEvent::Lobbies { complete, .. } = told;
        match (looking, complete) {
            (true, true) => self.say_all(&words::hall(self.visit.model().hall())),
            (true, false) => Ok(()),
            (false, _) => self.say_all(&words::changes(changes)),
        }
    }

    fn tell_hint(&mut self, turn: u32, mv: Move, words: &str) -> Result<(), Failure> {
        let lobby = self.visit.lobby().filter(|lobby| lobby.turn() == turn);
        // Otherwise the game went on while the server thought.
        let Some(hint) = lobby.map(|lobby| words::hint(lobby, mv, words)) else { return Ok(()) };
        self.say_all(&hint)?;
        if words.contains(words::NIM_SUM) && !std::mem::replace(&mut self.explained, true) {
            self.say_all(&words::WHAT_THE_NIM_SUM_IS)?;
        }
        Ok(())
    }

    /// A refusal of what the client came for ends it; any other is told, and the question is asked again.
    fn tell_refusal(&mut self, refusal: Refusal) -> Result<(), Failure> {
        // A script that came for a lobby learns from its end that it was not let in.
        let asks = self.typing == Typing::AtTerminal || !self.visit.is_arriving();
        if let Some(door) = Door::of(&self.wish, &refusal).filter(|_| asks) {
            let reason = door.reason();
            self.door = Some(door);
            return self.say(&reason);
        }
        if self.visit.is_arriving() {
            return Err(Failure::Refused(refusal));
        }
        self.say(&format!("No: {refusal}."))
    }
}
