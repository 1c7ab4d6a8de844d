//! Does what a person types at the line face.

use std::io::Write;

use super::Line;
use super::command::{GameCommand, HallCommand};
use super::password::Answer;
use crate::client::model::MyLobby;
use crate::client::session::{Flow, SendStatus};
use crate::client::words::{self, help};
use crate::client::{Action, Failure};
use crate::lobby::{Name, Text};
use crate::number::saturating;

impl<W: Write> Line<W> {
    /// Does what a line asks for.
    pub(super) async fn obey(&mut self, line: &str) -> Result<Flow, Failure> {
        // The line has ended that of the question.
        self.asking = false;
        if let Some(question) = self.password.take() {
            return self.obey_password(question.answer(line)).await;
        }
        match self.session.lobby() {
            Some(_) => self.obey_in_game(line).await,
            None if self.session.is_lost() => self.obey_outside(line),
            None => self.obey_in_hall(line).await,
        }
    }

    async fn obey_password(&mut self, answer: Answer) -> Result<Flow, Failure> {
        match answer {
            Answer::Password(wish) => self.wish(&wish).await?,
            Answer::Nothing if self.session.is_arriving() => return Ok(Flow::Break(())),
            Answer::Nothing => {}
            Answer::TooLong(question) => {
                self.password = Some(question);
                self.say(&words::screen::password_too_long())?;
            }
        }
        Ok(Flow::Continue(()))
    }

    /// There is no connection.
    fn obey_outside(&mut self, line: &str) -> Result<Flow, Failure> {
        match GameCommand::from(line) {
            GameCommand::Nothing => {}
            GameCommand::Quit | GameCommand::Ask(Action::Leave) => return Ok(Flow::Break(())),
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
        let afterwards = self.session.afterwards();
        match command {
            GameCommand::Nothing => {}
            GameCommand::Help if self.session.is_watching() => self.show(help::while_watching)?,
            GameCommand::Help => self.show(|lobby| help::in_lobby(lobby, afterwards))?,
            GameCommand::Rules => self.show(words::rules)?,
            GameCommand::Board => {
                let eyes = self.session.viewpoint();
                self.show(|lobby| words::board(lobby, eyes))?;
            }
            GameCommand::Terms => self.show(words::agreement::terms)?,
            GameCommand::Why => self.tell_why()?,
            GameCommand::Answer(accept) => self.answer(accept).await?,
            GameCommand::Say(words) => self.speak(words).await?,
            GameCommand::Mute(name, muted) => self.mute(name, muted)?,
            GameCommand::Review(number) => self.review(number).await?,
            GameCommand::Ask(action) => self.ask(action).await?,
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

    /// Leaves, and ends the program.
    pub(super) async fn quit(&mut self) -> Result<Flow, Failure> {
        match self.session.act(Action::Quit).await? {
            SendStatus::Done if self.session.is_halted() => return self.leave_unrecorded(),
            SendStatus::Done => return self.session.end_without_leaving(),
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

    pub(super) fn tell_leaving(&mut self) -> Result<(), Failure> {
        let watching = self.session.is_watching();
        self.say(if watching { words::connection::LEAVING_NO_SEAT } else { words::connection::LEAVING })
    }

    /// Answers the open offer.
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
        let count = self.session.lobby().map(|lobby| saturating::<u32, _>(lobby.past().len()));
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

    /// Makes a legal move; a mistake is not sent.
    async fn play(&mut self, text: &str) -> Result<(), Failure> {
        let Some(mine) = self.session.model().lobby() else { return Ok(()) };
        if mine.you().is_none() {
            return self.say("You watch: the players move.");
        }
        if mine.lobby.to_move().is_some() && !mine.is_to_move() {
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
}
