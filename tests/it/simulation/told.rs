//! A lobby as the server tells of it: the client shows a person less of it, since somebody who is away for a moment is shown as
//! present.

use nim::lobby::{Event, Lobby};
use nim::wire::ToClient;

/// The lobby of a client, by all messages of the server.
#[derive(Debug, Default)]
pub(super) struct Told(Option<Lobby>);

/// An event, with the lobby before and after it.
#[derive(Debug)]
pub(super) struct Happened {
    pub(super) event: Event,
    pub(super) before: Lobby,
    pub(super) after: Lobby,
}

impl Told {
    /// Applies a message, and returns the event in it. Fails if it is impossible.
    pub(super) fn hears(&mut self, message: &ToClient) -> Option<Happened> {
        match message {
            ToClient::Entered { lobby, .. } | ToClient::Watching { lobby, .. } => {
                self.0 = Some(Lobby::try_from(lobby.clone()).unwrap());
            }
            ToClient::Outside => self.0 = None,
            ToClient::Returned { attendance, .. } => self.lobby().set_attendance(*attendance).unwrap(),
            ToClient::Notice { at, notice } => self.lobby().note(notice, *at).unwrap(),
            ToClient::Lobby { number, at, event } => {
                let lobby = self.lobby();
                let before = lobby.clone();
                lobby.apply(event, *at).unwrap();
                assert_eq!(lobby.last_event(), *number, "an event is missing or repeated: {event:?}");
                return Some(Happened { event: event.clone(), before, after: lobby.clone() });
            }
            _ => {}
        }
        None
    }

    fn lobby(&mut self) -> &mut Lobby {
        self.0.as_mut().expect("the client is in a lobby")
    }
}
