//! Entries for tests: lobbies in which something happens.

use bytes::Bytes;
use proptest::prelude::{Strategy, any, prop_oneof};

use crate::cluster::about::About;
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{Cause, Code, Conditions, Event, GameResult, Kind, Lobby, Moment, Name, Player, PlayerId};
use crate::server::storage::{Entry, LobbyId, LobbyMeta, Note, Owner, PasswordHash, WallTime};
use crate::wire::{ToClient, TokenHash, encode};

/// What a node says of itself.
pub(crate) fn about() -> About {
    About::new("127.0.0.1:1".parse().unwrap(), None, "attic")
}

/// The code of the lobby with this number.
pub(crate) fn code(lobby: u64) -> Code {
    Code::from_bits(u16::try_from(lobby % 4_096).unwrap(), 0)
}

/// What is recorded of a lobby.
pub(crate) fn entry(lobby: u64, note: Note) -> Entry {
    Entry { lobby: LobbyId(lobby), wall: WallTime(1_000 + lobby), note }
}

/// How a lobby was opened.
pub(crate) fn opened(lobby: u64) -> Entry {
    let password = (lobby % 2 == 1).then(|| PasswordHash::from_bytes(&[7; 48]));
    let (conditions, opener) = (Conditions::default(), [192, 168, 0, 7].into());
    let meta = LobbyMeta { code: code(lobby), variant: "tic-tac-toe".into(), conditions, password, opener };
    entry(lobby, Note::Opened(meta))
}

/// The frame of an event, which differs between the versions of its number.
pub(crate) fn frame(number: u32, version: u64) -> Bytes {
    encode(&ToClient::Lobby { number, at: Moment(version), event: Event::ClockStopped })
}

/// The event of this number, in one of the versions that it could have.
pub(crate) fn event(lobby: u64, number: u32, version: u64) -> Entry {
    let (at, event, frame) = (Moment(version), Event::ClockStopped, frame(number, version));
    entry(lobby, Note::Happened { number, at, event, frame, players: None })
}

/// The event of this number, with which a lobby is closed.
pub(crate) fn closing(lobby: u64, number: u32) -> Entry {
    let (at, event) = (Moment(9), Event::Closed);
    let frame = encode(&ToClient::Lobby { number, at, event: Event::Closed });
    entry(lobby, Note::Happened { number, at, event, frame, players: None })
}

/// The event of this number, with which a game starts.
pub(crate) fn started(lobby: u64, number: u32) -> Entry {
    let (at, event) = (Moment(9), Event::Started { game: 1, swap: false });
    let frame = encode(&ToClient::Lobby { number, at, event: event.clone() });
    let player =
        |id, name: &str| Player { id: PlayerId(id), name: Name::clean(name).unwrap(), kind: Kind::Person };
    let players =
        Some(Box::new(BySide { first: player(1, "anna"), second: player(2, "Бенджамин") }));
    entry(lobby, Note::Happened { number, at, event, frame, players })
}

/// The event of this number, with which a game ends.
pub(crate) fn ended(lobby: u64, number: u32) -> Entry {
    let result = GameResult { outcome: Outcome::Draw, cause: Cause::Rules };
    let (at, event) = (Moment(9), Event::Ended { result });
    let frame = encode(&ToClient::Lobby { number, at, event: event.clone() });
    entry(lobby, Note::Happened { number, at, event, frame, players: None })
}

/// A player holds a seat.
pub(crate) fn seated(lobby: u64, player: u32, ticket: u8) -> Entry {
    let (player, name) = (PlayerId(player), Name::clean("anna").unwrap());
    entry(lobby, Note::Seated(Owner { player, name, seat: TokenHash::of([ticket; 32]) }))
}

/// A player gave up the seat.
pub(crate) fn unseated(lobby: u64, player: u32) -> Entry {
    entry(lobby, Note::Unseated(PlayerId(player)))
}

/// A lobby's state after its first `events` events.
pub(crate) fn checkpoint(lobby: u64, events: u32) -> Entry {
    let mut state = Lobby::new(code(lobby), "tic-tac-toe".parse().unwrap(), Conditions::default());
    let player = Player { id: PlayerId(1), name: Name::clean("anna").unwrap(), kind: Kind::Person };
    state.apply(&Event::Sat { side: Side::First, player }, Moment(1)).unwrap();
    let mut checkpoint = state.checkpoint(Moment(u64::from(events)));
    checkpoint.snapshot.events = events;
    entry(lobby, Note::Checkpoint(Box::new(checkpoint)))
}

/// Any entry.
pub(crate) fn any_entry() -> impl Strategy<Value = Entry> {
    let lobby = any::<u64>;
    prop_oneof![
        lobby().prop_map(opened),
        (lobby(), any::<u32>(), any::<u64>()).prop_map(|(lobby, number, at)| event(lobby, number, at)),
        (lobby(), any::<u32>()).prop_map(|(lobby, number)| started(lobby, number)),
        (lobby(), any::<u32>(), any::<u8>())
            .prop_map(|(lobby, player, ticket)| seated(lobby, player, ticket)),
        (lobby(), any::<u32>()).prop_map(|(lobby, player)| unseated(lobby, player)),
        lobby().prop_map(|lobby| checkpoint(lobby, 1)),
    ]
}
