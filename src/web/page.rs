//! What a page shows besides what the session knows.

use super::action::{Dialog, KeptSeat};
use super::own_address::OwnAddress;
use super::qr::LastQr;
use super::update::Keep;
use crate::client::Action;
use crate::client::learn::Learn;
use crate::client::session::Session;
use crate::game::any::{Move, Variant};
use crate::lobby::{Code, Conditions, Lobby};

/// The most lines of the log on a page.
const MAX_LOG: usize = 100;

/// What the page shows besides what the session knows.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// What happened in the lobby, the oldest first, each with whether somebody said it.
    pub(super) log: Vec<(bool, String)>,
    /// The latest answer to the person; it goes with the next action.
    pub(super) notice: Option<String>,
    /// A good move, and its turn.
    pub(super) hint: Option<(u32, Move)>,
    pub(super) dialog: Option<Dialog>,
    /// The lobby of a game that is explored without playing: it is on no server.
    pub(super) studied: Option<Lobby>,
    /// The learn panel.
    pub(super) learn: Option<Learn>,
    /// The lobby whose password is asked for, and whether one was wrong.
    pub(super) asks_password: Option<(Code, bool)>,
    /// The lobby to which the path leads, where the person is not in it yet.
    pub(super) invited: Option<Code>,
    /// The last request in the hall.
    pub(super) wish: Option<Action>,
    /// The seats that the browser keeps.
    pub(super) seats: Vec<KeptSeat>,
    /// The code of a seat that is not to be kept any more.
    pub(super) forget: Option<String>,
    /// The address of this site.
    pub(super) address: OwnAddress,
    /// The QR code of the lobby's address, while a seat is free.
    pub(super) qr: LastQr,
    /// The session is over.
    pub(super) is_over: bool,
}

impl Page {
    /// Notes which seats the browser keeps from now on.
    pub(super) fn note_kept(&mut self, keep: Option<&Keep>, forget: Option<&str>) {
        if let Some(Keep { code, ticket, name, about }) = keep.cloned() {
            self.seats.retain(|seat| seat.code != code);
            self.seats.insert(0, KeptSeat { code, ticket, name, about });
        }
        if let Some(code) = forget {
            self.seats.retain(|seat| seat.code != code);
        }
    }

    /// Opens the tree of this game, to explore it without playing.
    pub(super) fn study(&mut self, game: &str) {
        match game.parse::<Variant>() {
            Ok(variant) => {
                let lobby = Lobby::new(Code::from_bits(0, 0), variant, Conditions::default());
                (self.learn, self.studied) = (Some(Learn::new(&lobby)), Some(lobby));
            }
            Err(bad) => self.notice = Some(format!("No: {bad}.")),
        }
    }

    /// Adds a line to the log.
    pub(super) fn tell(&mut self, line: impl Into<String>) {
        self.add(false, line.into());
    }

    /// Adds what somebody said.
    pub(super) fn say(&mut self, line: String) {
        self.add(true, line);
    }

    fn add(&mut self, is_said: bool, line: String) {
        if self.log.len() == MAX_LOG {
            self.log.remove(0);
        }
        self.log.push((is_said, line));
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
        (self.dialog, self.hint, self.learn) = (None, None, None);
        self.log.clear();
    }
}
