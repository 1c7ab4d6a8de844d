//! The search for a learn panel or a record, on the threads on which the server's bots think.

use std::net::IpAddr;
use std::sync::Arc;

use super::host::{Found, Host};
use super::page::Page;
use crate::client::learn::search::{SearchResult, SearchTarget};
use crate::game::any::Board;
use crate::study::WHOLE_GAME;

/// Where a browser's searches run, and for which address.
#[derive(Debug)]
pub(super) struct Thinker {
    pub(super) host: Arc<dyn Host>,
    pub(super) address: IpAddr,
}

/// A running search. Dropping it stops it.
pub(super) struct Search {
    target: SearchTarget,
    board: Board,
    found: Found,
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Search({:?})", self.target)
    }
}

/// Searches what is wanted, in place of anything else.
pub(super) fn start(
    search: &mut Option<Box<Search>>,
    thinker: &Thinker,
    wanted: Option<(SearchTarget, &Board)>,
) {
    if wanted == search.as_ref().map(|search| (search.target, &search.board)) {
        return;
    }
    *search = wanted.map(|(target, board)| {
        let there = board.clone();
        let work = move |stop: &_| target.search_within(&there, WHOLE_GAME, stop);
        let found = thinker.host.search(thinker.address, Box::new(work));
        Box::new(Search { target, board: board.clone(), found })
    });
}

/// Waits for the result; for ever without a search. Cancel safe.
pub(super) async fn found(search: &mut Option<Box<Search>>) -> SearchResult {
    let Some(running) = search else { return std::future::pending().await };
    let found = (&mut running.found).await;
    let target = running.target;
    *search = None;
    // There is none if the server stops.
    found.unwrap_or_else(|| target.failure())
}

/// Takes a result.
pub(super) fn take(page: &mut Page, found: SearchResult) {
    let reader = page.records.as_mut().and_then(|records| records.reader.as_mut());
    match (found, &mut page.learn, reader) {
        (SearchResult::Moves(node, found), Some(learn), _) => learn.take(node, found),
        (SearchResult::Judged(number, found), Some(learn), _) => learn.judge(number, found),
        (SearchResult::Value(step, value), _, Some(reader)) => reader.take(step, value),
        _ => {}
    }
}
