//! The line face: one line at a time, for terminals, pipes and screen readers.

mod command;

use std::io::{self, Write};

use command::{GameCommand, HallCommand};

use super::hands::Hands;
use super::input::Lines;
use super::model::{Model, MyLobby};
use super::question::Question;
use super::words::{self, Viewpoint};
use super::{Failure, Wish};
use crate::game::any::Move;
use crate::lobby::{Event, Lobby, Phase};
use crate::wire::{HallEvent, HallRequest, LobbyRequest, Refusal, ToClient};

/// Whether somebody types, or a file or program is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// A person at a terminal, who may type at any time.
    AtTerminal,
    /// A pipe or a file, of which a line is read only at a question.
    FromPipe,
}

/// The line face, from the welcome to the end of the program.
#[derive(Debug)]
pub struct Line<W> {
    hands: Hands,
    model: Model,
    input: Lines,
    typing: Typing,
    out: W,
    /// A question stands at the end of the screen, without a line end.
    asking: bool,
    /// The server has been asked for something and has not yet answered.
    pending: bool,
    /// Nothing has been granted yet of what the client came for: a refusal ends it.
    arriving: bool,
    /// Where somebody goes who leaves a lobby.
    outside: Outside,
}

/// Where somebody goes who leaves a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// To the hall, to find another game.
    Hall,
    /// Home: the program ends.
    Home,
}

/// Whether the face goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Done,
}

impl<W: Write> Line<W> {
    /// A face over these connections, for a client that has been welcomed under the model's name.
    pub fn new(hands: Hands, model: Model, input: Lines, typing: Typing, out: W) -> Self {
        let outside = Outside::Hall;
        Self { hands, model, input, typing, out, asking: false, pending: false, arriving: true, outside }
    }

    /// The same face where there is no hall to go back to.
    #[must_use]
    pub fn without_hall(self) -> Self {
        Self { outside: Outside::Home, ..self }
    }

    /// Does what the client came for, and plays until the person has enough.
    pub async fn run(mut self, wish: &Wish) -> Result<(), Failure> {
        self.ask_hall(wish.into()).await?;
        while self.step().await? == Flow::On {}
        Ok(())
    }

    /// Waits for the server or the person, whoever speaks first, and does what follows.
    async fn step(&mut self) -> Result<Flow, Failure> {
        self.ask_question()?;
        let reads = self.typing == Typing::AtTerminal || self.asking;
        tokio::select! {
            message = self.hands.next() => self.hear(message?).await,
            line = self.input.next(), if reads => self.obey(line).await,
        }
    }

    // What the server says.

    async fn hear(&mut self, message: ToClient) -> Result<Flow, Failure> {
        let before = self.model.lobby().cloned();
        self.model.learn(&message).map_err(Failure::nonsense)?;
        match message {
            ToClient::Entered { .. } => self.enter().await?,
            ToClient::Lobby { event, .. } => self.tell_event(&event, before)?,
            ToClient::Hall(news) => self.tell_hall(&news)?,
            ToClient::Hint { turn, mv, words } => self.tell_hint(turn, mv, &words.to_string())?,
            ToClient::Refused { refusal, .. } => self.tell_refusal(refusal)?,
            ToClient::Outside if self.outside == Outside::Home => return Ok(Flow::Done),
            ToClient::Outside => self.ask_hall(HallRequest::Look).await?,
            _ => {}
        }
        Ok(Flow::On)
    }

    async fn enter(&mut self) -> Result<(), Failure> {
        (self.pending, self.arriving) = (false, false);
        let Some(MyLobby { lobby, you }) = self.model.lobby().cloned() else { return Ok(()) };
        if self.hands.are_two() {
            return self.hands.follow(lobby.code()).await;
        }
        self.say_all(&words::entered(&lobby, you))
    }

    fn tell_event(&mut self, event: &Event, before: Option<MyLobby>) -> Result<(), Failure> {
        let (Some(before), Some(after)) = (before, self.model.lobby()) else { return Ok(()) };
        if before.is_answered_by(event, self.hands.are_two()) {
            self.pending = false;
        }
        let lines = words::happened(event, &before.lobby, &after.lobby, self.eyes(&before));
        self.say_all(&lines)
    }

    fn tell_hall(&mut self, news: &HallEvent) -> Result<(), Failure> {
        let HallEvent::Lobbies { listed, gone, complete } = news;
        if self.arriving && *complete {
            (self.arriving, self.pending) = (false, false);
            return self.list_hall();
        }
        if self.arriving || self.pending {
            self.pending &= !complete;
            return if *complete { self.list_hall() } else { Ok(()) };
        }
        let mut lines: Vec<String> = listed.iter().map(words::listing).collect();
        lines.extend(gone.iter().map(|code| format!("{code:16} gone")));
        self.say_all(&lines)
    }

    fn list_hall(&mut self) -> Result<(), Failure> {
        let mut lines: Vec<String> = self.model.hall().values().map(words::listing).collect();
        if lines.is_empty() {
            lines.push("There are no lobbies yet.".into());
        }
        self.say_all(&lines)
    }

    fn tell_hint(&mut self, turn: u32, mv: Move, words: &str) -> Result<(), Failure> {
        self.pending = false;
        match self.lobby().filter(|lobby| lobby.turn() == turn).map(|lobby| words::hint(lobby, mv, words)) {
            Some(line) => self.say(&line),
            // The game went on while the server thought.
            None => Ok(()),
        }
    }

    /// A refusal of what the client came for ends it; any other is told, and the question is asked again.
    fn tell_refusal(&mut self, refusal: Refusal) -> Result<(), Failure> {
        self.pending = false;
        if self.arriving {
            return Err(Failure::Refused(refusal));
        }
        self.say(&format!("No: {refusal}."))
    }

    // What the person says.

    async fn obey(&mut self, line: Option<String>) -> Result<Flow, Failure> {
        self.asking = false;
        match (line, self.lobby().map(Lobby::phase)) {
            (None, Some(Phase::Playing)) => Err(Failure::EndOfInput),
            (None, _) => self.quit().await,
            (Some(line), Some(phase)) => self.obey_in_game(&line, phase).await,
            (Some(line), None) => self.obey_in_hall(&line).await,
        }
    }

    async fn obey_in_hall(&mut self, line: &str) -> Result<Flow, Failure> {
        match line.parse() {
            Ok(HallCommand::Nothing) => {}
            Ok(HallCommand::Help) => self.say_all(&words::help_in_hall())?,
            Ok(HallCommand::List) => self.ask_hall(HallRequest::Look).await?,
            Ok(HallCommand::Go(wish)) => self.ask_hall((&wish).into()).await?,
            Ok(HallCommand::Quit) => return Ok(Flow::Done),
            Err(complaint) => self.say(&complaint)?,
        }
        Ok(Flow::On)
    }

    async fn obey_in_game(&mut self, line: &str, phase: Phase) -> Result<Flow, Failure> {
        let command = GameCommand::from(line);
        if matches!(phase, Phase::Over { .. })
            && self.typing == Typing::FromPipe
            && command != GameCommand::Again
        {
            return self.quit().await;
        }
        match command {
            GameCommand::Nothing => {}
            GameCommand::Help => self.show(words::help_in_game)?,
            GameCommand::Rules => self.show(words::rules)?,
            GameCommand::Board => self.show(|lobby| vec![lobby.board().draw()])?,
            GameCommand::Hint => self.ask(LobbyRequest::Hint).await?,
            GameCommand::Resign => self.ask(LobbyRequest::Resign).await?,
            GameCommand::Again => self.again().await?,
            GameCommand::Leave => self.ask(LobbyRequest::Leave).await?,
            GameCommand::Quit => return self.quit().await,
            GameCommand::Move(text) => self.play(text).await?,
        }
        Ok(Flow::On)
    }

    /// Sends a move that the rules allow; a slip never leaves the client.
    async fn play(&mut self, text: &str) -> Result<(), Failure> {
        let Some(MyLobby { lobby, you }) = self.model.lobby() else { return Ok(()) };
        if lobby.phase() != Phase::Playing {
            return self.say("No game is going on. Type again for another one, or quit.");
        }
        let theirs = lobby.to_move().is_some_and(|player| player.id != *you);
        if theirs && !self.hands.are_two() {
            return self.say("It is not your turn.");
        }
        if self.pending {
            return self.say("Wait for the server's answer to the last one.");
        }
        match lobby.board().read_move(text) {
            Ok(mv) => {
                let turn = lobby.turn();
                self.ask(LobbyRequest::Play { turn, mv }).await
            }
            Err(complaint) => self.say(&format!("{complaint}.")),
        }
    }

    async fn again(&mut self) -> Result<(), Failure> {
        if !self.lobby().is_some_and(|lobby| matches!(lobby.phase(), Phase::Over { .. })) {
            return self.say("The game is not over.");
        }
        self.ask(LobbyRequest::Again).await
    }

    /// Leaves on purpose: the other one is to know that at once.
    async fn quit(&mut self) -> Result<Flow, Failure> {
        self.outside = Outside::Home;
        if self.model.lobby().is_none() {
            return Ok(Flow::Done);
        }
        self.ask(LobbyRequest::Leave).await?;
        Ok(Flow::On)
    }

    async fn ask_hall(&mut self, request: HallRequest) -> Result<(), Failure> {
        self.pending = true;
        self.hands.mine().ask_hall(request).await?;
        Ok(())
    }

    async fn ask(&mut self, request: LobbyRequest) -> Result<(), Failure> {
        self.pending = true;
        self.hands.ask(request, self.model.lobby()).await
    }

    // What is shown.

    fn lobby(&self) -> Option<&Lobby> {
        self.model.lobby().map(|mine| &mine.lobby)
    }

    fn eyes(&self, mine: &MyLobby) -> Viewpoint {
        if self.hands.are_two() { Viewpoint::Outside } else { Viewpoint::Player(mine.you) }
    }

    /// Asks for what is needed now, unless the question stands there already.
    fn ask_question(&mut self) -> Result<(), Failure> {
        if self.asking || self.pending {
            return Ok(());
        }
        let Some(question) = self.question() else { return Ok(()) };
        self.asking = true;
        let end = if self.typing == Typing::FromPipe { "\n" } else { "" };
        write!(self.out, "{question}{end}").and_then(|()| self.out.flush()).map_err(Failure::Output)
    }

    fn question(&self) -> Option<String> {
        let question = Question::of(&self.model, self.hands.are_two())?;
        Some(match (question, self.model.lobby()) {
            (Question::Move, Some(mine)) => words::move_question(&mine.lobby, self.eyes(mine)),
            (Question::Again, _) => "Type again for another game, or quit: ".into(),
            _ => "Type a code to join, quick GAME, new GAME, help or quit: ".into(),
        })
    }

    fn show(&mut self, lines: impl FnOnce(&Lobby) -> Vec<String>) -> Result<(), Failure> {
        let lines = self.lobby().map(lines).unwrap_or_default();
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
        if std::mem::take(&mut self.asking) && self.typing == Typing::AtTerminal {
            writeln!(self.out)?;
        }
        for line in lines {
            writeln!(self.out, "{}", line.as_ref())?;
        }
        self.out.flush()
    }
}
