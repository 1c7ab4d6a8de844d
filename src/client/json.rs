//! The JSON face: one object a line in and out, for scripts. `proto/JSON.md` is the page for those who write them.
//!
//! A line is read only at a prompt (`hall`, `your_turn`, `over`), so that a script may react to what it is told
//! or send everything at once, and the same lines lead to the same game. Knows nothing of people at a screen.

pub mod event;
pub mod request;
mod telling;
pub mod vocabulary;

use std::io::{self, Write};
use std::ops::ControlFlow;

pub use event::Event;
pub use request::Request;
use request::{Errand, Misread, Slip};
use vocabulary::{Deed, Refusal};

use super::hands::Hands;
use super::input::Lines;
use super::model::{Model, MyLobby};
use super::words::Viewpoint;
use super::{Address, Failure, Question, Wish};
use crate::lobby::{self, Lobby, Phase};
use crate::wire::{self, HallEvent, HallRequest, LobbyRequest, ToClient};

/// The JSON face, from the welcome to the end of the program.
#[derive(Debug)]
pub struct Json<W> {
    hands: Hands,
    model: Model,
    input: Lines,
    out: W,
    /// The prompt that was written and that no line has answered yet.
    prompt: Option<Event>,
    /// What the server has been asked for and has not yet answered.
    pending: Option<Deed>,
    /// Nothing has been granted yet of what the client came for: a refusal ends it.
    arriving: bool,
}

/// Whether the face goes on.
type Flow = ControlFlow<()>;

impl<W: Write> Json<W> {
    /// A face over these connections, for a client that has been welcomed under the model's name.
    pub fn new(hands: Hands, model: Model, input: Lines, out: W) -> Self {
        Self { hands, model, input, out, prompt: None, pending: None, arriving: true }
    }

    /// Does what the client came for, and what the script asks, until that has enough. `server` is the address
    /// to be shown in the welcome, if the server is not a part of this program.
    pub async fn run(mut self, server: Option<&Address>, wish: &Wish) -> Result<(), Failure> {
        let name = self.model.name().clone();
        self.tell(&Event::Welcome { name, server: server.map(Address::to_string) })?;
        self.ask_hall(deed(wish), wish.into()).await?;
        while self.step().await?.is_continue() {}
        Ok(())
    }

    /// Waits for the server or, at a prompt, for the script, and does what follows. The server goes first, so that
    /// a line is obeyed by who knows all that has been told.
    async fn step(&mut self) -> Result<Flow, Failure> {
        self.write_prompt()?;
        tokio::select! {
            biased;
            message = self.hands.next() => self.hear(message?).await,
            line = self.input.next(), if self.prompt.is_some() => self.obey(line).await,
        }
    }

    /// Asks for what is open now, unless that prompt stands there already.
    fn write_prompt(&mut self) -> Result<(), Failure> {
        let question = Question::of(&self.model, self.hands.are_two());
        let question = question.filter(|_| self.pending.is_none());
        let due = question.and_then(|question| telling::prompt(question, self.model.lobby()));
        if due != self.prompt {
            due.iter().try_for_each(|prompt| self.tell(prompt))?;
            self.prompt = due;
        }
        Ok(())
    }

    // What the server says.

    async fn hear(&mut self, message: ToClient) -> Result<Flow, Failure> {
        let before = self.model.lobby().cloned();
        self.model.learn(&message).map_err(Failure::nonsense)?;
        match message {
            ToClient::Entered { .. } => self.enter().await?,
            ToClient::Lobby { event, .. } => self.tell_event(&event, before)?,
            ToClient::Hall(news) => self.tell_hall(news)?,
            ToClient::Hint { turn, mv, words } => {
                self.pending = None;
                let hint = self.lobby().map(|lobby| telling::hint(lobby, turn, mv, &words));
                hint.iter().try_for_each(|hint| self.tell(hint))?;
            }
            ToClient::Refused { refusal, .. } => self.tell_refusal(refusal)?,
            ToClient::Outside => return self.go_outside(),
            _ => {}
        }
        Ok(Flow::Continue(()))
    }

    async fn enter(&mut self) -> Result<(), Failure> {
        (self.pending, self.arriving) = (None, false);
        let Some(mine) = self.model.lobby() else { return Ok(()) };
        let (code, entered) = (mine.lobby.code(), telling::entered(&mine.lobby, self.eyes(mine)));
        self.tell(&entered)?;
        self.hands.follow(code).await
    }

    fn tell_event(&mut self, event: &lobby::Event, before: Option<MyLobby>) -> Result<(), Failure> {
        let (Some(before), Some(after)) = (before, self.model.lobby()) else { return Ok(()) };
        let told = telling::happened(event, &before.lobby, &after.lobby, self.eyes(&before));
        let leaving = matches!(self.pending, Some(Deed::Leave | Deed::Quit));
        if !leaving && before.is_answered_by(event, self.hands.are_two()) {
            self.pending = None;
        }
        told.iter().try_for_each(|told| self.tell(told))
    }

    fn tell_hall(&mut self, news: HallEvent) -> Result<(), Failure> {
        let HallEvent::Lobbies { complete, .. } = news;
        if complete && self.pending == Some(Deed::Look) {
            (self.pending, self.arriving) = (None, false);
        }
        self.tell(&telling::lobbies(news))
    }

    /// A refusal of what the client came for ends it.
    fn tell_refusal(&mut self, refusal: wire::Refusal) -> Result<(), Failure> {
        let request = self.pending.take();
        self.refuse(request, Refusal::from(&refusal), refusal.to_string())?;
        if self.arriving { Err(Failure::Refused(refusal)) } else { Ok(()) }
    }

    fn go_outside(&mut self) -> Result<Flow, Failure> {
        self.tell(&Event::Outside {})?;
        // The second player at this keyboard is still in the lobby: the two come and go together.
        let done = self.pending.take() == Some(Deed::Quit) || self.hands.are_two();
        Ok(if done { Flow::Break(()) } else { Flow::Continue(()) })
    }

    // What the script says.

    async fn obey(&mut self, line: Option<String>) -> Result<Flow, Failure> {
        if line.as_ref().is_some_and(|line| line.trim().is_empty()) {
            return Ok(Flow::Continue(()));
        }
        self.prompt = None;
        let Some(line) = line else { return self.end_of_input().await };
        match Request::read(&line) {
            Ok(request) => self.run_errand(&request).await,
            Err(Misread { fault, words }) => {
                self.tell(&Event::Error { fault, words })?;
                Ok(Flow::Continue(()))
            }
        }
    }

    /// Between games a script may just stop; in the middle of one that is a failure.
    async fn end_of_input(&mut self) -> Result<Flow, Failure> {
        match self.lobby().map(Lobby::phase) {
            Some(Phase::Playing) => Err(Failure::EndOfInput),
            _ => self.quit().await,
        }
    }

    async fn run_errand(&mut self, request: &Request) -> Result<Flow, Failure> {
        match request.errand(self.model.lobby()) {
            Ok(Errand::Hall(wish)) => self.ask_hall(request.deed(), (&wish).into()).await?,
            Ok(Errand::Lobby(asked)) => self.ask(request.deed(), asked).await?,
            Ok(Errand::Quit) => return self.quit().await,
            Err(Slip { refusal, words }) => self.refuse(Some(request.deed()), refusal, words)?,
        }
        Ok(Flow::Continue(()))
    }

    /// Leaves on purpose: the other one is to know that at once.
    async fn quit(&mut self) -> Result<Flow, Failure> {
        if self.model.lobby().is_none() {
            return Ok(Flow::Break(()));
        }
        self.ask(Deed::Quit, LobbyRequest::Leave).await?;
        Ok(Flow::Continue(()))
    }

    async fn ask_hall(&mut self, deed: Deed, request: HallRequest) -> Result<(), Failure> {
        self.pending = Some(deed);
        self.hands.mine().ask_hall(request).await?;
        Ok(())
    }

    async fn ask(&mut self, deed: Deed, request: LobbyRequest) -> Result<(), Failure> {
        self.pending = Some(deed);
        self.hands.ask(request, self.model.lobby()).await
    }

    // What is written.

    fn lobby(&self) -> Option<&Lobby> {
        self.model.lobby().map(|mine| &mine.lobby)
    }

    fn eyes(&self, mine: &MyLobby) -> Viewpoint {
        if self.hands.are_two() { Viewpoint::Outside } else { Viewpoint::Player(mine.you) }
    }

    fn refuse(&mut self, request: Option<Deed>, refusal: Refusal, words: String) -> Result<(), Failure> {
        let turn = self.lobby().map_or(0, Lobby::turn);
        self.tell(&Event::Refused { request, refusal, turn, words })
    }

    fn tell(&mut self, event: &Event) -> Result<(), Failure> {
        write(&mut self.out, event).map_err(Failure::Output)
    }
}

/// The request that a script would make for the same wish.
fn deed(wish: &Wish) -> Deed {
    match wish {
        Wish::Hall => Deed::Look,
        Wish::New(_) => Deed::New,
        Wish::Join(_) => Deed::Join,
        Wish::Quick(_) => Deed::Quick,
    }
}

/// Writes the last object, for a program that ends well or with this failure.
pub fn write_end(out: &mut impl Write, failure: Option<&Failure>) -> io::Result<()> {
    write(out, &telling::end(failure))
}

fn write(out: &mut impl Write, event: &Event) -> io::Result<()> {
    serde_json::to_writer(&mut *out, event)?;
    out.write_all(b"\n")?;
    out.flush()
}
