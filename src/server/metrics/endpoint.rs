//! Where a host's numbers are to be had: one page over HTTP, which changes nothing, for Prometheus, a browser and
//! `nim-server status`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{ALLOW, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::server::app::App;
use crate::server::socket;

/// The page.
const PATH: &str = "/metrics";

/// What `OpenMetrics` calls its text.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How many may look at once. Whoever comes then takes the place of the first one: a look takes no time, unless somebody does not
/// say what they want.
const MOST: usize = 16;

/// How long one look may take in all.
const DEADLINE: Duration = Duration::from_secs(5);

/// How long to wait when nobody can be let in, for instance since descriptors ran out.
const PAUSE: Duration = Duration::from_millis(100);

/// A port at which the numbers are told.
#[derive(Debug)]
pub(in crate::server) struct Endpoint(TcpListener);

impl Endpoint {
    /// Takes the port. Fails as the operating system says.
    pub(in crate::server) fn bind(address: SocketAddr) -> io::Result<Self> {
        socket::bind(address).map(Self)
    }

    pub(in crate::server) fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Tells whoever asks, for ever.
    async fn serve(&self, app: &Arc<App>) {
        let mut looking: VecDeque<AbortHandle> = VecDeque::new();
        loop {
            let Ok((stream, _)) = self.0.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            looking.retain(|look| !look.is_finished());
            if looking.len() == MOST
                && let Some(first) = looking.pop_front()
            {
                first.abort();
            }
            let app = Arc::clone(app);
            let look = tokio::spawn(async move { timeout(DEADLINE, talk(stream, &app)).await });
            looking.push_back(look.abort_handle());
        }
    }
}

/// Tells a server's numbers where they are to be had, for ever, also if that is nowhere.
pub(in crate::server) async fn tell(endpoint: Option<&Endpoint>, app: &Arc<App>) {
    match endpoint {
        Some(endpoint) => endpoint.serve(app).await,
        None => pending().await,
    }
}

/// Answers one request.
async fn talk(stream: TcpStream, app: &App) -> Result<(), hyper::Error> {
    let answer = service_fn(async |request: Request<_>| Ok::<_, Infallible>(answer(&request, app)));
    http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(DEADLINE)
        .serve_connection(TokioIo::new(stream), answer)
        .await
}

fn answer<B>(request: &Request<B>, app: &App) -> Response<String> {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    if !is_read {
        let mut refused = words(StatusCode::METHOD_NOT_ALLOWED, "This page can only be read.\n");
        refused.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    if request.uri().path() != PATH {
        return words(StatusCode::NOT_FOUND, "The numbers of this nim-server are at /metrics.\n");
    }
    match app.metrics.text(app.levels()) {
        Ok(text) => said(StatusCode::OK, TEXT, text),
        Err(_) => words(StatusCode::INTERNAL_SERVER_ERROR, "The numbers cannot be written.\n"),
    }
}

fn words(status: StatusCode, words: &str) -> Response<String> {
    said(status, "text/plain; charset=utf-8", words.into())
}

fn said(status: StatusCode, kind: &'static str, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}
