//! The screen: a full terminal with the board, the clocks, what was told, and what is waited for; for keys and the mouse.
//!
//! A [`State`] is all that it keeps, changed by [`update`](update::update) alone, of which every [`Message`] is a value, and
//! shown by [`draw`](draw::draw), which changes nothing. It drives the same [`Session`] as the other faces, says the same
//! words, and knows neither server nor rules beyond what they show.

mod bar;
pub mod board;
mod card;
pub mod deed;
pub mod draw;
mod field;
pub mod form;
pub mod guard;
mod hall;
pub mod home;
mod keys;
mod layout;
pub mod learn;
pub mod log;
pub mod look;
pub mod message;
mod over;
mod pen;
pub mod records;
pub mod screen;
pub mod state;
mod thinker;
pub mod update;
pub mod view;
pub mod waiting;

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::time::Instant;

pub use layout::LEAST;
pub use look::Look;

pub use super::theme::Theme;
pub use message::{Command, Message};
pub use screen::Screen;
pub use state::State;
pub use view::View;

use learn::Question;
use records::Librarian;
use thinker::Thinker;

use super::session::{Afterwards, Flow, SendStatus, Session};
use super::words;
use super::{Action, Failure, Preferences};
use crate::study::branches::Branches;

/// The screen face, from the welcome to the end of the session.
#[derive(Debug)]
pub struct Tui<'a> {
    session: Session,
    screen: &'a mut Screen,
    state: State,
    thinker: Thinker<Question, Branches>,
    /// Whoever runs errands about the server's records.
    librarian: Option<Librarian>,
    /// When the screen looks otherwise by itself.
    due: Option<Instant>,
}

impl<'a> Tui<'a> {
    /// A face for this session on this screen, to a server with a hall.
    pub fn new(session: Session, screen: &'a mut Screen, look: Look) -> Self {
        let mut state = State::new(screen.size(), look, Afterwards::Hall);
        let library = session.library();
        state.library = library.as_ref().map(|library| words::records::there(library.address()));
        let librarian = library.map(|library| Librarian::of(Arc::new(library)));
        let thinker = Thinker::default();
        Self { session: session.measuring(), screen, state, thinker, librarian, due: None }
    }

    /// The same face with other terms for lobbies that are opened from the hall.
    #[must_use]
    pub fn preferring(mut self, preferences: Preferences) -> Self {
        self.state.preferences = preferences;
        self
    }

    /// The same face where there is no hall to go back to.
    #[must_use]
    pub fn without_hall(mut self) -> Self {
        self.state.afterwards = Afterwards::Home;
        self
    }

    /// The same face for somebody who comes from the first screen, and goes back to it.
    #[must_use]
    pub fn from_first_screen(mut self) -> Self {
        self.state.is_from_first = true;
        self
    }

    /// The same face, which tells this first.
    #[must_use]
    pub fn telling(mut self, news: &[String]) -> Self {
        for line in news {
            self.tell(line.clone());
        }
        self.state.notice = news.last().cloned();
        self
    }

    /// Does what the person came for, and plays until they have enough. `asked` is the name that they asked for.
    pub async fn run(mut self, asked: &str, wish: &Action) -> Result<(), Failure> {
        let name = self.session.model().name().clone();
        // Whoever comes back has the seat's name, whatever the welcome says.
        if name.as_str() != asked && !matches!(wish, Action::Return(_)) {
            self.tell(words::chat::called_here(&name));
        }
        self.go(wish.clone()).await?;
        loop {
            self.screen.draw(&self.state, &View::of(&self.session)).map_err(Failure::Output)?;
            let message = self.next().await?;
            if self.take(message).await?.is_break() {
                return Ok(());
            }
            // Of what has come meanwhile nothing is drawn by itself.
            while let Some(message) = self.screen.waiting() {
                if self.take(message).await?.is_break() {
                    return Ok(());
                }
            }
        }
    }

    /// What happens next.
    async fn next(&mut self) -> Result<Message, Failure> {
        let tick = self.state.tick(&View::of(&self.session));
        self.due =
            tick.map(|after| self.due.unwrap_or_else(|| Instant::now() + after).min(Instant::now() + after));
        let due = self.due;
        tokio::select! {
            biased;
            heard = self.session.next() => {
                let news = self.session.handle(heard?).await?;
                if let Some(complaint) = self.session.complaint() {
                    self.tell(words::connection::how_kept(&complaint));
                }
                Ok(Message::News(news))
            }
            message = self.screen.next() => message.map_err(Failure::Output),
            insight = self.thinker.next() => Ok(insight.into()),
            message = run(self.librarian.as_mut()) => Ok(message),
            () = until(due) => {
                self.due = None;
                Ok(Message::Tick)
            }
        }
    }

    fn tell(&mut self, text: String) {
        update::update(&mut self.state, &View::of(&self.session), Message::Said(text));
    }

    /// Asks the hall.
    async fn go(&mut self, wish: Action) -> Result<(), Failure> {
        self.session.act(wish.clone()).await?;
        self.state.wish = wish;
        Ok(())
    }

    /// Takes in what happens, and does what follows from it.
    async fn take(&mut self, message: Message) -> Result<Flow, Failure> {
        let mut commands = update::update(&mut self.state, &View::of(&self.session), message);
        while !commands.is_empty() {
            let command = commands.remove(0);
            match self.obey(command).await? {
                ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
                ControlFlow::Continue(Some(message)) => {
                    commands.extend(update::update(&mut self.state, &View::of(&self.session), message));
                }
                ControlFlow::Continue(None) => {}
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Does this. Something may have become of it at once.
    async fn obey(&mut self, command: Command) -> Result<ControlFlow<(), Option<Message>>, Failure> {
        let sent = match command {
            Command::Ask(action) => self.session.act(action).await?,
            Command::Mute(name, muted) => {
                let told = self.session.mute_aloud(&name, muted);
                self.tell(told);
                return Ok(ControlFlow::Continue(None));
            }
            Command::Think(question, board) => {
                self.thinker.think(question, move |stop| question.answer(&board, stop));
                return Ok(ControlFlow::Continue(None));
            }
            Command::Read(_) => {
                if let Some(librarian) = &mut self.librarian {
                    librarian.obey(command);
                }
                return Ok(ControlFlow::Continue(None));
            }
            Command::Rest => {
                self.thinker.rest();
                return Ok(ControlFlow::Continue(None));
            }
            Command::Go(wish) => {
                self.go(wish).await?;
                return Ok(ControlFlow::Continue(None));
            }
            Command::Quit => match self.session.act(Action::Quit).await? {
                SendStatus::Done => return Ok(self.session.go()?.map_continue(|()| None)),
                sent => sent,
            },
            Command::Depart => return Ok(self.session.go()?.map_continue(|()| None)),
            Command::End => return Ok(ControlFlow::Break(())),
            Command::Fail(failure) => return Err(failure),
        };
        Ok(ControlFlow::Continue(Some(Message::Sent(sent))))
    }
}

/// What comes of errands; never anything where there is nobody to run them.
async fn run(librarian: Option<&mut Librarian>) -> Message {
    match librarian {
        Some(librarian) => librarian.next().await,
        None => std::future::pending().await,
    }
}

/// Until then; without end where nothing is due.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}
