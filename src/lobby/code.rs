//! The code of a lobby: two words that can be said across a room (`brave-otter`), followed by
//! a number once all pairs of words are taken.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::game::notation::{number, shown};

/// The code by which a lobby is found on its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code {
    adjective: u8,
    animal: u8,
    /// From 1, which is not written.
    number: u8,
}

/// The error for a text that is no lobby's code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCode {
    /// It is not two words, and perhaps a number.
    #[error("a lobby's code is two words, as in brave-otter")]
    Form,
    /// No code has this as its first word.
    #[error("a lobby's code is two words, as in brave-otter, and no code has {0} as its first word")]
    First(String),
    /// No code has this as its second word.
    #[error("a lobby's code is two words, as in brave-otter, and no code has {0} as its second word")]
    Second(String),
}

impl Code {
    /// The most bytes of a code's text.
    pub const MAX_TEXT: usize = 32;

    /// Makes a code of random bits: the words from `bits`, followed by the number unless it is 0 or 1.
    #[must_use]
    pub fn from_bits(bits: u16, number: u8) -> Self {
        let [adjective, animal] = bits.to_be_bytes();
        Self { adjective: adjective % WORDS, animal: animal % WORDS, number: number.max(1) }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [ADJECTIVES[usize::from(self.adjective)], ANIMALS[usize::from(self.animal)]];
        match self.number {
            1 => f.pad(&words.join("-")),
            number => f.pad(&format!("{}-{number}", words.join("-"))),
        }
    }
}

impl FromStr for Code {
    type Err = BadCode;

    /// Reads a code as people type it; capitals do not matter, and blanks may replace the hyphens.
    fn from_str(text: &str) -> Result<Self, BadCode> {
        if text.len() > Self::MAX_TEXT {
            return Err(BadCode::Form);
        }
        let text = text.to_lowercase();
        let parts: Vec<&str> =
            text.split(|c: char| c == '-' || c.is_whitespace()).filter(|p| !p.is_empty()).collect();
        let (adjective, animal, number) = match parts.as_slice() {
            [adjective, animal] => (adjective, animal, 1),
            [adjective, animal, digits] => {
                let number = number(digits, 2, u64::from(u8::MAX)).ok_or(BadCode::Form)?;
                (adjective, animal, u8::try_from(number).map_err(|_| BadCode::Form)?)
            }
            _ => return Err(BadCode::Form),
        };
        let adjective = place(&ADJECTIVES, adjective).ok_or_else(|| BadCode::First(shown(adjective)))?;
        let animal = place(&ANIMALS, animal).ok_or_else(|| BadCode::Second(shown(animal)))?;
        Ok(Self { adjective, animal, number })
    }
}

fn place(words: &[&str], word: &str) -> Option<u8> {
    words.iter().position(|w| *w == word).and_then(|place| u8::try_from(place).ok())
}

impl TryFrom<String> for Code {
    type Error = BadCode;

    fn try_from(text: String) -> Result<Self, BadCode> {
        text.parse()
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.to_string()
    }
}

/// The number of words for each place.
const WORDS: u8 = 64;

// Short, inoffensive words that sound different; no list has a word twice.
const ADJECTIVES: [&str; WORDS as usize] = [
    "amber", "bold", "brave", "bright", "brisk", "calm", "cheery", "clever", "cosy", "crisp", "curly",
    "daring", "dapper", "eager", "early", "fancy", "fluffy", "fond", "free", "gentle", "giant", "glad",
    "golden", "grand", "green", "happy", "hasty", "humble", "icy", "jolly", "keen", "kind", "lively",
    "loyal", "lucky", "mellow", "merry", "mighty", "misty", "modest", "noble", "orange", "patient", "polite",
    "proud", "purple", "quick", "quiet", "rapid", "royal", "rosy", "rusty", "silver", "sleepy", "smart",
    "solid", "sunny", "swift", "tidy", "tiny", "vivid", "warm", "witty", "young",
];
const ANIMALS: [&str; WORDS as usize] = [
    "badger", "bear", "beaver", "bison", "camel", "carp", "cobra", "condor", "coyote", "crane", "cricket",
    "dingo", "dolphin", "donkey", "dragon", "eagle", "falcon", "ferret", "finch", "gecko", "gibbon",
    "giraffe", "goose", "hamster", "heron", "hippo", "ibex", "jackal", "jaguar", "koala", "lemur", "leopard",
    "lizard", "llama", "lobster", "magpie", "mammoth", "marmot", "mole", "monkey", "moose", "newt",
    "octopus", "osprey", "otter", "panda", "parrot", "pelican", "penguin", "pigeon", "puffin", "rabbit",
    "raven", "salmon", "seal", "sparrow", "squid", "tiger", "toucan", "turtle", "walrus", "weasel", "wombat",
    "zebra",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back_and_none_is_twice() {
        let bits = (0..64).flat_map(|a| (0..64).map(move |b| u16::from_be_bytes([a, b])));
        let all: std::collections::HashSet<String> = bits
            .flat_map(|bits| [0, 2, 255].map(|number| Code::from_bits(bits, number).to_string()))
            .collect();
        assert_eq!(all.len(), 3 * 64 * 64);
        for text in all {
            assert_eq!(text.parse::<Code>().unwrap().to_string(), text);
            assert!(text.len() <= Code::MAX_TEXT);
        }
    }

    #[test]
    fn a_code_may_be_typed_as_it_was_heard() {
        for text in ["Brave Otter", " brave-otter ", "BRAVE-OTTER"] {
            assert_eq!(text.parse::<Code>().unwrap().to_string(), "brave-otter");
        }
        let far = format!("brave{}otter", " ".repeat(22));
        assert_eq!((far.len(), far.parse::<Code>()), (Code::MAX_TEXT, "brave-otter".parse()));
        assert_eq!("brave otter 17".parse::<Code>().unwrap().to_string(), "brave-otter-17");
    }

    #[test]
    fn other_texts_are_no_codes() {
        for text in [
            "",
            &format!("brave{}otter", " ".repeat(23)),
            "brave",
            "otter-brave",
            "brave-otter-1",
            "brave-otter-256",
            "brave-otter-x",
            "a-b-c-d",
            &"x".repeat(9999),
        ] {
            assert!(text.parse::<Code>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_word_that_no_code_has_is_named() {
        let first = "otter-brave".parse::<Code>();
        assert_eq!(first, Err(BadCode::First("otter".into())));
        assert_eq!("patient-x".parse::<Code>(), Err(BadCode::Second("x".into())));
        assert_eq!("patient".parse::<Code>(), Err(BadCode::Form));
    }
}
