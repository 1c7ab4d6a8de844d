//! Executes the commands that a person types at the line face.

use std::io::Write;

use super::command::{GameCommand, HallCommand};
use super::leaving::LeavingQuestion;
use super::password::PasswordAnswer;
use super::{LineFace, Typing};
use crate::client::failure::Resumable;
use crate::client::model::MyLobby;
use crate::client::session::{Afterwards, Flow, SendStatus};
use crate::client::words::{self, help, leaving};
use crate::client::{Action, Failure, Leaving};
use crate::game::notation::shown;
use crate::lobby::{Name, Text};
use crate::number::saturating;

impl<W: Write> LineFace<W> {
    /// Executes a line.
    pub(super) fn execute(&mut self, line: &str) -> Result<Flow, Failure> {
        // The typed line has ended the line of the question.
        self.is_asking = false;
        if let Some(question) = self.password.take() {
            return self.execute_password(question.answer(line));
        }
        if let Some(question) = self.leaving.take().filter(|_| self.session.has_game()) {
            return self.answer_leaving(question, line);
        }
        if self.confirmation().is_some()
            && let Some(action) = self.confirm.take()
        {
            self.answer_confirmation(action, line)?;
            return Ok(Flow::Continue(()));
        }
        match self.session.lobby() {
            Some(_) => self.execute_in_lobby(line),
            None if self.session.is_away() => self.execute_offline(line),
            None => self.execute_in_hall(line),
        }
    }

    fn execute_password(&mut self, answer: PasswordAnswer) -> Result<Flow, Failure> {
        match answer {
            PasswordAnswer::Password(action) => self.ask_hall(&action),
            PasswordAnswer::Nothing if self.session.is_arriving() => return Ok(Flow::Break(())),
            PasswordAnswer::Nothing => {}
            PasswordAnswer::TooLong(question) => {
                self.password = Some(question);
                self.say(&words::screen::password_too_long())?;
            }
        }
        Ok(Flow::Continue(()))
    }

    /// Executes a line typed outside a lobby while the connection is lost.
    fn execute_offline(&mut self, line: &str) -> Result<Flow, Failure> {
        match GameCommand::from(line) {
            GameCommand::Nothing => {}
            GameCommand::Leave { .. } => return Ok(Flow::Break(())),
            _ => self.say(&words::session::why(&self.session))?,
        }
        Ok(Flow::Continue(()))
    }

    fn execute_in_hall(&mut self, line: &str) -> Result<Flow, Failure> {
        match HallCommand::read(line, self.preferences.clone()) {
            Ok(HallCommand::Nothing) => {}
            Ok(HallCommand::Quit) => return Ok(Flow::Break(())),
            _ if self.session.is_halted() => self.say(&words::session::why(&self.session))?,
            Ok(HallCommand::Help) => self.say_all(&help::in_hall())?,
            Ok(HallCommand::Go(action)) => {
                let action = self.to_own_seat(&action).unwrap_or(*action);
                self.ask_hall(&action);
            }
            Err(complaint) => self.say(&complaint)?,
        }
        Ok(Flow::Continue(()))
    }

    /// The return to a saved seat in the lobby that this action would join.
    fn to_own_seat(&self, action: &Action) -> Option<Action> {
        let Action::Join(code, _) = action else { return None };
        let seat = self.session.own_seats().iter().find(|seat| seat.code == *code)?;
        Some(Action::Return(seat.clone()))
    }

    fn execute_in_lobby(&mut self, line: &str) -> Result<Flow, Failure> {
        let Some(lobby) = self.session.lobby() else { return Ok(Flow::Continue(())) };
        let command = GameCommand::in_lobby(line, lobby);
        if self.session.lobby().is_some_and(|lobby| command.is_untimely(lobby)) {
            self.say_of_lobby(|lobby| vec![words::untimely(lobby).into()])?;
            return Ok(Flow::Continue(()));
        }
        let afterwards = self.session.afterwards();
        match command {
            GameCommand::Nothing => {}
            GameCommand::Help => self.show_help(afterwards)?,
            GameCommand::Rules => self.say_of_lobby(words::rules_and_name)?,
            GameCommand::Board => {
                let eyes = self.session.viewpoint();
                self.say_of_lobby(|lobby| words::board(lobby, eyes))?;
            }
            GameCommand::Terms => {
                self.say_of_lobby(if self.session.is_at_home() {
                    words::agreement::terms_at_home
                } else {
                    words::agreement::terms
                })?;
            }
            GameCommand::Why => self.show_why()?,
            GameCommand::Answer(accept) => self.answer(accept)?,
            GameCommand::Say(words) => self.send_chat(words)?,
            GameCommand::Mute(name, muted) => self.mute(name, muted)?,
            GameCommand::Review(number) => self.review(number)?,
            GameCommand::Ask(action) if self.asks_first(&action) => self.confirm = Some(action),
            GameCommand::Ask(action) => self.ask(action)?,
            GameCommand::Leave { quits } => return self.leave(quits),
            GameCommand::Move(text) => self.play(text)?,
        }
        Ok(Flow::Continue(()))
    }

    fn show_help(&mut self, afterwards: Afterwards) -> Result<(), Failure> {
        let Some(mine) = self.session.model().lobby() else { return Ok(()) };
        let watches = mine.you().is_none();
        self.say_all(&if watches { help::while_watching(mine) } else { help::in_lobby(mine, afterwards) })
    }

    /// Sends an action to the lobby, and says so if it is queued or dropped.
    pub(super) fn ask(&mut self, action: Action) -> Result<(), Failure> {
        let sent = self.session.act(action);
        self.show_sent(sent)
    }

    /// Leaves the lobby, and ends the program if it `quits`. A person in a game is asked how; a pipe keeps it.
    pub(super) fn leave(&mut self, quits: bool) -> Result<Flow, Failure> {
        let asks = self.session.has_game() && !(quits && self.session.cannot_leave_now());
        let asked = self.session.model().lobby().filter(|_| asks && self.typing == Typing::AtTerminal);
        let Some(mine) = asked else { return self.leave_as(self.session.usual_leaving(), quits) };
        let kept = self.session.resumable_by_player();
        let told = leaving::what_is_kept(mine, kept).join(" ");
        self.leaving = Some(LeavingQuestion { quits, may_keep: kept != Resumable::Nothing });
        self.say(&told)?;
        Ok(Flow::Continue(()))
    }

    /// Ctrl-C at a terminal: the same as `quit`, and in the question how to leave the seat is kept.
    pub(super) fn interrupt(&mut self) -> Result<Flow, Failure> {
        self.confirm = None;
        match (self.leaving.take(), self.session.lobby()) {
            (Some(_), _) => self.leave_as(Leaving::Keep, true),
            (None, Some(_)) => self.leave(true),
            (None, None) => Ok(Flow::Break(())),
        }
    }

    fn answer_leaving(&mut self, question: LeavingQuestion, line: &str) -> Result<Flow, Failure> {
        match question.answer(line) {
            Some(Some(how)) => return self.leave_as(how, question.quits),
            Some(None) => {}
            None => {
                self.leaving = Some(question);
                self.say(leaving::ANSWERS)?;
            }
        }
        Ok(Flow::Continue(()))
    }

    fn leave_as(&mut self, how: Leaving, quits: bool) -> Result<Flow, Failure> {
        self.farewell.note_leaving(&self.session, how, quits);
        match self.session.act(if quits { Action::Quit(how) } else { Action::Leave(how) }) {
            SendStatus::Done if self.session.is_halted() => {
                self.farewell.note_unrecorded(&self.session);
                return Ok(Flow::Break(()));
            }
            SendStatus::Done => return self.session.end_without_leaving(),
            sent => self.show_sent(sent)?,
        }
        Ok(Flow::Continue(()))
    }

    fn show_sent(&mut self, sent: SendStatus) -> Result<(), Failure> {
        match sent {
            SendStatus::Now | SendStatus::Done => Ok(()),
            SendStatus::Later => self.say(words::connection::LATER),
            SendStatus::Leaving => self.show_leaving(),
            SendStatus::Never => self.say(words::connection::NEVER),
        }
    }

    pub(super) fn show_leaving(&mut self) -> Result<(), Failure> {
        let watching = self.session.is_watching();
        self.say(if watching { words::connection::LEAVING_NO_SEAT } else { words::connection::LEAVING })
    }

    /// Answers the open offer.
    fn answer(&mut self, accept: bool) -> Result<(), Failure> {
        match self.session.model().lobby().and_then(MyLobby::offer) {
            Some(offer) => self.ask(Action::Answer { offer, accept }),
            None => self.say("There is no offer to answer."),
        }
    }

    fn send_chat(&mut self, words: &str) -> Result<(), Failure> {
        let Ok(line) = Text::try_from(words.to_owned()) else {
            return self.say(&words::chat::too_long(words));
        };
        match self.session.act(Action::Say(line)) {
            SendStatus::Never => self.say("The connection is lost: nobody would receive it."),
            _ => Ok(()),
        }
    }

    /// Asks for the review of the move with this number, or of the next one.
    fn review(&mut self, number: Option<u32>) -> Result<(), Failure> {
        let count = self.session.lobby().map(|lobby| saturating::<u32, _>(lobby.past().len()));
        match (number.unwrap_or(self.reviewed.saturating_add(1)), count) {
            (_, Some(0)) => self.say(words::chat::NO_MOVES),
            (next, Some(count)) if number.is_none() && next > count => self.say(words::chat::ALL_REVIEWED),
            (number, _) => self.ask(Action::Review(number)),
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

    /// Makes a move. An illegal one is not sent.
    fn play(&mut self, text: &str) -> Result<(), Failure> {
        let Some(mine) = self.session.model().lobby() else { return Ok(()) };
        if mine.you().is_none() {
            return self.say("You watch: the players move.");
        }
        if mine.lobby.is_paused() {
            return self.say("The game is paused: type resume to continue it.");
        }
        if mine.lobby.to_move().is_some() && !mine.is_to_move() {
            return self.say("It is not your turn.");
        }
        if self.session.is_pending() {
            return self.say(&words::session::unanswered(&self.session));
        }
        match mine.lobby.board().read_move(text) {
            Ok(mv) => self.ask(Action::Play(mv)),
            Err(complaint) => match GameCommand::meant(text) {
                Some(meant) => {
                    self.say(&format!("{}: no move and no command; did you mean {meant}?", shown(text)))
                }
                None => self.say(&format!("{complaint}.")),
            },
        }
    }
}
