//! The faces for people while the client goes to another server by itself: nobody notices it, and nothing that they type
//! is lost.

use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use nim::client::input::InputLines;
use nim::client::line::{LineFace, Typing};
use nim::client::session::{Afterwards, SendStatus};
use nim::client::tui::{Appearance, Component, Message, SessionScreen, State};
use nim::lobby::Conditions;
use ratatui::layout::Rect;

use super::nearer::{far_in, going, lobby_at};
use super::*;
use crate::harness::pretender::game_of;
use crate::tui::person::{Person, drawn};

const SIZE: (u16, u16) = (80, 24);

/// The screen of a session, without a terminal.
pub(super) struct Screen(SessionScreen);

impl Person for Screen {
    fn send(&mut self, message: Message) {
        assert!(matches!(self.0.update(message), Ok(ControlFlow::Continue(()))));
    }

    fn screen(&self) -> String {
        drawn(SIZE, |frame| self.0.draw(frame))
    }
}

impl Screen {
    pub(super) fn of(session: Session) -> Self {
        let area = Rect::new(0, 0, SIZE.0, SIZE.1);
        Self(SessionScreen::new(session, State::new(area, Appearance::default(), Afterwards::Hall)))
    }

    /// Shows what comes until this has happened.
    pub(super) async fn until<T>(&mut self, happens: impl Future<Output = T>) -> T {
        tokio::pin!(happens);
        loop {
            tokio::select! {
                biased;
                done = &mut happens => return done,
                message = self.0.next() => self.send(message.unwrap()),
            }
        }
    }

    /// Shows what comes until the client has asked the server with the lobby for its seat, which is not granted yet.
    async fn goes(&mut self, first: &mut Server, servers: &mut Servers) -> Server {
        self.until(asked_for_the_seat(first, servers)).await
    }
}

/// The server with the lobby, once it was asked for the seat by a client of this one.
async fn asked_for_the_seat(first: &mut Server, servers: &mut Servers) -> Server {
    let mut there = tokio::select! {
        there = servers.next() => there,
        other = first.lives() => panic!("{other:?}"),
    };
    there.says(&welcome(1_000, 2_000)).await;
    assert!(matches!(there.hears().await, ToServer::Hello(_)));
    let asked = there.lives().await;
    assert!(matches!(asked, ToServer::Hall { request: HallRequest::Return { .. }, .. }), "{asked:?}");
    there
}

/// What else is asked of this server within ten seconds, in which it answers pings.
async fn asked_of(server: &mut Server) -> Vec<LobbyRequest> {
    let mut asked = Vec::new();
    let all = async {
        loop {
            match server.lives().await {
                ToServer::Lobby { request, .. } => asked.push(request),
                other => panic!("{other:?}"),
            }
        }
    };
    let over: Result<(), _> = tokio::time::timeout(Duration::from_secs(10), all).await;
    assert!(over.is_err());
    asked
}

/// A lobby in which a move is typed as a line.
fn large() -> Lobby {
    game_of("take:500:100", Conditions::default())
}

fn takes(lobby: &Lobby, text: &str) -> LobbyRequest {
    LobbyRequest::Play { turn: lobby.turn(), mv: lobby.board().read_move(text).unwrap() }
}

#[tokio::test(start_paused = true)]
async fn a_move_that_is_half_typed_when_the_client_goes_is_typed_on_and_made_once() {
    let (session, mut first, mut servers) = far_in(&large()).await;
    let mut screen = Screen::of(session);
    screen.asks("1", "Go to the move: 1");
    let mut there = screen.goes(&mut first, &mut servers).await;
    screen.asks("2", "Go to the move: 12");
    screen.asks("⏎", "⏎ take 12");
    screen.types("⏎");
    // It counts as sent, so that it is not sent again.
    screen.types("⏎");
    screen.hides_all(["lost", "⏎ take 12"]);
    there.says(&returned()).await;
    assert_eq!(screen.until(asked_of(&mut there)).await, [takes(&large(), "12")]);
    screen.hides("back in");
}

#[tokio::test(start_paused = true)]
async fn a_move_that_is_half_typed_when_the_lobby_moves_is_typed_on() {
    let (session, mut server, _servers) = playing_in(&large()).await;
    let mut screen = Screen::of(session);
    screen.asks("1", "Go to the move: 1");
    server.says(&ToClient::LobbyMoved).await;
    let asked = screen.until(server.lives()).await;
    assert!(matches!(asked, ToServer::Hall { request: HallRequest::Return { .. }, .. }), "{asked:?}");
    screen.asks("2", "Go to the move: 12");
}

#[tokio::test(start_paused = true)]
async fn the_question_whether_to_give_up_stays_when_the_client_goes_and_its_answer_counts() {
    let (session, mut first, mut servers) = far_in(&game()).await;
    let mut screen = Screen::of(session);
    screen.asks("r", "Give this game up?");
    let mut there = screen.goes(&mut first, &mut servers).await;
    screen.shows("Give this game up?");
    screen.types("y");
    screen.hides_all(["Give this game up?", "lost"]);
    there.says(&returned()).await;
    assert_eq!(screen.until(asked_of(&mut there)).await, [LobbyRequest::Resign]);
}

#[tokio::test(start_paused = true)]
async fn all_that_is_asked_on_the_way_is_asked_once_at_the_nearer_server() {
    let (mut session, _first, mut there, _servers) = going().await;
    let mv = game().board().read_move("1").unwrap();
    let say = Action::Say(Text::cut("hello"));
    for action in [say.clone(), Action::Play(mv), Action::Hint] {
        assert_eq!(session.act(action), SendStatus::Now);
    }
    assert!(session.is_pending() && session.question().is_none());
    there.says(&returned()).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Returned { quiet: true, late: false, .. }));
    let said = LobbyRequest::Say { words: Text::cut("hello") };
    let all = async { asked_of(&mut there).await };
    let asked = tokio::select! {
        asked = all => asked,
        event = told(&mut session) => panic!("{event:?}"),
    };
    assert_eq!(asked, [takes(&game(), "1"), said, LobbyRequest::Hint]);
}

#[tokio::test(start_paused = true)]
async fn no_more_is_kept_on_the_way_than_a_person_asks_for() {
    let (mut session, _first, _there, _servers) = going().await;
    let sent: Vec<_> = (0..20).map(|_| session.act(Action::Hint)).collect();
    assert_eq!(sent.iter().filter(|sent| **sent == SendStatus::Now).count(), 8);
}

/// What is typed at the line face.
pub(super) struct Typed(pub(super) std::sync::mpsc::Receiver<String>);

impl Read for Typed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Ok(line) = self.0.recv() else { return Ok(0) };
        into[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

/// What the line face says.
#[derive(Clone, Default)]
pub(super) struct Told(Arc<Mutex<Vec<u8>>>);

impl Write for Told {
    fn write(&mut self, said: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(said);
        Ok(said.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Told {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Waits until this is said. The paused clock stands still meanwhile: it goes on where all wait.
    pub(super) async fn until(&self, part: &str) {
        while !self.text().contains(part) {
            tokio::task::yield_now().await;
        }
    }
}

const MUTED: &str = "Nobody here is called zoe; if they come, they are muted.";

#[tokio::test(start_paused = true)]
async fn a_line_that_is_typed_on_the_way_is_not_lost() {
    let (session, mut first, mut servers) = begun(DEFAULT_PATIENCE, Action::Look).await;
    let (keyboard, typed) = std::sync::mpsc::channel();
    let told = Told::default();
    let input = InputLines::of(Typed(typed));
    let face = LineFace::new(session, input, Typing::AtTerminal, told.clone(), terms());
    let face = tokio::spawn(async move { face.run("anna", &Action::Create(terms())).await });
    first.hears().await;
    for message in [entered(), lobby_at("b")] {
        first.says(&message).await;
    }
    let mut there = asked_for_the_seat(&mut first, &mut servers).await;
    let before = told.text();
    for line in ["1\n", "mute zoe\n"] {
        keyboard.send(line.to_owned()).unwrap();
    }
    told.until(MUTED).await;
    there.says(&returned()).await;
    assert_eq!(asked_of(&mut there).await, [takes(&game(), "1")]);
    let after = told.text();
    assert_eq!(after.strip_prefix(&before).map(str::trim), Some(MUTED), "{after}");
    face.abort();
}
