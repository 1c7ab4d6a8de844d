//! The wall: all public games of the host at once, for a projector.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, Interval, interval_at, sleep};

use super::action::PageAction;
use super::browser::NoSession;
use super::host::Host;
use super::inside::{connect, endpoint};
use super::own_address::OwnAddress;
use super::qr;
use super::update::{Html, Shown, Update};
use super::view;
use crate::client::session::{Session, SessionEvent};
use crate::client::{Action, Endpoint};
use crate::game::Side;
use crate::lobby::{Code, Kind, Phase};
use crate::wire::{Listing, LobbyState, Presence};

/// The path of the wall.
const PATH: &str = "/wall";

/// The name under which the wall watches: watchers of a game see who else watches.
const NAME: &str = "wall";

/// The most games that are shown: those of a large class. Each is watched over a connection.
const MAX_GAMES: usize = 36;

/// The most games on a page: as many as can be read across a classroom. Of more, the pages follow each other.
const A_PAGE: usize = 6;

/// How long a page is shown.
const PAGE_TIME: Duration = Duration::from_secs(10);

/// How long the result of a game stays: each page is shown once in this time.
const RESULT: Duration = Duration::from_mins(1);

/// How long to wait before a game is watched that could not be.
const PAUSE: Duration = Duration::from_secs(5);

/// Whether this is the first message of a wall.
pub(super) fn is_wall(hello: &PageAction) -> bool {
    matches!(hello, PageAction::Hello { path, .. } if path == PATH)
}

/// A game on the wall.
#[derive(Debug)]
struct GameCard {
    /// The game as HTML; `None` until the first news of it.
    html: Option<String>,
    /// The task that watches it.
    task: AbortHandle,
}

/// A page that shows all public games.
#[derive(Debug)]
pub(super) struct Wall {
    endpoint: Endpoint,
    hall: Session,
    games: BTreeMap<Code, GameCard>,
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
        peer: SocketAddr,
        address: &OwnAddress,
        host: &Arc<dyn Host>,
    ) -> Result<Self, NoSession> {
        let endpoint = endpoint(NAME, peer, host).ok_or(NoSession::OtherVersion)?;
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
                match (self.games.get_mut(&code), game) {
                    (Some(card), Some(game)) => card.html = Some(game),
                    (_, None) => self.remove(code),
                    // It has made room for another one.
                    (None, Some(_)) => {}
                }
                self.watch_more();
            }
            _ = self.turn.tick(), if !self.is_held => self.page += 1,
        }
        while self.watching.try_join_next().is_some() {}
    }

    /// Watches games that are not shown yet, as far as there is room. Those that are left come last, and make room for
    /// others.
    fn watch_more(&mut self) {
        let (left, live) = self.running();
        for code in live {
            let is_new = !self.games.contains_key(&code);
            if is_new
                && self.games.len() >= MAX_GAMES
                && let Some(last) = left.iter().rfind(|code| self.games.contains_key(code))
            {
                self.remove(*last);
            }
            self.watch(code);
        }
        for code in left {
            self.watch(code);
        }
    }

    /// Watches this game, if there is room.
    fn watch(&mut self, code: Code) {
        if self.games.len() < MAX_GAMES && !self.games.contains_key(&code) {
            let task = self.watching.spawn(watch(self.endpoint.clone(), code, self.tell.clone()));
            self.games.insert(code, GameCard { html: None, task });
        }
    }

    /// Shows this game no more.
    fn remove(&mut self, code: Code) {
        if let Some(card) = self.games.remove(&code) {
            card.task.abort();
        }
    }

    /// The games in the hall that could be shown: those that are left, and the others.
    fn running(&self) -> (Vec<Code>, Vec<Code>) {
        let (left, live): (Vec<_>, Vec<_>) = running(&self.hall).partition(|listing| is_left(listing));
        let codes = |games: Vec<&Listing>| games.into_iter().map(|listing| listing.code).collect();
        (codes(left), codes(live))
    }

    /// The games in the order in which they are shown: those that are left come last.
    fn in_order(&self) -> Vec<&String> {
        let (left, _) = self.running();
        let (last, first): (Vec<_>, Vec<_>) = self.games.iter().partition(|(code, _)| left.contains(code));
        first.into_iter().chain(last).filter_map(|(_, card)| card.html.as_ref()).collect()
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
        let games = self.in_order();
        let pages: Vec<&[&String]> = pages(&games).collect();
        let others = running(&self.hall).filter(|listing| !self.games.contains_key(&listing.code)).count();
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
        let regions = regions.into_iter().map(|(id, html)| (id, Html::Drawn(html.into_string()))).collect();
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
fn running(hall: &Session) -> impl Iterator<Item = &Listing> {
    let is_shown =
        |listing: &&Listing| listing.watched && !listing.locked && listing.state == LobbyState::Playing;
    hall.model().hall().iter().filter(is_shown)
}

/// Whether people play there, and all of them are away.
fn is_left(listing: &Listing) -> bool {
    let people = || {
        let sitters = Side::BOTH.into_iter().filter_map(|side| listing.seats[side].as_ref());
        sitters.filter(|sitter| sitter.kind == Kind::Person)
    };
    people().next().is_some() && people().all(|sitter| sitter.presence != Presence::Here)
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
