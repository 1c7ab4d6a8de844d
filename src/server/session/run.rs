//! A connection from its first byte to its last: greeting, session, goodbye.

use std::future::poll_fn;
use std::mem;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncReadExt;

use super::end::End;
use super::receiver::{self, ClientOrigin, FOR_BROWSERS, Receiver};
use super::state::ServerSession;
use super::welcome::welcome;
use crate::lobby::{Kind, Name, Text};
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::connections::Admitted;
use crate::server::http::HttpStream;
use crate::server::socket::Incoming;
use crate::wire::{
    Farewell, Greeting, HelloRefusal, ToClient, ToServer, VERSION, decode, encode, hello_version,
};

/// How long a connection that is being closed may take over its last messages.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long the first bytes may take of a connection that is turned away: they tell a browser from a client, and one that
/// sends none is closed without a word.
const FIRST_BYTES: Duration = Duration::from_millis(500);

/// The most bytes that are read and dropped from a connection that is being closed.
const MAX_DRAINED: u64 = 256 * 1024;

/// Serves a connection to its end.
///
/// A task is as large as its largest state, and most connections are idle. So the stages are written by hand:
/// the greeting and the goodbye, which are short, are boxed, and an idle session has no state but its own. An
/// `async fn` would reserve memory for all stages at once.
pub(in crate::server) struct Run(Stage);

#[expect(clippy::large_enum_variant, reason = "most connections are in the largest stage")]
enum Stage {
    /// Returns the session; `None` if the connection has ended without one.
    Greeting(Pin<Box<dyn Future<Output = Option<ServerSession>> + Send>>),
    Serving(ServerSession),
    Parting(Pin<Box<dyn Future<Output = ()> + Send>>),
    Over,
}

impl Run {
    /// A connection that was just accepted.
    pub(in crate::server) fn new(
        app: Arc<App>,
        (admitted, pause): (Admitted, Duration),
        connection: Arc<Connection>,
        incoming: Incoming,
        peer: SocketAddr,
        is_carried: bool,
    ) -> Self {
        let has_peers = app.services.peers.is_some();
        let mut receiver = Receiver::new(app, admitted, connection, incoming);
        receiver.origin = has_peers.then(|| Box::new(ClientOrigin { address: peer, is_carried }));
        Self(Stage::Greeting(Box::pin(begin(receiver, peer, pause))))
    }
}

impl Future for Run {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            self.0 = match &mut self.0 {
                Stage::Greeting(greeting) => {
                    ready!(greeting.as_mut().poll(context)).map_or(Stage::Over, Stage::Serving)
                }
                Stage::Serving(session) => {
                    let end = ready!(session.poll_serve(context));
                    mem::replace(&mut self.0, Stage::Over).parting(end)
                }
                Stage::Parting(parting) => {
                    ready!(parting.as_mut().poll(context));
                    Stage::Over
                }
                Stage::Over => return Poll::Ready(()),
            };
        }
    }
}

impl Stage {
    /// The stage after the session.
    fn parting(self, end: End) -> Self {
        let Self::Serving(session) = self else { return Self::Over };
        let receiver = session.finish(&end);
        Self::Parting(Box::pin(part(receiver, end)))
    }
}

/// Greets a client, or closes the connection.
async fn begin(mut receiver: Receiver, peer: SocketAddr, pause: Duration) -> Option<ServerSession> {
    receiver.pause_reading(pause);
    let Hello { name: asked, kind } = match receive_hello(&mut receiver).await {
        Ok(hello) => hello,
        Err(End::Browser) => {
            hand_over(receiver, peer).await;
            return None;
        }
        Err(end) => {
            part(receiver, end).await;
            return None;
        }
    };
    let app = &receiver.app;
    let names = &app.services.names;
    let name = if receiver.is_carried() {
        names.take(&asked)
    } else if receiver.has_return() {
        // The seat has a name.
        names.draw(&asked)
    } else {
        names.claim_among_all(&asked).await
    };
    let name = Arc::new(name);
    // A returning player asks for the name that the seat still claims, and has another one until they return
    // to it.
    match name.name() {
        given if *given == asked => tracing::info!(name = %asked, "welcome"),
        given => {
            tracing::info!(name = %asked, called = %given, "welcome: the name is in use or kept for a seat");
        }
    }
    receiver.connection.send(&welcome(app, name.name()));
    let session = ServerSession::new(receiver, name, kind);
    // From now on it is told when they change. The server that has passed it on has told it.
    let servers = session.app().servers(peer.ip()).filter(|_| !session.receiver.is_carried());
    servers.inspect(|servers| session.connection().send(servers));
    Some(session)
}

/// Hands a connection over to the web site, or says that there is none.
async fn hand_over(receiver: Receiver, peer: SocketAddr) {
    let Some(site) = receiver.app.web.get().map(Arc::clone) else {
        return part(receiver, End::Stranger(FOR_BROWSERS.into())).await;
    };
    let Receiver { app, admitted, connection, incoming, inbox, .. } = receiver;
    site.serve(HttpStream::new(inbox, incoming, connection, admitted, peer)).await;
    app.services.metrics.note_end(End::Browser.reason());
}

/// What a client says of itself.
struct Hello {
    /// The name that it asks for.
    name: Name,
    kind: Kind,
}

async fn receive_hello(receiver: &mut Receiver) -> Result<Hello, End> {
    let body = receiver.first_body().await?;
    let hello = match hello_version(&body) {
        None => return Err(End::Unwelcome(HelloRefusal::NotHello)),
        Some(yours) if yours != VERSION => {
            return Err(End::Unwelcome(HelloRefusal::Version { yours: yours.into(), ours: VERSION.into() }));
        }
        Some(_) => decode(&body),
    };
    let Greeting { name, kind, .. } = match hello {
        Ok(ToServer::Hello(greeting)) => greeting,
        Ok(_) => return Err(End::Unwelcome(HelloRefusal::NotHello)),
        Err(error) => return Err(End::Unwelcome(HelloRefusal::Malformed(Text::cut(&error.to_string())))),
    };
    let name = Name::clean(name.as_str()).map_err(|fault| End::Unwelcome(HelloRefusal::Name(fault)))?;
    Ok(Hello { name, kind: kind.into() })
}

/// Logs how a connection ends, and closes it.
async fn part(receiver: Receiver, end: End) {
    tracing::info!(end = end.reason(), "closed");
    let Receiver { app, admitted: _admitted, connection, incoming, inbox, .. } = receiver;
    app.services.metrics.note_end(end.reason());
    match end {
        // What it has said may not have been read yet.
        End::Unwelcome(HelloRefusal::Stopping) if inbox.is_empty() => {
            turn_away(connection, incoming, HelloRefusal::Stopping).await;
        }
        end => close(connection, incoming, end).await,
    }
}

/// Sends a connection the reason why it is not admitted, once it has said something, and closes it. A browser gets the
/// reason as a page.
pub(in crate::server) async fn turn_away(
    connection: Arc<Connection>,
    mut incoming: Incoming,
    refusal: HelloRefusal,
) {
    let mut start = [0; 8];
    let read = tokio::time::timeout(FIRST_BYTES, incoming.read(&mut start)).await;
    let end = match read {
        Ok(Ok(count)) if receiver::is_http(&start[..count]) => End::Stranger(no_page(&refusal).into()),
        Ok(Ok(1..)) => End::Unwelcome(refusal),
        _ => End::Unheard,
    };
    close(connection, incoming, end).await;
}

/// The page of a browser that is not admitted.
fn no_page(refusal: &HelloRefusal) -> String {
    let helps = match refusal {
        HelloRefusal::Banned => "Ask the host.",
        HelloRefusal::Crowded { .. } => {
            "Each open page and each program in your network counts. Close pages that nobody needs, and load this page again."
        }
        _ => "Load this page again in a moment.",
    };
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 5\r\n\
         Connection: close\r\n\r\nThis page cannot be opened now: {refusal}. {helps}\n"
    )
}

/// Sends the goodbye, waits a moment for it to arrive, and closes.
async fn close(connection: Arc<Connection>, incoming: Incoming, end: End) {
    let is_evicted = matches!(end, End::Farewell(Farewell::NoRoom));
    match end {
        End::Gone | End::Browser | End::Unheard => return,
        End::Farewell(word) => connection.send_goodbye(&word),
        End::Unwelcome(refusal) => connection.send_last(encode(&ToClient::Unwelcome(refusal))),
        End::Stranger(words) => connection.send_last(Bytes::from(words.into_owned())),
    }
    // One that has to make room does so at once: its goodbye is what the socket takes.
    if is_evicted {
        let _ = tokio::time::timeout(Duration::ZERO, poll_fn(|context| connection.poll_flush(context))).await;
        return;
    }
    // It does not matter whether the client reads it.
    let _ = tokio::time::timeout(LAST_WORDS, receiver::finish(&connection, incoming, MAX_DRAINED)).await;
}
