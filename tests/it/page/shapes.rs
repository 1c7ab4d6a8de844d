//! The shapes of the code's types, as the types themselves report them: the names of an enum's variants or
//! of a struct's fields, in order.

use std::collections::BTreeMap;
use std::fmt;

use nim::game::any::Move;
use nim::game::{Outcome, Side};
use nim::{lobby, wire};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Every type of the protocol, with its name on the page.
pub(super) fn all() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("ToServer", shape::<wire::ToServer>()),
        ("Greeting", shape::<wire::Greeting>()),
        ("ClientKind", shape::<wire::ClientKind>()),
        ("HallRequest", shape::<wire::HallRequest>()),
        ("NewLobby", shape::<wire::NewLobby>()),
        ("AwayWish", shape::<wire::AwayWish>()),
        ("GamesWish", shape::<wire::GamesWish>()),
        ("GameName", shape::<wire::GameName>()),
        ("PlayedGame", shape::<wire::PlayedGame>()),
        ("PlayedBy", shape::<lobby::PlayedBy>()),
        ("WhenAway", shape::<lobby::WhenAway>()),
        ("Starts", shape::<wire::Starts>()),
        ("BotWish", shape::<wire::BotWish>()),
        ("Hints", shape::<lobby::Hints>()),
        ("Level", shape::<lobby::Level>()),
        ("ClockRule", shape::<lobby::ClockRule>()),
        ("LobbyRequest", shape::<wire::LobbyRequest>()),
        ("Offer", shape::<lobby::Offer>()),
        ("ToClient", shape::<wire::ToClient>()),
        ("HallEvent", shape::<wire::HallEvent>()),
        ("Listing", shape::<wire::Listing>()),
        ("Sitter", shape::<wire::Sitter>()),
        ("Presence", shape::<wire::Presence>()),
        ("LobbyState", shape::<wire::LobbyState>()),
        ("Snapshot", shape::<lobby::Snapshot>()),
        ("Conditions", shape::<lobby::Conditions>()),
        ("Origin", shape::<lobby::Origin>()),
        ("BotRule", shape::<lobby::BotRule>()),
        ("AwayRule", shape::<lobby::AwayRule>()),
        ("Past", shape::<lobby::PastMove>()),
        ("Clocks", shape::<lobby::Clocks>()),
        ("Offers", shape::<lobby::Offers>()),
        ("OpenOffer", shape::<lobby::OpenOffer>()),
        ("MatchScore", shape::<lobby::MatchScore>()),
        ("Attendance", shape::<lobby::Attendance>()),
        ("Absence", shape::<lobby::Absence>()),
        ("Loss", shape::<lobby::ConnectionLoss>()),
        ("Hand", shape::<lobby::Hand>()),
        ("Player", shape::<lobby::Player>()),
        ("Kind", shape::<lobby::Kind>()),
        ("Side", shape::<Side>()),
        ("Phase", shape::<lobby::Phase>()),
        ("Event", shape::<lobby::Event>()),
        ("Notice", shape::<lobby::Notice>()),
        ("GameResult", shape::<lobby::GameResult>()),
        ("Outcome", shape::<Outcome>()),
        ("Cause", shape::<lobby::Cause>()),
        ("Departure", shape::<lobby::Departure>()),
        ("ChatLine", shape::<wire::ChatLine>()),
        ("ChatRoom", shape::<wire::ChatRoom>()),
        ("Review", shape::<wire::Review>()),
        ("PositionValue", shape::<wire::PositionValue>()),
        ("Refusal", shape::<wire::Refusal>()),
        ("Misplaced", shape::<wire::Misplaced>()),
        ("HallRefusal", shape::<wire::HallRefusal>()),
        ("LobbyRefusal", shape::<lobby::Refusal>()),
        ("ChatRefusal", shape::<wire::ChatRefusal>()),
        ("HelloRefusal", shape::<wire::HelloRefusal>()),
        ("NameFault", shape::<lobby::NameFault>()),
        ("Farewell", shape::<wire::Farewell>()),
        ("Move", shape::<Move>()),
    ])
}

fn shape<T: Deserialize<'static> + fmt::Debug>() -> Vec<&'static str> {
    T::deserialize(Probe).expect_err("the probe has no value to give").0.to_vec()
}

/// A deserializer without values, whose error contains the requested shape.
struct Probe;

#[derive(Debug)]
struct Asked(&'static [&'static str]);

impl<'de> Deserializer<'de> for Probe {
    type Error = Asked;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Asked> {
        Err(Asked(&[]))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(variants))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl serde::de::Error for Asked {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl std::error::Error for Asked {}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
