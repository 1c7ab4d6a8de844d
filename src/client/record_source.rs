//! Sources of game records: [`RecordSource`] is the trait, and [`RemoteRecords`] its form for a server.

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
use crate::wire::{ClientKind, GamesWish, Ticket};

/// The name of a client that only reads records.
const READER: &str = "reader";

/// The most games that are listed at once: more than anybody looks through.
const MAX_LISTED: usize = 200;

/// A list of games, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameList {
    /// The games.
    pub games: Vec<GameSummary>,
    /// Whether there are more games than these.
    pub others: bool,
    /// A sentence for each record that cannot be read.
    pub complaints: Vec<String>,
}

/// A future result; the error is a sentence for people.
pub type Fetching<T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send>>;

/// A source of records.
pub trait RecordSource: Debug + Send + Sync {
    /// Lists the games.
    fn list(&self) -> Fetching<GameList>;

    /// Fetches the record of the game that is listed under this name.
    fn record(&self, name: &str) -> Fetching<Record>;
}

/// The records of a server. Each request uses a connection of its own, so that nothing else has to wait.
#[derive(Debug, Clone)]
pub struct RemoteRecords {
    endpoint: Endpoint,
    tickets: Tickets,
}

/// The tickets that are shown with a request.
#[derive(Debug, Clone)]
enum Tickets {
    /// Those for this server that are saved here.
    Saved(Option<SeatStore>),
    /// These.
    Given(Vec<Ticket>),
}

impl RemoteRecords {
    /// The records of this server, with the tickets for it from these seats.
    pub fn at(
        address: &Address,
        default_port: u16,
        network: Arc<dyn Dial>,
        seats: Option<SeatStore>,
    ) -> Self {
        let name = Name::anyone();
        let (address, patience) = (address.clone(), Duration::ZERO);
        let (kind, others) = (ClientKind::Person, Vec::new());
        let endpoint = Endpoint { address, others, default_port, name, kind, patience, network };
        Self { tickets: Tickets::Saved(seats), ..Self::with_tickets(&endpoint, Vec::new()) }
    }

    /// The records of this server, with these tickets.
    pub fn with_tickets(endpoint: &Endpoint, tickets: Vec<Ticket>) -> Self {
        let name = Name::clean(READER).unwrap_or_else(|_| Name::anyone());
        let endpoint = Endpoint { name, kind: ClientKind::Person, ..endpoint.clone() };
        Self { endpoint, tickets: Tickets::Given(tickets) }
    }

    /// The server's address.
    pub fn address(&self) -> &Address {
        &self.endpoint.address
    }

    /// Connects. Returns the connection and the tickets for this server.
    pub async fn connect(&self) -> Result<(Connection, Vec<Ticket>), Failure> {
        let Endpoint { address, default_port, .. } = &self.endpoint;
        let tickets = match &self.tickets {
            Tickets::Saved(Some(seats)) => seats.tickets(address, *default_port).map_err(Failure::Tickets)?,
            Tickets::Saved(None) => Vec::new(),
            Tickets::Given(tickets) => tickets.clone(),
        };
        let (connection, _) = self.endpoint.connect().await?;
        Ok((connection, tickets))
    }
}

impl RecordSource for RemoteRecords {
    fn list(&self) -> Fetching<GameList> {
        let there = self.clone();
        Box::pin(async move {
            let (mut connection, tickets) = there.connect().await.map_err(|failure| message(&failure))?;
            let wish = GamesWish { tickets: tickets_to_show(&tickets), ..GamesWish::default() };
            let listed = list(&mut connection, wish, MAX_LISTED).await;
            let (games, others) = listed.map_err(|failure| message(&failure))?;
            Ok(GameList { games, others, complaints: Vec::new() })
        })
    }

    fn record(&self, name: &str) -> Fetching<Record> {
        let (there, name) = (self.clone(), name.to_owned());
        Box::pin(async move {
            let name = name.parse().map_err(|bad| format!("{name}: {bad}."))?;
            let (mut connection, tickets) = there.connect().await.map_err(|failure| message(&failure))?;
            fetch(&mut connection, name, &tickets).await.map_err(|failure| message(&failure))
        })
    }
}

/// The failure as a sentence.
fn message(failure: &Failure) -> String {
    sentence(failure.in_one_line().trim_end_matches('.'))
}
