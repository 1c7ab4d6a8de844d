//! The input and the output of a screen: only a [`Message`] changes its state, and it acts on the world only
//! by an [`Effect`].

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};

use super::job::{Job, JobResult};
use crate::client::nearby::Neighbour;
use crate::client::session::{SendStatus, SessionEvent, SessionInput};
use crate::client::{Action, Failure};
use crate::lobby::Name;

/// Something that happens.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was moved, or one of its buttons pressed or released.
    Mouse(MouseEvent),
    /// The terminal has a new size: its columns and rows.
    Resize(u16, u16),
    /// The time of [`tick`](super::app::Component::tick) has passed.
    Tick,
    /// The session has input to process.
    Incoming(SessionInput),
    /// The session reports an event.
    Session(SessionEvent),
    /// The status of a request.
    Sent(SendStatus),
    /// The result of a job.
    Job(JobResult),
    /// The hosts on this network.
    Hosts(Vec<Neighbour>),
    /// What a waiting screen waits for has come.
    Done,
}

impl Message {
    /// A report of the terminal, if it means anything here.
    pub(super) fn of_terminal(event: &Event) -> Option<Self> {
        match *event {
            Event::Key(key) if key.kind == KeyEventKind::Release => None,
            Event::Key(key) => Some(Self::Key(key)),
            Event::Mouse(mouse) => Some(Self::Mouse(mouse)),
            Event::Resize(columns, rows) => Some(Self::Resize(columns, rows)),
            _ => None,
        }
    }
}

/// Something to do.
#[derive(Debug)]
pub enum Effect {
    /// Send an action to the server.
    Act(Action),
    /// Hide the chat messages of a person, or show them again.
    Mute(Name, bool),
    /// Start a job.
    Job(Job),
    /// End the session.
    End,
    /// End the session with a failure.
    Fail(Failure),
}
