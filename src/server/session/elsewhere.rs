//! A client's way to a lobby of another server: the server is found, the request is made there, and then all frames are
//! passed on, both ways, until the client is outside again or the lobby leaves that server. It does not know the hall, in
//! which the client was.

use std::mem::replace;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep, timeout_at};

use super::channel::Channel;
use super::destination::Destination;
use super::end::End;
use super::finding::Found;
use super::passed::{farewell_in, is_moved, lobby_of, name_in, refused_id};
use super::receiver::{Arrived, Receiver};
use crate::lobby::{Code, Name};
use crate::server::metrics::CountedCarried;
use crate::server::peers::{PeerId, Peers};
use crate::wire::limits::CATCH_UP;
use crate::wire::{Farewell, HallRequest, ToClient, ToClientKind, ToServer, ToServerKind, body_of, encode};

/// How long a client waits until the server that its request leads to has admitted it: lobbies of a server that has died
/// are taken over in less, and a person who waits longer wants to know.
pub(super) const FIND_WITHIN: Duration = Duration::from_secs(5);

/// How long a client may take to ask again for its lobby, which has left the server that had it. One of an earlier release
/// does not know that message, and gets a goodbye then.
pub(super) const ASK_AGAIN_WITHIN: Duration = Duration::from_secs(1);

/// The way to another server.
pub(super) struct Elsewhere {
    phase: Phase,
}

/// A request that leads to another server.
pub(super) struct Asked {
    /// The client's number for it.
    pub(super) id: u32,
    pub(super) request: HallRequest,
    pub(super) destination: Destination,
    /// Until when the server has to be found.
    due: Instant,
}

enum Phase {
    /// The server is not found yet. `None` comes out of it if that takes too long.
    Finding(Asked, Pin<Box<dyn Future<Output = Option<Found>> + Send>>),
    /// The request was sent there, and is not answered yet.
    Asking(Asked, Tunnel),
    /// The client is in a lobby there.
    Inside(Tunnel),
    /// The lobby is not there any more. The client was told so, and may ask for it again.
    Left {
        /// When it may not any more.
        over: Pin<Box<Sleep>>,
        /// Its code.
        lobby: Option<Code>,
    },
    /// Nothing more happens.
    Over,
}

/// The connection to the other server.
struct Tunnel {
    channel: Channel,
    /// Which server it is.
    peer: PeerId,
    /// The code of the lobby there, once it is known.
    lobby: Option<Code>,
    peers: Arc<dyn Peers>,
    /// Ready once the lobby is not at that server any more.
    leaves: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Whether anything was passed on to the client by which it knows more than before.
    has_told: bool,
    /// A request in the hall that has followed the client's requests in the lobby, if that is not answered yet. It was
    /// passed on. If the client is outside before it is refused there, it is answered here.
    held: Option<(u32, HallRequest)>,
    _counted: CountedCarried,
}

/// What the session is to do next.
pub(super) enum Step {
    /// Nothing: it goes on.
    Nothing,
    /// To go on with what was found, or to refuse the request if it was not found in time.
    Found(Asked, Option<Found>),
    /// To find the server again, which is not this one any more, or does not answer.
    Again(Asked, PeerId),
    /// To note that the client is in a lobby.
    Entered {
        /// Whether it has a seat there.
        plays: bool,
        /// The server with the lobby.
        at: PeerId,
    },
    /// To note that the client has this name from now on, which is that of its seat.
    Named(Name),
    /// To answer the client, which is in the hall of this server again. There may be a request already.
    Outside(Option<(u32, HallRequest)>),
    /// To handle a message of the client.
    Message(ToServer),
    /// To answer the client, who asks again for a lobby that has left the server that had it.
    AskedAgain(u32, HallRequest),
}

impl Asked {
    pub(super) fn new(id: u32, request: HallRequest, destination: Destination) -> Self {
        Self { id, request, destination, due: Instant::now() + FIND_WITHIN }
    }
}

impl Elsewhere {
    /// A request for which this looks where it leads.
    pub(super) fn finding(asked: Asked, find: impl Future<Output = Found> + Send + 'static) -> Self {
        let due = asked.due;
        let find = async move { timeout_at(due, find).await.ok() };
        Self { phase: Phase::Finding(asked, Box::pin(find)) }
    }

    /// A request that is made over this connection to that server.
    pub(super) fn asking(
        asked: Asked,
        (peer, mut channel): (PeerId, Channel),
        peers: Arc<dyn Peers>,
        counted: CountedCarried,
    ) -> Self {
        channel.put(&encode(&ToServer::Hall { id: asked.id, request: asked.request.clone() }));
        let leaves = Box::pin(asked.destination.clone().leaves(peer, Arc::clone(&peers)));
        let lobby = asked.destination.lobby();
        let tunnel =
            Tunnel { channel, peer, lobby, peers, leaves, has_told: false, held: None, _counted: counted };
        Self { phase: Phase::Asking(asked, tunnel) }
    }

    /// Makes one step: passes one frame on, for instance. The error says how the client's connection ends.
    pub(super) fn poll_step(
        &mut self,
        receiver: &mut Receiver,
        context: &mut Context<'_>,
    ) -> Poll<Result<Step, End>> {
        match &mut self.phase {
            Phase::Finding(_, find) => {
                let Poll::Ready(found) = find.as_mut().poll(context) else {
                    return poll_unfound(receiver, context);
                };
                let Some(asked) = self.end() else { return Poll::Ready(Ok(Step::Nothing)) };
                Poll::Ready(Ok(Step::Found(asked, found)))
            }
            Phase::Asking(asked, tunnel) => {
                let Poll::Ready(frame) = tunnel.poll_frame(context) else {
                    return tunnel.poll_unanswered(receiver, context);
                };
                let id = asked.id;
                Poll::Ready(self.take_answer(id, frame, receiver))
            }
            Phase::Inside(tunnel) => {
                let Poll::Ready(frame) = tunnel.poll_frame(context) else {
                    return tunnel.poll_client(receiver, context);
                };
                if let Some(frame) = frame.filter(|frame| !is_moved(frame)) {
                    return Poll::Ready(tunnel.take_frame(frame, receiver));
                }
                if tunnel.held.is_some() {
                    // The client has asked for something in the hall, and perhaps has left before in vain.
                    return Poll::Ready(Err(End::Farewell(Farewell::Moved)));
                }
                receiver.connection.send(&ToClient::LobbyMoved);
                self.phase = Phase::Left { over: Box::pin(sleep(ASK_AGAIN_WITHIN)), lobby: tunnel.lobby };
                Poll::Ready(Ok(Step::Nothing))
            }
            Phase::Left { over, lobby } => poll_left((over.as_mut(), *lobby), receiver, context),
            Phase::Over => Poll::Ready(Ok(Step::Outside(None))),
        }
    }

    /// Ends this, and returns the request if it is not answered yet.
    fn end(&mut self) -> Option<Asked> {
        match replace(&mut self.phase, Phase::Over) {
            Phase::Finding(asked, _) | Phase::Asking(asked, _) => Some(asked),
            Phase::Inside(_) | Phase::Left { .. } | Phase::Over => None,
        }
    }

    /// Takes a frame of the other server, which may answer the request of this number; `None` at its end.
    fn take_answer(&mut self, id: u32, frame: Option<Bytes>, receiver: &Receiver) -> Result<Step, End> {
        let Phase::Asking(asked, tunnel) = &mut self.phase else { return Ok(Step::Nothing) };
        let Some(frame) = frame.filter(|frame| tunnel.has_told || !is_moved(frame)) else {
            let (has_told, peer) = (tunnel.has_told, tunnel.peer);
            return match self.end() {
                Some(asked) if !has_told => Ok(Step::Again(asked, peer)),
                _ => Err(End::Farewell(Farewell::Moved)),
            };
        };
        let kind = ToClientKind::of(body_of(&frame));
        if kind == Some(ToClientKind::Refused) && refused_id(&frame) == Some(id) {
            receiver.connection.send_frame(frame);
            self.phase = Phase::Over;
            return Ok(Step::Outside(None));
        }
        tunnel.has_told |= !matches!(
            kind,
            Some(ToClientKind::Ping | ToClientKind::Pong | ToClientKind::Servers | ToClientKind::Welcome)
        );
        let plays = matches!(kind, Some(ToClientKind::Entered | ToClientKind::Returned));
        if !plays && kind != Some(ToClientKind::Watching) {
            return tunnel.take_frame(frame, receiver);
        }
        if asked.destination.is_open()
            && let Some(code) = lobby_of(&frame)
        {
            tunnel.lobby = Some(code);
            tunnel.leaves = Box::pin(Destination::Lobby(code).leaves(tunnel.peer, Arc::clone(&tunnel.peers)));
        }
        receiver.connection.send_frame(frame);
        let at = tunnel.peer;
        if let Phase::Asking(_, tunnel) = replace(&mut self.phase, Phase::Over) {
            self.phase = Phase::Inside(tunnel);
        }
        Ok(Step::Entered { plays, at })
    }
}

impl Tunnel {
    /// The next frame of the other server; `None` once there is none any more, or the lobby is not there any more.
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let sent = self.channel.poll_send(context);
        // What was sent before the end is passed on.
        if let Poll::Ready(frame) = self.channel.poll_frame(context) {
            return Poll::Ready(frame.ok());
        }
        if matches!(sent, Poll::Ready(Err(_))) || self.leaves.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Poll::Pending
    }

    /// Passes a frame of the other server on, or does what it says.
    fn take_frame(&mut self, frame: Bytes, receiver: &Receiver) -> Result<Step, End> {
        match ToClientKind::of(body_of(&frame)) {
            // The client has been welcomed here, and knows the servers. Another welcome has the name of its seat.
            Some(ToClientKind::Welcome) => return Ok(name_in(&frame).map_or(Step::Nothing, Step::Named)),
            Some(ToClientKind::Servers) => return Ok(Step::Nothing),
            Some(ToClientKind::Goodbye) => return Err(End::Farewell(farewell_in(&frame))),
            Some(ToClientKind::Outside) => {
                receiver.connection.send_frame(frame);
                return Ok(Step::Outside(self.held.take()));
            }
            Some(ToClientKind::Refused) => {
                let refused = refused_id(&frame);
                self.held.take_if(|(id, _)| refused == Some(*id));
            }
            _ => {}
        }
        receiver.connection.send_frame(frame);
        Ok(Step::Nothing)
    }

    /// Waits for the client's end, or a sign of life, which the other server answers: the client notices by that whether
    /// it is still reached. What else it sends waits until its request is answered.
    fn poll_unanswered(
        &mut self,
        receiver: &mut Receiver,
        context: &mut Context<'_>,
    ) -> Poll<Result<Step, End>> {
        if let Poll::Ready(end) = receiver.poll_ended(context) {
            return Poll::Ready(Err(end));
        }
        if self.channel.has_room()
            && let Some(sign) = receiver.take_sign()?
        {
            self.channel.put(&encode(&sign));
            return Poll::Ready(Ok(Step::Nothing));
        }
        Poll::Pending
    }

    /// Passes a frame of the client on. While the other server takes nothing, or an answer decides who answers the next
    /// request, nothing more is read.
    fn poll_client(&mut self, receiver: &mut Receiver, context: &mut Context<'_>) -> Poll<Result<Step, End>> {
        if !self.channel.has_room() || self.held.is_some() {
            return receiver.poll_ended(context).map(Err);
        }
        let length = match ready!(receiver.poll_arrived(context))? {
            Arrived::Frame(length) => length,
            // The other server notices it as well.
            Arrived::Silence(_) => return Poll::Ready(Ok(Step::Nothing)),
        };
        let frame = receiver.frame(length);
        match ToServerKind::of(body_of(frame)) {
            Some(ToServerKind::Hello) => {
                return Poll::Ready(receiver.take_message(length).map(Step::Message));
            }
            Some(ToServerKind::Hall) => {
                self.channel.put(frame);
                if let ToServer::Hall { id, request } = receiver.take_message(length)? {
                    self.held = Some((id, request));
                }
            }
            kind => {
                self.channel.put(frame);
                receiver.drop_frame(length);
                if kind == Some(ToServerKind::Lobby) {
                    receiver.connection.note_request();
                }
            }
        }
        Poll::Ready(Ok(Step::Nothing))
    }
}

/// Waits for the client's end, or a sign of life, which is answered here while the other server is not found: it would get
/// no answer for too long otherwise. What else it sends waits until its request is answered.
fn poll_unfound(receiver: &mut Receiver, context: &mut Context<'_>) -> Poll<Result<Step, End>> {
    if let Poll::Ready(end) = receiver.poll_ended(context) {
        return Poll::Ready(Err(end));
    }
    match receiver.take_sign()? {
        Some(sign) => Poll::Ready(Ok(Step::Message(sign))),
        None => Poll::Pending,
    }
}

/// Waits until the client asks again for this lobby, which has left.
fn poll_left(
    (over, lobby): (Pin<&mut Sleep>, Option<Code>),
    receiver: &mut Receiver,
    context: &mut Context<'_>,
) -> Poll<Result<Step, End>> {
    let away = Err(End::Farewell(Farewell::Moved));
    // What has arrived comes before the deadline: with very many others, this may be late itself.
    let Poll::Ready(arrived) = receiver.poll_arrived(context) else {
        return if over.poll(context).is_ready() { Poll::Ready(away) } else { Poll::Pending };
    };
    let Arrived::Frame(length) = arrived? else { return Poll::Ready(Ok(Step::Nothing)) };
    if ToServerKind::of(body_of(receiver.frame(length))) == Some(ToServerKind::Lobby) {
        // The client has sent it before it knew.
        receiver.drop_frame(length);
        receiver.count_sign();
        // It may send such frames without end.
        let is_over = over.deadline().elapsed() >= CATCH_UP;
        return Poll::Ready(if is_over { away } else { Ok(Step::Nothing) });
    }
    Poll::Ready(match receiver.take_message(length)? {
        ToServer::Hall { id, request } => match &request {
            HallRequest::Return { code, .. } | HallRequest::Watch { code, .. }
                if code.as_str().parse().ok() == lobby =>
            {
                Ok(Step::AskedAgain(id, request))
            }
            // It may have asked to leave in vain, and has a seat then that it does not know of.
            _ => away,
        },
        message => Ok(Step::Message(message)),
    })
}
