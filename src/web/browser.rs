//! One browser: its session with the server, and what its page shows.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::action::{KeptSeat, PageAction};
use super::events;
use super::form;
use super::host::Host;
use super::page::Page;
use super::search::{self, Search, Thinker};
use super::shell;
use super::update::{Keep, Shown, Update};
use super::view;
use crate::client::dial::{Dial, Dialing};
use crate::client::learn::Learn;
use crate::client::session::{SendStatus, Session};
use crate::client::{Action, Address, Endpoint, Failure, Leaving, Model, SavedSeat, words};
use crate::lobby::{Code, Lobby, Name, Offer, PlayerId, Text};
use crate::wire::{ClientKind, Secret, Ticket};

/// The name of a person who has typed none.
const NAMELESS: &str = "guest";

/// The most positions of a tree on a page before a line is opened.
const MAX_POSITIONS: usize = 1_000;

/// What the page says beyond them.
const FULL_TREE: &str =
    "No: this page shows no more of the tree. Close the panel, and open it at a later position.";

/// The network inside this process.
#[derive(Debug)]
struct Inside {
    host: Arc<dyn Host>,
    peer: SocketAddr,
}

impl Dial for Inside {
    fn dial<'a>(&'a self, _: &'a Address, _: u16) -> Dialing<'a> {
        Box::pin(std::future::ready(Ok(self.host.connect(self.peer))))
    }
}

/// A browser with a session.
#[derive(Debug)]
pub(super) struct Browser {
    endpoint: Endpoint,
    session: Session,
    page: Page,
    shown: Shown,
    /// The search for the learn panel.
    search: Option<Search>,
    /// The name as the server gave it, until the browser knows it.
    given: Option<String>,
    thinker: Thinker,
    /// What the page shows may be out of date.
    is_stale: bool,
    /// The answer to a move takes so long that the page says so.
    is_late: bool,
}

impl Browser {
    /// A browser that said this first. `None` if its page is from another version, or the first message is
    /// another one.
    pub(super) async fn open(hello: PageAction, peer: SocketAddr, host: &Arc<dyn Host>) -> Option<Box<Self>> {
        let PageAction::Hello { version, name, path, query, seats } = hello else { return None };
        if version != shell::VERSION {
            return None;
        }
        let thinker = Thinker { host: Arc::clone(host), address: peer.ip() };
        let endpoint = endpoint(&name, peer, host)?;
        let (session, page) = (connect(&endpoint).await.ok()?, Page { seats, ..Page::default() });
        let given = Some(session.model().name().to_string());
        let (shown, search, is_stale, is_late) = (Shown::default(), None, true, false);
        let browser = Self { endpoint, session, page, shown, search, given, thinker, is_stale, is_late };
        let mut browser = Box::new(browser);
        browser.arrive(&path, &query);
        Some(browser)
    }

    /// Goes where the path leads: to a lobby, in which the browser may keep a seat, or to the hall.
    fn arrive(&mut self, path: &str, query: &str) {
        if let Some(game) = path.strip_prefix("/study/") {
            self.page.study(game);
            self.settle();
        }
        let code = path.trim_start_matches('/').parse::<Code>().ok();
        let kept =
            code.and_then(|code| self.page.seats.iter().find(|seat| seat.code.parse() == Ok(code)).cloned());
        match (code, kept) {
            (Some(code), _) if query == "?watch" => drop(self.send(Action::Watch(code, None))),
            (Some(_), Some(KeptSeat { code, ticket, name, .. })) => self.come_back(&code, &ticket, &name),
            (code, _) => {
                self.page.invited = code;
                self.send(Action::Look);
            }
        }
    }

    /// Waits for something to happen in the session, and takes it. Cancel safe.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            said = self.session.next() => match said.and_then(|said| self.session.handle(said)) {
                Ok(event) => events::take(&mut self.page, &mut self.session, event),
                Err(failure) => self.fail(&failure),
            },
            found = search::found(&mut self.search) => search::take(&mut self.page, found),
        }
        (self.is_stale, self.is_late) = (true, false);
        self.settle();
    }

    /// Notes that some time has passed: what the page says of time may be out of date.
    pub(super) fn note_time(&mut self) {
        self.is_late = self.session.is_move_pending();
        let has_deadline =
            |lobby: &Lobby| lobby.absence_deadline().or(lobby.agreed_absence_deadline()).is_some();
        self.is_stale |= self.session.is_pending()
            || self.session.has_clocks()
            || self.session.lobby().is_some_and(has_deadline);
    }

    /// Has the learn panel follow the game, and starts the search that it needs.
    fn settle(&mut self) {
        let mine = self.session.model().lobby().filter(|mine| mine.may_learn());
        match (mine, &mut self.page.learn) {
            _ if self.page.studied.is_some() => {}
            (Some(mine), Some(learn)) => learn.settle(&mine.lobby),
            (None, learn) => *learn = None,
            (Some(_), None) => {}
        }
        let wanted = self.page.learn.as_ref().and_then(Learn::question);
        search::start(&mut self.search, &self.thinker, wanted);
    }

    /// The session is over. A seat that cannot be returned to leads to the hall.
    fn fail(&mut self, failure: &Failure) {
        let is_refused = matches!(failure, Failure::ReturnRefused(_) | Failure::SeatOver { .. });
        self.page.notice = Some(failure.in_one_line());
        if let Some(Action::Return(seat)) = self.page.wish.take().filter(|_| is_refused) {
            self.page.forget = Some(seat.code.to_string());
        }
        self.page.is_over = true;
    }

    /// What has changed on the page. The answer to a move comes soon, and is shown with it: the script has marked
    /// what was tapped.
    pub(super) fn update(&mut self) -> Update {
        if !self.is_stale || self.session.is_move_pending() && !self.is_late {
            return Update::default();
        }
        self.is_stale = false;
        let keep = self.shown.keep(self.kept_seat());
        let forget = self.page.forget.take();
        self.page.note_kept(keep.as_ref(), forget.as_deref());
        let (frame, regions) = view::regions(&self.session, &self.page);
        let (title, path) = (view::title(&self.session), view::path(&self.session, &self.page));
        let mut html = self.shown.changed(frame, regions);
        let more = self.log(&mut html);
        Update {
            html,
            more,
            title: self.shown.title(title),
            path: self.shown.path(path),
            keep,
            forget,
            name: self.given.take(),
            reload: false,
            over: self.page.is_over,
        }
    }

    /// The lines to add to the log of the page. A page without any gets all as a region.
    fn log(&mut self, html: &mut Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
        if self.session.lobby().is_none() || self.page.studied.is_some() {
            return Vec::new();
        }
        let known = self.shown.logged.replace(self.page.logged);
        match known.and_then(|known| self.page.log_from(known)) {
            Some([]) => Vec::new(),
            Some(lines) => vec![("log", view::log_lines(lines))],
            None => {
                html.push(("log", view::log(&self.page.log)));
                Vec::new()
            }
        }
    }

    /// The seat that the browser is to keep.
    fn kept_seat(&self) -> Option<Keep> {
        let mine = self.session.model().lobby()?;
        let (side, ticket) = (mine.side()?, mine.ticket()?);
        let opponent = mine.lobby.seats()[!side].as_ref().map(|other| format!(" against {}", other.name));
        Some(Keep {
            code: mine.lobby.code().to_string(),
            ticket: ticket.to_hex(),
            name: mine.lobby.seats()[side].as_ref()?.name.to_string(),
            about: mine.lobby.variant().text() + &opponent.unwrap_or_default(),
        })
    }

    /// Does what the person asks for.
    pub(super) async fn act(&mut self, action: PageAction) {
        self.page.notice = None;
        self.is_stale = true;
        match action {
            PageAction::Hello { .. } | PageAction::Alive => {}
            PageAction::Ask { about } => self.page.dialog = Some(about),
            PageAction::Close => (self.page.dialog, self.page.asks_password) = (None, None),
            PageAction::Rename { name } => self.rename(&name).await,
            PageAction::Home => (self.page.invited, self.page.studied) = (None, None),
            PageAction::Return { code, ticket, name } => self.come_back(&code, &ticket, &name),
            PageAction::Learn
            | PageAction::LearnClose
            | PageAction::LearnAt { .. }
            | PageAction::LearnOpen { .. }
            | PageAction::LearnEarlier
            | PageAction::LearnLater
            | PageAction::LearnJump => self.learn(&action),
            other => self.ask(other),
        }
        self.settle();
    }

    /// What concerns the learn panel.
    fn learn(&mut self, action: &PageAction) {
        let mine = self.session.model().lobby().filter(|mine| mine.may_learn()).map(|mine| &mine.lobby);
        let Some(lobby) = self.page.studied.as_ref().or(mine) else { return };
        let learn = &mut self.page.learn;
        match (action, learn) {
            (PageAction::LearnClose, learn) => *learn = None,
            (PageAction::Learn, learn) => *learn = Some(Learn::new(lobby)),
            (PageAction::LearnAt { node }, Some(learn)) => learn.select(*node),
            (PageAction::LearnOpen { node }, Some(learn)) => {
                learn.select(*node);
                if learn.tree.size() >= MAX_POSITIONS && learn.tree.children(learn.at).is_empty() {
                    return self.page.notice = Some(FULL_TREE.to_owned());
                }
                learn.toggle();
            }
            (PageAction::LearnEarlier, Some(learn)) => learn.travel(lobby, false),
            (PageAction::LearnLater, Some(learn)) => learn.travel(lobby, true),
            (PageAction::LearnJump, Some(learn)) => learn.jump(lobby),
            _ => {}
        }
    }

    /// Asks the server.
    fn ask(&mut self, action: PageAction) {
        let in_lobby = self.session.lobby().is_some();
        let asked = match action {
            PageAction::PlayNow { game, ticket } if !in_lobby => {
                form::against_bot(&game).map(|terms| (Action::Create(terms), Some(ticket)))
            }
            PageAction::Quick { game, ticket } if !in_lobby => {
                form::quick(&game, self.session.model().hall()).map(|action| (action, Some(ticket)))
            }
            PageAction::Join { code, ticket, password } if !in_lobby => {
                form::code(&code).map(|code| (Action::Join(code, Secret::of(&password)), Some(ticket)))
            }
            PageAction::Watch { code, password } if !in_lobby => {
                form::code(&code).map(|code| (Action::Watch(code, Secret::of(&password)), None))
            }
            PageAction::New { ref ticket, .. } if !in_lobby => {
                form::terms(&action).map(|terms| (Action::Create(terms), Some(ticket.clone())))
            }
            other if in_lobby => self.in_lobby(other).map(|action| (action, None)),
            _ => return,
        };
        match asked {
            Ok((action, ticket)) => {
                if let Some(ticket) = ticket.as_deref().and_then(Ticket::from_hex) {
                    self.session.use_ticket(ticket);
                }
                self.page.dialog = None;
                self.send(action);
            }
            Err(why) => self.page.notice = Some(why),
        }
    }

    /// The action for this request of somebody in a lobby.
    fn in_lobby(&self, action: PageAction) -> Result<Action, String> {
        let Some(mine) = self.session.model().lobby() else { return Err(String::new()) };
        let answer = |accept| {
            let offer = mine.offer().ok_or_else(|| "There is no offer any more.".to_owned())?;
            Ok(Action::Answer { offer, accept })
        };
        Ok(match action {
            PageAction::Play { mv, turn } if turn == mine.lobby.turn() => {
                Action::Play(mine.lobby.board().read_move(&mv).map_err(|bad| format!("No: {bad}."))?)
            }
            PageAction::Play { .. } => return Err("That turn is over.".to_owned()),
            PageAction::Hint => Action::Hint,
            PageAction::Resign => Action::Resign,
            PageAction::Again => Action::Again,
            PageAction::OfferDraw => Action::Offer(Offer::Draw),
            PageAction::OfferTakeback => Action::Offer(Offer::Takeback),
            PageAction::OfferPause => Action::Offer(Offer::Pause),
            PageAction::Accept => return answer(true),
            PageAction::Decline => return answer(false),
            PageAction::Resume => Action::Resume,
            PageAction::Wait => Action::Wait,
            PageAction::WaitNoMore => Action::WaitNoMore,
            PageAction::Claim => Action::Claim,
            PageAction::Say { words } => Action::Say(
                Text::try_from(words.trim().to_owned()).map_err(|_| words::chat::too_long(&words))?,
            ),
            PageAction::LeaveAndKeep => Action::Leave(Leaving::Keep),
            PageAction::GiveUp => Action::Leave(Leaving::GiveUp),
            _ => return Err("That is possible only outside a lobby.".to_owned()),
        })
    }

    /// Sends an action.
    fn send(&mut self, action: Action) -> SendStatus {
        if action.is_for_hall() {
            self.page.wish = Some(action.clone());
        }
        self.session.act(action)
    }

    /// Returns to a seat that the browser keeps.
    fn come_back(&mut self, code: &str, ticket: &str, name: &str) {
        let seat = (|| {
            Some(SavedSeat {
                server: Address::here(),
                name: Name::clean(name).ok()?,
                code: code.parse().ok()?,
                player: PlayerId(0),
                variant: String::new(),
                opponent: None,
                ticket: Ticket::from_hex(ticket)?,
                over: false,
                turn: 0,
                happened: None,
            })
        })();
        match seat {
            Some(seat) => drop(self.send(Action::Return(seat))),
            None => self.page.forget = Some(code.to_owned()),
        }
    }

    /// Connects under another name, in the hall.
    async fn rename(&mut self, name: &str) {
        if self.session.lobby().is_some() {
            return;
        }
        let name = match Name::clean(name) {
            Ok(name) => name,
            Err(fault) => return self.page.notice = Some(format!("No: {fault}.")),
        };
        self.endpoint.name = name;
        // What this takes, a page takes only now.
        match Box::pin(connect(&self.endpoint)).await {
            Ok(session) => {
                self.session = session;
                self.given = Some(self.session.model().name().to_string());
                self.send(Action::Look);
            }
            Err(failure) => self.page.notice = Some(failure.in_one_line()),
        }
    }
}

/// The server inside this process, for somebody of this name at this address. A session there ends with its
/// connection.
pub(super) fn endpoint(name: &str, peer: SocketAddr, host: &Arc<dyn Host>) -> Option<Endpoint> {
    let network = Arc::new(Inside { host: Arc::clone(host), peer });
    let name = Name::clean(name).or_else(|_| Name::clean(NAMELESS)).ok()?;
    Some(Endpoint {
        address: Address::here(),
        default_port: 0,
        name,
        kind: ClientKind::Person,
        patience: Duration::ZERO,
        network,
    })
}

/// Opens a session there.
pub(super) async fn connect(endpoint: &Endpoint) -> Result<Session, Failure> {
    let (connection, given) = endpoint.connect().await?;
    Ok(Session::new(connection, Model::new(given)).coming_back(endpoint.clone(), None))
}
