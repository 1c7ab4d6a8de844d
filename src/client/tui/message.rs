//! What happens to a screen, and what the screens of a session do about it. All that changes their state is
//! a [`Message`], and all that they do to the world is an [`Effect`].

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};

use super::job::{Job, JobResult};
use crate::client::nearby::Neighbour;
use crate::client::session::{Incoming, SendStatus, SessionEvent};
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
    /// Something comes in for the session.
    Incoming(Incoming),
    /// The session reports an event.
    Session(SessionEvent),
    /// What has become of a request.
    Sent(SendStatus),
    /// What has become of a job.
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
    /// Go without leaving, and keep the seat.
    Depart,
    /// End the session.
    End,
    /// End the session with a failure.
    Fail(Failure),
}
