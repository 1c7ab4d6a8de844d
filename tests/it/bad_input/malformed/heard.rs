//! The server's messages in a few words each: a name from `proto/PROTOCOL.md`, and after a colon the
//! sentence, if there is one.

use std::fmt::{Debug, Display};

use nim::wire::{Refusal, ToClient};

use crate::harness::Wire;

/// One message, and its sentence.
pub(super) type Heard = (String, String);

fn of(what: impl Into<String>) -> Heard {
    (what.into(), String::new())
}

/// A refusal with its sentence.
fn why(what: &str, reason: &(impl Debug + Display)) -> Heard {
    (format!("{what} {}", name(reason)), reason.to_string())
}

/// A message in words; `None` for a ping.
fn in_short(message: &ToClient) -> Option<Heard> {
    Some(match message {
        ToClient::Ping(_) => return None,
        ToClient::Welcome { name, .. } => of(format!("Welcome {name}")),
        ToClient::Unwelcome(refusal) => why("Unwelcome", refusal),
        ToClient::Goodbye(word) => why("Goodbye", word),
        ToClient::Refused { id, refusal, .. } => refused(*id, refusal),
        ToClient::Lobby { event, .. } => of(format!("Lobby {}", name(event))),
        ToClient::Pong(number) => of(format!("Pong {number}")),
        message => of(name(message)),
    })
}

/// Whether the message is the expected one: the same name, and a sentence that contains the expected words.
fn fits((what, sentence): &Heard, expected: &str) -> bool {
    let (name, words) = expected.split_once(": ").unwrap_or((expected, ""));
    what == name && sentence.contains(words)
}

fn refused(id: u32, refusal: &Refusal) -> Heard {
    let what = format!("Refused {id}");
    match refusal {
        Refusal::Misplaced(reason) => why(&what, reason),
        Refusal::Hall(reason) => why(&what, reason),
        Refusal::Lobby(reason) => why(&what, reason),
        Refusal::Chat(reason) => why(&what, reason),
        reason => why(&what, reason),
    }
}

/// The name of an enum's variant.
fn name(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// Whether these are exactly the expected messages.
pub(super) fn is(heard: &[Heard], expected: &[String]) -> bool {
    heard.len() == expected.len() && heard.iter().zip(expected).all(|(heard, expected)| fits(heard, expected))
}

/// All messages until the connection closes, or the ping is answered.
pub(super) async fn until(wire: &mut Wire, last_ping: u32, is_http: bool) -> Vec<Heard> {
    if is_http {
        let answer = String::from_utf8(wire.rest().await).unwrap();
        let head = answer.split(' ').take(2).collect::<Vec<_>>();
        return vec![of(head.join(" ").replace("/1.1", "")), of("closed")];
    }
    let mut heard = Vec::new();
    loop {
        match wire.try_read().await {
            Ok(Some(ToClient::Pong(number))) if number == last_ping => return heard,
            Ok(Some(message)) => heard.extend(in_short(&message)),
            Ok(None) => break,
            Err(error) => {
                heard.push(of(format!("{:?}", error.kind())));
                return heard;
            }
        }
    }
    heard.push(of("closed"));
    heard
}
