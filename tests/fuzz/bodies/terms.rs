use std::fmt::{Debug, Display};
use std::str::FromStr;

use nim::client::Address;
use nim::lan::{HostName, Version};
use nim::lobby::{Checksum, ClockRule, Code, Level, Name, Text};
use nim::record::{Date, Span};
use nim::server::duration;
use nim::wire::{GameName, Secret};

/// Parses a small text as every type that it may be. A parsed value survives being written and parsed again.
pub fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    rewritten::<ClockRule>(text);
    rewritten::<Code>(text);
    rewritten::<Level>(text);
    rewritten::<Checksum>(text);
    rewritten::<Date>(text);
    rewritten::<Span>(text);
    rewritten::<GameName>(text);
    rewritten::<Address>(text);
    rewritten::<HostName>(text);
    rewritten::<Version>(text);
    let _ = (duration(text), Secret::of(text));
    check_name(text);
    let cut: Text<7> = Text::cut(text);
    assert!(text.starts_with(cut.as_str()) && cut.as_str().len() <= 7);
}

fn rewritten<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => {
            let written = value.to_string();
            match written.parse::<T>() {
                Ok(again) => assert_eq!(again, value, "{text:?}, written as {written:?}"),
                Err(error) => panic!("{text:?} is {value:?}, and {written:?} nothing: {error}"),
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn check_name(text: &str) {
    let Ok(name) = Name::clean(text) else { return };
    assert_eq!(Name::clean(name.as_str()).as_ref(), Ok(&name), "a clean name is clean");
    assert!(!name.as_str().chars().any(char::is_control), "{name:?}");
    for number in [2, 99, u32::MAX] {
        let numbered = name.numbered(number);
        assert_eq!(Name::clean(numbered.as_str()).as_ref(), Ok(&numbered));
    }
    let _ = (name.folded(), name.look());
}
