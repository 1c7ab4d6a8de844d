//! What a person does with records.

use super::action::RecordAct;
use super::page::Page;
use super::records::Records;
use crate::client::Endpoint;
use crate::client::record_reader::RecordReader;
use crate::client::session::Session;
use crate::lobby::Lobby;

/// Does what concerns records: those of the host, the one of this game, or a step of it.
pub(super) fn act(
    page: &mut Page,
    endpoint: &Endpoint,
    session: &Session,
    act: RecordAct,
    (game, step): (&str, usize),
) {
    let (code, tickets) = (session.lobby().map(Lobby::code), page.tickets());
    let records = page.records.get_or_insert_with(|| Box::new(Records::new(endpoint, tickets)));
    match (act, game.parse(), code) {
        (RecordAct::List, ..) => records.list(),
        (RecordAct::More, ..) => records.more(),
        (RecordAct::Open, Ok(game), _) => records.open(game),
        (RecordAct::OfLobby, _, Some(code)) => records.open_newest(code),
        (RecordAct::Open | RecordAct::OfLobby, ..) => {
            records.list();
            page.notice = Some("No: there is no such record.".to_owned());
        }
        (RecordAct::Close, ..) => return page.leave_records(),
        (RecordAct::Learn, ..) => {
            page.learn = records.reader.as_ref().and_then(RecordReader::learn).map(Box::new);
            return;
        }
        _ => page.notice = records.read(act, step),
    }
    page.learn = None;
}
