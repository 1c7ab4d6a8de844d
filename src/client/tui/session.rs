//! The screens on which games are played and looked at: that of a session with a server, and that of the
//! records at this keyboard.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::alert;
use super::app::Component;
use super::appearance::Appearance;
use super::draw::draw;
use super::job::{Job, Jobs};
use super::keys::Keys;
use super::log::EntryKind;
use super::message::{Effect, Message};
use super::page::Exit;
use super::records::Records;
use super::state::State;
use super::update::update;
use super::view::View;
use crate::client::farewell::Farewell;
use crate::client::record_source::RecordSource;
use crate::client::session::{Afterwards, Flow, SendStatus, Session};
use crate::client::words;
use crate::client::{Action, Failure, Model};
use crate::lobby::Name;

/// The screen of a session.
#[derive(Debug)]
pub struct SessionScreen {
    session: Session,
    state: State,
    jobs: Jobs,
    /// The bell has to ring.
    rings: bool,
    /// For the time after the screen.
    farewell: Farewell,
}

impl SessionScreen {
    /// The screen of this session, from this state on.
    pub fn new(session: Session, mut state: State) -> Self {
        let library = session.record_source();
        state.library = library.as_ref().map(|library| words::records::there(library.address()));
        let jobs = Jobs::new(library.map(|library| Arc::new(library) as Arc<dyn RecordSource>));
        Self { session: session.measuring(), state, jobs, rings: false, farewell: Farewell::default() }
    }

    /// The same with these lines in the log, and the last one as a notice.
    #[must_use]
    pub fn telling(mut self, news: &[String]) -> Self {
        for line in news {
            self.tell(line.clone());
        }
        self.state.notice = news.last().cloned();
        self
    }

    /// Sends the first request of the person, who asked to be called this.
    pub fn start(&mut self, asked: &str, wish: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        // A person who comes back has the name of the seat.
        if name.as_str() != asked && !matches!(wish, Action::Return(_)) {
            self.tell(words::chat::called_here(asked, &name, self.session.own_lobby_as(asked)));
        }
        self.act(wish.clone()).map(drop)
    }

    /// The line after the screen.
    pub fn farewell(mut self) -> Option<String> {
        self.farewell.take()
    }

    fn tell(&mut self, text: String) {
        self.state.log.add(EntryKind::Event, text);
    }

    /// Sends an action; the session ends with it where nothing is left to wait for.
    fn act(&mut self, action: Action) -> Result<Flow, Failure> {
        let quits = matches!(action, Action::Quit(_));
        if let Action::Quit(how) | Action::Leave(how) = action {
            self.farewell.note_leaving(&self.session, how, quits);
        }
        let wish = action.is_for_hall().then(|| action.clone());
        let sent = self.session.act(action);
        if sent == SendStatus::Done {
            return self.session.end_without_leaving();
        }
        if quits && sent == SendStatus::Now {
            self.state.notice = Some(words::screen::LEAVING_UNANSWERED.to_owned());
        }
        match wish {
            Some(wish) => self.state.wish = wish,
            None => drop(update(&mut self.state, &View::of(&self.session), Message::Sent(sent))),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn perform(&mut self, effect: Effect) -> Result<Flow, Failure> {
        match effect {
            Effect::Act(action) => return self.act(action),
            Effect::End => return Ok(ControlFlow::Break(())),
            Effect::Fail(failure) => return Err(failure),
            Effect::Mute(name, muted) => {
                let muting = self.session.mute(&name, muted);
                self.tell(words::chat::muted(&name, muted, muting));
            }
            Effect::Job(job) => self.jobs.start(job),
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Component for SessionScreen {
    type Output = ();

    fn draw(&self, frame: &mut Frame<'_>) {
        draw(&self.state, &View::of(&self.session), frame);
    }

    fn title(&self) -> String {
        alert::title(&View::of(&self.session))
    }

    fn rings(&mut self) -> bool {
        std::mem::take(&mut self.rings)
    }

    fn tick(&self) -> Option<Duration> {
        Some(self.state.tick(&View::of(&self.session)))
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        tokio::select! {
            biased;
            incoming = self.session.next() => incoming.map(Message::Incoming),
            result = self.jobs.next() => Ok(Message::Job(result)),
        }
    }

    fn update(&mut self, message: Message) -> Result<Flow, Failure> {
        let message = match message {
            Message::Incoming(incoming) => {
                let event = self.session.handle(incoming)?;
                if let Some(warning) = self.session.seat_warning() {
                    self.tell(words::connection::how_kept(&warning));
                }
                self.rings |= alert::rings(&View::of(&self.session), &event);
                self.farewell.note(&self.session, &event);
                Message::Session(event)
            }
            message => message,
        };
        for effect in update(&mut self.state, &View::of(&self.session), message) {
            if self.perform(effect)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.jobs.search(self.state.wanted());
        Ok(ControlFlow::Continue(()))
    }
}

/// The screen of the records at this keyboard.
#[derive(Debug)]
pub struct RecordsScreen {
    state: State,
    /// Nobody is in a hall or in a lobby.
    model: Model,
    jobs: Jobs,
}

impl RecordsScreen {
    /// The records of this source under this title.
    pub fn new(
        size: Rect,
        (appearance, keys): (Appearance, Keys),
        title: String,
        source: Arc<dyn RecordSource>,
    ) -> Self {
        let mut state = State { keys, ..State::new(size, appearance, Afterwards::Home) };
        state.records = Some(Box::new(Records::new(title)));
        let mut jobs = Jobs::new(Some(source));
        jobs.start(Job::List);
        Self { state, model: Model::new(Name::anyone()), jobs }
    }
}

impl Component for RecordsScreen {
    type Output = Exit;

    fn draw(&self, frame: &mut Frame<'_>) {
        draw(&self.state, &View::of_record(&self.model, String::new()), frame);
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        Ok(Message::Job(self.jobs.next().await))
    }

    fn update(&mut self, message: Message) -> Result<ControlFlow<Exit>, Failure> {
        for effect in update(&mut self.state, &View::of_record(&self.model, String::new()), message) {
            match effect {
                Effect::Job(job) => self.jobs.start(job),
                _ => return Ok(ControlFlow::Break(Exit::Quit)),
            }
        }
        if self.state.records.is_none() {
            return Ok(ControlFlow::Break(Exit::Back));
        }
        self.jobs.search(self.state.wanted());
        Ok(ControlFlow::Continue(()))
    }
}
