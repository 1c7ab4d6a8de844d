//! Somebody in the simulation: the client's own code, and a person who plays, watches, leaves, comes again, and sometimes
//! shows a ticket that is not theirs. What they hear goes into the [chronicle](super::chronicle), event by event.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use nim::client::dial::Dial;
use nim::client::model::{MyLobby, Role};
use nim::client::session::{SendStatus, SessionEvent};
use nim::client::{Action, Address, Endpoint, Failure, LocalPlayers, Model, SeatStore, Session};
use nim::lobby::{self, Name};
use nim::wire::{HallRefusal, Refusal};
use tokio::time::Instant;

use super::chronicle::{Chronicle, Shared};
use super::network::PORT;
use super::seating::Seating;
use super::setting::Setting;
use super::whim::{self, Whim};

/// The shortest and the longest pause before the program is started once more, in milliseconds.
const START_AGAIN: (u64, u64) = (500, 4_000);

/// The shortest and the longest time that somebody thinks, in milliseconds.
const THINKS: (u64, u64) = (50, 1_500);

/// What somebody does here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Plays, and opens a lobby where there is none.
    Opener,
    /// Plays, wherever a seat is free.
    Player,
    /// Watches.
    Watcher,
}

/// A person, and what they need for another start of the program.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) part: Part,
    /// Where the server is, and over which network.
    pub(crate) server: Address,
    pub(crate) network: Arc<dyn Dial>,
    /// How many times faster they think and start again than people do.
    pub(crate) haste: u64,
    pub(crate) setting: Setting,
    pub(crate) seats: SeatStore,
    /// What this person leaves to chance.
    pub(crate) chance: Shared<Rng>,
    pub(crate) chronicle: Shared<Chronicle>,
}

impl Person {
    /// Runs the program again and again, as somebody does who wants to play.
    pub(crate) async fn live(self) {
        loop {
            if let Err(failure) = self.visits().await {
                self.bears(&failure);
            }
            self.chronicle.open().tell_news();
            tokio::time::sleep(self.pause(START_AGAIN)).await;
        }
    }

    fn pause(&self, (shortest, longest): (u64, u64)) -> Duration {
        Duration::from_millis(self.chance.open().u64(shortest..longest) / self.haste)
    }

    pub(crate) fn way(&self) -> Endpoint {
        let name = Name::clean(self.name).unwrap();
        Endpoint {
            address: self.server.clone(),
            default_port: PORT,
            name,
            patience: Duration::from_mins(5),
            network: Arc::clone(&self.network),
        }
    }

    /// The seat to come back to; else a lobby to go to.
    fn wish(&self) -> Option<Action> {
        if let Some(seat) = self.seats.all().unwrap().into_iter().next() {
            return Some(Action::Return(seat));
        }
        match (self.part, self.chronicle.open().meeting) {
            (Part::Watcher, code) => Some(Action::Watch(code?, None)),
            (_, Some(code)) => Some(Action::Join(code, None)),
            (Part::Opener, None) => Some(Action::Create(self.setting.terms())),
            (Part::Player, None) => None,
        }
    }

    /// Whoever has no seat may be tempted by another's. Goes to the server, or not, if there is nothing to do there.
    async fn visits(&self) -> Result<(), Failure> {
        let Some(wish) = self.wish() else { return Ok(()) };
        if let Action::Join(code, _) = wish
            && self.chance.open().u8(..4) == 0
        {
            self.shows_a_wrong_ticket(code).await?;
        }
        let way = self.way();
        let (connection, given) = way.go().await?;
        let seats = (self.part != Part::Watcher).then(|| self.seats.clone());
        let mut session =
            Session::new(LocalPlayers::one(connection), Model::new(given)).coming_back(way, seats);
        session.act(wish.clone()).await?;
        self.stays(&mut session, &wish).await
    }

    async fn stays(&self, session: &mut Session, wish: &Action) -> Result<(), Failure> {
        let mut seating = None;
        let mut thinks_until = Instant::now();
        loop {
            let heard = tokio::select! {
                biased;
                heard = session.next() => heard?,
                () = tokio::time::sleep_until(thinks_until) => {
                    thinks_until = Instant::now() + self.pause(THINKS);
                    if self.acts(session).await?.is_break() {
                        return Ok(());
                    }
                    continue;
                }
            };
            let news = session.handle(heard).await?;
            if let SessionEvent::Refused { refusal, .. } = &news {
                if session.is_arriving() {
                    self.is_turned_away(wish, refusal);
                    return Ok(());
                }
                self.is_refused(refusal);
            }
            // There is no other server: they do not wait for one.
            if let SessionEvent::Barred {
                refusal: refusal @ Refusal::Hall(HallRefusal::NoSuchLobby), ..
            } = news
            {
                return Err(Failure::SeatBarred(refusal));
            }
            self.notes(session, &news, &mut seating);
            self.chronicle.open().tell_news();
        }
    }

    /// Does what they feel like. Nothing of it is theirs before they have arrived.
    async fn acts(&self, session: &mut Session) -> Result<ControlFlow<()>, Failure> {
        if session.is_arriving() {
            return Ok(ControlFlow::Continue(()));
        }
        let is_calm = self.chronicle.open().is_calm;
        let whim = whim::choose(session, is_calm, &mut self.chance.open());
        match whim {
            Whim::Nothing => {}
            Whim::Ask(action) => {
                self.is_about_to_ask(session, &action);
                if session.act(action).await? == SendStatus::Done {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Whim::HangUp => return Ok(ControlFlow::Break(())),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn is_about_to_ask(&self, session: &Session, action: &Action) {
        if let Some(mine) = session.model().lobby()
            && let Some(you) = mine.you()
            && let Some(request) = action.lobby_request(mine.lobby.turn())
        {
            self.chronicle.open().account(mine.lobby.code()).ask(you, request);
        }
    }

    /// Writes down what was heard, and fails if it cannot be.
    fn notes(&self, session: &Session, news: &SessionEvent, seating: &mut Option<Seating>) {
        let mine = session.model().lobby();
        match (news, mine) {
            (SessionEvent::Entered | SessionEvent::ReturnedAnew { .. }, Some(mine)) => {
                self.chronicle.open().shown(&mine.lobby);
                *seating = Some(Seating::of(&mine.lobby));
                self.arrives(mine);
            }
            (SessionEvent::Returned { .. }, Some(mine)) => self.arrives(mine),
            (SessionEvent::Happened { event, before }, Some(mine)) => {
                let seating = seating.as_mut().expect("whoever hears of a lobby was shown it");
                seating.take_in(event);
                assert_eq!(*seating, Seating::of(&mine.lobby), "{} is told of {event:?}", self.name);
                self.chronicle.open().happened(event, before, &mine.lobby);
            }
            _ => {}
        }
        self.remembers(mine);
    }

    /// Whoever arrives in a seat has it, whatever was done for them meanwhile.
    fn arrives(&self, mine: &MyLobby) {
        let Role::Player { id, .. } = mine.role else { return };
        let side = mine.side().unwrap_or_else(|| panic!("{} has no seat", self.name));
        assert!(mine.lobby.is_here(side), "the seat of {} is handed back", self.name);
        let name = mine.lobby.seats()[side].as_ref().map_or("", |player| player.name.as_str());
        let whose = name.split('-').next();
        assert_eq!(whose, Some(self.name), "{} sits in the seat of {id:?}", self.name);
    }

    fn remembers(&self, mine: Option<&MyLobby>) {
        let mut chronicle = self.chronicle.open();
        let Some(mine) = mine else {
            // Whoever has a seat to come back to still knows of it, or the others would take it to be nobody's.
            if self.seats.all().unwrap().is_empty() {
                chronicle.known.remove(self.name);
            }
            return;
        };
        chronicle.known.insert(self.name, (mine.lobby.clone(), mine.you()));
        let Role::Player { id, ticket } = mine.role else { return };
        chronicle.account(mine.lobby.code()).note_ticket(id, ticket);
        if self.part == Part::Opener {
            chronicle.meeting = Some(mine.lobby.code());
        }
    }

    /// The server did not let them in. What it says has to be possible.
    fn is_turned_away(&self, wish: &Action, refusal: &Refusal) {
        let mut chronicle = self.chronicle.open();
        // Whoever does not come back to a seat has none, and is in no lobby.
        if !matches!(wish, Action::Return(_)) {
            chronicle.known.remove(self.name);
        }
        match (wish, refusal) {
            (_, Refusal::Halted { .. }) => chronicle.see("halted"),
            (Action::Join(code, _) | Action::Watch(code, _), refusal) if is_over(refusal) => {
                chronicle.meeting.take_if(|meeting| meeting == code);
            }
            (
                Action::Join(code, _),
                Refusal::Lobby(lobby::Refusal::SeatTaken | lobby::Refusal::NobodyHere),
            ) => {
                chronicle.see("found no free seat");
                chronicle.is_no_use(*code);
            }
            (Action::Watch(..), Refusal::Lobby(lobby::Refusal::NoWatchers)) if !self.setting.watched => {
                chronicle.see("might not watch");
            }
            (wish, refusal) => panic!("{} wishes {wish:?} and is refused: {refusal}", self.name),
        }
    }

    /// What was asked inside the lobby came too late. A move is never refused for the rules: these are known here too.
    fn is_refused(&self, refusal: &Refusal) {
        if matches!(refusal, Refusal::Halted { .. }) {
            return self.chronicle.open().see("halted");
        }
        assert!(
            matches!(refusal, Refusal::Lobby(refusal) if !matches!(refusal, lobby::Refusal::Illegal(_))),
            "{} is refused: {refusal}",
            self.name
        );
        self.chronicle.open().see("refused");
    }

    /// A network alone can break a connection. It cannot make the server lie, or cost anybody their seat.
    fn bears(&self, failure: &Failure) {
        use Failure::{Nonsense, SeatBarred, SeatLost, Unwelcome};
        let mut chronicle = self.chronicle.open();
        match (failure, chronicle.seat_of(self.name)) {
            (SeatLost(_) | SeatBarred(Refusal::Hall(HallRefusal::NoSuchLobby)), Some((code, you))) => {
                let may_be = chronicle.account(code).may_have_lost(you);
                assert!(may_be, "{} is shut out of a seat: {failure}", self.name);
                chronicle.see("found the seat gone");
                chronicle.known.remove(self.name);
                for seat in self.seats.all().unwrap().iter().filter(|seat| seat.code == code) {
                    self.seats.give_up(seat).unwrap();
                }
            }
            (
                SeatLost(_)
                | SeatBarred(Refusal::Hall(HallRefusal::NoSuchLobby))
                | Nonsense(_)
                | Unwelcome(_),
                ..,
            ) => {
                panic!("{} cannot go on: {failure}", self.name)
            }
            _ => {}
        }
    }
}

fn is_over(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::NoSuchLobby) | Refusal::Lobby(lobby::Refusal::Closed))
}
