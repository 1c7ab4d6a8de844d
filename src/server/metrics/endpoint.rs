//! The read-only page of metrics over HTTP, for Prometheus, a browser and `nim-server status`.

use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{ALLOW, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::server::limits::{RateLimits, address_key, choose_evicted};

/// The path of the page.
const PATH: &str = "/metrics";

/// The content type of `OpenMetrics`.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How many requests may be open at once. A request is short, unless the client does not finish it.
pub(in crate::server) const MAX_METRICS_REQUESTS: usize = 16;

/// How long one request may take in all.
const DEADLINE: Duration = Duration::from_secs(5);

/// How long to wait after `accept` has failed, for instance because descriptors ran out.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns the text of the page.
pub(in crate::server) type Page = Arc<dyn Fn() -> Result<String, fmt::Error> + Send + Sync>;

/// A request that is being answered.
struct Open {
    address: IpAddr,
    since: Instant,
    task: AbortHandle,
}

/// Serves this page on this listener, if there is one, within the limits of each address. Never returns.
pub(in crate::server) async fn serve(listener: Option<&TcpListener>, limits: &RateLimits, page: Page) {
    let Some(listener) = listener else { return pending().await };
    let mut open: Vec<Open> = Vec::new();
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let address = address_key(peer.ip());
        open.retain(|request| !request.task.is_finished());
        let (Ok((permit, pause)), Some(())) = (limits.of(address).connect(), make_room(&mut open, address))
        else {
            continue;
        };
        let page = Arc::clone(&page);
        let request = tokio::spawn(async move {
            let _permit = permit;
            sleep(pause).await;
            timeout(DEADLINE, talk(stream, page)).await
        });
        open.push(Open { address, since: Instant::now(), task: request.abort_handle() });
    }
}

/// Makes room for one more request, by the rule for connections. `None` if there is none.
fn make_room(open: &mut Vec<Open>, newcomer: IpAddr) -> Option<()> {
    if open.len() >= MAX_METRICS_REQUESTS {
        let holders = open.iter().enumerate().map(|(place, one)| (one.address, Some(one.since), place));
        let evicted = choose_evicted(newcomer, holders)?;
        open.swap_remove(evicted).task.abort();
    }
    Some(())
}

/// Answers one request.
async fn talk(stream: TcpStream, page: Page) -> Result<(), hyper::Error> {
    let answer = service_fn(async |request: Request<_>| Ok::<_, Infallible>(answer(&request, &page)));
    http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(DEADLINE)
        .serve_connection(TokioIo::new(stream), answer)
        .await
}

fn answer<B>(request: &Request<B>, page: &Page) -> Response<String> {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    if !is_read {
        let mut refused = words(StatusCode::METHOD_NOT_ALLOWED, "This page can only be read.\n");
        refused.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    if request.uri().path() != PATH {
        return words(StatusCode::NOT_FOUND, "The metrics of this nim-server are at /metrics.\n");
    }
    match page() {
        Ok(text) => said(StatusCode::OK, TEXT, text),
        Err(_) => words(StatusCode::INTERNAL_SERVER_ERROR, "The metrics cannot be written.\n"),
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
