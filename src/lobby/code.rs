//! The code of a lobby: two words that can be said across a room (`brave-otter`), followed by a number once
//! all pairs of words are taken. Five characters follow where the code has to be hard to guess
//! (`brave-otter-k7m2x`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::alike::{did_you_mean, most_like};
use crate::game::notation::{number, shown};

/// The code by which a lobby is found on its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code {
    adjective: u8,
    animal: u8,
    suffix: Suffix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Suffix {
    None,
    /// From 2.
    Number(u8),
    /// The places of the characters in [`ALPHABET`].
    Secret([u8; SECRET_LEN]),
}

/// The characters of a secret suffix: Crockford's base 32, in which no two look alike.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many characters a secret suffix has: with the words, 2^37 codes.
const SECRET_LEN: usize = 5;

/// The error for a text that is no lobby's code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCode {
    /// It is not two words, and perhaps a number.
    #[error("a lobby's code is two words, as in brave-otter")]
    Form,
    /// No code has this as its first word.
    #[error("a lobby's code is two words, as in brave-otter, and no code has {word} as its first word{}", did_you_mean(*.meant))]
    First {
        /// The word.
        word: String,
        /// The word that may be meant.
        meant: Option<&'static str>,
    },
    /// No code has this as its second word.
    #[error("a lobby's code is two words, as in brave-otter, and no code has {word} as its second word{}", did_you_mean(*.meant))]
    Second {
        /// The word.
        word: String,
        /// The word that may be meant.
        meant: Option<&'static str>,
    },
    /// It ends with neither a number nor the characters of a private lobby's code.
    #[error(
        "no lobby's code ends with {0}: it is two words, as in brave-otter, or brave-otter-k7m2x if it is private"
    )]
    Suffix(String),
}

impl BadCode {
    /// A wrong word of a code, and the one that is meant.
    pub fn misspelt(&self) -> Option<(&str, &'static str)> {
        match self {
            Self::First { word, meant } | Self::Second { word, meant } => Some((word, (*meant)?)),
            Self::Form | Self::Suffix(_) => None,
        }
    }
}

impl Code {
    /// The most bytes of a code's text.
    pub const MAX_TEXT: usize = 32;

    /// Makes a code of random bits: the words from `bits`, followed by the number unless it is 0 or 1.
    #[must_use]
    pub fn from_bits(bits: u16, number: u8) -> Self {
        let suffix = if number < 2 { Suffix::None } else { Suffix::Number(number) };
        Self { suffix, ..Self::of_words(bits.to_be_bytes()) }
    }

    /// Makes a code that is hard to guess of random bytes: 37 of the bits count.
    #[must_use]
    pub fn private([adjective, animal, secret @ ..]: [u8; 2 + SECRET_LEN]) -> Self {
        let suffix = Suffix::Secret(secret.map(|byte| byte % 32));
        Self { suffix, ..Self::of_words([adjective, animal]) }
    }

    fn of_words([adjective, animal]: [u8; 2]) -> Self {
        Self { adjective: adjective % WORDS, animal: animal % WORDS, suffix: Suffix::None }
    }

    /// The code for a log, which lets nobody into a private lobby: its words, and `…` for its secret.
    pub fn redacted(self) -> String {
        match self.suffix {
            Suffix::Secret(_) => format!("{}-…", self.words()),
            _ => self.to_string(),
        }
    }

    fn words(self) -> String {
        [ADJECTIVES[usize::from(self.adjective)], ANIMALS[usize::from(self.animal)]].join("-")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words();
        match self.suffix {
            Suffix::None => f.pad(&words),
            Suffix::Number(number) => f.pad(&format!("{words}-{number}")),
            Suffix::Secret(secret) => f.pad(&format!("{words}-{}", write_secret(secret))),
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
        let (adjective, animal, suffix) = match parts.as_slice() {
            [adjective, animal] => (adjective, animal, Ok(Suffix::None)),
            [adjective, animal, suffix] => (adjective, animal, read_suffix(suffix)),
            _ => return Err(BadCode::Form),
        };
        let adjective = place(&ADJECTIVES, adjective).ok_or_else(|| BadCode::First {
            word: shown(adjective),
            meant: most_like(adjective, ADJECTIVES),
        })?;
        let animal = place(&ANIMALS, animal)
            .ok_or_else(|| BadCode::Second { word: shown(animal), meant: most_like(animal, ANIMALS) })?;
        Ok(Self { adjective, animal, suffix: suffix? })
    }
}

fn read_suffix(text: &str) -> Result<Suffix, BadCode> {
    let suffix = if text.len() == SECRET_LEN {
        read_secret(text).map(Suffix::Secret)
    } else {
        let number = number(text, 2, u64::from(u8::MAX));
        number.and_then(|number| u8::try_from(number).ok()).map(Suffix::Number)
    };
    suffix.ok_or_else(|| BadCode::Suffix(shown(text)))
}

/// Reads small letters. Those that the alphabet lacks are read as the digits that they look like.
fn read_secret(text: &str) -> Option<[u8; SECRET_LEN]> {
    let mut secret = [0; SECRET_LEN];
    for (digit, letter) in secret.iter_mut().zip(text.bytes()) {
        let letter = match letter {
            b'o' => b'0',
            b'i' | b'l' => b'1',
            letter => letter,
        };
        *digit = u8::try_from(ALPHABET.iter().position(|of| *of == letter)?).ok()?;
    }
    Some(secret)
}

fn write_secret(secret: [u8; SECRET_LEN]) -> String {
    secret.map(|digit| char::from(ALPHABET[usize::from(digit)])).iter().collect()
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
    fn a_private_code_has_two_words_and_five_characters() {
        let code = Code::private([0xff; 7]).to_string();
        assert_eq!(code, "young-zebra-zzzzz");
        let mut all = std::collections::HashSet::new();
        for bit in 0..56 {
            let code = Code::private((1_u64 << bit).to_be_bytes()[1..].try_into().unwrap());
            let text = code.to_string();
            assert_eq!(text.parse(), Ok(code));
            assert!(text.rsplit('-').next().unwrap().len() == 5 && text.len() <= Code::MAX_TEXT, "{text}");
            assert!(code.redacted().ends_with("-…") && !text.contains(&code.redacted()));
            all.insert(text);
        }
        // One for each of the 37 bits, and one for all others.
        assert_eq!(all.len(), 37 + 1);
        assert!(all.contains("amber-badger-00000"));
        assert_eq!("brave-otter-17".parse::<Code>().unwrap().redacted(), "brave-otter-17");
    }

    #[test]
    fn a_private_code_may_be_typed_as_it_was_heard() {
        for text in ["Brave Otter K7M1X", "brave-otter-k7mlx", " BRAVE  OTTER-k7mIx", "brave-otter-k7m1x"] {
            assert_eq!(text.parse::<Code>().unwrap().to_string(), "brave-otter-k7m1x");
        }
        let other: Code = "brave-otter-00017".parse().unwrap();
        assert_ne!(other, "brave-otter-17".parse().unwrap());
        assert_eq!("brave-otter-oOO17".parse(), Ok(other));
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
            "brave-otter-k7m2",
            "brave-otter-k7m2xx",
            "brave-otter-k7m2u",
            "brave-otter-k7m2é",
            "a-b-c-d",
            &"x".repeat(9999),
        ] {
            assert!(text.parse::<Code>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_word_that_no_code_has_is_named() {
        let first = "otter-brave".parse::<Code>();
        assert_eq!(first, Err(BadCode::First { word: "otter".into(), meant: None }));
        assert_eq!("patient-x".parse::<Code>(), Err(BadCode::Second { word: "x".into(), meant: None }));
        assert_eq!("patient".parse::<Code>(), Err(BadCode::Form));
        assert_eq!("brave-otter-x".parse::<Code>(), Err(BadCode::Suffix("x".into())));
    }
}
