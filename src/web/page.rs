//! What a page shows besides what the session knows.

use std::collections::{VecDeque, vec_deque};
use std::sync::Arc;

use super::action::{Dialog, KeptSeat, PageAction};
use super::form;
use super::own_address::OwnAddress;
use super::qr::LastQr;
use super::records::Records;
use super::update::Keep;
use crate::client::learn::Learn;
use crate::client::session::Session;
use crate::client::text::full_stop;
use crate::client::words::meanwhile::Seen;
use crate::client::{Action, Model, words};
use crate::game::any::{Move, Variant};
use crate::lobby::{Code, Conditions, Lobby, Name};
use crate::wire::{Access, HallRefusal, Listing, Ticket};

/// A line of the log, with whether somebody said it.
pub(super) type LogLine = (bool, Box<str>);

/// The most lines of the log on a page.
const MAX_LOG: usize = 100;

/// What is said of a browser that keeps nothing, as where the storage of sites is blocked.
pub(super) const FORGETS: &str =
    "This browser keeps nothing: your seat is lost when this tab is closed or loaded again.";

/// The question for a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PasswordQuestion {
    pub(super) code: Code,
    /// Whether it is to watch rather than to play.
    pub(super) watches: bool,
    /// Whether one was wrong.
    pub(super) was_wrong: bool,
}

/// The address of a lobby was opened.
#[derive(Debug, Clone)]
pub(super) struct Invitation {
    pub(super) code: Code,
    /// Whether it is to watch rather than to play.
    pub(super) watches: bool,
    /// Whether that can be done, or why not.
    pub(super) access: Result<Access, HallRefusal>,
}

/// What the page shows besides what the session knows. What few pages have is boxed.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Default)]
pub(super) struct Page {
    /// What happened in the lobby, the oldest first, each with whether somebody said it.
    pub(super) log: VecDeque<LogLine>,
    /// The number of times that something was added to it, or all removed.
    pub(super) logged: u64,
    /// The latest answer to the person; it goes with the next action.
    pub(super) notice: Option<String>,
    /// A good move, and its turn.
    pub(super) hint: Option<(u32, Move)>,
    pub(super) dialog: Option<Dialog>,
    /// The lobby of a game that is explored without playing: it is on no server.
    pub(super) studied: Option<Box<Lobby>>,
    /// Why that game cannot be explored; empty where none was named.
    pub(super) no_study: Option<String>,
    /// The records, while they are shown.
    pub(super) records: Option<Box<Records>>,
    /// The learn panel.
    pub(super) learn: Option<Box<Learn>>,
    /// The lobby whose password is asked for.
    pub(super) asks_password: Option<PasswordQuestion>,
    /// The lobby to which the path leads, where the person is not in it yet.
    pub(super) invited: Option<Box<Invitation>>,
    /// The last request in the hall.
    pub(super) wish: Option<Box<Action>>,
    /// The seats that the browser keeps.
    pub(super) seats: Vec<KeptSeat>,
    /// Whether the browser keeps them only as long as the page is open.
    pub(super) forgets: bool,
    /// Whether the person has not noticed that the connection was lost, and is not told that the page is back.
    pub(super) unnoticed: bool,
    /// The tickets of seats that the browser does not keep any more.
    pub(super) old_tickets: Vec<String>,
    /// The codes of seats that are not to be kept any more.
    pub(super) forget: Vec<String>,
    /// The lobby that this page watched before, and how it stood.
    pub(super) watched: Option<(Code, Seen)>,
    /// The code of the seat that the person is about to give up.
    pub(super) gives_up: Option<String>,
    /// The address of this site.
    pub(super) address: OwnAddress,
    /// The QR code of the lobby's address, while a seat is free.
    pub(super) qr: LastQr,
    /// The session is over.
    pub(super) is_over: bool,
    /// The page does not come back by itself after that.
    pub(super) stays: bool,
}

impl Page {
    /// Notes which seats the browser keeps from now on.
    pub(super) fn note_kept(&mut self, keep: Option<&Keep>, seen: Option<Seen>, forget: &[String]) {
        if let Some(Keep { code, ticket, name, about }) = keep.cloned() {
            self.seats.retain(|seat| seat.code != code);
            self.seats.insert(0, KeptSeat { code, ticket, name, about, seen: Seen::default() });
        }
        if let (Some(seen), Some(seat)) = (seen, self.seats.first_mut()) {
            seat.seen = seen;
        }
        let gone = self.seats.extract_if(.., |seat| forget.contains(&seat.code));
        self.old_tickets.extend(gone.map(|seat| seat.ticket));
    }

    /// The seat that the browser keeps in this lobby.
    pub(super) fn seat_in(&self, code: Code) -> Option<&KeptSeat> {
        self.seats.iter().find(|seat| seat.code.parse() == Ok(code))
    }

    /// That the server gave another name than the wanted one, which a seat of this browser or somebody else has.
    pub(super) fn called_here(&self, wanted: &Name, given: &Name) -> String {
        let own = self.seats.iter().find(|seat| seat.name == wanted.as_str());
        words::chat::called_here(wanted.as_str(), given, own.and_then(|seat| seat.code.parse().ok()))
    }

    /// The tickets that the browser has.
    pub(super) fn tickets(&self) -> Vec<Ticket> {
        let seats = self.seats.iter().map(|seat| &seat.ticket);
        seats.chain(&self.old_tickets).filter_map(|ticket| Ticket::from_hex(ticket)).collect()
    }

    /// Opens the tree of this game, to explore it without playing; without a game, a list of them.
    pub(super) fn study(&mut self, game: &str) {
        match game.parse::<Variant>() {
            _ if game.is_empty() => self.no_study = Some(String::new()),
            Ok(variant) => {
                let lobby = Lobby::new(Code::from_bits(0, 0), variant, Conditions::default());
                let learn = Learn::new(&lobby);
                (self.learn, self.studied) = (Some(Box::new(learn)), Some(Box::new(lobby)));
                self.no_study = None;
            }
            Err(bad) => self.no_study = Some(full_stop(&bad.to_string())),
        }
    }

    /// The path leads to this lobby. If it has a password, that is asked for at once.
    pub(super) fn invite(&mut self, invitation: Invitation) {
        let Invitation { code, watches, access } = &invitation;
        let locked = access.as_ref().ok().filter(|access| access.locked);
        self.asks_password = locked.map(|access| {
            let watches = *watches || !access.has_seat();
            PasswordQuestion { code: *code, watches, was_wrong: false }
        });
        self.invited = Some(Box::new(invitation));
    }

    /// Asks for the password of a lobby that is known to have one, before the server is asked. Returns whether it does.
    pub(super) fn asks_password_for(&mut self, hall: &[Listing], action: &PageAction) -> bool {
        let (code, watches) = match action {
            PageAction::Join { code, password, .. } if password.is_empty() => (code, false),
            PageAction::Watch { code, password } if password.is_empty() => (code, true),
            _ => return false,
        };
        let code = form::code(code).ok();
        let invited =
            self.invited.iter().filter_map(|there| Some((there.code, there.access.as_ref().ok()?.locked)));
        let listed = hall.iter().map(|listing| (listing.code, listing.locked));
        let locked = invited.chain(listed).find(|(there, is_locked)| *is_locked && Some(*there) == code);
        let question = locked.map(|(code, _)| PasswordQuestion { code, watches, was_wrong: false });
        self.asks_password = question;
        question.is_some()
    }

    /// Draws the QR code of the lobby's address, as long as somebody can take a seat there.
    pub(super) fn draw_qr(&mut self, lobby: Option<&Lobby>) {
        let open = lobby.filter(|lobby| lobby.open_seat().is_some());
        let address = open.and_then(|lobby| self.address.for_others(&format!("/{}", lobby.code())));
        self.qr.draw(address, "QR code of this game's address");
    }

    /// Leaves the records for what was there before.
    pub(super) fn leave_records(&mut self) {
        (self.records, self.learn) = (None, None);
    }

    /// The end of the record that is read.
    pub(super) fn record_end(&self) -> Option<Arc<Model>> {
        Some(self.records.as_ref()?.reader.as_ref()?.end().0)
    }

    /// Adds a line to the log.
    pub(super) fn tell(&mut self, line: impl Into<String>) {
        self.add(false, line.into());
    }

    /// Adds what somebody said.
    pub(super) fn say(&mut self, line: String) {
        self.add(true, line);
    }

    /// The lines that were added since it had this number; `None` if some of them are not there any more.
    pub(super) fn log_from(&self, number: u64) -> Option<vec_deque::Iter<'_, LogLine>> {
        let count = usize::try_from(self.logged.checked_sub(number)?).ok()?;
        self.log.len().checked_sub(count).map(|from| self.log.range(from..))
    }

    fn add(&mut self, is_said: bool, line: String) {
        self.logged += 1;
        if self.log.len() == MAX_LOG {
            self.log.pop_front();
        }
        self.log.push_back((is_said, line.into()));
    }

    /// Shows what the host says: in the log, or as a notice outside a lobby.
    pub(super) fn announce(&mut self, session: &Session, line: String) {
        if session.lobby().is_none() {
            self.notice = Some(line);
        } else {
            self.tell(line);
        }
    }

    /// The person has entered a lobby.
    pub(super) fn enter(&mut self) {
        (self.notice, self.dialog, self.asks_password, self.invited) = (None, None, None, None);
    }

    /// The person has left the lobby.
    pub(super) fn outside(&mut self) {
        (self.dialog, self.hint) = (None, None);
        self.leave_records();
        self.forget.extend(self.gives_up.take());
        self.log.clear();
        // What the page shows of it is out of date.
        self.logged += 1;
    }
}
