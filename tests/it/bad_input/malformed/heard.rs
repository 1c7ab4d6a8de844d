//! What the server said, in a few words each: the names of `proto/PROTOCOL.md`, and behind a colon the
//! sentence, if there is one.

use std::fmt::{Debug, Display};

use nim::wire::{Refusal, ToClient};

use crate::harness::Wire;

/// One thing that was heard.
#[derive(Debug)]
pub(super) struct Heard {
    what: String,
    sentence: String,
}

impl Heard {
    fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), sentence: String::new() }
    }

    /// A reason with its sentence.
    fn why(what: &str, reason: &(impl Debug + Display)) -> Self {
        Self { what: format!("{what} {}", name(reason)), sentence: reason.to_string() }
    }

    /// What a message is; nothing if it is a ping.
    fn in_short(message: &ToClient) -> Option<Self> {
        Some(match message {
            ToClient::Ping(_) => return None,
            ToClient::Welcome { name, .. } => Self::of(format!("Welcome {name}")),
            ToClient::Unwelcome(refusal) => Self::why("Unwelcome", refusal),
            ToClient::Goodbye(word) => Self::why("Goodbye", word),
            ToClient::Refused { id, refusal, .. } => refused(*id, refusal),
            ToClient::Lobby { event, .. } => Self::of(format!("Lobby {}", name(event))),
            ToClient::Pong(number) => Self::of(format!("Pong {number}")),
            message => Self::of(name(message)),
        })
    }

    /// Whether it is what was expected: the same name, and a sentence with those words in it.
    fn is(&self, expected: &str) -> bool {
        let (what, words) = expected.split_once(": ").unwrap_or((expected, ""));
        self.what == what && self.sentence.contains(words)
    }
}

fn refused(id: u32, refusal: &Refusal) -> Heard {
    let what = format!("Refused {id}");
    match refusal {
        Refusal::Misplaced(why) => Heard::why(&what, why),
        Refusal::Hall(why) => Heard::why(&what, why),
        Refusal::Lobby(why) => Heard::why(&what, why),
        Refusal::Chat(why) => Heard::why(&what, why),
        why => Heard::why(&what, why),
    }
}

/// The name of an enum's variant.
fn name(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// Whether this is what was to be heard, and nothing else.
pub(super) fn is(heard: &[Heard], expected: &[String]) -> bool {
    heard.len() == expected.len() && heard.iter().zip(expected).all(|(heard, expected)| heard.is(expected))
}

/// All that is heard until the connection is closed, or this ping is answered.
pub(super) async fn until(wire: &mut Wire, last_ping: u32, is_http: bool) -> Vec<Heard> {
    if is_http {
        let answer = String::from_utf8(wire.rest().await).unwrap();
        let head = answer.split(' ').take(2).collect::<Vec<_>>();
        return vec![Heard::of(head.join(" ").replace("/1.1", "")), Heard::of("closed")];
    }
    let mut heard = Vec::new();
    loop {
        match wire.try_read().await {
            Ok(Some(ToClient::Pong(number))) if number == last_ping => return heard,
            Ok(Some(message)) => heard.extend(Heard::in_short(&message)),
            Ok(None) => break,
            Err(error) => {
                heard.push(Heard::of(format!("{:?}", error.kind())));
                return heard;
            }
        }
    }
    heard.push(Heard::of("closed"));
    heard
}
