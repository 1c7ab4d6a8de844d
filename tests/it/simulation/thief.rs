//! Somebody who shows a ticket that is not theirs: they are refused, and hear nothing of the lobby.

use std::time::Duration;

use nim::client::Failure;
use nim::lobby::{Code, Text};
use nim::wire::{HallRefusal, HallRequest, Refusal, ToClient};

use super::person::Person;

/// How long somebody waits who has shown a wrong ticket, and hears nothing.
const WAITS: Duration = Duration::from_secs(3);

impl Person {
    /// Tries to come back to a seat in this lobby, of which they know no good ticket.
    pub(super) async fn shows_a_wrong_ticket(&self, code: Code) -> Result<(), Failure> {
        let ticket = self.chronicle.open().account(code).wrong_ticket(&mut self.chance.open());
        let Some(ticket) = ticket else { return Ok(()) };
        let (mut connection, _) = self.way().go().await?;
        let request = HallRequest::Return { code: Text::cut(&code.to_string()), ticket, seen: 1 };
        connection.ask_hall(request).await?;
        let Ok(answer) = tokio::time::timeout(WAITS, connection.next()).await else { return Ok(()) };
        match answer? {
            ToClient::Refused {
                refusal: Refusal::Hall(HallRefusal::BadTicket | HallRefusal::NoSuchLobby),
                ..
            } => self.chronicle.open().see("showed a wrong ticket"),
            ToClient::Refused { refusal: Refusal::Halted { .. }, .. } => {}
            answer => panic!("{} showed a wrong ticket, and hears {answer:?}", self.name),
        }
        Ok(())
    }
}
