//! The messages, nested by the place where they are legal: the hello, the hall, a lobby.
//!
//! The order of variants and fields is the protocol's: enums grow at the end only.

use serde::{Deserialize, Serialize};

use super::limits::{MAX_LISTED, MAX_NAME_BYTES, MAX_SENTENCE, MAX_SERVER_TEXT};
use super::list::List;
use super::refusal::{Farewell, Fixed16, HelloRefusal, Refusal};
use super::ticket::Ticket;
use crate::game::any::{MAX_VARIANT_TEXT, Move};
use crate::game::{BySide, Side};
use crate::lobby::{Code, Event, Hints, Kind, Level, Moment, Name, Snapshot, Text, WhenAway};

/// From a client to the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToServer {
    /// The first message, and only that.
    Hello(Greeting),
    /// In the hall.
    Hall {
        /// The client's own number for the request; a refusal repeats it.
        id: u32,
        /// What is asked.
        request: HallRequest,
    },
    /// In a lobby.
    Lobby {
        /// The client's own number for the request; a refusal repeats it.
        id: u32,
        /// What is asked.
        request: LobbyRequest,
    },
    /// Anywhere after the welcome: asks for a pong with the same number.
    Ping(u32),
    /// The answer to a ping.
    Pong(u32),
}

/// What a client says first. The bytes up to and including the version never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The letters `nim`.
    pub magic: Magic,
    /// The version of the protocol that the client speaks.
    pub version: Fixed16,
    /// What the client would like to be called.
    pub name: Text<MAX_NAME_BYTES>,
}

/// The three letters by which a client of this protocol is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[u8; 3]", into = "[u8; 3]")]
pub struct Magic;

impl Magic {
    /// The letters.
    pub const BYTES: &[u8; 3] = b"nim";
}

impl TryFrom<[u8; 3]> for Magic {
    type Error = &'static str;

    fn try_from(bytes: [u8; 3]) -> Result<Self, Self::Error> {
        if bytes == *Self::BYTES { Ok(Self) } else { Err("not the letters nim") }
    }
}

impl From<Magic> for [u8; 3] {
    fn from(_: Magic) -> Self {
        *Magic::BYTES
    }
}

/// What may be asked in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HallRequest {
    /// To be told of all lobbies, now and whenever one changes, until a lobby is entered.
    Look,
    /// To open a lobby and sit down in it.
    Create(NewLobby),
    /// To sit down in the lobby with this code.
    Join {
        /// The code, as it was typed.
        code: Text<{ Code::MAX_TEXT }>,
    },
    /// To sit down in the oldest open lobby of the same variant, else to open this one.
    Quick(NewLobby),
    /// To be back in one's seat.
    Return {
        /// The lobby's code.
        code: Text<{ Code::MAX_TEXT }>,
        /// The newest ticket that was given for the seat.
        ticket: Ticket,
        /// The number of the last event that the client knows; 0 if it knows nothing.
        seen: u32,
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
    /// How strong the bot plays, if it comes or stands in.
    pub level: Level,
    /// What happens when somebody is away.
    pub away: AwayWish,
}

/// What is to happen when somebody is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwayWish {
    /// What happens on the turn of whoever is away.
    pub then: WhenAway,
    /// So many milliseconds after the connection closed.
    pub after: u32,
}

/// Who makes the first move of the first game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Starts {
    /// Whoever the variant says.
    Variant,
    /// Whoever opens the lobby.
    Me,
    /// The other one.
    Them,
}

/// Whether the bot may take the other seat of a new lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BotWish {
    /// When nobody came within the server's time.
    WhenNobodyComes,
    /// At once.
    AtOnce,
    /// Never: the lobby waits for a person.
    PeopleOnly,
}

/// What may be asked in a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LobbyRequest {
    /// To make a move.
    Play {
        /// The turn that the move answers.
        turn: u32,
        /// The move.
        mv: Move,
    },
    /// To give the present game up.
    Resign,
    /// To play another game, with the sides swapped.
    Again,
    /// To be told the best move.
    Hint,
    /// To go back to the hall; a game that is going on is lost by it, and the ticket with it.
    Leave,
    /// To wait for the other one, who is away, whatever was agreed.
    Wait,
    /// To be given the game of which the other one's time to come back has run out.
    Claim,
}

/// From the server to a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToClient {
    /// The answer to a hello: the client is in the hall.
    Welcome {
        /// The version of the protocol that the server speaks, which is the client's.
        version: u16,
        /// What the client is called here.
        name: Name,
        /// The server's program and its version.
        server: Text<MAX_SERVER_TEXT>,
        /// After how many milliseconds of a client's silence the server sends a ping.
        ping_after: u32,
        /// After how many milliseconds of silence it takes a client to be gone.
        gone_after: u32,
    },
    /// The other answer to a hello; the connection is closed behind it.
    Unwelcome(HelloRefusal),
    /// A request was not granted, and nothing has changed.
    Refused {
        /// The client's number for the request.
        id: u32,
        /// The number of the lobby's next move; 0 in the hall.
        turn: u32,
        /// Why.
        refusal: Refusal,
    },
    /// News for whoever looks at the hall.
    Hall(HallEvent),
    /// The client has a seat in a lobby.
    Entered {
        /// The side on which it sits.
        you: Side,
        /// The lobby at this moment; later events build on it.
        lobby: Snapshot,
        /// This moment.
        now: Moment,
        /// What brings the client back to this seat. Any ticket of before is of no use any more.
        ticket: Ticket,
    },
    /// Something happened in the client's lobby.
    Lobby {
        /// The event's number: one more than the last.
        number: u32,
        /// When it happened.
        at: Moment,
        /// What happened.
        event: Event,
    },
    /// The client has left its lobby and is in the hall.
    Outside,
    /// The answer to a request for a hint.
    Hint {
        /// The turn for which it is given.
        turn: u32,
        /// A best move.
        mv: Move,
        /// Why it is one, as words to be put behind the move.
        words: Text<MAX_SENTENCE>,
    },
    /// Asks for a pong with the same number.
    Ping(u32),
    /// The answer to a ping.
    Pong(u32),
    /// The server ends the connection.
    Goodbye(Farewell),
    /// The client is back in its seat, and knows the lobby: what it had missed was told before this.
    Returned {
        /// This moment.
        now: Moment,
        /// What brings the client back the next time. Any ticket of before is of no use any more.
        ticket: Ticket,
    },
}

/// What happens in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HallEvent {
    /// These lobbies are new or have changed, and those are gone.
    Lobbies {
        /// New or changed.
        listed: List<Listing, MAX_LISTED>,
        /// Gone.
        gone: List<Code, MAX_LISTED>,
        /// Whether this completes the picture: `false` while more messages of the same moment follow.
        complete: bool,
    },
}

/// One lobby as it is shown in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Its code.
    pub code: Code,
    /// What is played, as text.
    pub variant: Text<MAX_VARIANT_TEXT>,
    /// Who sits where.
    pub seats: BySide<Option<Sitter>>,
    /// What it is doing.
    pub state: LobbyState,
    /// How strong a bot plays there, if one comes.
    pub level: Level,
}

/// Who sits in a listed lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitter {
    /// What they are called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
    /// Whether they are there.
    pub presence: Presence,
}

/// Whether somebody is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// They are.
    Here,
    /// They are away, and the seat is theirs.
    Away,
    /// They are away, and the house's bot plays for them.
    StandIn,
}

/// What a listed lobby is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LobbyState {
    /// A seat is open.
    Open,
    /// A game is going on.
    Playing,
    /// The game is over.
    Over,
}
