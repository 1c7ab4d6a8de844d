//! The records on a page: the list, one record at a time, and what is fetched for them from the server, which
//! alone decides who may read what.

use std::fmt;
use std::pin::Pin;

use super::action::RecordAct;
use super::update::Download;
use crate::client::learn::search::SearchTarget;
use crate::client::record_reader::RecordReader;
use crate::client::record_source::RemoteRecords;
use crate::client::records::{GameSummary, fetch, list_at_least, tickets_to_show};
use crate::client::text::sentence;
use crate::client::words::records as words;
use crate::client::{Endpoint, Failure};
use crate::game::any::Board;
use crate::lobby::{Code, Text};
use crate::record::Record;
use crate::wire::{GameName, GamesWish, Ticket};

/// How many games are listed at first, and with each request for more; at most a message more.
const A_PAGE: usize = 20;

/// The most games that a page lists.
const MAX_LISTED: usize = 400;

/// The most steps of a record on a page: a game of people has fewer.
const MAX_STEPS: usize = 2_000;

/// The most bytes of a record that are sent to a browser, which fits into what may wait for it.
const MAX_DOWNLOAD: usize = 160 * 1024;

/// What was fetched; a fault is a sentence.
enum Fetched {
    Listed(Result<(Vec<GameSummary>, Option<u64>), String>),
    Opened(Result<(GameName, Box<Record>), String>),
}

/// A running request.
struct Fetching(Pin<Box<dyn Future<Output = Fetched> + Send>>);

impl fmt::Debug for Fetching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fetching")
    }
}

/// What is shown.
#[derive(Debug)]
pub(super) enum Shows {
    /// The list.
    List,
    /// The record of this name, once it is fetched; `None` before its name is known.
    Record(Option<GameName>),
}

/// The records on a page.
#[derive(Debug)]
pub(super) struct Records {
    there: RemoteRecords,
    /// The tickets that open private records.
    tickets: Vec<Ticket>,
    pub(super) shows: Shows,
    /// The games of the list.
    pub(super) games: Vec<GameSummary>,
    /// Where the others begin.
    rest: Option<u64>,
    /// Whether the list was fetched.
    is_listed: bool,
    pub(super) reader: Option<RecordReader>,
    /// Why there is nothing to show, as a sentence.
    pub(super) fault: Option<String>,
    fetching: Option<Fetching>,
    /// The record to save as a file.
    pub(super) download: Option<Download>,
}

impl Records {
    /// The records of this server, for a browser with these tickets; nothing is fetched yet.
    pub(super) fn new(endpoint: &Endpoint, tickets: Vec<Ticket>) -> Self {
        Self {
            there: RemoteRecords::with_tickets(endpoint, tickets.clone()),
            tickets,
            shows: Shows::List,
            games: Vec::new(),
            rest: None,
            is_listed: false,
            reader: None,
            fault: None,
            fetching: None,
            download: None,
        }
    }

    /// Whether something is being fetched.
    pub(super) fn is_fetching(&self) -> bool {
        self.fetching.is_some()
    }

    /// Whether there are games to list besides those that are.
    pub(super) fn has_more(&self) -> bool {
        self.rest.is_some() && self.games.len() < MAX_LISTED
    }

    /// Shows the list.
    pub(super) fn list(&mut self) {
        (self.shows, self.reader, self.fault, self.fetching) = (Shows::List, None, None, None);
        if !self.is_listed {
            self.more();
        }
    }

    /// Lists more games.
    pub(super) fn more(&mut self) {
        if self.is_listed && !self.has_more() || self.is_fetching() {
            return;
        }
        self.fault = None;
        let wish =
            GamesWish { tickets: tickets_to_show(&self.tickets), before: self.rest, ..GamesWish::default() };
        let there = self.there.clone();
        self.fetching = Some(Fetching(Box::pin(async move {
            let listed = async {
                let (mut connection, _) = there.connect().await?;
                list_at_least(&mut connection, wish, A_PAGE).await
            };
            Fetched::Listed(listed.await.map_err(|failure| why(&failure)))
        })));
    }

    /// Opens the record of this game.
    pub(super) fn open(&mut self, name: GameName) {
        let there = self.there.clone();
        self.await_record(Some(name), async move {
            let (mut connection, tickets) = there.connect().await?;
            Ok((name, fetch(&mut connection, name, &tickets).await?))
        });
    }

    /// Opens the record of the newest game of this lobby.
    pub(super) fn open_newest(&mut self, code: Code) {
        let (there, code) = (self.there.clone(), Text::cut(&code.to_string()));
        self.await_record(None, async move {
            let (mut connection, tickets) = there.connect().await?;
            let wish =
                GamesWish { tickets: tickets_to_show(&tickets), code: Some(code), ..GamesWish::default() };
            let (games, _) = list_at_least(&mut connection, wish, 1).await?;
            let name = games.first().and_then(|game| game.name.parse::<GameName>().ok());
            let name = name.ok_or(Failure::Refused(crate::wire::HallRefusal::NoSuchRecord.into()))?;
            Ok((name, fetch(&mut connection, name, &tickets).await?))
        });
    }

    fn await_record(
        &mut self,
        name: Option<GameName>,
        fetched: impl Future<Output = Result<(GameName, Record), Failure>> + Send + 'static,
    ) {
        (self.shows, self.reader, self.fault) = (Shows::Record(name), None, None);
        self.fetching = Some(Fetching(Box::pin(async move {
            let opened = fetched.await.map(|(name, record)| (name, Box::new(record)));
            Fetched::Opened(opened.map_err(|failure| why(&failure)))
        })));
    }

    /// Waits until the running request is answered, and takes the answer; for ever without one. Cancel safe.
    pub(super) async fn settle(records: &mut Option<Box<Self>>) {
        let Some(records) = records else { return std::future::pending().await };
        let Some(Fetching(fetching)) = &mut records.fetching else { return std::future::pending().await };
        let fetched = fetching.await;
        records.fetching = None;
        match fetched {
            Fetched::Listed(Ok((games, rest))) => {
                records.games.extend(games);
                records.games.truncate(MAX_LISTED);
                (records.rest, records.is_listed) = (rest, true);
            }
            Fetched::Opened(Ok((_, record))) if record.steps().len() > MAX_STEPS => {
                records.fault = Some(words::too_long(MAX_STEPS));
            }
            Fetched::Opened(Ok((name, record))) => {
                records.shows = Shows::Record(Some(name));
                records.reader = Some(RecordReader::new(*record));
            }
            Fetched::Listed(Err(fault)) | Fetched::Opened(Err(fault)) => records.fault = Some(fault),
        }
    }

    /// Goes through the record, or saves it. Returns a notice if that is not possible.
    pub(super) fn read(&mut self, act: RecordAct, step: usize) -> Option<String> {
        let reader = self.reader.as_mut()?;
        match act {
            RecordAct::First => reader.go(0),
            RecordAct::Back => reader.step(-1),
            RecordAct::Forward => reader.step(1),
            RecordAct::Last => reader.go(usize::MAX),
            RecordAct::At => reader.go(step),
            RecordAct::Save => {
                let (name, text) = (words::file_name(reader.record()), reader.record().to_string());
                if text.len() > MAX_DOWNLOAD {
                    return Some(words::too_long(MAX_STEPS));
                }
                self.download = Some(Download { name, text });
            }
            _ => {}
        }
        None
    }

    /// The search about the last move, and its board. While a game goes on, nothing is said of its moves.
    pub(super) fn wanted(&self) -> Option<(SearchTarget, &Board)> {
        let reader = self.reader.as_ref()?;
        reader.record().result()?;
        reader.wanted()
    }
}

/// The failure as a sentence.
fn why(failure: &Failure) -> String {
    match failure {
        // What helps in a terminal does not help here.
        Failure::Refused(refusal) => sentence(&refusal.to_string()),
        other => sentence(&other.reason()),
    }
}
