//! The screen of a session with a server: the hall, the lobby, and the records of the server over the hall.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;

use super::app::Component;
use super::draw::draw;
use super::job::{Jobs, SearchTarget};
use super::message::{Effect, Message};
use super::page::Left;
use super::records::Records;
use super::state::State;
use super::update::update;
use super::view::View;
use crate::client::record_source::Library;
use crate::client::session::{Flow, SendStatus, Session};
use crate::client::words;
use crate::client::{Action, Failure};
use crate::game::any::Board;

/// What the screen shows, without the session itself.
#[derive(Debug)]
pub struct Screens {
    /// The hall and the lobby.
    pub state: State,
    /// The title of the server's records, if it has any.
    pub library: Option<String>,
    /// The records, while the person looks at them.
    records: Option<Box<Records>>,
}

impl Screens {
    /// The screens at the start.
    pub fn new(state: State) -> Self {
        Self { state, library: None, records: None }
    }

    /// Takes a message; returns what to do.
    pub fn update(&mut self, view: &View<'_>, message: Message) -> Vec<Effect> {
        self.state.has_records = self.library.is_some();
        let effects = match (&mut self.records, message) {
            (Some(records), Message::Resize(columns, rows)) => {
                let _ = records.update(Message::Resize(columns, rows));
                update(&mut self.state, view, Message::Resize(columns, rows))
            }
            (Some(records), message @ (Message::Key(_) | Message::Mouse(_) | Message::Job(_))) => {
                match records.update(message) {
                    ControlFlow::Continue(jobs) => return jobs.into_iter().map(Effect::Job).collect(),
                    ControlFlow::Break(left) => {
                        self.records = None;
                        return Vec::from_iter((left == Left::Quit).then_some(Effect::Act(Action::Quit)));
                    }
                }
            }
            (_, message) => update(&mut self.state, view, message),
        };
        if view.lobby().is_some() {
            self.records = None;
        }
        effects.into_iter().map(|effect| self.open_records(effect)).collect()
    }

    /// Opens the records, if that is the effect.
    fn open_records(&mut self, effect: Effect) -> Effect {
        match (effect, &self.library) {
            (Effect::Records, Some(title)) => {
                let (records, first) = Records::new(self.state.size, self.state.appearance, title.clone());
                self.records = Some(Box::new(records));
                Effect::Job(first)
            }
            (effect, _) => effect,
        }
    }

    /// The question to search now, and the board of it.
    pub fn wanted(&self) -> Option<(SearchTarget, &Board)> {
        match &self.records {
            Some(records) => records.wanted(),
            None => self.state.learn.as_ref()?.question(),
        }
    }

    /// Draws what is on top.
    pub fn draw(&self, view: &View<'_>, frame: &mut Frame<'_>) {
        match &self.records {
            Some(records) => records.draw(frame),
            None => draw(&self.state, view, frame),
        }
    }
}

/// The screen of a session.
#[derive(Debug)]
pub struct SessionScreen {
    session: Session,
    screens: Screens,
    jobs: Jobs,
}

impl SessionScreen {
    /// The screen of this session, from this state on.
    pub fn new(session: Session, state: State) -> Self {
        let mut screens = Screens::new(state);
        let library = session.library();
        screens.library = library.as_ref().map(|library| words::records::there(library.address()));
        let jobs = Jobs::new(library.map(|library| Arc::new(library) as Arc<dyn Library>));
        Self { session: session.measuring(), screens, jobs }
    }

    /// The same with these lines in the log, and the last one as a notice.
    #[must_use]
    pub fn telling(mut self, news: &[String]) -> Self {
        for line in news {
            self.tell(line.clone());
        }
        self.screens.state.notice = news.last().cloned();
        self
    }

    /// Sends the first request of the person, who asked to be called this.
    pub async fn start(&mut self, asked: &str, wish: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        // A person who comes back has the name of the seat.
        if name.as_str() != asked && !matches!(wish, Action::Return(_)) {
            self.tell(words::chat::called_here(&name));
        }
        self.act(wish.clone()).await.map(drop)
    }

    fn tell(&mut self, text: String) {
        self.note(Message::Note(text));
    }

    /// Takes a message that has no effects.
    fn note(&mut self, message: Message) {
        self.screens.update(&View::of(&self.session), message);
    }

    /// Sends an action; the session ends with it where nothing is left to wait for.
    async fn act(&mut self, action: Action) -> Result<Flow, Failure> {
        let (quits, wish) = (action == Action::Quit, action.is_for_hall().then(|| action.clone()));
        let sent = self.session.act(action).await?;
        if quits && sent == SendStatus::Done {
            return self.session.go();
        }
        match wish {
            Some(wish) => self.screens.state.wish = wish,
            None => self.note(Message::Sent(sent)),
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn perform(&mut self, effect: Effect) -> Result<Flow, Failure> {
        match effect {
            Effect::Act(action) => return self.act(action).await,
            Effect::Depart => return self.session.go(),
            Effect::End => return Ok(ControlFlow::Break(())),
            Effect::Fail(failure) => return Err(failure),
            Effect::Mute(name, muted) => {
                let muting = self.session.mute(&name, muted);
                self.tell(words::chat::muted(&name, muted, muting));
            }
            Effect::Job(job) => self.jobs.start(job),
            // Without records there is nothing to look at.
            Effect::Records => {}
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Component for SessionScreen {
    type Output = ();

    fn draw(&self, frame: &mut Frame<'_>) {
        self.screens.draw(&View::of(&self.session), frame);
    }

    fn tick(&self) -> Option<Duration> {
        self.screens.state.tick(&View::of(&self.session))
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        tokio::select! {
            biased;
            incoming = self.session.next() => incoming.map(Message::Incoming),
            result = self.jobs.next() => Ok(Message::Job(result)),
        }
    }

    async fn update(&mut self, message: Message) -> Result<Flow, Failure> {
        let message = match message {
            Message::Incoming(incoming) => {
                let event = self.session.handle(incoming).await?;
                if let Some(warning) = self.session.seat_warning() {
                    self.tell(words::connection::how_kept(&warning));
                }
                Message::Session(event)
            }
            message => message,
        };
        for effect in self.screens.update(&View::of(&self.session), message) {
            if self.perform(effect).await?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.jobs.search(self.screens.wanted());
        Ok(ControlFlow::Continue(()))
    }
}
