//! What the present player can do about an absence: wait, claim the game, or leave too.

use std::time::Duration;

use nim::game::{Outcome, Side};
use nim::lobby::{Cause, GameResult, WhenAway};
use nim::wire::{self, HallRefusal, LobbyRequest, Ticket};

use super::{away, vanish};
use crate::harness::{Claim, TestServer, first_move, game, game_on, pair, play_out, skip, stopped_clock};

/// How long seats are kept here if nobody waits: shorter than the time until a silent connection is pinged.
const KEPT: Duration = Duration::from_secs(5);

#[tokio::test]
async fn a_game_can_be_claimed_from_a_player_who_is_away_too_long() {
    let (server, anna, mut ben) = game_on(away(WhenAway::Forfeit, 0)).await;
    let claim = vanish(anna, &mut ben).await;
    ben.ask(LobbyRequest::Claim).await;
    let won = GameResult { outcome: Outcome::Win(ben.side()), cause: Cause::Forfeited };
    assert_eq!(ben.result().await, won);
    // She loses the game but keeps the seat.
    let mut back = server.comes_back(claim).await;
    assert_eq!(back.result().await, won);
    back.ask(LobbyRequest::Again).await;
    ben.ask(LobbyRequest::Again).await;
    back.until_lobby(|lobby| lobby.games() == 2).await;
}

#[tokio::test]
async fn a_returning_player_learns_that_the_game_was_given_up() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.seats_kept = KEPT);
    let (anna, ben) = pair(&server, away(WhenAway::Wait, 0)).await;
    let claims = [anna.claim(), ben.claim()];
    let mut cleo = server.watcher("cleo", &anna).await;
    drop((anna, ben));
    cleo.until_lobby(|lobby| Side::BOTH.into_iter().all(|side| lobby.absence(side).is_some())).await;
    tokio::time::advance(KEPT + Duration::from_millis(1)).await;
    server.lobby_is_freed(claims[0].code).await;
    let mut late = server.client("late").await;
    let stranger = Claim { ticket: Ticket::of([7; 16]), ..claims[0] };
    for (claim, reason) in [
        (claims[0], HallRefusal::GivenUp),
        (claims[1], HallRefusal::GivenUp),
        (stranger, HallRefusal::NoSuchLobby),
    ] {
        let refusal = late.refused_in_hall(claim.request()).await;
        assert_eq!(refusal, wire::Refusal::Hall(reason), "{claim:?}");
    }
}

#[tokio::test]
async fn a_silent_client_is_waited_for_only_until_it_is_gone() {
    for (gone_after, silent) in [(20, 30_000), (45, 40_000)] {
        let server = TestServer::with(|config| config.gone_after = Duration::from_secs(gone_after));
        let (anna, _) = server.opened("anna", away(WhenAway::StandIn, 10_000)).await;
        assert_eq!(anna.lobby().conditions().away.silent_after, silent);
    }
}

#[tokio::test]
async fn both_players_can_return_at_the_same_time() {
    let (server, anna, ben) = game("java-tech:21").await;
    let claims = [anna.claim(), ben.claim()].map(|claim| Claim { seen: 0, ..claim });
    drop((anna, ben));
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    let (hers, his) = tokio::join!(anna.tries(claims[0].request()), ben.tries(claims[1].request()));
    assert_eq!((hers, his), (Ok(()), Ok(())));
    for player in [&mut anna, &mut ben] {
        player.until_lobby(|lobby| Side::BOTH.into_iter().all(|side| lobby.is_here(side))).await;
    }
    play_out(&mut anna, &mut ben, first_move).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_waiting_player_is_told_how_to_stop_waiting() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let code = anna.create_on(away(WhenAway::Forfeit, 5_000)).await.to_string();
    let mut ben = server.terminal("ben", &["--join", &code]);
    ben.until("anna starts.").await;
    ben.until("the opponent may claim the game after 5 seconds.").await;
    drop(anna);
    ben.until("anna is away").await;
    skip(Duration::from_secs(5)).await;
    ben.asks("wait", "You wait for anna.").await;
    ben.until("You wait for anna; the game can be claimed. Type claim to take the game.").await;
    ben.asks("help", "  wait no more  let what was agreed apply again").await;
    ben.asks("wait no more", "You wait no more for anna.").await;
    ben.until("anna is away. The game can be claimed. Type claim to take the game.").await;
    ben.asks("wait", "You wait for anna.").await;
    ben.asks("claim", "You won: anna was away for too long.").await;
}
