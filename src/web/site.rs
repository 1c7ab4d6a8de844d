//! The web site: connections that open with HTTP, the paths, and what all answers have in common.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, LOCATION, ORIGIN, REFERRER_POLICY, UPGRADE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_io_timeout::TimeoutWriter;

use super::host::{Host, Visitor};
use super::host_name::HostNames;
use super::origin::{Origin, is_own_page, is_welcome};
use super::own_address::{Elsewhere, OwnAddress};
use super::upgrade::Upgrade;
use super::{api, shell, socket};
use crate::client::dial::Stream;
use crate::game::any::Variant;
use crate::lobby::Code;
use crate::wire::GameName;

/// How long a browser may take over the head of a request, and how long it may keep a connection open without one.
const HEAD_DEADLINE: Duration = Duration::from_secs(10);

/// How long a visitor may take nothing of what is sent to it.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);

/// The most bytes of the head of a request.
const MAX_HEAD: usize = 16 * 1024;

/// What a page may load: nothing from elsewhere, and no code but the one script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a page of another site is told by the API, and who asks for it without a WebSocket.
const OTHER_ORIGIN: &str =
    "Pages of this origin may not use the API. The host allows one with nim-server --web-origin.\n";
const NO_WEB_SOCKET: &str = "This is a WebSocket. proto/JSON.md describes the one at /api.\n";

/// The web site of a server.
#[derive(Clone)]
pub struct Site {
    router: Router,
    elsewhere: Elsewhere,
}

/// What the paths share.
#[derive(Debug)]
struct Shared {
    host: Arc<dyn Host>,
    names: HostNames,
    /// The origins whose pages may use the API.
    origins: Vec<Origin>,
}

impl Site {
    /// The site of this host. Besides IP addresses, localhost and the names of this machine it answers to these names.
    /// Its API is for programs, for its own pages and for those of these origins.
    pub fn new(
        host: impl Host + 'static,
        names: impl IntoIterator<Item = String>,
        origins: Vec<Origin>,
    ) -> Self {
        let shared = Arc::new(Shared { host: Arc::new(host), names: HostNames::new(names), origins });
        let router = Router::new()
            .route("/", get(page))
            .route("/{code}", get(page_of_lobby))
            .route("/wall", get(page))
            .route("/study", get(page))
            .route("/study/{game}", get(page_of_study))
            .route("/records", get(page))
            .route("/records/{lobby}/{game}", get(page_of_record))
            .route("/assets/script.js", get(async || asset("text/javascript; charset=utf-8", shell::SCRIPT)))
            .route("/assets/style.css", get(async || asset("text/css; charset=utf-8", shell::STYLE)))
            .route("/assets/socket", get(open_socket))
            .route("/api", get(open_api))
            .fallback(no_page)
            .layer(from_fn_with_state(Arc::clone(&shared), guard))
            .with_state(shared);
        Self { router, elsewhere: Elsewhere(None) }
    }

    /// The same site, whose pages tell others to open this address where they were opened under a name that means
    /// this machine alone.
    #[must_use]
    pub fn reached_at(self, address: Option<SocketAddr>) -> Self {
        Self { elsewhere: Elsewhere(address), ..self }
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
            let pause = visitor.registration.charge(1);
            request.extensions_mut().insert(visitor.clone());
            request.extensions_mut().insert(self.elsewhere);
            async move {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                Ok::<_, Infallible>(call(&mut router, request).await)
            }
        });
        let mut stream = Box::pin(TimeoutWriter::new(stream));
        stream.as_mut().set_timeout_pinned(Some(WRITE_DEADLINE));
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
    // Of two names nobody knows which one a browser meant.
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none()).and_then(|host| host.to_str().ok());
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
    code: Result<Path<String>, PathRejection>,
) -> Response {
    match code.ok().and_then(|Path(code)| code.parse::<Code>().ok()) {
        None => not_found(),
        Some(code) if shared.host.is_gone(visitor.peer.ip(), code) => {
            (StatusCode::NOT_FOUND, shell::lobby_gone(code)).into_response()
        }
        Some(_) => shell::page().into_response(),
    }
}

/// A path that leads nowhere. One that ends with a slash leads where it does without.
async fn no_page(uri: Uri) -> Response {
    let path = uri.path().trim_end_matches('/');
    // A browser would take two slashes for the name of another host.
    let is_of_this_host = path.strip_prefix('/').is_some_and(|rest| !rest.starts_with(['/', '\\']));
    if path == uri.path() || !is_of_this_host {
        return not_found();
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    (StatusCode::PERMANENT_REDIRECT, [(LOCATION, format!("{path}{query}"))]).into_response()
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, shell::not_found()).into_response()
}

/// The page of a game to explore. One that is no game has a page too, which says so and lists the games.
async fn page_of_study(game: Result<Path<String>, PathRejection>) -> Response {
    let Ok(Path(game)) = game else { return not_found() };
    let status = if game.parse::<Variant>().is_ok() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    (status, shell::page()).into_response()
}

/// The page of a record. Whether it is there, and open to the person, depends on the tickets of the browser.
async fn page_of_record(name: Result<Path<(String, String)>, PathRejection>) -> Response {
    match name.ok().and_then(|Path((lobby, game))| format!("{lobby}/{game}").parse::<GameName>().ok()) {
        Some(_) => shell::page().into_response(),
        None => not_found(),
    }
}

fn asset(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind)], text)
}

/// Opens the WebSocket of a page of this site.
async fn open_socket(
    State(shared): State<Arc<Shared>>,
    axum::Extension(visitor): axum::Extension<Visitor>,
    axum::Extension(elsewhere): axum::Extension<Elsewhere>,
    request: Request,
) -> Response {
    if !is_own_page(request.headers()) {
        return (StatusCode::FORBIDDEN, "This socket is for the pages of this server.\n").into_response();
    }
    let origin = request.headers().get(ORIGIN).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (address, host) = (OwnAddress::of(origin, elsewhere), Arc::clone(&shared.host));
    let Some(upgrade) = Upgrade::asked_by(request) else { return no_web_socket() };
    upgrade.serve(|socket| socket::serve(socket, visitor, address, host))
}

/// Opens the WebSocket of a program, or of a page that may play here.
async fn open_api(
    State(shared): State<Arc<Shared>>,
    axum::Extension(visitor): axum::Extension<Visitor>,
    request: Request,
) -> Response {
    if !is_welcome(request.headers(), &shared.origins) {
        return (StatusCode::FORBIDDEN, OTHER_ORIGIN).into_response();
    }
    let Some(upgrade) = Upgrade::asked_by(request) else { return no_web_socket() };
    let host = Arc::clone(&shared.host);
    upgrade.serve(|socket| api::serve(socket, visitor, host))
}

fn no_web_socket() -> Response {
    (StatusCode::UPGRADE_REQUIRED, [(UPGRADE, "websocket")], NO_WEB_SOCKET).into_response()
}
