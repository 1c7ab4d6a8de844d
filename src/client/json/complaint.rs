//! What is wrong with an object that is no request, and what would be right: in our own words, field by field.
//!
//! It is asked only about lines that [`Request`](super::Request) has refused, so it may be slow.

use serde::Serialize;
use serde_json::{Map, Value};

use super::vocabulary::{BotWish, Deed, Hints, Level, Offer, Starts, WhenAway};
use crate::game::notation::{alternatives, shown};

/// A field of a request.
struct Field {
    name: &'static str,
    needed: bool,
    is: Kind,
}

/// What stands in a field.
enum Kind {
    Text { such_as: &'static str },
    Number { most: u32 },
    Flag,
    Word(Vec<String>),
}

impl Field {
    fn of(deed: Deed) -> Vec<Self> {
        let text = |name, such_as| Self { name, needed: true, is: Kind::Text { such_as } };
        let maybe = |name, is| Self { name, needed: false, is };
        let password = || maybe("password", Kind::Text { such_as: "open sesame" });
        let number = || Kind::Number { most: u32::MAX };
        let word = |name, words| Self { name, needed: false, is: Kind::Word(words) };
        match deed {
            Deed::New | Deed::Quick => vec![
                text("variant", "java-tech:21"),
                word("starts", words(Starts::ALL)),
                word("bot", words(BotWish::ALL)),
                word("hints", words(Hints::ALL)),
                word("level", words(Level::ALL)),
                word("when_away", words(WhenAway::ALL)),
                maybe("away_after", number()),
                maybe("clock", Kind::Text { such_as: "5m+3s" }),
                maybe("best_of", Kind::Number { most: u8::MAX.into() }),
                maybe("watched", Kind::Flag),
                maybe("listed", Kind::Flag),
                password(),
            ],
            Deed::Join | Deed::Watch => vec![text("code", "brave-otter"), password()],
            Deed::Offer => vec![Self { name: "offer", needed: true, is: Kind::Word(words(Offer::ALL)) }],
            Deed::Answer => vec![
                Self { name: "offer", needed: true, is: Kind::Word(words(Offer::ALL)) },
                maybe("turn", number()),
                Self { name: "accept", needed: true, is: Kind::Flag },
            ],
            Deed::Say => vec![text("words", "good luck")],
            Deed::Mute => vec![text("name", "anna"), maybe("muted", Kind::Flag)],
            Deed::Review => vec![Self { name: "number", needed: true, is: number() }],
            Deed::Play => {
                vec![text("move", "take 3"), maybe("turn", number())]
            }
            Deed::Look
            | Deed::Resign
            | Deed::Hint
            | Deed::Again
            | Deed::Wait
            | Deed::WaitNoMore
            | Deed::Claim
            | Deed::Resume
            | Deed::Why
            | Deed::Terms
            | Deed::Leave
            | Deed::Quit => Vec::new(),
        }
    }

    fn fits(&self, value: &Value) -> bool {
        match (&self.is, value) {
            (_, Value::Null) => !self.needed,
            (Kind::Text { .. }, value) => value.is_string(),
            (Kind::Number { most }, value) => value.as_u64().is_some_and(|number| number <= u64::from(*most)),
            (Kind::Flag, value) => value.is_boolean(),
            (Kind::Word(words), Value::String(word)) => words.contains(word),
            (Kind::Word(_), _) => false,
        }
    }

    /// What would be right.
    fn wanted(&self) -> String {
        match &self.is {
            Kind::Text { such_as } => format!("`{}` is a text, such as \"{such_as}\"", self.name),
            Kind::Number { most } => format!("`{}` is a whole number from 0 to {most}", self.name),
            Kind::Flag => format!("`{}` is true or false", self.name),
            Kind::Word(words) => format!("`{}` is {}", self.name, alternatives(words)),
        }
    }
}

/// What is wrong with this line, which is JSON and no request.
pub(super) fn about(line: &str) -> String {
    let complaint = match serde_json::from_str(line) {
        Ok(Value::Object(object)) => about_object(&object),
        _ => "it is no object".into(),
    };
    format!("this is none of the requests in proto/JSON.md: {complaint}")
}

fn about_object(object: &Map<String, Value>) -> String {
    let deeds = || alternatives(&words(Deed::ALL));
    let word = match object.get("do") {
        Some(Value::String(word)) => word,
        Some(_) => return format!("`do` is a text: {}", deeds()),
        None => return format!("`do` is missing; it is {}", deeds()),
    };
    if let Some(&deed) = Deed::ALL.iter().find(|&&deed| written(deed) == *word) {
        return about_fields(word, &Field::of(deed), object);
    }
    let hint = meant(word).map_or_else(String::new, |object| format!("; perhaps {object} is meant"));
    format!("`do` is not {:?}, but {}{hint}", shown(word), deeds())
}

/// What is perhaps meant by whoever says what a person would type, or what other protocols say.
fn meant(word: &str) -> Option<&'static str> {
    Some(match word {
        "move" | "take" => r#"{"do":"play","move":"take 3"}"#,
        "draw" => r#"{"do":"offer","offer":"draw"}"#,
        "takeback" => r#"{"do":"offer","offer":"takeback"}"#,
        "pause" => r#"{"do":"offer","offer":"pause"}"#,
        "accept" | "yes" => r#"{"do":"answer","offer":"draw","accept":true}"#,
        "decline" | "no" => r#"{"do":"answer","offer":"draw","accept":false}"#,
        "wait no more" => r#"{"do":"wait_no_more"}"#,
        "unmute" => r#"{"do":"mute","name":"anna","muted":false}"#,
        "list" => r#"{"do":"look"}"#,
        "chat" => r#"{"do":"say","words":"good luck"}"#,
        "exit" => r#"{"do":"quit"}"#,
        _ => return None,
    })
}

fn about_fields(deed: &str, fields: &[Field], object: &Map<String, Value>) -> String {
    let stranger = |name: &&String| *name != "do" && fields.iter().all(|field| field.name != *name);
    if let Some(name) = object.keys().find(stranger) {
        let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
        let known = if names.is_empty() { "no fields".into() } else { names.join(", ") };
        return format!("{deed} has no field {:?}, it has {known}", shown(name));
    }
    if let Some(field) = fields.iter().find(|field| field.needed && !object.contains_key(field.name)) {
        return format!("`{}` is missing; {}", field.name, field.wanted());
    }
    let wrong = fields.iter().find(|field| object.get(field.name).is_some_and(|value| !field.fits(value)));
    wrong.map_or_else(|| "a field is there twice".into(), Field::wanted)
}

/// A word as it is written in the objects.
fn written(word: impl Serialize) -> String {
    match serde_json::to_value(word) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

fn words<T: Serialize + Copy>(all: &[T]) -> Vec<String> {
    all.iter().copied().map(written).collect()
}
