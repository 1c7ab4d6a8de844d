//! The JSON face: one object a line in and out, for scripts. `proto/JSON.md` is the page for those who write them.
//!
//! One line is read ahead. What can be done at any time is done at once; what answers a prompt (`hall`, `your_turn`, `over`)
//! is held until one comes, and nothing behind it is read. So a script may react to what it is told or send everything at
//! once, and the same lines lead to the same game. Knows nothing of people at a screen.

mod complaint;
pub mod event;
pub mod listed;
pub mod nearby;
mod part;
pub mod request;
mod said;
mod telling;
mod translation;
pub mod vocabulary;

use std::io::{self, Write};

pub use event::Event;
pub use request::Request;
use request::{Errand, Misread, Slip};
use said::Said;
use vocabulary::{Deed, Refusal};

use super::input::Lines;
use super::session::{Flow, SendStatus, Session, SessionEvent};
use super::{Action, Address, Failure, Preferences, words};
use crate::lobby::Lobby;
use crate::wire;

/// The JSON face, from the welcome to the end of the program.
#[derive(Debug)]
pub struct Json<W> {
    session: Session,
    input: Lines,
    out: W,
    /// The terms of lobbies that are opened from the hall, as far as a request leaves them out.
    preferences: Preferences,
    /// The prompts that were written and that no line has answered yet.
    prompts: Vec<Event>,
    /// What was read and is not done yet.
    ahead: Option<Said>,
}

impl<W: Write> Json<W> {
    /// A face for this session.
    pub fn new(session: Session, input: Lines, out: W) -> Self {
        Self { session, input, out, preferences: Preferences::default(), prompts: Vec::new(), ahead: None }
    }

    /// The same face with other terms for lobbies that are opened from the hall.
    #[must_use]
    pub fn preferring(self, preferences: Preferences) -> Self {
        Self { preferences, ..self }
    }

    /// Does what the client came for, and what the script asks, until that has enough. `server` is the address
    /// to be shown in the welcome, if the server is not a part of this program.
    pub async fn run(mut self, server: Option<&Address>, wish: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        self.write(&Event::Welcome { name, server: server.map(Address::to_string) })?;
        self.session.act(wish.clone()).await?;
        while self.step().await?.is_continue() {}
        Ok(())
    }

    /// Waits for the server or the script, and does what follows. The server goes first, so that a line is obeyed by who
    /// knows all that has been told.
    async fn step(&mut self) -> Result<Flow, Failure> {
        self.write_prompts()?;
        let reads = self.ahead.is_none() && self.session.reads_ahead();
        let obeys = self.ahead.as_ref().is_some_and(|said| self.session.is_time_for(said.timing()));
        tokio::select! {
            biased;
            message = self.session.next() => {
                let news = self.session.handle(message?).await?;
                if let Some(complaint) = self.session.complaint() {
                    self.write(&telling::seat(&complaint))?;
                }
                self.tell(news)
            }
            () = std::future::ready(()), if obeys => self.obey().await,
            line = self.input.next(), if reads => {
                self.ahead = Said::read(line.as_deref());
                Ok(Flow::Continue(()))
            }
        }
    }

    /// Asks for all that is open now, unless that prompt stands there already.
    fn write_prompts(&mut self) -> Result<(), Failure> {
        let lobby = self.session.lobby();
        let due: Vec<Event> =
            self.session.questions().filter_map(|question| telling::prompt(question, lobby)).collect();
        let known = std::mem::take(&mut self.prompts);
        due.iter().filter(|prompt| !known.contains(prompt)).try_for_each(|prompt| self.write(prompt))?;
        self.prompts = due;
        Ok(())
    }

    // What the server says.

    fn tell(&mut self, news: SessionEvent) -> Result<Flow, Failure> {
        let (lobby, eyes) = (self.session.lobby(), self.session.eyes());
        let told = match news {
            SessionEvent::ReturnedAnew { late } => {
                let entered = self.entered();
                entered.iter().try_for_each(|told| self.write(told))?;
                return self.tell_returned(late);
            }
            SessionEvent::Returned { late } => return self.tell_returned(late),
            SessionEvent::Lost { failure, patience, .. } => Some(telling::lost(&failure, patience)),
            SessionEvent::Entered => self.entered(),
            SessionEvent::Said(lines) => {
                return lines
                    .iter()
                    .try_for_each(|line| self.write(&telling::said(line)))
                    .map(|()| Flow::Continue(()));
            }
            SessionEvent::Halted if self.session.leaves_unrecorded() => {
                return self.go_home(if self.session.is_quitting() { Deed::Quit } else { Deed::Leave });
            }
            SessionEvent::Halted => {
                Some(Event::Halted { words: self.session.model().halted().map(Into::into) })
            }
            SessionEvent::Reviewed(review) => lobby.and_then(|lobby| telling::reviewed(lobby, &review)),
            SessionEvent::Happened { event, before } => {
                lobby.and_then(|after| telling::happened(&event, &before, after, eyes))
            }
            SessionEvent::Hall { told, .. } => Some(telling::lobbies(told)),
            SessionEvent::Hint { turn, mv, words } => {
                lobby.map(|lobby| telling::hint(lobby, turn, mv, &words))
            }
            SessionEvent::Refused { asked: Some(asked), refusal: wire::Refusal::Halted { .. } }
                if asked.is_leave() && self.session.is_kept_here() =>
            {
                return self.go_home(if asked == Action::Quit { Deed::Quit } else { Deed::Leave });
            }
            SessionEvent::Refused { asked: Some(asked), refusal: wire::Refusal::Halted { why } }
                if asked.is_leave() =>
            {
                let words = words::absence::kept_in(&why.to_string(), self.session.kept_for_me());
                self.refuse(Deed::of(&asked), Refusal::Halted, words)?;
                None
            }
            SessionEvent::Refused { asked, refusal } => {
                return self.tell_refusal(asked.as_ref().and_then(Deed::of), refusal);
            }
            SessionEvent::Barred { refusal, left } => {
                let words = words::absence::barred(&refusal, left);
                self.refuse(None, Refusal::from(&refusal), words)?;
                None
            }
            SessionEvent::Outside => return self.tell_outside(),
            SessionEvent::Nothing => None,
        };
        told.iter().try_for_each(|told| self.write(told))?;
        Ok(Flow::Continue(()))
    }

    /// The lobby in which the script is.
    fn entered(&self) -> Option<Event> {
        let model = self.session.model();
        model.lobby().map(|mine| telling::entered(mine, model.name(), self.session.eyes()))
    }

    /// The script is back; a move of its may be `late`, which nobody has made.
    fn tell_returned(&mut self, late: bool) -> Result<Flow, Failure> {
        self.write(&Event::Returned {})?;
        if late {
            self.refuse(Some(Deed::Play), Refusal::OtherTurn, words::absence::TOO_LATE.into())?;
        }
        Ok(Flow::Continue(()))
    }

    /// A refusal of what the client came for ends it.
    fn tell_refusal(&mut self, request: Option<Deed>, refusal: wire::Refusal) -> Result<Flow, Failure> {
        self.refuse(request, Refusal::from(&refusal), refusal.to_string())?;
        if self.session.is_arriving() { Err(Failure::Refused(refusal)) } else { Ok(Flow::Continue(())) }
    }

    /// Whoever plays here can go, though it cannot be recorded that they have left.
    fn go_home(&mut self, deed: Deed) -> Result<Flow, Failure> {
        self.refuse(Some(deed), Refusal::Halted, words::absence::LEFT_UNRECORDED.into())?;
        Ok(Flow::Break(()))
    }

    fn tell_outside(&mut self) -> Result<Flow, Failure> {
        self.write(&Event::Outside {})?;
        // The second player at this keyboard is still in the lobby: the two come and go together.
        let done = self.session.is_quitting() || self.session.is_of_two();
        Ok(if done { Flow::Break(()) } else { Flow::Continue(()) })
    }

    // What the script says.

    async fn obey(&mut self) -> Result<Flow, Failure> {
        let Some(said) = self.ahead.take() else { return Ok(Flow::Continue(())) };
        self.prompts.clear();
        match said {
            Said::Request(request) => self.run_errand(&request).await,
            Said::Nonsense(Misread { fault, words }) => {
                self.write(&Event::Error { fault, words })?;
                Ok(Flow::Continue(()))
            }
            Said::End => self.session.end_of_input(),
        }
    }

    async fn run_errand(&mut self, request: &Request) -> Result<Flow, Failure> {
        if self.session.is_lost() && *request == (Request::Why {}) {
            self.write(&Event::Why { words: self.session.why() })?;
            return Ok(Flow::Continue(()));
        }
        match request.errand(self.session.lobby(), &self.preferences) {
            // It waits to be let in already.
            Ok(Errand::Act(action)) if action.is_for_hall() && self.session.is_halted() => {
                self.refuse(Some(request.deed()), Refusal::Halted, self.session.why())?;
            }
            Ok(Errand::Act(action)) => {
                if self.session.act(*action).await? == SendStatus::Done {
                    return self.session.go();
                }
            }
            Ok(Errand::Mute(name, muted)) => {
                self.session.mute(&name, muted);
            }
            Ok(Errand::Why) => {
                let words = self.session.why();
                self.write(&Event::Why { words })?;
            }
            Ok(Errand::Terms) => {
                let terms = self.session.lobby().map(telling::terms);
                terms.iter().try_for_each(|terms| self.write(terms))?;
            }
            Err(Slip { refusal, words }) => self.refuse(Some(request.deed()), refusal, words)?,
        }
        Ok(Flow::Continue(()))
    }

    // What is written.

    fn refuse(&mut self, request: Option<Deed>, refusal: Refusal, words: String) -> Result<(), Failure> {
        let turn = self.session.lobby().map_or(0, Lobby::turn);
        self.write(&Event::Refused { request, refusal, turn, words })
    }

    fn write(&mut self, event: &Event) -> Result<(), Failure> {
        write(&mut self.out, event).map_err(Failure::Output)
    }
}

/// Writes the last object, for a program that ends well or with this failure; before it the seats, if the failure is that it
/// is not clear which one to come back to.
pub fn write_end(out: &mut impl Write, failure: Option<&Failure>) -> io::Result<()> {
    if let Some(Failure::NoSeat(none)) = failure {
        write(out, &telling::seats(none))?;
    }
    write(out, &telling::end(failure))
}

fn write(out: &mut impl Write, event: &Event) -> io::Result<()> {
    serde_json::to_writer(&mut *out, event)?;
    out.write_all(b"\n")?;
    out.flush()
}
