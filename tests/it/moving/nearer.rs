//! The client that is told which server has its lobby, while it plays over another one.

use nim::lobby::{ClockRule, Conditions};

use super::*;
use crate::harness::pretender::game_of;

impl Server {
    /// Answers pings until something else comes, and returns that.
    pub(super) async fn lives(&mut self) -> ToServer {
        loop {
            match self.hears().await {
                ToServer::Ping(number) => self.says(&ToClient::Pong(number)).await,
                other => return other,
            }
        }
    }
}

/// That the lobby is at this address.
pub(super) fn lobby_at(address: &str) -> ToClient {
    ToClient::LobbyAt { address: Text::cut(address) }
}

/// A session in a game that is told that its lobby is at "b".
pub(super) async fn far() -> (Session, Server, Servers) {
    far_in(&game()).await
}

/// The same in this lobby.
pub(super) async fn far_in(lobby: &Lobby) -> (Session, Server, Servers) {
    let (session, mut server, servers) = playing_in(lobby).await;
    server.says(&lobby_at("b")).await;
    (session, server, servers)
}

/// The same after the server with the lobby has welcomed the client.
pub(super) async fn reached() -> (Session, Server, Server, Servers) {
    let (mut session, mut first, mut servers) = far().await;
    let mut there = tokio::select! {
        there = servers.next() => there,
        event = told(&mut session) => panic!("{event:?}"),
        other = first.lives() => panic!("{other:?}"),
    };
    there.says(&welcome(1_000, 2_000)).await;
    assert!(matches!(there.hears().await, ToServer::Hello(_)));
    (session, first, there, servers)
}

/// The same after the client has asked that server for its seat.
pub(super) async fn going() -> (Session, Server, Server, Servers) {
    let (mut session, first, mut there, servers) = reached().await;
    news(&mut session).await;
    assert!(matches!(there.hears().await, ToServer::Hall { request: HallRequest::Return { .. }, .. }));
    (session, first, there, servers)
}

#[tokio::test(start_paused = true)]
async fn who_plays_over_another_server_goes_to_the_one_with_the_lobby_and_keeps_the_old_connection_until_then()
 {
    let (mut session, mut first, mut servers) = far().await;
    let began = Instant::now();
    let there = async {
        let mut server = tokio::select! {
            server = servers.next() => server,
            other = first.lives() => panic!("{other:?}"),
        };
        assert_eq!(server.host, "b");
        assert!((3.0..=6.1).contains(&began.elapsed().as_secs_f64()), "{:?}", began.elapsed());
        assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 3, .. }));
        first.says(&ToClient::Goodbye(Farewell::Elsewhere)).await;
        server.says(&returned()).await;
        server
    };
    let (event, mut server) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { quiet: true, anew: false, .. }), "{event:?}");
    assert!(!session.is_away());
    assert_eq!(
        first.stream.read_buf(&mut first.inbox).await.unwrap(),
        0,
        "nothing more is said to the first server"
    );
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    session.act(Action::Play(mv));
    let asked = server.hears().await;
    assert!(matches!(asked, ToServer::Lobby { request: LobbyRequest::Play { .. }, .. }), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_an_answer_goes_only_when_it_has_come() {
    let (mut session, mut first, mut servers) = far().await;
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    let there = async {
        let mut server = servers.next().await;
        assert!(matches!(server.hears().await, ToServer::Hello(_)));
        server.says(&welcome(1_000, 2_000)).await;
        server
    };
    let mut server = tokio::select! {
        server = there => server,
        event = async {
            session.act(Action::Play(mv));
            loop {
                news(&mut session).await;
            }
        } => event,
        other = async {
            assert!(matches!(first.lives().await, ToServer::Lobby { .. }));
            first.lives().await
        } => panic!("{other:?}"),
    };
    assert!(!session.is_away());
    let event = Event::Moved { turn: 1, player: PlayerId(1), mv, hand: Hand::Own };
    first.says(&ToClient::Lobby { number: 4, at: Moment::START, event }).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Happened { .. }));
    let there = async {
        let asked = server.hears().await;
        let is_return = matches!(asked, ToServer::Hall { request: HallRequest::Return { seen: 4, .. }, .. });
        assert!(is_return, "{asked:?}");
        server.says(&returned()).await;
    };
    let (event, ()) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { quiet: true, .. }), "{event:?}");
}

#[tokio::test(start_paused = true)]
async fn who_is_to_move_against_the_clock_moves_first_and_connects_anew_if_that_takes_long() {
    let timed = Conditions { clock: ClockRule::Move(60_000), ..Conditions::default() };
    let (mut session, mut first, mut servers) = far_in(&game_of("java-tech:21", timed)).await;
    let there = async {
        let mut server = servers.next().await;
        assert!(matches!(server.hears().await, ToServer::Hello(_)));
        server.says(&welcome(1_000, 2_000)).await;
        server
    };
    let waits = async {
        tokio::select! {
            event = told(&mut session) => panic!("{event:?}"),
            other = first.lives() => panic!("{other:?}"),
        }
    };
    let (mut stale, waited) = tokio::join!(there, tokio::time::timeout(Duration::from_secs(10), waits));
    assert!(Result::<(), _>::is_err(&waited) && !session.is_away());
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    session.act(Action::Play(mv));
    assert!(matches!(first.lives().await, ToServer::Lobby { .. }));
    let event = Event::Moved { turn: 1, player: PlayerId(1), mv, hand: Hand::Own };
    first.says(&ToClient::Lobby { number: 4, at: Moment::START, event }).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Happened { .. }));
    let there = async {
        let mut server = tokio::select! {
            server = servers.next() => server,
            other = first.lives() => panic!("{other:?}"),
        };
        assert_eq!(server.host, "b");
        assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 4, .. }));
        server.says(&returned()).await;
        server
    };
    let goes = async { tokio::join!(told(&mut session), there) };
    let (event, _server) = tokio::time::timeout(Duration::from_secs(20), goes).await.unwrap();
    assert!(matches!(event, SessionEvent::Returned { quiet: true, .. }), "{event:?}");
    assert_eq!(stale.stream.read_buf(&mut stale.inbox).await.unwrap(), 0, "it was not asked for the seat");
}

/// Has the session go on for ten seconds, while this server answers its pings and hears of nothing else. Returns the
/// address that was dialed meanwhile, if one was. Such a server hangs up.
async fn goes_on(session: &mut Session, server: &mut Server, servers: &mut Servers) -> Option<String> {
    let mut dialed = None;
    let all = async {
        loop {
            tokio::select! {
                other = servers.next() => dialed = Some(other.host),
                event = told(session) => panic!("{event:?}"),
                other = server.lives() => panic!("{other:?}"),
            }
        }
    };
    let over: Result<(), _> = tokio::time::timeout(Duration::from_secs(10), all).await;
    assert!(over.is_err());
    dialed
}

#[tokio::test(start_paused = true)]
async fn who_does_not_reach_the_server_with_the_lobby_plays_on() {
    let (mut session, mut server, mut servers) = far().await;
    assert_eq!(goes_on(&mut session, &mut server, &mut servers).await.as_deref(), Some("b"));
    assert!(!session.is_away());
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    session.act(Action::Play(mv));
    assert!(matches!(server.lives().await, ToServer::Lobby { .. }));
    // It is not tried again.
    assert_eq!(goes_on(&mut session, &mut server, &mut servers).await, None);
}

#[tokio::test(start_paused = true)]
async fn who_has_left_the_lobby_meanwhile_stays_where_it_is() {
    let (mut session, mut server, mut servers) = far().await;
    server.says(&ToClient::Outside).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Outside));
    assert_eq!(goes_on(&mut session, &mut server, &mut servers).await, None);
}

#[tokio::test(start_paused = true)]
async fn an_address_that_makes_no_sense_is_ignored_and_so_is_any_by_who_does_not_reconnect() {
    let (mut session, mut server, mut servers) = playing().await;
    for nonsense in ["", "no address", "[::1", "a:b:c", "games.example:0"] {
        server.says(&lobby_at(nonsense)).await;
    }
    assert_eq!(goes_on(&mut session, &mut server, &mut servers).await, None);
    let (mut session, mut server, mut servers) = begun(Duration::ZERO, Action::Create(terms())).await;
    server.says(&entered()).await;
    server.says(&lobby_at("b")).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Entered));
    assert_eq!(goes_on(&mut session, &mut server, &mut servers).await, None);
}

#[tokio::test(start_paused = true)]
async fn the_address_at_which_the_client_is_leads_nowhere_else() {
    for same in ["a", "A:7646"] {
        let (mut session, mut server, mut servers) = playing().await;
        server.says(&lobby_at(same)).await;
        assert_eq!(goes_on(&mut session, &mut server, &mut servers).await, None, "{same}");
    }
    let (mut session, mut server, mut servers) = playing().await;
    server.says(&lobby_at("a:7647")).await;
    assert_eq!(goes_on(&mut session, &mut server, &mut servers).await.as_deref(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn a_line_of_chat_has_arrived_before_the_client_goes() {
    let (mut session, mut server, mut servers) = far().await;
    session.act(Action::Say(Text::cut("well played ")));
    assert!(matches!(server.hears().await, ToServer::Lobby { request: LobbyRequest::Say { .. }, .. }));
    let mut there = tokio::select! {
        there = servers.next() => there,
        event = told(&mut session) => panic!("{event:?}"),
        other = server.lives() => panic!("{other:?}"),
    };
    there.says(&welcome(1_000, 2_000)).await;
    assert!(matches!(there.hears().await, ToServer::Hello(_)));
    let line = ChatLine {
        number: 1,
        room: ChatRoom::Players,
        name: Name::clean("anna").unwrap(),
        at: Moment::START,
        words: Text::cut("well played"),
    };
    server.says(&ToClient::Said(List::first_of([line]))).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Said(_)));
    news(&mut session).await;
    let asked = there.hears().await;
    assert!(matches!(asked, ToServer::Hall { request: HallRequest::Return { .. }, .. }), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn who_loses_the_connection_on_the_way_looks_for_the_game_at_once() {
    let (mut session, _first, there, mut servers) = going().await;
    drop(there);
    let again = async {
        let mut server = servers.next().await;
        assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 3, .. }));
        server.says(&returned()).await;
        server
    };
    let (event, _server) = tokio::join!(told(&mut session), again);
    assert!(matches!(event, SessionEvent::Returned { quiet: true, .. }), "{event:?}");
}

#[tokio::test(start_paused = true)]
async fn who_is_refused_by_the_nearer_server_plays_on_over_the_old_connection() {
    let (mut session, mut first, mut there, _servers) = going().await;
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    session.act(Action::Play(mv));
    let refusal = Refusal::Hall(HallRefusal::NoSuchLobby);
    there.says(&ToClient::Refused { id: 1, turn: 0, refusal }).await;
    let event = told(&mut session).await;
    assert!(matches!(event, SessionEvent::Returned { quiet: true, anew: false, .. }), "{event:?}");
    let asked = first.hears().await;
    assert!(matches!(asked, ToServer::Lobby { request: LobbyRequest::Play { .. }, .. }), "{asked:?}");
    assert!(!session.is_away());
    assert_eq!(there.stream.read_buf(&mut there.inbox).await.unwrap(), 0, "the other connection is closed");
}

#[tokio::test(start_paused = true)]
async fn who_is_told_by_the_nearer_server_that_it_cannot_record_waits_there_since_the_seat_is_there() {
    let (mut session, mut first, mut there, _servers) = going().await;
    first.says(&ToClient::Goodbye(Farewell::Elsewhere)).await;
    there.says(&ToClient::Halted { why: Some(Text::cut("etcd does not answer")), now: Moment::START }).await;
    news(&mut session).await;
    assert!(session.is_away());
    there.says(&ToClient::Halted { why: None, now: Moment::START }).await;
    there.says(&returned()).await;
    while session.is_away() {
        news(&mut session).await;
    }
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    session.act(Action::Play(mv));
    assert!(matches!(there.hears().await, ToServer::Lobby { request: LobbyRequest::Play { .. }, .. }));
}

#[tokio::test(start_paused = true)]
async fn who_has_gone_to_a_nearer_server_goes_no_further_until_the_lobby_moves() {
    let (mut session, first, mut there, mut servers) = going().await;
    there.says(&returned()).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Returned { quiet: true, .. }));
    drop(first);
    there.says(&lobby_at("c")).await;
    assert_eq!(goes_on(&mut session, &mut there, &mut servers).await, None);
    there.says(&ToClient::LobbyMoved).await;
    while !session.is_away() {
        news(&mut session).await;
    }
    assert!(matches!(there.lives().await, ToServer::Hall { request: HallRequest::Return { .. }, .. }));
    there.says(&returned()).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Returned { quiet: true, .. }));
    there.says(&lobby_at("c")).await;
    assert_eq!(goes_on(&mut session, &mut there, &mut servers).await.as_deref(), Some("c"));
}

#[tokio::test(start_paused = true)]
async fn who_quits_on_the_way_to_a_nearer_server_leaves_there() {
    let (mut session, _first, mut there, _servers) = going().await;
    session.act(Action::Quit(Leaving::GiveUp));
    there.says(&returned()).await;
    news(&mut session).await;
    assert!(matches!(there.hears().await, ToServer::Lobby { request: LobbyRequest::Leave, .. }));
}

#[tokio::test(start_paused = true)]
async fn who_leaves_on_the_way_and_is_refused_the_return_goes_to_the_next_lobby() {
    let (mut session, _first, mut there, mut servers) = going().await;
    there.says(&ToClient::Halted { why: Some(Text::cut("etcd does not answer")), now: Moment::START }).await;
    news(&mut session).await;
    session.act(Action::Leave(Leaving::GiveUp));
    there.says(&ToClient::Halted { why: None, now: Moment::START }).await;
    let refusal = Refusal::Hall(HallRefusal::NoSuchLobby);
    there.says(&ToClient::Refused { id: 1, turn: 0, refusal }).await;
    while session.lobby().is_some() {
        news(&mut session).await;
    }
    session.act(Action::Create(terms()));
    let asked = there.lives().await;
    assert!(matches!(asked, ToServer::Hall { request: HallRequest::Create(_), .. }), "{asked:?}");
    there.says(&entered()).await;
    there.says(&lobby_at("c")).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Entered));
    assert_eq!(goes_on(&mut session, &mut there, &mut servers).await.as_deref(), Some("c"));
}
