//! What happens to the screen, and what it asks for in answer. All that changes its state is a [`Message`], and all that it
//! does to the world is a [`Command`].

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};

use super::learn::Question;
use super::records::{Answer, Errand};
use super::thinker::Insight;
use crate::client::session::{SendStatus, SessionEvent};
use crate::client::{Action, Failure};
use crate::game::any::Board;
use crate::lobby::Name;
use crate::study::branches::Branches;

/// Something that happens.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was moved, or one of its buttons pressed or released.
    Mouse(MouseEvent),
    /// The screen has another size now: its columns and lines.
    Resize(u16, u16),
    /// Somebody looks at another window.
    Unfocused,
    /// Time passes for what moves.
    Tick,
    /// The server said something.
    News(SessionEvent),
    /// What has become of a request.
    Sent(SendStatus),
    /// Something to be told that came from elsewhere.
    Said(String),
    /// How many positions a thought about this has looked at so far.
    Looked(Question, u64),
    /// What it came to; nothing where it was stopped.
    Learnt(Question, Option<Branches>),
    /// What has become of an errand about records.
    Read(Answer),
}

impl From<Insight<Question, Branches>> for Message {
    fn from(insight: Insight<Question, Branches>) -> Self {
        match insight {
            Insight::Looked(question, looked) => Self::Looked(question, looked),
            Insight::Found(question, found) => Self::Learnt(question, found),
        }
    }
}

/// Something to be done.
#[derive(Debug)]
pub enum Command {
    /// Ask this of the lobby.
    Ask(Action),
    /// Hear no more of somebody, or hear them again.
    Mute(Name, bool),
    /// Find this out about a board, and nothing else any more.
    Think(Question, Box<Board>),
    /// Think about nothing.
    Rest,
    /// Do this about records.
    Read(Errand),
    /// Ask this of the hall.
    Go(Action),
    /// Leave for good.
    Quit,
    /// Go without having left, and keep the seat.
    Depart,
    /// The screen ends.
    End,
    /// The same, since what the person came for was not granted.
    Fail(Failure),
}

/// What the terminal tells, as far as it means anything here.
pub(super) fn of_terminal(event: &Event) -> Option<Message> {
    match *event {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => Some(Message::Key(key)),
        Event::Mouse(mouse) => Some(Message::Mouse(mouse)),
        Event::Resize(columns, lines) => Some(Message::Resize(columns, lines)),
        Event::FocusLost => Some(Message::Unfocused),
        _ => None,
    }
}
