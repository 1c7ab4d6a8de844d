//! The requests of a client in the hall. Those in a lobby are [`LobbyRequest`](crate::lobby::LobbyRequest).
//!
//! The order of variants and fields is the protocol's: enums grow at the end only.

use serde::{Deserialize, Serialize};

use super::limits::{MAX_NAME_BYTES, MAX_TICKETS};
use super::played::{GameName, GamesWish};
use super::secret::{Secret, Ticket, TokenHash};
use crate::game::any::MAX_VARIANT_TEXT;
use crate::lobby::{ClockRule, Code, Hints, Level, List, Origin, Text, WhenAway};

/// A request of a client in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HallRequest {
    /// To get the list of lobbies and each change of it, until a lobby is entered.
    Look,
    /// To open a lobby and sit down in it.
    Create(NewLobby),
    /// To sit down in the lobby with this code.
    Join {
        /// The code, as it was typed.
        code: Text<{ Code::MAX_TEXT }>,
        /// The lobby's password, if it has one.
        password: Option<Secret>,
        /// The hash of the ticket that the client made for its seat.
        seat: TokenHash,
    },
    /// To sit down in an open lobby of the same variant, else to open this one.
    Quick(NewLobby),
    /// To return to the client's seat.
    Return {
        /// The lobby's code.
        code: Text<{ Code::MAX_TEXT }>,
        /// The ticket whose hash the client sent when it asked for the seat.
        ticket: Ticket,
        /// The number of the last event that the client knows; 0 if it knows nothing.
        seen: u32,
    },
    /// To watch in the lobby with this code.
    Watch {
        /// The code, as it was typed.
        code: Text<{ Code::MAX_TEXT }>,
        /// The lobby's password, if it has one.
        password: Option<Secret>,
    },
    /// To list games that have records.
    Games(GamesWish),
    /// To get a part of the record of a game.
    Record {
        /// Which game.
        name: GameName,
        /// Tickets of seats that the client has or had: one of them opens the record of a private game.
        tickets: List<Ticket, MAX_TICKETS>,
        /// Which part, from 0.
        part: u32,
    },
    /// To open a lobby for two people at one keyboard, who have one seat's ticket, and one connection. A server
    /// inside the client's program grants it.
    CreateForTwo {
        /// The lobby. Neither a bot nor anybody else can sit down.
        lobby: NewLobby,
        /// The second person's name.
        guest: Text<MAX_NAME_BYTES>,
    },
}

/// A lobby that somebody wants to open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewLobby {
    /// What is played, as text.
    pub variant: Text<MAX_VARIANT_TEXT>,
    /// Who makes the first move.
    pub starts: Starts,
    /// Whether a bot may take the other seat.
    pub bot: BotWish,
    /// Who may ask for the best move.
    pub hints: Hints,
    /// How strong the bot plays, if it comes.
    pub level: Level,
    /// What happens when somebody is away.
    pub away: AwayWish,
    /// How much time players have.
    pub clock: ClockRule,
    /// The number of games of a match; 0 for no match.
    pub best_of: u8,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether the lobby is in the list, or found by its code alone.
    pub listed: bool,
    /// What others need to join or watch.
    pub password: Option<Secret>,
    /// Where games come from, if they are not to begin as the variant does.
    pub origin: Option<Origin>,
    /// The hash of the ticket that the client made for its seat.
    pub seat: TokenHash,
}

/// What is to happen when somebody is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwayWish {
    /// What happens on the turn of a player who is away.
    pub then: WhenAway,
    /// How strong a stand-in plays; `None` for the server's choice: as strong as the bot if both players may ask
    /// for hints, otherwise as weak as possible.
    pub level: Option<Level>,
    /// Milliseconds after the connection closed.
    pub after: u32,
}

/// Who makes the first move of the first game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Starts {
    /// As the variant says.
    #[value(skip)]
    Variant,
    /// The opener of the lobby.
    #[value(help = "You")]
    Me,
    /// The other one.
    Them,
}

/// Whether the bot may take the other seat of a new lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BotWish {
    /// When nobody came within the server's time.
    WhenNobodyComes,
    /// At once.
    AtOnce,
    /// Never, and no program may join: the lobby waits for a person.
    PeopleOnly,
    /// Bots take both seats at once, and the opener watches.
    Both,
}
