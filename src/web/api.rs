//! The API for programs and pages of others: the JSON face over a WebSocket, one object a message.
//! `proto/JSON.md` describes it.

use std::io;
use std::sync::Arc;

use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::host::{Host, Visitor};
use super::inside::{connect, endpoint, saved_seat};
use super::line::{HELLO_DEADLINE, Line, WaitingTexts, ticks};
use super::upgrade::Socket;
use crate::client::json::request::read_object;
use crate::client::json::words::{BadLine, Word};
use crate::client::json::{EventLine, JsonFace, Script, remote_end};
use crate::client::{Action, Endpoint, Terms};
use crate::lobby::Name;
use crate::wire::ClientKind;

/// The first message of a script.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum First {
    /// Who it is, and the seat to which it returns.
    Hello {
        name: String,
        /// Whether a person plays by it; by default it is a program.
        kind: Option<ClientKind>,
        code: Option<String>,
        ticket: Option<String>,
    },
}

/// Serves a script until it goes, or its session ends.
pub(super) async fn serve(socket: Socket, visitor: Visitor, host: Arc<dyn Host>) {
    let mut line = Line::new(socket, Arc::clone(&visitor.registration));
    let hello = timeout(HELLO_DEADLINE, first(&mut line, &visitor, &host));
    let Ok(Some((endpoint, action))) = hello.await else { return };
    let session = match connect(&endpoint).await {
        Ok(session) => session,
        Err(failure) => {
            send(&mut line, &remote_end(Some(&failure))).await;
            return line.close().await;
        }
    };
    // From now on the script's session counts as its connection.
    visitor.registration.end();
    let (out, written) = mpsc::channel(1);
    let (heard, lines) = mpsc::channel(1);
    let face = JsonFace::new(session, RemoteScript { lines, out: out.clone() }, Terms::default());
    let playing = async move {
        let ended = Box::pin(face.telling_tickets().run(&action)).await;
        if let Ok(last) = serde_json::to_string(&remote_end(ended.as_ref().err())) {
            let _ = out.send(last).await;
        }
        drop(out);
        // The line ends once all of it is sent.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = playing => {}
        () = carry(line, written, heard) => {}
    }
}

/// The first message that can be carried out. Others are answered. `None` if the script is gone.
async fn first(line: &mut Line, visitor: &Visitor, host: &Arc<dyn Host>) -> Option<(Endpoint, Action)> {
    loop {
        let text = line.hear().await?;
        if text.trim().is_empty() {
            continue;
        }
        match read_first(&text, visitor, host) {
            Ok(hello) => return Some(hello),
            Err(answer) if !send(line, &answer).await => return None,
            Err(_) => {}
        }
    }
}

/// Reads the first message: where to connect under which name, and the first action; or the answer.
fn read_first(
    text: &str,
    visitor: &Visitor,
    host: &Arc<dyn Host>,
) -> Result<(Endpoint, Action), Box<EventLine>> {
    let refused = |refusal: &'static str, words: String| {
        let (request, refusal) = (Some(Word::from("hello")), Word::from(refusal));
        Box::new(EventLine::Refused { request, refusal, turn: 0, words })
    };
    let First::Hello { name, kind, code, ticket } =
        read_object(text, r#"the first message is like {"do":"hello","name":"dice"}"#)
            .map_err(|BadLine { fault, words }| Box::new(EventLine::Error { fault, words }))?;
    if let Err(fault) = Name::clean(&name) {
        return Err(refused("bad_name", fault.to_string()));
    }
    let action = match (code, ticket) {
        (None, None) => Action::Look,
        (code, ticket) => {
            let seat = saved_seat(&code.unwrap_or_default(), &ticket.unwrap_or_default(), &name);
            let words = "who returns gives the `code` and the `ticket` of the seat, as they were told";
            Action::Return(seat.ok_or_else(|| refused("bad_ticket", words.into()))?)
        }
    };
    let inside = endpoint(&name, visitor.peer, host);
    let inside = inside.ok_or_else(|| refused("bad_name", "the name cannot be used".into()))?;
    Ok((Endpoint { kind: kind.unwrap_or(ClientKind::Program), ..inside }, action))
}

async fn send(line: &mut Line, event: &EventLine) -> bool {
    let Ok(text) = serde_json::to_string(event) else { return false };
    line.send(text).await
}

/// The script at the other end of the line, for its face.
#[derive(Debug)]
struct RemoteScript {
    lines: mpsc::Receiver<String>,
    out: mpsc::Sender<String>,
}

impl Script for RemoteScript {
    async fn next(&mut self) -> Option<String> {
        self.lines.recv().await
    }

    async fn write(&mut self, line: String) -> io::Result<()> {
        self.out.send(line).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Carries texts between the line and the face, until the script is gone or the face is done. The script is heard
/// also while its face takes no line, so that it is noticed when it goes.
async fn carry(mut line: Line, mut written: mpsc::Receiver<String>, heard: mpsc::Sender<String>) {
    let (mut tick, mut waiting) = (ticks(), WaitingTexts::default());
    loop {
        tokio::select! {
            biased;
            text = written.recv() => match text {
                Some(text) => if !line.send(text).await {
                    return;
                },
                None => return line.close().await,
            },
            Ok(free) = heard.reserve(), if !waiting.is_empty() => if let Some(text) = waiting.pop() {
                free.send(text.to_string());
            },
            text = line.hear(), if waiting.has_room() => match text {
                Some(text) if text.is_empty() => {}
                Some(text) => waiting.push(text),
                None => return,
            },
            _ = tick.tick() => if !line.is_alive().await {
                return;
            },
        }
    }
}
