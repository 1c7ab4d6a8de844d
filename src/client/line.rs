//! The line face: one line at a time, for terminals, pipes and screen readers.

mod command;
mod confirm;
mod execute;
mod leaving;
mod no_echo;
mod password;
mod show;

use std::fmt;
use std::io::{self, Write};
use std::pin::Pin;

use leaving::LeavingQuestion;
use password::PasswordQuestion;
use tokio::signal::ctrl_c;

use super::farewell::Farewell;
use super::fold;
use super::input::InputLines;
use super::question::Question;
use super::session::{Flow, Session, Timing};
use super::words;
use super::{Action, Failure, Terms};
use crate::lobby::{Lobby, Phase};

/// The source of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// A person at a terminal, who may type at any time.
    AtTerminal,
    /// A pipe or a file. A line is read when no event, such as a bot's move, is about to follow by itself.
    FromPipe,
}

/// The line face, from the welcome to the end of the program.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub struct LineFace<W> {
    session: Session,
    input: InputLines,
    typing: Typing,
    out: W,
    /// The defaults for new lobbies.
    preferences: Terms,
    /// The last action for the hall.
    hall_action: Action,
    /// The open question for a password.
    password: Option<PasswordQuestion>,
    /// The action that waits for a yes.
    confirm: Option<Action>,
    /// The open question how to leave the game.
    leaving: Option<LeavingQuestion>,
    /// For the time after the game.
    farewell: Farewell,
    /// Ready when Ctrl-C is pressed at a terminal.
    interrupt: Interrupt,
    /// Whether the input of a pipe is at its end.
    is_at_end: bool,
    /// Whether the client watches to the end without input.
    only_watches: bool,
    /// Whether the shown question has no answer yet.
    is_asking: bool,
    /// Whether the rule behind the hints was shown.
    explained: bool,
    /// The number of the last move that was reviewed.
    reviewed: u32,
}

/// Ready when Ctrl-C is pressed. From the first wait on, Ctrl-C does not end the program by itself.
struct Interrupt(Pin<Box<dyn Future<Output = io::Result<()>> + Send>>);

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}

impl<W: Write> LineFace<W> {
    /// A face for this session; new lobbies are as in `preferences`.
    pub fn new(session: Session, input: InputLines, typing: Typing, out: W, preferences: Terms) -> Self {
        Self {
            session,
            input,
            typing,
            out,
            preferences,
            hall_action: Action::Look,
            password: None,
            confirm: None,
            leaving: None,
            farewell: Farewell::default(),
            interrupt: Interrupt(Box::pin(ctrl_c())),
            is_at_end: false,
            only_watches: false,
            is_asking: false,
            explained: false,
            reviewed: 0,
        }
    }

    /// Sends the first action, and runs until the person quits. `asked` is the requested name, as typed.
    pub async fn run(mut self, asked: &str, action: &Action) -> Result<(), Failure> {
        let end = match self.play_on(asked, action).await {
            Ok(()) => self.say_farewell(),
            failure => failure,
        };
        let closed = self.end_question().map_err(Failure::Output);
        end.and(closed)
    }

    async fn play_on(&mut self, asked: &str, action: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        // After a return the seat's name applies, not that of the welcome.
        if name.as_str() != asked && !matches!(action, Action::Return(_)) {
            self.say(&words::chat::called_here(asked, &name, self.session.own_lobby_as(asked)))?;
        }
        self.ask_hall(action);
        while self.step().await?.is_continue() {}
        Ok(())
    }

    /// Sends an action to the hall.
    fn ask_hall(&mut self, action: &Action) {
        self.hall_action = action.clone();
        self.session.act(action.clone());
    }

    /// Handles the next message or line. Messages go first, so that a line applies to the latest state.
    async fn step(&mut self) -> Result<Flow, Failure> {
        if self.has_seen_all() {
            return self.leave(true);
        }
        self.ask_question()?;
        let (reads, ends) = (self.reads(), self.ends());
        tokio::select! {
            biased;
            message = self.session.next() => {
                let event = self.session.handle(message?)?;
                self.farewell.note(&self.session, &event);
                if let Some(warning) = self.session.seat_warning() {
                    self.say(&words::connection::how_kept(&warning))?;
                }
                self.show_event(event)
            }
            () = std::future::ready(()), if ends => self.end_input(),
            pressed = &mut self.interrupt.0, if self.typing == Typing::AtTerminal => {
                pressed.map_err(Failure::Start)?;
                self.interrupt = Interrupt(Box::pin(ctrl_c()));
                self.interrupt()
            }
            line = self.input.next(), if reads => match line {
                Some(line) => self.execute(&line),
                None if self.typing == Typing::AtTerminal => self.end_input(),
                None => {
                    self.is_at_end = true;
                    Ok(Flow::Continue(()))
                }
            }
        }
    }

    /// Whether to read a line now: a person's at any time; one from a pipe if no event is about to follow.
    fn reads(&self) -> bool {
        let may_ask = || self.session.is_lost() || self.session.reads_ahead();
        let is_free = || may_ask() && self.session.is_time_for(Timing::Departure);
        !self.is_at_end && (self.typing == Typing::AtTerminal || is_free())
    }

    /// Whether the end of a pipe takes effect now. While others play, the game may end by their move.
    fn ends(&self) -> bool {
        self.is_at_end && (self.is_asking || !self.only_watches) && self.session.is_time_for(Timing::End)
    }

    /// Ends the program, unless it watches from a pipe: then it watches to the end.
    fn end_input(&mut self) -> Result<Flow, Failure> {
        self.only_watches = self.typing == Typing::FromPipe && self.session.is_watching() && !self.is_asking;
        if self.only_watches { Ok(Flow::Continue(())) } else { self.session.end_of_input() }
    }

    /// Whether it only watches two bots whose game is over, and no other watcher could start another one.
    fn has_seen_all(&self) -> bool {
        let is_over = |lobby: &Lobby| matches!(lobby.phase(), Phase::Over { .. });
        let is_alone = |lobby: &&Lobby| lobby.is_exhibition() && lobby.watchers() <= 1;
        let is_leaving = self.session.is_away() || self.session.is_quitting();
        self.only_watches && !is_leaving && self.session.lobby().filter(is_alone).is_some_and(is_over)
    }

    // Output.

    /// Shows the open question, unless it is shown already.
    fn ask_question(&mut self) -> Result<(), Failure> {
        if self.is_asking {
            return Ok(());
        }
        // The game may have ended in the meantime.
        self.leaving.take_if(|_| !self.session.has_game());
        if let Some((question, lobby)) = self.leaving.zip(self.session.lobby()) {
            return self.show_question(&words::leaving::question(lobby, question.may_keep));
        }
        if let Some(question) = self.confirmation() {
            return self.show_question(&question);
        }
        // An absence was explained already, a watcher need not type, and a halted server refuses everything.
        let halted = self.session.is_halted();
        let silent = |question: &Question| halted || matches!(question, Question::Absence | Question::Watch);
        let Some(question) = self.session.question().filter(|question| !silent(question)) else {
            return Ok(());
        };
        let text = match &mut self.password {
            Some(password) if question == Question::Hall => {
                if self.typing == Typing::AtTerminal {
                    password.stop_echo();
                }
                password.question()
            }
            _ => self.words_of(question),
        };
        self.show_question(&text)
    }

    fn show_question(&mut self, text: &str) -> Result<(), Failure> {
        self.is_asking = true;
        let end = if self.typing == Typing::FromPipe { "\n" } else { "" };
        write!(self.out, "{text}{end}").and_then(|()| self.out.flush()).map_err(Failure::Output)
    }

    fn words_of(&self, question: Question) -> String {
        match (question, self.session.lobby()) {
            (Question::Move, Some(lobby)) => words::move_question(lobby, self.session.viewpoint()),
            (Question::Offer(offer), _) => words::agreement::offer_question(offer),
            (Question::Rest, _) => "Type resume to continue the game: ".into(),
            (Question::Again, Some(lobby)) if lobby.past().next().is_some() => {
                "Type again for another game, review, or quit: ".into()
            }
            (Question::Again, _) => "Type again for another game, or quit: ".into(),
            _ => "Type a code to join, quick GAME, new GAME, help or quit: ".into(),
        }
    }

    fn say_of_lobby(&mut self, lines: impl FnOnce(&Lobby) -> Vec<String>) -> Result<(), Failure> {
        let lines = self.session.lobby().map(lines).unwrap_or_default();
        self.say_all(&lines)
    }

    /// Says how the game ended that was left, or how to resume it.
    fn say_farewell(&mut self) -> Result<(), Failure> {
        let farewell = self.farewell.take();
        self.say_all(farewell.as_slice())
    }

    fn say(&mut self, line: &str) -> Result<(), Failure> {
        self.say_all(std::slice::from_ref(&line))
    }

    fn say_all(&mut self, lines: &[impl AsRef<str>]) -> Result<(), Failure> {
        self.write_lines(lines).map_err(Failure::Output)
    }

    fn write_lines(&mut self, lines: &[impl AsRef<str>]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.end_question()?;
        for line in lines {
            let line = line.as_ref();
            match self.typing {
                Typing::AtTerminal => writeln!(self.out, "{}", fold::at_terminal(line))?,
                Typing::FromPipe => writeln!(self.out, "{line}")?,
            }
        }
        self.out.flush()
    }

    /// Ends the line of a question that was not answered.
    fn end_question(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_asking) && self.typing == Typing::AtTerminal {
            writeln!(self.out)?;
        }
        self.out.flush()
    }
}
