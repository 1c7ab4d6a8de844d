//! What is wrong with an object that is no request, and what would be right: in our own words, field by field.
//!
//! It is asked only about lines that [`Request`](super::Request) has refused, so it may be slow.

use serde::Serialize;
use serde_json::{Map, Value};

use super::vocabulary::{BotWish, Deed, Hints, Level, Starts, WhenAway};
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
    Number,
    Word(Vec<String>),
}

impl Field {
    fn of(deed: Deed) -> Vec<Self> {
        let text = |name, such_as| Self { name, needed: true, is: Kind::Text { such_as } };
        let word = |name, words| Self { name, needed: false, is: Kind::Word(words) };
        match deed {
            Deed::New | Deed::Quick => vec![
                text("variant", "java-tech:21"),
                word("starts", words(Starts::ALL)),
                word("bot", words(BotWish::ALL)),
                word("hints", words(Hints::ALL)),
                word("level", words(Level::ALL)),
                word("when_away", words(WhenAway::ALL)),
                Self { name: "away_after", needed: false, is: Kind::Number },
            ],
            Deed::Join => vec![text("code", "brave-otter")],
            Deed::Play => {
                vec![text("move", "take 3"), Self { name: "turn", needed: false, is: Kind::Number }]
            }
            Deed::Look
            | Deed::Resign
            | Deed::Hint
            | Deed::Again
            | Deed::Wait
            | Deed::Claim
            | Deed::Why
            | Deed::Leave
            | Deed::Quit => Vec::new(),
        }
    }

    fn fits(&self, value: &Value) -> bool {
        match (&self.is, value) {
            (_, Value::Null) => !self.needed,
            (Kind::Text { .. }, value) => value.is_string(),
            (Kind::Number, value) => value.as_u64().is_some_and(|turn| u32::try_from(turn).is_ok()),
            (Kind::Word(words), Value::String(word)) => words.contains(word),
            (Kind::Word(_), _) => false,
        }
    }

    /// What would be right.
    fn wanted(&self) -> String {
        match &self.is {
            Kind::Text { such_as } => format!("`{}` is a text, such as \"{such_as}\"", self.name),
            Kind::Number => format!("`{}` is a whole number from 0 to {}", self.name, u32::MAX),
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
    match Deed::ALL.iter().find(|&&deed| written(deed) == *word) {
        Some(&deed) => about_fields(word, &Field::of(deed), object),
        None => format!("`do` is not {:?}, but {}", shown(word), deeds()),
    }
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
