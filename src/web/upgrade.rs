//! The upgrade of a request to a WebSocket, with bounds.
//!
//! The one of axum hides the connection, to which a [line](super::line) writes by itself.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// The most bytes of a message that is received.
const MAX_MESSAGE: usize = 4 * 1024;

/// How much is read at once, which a silent visitor keeps: the library's own buffer would be much larger.
const BUFFER: usize = 512;

/// The WebSocket of a visitor. It is in a box, since a future would keep room for it wherever it is handed on.
pub(super) type Socket = Box<WebSocketStream<TokioIo<Upgraded>>>;

/// A request for a WebSocket.
#[derive(Debug)]
pub(super) struct Upgrade {
    response: Response,
    upgraded: OnUpgrade,
}

impl Upgrade {
    /// The upgrade for which this request asks, if it does.
    pub(super) fn asked_by(mut request: Request) -> Option<Self> {
        let response = create_response_with_body(&request, Body::empty).ok()?;
        Some(Self { response, upgraded: hyper::upgrade::on(&mut request) })
    }

    /// Agrees, and has the socket served on a task of its own.
    pub(super) fn serve<F: Future<Output = ()> + Send + 'static>(
        self,
        serve: impl FnOnce(Socket) -> F + Send + 'static,
    ) -> Response {
        let Self { response, upgraded } = self;
        tokio::spawn(async move {
            if let Ok(upgraded) = upgraded.await {
                let socket = Box::pin(bounded(upgraded)).await;
                // In a box what serves it is not moved, and takes its memory once.
                Box::pin(serve(socket)).await;
            }
        });
        response
    }
}

async fn bounded(upgraded: Upgraded) -> Socket {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE))
        .read_buffer_size(BUFFER)
        .write_buffer_size(0);
    Box::new(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await)
}
