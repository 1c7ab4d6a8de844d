//! The JSON face for scripts: one object a line in and out. `proto/JSON.md` describes them.
//!
//! One line is read ahead. A request that is possible at any time is carried out at once; the answer to a
//! prompt (`hall`, `your_turn`, `over`) waits for the prompt, and no line after it is read. So a script may
//! react to each event or send everything at once, and the same lines lead to the same game.

mod describe;
pub mod event;
pub mod listed;
mod part;
pub mod request;
pub mod script;
pub mod words;

use std::io::{self, Write};

pub use event::EventLine;
pub use request::RequestLine;
use request::ScriptCommand;
pub use script::{PipedScript, Script};
use serde::Serialize;
use words::{BadLine, LocalRefusal, Word, refusal_word};

use super::session::{Flow, SendStatus, Session, SessionEvent, Timing};
use super::words::{connection, session};
use super::{Action, Address, Failure, Leaving, Terms};
use crate::lobby::Lobby;
use crate::number::millis;
use crate::wire::{ChatLine, Refusal};

/// A line of a script.
#[derive(Debug)]
enum ScriptLine {
    Request(RequestLine),
    BadLine(BadLine),
    /// There are no more lines.
    End,
}

impl ScriptLine {
    /// Reads a line, `None` for the end of the input; a blank one is ignored.
    fn read(line: Option<&str>) -> Option<Self> {
        match line {
            Some(line) if line.trim().is_empty() => None,
            Some(line) => Some(RequestLine::read(line).map_or_else(Self::BadLine, Self::Request)),
            None => Some(Self::End),
        }
    }

    fn timing(&self) -> Timing {
        match self {
            Self::Request(request) => request.timing(),
            Self::BadLine(_) => Timing::AnyTurn,
            Self::End => Timing::End,
        }
    }
}

/// The JSON face, from the welcome to the end of the program.
#[derive(Debug)]
pub struct JsonFace<S> {
    session: Session,
    script: S,
    /// The lines that are not written to the script yet.
    unwritten: Vec<String>,
    /// The defaults for new lobbies.
    preferences: Terms,
    /// The prompts without an answer yet.
    prompts: Vec<EventLine>,
    /// The line that was read ahead.
    ahead: Option<ScriptLine>,
    /// Whether the script keeps its seat by itself, since nothing is saved here.
    keeps_ticket: bool,
}

impl<S: Script> JsonFace<S> {
    /// A JSON face between this session and this script; new lobbies are as in `preferences`.
    pub fn new(session: Session, script: S, preferences: Terms) -> Self {
        let (unwritten, prompts, session) = (Vec::new(), Vec::new(), session.for_script());
        Self { session, script, unwritten, preferences, prompts, ahead: None, keeps_ticket: false }
    }

    /// The same for a script that has no other program on its machine: it is told the ticket of its seat, to
    /// keep it and to return with it.
    #[must_use]
    pub fn telling_tickets(self) -> Self {
        Self { keeps_ticket: true, ..self }
    }

    /// Sends the first action, then carries out the script's lines until it quits.
    pub async fn run(mut self, first: &Action) -> Result<(), Failure> {
        let end = self.play(first).await;
        let written = self.write_out().await;
        end.and(written)
    }

    async fn play(&mut self, first: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        let server = self.session.server().filter(|_| !self.keeps_ticket).map(Address::to_string);
        self.write(&EventLine::Welcome { name, server })?;
        self.session.act(first.clone());
        while self.step().await?.is_continue() {}
        Ok(())
    }

    /// Handles the next message or line. Messages go first, so that a line applies to the latest state.
    async fn step(&mut self) -> Result<Flow, Failure> {
        self.write_prompts()?;
        self.write_out().await?;
        let reads = self.ahead.is_none() && self.session.reads_ahead();
        let is_due = self.ahead.as_ref().is_some_and(|line| self.session.is_time_for(line.timing()));
        tokio::select! {
            biased;
            message = self.session.next() => {
                let event = self.session.handle(message?)?;
                if let Some(warning) = self.session.seat_warning() {
                    self.write(&describe::seat(&warning))?;
                }
                self.write_session_event(event)
            }
            () = std::future::ready(()), if is_due => self.carry_out(),
            line = self.script.next(), if reads => {
                self.ahead = ScriptLine::read(line.as_deref());
                Ok(Flow::Continue(()))
            }
        }
    }

    /// Writes the open prompts that are new.
    fn write_prompts(&mut self) -> Result<(), Failure> {
        if self.session.is_moving() {
            return Ok(());
        }
        let lobby = self.session.lobby();
        let open: Vec<EventLine> =
            self.session.questions().filter_map(|question| describe::prompt(question, lobby)).collect();
        let known = std::mem::replace(&mut self.prompts, open.clone());
        open.iter().filter(|prompt| !known.contains(prompt)).try_for_each(|prompt| self.write(prompt))
    }

    // From the server.

    fn write_session_event(&mut self, event: SessionEvent) -> Result<Flow, Failure> {
        let (lobby, eyes) = (self.session.lobby(), self.session.viewpoint());
        let object = match event {
            SessionEvent::Returned { late, anew, replaced, noticed, quiet } => {
                let object = |notice| lobby.and_then(|lobby| describe::noticed(notice, lobby));
                let noticed: Vec<EventLine> = noticed.iter().filter_map(object).collect();
                if let Some((action, lobby)) = replaced.zip(lobby) {
                    let words = connection::still_seated(lobby);
                    self.refuse(Some(action.into()), "already_seated", words)?;
                }
                if anew {
                    self.write_entered()?;
                }
                noticed.iter().try_for_each(|object| self.write(object))?;
                return self.write_returned(late, quiet && !anew);
            }
            SessionEvent::Said(lines) => {
                lines.into_iter().try_for_each(|ChatLine { room, name, words, .. }| {
                    self.write(&EventLine::Said { room, name, words: words.to_string() })
                })?;
                None
            }
            SessionEvent::LeftUnrecorded => {
                let request = if self.session.is_quitting() { "quit" } else { "leave" };
                return self.leave_unrecorded(request);
            }
            SessionEvent::Refused { asked, refusal } => return self.write_refusal(asked.as_ref(), refusal),
            SessionEvent::RetryingReturn { refusal, left } => {
                self.refuse(None, refusal_word(&refusal), connection::retrying_return(&refusal, left))?;
                None
            }
            SessionEvent::Outside => return self.write_outside(),
            SessionEvent::Lost { failure, patience, .. } => {
                Some(EventLine::Lost { patience: millis(patience), words: failure.in_one_line() })
            }
            SessionEvent::Entered => {
                self.write_entered()?;
                None
            }
            SessionEvent::Halted => {
                Some(EventLine::Halted { words: self.session.model().halted().map(Into::into) })
            }
            SessionEvent::Reviewed(review) => lobby.and_then(|lobby| describe::reviewed(lobby, &review)),
            SessionEvent::Happened { event, before } => {
                lobby.and_then(|after| describe::happened(&event, &before, after, eyes))
            }
            SessionEvent::Kicked => Some(EventLine::Kicked { name: self.session.model().name().clone() }),
            SessionEvent::Noticed(notice) => lobby.and_then(|lobby| describe::noticed(&notice, lobby)),
            SessionEvent::Hall { told, .. } => Some(describe::lobbies(told)),
            SessionEvent::Hint { turn, mv, words } => lobby.map(|lobby| {
                let mv = lobby.board().write_move(mv);
                EventLine::Hint { turn, mv, words: words.to_string() }
            }),
            SessionEvent::HostSaid(words) => Some(EventLine::HostSaid { words }),
            SessionEvent::Nothing => None,
        };
        object.iter().try_for_each(|object| self.write(object))?;
        Ok(Flow::Continue(()))
    }

    /// Writes the lobby that the script is in, and the ticket of its seat if the script keeps it.
    fn write_entered(&mut self) -> Result<(), Failure> {
        let model = self.session.model();
        let Some(mine) = model.lobby() else { return Ok(()) };
        let entered = describe::entered(mine, model.name(), self.session.viewpoint());
        let ticket = mine.ticket().filter(|_| self.keeps_ticket);
        let ticket = ticket.map(|ticket| describe::ticket(mine.lobby.code(), ticket));
        [entered].iter().chain(&ticket).try_for_each(|object| self.write(object))
    }

    /// Writes that the script is back, unless it was not told that it was gone; `late` means that its queued move was
    /// dropped.
    fn write_returned(&mut self, late: bool, quiet: bool) -> Result<Flow, Failure> {
        if !quiet {
            // What it was asked before is asked again.
            self.prompts.clear();
            self.write(&EventLine::Returned {})?;
        }
        if late {
            self.refuse(Some("play"), "other_turn", connection::TOO_LATE.into())?;
        }
        Ok(Flow::Continue(()))
    }

    /// Writes a refusal. The program ends if the first action is refused.
    fn write_refusal(&mut self, asked: Option<&Action>, refusal: Refusal) -> Result<Flow, Failure> {
        // Only the command line asks to return.
        let request = asked.filter(|action| !matches!(action, Action::Return(_))).map(Into::into);
        self.refuse(request, refusal_word(&refusal), refusal.to_string())?;
        if self.session.is_arriving() { Err(Failure::Refused(refusal)) } else { Ok(Flow::Continue(())) }
    }

    /// Ends the program if the script quits or leaves a local game, and that cannot be recorded.
    fn leave_unrecorded(&mut self, request: &'static str) -> Result<Flow, Failure> {
        let words = connection::left_unrecorded(self.session.resumable_by_player());
        self.refuse(Some(request), "halted", words.into())?;
        Ok(Flow::Break(()))
    }

    fn write_outside(&mut self) -> Result<Flow, Failure> {
        self.write(&EventLine::Outside {})?;
        Ok(if self.session.is_quitting() { Flow::Break(()) } else { Flow::Continue(()) })
    }

    // From the script.

    /// Carries out the line that was read ahead.
    fn carry_out(&mut self) -> Result<Flow, Failure> {
        let Some(line) = self.ahead.take() else { return Ok(Flow::Continue(())) };
        self.prompts.clear();
        match line {
            ScriptLine::Request(request) => self.carry_out_request(&request),
            ScriptLine::BadLine(BadLine { fault, words }) => {
                self.write(&EventLine::Error { fault, words })?;
                Ok(Flow::Continue(()))
            }
            ScriptLine::End => self.session.end_of_input(),
        }
    }

    fn carry_out_request(&mut self, request: &RequestLine) -> Result<Flow, Failure> {
        if self.session.is_lost() && *request == (RequestLine::Why {}) {
            self.write(&EventLine::Why { words: session::why(&self.session) })?;
            return Ok(Flow::Continue(()));
        }
        match request.command(self.session.lobby(), &self.preferences) {
            // An earlier request waits already.
            Ok(ScriptCommand::Act(action)) if action.is_for_hall() && self.session.is_halted() => {
                self.refuse(Some(request.name()), "halted", session::why(&self.session))?;
            }
            Ok(ScriptCommand::Act(action)) => drop(self.session.act(*action)),
            Ok(ScriptCommand::Leave { keep, quits }) => return self.leave(keep, quits),
            Ok(ScriptCommand::Mute(name, muted)) => {
                self.session.mute(&name, muted);
            }
            Ok(ScriptCommand::Why) => self.write(&EventLine::Why { words: session::why(&self.session) })?,
            Ok(ScriptCommand::Terms) => {
                let terms = self.session.lobby().map(describe::terms);
                terms.iter().try_for_each(|terms| self.write(terms))?;
            }
            Err(LocalRefusal { refusal, words }) => self.refuse(Some(request.name()), refusal, words)?,
        }
        Ok(Flow::Continue(()))
    }

    /// Leaves the lobby, and ends the program if the script `quits`.
    fn leave(&mut self, keep: Option<bool>, quits: bool) -> Result<Flow, Failure> {
        let how = match keep {
            Some(true) => Leaving::Keep,
            Some(false) => Leaving::GiveUp,
            None if self.keeps_ticket && self.session.has_game() => Leaving::Keep,
            None => self.session.usual_leaving(),
        };
        match self.session.act(if quits { Action::Quit(how) } else { Action::Leave(how) }) {
            SendStatus::Done if self.session.is_halted() => {
                self.leave_unrecorded(if quits { "quit" } else { "leave" })
            }
            SendStatus::Done => self.session.end_without_leaving(),
            _ => Ok(Flow::Continue(())),
        }
    }

    // Output.

    fn refuse(
        &mut self,
        request: Option<&'static str>,
        refusal: &'static str,
        words: String,
    ) -> Result<(), Failure> {
        let turn = self.session.lobby().map_or(0, Lobby::turn);
        let (request, refusal) = (request.map(Word::from), Word::from(refusal));
        self.write(&EventLine::Refused { request, refusal, turn, words })
    }

    /// Adds an object to those that are written next.
    fn write(&mut self, event: &EventLine) -> Result<(), Failure> {
        let line = serde_json::to_string(event).map_err(|error| Failure::Output(error.into()))?;
        self.unwritten.push(line);
        Ok(())
    }

    /// Writes to the script.
    async fn write_out(&mut self) -> Result<(), Failure> {
        for line in self.unwritten.drain(..) {
            self.script.write(line).await.map_err(Failure::Output)?;
        }
        Ok(())
    }
}

/// Writes the last object of a program that succeeds or ends with this failure. If it is not clear which seat
/// to resume, the seats come before it.
pub fn write_end(out: &mut impl Write, failure: Option<&Failure>) -> io::Result<()> {
    if let Some(Failure::NoSeat(none)) = failure {
        write_line(out, &describe::seats(none))?;
    }
    write_line(out, &describe::end(failure))?;
    out.flush()
}

/// The last object for a script without a program on its machine.
pub fn remote_end(failure: Option<&Failure>) -> EventLine {
    describe::remote_end(failure)
}

/// Writes an object as one line.
pub fn write_line(out: &mut impl Write, object: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    out.write_all(b"\n")
}
