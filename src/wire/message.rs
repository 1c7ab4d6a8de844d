//! The messages, nested by the place where they are legal: the hello, the hall, a lobby.
//!
//! The order of variants and fields is the protocol's: enums grow at the end only.

use serde::{Deserialize, Serialize};

use super::codec::variant_index;
use super::limits::{
    MAX_CHAT, MAX_CHAT_LINES, MAX_GAMES, MAX_NAME_BYTES, MAX_PART, MAX_SENTENCE, MAX_SERVER_ADDRESS,
    MAX_SERVER_TEXT, MAX_SERVERS,
};
use super::listing::HallEvent;
use super::played::{GameName, PlayedGame};
use super::refusal::{Farewell, Fixed16, HelloRefusal, Refusal};
use super::request::HallRequest;
use crate::game::Side;
use crate::game::any::Move;
use crate::lobby::{Attendance, Event, Kind, List, LobbyRequest, Moment, Name, Notice, Snapshot, Text};

/// From a client to the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::EnumDiscriminants)]
#[strum_discriminants(name(ToServerKind), derive(strum::FromRepr), doc = "Which message of a client it is.")]
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

/// The first message of a client. The bytes up to and including the version never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The letters `nim`.
    pub magic: Magic,
    /// The version of the protocol that the client speaks.
    pub version: Fixed16,
    /// The name that the client asks for.
    pub name: Text<MAX_NAME_BYTES>,
    /// Whether a person or a program plays.
    pub kind: ClientKind,
}

/// Who plays over a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// A person, with any program between.
    #[default]
    Person,
    /// A program, which chooses its moves by itself.
    Program,
}

impl From<ClientKind> for Kind {
    fn from(kind: ClientKind) -> Self {
        match kind {
            ClientKind::Person => Self::Person,
            ClientKind::Program => Self::Program,
        }
    }
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

/// The version of the protocol that this program speaks.
pub const VERSION: u16 = 1;

/// The version in a connection's first body, whatever follows: `00`, the letters `nim`, and the version as
/// two bytes, the low one first. `None` if the body is not a hello.
pub fn hello_version(body: &[u8]) -> Option<u16> {
    match *body {
        [0, b'n', b'i', b'm', low, high, ..] => Some(u16::from_le_bytes([low, high])),
        _ => None,
    }
}

/// From the server to a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(ToClientKind),
    derive(strum::FromRepr),
    doc = "Which message of the server it is."
)]
pub enum ToClient {
    /// The answer to a hello: the client is in the hall.
    Welcome {
        /// The version of the protocol that the server speaks, which is the client's.
        version: u16,
        /// The client's name on this server.
        name: Name,
        /// The server's program and its version.
        server: Text<MAX_SERVER_TEXT>,
        /// After how many milliseconds of silence the one who hears nothing sends a ping.
        ping_after: u32,
        /// After how many milliseconds of silence the other is considered gone. One of several servers waits longer for a
        /// client than a client is to wait for it.
        gone_after: u32,
    },
    /// The other answer to a hello; the connection is then closed.
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
    /// A change of the list, for those who look at it.
    Hall(HallEvent),
    /// The client has a seat in a lobby.
    Entered {
        /// The side on which it sits.
        you: Side,
        /// The lobby at this moment; later events build on it.
        lobby: Snapshot,
        /// This moment.
        now: Moment,
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
        /// Why it is one, as words that follow the move.
        words: Text<MAX_SENTENCE>,
    },
    /// Asks for a pong with the same number.
    Ping(u32),
    /// The answer to a ping.
    Pong(u32),
    /// The server ends the connection.
    Goodbye(Farewell),
    /// The client is back in its seat, and up to date: the events that it missed were sent before this.
    Returned {
        /// Who is present.
        attendance: Attendance,
        /// This moment.
        now: Moment,
    },
    /// The client watches a lobby.
    Watching {
        /// The lobby at this moment; later events build on it.
        lobby: Snapshot,
        /// This moment.
        now: Moment,
    },
    /// Lines of chat in the client's room, the oldest first.
    Said(List<ChatLine, MAX_CHAT_LINES>),
    /// The evaluation of a move of the finished game.
    Reviewed(Review),
    /// The server's journal fails, so that it grants nothing and the lobby's time stands still; or it works
    /// again.
    Halted {
        /// Why it cannot; `None` if it can.
        why: Option<Text<MAX_SENTENCE>>,
        /// This moment.
        now: Moment,
    },
    /// Games of which there are records, the newest first.
    Games {
        /// The games.
        games: List<PlayedGame, MAX_GAMES>,
        /// The place before which the next page ends; `None` on the last page.
        rest: Option<u64>,
    },
    /// A part of the record of a game.
    Record {
        /// Which game.
        name: GameName,
        /// Which part, from 0.
        part: u32,
        /// Of how many.
        parts: u32,
        /// The text, from where the part before it ended.
        text: Text<MAX_PART>,
    },
    /// Who is present in the client's lobby has changed.
    Notice {
        /// When.
        at: Moment,
        /// How.
        notice: Notice,
    },
    /// The host says something to everybody.
    HostSaid {
        /// What.
        words: Text<MAX_CHAT>,
    },
    /// The addresses of all servers of the cluster, this one among them: a client that loses this one connects to the
    /// next. It comes after the welcome, and again when they change.
    Servers {
        /// Each as `HOST:PORT`.
        addresses: List<Text<MAX_SERVER_ADDRESS>, MAX_SERVERS>,
    },
    /// The server that had the client's lobby has it no more: the client is to return to its seat, or to watch again, over
    /// this connection. What it has sent without an answer is lost.
    LobbyMoved,
    /// The client's lobby is at another server of the cluster, to which this one passes everything on. The client may
    /// return to its seat over a connection to that server, which saves the detour.
    LobbyAt {
        /// Where clients reach that server, as `HOST:PORT`.
        address: Text<MAX_SERVER_ADDRESS>,
    },
}

impl ToServerKind {
    /// Which message this body holds, without decoding it; `None` if this release does not know it.
    pub fn of(body: &[u8]) -> Option<Self> {
        Self::from_repr(variant_index(body)?.into())
    }
}

impl ToClientKind {
    /// Which message this body holds, without decoding it; `None` if this release does not know it.
    pub fn of(body: &[u8]) -> Option<Self> {
        Self::from_repr(variant_index(body)?.into())
    }
}

/// Who receives a line of chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatRoom {
    /// The players.
    Players,
    /// Those who watch.
    Watchers,
}

/// A line of chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatLine {
    /// Its number in this lobby and room, from 1: one more than the last.
    pub number: u32,
    /// Who receives it.
    pub room: ChatRoom,
    /// Who sent it.
    pub name: Name,
    /// When.
    pub at: Moment,
    /// The line.
    pub words: Text<MAX_CHAT>,
}

/// The evaluation of a move, for the player who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The move's number in the game, from 1.
    pub number: u32,
    /// How many moves the game has.
    pub count: u32,
    /// The move.
    pub mv: Move,
    /// The value of the position before it.
    pub before: PositionValue,
    /// The value of the position after it.
    pub after: PositionValue,
    /// The same in a sentence, with a better move where there was one.
    pub words: Text<MAX_SENTENCE>,
}

/// The value of a position for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PositionValue {
    /// It was not found in time.
    Unknown,
    /// The player wins against every reply.
    Win {
        /// Within this many moves of both sides, if that is known.
        moves: Option<u32>,
    },
    /// The opponent wins.
    Loss {
        /// Within this many moves of both sides, if that is known.
        moves: Option<u32>,
    },
    /// Neither side wins.
    Draw,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{body_of, encode};

    #[test]
    fn the_kind_of_a_message_is_seen_without_decoding_it() {
        let to_server = [ToServer::Ping(7), ToServer::Lobby { id: 300, request: LobbyRequest::Leave }];
        for message in to_server {
            assert_eq!(ToServerKind::of(body_of(&encode(&message))), Some(ToServerKind::from(&message)));
        }
        let servers = ToClient::Servers { addresses: List::first_of([]) };
        for message in [ToClient::Outside, ToClient::Goodbye(Farewell::Moved), servers] {
            assert_eq!(ToClientKind::of(body_of(&encode(&message))), Some(ToClientKind::from(&message)));
        }
        for unknown in [&[][..], &[200], &[251, 1, 0]] {
            assert_eq!((ToServerKind::of(unknown), ToClientKind::of(unknown)), (None, None));
        }
    }
}
