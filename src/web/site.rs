//! The web site: connections that open with HTTP, the paths, and what all answers have in common.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};

use super::host::{Host, Visitor};
use super::host_name::{HostNames, is_own_origin};
use super::{shell, socket};
use crate::client::dial::Stream;
use crate::lobby::Code;

/// How long a browser may take over the head of a request, and how long it may keep a connection open without one.
const HEAD_DEADLINE: Duration = Duration::from_secs(10);

/// The most bytes of the head of a request.
const MAX_HEAD: usize = 16 * 1024;

/// What a page may load: nothing from elsewhere, and no code but the one script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The web site of a server.
#[derive(Clone)]
pub struct Site {
    router: Router,
}

/// What the paths share.
#[derive(Debug)]
struct Shared {
    host: Arc<dyn Host>,
    names: HostNames,
}

impl Site {
    /// The site of this host. Besides IP addresses, localhost and the names of this machine it
    /// answers to these names.
    pub fn new(host: impl Host + 'static, names: impl IntoIterator<Item = String>) -> Self {
        let shared = Arc::new(Shared { host: Arc::new(host), names: HostNames::new(names) });
        let router = Router::new()
            .route("/", get(page))
            .route("/{code}", get(page_of_lobby))
            .route("/wall", get(page))
            .route("/study/{game}", get(page))
            .route("/assets/script.js", get(async || asset("text/javascript; charset=utf-8", shell::SCRIPT)))
            .route("/assets/style.css", get(async || asset("text/css; charset=utf-8", shell::STYLE)))
            .route("/assets/socket", get(open_socket))
            .fallback(|| async { (StatusCode::NOT_FOUND, shell::not_found()) })
            .layer(from_fn_with_state(Arc::clone(&shared), guard))
            .with_state(shared);
        Self { router }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Site")
    }
}

impl Site {
    /// Serves a visitor's connection to its end.
    pub async fn serve_connection(self, stream: impl Stream + 'static, visitor: Visitor) {
        let answer = service_fn(move |request: Request<hyper::body::Incoming>| {
            let (mut request, mut router) = (request.map(Body::new), self.router.clone());
            let pause = visitor.registration.charge();
            request.extensions_mut().insert(visitor.clone());
            async move {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                Ok::<_, Infallible>(call(&mut router, request).await)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_DEADLINE)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), answer)
            .with_upgrades();
        // A browser that breaks off does not matter.
        let _ = connection.await;
    }
}

/// The answer of the router, which has no errors.
async fn call(router: &mut Router, request: Request) -> Response {
    use tower_service::Service;
    match router.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Refuses names of other sites, and adds the headers that all answers have.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let mut response = match host.filter(|host| shared.names.has(host)) {
        Some(_) => next.run(request).await,
        None => (StatusCode::MISDIRECTED_REQUEST, shell::other_host()).into_response(),
    };
    let fixed: [(HeaderName, &'static str); 4] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-cache"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn page() -> impl IntoResponse {
    shell::page()
}

/// The page of a lobby.
async fn page_of_lobby(
    State(shared): State<Arc<Shared>>,
    axum::Extension(visitor): axum::Extension<Visitor>,
    Path(code): Path<String>,
) -> Response {
    match code.parse::<Code>() {
        Err(_) => (StatusCode::NOT_FOUND, shell::not_found()).into_response(),
        Ok(code) if shared.host.is_gone(visitor.peer.ip(), code) => {
            (StatusCode::NOT_FOUND, shell::lobby_gone(code)).into_response()
        }
        Ok(_) => shell::page().into_response(),
    }
}

fn asset(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind)], text)
}

/// Opens the WebSocket of a page of this site.
async fn open_socket(
    State(shared): State<Arc<Shared>>,
    axum::Extension(visitor): axum::Extension<Visitor>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let [origin, host] = [ORIGIN, HOST].map(|name| headers.get(name).and_then(|value| value.to_str().ok()));
    if !origin.zip(host).is_some_and(|(origin, host)| is_own_origin(origin, host)) {
        return (StatusCode::FORBIDDEN, "This socket is for the pages of this server.\n").into_response();
    }
    let host = Arc::clone(&shared.host);
    // In a box the session is not moved, and takes its memory once.
    socket::bounded(upgrade).on_upgrade(|socket: WebSocket| Box::pin(socket::serve(socket, visitor, host)))
}
