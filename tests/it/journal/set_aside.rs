//! A lobby that was set aside: requests for it are told so.

use nim::lobby::Text;
use nim::wire::{HallRefusal, HallRequest, Refusal};

use super::{playing, takes_one};
use crate::harness::{TestServer, join};

#[tokio::test]
async fn every_request_for_a_lobby_that_was_set_aside_is_told_so() {
    let (storage, server, mut anna, ben) = playing().await;
    takes_one(&mut anna).await;
    anna.until_turn(2).await;
    let (claim, code) = (anna.claim(), anna.lobby().code());
    server.stops((anna, ben)).await;
    storage.is_damaged();
    let (server, damaged) = TestServer::keeping_what_it_can(storage, |_| {});
    assert_eq!(damaged.len(), 1);
    let mut anna = server.client("anna").await;
    let text = Text::cut(&code.to_string());
    for request in [claim.request(), join(code), HallRequest::Watch { code: text, password: None }] {
        let refusal = anna.refused_in_hall(request.clone()).await;
        assert_eq!(refusal, Refusal::Hall(HallRefusal::SetAside { lobby: 1 }), "{request:?}");
    }
    anna.create("tic-tac-toe").await;
}
