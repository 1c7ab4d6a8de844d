//! The line face: one line at a time, for terminals, pipes and screen readers.

mod ahead;
mod command;
mod door;
mod hush;
mod telling;

use std::io::{self, Write};

use ahead::Ahead;
use command::{GameCommand, HallCommand};
use door::{Door, Said};

use super::input::Lines;
use super::model::MyLobby;
use super::question::Question;
use super::session::{Afterwards, Flow, SendStatus, Session};
use super::words::{self, help};
use super::{Action, Failure, Preferences};
use crate::lobby::{Lobby, Name, Text};

/// Whether somebody types, or a file or program is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// A person at a terminal, who may type at any time.
    AtTerminal,
    /// A pipe or a file, of which one line is read ahead, and obeyed when its time is.
    FromPipe,
}

/// The line face, from the welcome to the end of the program.
#[derive(Debug)]
pub struct Line<W> {
    session: Session,
    input: Lines,
    typing: Typing,
    out: W,
    /// The terms of lobbies that are opened from the hall.
    preferences: Preferences,
    afterwards: Afterwards,
    /// What was last asked of the hall.
    wish: Action,
    /// The lobby whose password is asked for.
    door: Option<Door>,
    /// What was read from a pipe and is not obeyed yet.
    ahead: Option<Ahead>,
    /// There is no more input, and the client watches to the end.
    deaf: bool,
    /// A question stands at the end of the screen, without a line end.
    asking: bool,
    /// What the nim-sum is has been said.
    explained: bool,
    /// The number of the move of which it was last told what it was worth.
    reviewed: u32,
}

impl<W: Write> Line<W> {
    /// A face for this session, to a server with a hall.
    pub fn new(session: Session, input: Lines, typing: Typing, out: W) -> Self {
        let (preferences, afterwards) = (Preferences::default(), Afterwards::Hall);
        Self {
            session,
            input,
            typing,
            out,
            preferences,
            afterwards,
            wish: Action::List,
            door: None,
            ahead: None,
            deaf: false,
            asking: false,
            explained: false,
            reviewed: 0,
        }
    }

    /// The same face with other terms for lobbies that are opened from the hall.
    #[must_use]
    pub fn preferring(self, preferences: Preferences) -> Self {
        Self { preferences, ..self }
    }

    /// The same face where there is no hall to go back to.
    #[must_use]
    pub fn without_hall(self) -> Self {
        Self { afterwards: Afterwards::Home, ..self }
    }

    /// Does what the client came for, and plays until the person has enough. `asked` is the name that they asked for,
    /// as they typed it.
    pub async fn run(mut self, asked: &str, wish: &Action) -> Result<(), Failure> {
        let end = self.play_on(asked, wish).await;
        let closed = self.end_question().map_err(Failure::Output);
        end.and(closed)
    }

    async fn play_on(&mut self, asked: &str, wish: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        // Whoever comes back has the seat's name, whatever the welcome says.
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

    /// Waits for the server or the person, and does what follows. The server goes first, so that whoever speaks at the same
    /// moment knows all that has been told.
    async fn step(&mut self) -> Result<Flow, Failure> {
        if self.has_seen_all() {
            return self.quit().await;
        }
        self.ask_question()?;
        let (reads, obeys) = (self.reads(), self.obeys());
        tokio::select! {
            biased;
            message = self.session.next() => {
                let news = self.session.handle(message?).await?;
                if let Some(complaint) = self.session.complaint() {
                    self.say(&words::connection::how_kept(&complaint))?;
                }
                self.tell(news).await
            }
            () = std::future::ready(()), if obeys => {
                let line = self.ahead.take().and_then(Ahead::into_line);
                self.obey(line).await
            }
            line = self.input.next(), if reads => self.hear(line).await,
        }
    }

    // What the person says.

    async fn hear(&mut self, line: Option<String>) -> Result<Flow, Failure> {
        if self.typing == Typing::AtTerminal {
            return self.obey(line).await;
        }
        self.ahead = Some(Ahead::of(line));
        if self.session.is_lost() && !self.obeys() && !matches!(self.ahead, Some(Ahead::End)) {
            self.say(words::connection::HELD)?;
        }
        Ok(Flow::Continue(()))
    }

    async fn obey(&mut self, line: Option<String>) -> Result<Flow, Failure> {
        let Some(line) = line else { return self.hear_no_more() };
        // Whoever typed has ended the question's line.
        self.asking = false;
        if let Some(door) = self.door.take() {
            return self.obey_at_door(door.hear(&line)).await;
        }
        match self.session.lobby() {
            Some(_) => self.obey_in_game(&line).await,
            None if self.session.is_lost() => self.obey_outside(&line),
            None => self.obey_in_hall(&line).await,
        }
    }

    async fn obey_at_door(&mut self, said: Said) -> Result<Flow, Failure> {
        match said {
            Said::Password(wish) => self.wish(&wish).await?,
            Said::Nothing if self.session.is_arriving() => return Ok(Flow::Break(())),
            Said::Nothing => {}
            Said::TooLong(door) => {
                self.door = Some(door);
                self.say(&words::screen::password_too_long())?;
            }
        }
        Ok(Flow::Continue(()))
    }

    /// There is no server that could be asked for anything.
    fn obey_outside(&mut self, line: &str) -> Result<Flow, Failure> {
        match GameCommand::from(line) {
            GameCommand::Nothing => {}
            GameCommand::Quit | GameCommand::Leave => return Ok(Flow::Break(())),
            _ => self.say(&words::session::why(&self.session))?,
        }
        Ok(Flow::Continue(()))
    }

    async fn obey_in_hall(&mut self, line: &str) -> Result<Flow, Failure> {
        match HallCommand::read(line, self.preferences.clone()) {
            Ok(HallCommand::Nothing) => {}
            Ok(HallCommand::Quit) => return Ok(Flow::Break(())),
            _ if self.session.is_halted() => self.say(&words::session::why(&self.session))?,
            Ok(HallCommand::Help) => self.say_all(&help::in_hall())?,
            Ok(HallCommand::List) => self.wish(&Action::List).await?,
            Ok(HallCommand::Go(wish)) => self.wish(&wish).await?,
            Err(complaint) => self.say(&complaint)?,
        }
        Ok(Flow::Continue(()))
    }

    async fn obey_in_game(&mut self, line: &str) -> Result<Flow, Failure> {
        let command = GameCommand::from(line);
        if self.session.lobby().is_some_and(|lobby| command.is_untimely(lobby)) {
            self.show(|lobby| vec![words::untimely(lobby).into()])?;
            return Ok(Flow::Continue(()));
        }
        let afterwards = self.afterwards;
        match command {
            GameCommand::Nothing => {}
            GameCommand::Help if self.session.is_watching() => self.show(help::while_watching)?,
            GameCommand::Help => self.show(|lobby| help::in_lobby(lobby, afterwards))?,
            GameCommand::Rules => self.show(words::rules)?,
            GameCommand::Board => {
                let eyes = self.session.eyes();
                self.show(|lobby| words::board(lobby, eyes))?;
            }
            GameCommand::Terms => self.show(words::agreement::terms)?,
            GameCommand::Hint => self.ask(Action::Hint).await?,
            GameCommand::Resign => self.ask(Action::Resign).await?,
            GameCommand::Again => self.ask(Action::Rematch).await?,
            GameCommand::Why => self.tell_why()?,
            GameCommand::Wait => self.ask(Action::Wait).await?,
            GameCommand::WaitNoMore => self.ask(Action::StopWaiting).await?,
            GameCommand::Claim => self.ask(Action::Claim).await?,
            GameCommand::Offer(offer) => self.ask(Action::Offer(offer)).await?,
            GameCommand::Answer(accept) => self.answer(accept).await?,
            GameCommand::Resume => self.ask(Action::Resume).await?,
            GameCommand::Say(words) => self.speak(words).await?,
            GameCommand::Mute(name, muted) => self.mute(name, muted)?,
            GameCommand::Review(number) => self.review(number).await?,
            GameCommand::Leave => self.ask(Action::Leave).await?,
            GameCommand::Quit => return self.quit().await,
            GameCommand::Move(text) => self.play(text).await?,
        }
        Ok(Flow::Continue(()))
    }

    /// Asks the lobby, and says so if that has to wait.
    async fn ask(&mut self, action: Action) -> Result<(), Failure> {
        let sent = self.session.act(action).await?;
        self.tell_sent(sent)
    }

    async fn quit(&mut self) -> Result<Flow, Failure> {
        match self.session.act(Action::Quit).await? {
            SendStatus::Done => return self.session.go(),
            sent => self.tell_sent(sent)?,
        }
        Ok(Flow::Continue(()))
    }

    fn tell_sent(&mut self, sent: SendStatus) -> Result<(), Failure> {
        match sent {
            SendStatus::Now | SendStatus::Done => Ok(()),
            SendStatus::Later => self.say(words::connection::LATER),
            SendStatus::Leaving => self.tell_leaving(),
            SendStatus::Never => self.say(words::connection::NEVER),
        }
    }

    fn tell_leaving(&mut self) -> Result<(), Failure> {
        let watching = self.session.is_watching();
        self.say(if watching { words::connection::LEAVING_NO_SEAT } else { words::connection::LEAVING })
    }

    /// Answers the offer that the person has been told of.
    async fn answer(&mut self, accept: bool) -> Result<(), Failure> {
        match self.session.model().lobby().and_then(MyLobby::offer) {
            Some(offer) => self.ask(Action::Answer { offer, accept }).await,
            None => self.say("There is no offer to answer."),
        }
    }

    async fn speak(&mut self, words: &str) -> Result<(), Failure> {
        let Ok(line) = Text::try_from(words.to_owned()) else {
            return self.say(&words::chat::too_long(words));
        };
        match self.session.act(Action::Say(line)).await? {
            SendStatus::Never => self.say("The connection is lost: nobody would hear it."),
            _ => Ok(()),
        }
    }

    /// Asks what a move was worth: that of this number, or the next one.
    async fn review(&mut self, number: Option<u32>) -> Result<(), Failure> {
        let count = self.session.lobby().map(|lobby| u32::try_from(lobby.past().len()).unwrap_or(u32::MAX));
        match (number.unwrap_or(self.reviewed.saturating_add(1)), count) {
            (_, Some(0)) => self.say(words::chat::NO_MOVES),
            (next, Some(count)) if number.is_none() && next > count => self.say(words::chat::ALL_REVIEWED),
            (number, _) => self.ask(Action::Review(number)).await,
        }
    }

    fn mute(&mut self, name: &str, muted: bool) -> Result<(), Failure> {
        match Name::clean(name) {
            Ok(name) => {
                let told = words::chat::muted(&name, muted, self.session.mute(&name, muted));
                self.say(&told)
            }
            Err(fault) => self.say(&format!("Write who, as in mute anna: {fault}.")),
        }
    }

    /// Sends a move that the rules allow; a slip never leaves the client.
    async fn play(&mut self, text: &str) -> Result<(), Failure> {
        let Some(mine) = self.session.model().lobby() else { return Ok(()) };
        if mine.you().is_none() {
            return self.say("You watch: the players move.");
        }
        let theirs = mine.lobby.to_move().is_some_and(|player| Some(player.id) != mine.you());
        if theirs && !self.session.is_of_two() {
            return self.say("It is not your turn.");
        }
        if self.session.is_pending() {
            return self.say(&words::session::unanswered(&self.session));
        }
        match mine.lobby.board().read_move(text) {
            Ok(mv) => self.ask(Action::Play(mv)).await,
            Err(complaint) => self.say(&format!("{complaint}.")),
        }
    }

    // What is shown.

    /// Asks for what is needed now, unless the question stands there already.
    fn ask_question(&mut self) -> Result<(), Failure> {
        if self.asking {
            return Ok(());
        }
        // What can be done about an absence has been said with it, and a line from a pipe is meant for the next turn; who
        // watches need not say anything, and while nothing can be recorded there is nothing to be done.
        let halted = self.session.is_halted();
        let silent = |question: &Question| halted || matches!(question, Question::Absence | Question::Watch);
        let Some(question) = self.session.question().filter(|question| !silent(question)) else {
            return Ok(());
        };
        let text = match &mut self.door {
            Some(door) if question == Question::Hall => {
                if self.typing == Typing::AtTerminal {
                    door.hush();
                }
                door.question()
            }
            _ => self.words_of(question),
        };
        self.asking = true;
        let end = if self.typing == Typing::FromPipe { "\n" } else { "" };
        write!(self.out, "{text}{end}").and_then(|()| self.out.flush()).map_err(Failure::Output)
    }

    fn words_of(&self, question: Question) -> String {
        match (question, self.session.lobby()) {
            (Question::Move, Some(lobby)) => words::move_question(lobby, self.session.eyes()),
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

    /// Ends the line on which a question stands that nobody has answered.
    fn end_question(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.asking) && self.typing == Typing::AtTerminal {
            writeln!(self.out)?;
        }
        self.out.flush()
    }
}
