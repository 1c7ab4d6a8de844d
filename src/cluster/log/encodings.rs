//! Tests: what each format can have, as bytes. Nodes of an earlier release read no more than that, so there is no entry, no
//! event, and nothing in them, that is in no format.
//!
//! Who adds a kind of any of them, or changes how one is written, makes a new format:
//! 1. Raise `Format::NEWEST`. Nodes then write the new format once all of them know it.
//! 2. Let nothing cause the new kind before [`Membership::format`](crate::cluster::node::Membership::format) is the new one,
//!    and let the old bytes be read for ever.
//! 3. Name it in [`since`] or what that calls, add samples of it below, and the bytes of these to a new file of
//!    `tests/data/formats`. The files of formats that were released stay as they are.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::entry::{read_entry, write_entry};
use crate::cluster::format::Format;
use crate::cluster::sample::{checkpoint, entry, opened, seated, started, unseated};
use crate::game::any::{Move, Variant};
use crate::game::{Game, Outcome, Side};
use crate::lobby::{
    AwayRule, BotRule, Cause, Checksum, ClockRule, Conditions, Departure, Event, GameResult, Hand, Hints,
    Kind, Level, Moment, Name, Offer, Origin, Player, PlayerId, Text, WhenAway,
};
use crate::server::storage::{Entry, LobbyMeta, Note};
use crate::wire::{ToClient, encode};

/// What each format can have that the one before could not: in each line a name and the bytes of an entry.
const KNOWN: [(Format, &str); 1] = [(Format::FIRST, include_str!("../../../tests/data/formats/1.txt"))];

/// The first format that can have this. If this does not compile, read the top of this file.
fn since(note: &Note) -> Format {
    match note {
        Note::Happened { event, .. } => since_event(event),
        Note::Opened(LobbyMeta { code: _, variant: _, conditions, password: _, opener: _ }) => {
            since_conditions(conditions)
        }
        Note::Seated(_) | Note::Unseated(PlayerId(_)) | Note::Checkpoint(_) => Format::FIRST,
    }
}

/// The same of conditions.
fn since_conditions(conditions: &Conditions) -> Format {
    let Conditions { opener: _, bot, hints, level, away, clock, .. } = conditions;
    let AwayRule { then: WhenAway::Wait | WhenAway::StandIn | WhenAway::Forfeit, .. } = away;
    match (bot, hints, level, clock) {
        (
            BotRule::Never | BotRule::After(_) | BotRule::Both | BotRule::PeopleOnly,
            Hints::Nobody | Hints::AgainstBots | Hints::All | Hints::Watchers,
            Level::Beginner | Level::Easy | Level::Fair | Level::Strong | Level::Perfect,
            ClockRule::None
            | ClockRule::Move(_)
            | ClockRule::Fischer { base: _, bonus: _ }
            | ClockRule::Delay { base: _, delay: _ },
        ) => Format::FIRST,
    }
}

/// The same of an event.
fn since_event(event: &Event) -> Format {
    match event {
        Event::Sat { side: _, player: Player { id: _, name: _, kind } } => match kind {
            Kind::Person | Kind::Bot | Kind::Guest | Kind::Program => Format::FIRST,
        },
        Event::Moved { turn: _, player: _, mv, hand: Hand::Own | Hand::StandIn } => match mv {
            Move::Nim(_)
            | Move::EvenOrOdd(_)
            | Move::TicTacToe(_)
            | Move::ConnectFour(_)
            | Move::PongHauKi(_)
            | Move::MuTorere(_) => Format::FIRST,
        },
        Event::Ended { result: GameResult { outcome: Outcome::Win(_) | Outcome::Draw, cause } } => {
            match cause {
                Cause::Rules
                | Cause::Resigned
                | Cause::Left
                | Cause::Repetition
                | Cause::Forfeited
                | Cause::Abandoned
                | Cause::Agreed
                | Cause::Time
                | Cause::MoveLimit => Format::FIRST,
            }
        }
        Event::Started { game: _, swap: _ }
        | Event::AgainWanted { side: _ }
        | Event::Left { side: _, how: Departure::Quit | Departure::Lost }
        | Event::Closed
        | Event::StoodIn { side: _ }
        | Event::PlaysAgain { side: _ }
        | Event::Offered { side: _, offer: Offer::Draw | Offer::Takeback | Offer::Pause }
        | Event::Declined { side: _ }
        | Event::TakenBack { moves: _ }
        | Event::Paused
        | Event::Resumed { side: _ }
        | Event::ClockStopped
        | Event::ClockStarted
        | Event::Restarted
        | Event::Placed { origin: Origin { record: _, moves: _, position: _ } } => Format::FIRST,
    }
}

/// Entries of every kind, each with a name.
fn samples() -> Vec<(String, Entry)> {
    let plain = [
        ("opened", opened(2)),
        ("opened with a password", opened(3)),
        ("seated", seated(2, 1, 7)),
        ("unseated", unseated(2, 1)),
        ("checkpoint", checkpoint(2, 1)),
        ("started with players", started(2, 1)),
    ];
    let plain = plain.into_iter().map(|(name, entry)| (name.to_owned(), entry));
    let openings = conditions().into_iter().map(|(name, conditions)| (name, opened_on(conditions)));
    let events = events().into_iter().map(|(name, event)| (name, happened(event)));
    plain.chain(openings).chain(events).collect()
}

fn opened_on(conditions: Conditions) -> Entry {
    match opened(2) {
        Entry { lobby, wall, note: Note::Opened(meta) } => {
            Entry { lobby, wall, note: Note::Opened(LobbyMeta { conditions, ..meta }) }
        }
        other => other,
    }
}

/// Conditions of every kind, each with a name.
fn conditions() -> Vec<(String, Conditions)> {
    let plain = Conditions::default();
    let away = |then| AwayRule { then, ..plain.away };
    let bots = [BotRule::Never, BotRule::After(60_000), BotRule::Both, BotRule::PeopleOnly];
    let hints = [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers];
    let levels = [Level::Beginner, Level::Easy, Level::Fair, Level::Strong, Level::Perfect];
    let rules = [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit];
    let (base, bonus, delay) = (300_000, 2_000, 3_000);
    let clocks =
        [ClockRule::Move(base), ClockRule::Fischer { base, bonus }, ClockRule::Delay { base, delay }];
    let bots = bots.map(|bot| (format!("{bot:?}"), Conditions { bot, ..plain }));
    let hints = hints.map(|hints| (format!("Hints {hints:?}"), Conditions { hints, ..plain }));
    let levels = levels.map(|level| (format!("{level:?}"), Conditions { level, ..plain }));
    let rules = rules.map(|then| (format!("{then:?}"), Conditions { away: away(then), ..plain }));
    let clocks = clocks.map(|clock| (format!("{clock:?}"), Conditions { clock, ..plain }));
    let all = bots.into_iter().chain(hints).chain(levels).chain(rules).chain(clocks);
    all.map(|(kind, conditions)| (format!("opened on {kind}"), conditions)).collect()
}

fn happened(event: Event) -> Entry {
    let (number, at) = (300, Moment(70_000));
    let frame = encode(&ToClient::Lobby { number, at, event: event.clone() });
    entry(2, Note::Happened { number, at, event, frame, players: None })
}

/// Events of every kind, each with a name.
fn events() -> Vec<(String, Event)> {
    let side = Side::Second;
    let mut events = Vec::new();
    let mut add = |words: &str, event: Event| {
        let kind: &str = (&event).into();
        events.push((format!("{kind} {words}").trim_end().to_owned(), event));
    };
    for kind in [Kind::Person, Kind::Bot, Kind::Guest, Kind::Program] {
        let player = Player { id: PlayerId(2), name: Name::clean("ben").unwrap(), kind };
        add(kind.into(), Event::Sat { side, player });
    }
    add("", Event::Started { game: 2, swap: true });
    for game in ["take:21:3", "even-or-odd", "tic-tac-toe", "connect-four", "pong-hau-ki", "mu-torere"] {
        let mv = game.parse::<Variant>().unwrap().start().position().moves().last().unwrap();
        for (words, hand) in [("", Hand::Own), (" by a stand-in", Hand::StandIn)] {
            add(&format!("{game}{words}"), Event::Moved { turn: 5, player: PlayerId(2), mv, hand });
        }
    }
    for (words, outcome) in [("win", Outcome::Win(side)), ("draw", Outcome::Draw)] {
        add(words, Event::Ended { result: GameResult { outcome, cause: Cause::Rules } });
    }
    for cause in [
        Cause::Resigned,
        Cause::Left,
        Cause::Repetition,
        Cause::Forfeited,
        Cause::Abandoned,
        Cause::Agreed,
        Cause::Time,
        Cause::MoveLimit,
    ] {
        add(cause.into(), Event::Ended { result: GameResult { outcome: Outcome::Draw, cause } });
    }
    add("", Event::AgainWanted { side });
    add("on purpose", Event::Left { side, how: Departure::Quit });
    add("by a loss", Event::Left { side, how: Departure::Lost });
    add("", Event::Closed);
    add("", Event::StoodIn { side });
    add("", Event::PlaysAgain { side });
    for (words, offer) in ["draw", "takeback", "pause"].into_iter().zip(Offer::ALL) {
        add(words, Event::Offered { side, offer });
    }
    add("", Event::Declined { side });
    add("", Event::TakenBack { moves: 2 });
    add("", Event::Paused);
    add("", Event::Resumed { side });
    add("", Event::ClockStopped);
    add("", Event::ClockStarted);
    add("", Event::Restarted);
    let origin = Origin { record: Checksum(0xdead_beef), moves: 3, position: Text::cut("7 first") };
    add("", Event::Placed { origin });
    events
}

#[test]
fn every_kind_of_entry_and_event_is_written_in_the_bytes_that_its_format_has() {
    for (format, known) in KNOWN {
        let mut known: BTreeMap<&str, &str> =
            known.lines().map(|line| line.rsplit_once(' ').expect("a name and bytes")).collect();
        for (name, entry) in samples().iter().filter(|(_, entry)| since(&entry.note) == format) {
            let mut bytes = Vec::new();
            write_entry(entry, &mut bytes);
            let (written, known) = (format!("{:02x}", Bytes::from(bytes.clone())), known.remove(&**name));
            assert_eq!(
                known,
                Some(&*written),
                "{name}: format {format} has other bytes for this, and nodes of earlier releases read no others; \
                 the top of this file says what to do"
            );
            let read = read_entry(&mut &bytes[..]).unwrap();
            assert_eq!(format!("{read:?}"), format!("{entry:?}"));
        }
        assert!(known.is_empty(), "format {format} has more, which has to be read for ever: {known:?}");
    }
}

#[test]
fn there_are_samples_of_every_kind_of_event_and_bytes_of_every_format_that_is_written() {
    let events = events();
    for kind in <Event as strum::VariantNames>::VARIANTS {
        assert!(events.iter().any(|(_, event)| <&str>::from(event) == *kind), "{kind}");
    }
    assert_eq!(KNOWN.last().map(|(format, _)| *format), Some(Format::WRITTEN.1));
}
