//! Carries out what a host asks.

use std::sync::Arc;

use super::message::{AdminAnswer, AdminRequest, Target};
use super::overview;
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::wire::Farewell;

/// Carries out a request. May take some milliseconds, so it is not called on a task that moves frames.
pub(super) fn carry_out(app: &Arc<App>, request: &AdminRequest) -> AdminAnswer {
    let done = match request {
        AdminRequest::Status => return AdminAnswer::Status(Box::new(overview::status(app))),
        AdminRequest::Who => return AdminAnswer::Who(Box::new(overview::who(app))),
        AdminRequest::Kick { target } => kick(app, *target),
    };
    let (outcome, answer) = match done {
        Ok(words) => (words.clone(), AdminAnswer::Done(words)),
        Err(why) => (format!("refused: {why}"), AdminAnswer::Refused(why)),
    };
    tracing::info!(?request, outcome, "the host acts");
    answer
}

/// The connections that are meant; the error says that there are none.
fn chosen(app: &App, target: Target) -> Result<Vec<Arc<Connection>>, String> {
    let is_meant = |number: u64, connection: &Connection| match target {
        Target::Connection(wanted) => number == wanted,
        Target::Address(address) => connection.address() == address,
    };
    let all = app.connections.all().into_iter();
    let chosen: Vec<_> =
        all.filter(|(number, one)| is_meant(*number, one)).map(|(_, connection)| connection).collect();
    match target {
        _ if !chosen.is_empty() => Ok(chosen),
        Target::Connection(number) => Err(format!("there is no connection {number}; who shows them")),
        Target::Address(address) => Err(format!("{address} has no connection; who shows them")),
    }
}

fn kick(app: &App, target: Target) -> Result<String, String> {
    let connections = chosen(app, target)?;
    for connection in &connections {
        connection.end(Farewell::Kicked);
    }
    Ok(match connections.len() {
        1 => "1 connection is closed".into(),
        count => format!("{count} connections are closed"),
    })
}
