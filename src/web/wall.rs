//! The wall: all public games of the host at once, for a projector.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval_at, sleep};

use super::action::PageAction;
use super::browser::NoSession;
use super::host::Host;
use super::inside::{connect, endpoint};
use super::own_address::OwnAddress;
use super::qr;
use super::update::{Shown, Update};
use super::view;
use crate::client::session::{Session, SessionEvent};
use crate::client::{Action, Endpoint};
use crate::lobby::{Code, Phase};
use crate::wire::{Listing, LobbyState};

/// The path of the wall.
const PATH: &str = "/wall";

/// The most games that are shown.
const MAX_GAMES: usize = 12;

/// The most games on a page: as many as can be read across a classroom. Of more, the pages follow each other.
const A_PAGE: usize = 6;

/// How long a page is shown.
const PAGE_TIME: Duration = Duration::from_secs(10);

/// How long the result of a game stays: each page is shown once in this time.
const RESULT: Duration = Duration::from_secs(20);

/// How long to wait before a game is watched that could not be.
const PAUSE: Duration = Duration::from_secs(5);

/// Whether this is the first message of a wall.
pub(super) fn is_wall(hello: &PageAction) -> bool {
    matches!(hello, PageAction::Hello { path, .. } if path == PATH)
}

/// A page that shows all public games.
#[derive(Debug)]
pub(super) struct Wall {
    endpoint: Endpoint,
    hall: Session,
    /// The games as HTML; `None` until the first news of one.
    games: BTreeMap<Code, Option<String>>,
    /// News of games; `None` where one is not shown any more.
    news: mpsc::Receiver<(Code, Option<String>)>,
    tell: mpsc::Sender<(Code, Option<String>)>,
    /// A task for each game, which watches it.
    watching: JoinSet<()>,
    shown: Shown,
    /// The page, from 0, and when it is turned.
    page: usize,
    turn: Interval,
    /// The pages are not turned.
    is_held: bool,
    /// The address to join, and its QR code where other machines can open it.
    address: String,
    qr: Markup,
    is_over: bool,
}

impl Wall {
    /// A wall for somebody at this address.
    pub(super) async fn open(
        hello: PageAction,
        peer: SocketAddr,
        address: &OwnAddress,
        host: &Arc<dyn Host>,
    ) -> Result<Self, NoSession> {
        let PageAction::Hello { name, .. } = hello else { return Err(NoSession::OtherVersion) };
        let endpoint = endpoint(&name, peer, host).ok_or(NoSession::OtherVersion)?;
        let mut hall = connect(&endpoint).await.map_err(NoSession::Failed)?;
        hall.act(Action::Look);
        let (tell, news) = mpsc::channel(MAX_GAMES);
        let (games, watching, shown) = (BTreeMap::new(), JoinSet::new(), Shown::default());
        let qr = address.for_others("/").map(|page| qr::drawn(&page, "QR code of the address to join"));
        let (address, qr, is_over) = (address.of_path("/"), qr.unwrap_or_default(), false);
        let turn = interval_at(Instant::now() + PAGE_TIME, PAGE_TIME);
        let (page, is_held) = (0, false);
        Ok(Self {
            endpoint,
            hall,
            games,
            news,
            tell,
            watching,
            shown,
            page,
            turn,
            is_held,
            address,
            qr,
            is_over,
        })
    }

    /// Waits for something to happen, and takes it. Cancel safe.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            said = self.hall.next() => match said.and_then(|said| self.hall.handle(said)) {
                Ok(_) => self.watch_more(),
                Err(_) => self.is_over = true,
            },
            Some((code, game)) = self.news.recv() => {
                match game {
                    Some(game) => drop(self.games.insert(code, Some(game))),
                    None => drop(self.games.remove(&code)),
                }
                self.watch_more();
            }
            _ = self.turn.tick(), if !self.is_held => self.page += 1,
        }
        while self.watching.try_join_next().is_some() {}
    }

    /// Watches games that are not shown yet, as far as there is room.
    fn watch_more(&mut self) {
        let running: Vec<Code> = running(&self.hall).collect();
        for code in running {
            if self.games.len() < MAX_GAMES && !self.games.contains_key(&code) {
                self.games.insert(code, None);
                self.watching.spawn(watch(self.endpoint.clone(), code, self.tell.clone()));
            }
        }
    }

    /// Whether the session is over. The page comes back by itself.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Stops to turn the pages, or goes on.
    pub(super) fn hold(&mut self) {
        self.is_held = !self.is_held;
        self.turn.reset();
    }

    /// What has changed on the page.
    pub(super) fn update(&mut self) -> Update {
        let games: Vec<&String> = self.games.values().flatten().collect();
        let pages: Vec<&[&String]> = pages(&games).collect();
        let others = running(&self.hall).filter(|code| !self.games.contains_key(code)).count();
        let frame = html! {
            div.wall-head {
                h1 { "Games on this host" }
                p { "Play too: open " b.link { (self.address) } }
                (self.qr)
                div id="pages" {}
            }
            div.wall id="games" {}
        };
        let at = self.page % pages.len().max(1);
        let head = html! {
            @if games.is_empty() { p { "Nobody plays yet." } }
            @if pages.len() > 1 {
                p { "Page " (at + 1) " of " (pages.len()) }
                button data-do="hold" { @if self.is_held { "Turn the pages" } @else { "Hold this page" } }
            }
            @if others > 0 { p { "and " (others) " more" } }
        };
        let shown =
            html! { @for game in pages.get(at).copied().unwrap_or_default() { (maud::PreEscaped(game)) } };
        let regions = [("main", frame), ("pages", head), ("games", shown)];
        let regions = regions.into_iter().map(|(id, html)| (id, html.into_string())).collect();
        Update {
            html: self.shown.changed("main", regions),
            title: self.shown.title("The wall · nim".to_owned()),
            ..Update::default()
        }
    }
}

/// The games of each page: no page has many more than another.
fn pages<T>(games: &[T]) -> impl Iterator<Item = &[T]> {
    games.chunks(games.len().div_ceil(games.len().div_ceil(A_PAGE).max(1)).max(1))
}

/// The games in the hall that are played now and that everybody may watch.
fn running(hall: &Session) -> impl Iterator<Item = Code> {
    let is_shown =
        |listing: &&Listing| listing.watched && !listing.locked && listing.state == LobbyState::Playing;
    hall.model().hall().iter().filter(is_shown).map(|listing| listing.code)
}

/// Watches a game, and tells how it stands after each event. Ends some time after the game.
async fn watch(endpoint: Endpoint, code: Code, tell: mpsc::Sender<(Code, Option<String>)>) {
    match connect(&endpoint).await {
        Ok(mut session) => {
            session.act(Action::Watch(code, None));
            follow(&mut session, code, &tell).await;
        }
        Err(_) => sleep(PAUSE).await,
    }
    let _ = tell.send((code, None)).await;
}

async fn follow(session: &mut Session, code: Code, tell: &mpsc::Sender<(Code, Option<String>)>) {
    let mut ends: Option<Instant> = None;
    loop {
        let late = async {
            match ends {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            said = session.next() => match said.and_then(|said| session.handle(said)) {
                Ok(SessionEvent::Refused { .. } | SessionEvent::Outside) | Err(_) => return,
                Ok(_) => {}
            },
            () = late => return,
            () = sleep(Duration::from_secs(1)) => {}
        }
        let Some(mine) = session.model().lobby() else { continue };
        ends = match mine.lobby.phase() {
            Phase::Closed => return,
            Phase::Over { .. } => ends.or_else(|| Some(Instant::now() + RESULT)),
            Phase::Playing | Phase::Waiting => None,
        };
        let game: Markup = view::on_the_wall(session, mine);
        if tell.send((code, Some(game.into_string()))).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_are_spread_over_as_few_pages_as_are_needed() {
        let sizes = |count: usize| pages(&vec![(); count]).map(<[()]>::len).collect::<Vec<_>>();
        assert_eq!([0, 1, 6, 7, 12].map(sizes), [vec![], vec![1], vec![6], vec![4, 3], vec![6, 6]]);
    }

    #[test]
    fn every_page_is_shown_while_a_result_stays() {
        let pages = u32::try_from(MAX_GAMES.div_ceil(A_PAGE)).unwrap();
        assert!(pages * PAGE_TIME <= RESULT);
    }
}
