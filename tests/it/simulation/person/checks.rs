//! What a person may see: checks what the client shows, and which refusals and failures are possible.

use nim::client::model::Role;
use nim::client::session::SessionEvent;
use nim::client::{Action, Failure, Session};
use nim::lobby::{self, Code, Event};
use nim::wire::{HallRefusal, HelloRefusal, Misplaced, Refusal};

use super::Person;
use crate::simulation::observer::{Report, is_young};
use crate::simulation::told::Happened;

impl Person {
    /// The server shows the lobby, and at least what anybody was told of before it was asked.
    pub(super) fn is_shown(&self, session: &Session, news: &SessionEvent, asked: Asked) {
        let mut observer = self.observer.lock();
        if let SessionEvent::Returned { .. } = news {
            observer.see(if asked.is_nearer { "went to the nearer server" } else { "returned" });
        }
        // A server may hold a seat in another lobby for somebody, and show that one.
        if let Some(lobby) = session.lobby()
            && Some(lobby.code()) == asked.code
            && !is_young(lobby)
        {
            let (shown, told) = (lobby.last_event(), asked.told);
            assert!(
                shown >= told,
                "{} is shown event {shown} at last, and {told} was told before",
                self.name
            );
        }
    }

    /// Reports an event. The client shows each one, but for a restart of which nobody notices anything.
    pub(super) fn is_told(&self, session: &Session, news: &SessionEvent, happened: &Happened) {
        let is_shown = matches!(news, SessionEvent::Happened { event, .. } if *event == happened.event);
        assert!(
            is_shown || happened.event == Event::Restarted,
            "{} is shown {news:?}, not {happened:?}",
            self.name
        );
        self.observer.lock().happened(happened, session.is_away(), is_shown);
    }

    /// A person who enters a seat owns it, even if a stand-in has played.
    pub(super) fn arrives(&self, session: &Session) {
        let Some(mine) = session.model().lobby() else { return };
        let Role::Player { id, .. } = mine.role else { return };
        let side = mine.side().unwrap_or_else(|| panic!("{} has no seat", self.name));
        assert!(mine.lobby.is_here(side), "the seat of {} is handed back", self.name);
        let name = mine.lobby.seats()[side].as_ref().map_or("", |player| player.name.as_str());
        let whose = name.split('-').next();
        assert_eq!(whose, Some(self.name), "{} sits in the seat of {id:?}", self.name);
    }

    /// The server refused them, for a reason that has to be possible.
    pub(super) fn is_turned_away(&self, wish: &Action, refusal: &Refusal) {
        let mut observer = self.observer.lock();
        observer
            .report(|| Report::Stopped(format!("{} wishes {wish:?} and is refused: {refusal}", self.name)));
        // Without a seat to return to, this person is in no lobby.
        if !matches!(wish, Action::Return(_)) {
            observer.known.remove(self.name);
        }
        match (wish, refusal) {
            (_, Refusal::Halted { .. }) => observer.see("halted"),
            (Action::Join(code, _) | Action::Watch(code, _), refusal) if is_over(refusal) => {
                observer.meeting.take_if(|meeting| meeting == code);
            }
            (
                Action::Join(code, _),
                Refusal::Lobby(lobby::Refusal::SeatTaken | lobby::Refusal::NobodyHere),
            ) => {
                observer.see("found no free seat");
                observer.is_no_use(*code);
            }
            (Action::Watch(..), Refusal::Lobby(lobby::Refusal::NoWatchers)) if !self.setting.watched => {
                observer.see("might not watch");
            }
            (Action::Watch(..), Refusal::Lobby(lobby::Refusal::Kicked)) => observer.see("kept out"),
            (wish, refusal) => panic!("{} wishes {wish:?} and is refused: {refusal}", self.name),
        }
    }

    /// A request inside the lobby came too late: perhaps the person is outside by now, who was kicked. A move is never illegal,
    /// since this side knows the rules too.
    pub(super) fn is_refused(&self, refusal: &Refusal, is_outside: bool) {
        if is_outside && *refusal == Refusal::Misplaced(Misplaced::InHall) {
            return self.observer.lock().see("refused outside");
        }
        if matches!(refusal, Refusal::Halted { .. }) {
            return self.observer.lock().see("halted");
        }
        assert!(
            matches!(refusal, Refusal::Lobby(refusal) if !matches!(refusal, lobby::Refusal::Illegal(_))),
            "{} is refused: {refusal}",
            self.name
        );
        self.observer.lock().see("refused");
    }

    /// The network alone may break a connection. It cannot make the server lie, or cost anybody their seat.
    pub(super) fn bears(&self, failure: &Failure) {
        use Failure::{Nonsense, ReturnRefused, SeatLost, Unwelcome};
        let mut observer = self.observer.lock();
        observer.report(|| Report::Stopped(format!("{} stops: {failure}", self.name)));
        match (failure, observer.seat_of(self.name)) {
            (SeatLost(_) | ReturnRefused(Refusal::Hall(HallRefusal::NoSuchLobby)), Some((code, you))) => {
                let lobby = observer.known[self.name].0.clone();
                let log = observer.log(code);
                let may_be = log.may_have_lost(you) || !log.knows(&lobby, you);
                assert!(may_be, "{} is shut out of a seat: {failure}", self.name);
                observer.see("found the seat gone");
                observer.known.remove(self.name);
                for seat in self.seats.all().unwrap().iter().filter(|seat| seat.code == code) {
                    self.seats.give_up(seat).unwrap();
                }
            }
            // The server held a seat for them that they had asked for, and they never heard of it in time.
            (SeatLost(_), None) => observer.see("never came to a seat"),
            (Unwelcome(HelloRefusal::Stopping), _) => observer.see("came while a server stopped"),
            (ReturnRefused(Refusal::Hall(HallRefusal::NoSuchLobby)) | Nonsense(_) | Unwelcome(_), ..) => {
                panic!("{} cannot go on: {failure}", self.name)
            }
            _ => {}
        }
    }
}

/// What was so when a person asked a server for a lobby.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) code: Option<Code>,
    /// The last event that anybody was told of.
    pub(super) told: u32,
    /// Whether the person can go on at another server meanwhile.
    pub(super) is_nearer: bool,
}

fn is_over(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::NoSuchLobby) | Refusal::Lobby(lobby::Refusal::Closed))
}
