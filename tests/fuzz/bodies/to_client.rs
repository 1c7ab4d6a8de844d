use nim::client::words;
use nim::lobby::Lobby;
use nim::wire::ToClient;

use super::to_server::reread;

/// Reads one message and writes it again. Its sentences for people can be written.
pub fn body(data: &[u8]) {
    match reread::<ToClient>(data) {
        Some(ToClient::Entered { lobby, .. } | ToClient::Watching { lobby, .. }) => {
            let Ok(entered) = Lobby::try_from(lobby.clone()) else { return };
            // Another release may have worded the message's texts differently.
            let again = Lobby::try_from(entered.snapshot()).expect("the snapshot of a lobby is valid");
            assert_eq!(again.snapshot(), entered.snapshot());
        }
        Some(ToClient::Refused { refusal, .. }) => drop(refusal.to_string()),
        Some(ToClient::Unwelcome(refusal)) => drop(refusal.to_string()),
        Some(ToClient::Goodbye(word)) => drop(word.to_string()),
        Some(ToClient::Said(lines)) => lines.iter().for_each(|line| drop(words::chat::said(line))),
        Some(ToClient::Hall(nim::wire::HallEvent::Lobbies { listed, .. })) => {
            drop(words::hall(&listed));
            listed.iter().for_each(|listing| drop(words::screen::detail(listing, false, |_, _| "x")));
        }
        _ => {}
    }
}
