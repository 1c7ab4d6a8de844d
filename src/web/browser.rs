//! One browser: its session with the server, and what its page shows.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use percent_encoding::percent_decode_str;
use tokio::time::Instant;

use super::action::{KeptSeat, PageAction, RecordAct};
use super::events;
use super::form;
use super::host::Host;
use super::inside::{connect, endpoint, saved_seat};
use super::learning;
use super::own_address::OwnAddress;
use super::page::{Invitation, Page};
use super::reading;
use super::records::Records;
use super::request;
use super::returning::{self, why};
use super::search::{self, Search, Thinker};
use super::update::{Keep, Shown, Update};
use super::view;
use crate::client::learn::Learn;
use crate::client::session::{SendStatus, Session, SessionEvent, SessionInput};
use crate::client::words::meanwhile::Seen;
use crate::client::{Action, Endpoint, Failure, Leaving};
use crate::lobby::{Code, Lobby, Name};
use crate::wire::Ticket;

/// The most positions of a tree: it is in the server's memory.
const MAX_TREE: usize = 2_000;

/// How long the tree that is shown stays as it is while its moves are searched: each change sends all its lines.
const TREE_PAUSE: Duration = Duration::from_millis(500);

/// How old the words about time may become on a page: how long a player has been away, or has been thinking.
const TIME_PAUSE: Duration = Duration::from_secs(5);

/// What is said to a person who asks for something in the moment in which the game moves to another server.
const NOT_SENT: &str = "Not sent: the game is moving to another server. Try it again.";

/// Why a page gets no session.
#[derive(Debug)]
pub(super) enum NoSession {
    /// It is of another version, or its first message is none.
    OtherVersion,
    /// The server does not take it.
    Failed(Failure),
}

/// A browser with a session.
#[derive(Debug)]
pub(super) struct Browser {
    endpoint: Endpoint,
    session: Session,
    page: Page,
    shown: Shown,
    /// The search for the learn panel.
    search: Option<Box<Search>>,
    /// When its tree was drawn last, while its moves are searched.
    tree_drawn: Option<Instant>,
    /// The name as the server gave it, until the browser knows it.
    given: Option<String>,
    thinker: Thinker,
    /// The number of actions that the page has sent.
    acted: u32,
    /// What the page shows may be out of date.
    is_stale: bool,
    /// When it was last looked at whether the words about time are.
    timed: Instant,
    /// The answer to a move, or the first one, takes so long that the page shows itself before.
    is_late: bool,
}

impl Browser {
    /// A browser that said this first.
    pub(super) async fn open(
        hello: PageAction,
        peer: SocketAddr,
        address: OwnAddress,
        host: &Arc<dyn Host>,
    ) -> Result<Box<Self>, NoSession> {
        let PageAction::Hello { name, path, query, seats, tickets, seen, forgets, unnoticed, .. } = hello
        else {
            return Err(NoSession::OtherVersion);
        };
        let thinker = Thinker { host: Arc::clone(host), address: peer.ip() };
        let endpoint = endpoint(&name, peer, host).ok_or(NoSession::OtherVersion)?;
        let bad_name = Name::clean(&name).err().filter(|_| !name.is_empty());
        let notice = bad_name.map(|fault| format!("Your name was not taken: {fault}."));
        let watched = path.trim_matches('/').parse().ok().map(|code| (code, seen));
        let page = Page {
            seats,
            forgets,
            unnoticed,
            old_tickets: tickets,
            watched,
            address,
            notice,
            ..Page::default()
        };
        let session = connect(&endpoint).await.map_err(NoSession::Failed)?;
        let given = Some(session.model().name().to_string());
        let mut browser = Box::new(Self {
            endpoint,
            session,
            page,
            shown: Shown::default(),
            search: None,
            tree_drawn: None,
            given,
            thinker,
            acted: 0,
            is_stale: true,
            timed: Instant::now(),
            is_late: false,
        });
        browser.arrive(&path, &query);
        Ok(browser)
    }

    /// Goes where the path leads: to a lobby, in which the browser may keep a seat, or to the hall.
    fn arrive(&mut self, path: &str, query: &str) {
        let path = percent_decode_str(path.trim_matches('/')).decode_utf8_lossy();
        let path = path.as_ref();
        if let Some(game) = path.strip_prefix("study") {
            self.page.study(game.trim_start_matches('/'));
        } else if let Some(game) = path.strip_prefix("records") {
            let act = if game.is_empty() { RecordAct::List } else { RecordAct::Open };
            let game = (game.trim_start_matches('/'), 0);
            reading::act(&mut self.page, &self.endpoint, &self.session, act, game);
        }
        self.settle();
        // A link may begin a game against the bot: it does nothing that anybody could mind.
        if let Some(game) = query.strip_prefix("?play=").filter(|_| path.is_empty()) {
            match form::against_bot(game) {
                Ok(terms) => {
                    self.send(Action::Create(terms));
                    return;
                }
                Err(why) => self.page.notice = Some(why),
            }
        }
        let (code, watches) = (path.parse::<Code>().ok(), query == "?watch");
        let kept = code.filter(|_| !watches).and_then(|code| self.page.seat_in(code).cloned());
        match (code, kept) {
            (_, Some(KeptSeat { code, ticket, name, .. })) => self.come_back(&code, &ticket, &name),
            (Some(code), None) => self.arrive_at(code, watches),
            (None, None) => drop(self.send(Action::Look)),
        }
    }

    /// Shows the lobby of the path, whether one can sit down there, and watches if the path says so.
    fn arrive_at(&mut self, code: Code, watches: bool) {
        let access = self.thinker.host.access(self.thinker.address, code);
        let may_watch = watches && access.as_ref().is_ok_and(|access| !access.locked);
        self.page.invite(Invitation { code, watches, access });
        self.send(if may_watch { Action::Watch(code, None) } else { Action::Look });
    }

    /// Waits for something to happen in the session, and takes it. Cancel safe.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            said = self.session.next() => {
                self.take(said);
                // What has arrived together is shown together.
                while self.session.has_unread() && !self.page.is_over
                    && let Some(said) = self.session.next().now_or_never()
                {
                    self.take(said);
                }
            }
            found = search::found(&mut self.search) => search::take(&mut self.page, found),
            () = Records::settle(&mut self.page.records) => {}
        }
        (self.is_stale, self.is_late) = (true, false);
        self.settle();
    }

    fn take(&mut self, said: Result<SessionInput, Failure>) {
        match said.and_then(|said| self.session.handle(said)) {
            Ok(event) => {
                let is_list = matches!(event, SessionEvent::Hall { .. });
                events::take(&mut self.page, &mut self.session, event);
                if is_list {
                    returning::forget_closed(&mut self.page, &self.thinker);
                }
            }
            Err(failure) => returning::end(&mut self.page, &failure),
        }
    }

    /// Notes that some time has passed: what the page says of time may be out of date.
    pub(super) fn note_time(&mut self) {
        self.is_late = self.is_awaited();
        let has_deadline =
            |lobby: &Lobby| lobby.absence_deadline().or(lobby.agreed_absence_deadline()).is_some();
        self.is_stale |= self.session.is_pending()
            || self.session.has_clocks()
            || self.session.lobby().is_some_and(has_deadline);
        if !self.is_stale && self.timed.elapsed() >= TIME_PAUSE {
            self.timed = Instant::now();
            let status = view::status(&self.session, &self.page);
            self.is_stale = status.is_some_and(|status| self.shown.differs(view::STATUS, &status));
        }
    }

    /// Has the learn panel follow the game, and starts the search that it needs.
    fn settle(&mut self) {
        let mine = self.session.model().lobby().filter(|mine| mine.may_learn());
        match (mine, &mut self.page.learn) {
            _ if self.page.studied.is_some() || self.page.records.is_some() => {}
            (Some(mine), Some(learn)) => learn.settle(&mine.lobby),
            (None, learn) => *learn = None,
            (Some(_), None) => {}
        }
        if let Some(learn) = &mut self.page.learn {
            learn.keep_within(MAX_TREE);
        }
        let wanted = match (&self.page.learn, &self.page.records) {
            (Some(learn), _) => learn.question(),
            (None, Some(records)) => records.wanted(),
            (None, None) => None,
        };
        search::start(&mut self.search, &self.thinker, wanted);
    }

    /// Whether the session is over.
    pub(super) fn is_over(&self) -> bool {
        self.page.is_over
    }

    /// Whether an answer comes soon, with which the page is shown: that to a move, since the script has marked what was
    /// tapped, and the first one, before which the page does not know where the person is.
    fn is_awaited(&self) -> bool {
        let is_arriving = self.session.is_arriving() && self.session.is_pending();
        is_arriving || self.session.is_move_pending()
    }

    /// What has changed on the page.
    pub(super) fn update(&mut self) -> Update {
        if !self.is_stale || self.is_awaited() && !self.is_late {
            return Update::default();
        }
        self.is_stale = false;
        let keep = self.new_seat();
        let path = self.shown.path(view::path(&self.session, &self.page));
        let seen = self.shown.seen(self.session.lobby().map(Seen::of));
        let forget = std::mem::take(&mut self.page.forget);
        self.page.note_kept(keep.as_ref(), seen.filter(|_| !self.session.is_watching()), &forget);
        self.page.draw_qr(self.session.lobby());
        let holds_tree_back = self.holds_tree_back();
        let (frame, mut regions) = view::regions(&self.session, &self.page);
        regions.retain(|(id, _)| !(holds_tree_back && *id == view::LEARN));
        let title = view::title(&self.session, &self.page);
        let mut html = self.shown.changed(frame, regions);
        let more = self.log(&mut html);
        Update {
            html,
            more,
            title: self.shown.title(title),
            path,
            keep,
            seen,
            forget,
            download: self.page.records.as_mut().and_then(|records| records.download.take()),
            name: self.given.take(),
            answered: self.shown.answer(self.acted, self.session.is_pending()),
            reload: false,
            over: self.page.stays,
        }
    }

    /// The lines to add to the log of the page. A page without any gets all as a region.
    fn log(&mut self, html: &mut Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
        if !view::shows_lobby(&self.session, &self.page) {
            return Vec::new();
        }
        let known = self.shown.logged.replace(self.page.logged);
        match known.and_then(|known| self.page.log_from(known)) {
            Some(lines) if lines.len() == 0 => Vec::new(),
            Some(lines) => vec![("log", view::log_lines(lines))],
            None => {
                html.push(("log", view::log(self.page.log.iter())));
                Vec::new()
            }
        }
    }

    /// Whether the tree is about to change again, and was drawn just before.
    fn holds_tree_back(&mut self) -> bool {
        let is_searching = self.page.learn.as_deref().is_some_and(Learn::is_searching);
        let is_recent = self.tree_drawn.is_some_and(|at| at.elapsed() < TREE_PAUSE);
        if !(is_searching && is_recent) {
            self.tree_drawn = is_searching.then(Instant::now);
        }
        is_searching && is_recent
    }

    /// The seat that the browser is to keep, if it is another one than before, or somebody else sits opposite.
    fn new_seat(&mut self) -> Option<Keep> {
        let mine = self.session.model().lobby()?;
        let (side, seats) = (mine.side()?, mine.lobby.seats());
        let names = [side, !side].map(|side| seats[side].as_ref().map(|player| &player.name));
        self.shown
            .is_new_seat((mine.lobby.code(), mine.ticket()?, names))
            .then(|| returning::kept_seat(&self.session))?
    }

    /// Does what the person asks for.
    pub(super) async fn act(&mut self, action: PageAction) {
        // The script has closed it, so that it is shown anew if it is the answer to this action too.
        if self.page.notice.take().is_some() {
            self.shown.forget(view::NOTICE);
        }
        (self.is_stale, self.page.unnoticed) = (true, false);
        self.acted = self.acted.wrapping_add(1);
        // Who does something sees the result at once.
        self.tree_drawn = None;
        match action {
            PageAction::Hello { .. } | PageAction::Alive | PageAction::Dismiss => {}
            PageAction::Ask { about } => self.page.dialog = Some(about),
            PageAction::Close => (self.page.dialog, self.page.asks_password) = (None, None),
            PageAction::Rename { name } => self.rename(&name).await,
            PageAction::Home => {
                (self.page.invited, self.page.studied, self.page.no_study) = (None, None, None);
                self.page.leave_records();
            }
            PageAction::Study { game } => {
                (self.page.studied, self.page.learn) = (None, None);
                self.page.study(game.trim());
            }
            PageAction::Record { act, game, step } => {
                reading::act(&mut self.page, &self.endpoint, &self.session, act, (&game, step));
            }
            PageAction::Return { code, ticket, name } => self.come_back(&code, &ticket, &name),
            PageAction::Learn
            | PageAction::LearnClose
            | PageAction::LearnAt { .. }
            | PageAction::LearnOpen { .. }
            | PageAction::LearnDeepen
            | PageAction::LearnEarlier
            | PageAction::LearnLater
            | PageAction::LearnJump => learning::act(&mut self.page, &self.session, &action),
            other => self.ask(other),
        }
        self.settle();
    }

    /// Asks the server.
    fn ask(&mut self, action: PageAction) {
        if self.page.asks_password_for(self.session.model().hall(), &action) {
            return;
        }
        let in_lobby = self.session.lobby().is_some();
        let asked = if in_lobby {
            request::in_lobby(&self.session, action).map(|action| (action, None))
        } else {
            request::in_hall(&self.session, action)
        };
        match asked {
            Ok((action, ticket)) => {
                self.page.gives_up = match action {
                    Action::Leave(Leaving::GiveUp) => {
                        returning::kept_seat(&self.session).map(|seat| seat.code)
                    }
                    _ => None,
                };
                if let Some(ticket) = ticket.as_deref().and_then(Ticket::from_hex) {
                    self.session.use_ticket(ticket);
                }
                self.page.dialog = None;
                self.send(action);
            }
            Err(why) => self.page.notice = Some(why),
        }
    }

    /// Sends an action.
    fn send(&mut self, action: Action) -> SendStatus {
        if action.is_for_hall() {
            self.page.wish = Some(Box::new(action.clone()));
        }
        let sent = self.session.act(action);
        if sent == SendStatus::Never && self.session.is_lost() {
            self.page.notice = Some(NOT_SENT.to_owned());
        }
        sent
    }

    /// Returns to a seat that the browser keeps.
    fn come_back(&mut self, code: &str, ticket: &str, name: &str) {
        if let Some(seat) = saved_seat(code, ticket, name) {
            self.send(Action::Return(seat));
            return;
        }
        returning::has_no_key(&mut self.page, code);
        if let (Ok(code), true) = (code.parse(), self.session.is_arriving()) {
            self.arrive_at(code, false);
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
        if name == *self.session.model().name() {
            return self.given = Some(name.to_string());
        }
        self.endpoint.name = name;
        // What this takes, a page takes only now.
        match Box::pin(connect(&self.endpoint)).await {
            Ok(session) => {
                self.session = session;
                let (wanted, given) = (&self.endpoint.name, self.session.model().name());
                self.page.notice = (wanted != given).then(|| self.page.called_here(wanted, given));
                self.given = Some(given.to_string());
                self.send(Action::Look);
            }
            Err(failure) => self.page.notice = Some(why(&failure)),
        }
    }
}
