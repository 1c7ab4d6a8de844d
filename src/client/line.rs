//! The line face: one line at a time, for terminals, pipes and screen readers.

mod command;
mod execute;
mod no_echo;
mod password;
mod show;

use std::io::{self, Write};

use password::PasswordQuestion;

use super::input::Lines;
use super::question::Question;
use super::session::{Flow, Session, Timing};
use super::words;
use super::{Action, Failure, Terms};
use crate::lobby::{Lobby, Phase};

/// Where lines come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// A person at a terminal, who may type at any time.
    AtTerminal,
    /// A pipe or a file. A line is read when nothing is about to happen by itself, such as a move of the bot.
    FromPipe,
}

/// The line face, from the welcome to the end of the program.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub struct Line<W> {
    session: Session,
    input: Lines,
    typing: Typing,
    out: W,
    /// The defaults for new lobbies.
    preferences: Terms,
    /// The last action for the hall.
    wish: Action,
    /// The open question for a password.
    password: Option<PasswordQuestion>,
    /// Whether the input of a pipe is at its end.
    is_at_end: bool,
    /// Whether the client watches to the end without input.
    only_watches: bool,
    /// Whether a question is shown that was not answered.
    asking: bool,
    /// Whether the nim-sum was explained.
    explained: bool,
    /// The number of the last move that was reviewed.
    reviewed: u32,
}

impl<W: Write> Line<W> {
    /// A face for this session; new lobbies are as in `preferences`.
    pub fn new(session: Session, input: Lines, typing: Typing, out: W, preferences: Terms) -> Self {
        Self {
            session,
            input,
            typing,
            out,
            preferences,
            wish: Action::Look,
            password: None,
            is_at_end: false,
            only_watches: false,
            asking: false,
            explained: false,
            reviewed: 0,
        }
    }

    /// Does what the client came for, and plays until the person has enough. `asked` is the name that they
    /// asked for, as they typed it.
    pub async fn run(mut self, asked: &str, wish: &Action) -> Result<(), Failure> {
        let end = self.play_on(asked, wish).await;
        let closed = self.end_question().map_err(Failure::Output);
        end.and(closed)
    }

    async fn play_on(&mut self, asked: &str, wish: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        // After a return the seat's name applies, whatever the welcome says.
        if name.as_str() != asked && !matches!(wish, Action::Return(_)) {
            self.say(&words::chat::called_here(&name))?;
        }
        self.wish(wish).await?;
        while self.step().await?.is_continue() {}
        Ok(())
    }

    /// Asks the hall.
    async fn wish(&mut self, wish: &Action) -> Result<(), Failure> {
        self.wish = wish.clone();
        self.session.act(wish.clone()).await.map(drop)
    }

    /// Handles the next message or line. Messages go first, so that a line is carried out with all news
    /// known.
    async fn step(&mut self) -> Result<Flow, Failure> {
        if self.has_seen_all() {
            return self.quit().await;
        }
        self.ask_question()?;
        let (reads, ends) = (self.reads(), self.ends());
        tokio::select! {
            biased;
            message = self.session.next() => {
                let news = self.session.handle(message?).await?;
                if let Some(complaint) = self.session.seat_warning() {
                    self.say(&words::connection::how_kept(&complaint))?;
                }
                self.tell(news).await
            }
            () = std::future::ready(()), if ends => self.end_input(),
            line = self.input.next(), if reads => match line {
                Some(line) => self.obey(&line).await,
                None if self.typing == Typing::AtTerminal => self.end_input(),
                None => {
                    self.is_at_end = true;
                    Ok(Flow::Continue(()))
                }
            }
        }
    }

    /// Whether a line is read now: a person's at any time; one from a pipe if nothing is about to happen by
    /// itself.
    fn reads(&self) -> bool {
        let may_ask = || self.session.is_lost() || self.session.reads_ahead();
        let is_free = || may_ask() && self.session.is_time_for(Timing::Departure);
        !self.is_at_end && (self.typing == Typing::AtTerminal || is_free())
    }

    /// Whether the end of a pipe takes effect now. While others play, the game may end by their move.
    fn ends(&self) -> bool {
        self.is_at_end && (self.asking || !self.only_watches) && self.session.is_time_for(Timing::End)
    }

    /// Ends the program, unless it watches from a pipe: then it watches to the end.
    fn end_input(&mut self) -> Result<Flow, Failure> {
        self.only_watches = self.typing == Typing::FromPipe && self.session.is_watching() && !self.asking;
        if self.only_watches { Ok(Flow::Continue(())) } else { self.session.end_of_input() }
    }

    /// Whether it only watches two bots whose game is over, and nobody else is there who could let them play
    /// again.
    fn has_seen_all(&self) -> bool {
        let is_over = |lobby: &Lobby| matches!(lobby.phase(), Phase::Over { .. });
        let is_alone = |lobby: &&Lobby| lobby.is_exhibition() && lobby.watchers() <= 1;
        let is_leaving = self.session.is_lost() || self.session.is_quitting();
        self.only_watches && !is_leaving && self.session.lobby().filter(is_alone).is_some_and(is_over)
    }

    // Output.

    /// Shows the open question, unless it is shown already.
    fn ask_question(&mut self) -> Result<(), Failure> {
        if self.asking {
            return Ok(());
        }
        // An absence was explained already, a watcher need not type, and nothing can be done while nothing
        // can be recorded.
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
        self.asking = true;
        let end = if self.typing == Typing::FromPipe { "\n" } else { "" };
        write!(self.out, "{text}{end}").and_then(|()| self.out.flush()).map_err(Failure::Output)
    }

    fn words_of(&self, question: Question) -> String {
        match (question, self.session.lobby()) {
            (Question::Move, Some(lobby)) => words::move_question(lobby, self.session.viewpoint()),
            (Question::Offer(offer), _) => words::agreement::offer_question(offer),
            (Question::Rest, _) => "Type resume to go on with the game: ".into(),
            (Question::Again, _) => "Type again for another game, or quit: ".into(),
            _ => "Type a code to join, quick GAME, new GAME, help or quit: ".into(),
        }
    }

    fn show(&mut self, lines: impl FnOnce(&Lobby) -> Vec<String>) -> Result<(), Failure> {
        let lines = self.session.lobby().map(lines).unwrap_or_default();
        self.say_all(&lines)
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
            writeln!(self.out, "{}", line.as_ref())?;
        }
        self.out.flush()
    }

    /// Ends the line of a question that was not answered.
    fn end_question(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.asking) && self.typing == Typing::AtTerminal {
            writeln!(self.out)?;
        }
        self.out.flush()
    }
}
