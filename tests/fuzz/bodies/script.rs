use std::sync::LazyLock;

use nim::client::Terms;
use nim::client::json::RequestLine;
use nim::client::json::request::ScriptCommand;
use nim::lobby::{Code, Conditions, Kind, Lobby, Moment, Name, Request as Ask, Who};
use nim::wire::limits::MAX_FRAME;
use nim::wire::{Ticket, ToServer, encode};

/// A game in which the first player is to move.
static PLAYING: LazyLock<Lobby> = LazyLock::new(|| {
    let variant = "nim:3-4-5".parse().expect("it is a variant");
    let mut lobby = Lobby::new(Code::from_bits(0, 0), variant, Conditions::default());
    for name in ["anna", "ben"] {
        let sit = Ask::Sit { name: Name::clean(name).expect("it is a name"), kind: Kind::Person };
        let decision = lobby.decide(Who::Newcomer, sit, Moment::START).expect("a seat is free");
        lobby.carry_out(&decision, Moment::START).expect("it was decided");
    }
    lobby
});

/// Reads lines of a script, and makes requests of them, outside a lobby and in one.
pub fn body(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        match RequestLine::read(line) {
            Ok(request) => check(&request),
            Err(misread) => {
                let printable = !misread.words.is_empty() && !misread.words.chars().any(char::is_control);
                assert!(printable, "{line:?}: {:?}", misread.words);
            }
        }
    }
}

fn check(request: &RequestLine) {
    let written = serde_json::to_string(request).expect("every request can be written");
    // Missing fields are written as null, so the line may now be too long.
    if let Ok(again) = RequestLine::read(&written) {
        assert_eq!(again, *request);
    }
    for lobby in [None, Some(&*PLAYING)] {
        let frame = match request.command(lobby, &Terms::default()) {
            Ok(ScriptCommand::Act(action)) => {
                match (action.hall_request(Ticket::of([0; 16])), action.lobby_request(1)) {
                    (Some(request), _) => encode(&ToServer::Hall { id: 1, request }),
                    (None, Some(request)) => encode(&ToServer::Lobby { id: 1, request }),
                    (None, None) => panic!("{action:?} asks for nothing"),
                }
            }
            Ok(
                ScriptCommand::Mute(..)
                | ScriptCommand::Leave { .. }
                | ScriptCommand::Why
                | ScriptCommand::Terms,
            ) => {
                continue;
            }
            Err(slip) => {
                assert!(
                    !slip.words.is_empty() && !slip.words.chars().any(char::is_control),
                    "{:?}",
                    slip.words
                );
                continue;
            }
        };
        assert!(frame.len() <= 4 + MAX_FRAME, "no request is too long");
    }
}
