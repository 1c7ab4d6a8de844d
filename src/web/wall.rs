//! The wall: all public games of the host at once, for a projector.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::action::PageAction;
use super::host::Host;
use super::inside::{connect, endpoint};
use super::own_address::OwnAddress;
use super::qr;
use super::shell;
use super::update::{Shown, Update};
use super::view;
use crate::client::session::{Session, SessionEvent};
use crate::client::{Action, Endpoint};
use crate::lobby::{Code, Phase};
use crate::wire::{Listing, LobbyState};

/// The path of the wall.
const PATH: &str = "/wall";

/// The most games that are shown at once.
const MAX_GAMES: usize = 12;

/// How long the result of a game stays.
const RESULT: Duration = Duration::from_secs(20);

/// Whether this is the first message of a wall.
pub(super) fn is_wall(hello: &PageAction) -> bool {
    matches!(hello, PageAction::Hello { path, version, .. } if path == PATH && version == shell::VERSION)
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
    ) -> Option<Self> {
        let PageAction::Hello { name, .. } = hello else { return None };
        let endpoint = endpoint(&name, peer, host)?;
        let mut hall = connect(&endpoint).await.ok()?;
        hall.act(Action::Look);
        let (tell, news) = mpsc::channel(MAX_GAMES);
        let (games, watching, shown) = (BTreeMap::new(), JoinSet::new(), Shown::default());
        let qr = address.for_others("/").map(|page| qr::drawn(&page, "QR code of the address to join"));
        let (address, qr, is_over) = (address.of_path("/"), qr.unwrap_or_default(), false);
        Some(Self { endpoint, hall, games, news, tell, watching, shown, address, qr, is_over })
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

    /// What has changed on the page.
    pub(super) fn update(&mut self) -> Update {
        let games: Vec<&String> = self.games.values().flatten().collect();
        let others = running(&self.hall).filter(|code| !self.games.contains_key(code)).count();
        let main = html! {
            div.join {
                div {
                    h1 { "Games on this host" }
                    p.big { "Play too: open " b.link { (self.address) } }
                }
                (self.qr)
            }
            @if games.is_empty() { p { "Nobody plays yet." } }
            div.wall { @for game in games { (maud::PreEscaped(game)) } }
            @if others > 0 { p.big { "and " (others) " more" } }
        };
        let regions = vec![("main", main.into_string())];
        Update {
            html: self.shown.changed("main", regions),
            title: self.shown.title("The wall · nim".to_owned()),
            ..Update::default()
        }
    }
}

/// The games in the hall that are played now and that everybody may watch.
fn running(hall: &Session) -> impl Iterator<Item = Code> {
    let is_shown =
        |listing: &&Listing| listing.watched && !listing.locked && listing.state == LobbyState::Playing;
    hall.model().hall().iter().filter(is_shown).map(|listing| listing.code)
}

/// Watches a game, and tells how it stands after each event. Ends some time after the game.
async fn watch(endpoint: Endpoint, code: Code, tell: mpsc::Sender<(Code, Option<String>)>) {
    if let Ok(mut session) = connect(&endpoint).await {
        session.act(Action::Watch(code, None));
        follow(&mut session, code, &tell).await;
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
