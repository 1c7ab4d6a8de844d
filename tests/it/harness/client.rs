//! A client after its welcome. It builds its own copy of the lobby from the server's messages, and panics if
//! they are inconsistent.

use std::net::SocketAddr;

use nim::client::Model;
use nim::client::action::DEFAULT_ABSENCE;
use nim::client::model::Role;
use nim::game::any::Move;
use nim::game::{BySide, Side};
use nim::lobby::{
    Cause, ClockRule, Code, ConnectionLoss, Event, GameResult, Hand, Hints, Level, Lobby, Notice, Offer,
    Phase, PlayerId, Text,
};
use nim::wire::{
    BotWish, ClientKind, HallRequest, Listing, LobbyRequest, LobbyState, NewLobby, Refusal, Secret, Starts,
    Ticket, ToClient, ToServer,
};

use super::wire::hello_as;
use super::{Heaps, Wire, within};

/// A client of a test.
#[derive(Debug)]
pub(crate) struct TestClient {
    wire: Wire,
    model: Model,
    requests: u32,
}

/// The default terms of a lobby: a bot joins if nobody does, and there are hints against bots.
pub(crate) fn terms(variant: &str) -> NewLobby {
    NewLobby {
        variant: Text::cut(variant),
        starts: Starts::Variant,
        bot: BotWish::WhenNobodyComes,
        hints: Hints::AgainstBots,
        level: Level::Perfect,
        away: DEFAULT_ABSENCE,
        clock: ClockRule::None,
        best_of: 0,
        watched: true,
        listed: true,
        password: None,
        origin: None,
        seat: Ticket::random().hash(),
    }
}

/// A lobby as the list may show it, with default conditions.
pub(crate) fn listing(code: Code, variant: &str) -> Listing {
    Listing {
        code,
        variant: Text::cut(variant),
        position: None,
        seats: BySide::default(),
        state: LobbyState::Open,
        level: Level::default(),
        clock: ClockRule::None,
        best_of: 0,
        watchers: 0,
        watched: true,
        locked: false,
    }
}

/// A refusal by a lobby, as the client receives it.
pub(crate) fn refused(refusal: nim::lobby::Refusal) -> Refusal {
    Refusal::Lobby(refusal)
}

/// A request to join the lobby with this code.
pub(crate) fn join(code: Code) -> HallRequest {
    join_text(&code.to_string(), None)
}

/// A request to join the lobby with this typed code.
pub(crate) fn join_text(code: &str, password: Option<Secret>) -> HallRequest {
    HallRequest::Join { code: Text::cut(code), password, seat: Ticket::random().hash() }
}

/// A request to watch the lobby with this code.
pub(crate) fn watch(code: Code) -> HallRequest {
    HallRequest::Watch { code: Text::cut(&code.to_string()), password: None }
}

/// A request to return to the seat of this ticket, in the lobby with this code.
pub(crate) fn come_back(code: Code, ticket: Ticket, seen: u32) -> HallRequest {
    HallRequest::Return { code: Text::cut(&code.to_string()), ticket, seen }
}

/// What a player needs to return: the lobby, the ticket, and the last known event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub(crate) code: Code,
    pub(crate) ticket: Ticket,
    pub(crate) seen: u32,
}

impl Claim {
    /// The request to return.
    pub(crate) fn request(self) -> HallRequest {
        come_back(self.code, self.ticket, self.seen)
    }
}

impl TestClient {
    /// A client of the server at this address, after its welcome.
    pub(crate) async fn at(address: SocketAddr, name: &str) -> Self {
        Self::hello(Wire::connect(address).await, name).await
    }

    /// Says hello on a fresh connection and waits for the welcome.
    pub(crate) async fn hello(wire: Wire, name: &str) -> Self {
        Self::hello_as(wire, name, ClientKind::Person).await
    }

    /// The same as a person or a program.
    pub(crate) async fn hello_as(mut wire: Wire, name: &str, kind: ClientKind) -> Self {
        wire.send(&hello_as(name, kind)).await;
        match wire.read().await {
            Some(ToClient::Welcome { name, .. }) => Self { wire, model: Model::new(name), requests: 0 },
            answer => panic!("expected a welcome, got {answer:?}"),
        }
    }

    /// A client that has said hello, if it is welcomed.
    pub(crate) async fn welcomed(mut wire: Wire) -> Option<Self> {
        match wire.try_read().await {
            Ok(Some(ToClient::Welcome { name, .. })) => {
                Some(Self { wire, model: Model::new(name), requests: 0 })
            }
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.model.name().as_str()
    }

    /// The raw connection, for bytes that no honest client would send.
    pub(crate) fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// The raw connection alone; the client's copy of the lobby is dropped.
    pub(crate) fn into_wire(self) -> Wire {
        self.wire
    }

    /// Vanishes without a close.
    pub(crate) fn reset(self) {
        self.wire.reset();
    }

    /// The next message, which does not change the client's copy. Answers pings.
    async fn hear(&mut self) -> ToClient {
        loop {
            match self.wire.read().await.expect("the server goes on") {
                ToClient::Ping(number) => self.wire.send(&ToServer::Pong(number)).await,
                message => return message,
            }
        }
    }

    /// The next message, which also updates the client's copy. Answers pings.
    pub(crate) async fn next(&mut self) -> ToClient {
        let message = self.hear().await;
        self.model.apply(&message).unwrap_or_else(|error| panic!("{error}: {message:?}"));
        message
    }

    /// Reads until `wanted` accepts a message.
    pub(crate) async fn until<T>(&mut self, mut wanted: impl FnMut(&ToClient) -> Option<T>) -> T {
        let found = async {
            loop {
                if let Some(value) = wanted(&self.next().await) {
                    return value;
                }
            }
        };
        within("the message that is waited for, though others came", found).await
    }

    /// Reads until the client's copy of its lobby is as `wanted`.
    pub(crate) async fn until_lobby(&mut self, wanted: impl Fn(&Lobby) -> bool) {
        let there = async {
            while !self.model.lobby().is_some_and(|mine| wanted(&mine.lobby)) {
                self.next().await;
            }
        };
        within("the lobby to be as it is waited for, though messages came", there).await;
    }

    /// Reads until the turn has this number.
    pub(crate) async fn until_turn(&mut self, turn: u32) {
        self.until_lobby(|lobby| lobby.turn() == turn).await;
    }

    /// Reads until a game goes on in this client's lobby.
    pub(crate) async fn until_playing(&mut self) {
        self.until_lobby(|lobby| lobby.phase() == Phase::Playing).await;
    }

    /// Reads until exactly this event arrives.
    pub(crate) async fn until_event(&mut self, wanted: impl Fn(&Event) -> bool) -> Event {
        self.until(|message| match message {
            ToClient::Lobby { event, .. } if wanted(event) => Some(event.clone()),
            _ => None,
        })
        .await
    }

    /// Waits until the connection of the player on this side has closed.
    pub(crate) async fn until_away(&mut self, side: Side) {
        let closed = |notice: &Notice| matches!(notice, Notice::Away { side: gone, loss: ConnectionLoss::Closed, .. } if *gone == side);
        self.until_notice(closed).await;
    }

    /// Reads on until this very notice came.
    pub(crate) async fn until_notice(&mut self, wanted: impl Fn(&Notice) -> bool) -> Notice {
        self.until(|message| match message {
            ToClient::Notice { notice, .. } if wanted(notice) => Some(notice.clone()),
            _ => None,
        })
        .await
    }

    /// Reads all messages sent until now, and updates the client's copy.
    pub(crate) async fn catch_up(&mut self) -> Vec<ToClient> {
        self.up_to_pong(true).await
    }

    /// All messages until the answer to a request in the hall. The client's copy does not change.
    pub(crate) async fn hears(&mut self, request: HallRequest) -> Vec<ToClient> {
        self.ask_hall(request).await;
        self.up_to_pong(false).await
    }

    async fn up_to_pong(&mut self, learns: bool) -> Vec<ToClient> {
        let number = self.next_request();
        self.wire.send(&ToServer::Ping(number)).await;
        let answered = async {
            let mut heard = Vec::new();
            loop {
                match if learns { self.next().await } else { self.hear().await } {
                    ToClient::Pong(answer) if answer == number => return heard,
                    message => heard.push(message),
                }
            }
        };
        within("a pong, though messages came", answered).await
    }

    fn next_request(&mut self) -> u32 {
        self.requests += 1;
        self.requests
    }

    /// Sends a request to the hall; returns its number. A request for a seat has a ticket of its own.
    pub(crate) async fn ask_hall(&mut self, mut request: HallRequest) -> u32 {
        match &mut request {
            HallRequest::Create(NewLobby { seat, .. })
            | HallRequest::CreateForTwo { lobby: NewLobby { seat, .. }, .. }
            | HallRequest::Quick(NewLobby { seat, .. })
            | HallRequest::Join { seat, .. } => {
                let ticket = Ticket::random();
                *seat = ticket.hash();
                self.model.set_ticket(ticket);
            }
            HallRequest::Return { ticket, .. } => self.model.set_ticket(*ticket),
            _ => {}
        }
        let id = self.next_request();
        self.wire.send(&ToServer::Hall { id, request }).await;
        id
    }

    /// Sends a request to the lobby; returns its number.
    pub(crate) async fn ask(&mut self, request: LobbyRequest) -> u32 {
        let id = self.next_request();
        self.wire.send(&ToServer::Lobby { id, request }).await;
        id
    }

    /// Waits for the refusal of request `id`.
    pub(crate) async fn refusal_of(&mut self, id: u32) -> Refusal {
        self.until(|message| match message {
            ToClient::Refused { id: refused, refusal, .. } if *refused == id => Some(refusal.clone()),
            _ => None,
        })
        .await
    }

    /// Sends a request to the hall that is refused.
    pub(crate) async fn refused_in_hall(&mut self, request: HallRequest) -> Refusal {
        let id = self.ask_hall(request).await;
        self.refusal_of(id).await
    }

    /// Sends a request to the lobby that is refused.
    pub(crate) async fn refused(&mut self, request: LobbyRequest) -> Refusal {
        let id = self.ask(request).await;
        self.refusal_of(id).await
    }

    /// Sends a request for a seat or to watch. Returns whether it was granted, or the refusal.
    pub(crate) async fn tries(&mut self, request: HallRequest) -> Result<(), Refusal> {
        let id = self.ask_hall(request).await;
        self.until(|message| match message {
            ToClient::Entered { .. } | ToClient::Returned { .. } | ToClient::Watching { .. } => Some(Ok(())),
            ToClient::Refused { id: refused, refusal, .. } if *refused == id => Some(Err(refusal.clone())),
            _ => None,
        })
        .await
    }

    /// The answer to the open offer in this client's lobby; to a draw if there is none.
    pub(crate) fn answer(&self, accept: bool) -> LobbyRequest {
        let offer = self.lobby().offer().map_or(Offer::Draw, |open| open.offer);
        LobbyRequest::Answer { turn: self.lobby().turn(), offer, accept }
    }

    /// Accepts the opponent's offer, once there is one.
    pub(crate) async fn accepts(&mut self) {
        self.until_lobby(|lobby| lobby.offer().is_some()).await;
        self.ask(self.answer(true)).await;
    }

    /// What this client needs to return to its present seat.
    pub(crate) fn claim(&self) -> Claim {
        let mine = self.model.lobby().expect("the client is in a lobby");
        let Role::Player { ticket, .. } = mine.role else { panic!("the client watches") };
        Claim { code: mine.lobby.code(), ticket, seen: mine.lobby.last_event() }
    }

    /// The same client over a new connection to the server at this address, with the same knowledge; and its old
    /// connection, which stays open until it is dropped.
    pub(crate) async fn reconnects(self, address: SocketAddr) -> (Self, Wire) {
        let fresh = Self::at(address, self.name()).await;
        (Self { wire: fresh.wire, ..self }, self.wire)
    }

    /// Returns to this client's seat with its ticket, and waits until it is there.
    pub(crate) async fn returns(&mut self) {
        let tried = self.tries(self.claim().request()).await;
        tried.unwrap_or_else(|refusal| panic!("refused instead of back: {refusal}"));
    }

    async fn sits(&mut self, request: HallRequest) -> Code {
        self.tries(request).await.unwrap_or_else(|refusal| panic!("refused instead of seated: {refusal}"));
        self.lobby().code()
    }

    /// Opens a lobby on the default terms and takes a seat in it.
    pub(crate) async fn create(&mut self, variant: &str) -> Code {
        self.create_on(terms(variant)).await
    }

    /// Starts a game against the bot in a lobby of its own.
    pub(crate) async fn against_the_bot(&mut self, variant: &str) {
        self.create_on(NewLobby { bot: BotWish::AtOnce, ..terms(variant) }).await;
        self.until_playing().await;
    }

    pub(crate) async fn create_on(&mut self, terms: NewLobby) -> Code {
        self.sits(HallRequest::Create(terms)).await
    }

    pub(crate) async fn join(&mut self, code: Code) {
        assert_eq!(self.sits(join(code)).await, code);
    }

    /// Watches in the lobby with this code.
    pub(crate) async fn watch(&mut self, code: Code) {
        assert_eq!(self.sits(watch(code)).await, code);
    }

    /// The chat lines that this client has received.
    pub(crate) fn heard(&self) -> Vec<String> {
        let mine = self.model.lobby().expect("the client is in a lobby");
        mine.chat.iter().map(|line| format!("{}: {}", line.name, line.words)).collect()
    }

    /// Sends a chat line, and waits until the server sends it back.
    pub(crate) async fn says(&mut self, words: &str) {
        self.ask(LobbyRequest::Say { words: Text::cut(words) }).await;
        self.until(|message| matches!(message, ToClient::Said(_)).then_some(())).await;
    }

    pub(crate) async fn quick(&mut self, variant: &str) -> Code {
        self.sits(HallRequest::Quick(terms(variant))).await
    }

    /// Asks for the list of lobbies and waits for the whole list.
    pub(crate) async fn look(&mut self) -> Vec<Listing> {
        self.ask_hall(HallRequest::Look).await;
        self.until_hall_told().await
    }

    /// Waits until the list changes, and returns it.
    pub(crate) async fn until_hall_told(&mut self) -> Vec<Listing> {
        use nim::wire::HallEvent::Lobbies;
        self.until(|message| matches!(message, ToClient::Hall(Lobbies { complete: true, .. })).then_some(()))
            .await;
        self.model.hall().to_vec()
    }

    /// Resigns the game and waits for its end.
    pub(crate) async fn resigns(&mut self) {
        self.ask(LobbyRequest::Resign).await;
        self.result().await;
    }

    /// Leaves the lobby on purpose and waits until it is outside.
    pub(crate) async fn leave(&mut self) {
        self.ask(LobbyRequest::Leave).await;
        self.until(|message| (*message == ToClient::Outside).then_some(())).await;
    }

    pub(crate) fn lobby(&self) -> &Lobby {
        &self.model.lobby().expect("the client is in a lobby").lobby
    }

    pub(crate) fn player(&self) -> PlayerId {
        self.model.lobby().and_then(nim::client::model::MyLobby::you).expect("the client has a seat")
    }

    pub(crate) fn side(&self) -> Side {
        self.lobby().side_of(self.player()).expect("the client has a seat")
    }

    fn may_move(&self) -> bool {
        self.lobby().to_move().is_some_and(|player| player.id == self.player())
    }

    /// Makes a move for the present turn and waits until it is applied.
    pub(crate) async fn play(&mut self, mv: Move) {
        let (turn, me) = (self.lobby().turn(), self.player());
        self.ask(LobbyRequest::Play { turn, mv }).await;
        let event = self.until_event(|event| matches!(event, Event::Moved { .. })).await;
        assert_eq!(event, Event::Moved { turn, player: me, mv, hand: Hand::Own });
    }

    /// The result of the last game; waits for its end.
    pub(crate) async fn result(&mut self) -> GameResult {
        self.until_lobby(|lobby| matches!(lobby.phase(), Phase::Over { .. })).await;
        let Phase::Over { result, .. } = self.lobby().phase() else { unreachable!("just waited for it") };
        result
    }

    /// Plays the present game to its end against any opponent, and checks every move and the result against
    /// the tests' own rules. `choose` picks this client's moves.
    pub(crate) async fn play_to_the_end(&mut self, mut choose: impl FnMut(&Heaps) -> Move) -> GameResult {
        self.until_playing().await;
        let mut heaps = Heaps::of(&self.lobby().variant().text());
        while heaps.outcome().is_none() {
            assert_eq!(self.lobby().board().turn(), heaps.to_move());
            let mv = if self.may_move() { self.plays(choose(&heaps)).await } else { self.next_move().await };
            heaps.play(mv);
        }
        let result = self.result().await;
        assert_eq!((Some(result.outcome), result.cause), (heaps.outcome(), Cause::Rules));
        result
    }

    /// Makes this move, and makes it again each time it is refused since nothing can be recorded.
    async fn plays(&mut self, mv: Move) -> Move {
        let turn = self.lobby().turn();
        loop {
            let asked = self.ask(LobbyRequest::Play { turn, mv }).await;
            let is_made = |message: &ToClient| match message {
                ToClient::Lobby { event: Event::Moved { turn: made, .. }, .. } if *made == turn => Some(true),
                ToClient::Lobby { event: Event::Ended { .. }, .. } => panic!("the game ended too soon"),
                ToClient::Refused { id, refusal: Refusal::Halted { .. }, .. } if *id == asked => Some(false),
                ToClient::Refused { id, refusal, .. } if *id == asked => panic!("{refusal}"),
                _ => None,
            };
            if self.until(is_made).await {
                return mv;
            }
            tokio::task::yield_now().await;
        }
    }

    async fn next_move(&mut self) -> Move {
        let event =
            self.until_event(|event| matches!(event, Event::Moved { .. } | Event::Ended { .. })).await;
        let Event::Moved { mv, .. } = event else { panic!("the game ended too soon: {event:?}") };
        mv
    }
}

/// Plays the game that two clients have started to its end; both have to see the same.
pub(crate) async fn play_out(
    one: &mut TestClient,
    other: &mut TestClient,
    mut choose: impl FnMut(&Heaps) -> Move + Clone,
) -> GameResult {
    let mine = choose.clone();
    let (here, there) = tokio::join!(one.play_to_the_end(mine), other.play_to_the_end(&mut choose));
    assert_eq!(here, there);
    assert_eq!(one.lobby(), other.lobby(), "both have the same copy");
    here
}

/// Two clients of the server at this address in a lobby of their own, anna the opener; their game has begun.
pub(crate) async fn pair_at(address: SocketAddr, terms: NewLobby) -> (TestClient, TestClient) {
    let (mut anna, mut ben) = (TestClient::at(address, "anna").await, TestClient::at(address, "ben").await);
    let code = anna.create_on(terms).await;
    ben.join(code).await;
    for player in [&mut anna, &mut ben] {
        player.until_playing().await;
        // All answers that were due have been sent.
        player.catch_up().await;
    }
    (anna, ben)
}
