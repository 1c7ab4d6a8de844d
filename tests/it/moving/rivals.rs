//! A client that comes back asks for its seat with its hello. A server that was late may grant that when the client has asked
//! again elsewhere: then the client is its own rival, and not another window.

use super::*;

#[tokio::test(start_paused = true)]
async fn who_comes_back_asks_for_the_seat_together_with_the_hello_and_once() {
    let (mut session, server, mut servers) = playing().await;
    drop(server);
    assert!(matches!(told(&mut session).await, SessionEvent::Lost { .. }));
    let there = async {
        let mut server = servers.next().await;
        assert!(matches!(server.hears().await, ToServer::Hello(_)));
        let ToServer::Hall { id: 1, request } = server.hears().await else { panic!("before the welcome") };
        assert!(matches!(request, HallRequest::Return { seen: 3, .. }), "{request:?}");
        server.says(&welcome(1_000, 2_000)).await;
        server.says(&returned()).await;
        server
    };
    let (event, mut server) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { .. }), "{event:?}");
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    session.act(Action::Play(mv));
    assert!(matches!(server.hears().await, ToServer::Lobby { id: 2, .. }));
}

/// A client that has asked for its seat without an answer, either with its hello alone or after the welcome too, is sent
/// away when that is carried out late.
async fn is_sent_away_late(is_welcomed: bool) {
    let (mut session, mut server, mut servers) = playing().await;
    server.says(&addresses(&["a", "b"])).await;
    news(&mut session).await;
    drop(server);
    let there = async {
        let mut late = servers.next().await;
        assert!(matches!(late.hears().await, ToServer::Hello(_)));
        if is_welcomed {
            late.says(&welcome(1_000, 2_000)).await;
        }
        // It says nothing more in time, and will carry the return out later.
        let mut server = servers.next().await;
        assert!(is_welcomed || server.host != late.host);
        assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 3, .. }));
        server.says(&returned()).await;
        server.says(&ToClient::Goodbye(Farewell::Elsewhere)).await;
        let mut again = servers.next().await;
        assert!(matches!(again.welcomes().await, HallRequest::Return { seen: 3, .. }));
        again.says(&returned()).await;
        // Who takes the seat now is somebody else.
        again.says(&ToClient::Goodbye(Farewell::Elsewhere)).await;
        again
    };
    let play = async {
        let mut returns = 0;
        loop {
            match session.next().await {
                Ok(heard) => {
                    let event = session.handle(heard).unwrap();
                    returns += usize::from(matches!(event, SessionEvent::Returned { .. }));
                }
                Err(failure) => return (returns, failure),
            }
        }
    };
    let both = async { tokio::join!(play, there) };
    let both = tokio::time::timeout(Duration::from_mins(1), both).await;
    let ((returns, failure), _again) = both.expect("the client comes back");
    assert_eq!(returns, 2);
    assert!(matches!(failure, Failure::Goodbye(Farewell::Elsewhere)), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn who_is_sent_away_by_an_attempt_of_its_own_that_was_given_up_comes_back() {
    is_sent_away_late(false).await;
}

#[tokio::test(start_paused = true)]
async fn who_is_sent_away_by_a_connection_of_its_own_that_fell_silent_comes_back() {
    is_sent_away_late(true).await;
}

#[tokio::test(start_paused = true)]
async fn who_has_asked_nowhere_else_is_sent_away_by_another_window_for_good() {
    let unwelcome = ToClient::Unwelcome(HelloRefusal::Full { most: 1 });
    for first in [None, Some(unwelcome)] {
        let (mut session, mut server, mut servers) = playing().await;
        server.says(&addresses(&["a", "b"])).await;
        news(&mut session).await;
        drop(server);
        if first.is_none() {
            servers.refuse_one();
        }
        let there = async {
            if let Some(answer) = &first {
                servers.next().await.says(answer).await;
            }
            let mut server = servers.next().await;
            assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 3, .. }));
            server.says(&returned()).await;
            server.says(&ToClient::Goodbye(Farewell::Elsewhere)).await;
            server
        };
        let play = async {
            loop {
                match session.next().await {
                    Ok(heard) => drop(session.handle(heard).unwrap()),
                    Err(failure) => return failure,
                }
            }
        };
        let (failure, _server) = tokio::join!(play, there);
        assert!(matches!(failure, Failure::Goodbye(Farewell::Elsewhere)), "{failure:?}");
        assert!(servers.0.try_recv().is_err(), "it asks for the seat again");
    }
}
