//! Where records are looked for: games can be listed, and each can be fetched whole. The implementation here
//! is a server, as far as it opens them to this person.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::dial::Dial;
use super::records::{GameSummary, fetch, list, tickets_to_show};
use super::text::sentence;
use super::{Address, Connection, Endpoint, Failure, SeatStore};
use crate::lobby::Name;
use crate::record::Record;
use crate::wire::{GamesWish, Ticket};

/// Whom a server welcomes who only reads: nobody who sits down anywhere.
const READER: &str = "reader";

/// The most games that are listed at once: more than anybody looks through.
const MOST: usize = 200;

/// What there is, the newest game first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameList {
    /// The games.
    pub games: Vec<GameSummary>,
    /// Whether there are others that are not listed.
    pub others: bool,
    /// What cannot be read, in sentences.
    pub complaints: Vec<String>,
}

/// A future result, or a sentence that says why there is none.
pub type Fetching<T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send>>;

/// Somewhere with records.
pub trait RecordSource: Debug + Send + Sync {
    /// What there is.
    fn list(&self) -> Fetching<GameList>;

    /// The record of the game that is listed under this name.
    fn record(&self, name: &str) -> Fetching<Record>;
}

/// A server's records. For each thing that is asked a connection of its own is made, so that nothing else has
/// to wait.
#[derive(Debug, Clone)]
pub struct RemoteRecords {
    endpoint: Endpoint,
    seats: Option<SeatStore>,
}

impl RemoteRecords {
    /// Those of this server. Its tickets among these seats are tickets_to_show to it.
    pub fn at(
        address: &Address,
        default_port: u16,
        network: Arc<dyn Dial>,
        seats: Option<SeatStore>,
    ) -> Self {
        let name = Name::clean(READER).unwrap_or_else(|_| Name::anyone());
        let (address, patience) = (address.clone(), Duration::ZERO);
        Self { endpoint: Endpoint { address, default_port, name, patience, network }, seats }
    }

    /// Where the server is.
    pub fn address(&self) -> &Address {
        &self.endpoint.address
    }

    /// Connects. Returns the tickets for this server too.
    pub async fn enter(&self) -> Result<(Connection, Vec<Ticket>), Failure> {
        let Endpoint { address, default_port, .. } = &self.endpoint;
        let tickets = self.seats.as_ref().map(|seats| seats.tickets(address, *default_port));
        let tickets = tickets.transpose().map_err(Failure::Tickets)?.unwrap_or_default();
        let (connection, _) = self.endpoint.connect().await?;
        Ok((connection, tickets))
    }
}

impl RecordSource for RemoteRecords {
    fn list(&self) -> Fetching<GameList> {
        let there = self.clone();
        Box::pin(async move {
            let (mut connection, tickets) = there.enter().await.map_err(|failure| told(&failure))?;
            let wish = GamesWish { tickets: tickets_to_show(&tickets), ..GamesWish::default() };
            let listed = list(&mut connection, wish, MOST).await;
            let (games, others) = listed.map_err(|failure| told(&failure))?;
            Ok(GameList { games, others, complaints: Vec::new() })
        })
    }

    fn record(&self, name: &str) -> Fetching<Record> {
        let (there, name) = (self.clone(), name.to_owned());
        Box::pin(async move {
            let name = name.parse().map_err(|bad| format!("{name}: {bad}."))?;
            let (mut connection, tickets) = there.enter().await.map_err(|failure| told(&failure))?;
            fetch(&mut connection, name, &tickets).await.map_err(|failure| told(&failure))
        })
    }
}

/// What went wrong, as a sentence.
fn told(failure: &Failure) -> String {
    sentence(failure.in_one_line().trim_end_matches('.'))
}
