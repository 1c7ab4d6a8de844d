//! A person in the simulation: the client's real code, and a person who plays, watches, leaves, returns, and
//! sometimes shows a wrong ticket. Every event that they receive goes to the [observer](super::observer), also those of which
//! the client tells them nothing.

mod checks;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use nim::client::dial::Dial;
use nim::client::model::{MyLobby, Role};
use nim::client::session::{SendStatus, SessionEvent, SessionInput};
use nim::client::{Action, Address, Endpoint, Failure, Model, SeatStore, Session};
use nim::lobby::{Code, Name, Text};
use nim::wire::{ClientKind, HallRefusal, HallRequest, Refusal, ToClient};
use tokio::time::Instant;

use self::checks::Asked;
use super::choice::{self, Choice};
use super::network::PORT;
use super::observer::{Observer, Shared};
use super::setting::Setting;
use super::told::Told;

/// The shortest and the longest pause before another start of the program, in milliseconds.
const START_AGAIN: (u64, u64) = (500, 4_000);

/// The shortest and the longest time for a choice, in milliseconds.
const THINKS: (u64, u64) = (50, 1_500);

/// The timeout for the answer to a wrong ticket.
const WAITS: Duration = Duration::from_secs(3);

/// The role of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Plays, and opens a lobby if there is none.
    Opener,
    /// Plays, in any free seat.
    Player,
    /// Watches.
    Watcher,
}

/// A person, with everything for another start of the program.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) part: Part,
    /// The server's address, and the network to it.
    pub(crate) server: Address,
    /// The addresses of other servers with the same lobbies.
    pub(crate) others: Vec<Address>,
    pub(crate) network: Arc<dyn Dial>,
    /// How many times faster than people they choose and restart.
    pub(crate) speed: u64,
    pub(crate) setting: Setting,
    pub(crate) seats: SeatStore,
    /// The source of this person's random choices.
    pub(crate) chance: Shared<Rng>,
    pub(crate) observer: Shared<Observer>,
}

impl Person {
    /// Runs the program repeatedly, like a person who wants to play.
    pub(crate) async fn live(self) {
        loop {
            if let Err(failure) = self.visits().await {
                self.bears(&failure);
            }
            self.observer.lock().tell_news();
            tokio::time::sleep(self.pause(START_AGAIN)).await;
        }
    }

    fn pause(&self, (shortest, longest): (u64, u64)) -> Duration {
        Duration::from_millis(self.chance.lock().u64(shortest..longest) / self.speed)
    }

    pub(crate) fn way(&self) -> Endpoint {
        let name = Name::clean(self.name).unwrap();
        Endpoint {
            address: self.server.clone(),
            others: self.others.clone(),
            default_port: PORT,
            name,
            kind: ClientKind::Person,
            patience: Duration::from_mins(5),
            network: Arc::clone(&self.network),
        }
    }

    /// The seat to return to, or else a lobby to join.
    fn wish(&self) -> Option<Action> {
        if let Some(seat) = self.seats.all().unwrap().into_iter().next() {
            return Some(Action::Return(seat));
        }
        match (self.part, self.observer.lock().meeting) {
            (Part::Watcher, code) => Some(Action::Watch(code?, None)),
            (_, Some(code)) => Some(Action::Join(code, None)),
            (Part::Opener, None) => Some(Action::Create(self.setting.terms())),
            (Part::Player, None) => None,
        }
    }

    /// Connects and stays, if there is anything to do. Without a seat, sometimes shows a wrong ticket first.
    async fn visits(&self) -> Result<(), Failure> {
        let Some(wish) = self.wish() else { return Ok(()) };
        if let Action::Join(code, _) = wish
            && self.chance.lock().u8(..4) == 0
        {
            self.shows_a_wrong_ticket(code).await?;
        }
        let code = lobby_of(&wish);
        let told = code.map_or(0, |code| self.observer.lock().last_told(code));
        let way = self.way();
        let (connection, given) = way.connect().await?;
        let seats = (self.part != Part::Watcher).then(|| self.seats.clone());
        let mut session = Session::new(connection, Model::new(given)).coming_back(way, seats);
        session.act(wish.clone());
        self.stays(&mut session, &wish, Asked { code, told, is_nearer: false }).await
    }

    async fn stays(&self, session: &mut Session, wish: &Action, mut asked: Asked) -> Result<(), Failure> {
        let (mut thinks_until, mut told) = (Instant::now(), Told::default());
        loop {
            let heard = tokio::select! {
                biased;
                heard = session.next() => heard?,
                () = tokio::time::sleep_until(thinks_until) => {
                    thinks_until = Instant::now() + self.pause(THINKS);
                    if self.acts(session).is_break() {
                        return Ok(());
                    }
                    continue;
                }
            };
            // From this message on the client may ask a server for its lobby.
            if let Some(lobby) = session.lobby()
                && !session.is_away()
            {
                let is_nearer = matches!(heard, SessionInput::Nearer(_));
                // It may go back to the connection that it has.
                let told =
                    if is_nearer { lobby.last_event() } else { self.observer.lock().last_told(lobby.code()) };
                asked = Asked { code: Some(lobby.code()), told, is_nearer };
            }
            let said = if let SessionInput::Said(message) = &heard { Some(&**message) } else { None };
            let happened = said.and_then(|message| told.hears(message));
            // Of a nearer server: the client goes back to the connection that it has.
            let is_refusal = matches!(said, Some(ToClient::Refused { .. }));
            let news = session.handle(heard)?;
            if let SessionEvent::Entered | SessionEvent::Returned { .. } = news {
                self.is_shown(session, &news, asked);
                if !is_refusal {
                    self.arrives(session);
                }
            }
            if let SessionEvent::Refused { refusal, .. } = &news {
                if session.is_arriving() {
                    self.is_turned_away(wish, refusal);
                    return Ok(());
                }
                self.is_refused(refusal, session.lobby().is_none());
            }
            // There is no other server to wait for.
            if let SessionEvent::RetryingReturn {
                refusal: refusal @ Refusal::Hall(HallRefusal::NoSuchLobby),
                ..
            } = news
            {
                return Err(Failure::ReturnRefused(refusal));
            }
            if let Some(happened) = happened {
                self.is_told(session, &news, &happened);
            }
            if let (Action::Create(_), SessionEvent::Entered, Some(lobby)) = (wish, &news, session.lobby()) {
                self.observer.lock().opened(lobby);
            }
            self.notes(session, &news);
            self.observer.lock().tell_news();
        }
    }

    /// Acts at random. A person who has not arrived has nothing to give up.
    fn acts(&self, session: &mut Session) -> ControlFlow<()> {
        if session.is_arriving() {
            return ControlFlow::Continue(());
        }
        let (is_calm, meeting) = {
            let observer = self.observer.lock();
            (observer.is_calm, observer.meeting)
        };
        let choice = choice::choose(session, is_calm, meeting, &mut self.chance.lock());
        match choice {
            Choice::Nothing => {}
            Choice::Ask(action) => {
                self.is_about_to_ask(session, &action);
                if session.act(action) == SendStatus::Done {
                    return ControlFlow::Break(());
                }
            }
            Choice::HangUp => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    fn is_about_to_ask(&self, session: &Session, action: &Action) {
        if let Some(mine) = session.model().lobby()
            && let Some(you) = mine.you()
            && let Some(request) = action.lobby_request(mine.lobby.turn())
        {
            self.observer.lock().log(mine.lobby.code()).ask(you, request);
        }
    }

    /// Reports everything shown, and fails if it is impossible.
    fn notes(&self, session: &Session, news: &SessionEvent) {
        let mine = session.model().lobby();
        match (news, mine) {
            (SessionEvent::Entered | SessionEvent::Returned { anew: true, .. }, Some(mine)) => {
                self.observer.lock().shown(&mine.lobby);
            }
            (SessionEvent::Noticed(notice), Some(mine)) => {
                self.observer.lock().noticed(notice, &mine.lobby);
            }
            _ => {}
        }
        self.remembers(mine);
    }

    fn remembers(&self, mine: Option<&MyLobby>) {
        let mut observer = self.observer.lock();
        let Some(mine) = mine else {
            // The lobby of a saved seat is still known, or else the others would meet elsewhere.
            if self.seats.all().unwrap().is_empty() {
                observer.known.remove(self.name);
            }
            return;
        };
        observer.known.insert(self.name, (mine.lobby.clone(), mine.you()));
        let Role::Player { id, ticket } = mine.role else { return };
        let log = observer.log(mine.lobby.code());
        if log.knows(&mine.lobby, id) {
            log.note_ticket(id, ticket);
        }
        if self.part == Part::Opener {
            observer.meeting = Some(mine.lobby.code());
        }
    }

    /// Tries to return to a seat in this lobby without a valid ticket.
    pub(super) async fn shows_a_wrong_ticket(&self, code: Code) -> Result<(), Failure> {
        let ticket = self.observer.lock().log(code).wrong_ticket(&mut self.chance.lock());
        let Some(ticket) = ticket else { return Ok(()) };
        let (mut connection, _) = self.way().connect().await?;
        let request = HallRequest::Return { code: Text::cut(&code.to_string()), ticket, seen: 1 };
        connection.ask_hall(request);
        let answer = async {
            loop {
                match connection.next().await? {
                    // It comes to everybody who connects to one of several servers.
                    ToClient::Servers { .. } => {}
                    answer => return Ok::<_, Failure>(answer),
                }
            }
        };
        let Ok(answer) = tokio::time::timeout(WAITS, answer).await else { return Ok(()) };
        match answer? {
            ToClient::Refused {
                refusal: Refusal::Hall(HallRefusal::BadTicket | HallRefusal::NoSuchLobby),
                ..
            } => self.observer.lock().see("showed a wrong ticket"),
            ToClient::Refused { refusal: Refusal::Halted { .. }, .. } => {}
            answer => panic!("{} showed a wrong ticket, and hears {answer:?}", self.name),
        }
        Ok(())
    }
}

/// The lobby to which somebody wishes to go, if there is one.
fn lobby_of(wish: &Action) -> Option<Code> {
    match wish {
        Action::Return(seat) => Some(seat.code),
        Action::Join(code, _) | Action::Watch(code, _) => Some(*code),
        _ => None,
    }
}
