//! Stand-ins: a bot plays for an absent player, who gets the seat back.

use std::time::Duration;

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{Event, Hand, Hints, Kind, Level, Notice, Phase, WhenAway};
use nim::wire::{AwayWish, BotWish, NewLobby, Presence, Starts};

use super::{away, until_stand_in_moves, vanish};
use crate::harness::{Heaps, TestClient, TestServer, game_on, pair, stopped_clock, take, terms};

#[tokio::test]
async fn the_returning_person_displaces_the_stand_in() {
    let (server, anna, mut ben) = game_on(away(WhenAway::StandIn, 0)).await;
    let claim = vanish(anna, &mut ben).await;
    until_stand_in_moves(&mut ben).await;
    let mut anna = server.comes_back(claim).await;
    let side = anna.side();
    ben.until_notice(|notice| *notice == Notice::Back { side }).await;
    ben.play(take(1)).await;
    anna.until_turn(3).await;
    // She makes the move herself.
    anna.play(take(1)).await;
    ben.until_event(|event| matches!(event, Event::Moved { turn: 3, hand: Hand::Own, .. })).await;
}

#[tokio::test]
async fn moves_of_a_stand_in_are_marked_and_the_list_shows_it() {
    let (server, [mut watcher]) = TestServer::start_for(["watcher"]).await;
    watcher.look().await;
    let (anna, mut ben) = pair(&server, away(WhenAway::StandIn, 0)).await;
    let (side, id) = (anna.side(), anna.player());
    let claim = vanish(anna, &mut ben).await;
    ben.until_event(|event| *event == Event::StoodIn { side }).await;
    let moved = ben.until_event(|event| matches!(event, Event::Moved { .. })).await;
    assert!(matches!(moved, Event::Moved { player, hand: Hand::StandIn, .. } if player == id), "{moved:?}");
    until_present(&mut watcher, Presence::StandIn).await;
    let _back = server.comes_back(claim).await;
    until_present(&mut watcher, Presence::Here).await;
}

/// Reads until the list shows a person with this presence in the first seat of the only lobby.
async fn until_present(watcher: &mut TestClient, presence: Presence) {
    loop {
        let listed = watcher.until_hall_told().await;
        let first = listed[0].seats.first.as_ref();
        if first.is_some_and(|sitter| (sitter.kind, sitter.presence) == (Kind::Person, presence)) {
            return;
        }
    }
}

#[tokio::test]
async fn a_result_of_the_bot_that_comes_too_late_is_dropped() {
    const PACE: Duration = Duration::from_hours(1);
    let _clock = stopped_clock();
    let server = TestServer::with(|config| {
        config.bot_pace = PACE;
        (config.ping_after, config.gone_after) = (100 * PACE, 200 * PACE);
    });
    for returns in [true, false] {
        let (anna, mut ben) = pair(&server, away(WhenAway::StandIn, 0)).await;
        let claim = vanish(anna, &mut ben).await;
        // Due events happen at the next tick of the clock, which here advances only when the test says so.
        tokio::time::advance(Duration::from_millis(2)).await;
        ben.until_event(|event| matches!(event, Event::StoodIn { .. })).await;
        if !returns {
            tokio::time::advance(2 * PACE).await;
            until_stand_in_moves(&mut ben).await;
            continue;
        }
        let mut anna = server.comes_back(claim).await;
        tokio::time::advance(2 * PACE).await;
        anna.catch_up().await;
        assert_eq!(anna.lobby().turn(), 1, "the bot's move before the restart was dropped");
        anna.play(take(1)).await;
    }
}

#[tokio::test]
async fn bots_do_not_count_as_people() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    anna.create_on(NewLobby { bot: BotWish::AtOnce, ..away(WhenAway::StandIn, 0) }).await;
    anna.until_playing().await;
    let (side, seen) = (anna.side(), anna.lobby().last_event());
    let claim = anna.claim();
    let mut watcher = server.client("watcher").await;
    watcher.look().await;
    drop(anna);
    until_present(&mut watcher, Presence::Away).await;
    // A bot as opponent does not wait, so nobody stands in: the game stops until she is back.
    let back = server.comes_back(claim).await;
    assert!(back.lobby().is_here(side));
    let lobby = back.lobby();
    assert_eq!((lobby.last_event(), lobby.turn(), lobby.phase()), (seen, 1, Phase::Playing));
}

/// How many games are played against stand-ins: a beginner does not win all of them by chance.
const GAMES: usize = 5;

/// A perfect move from a position that is not lost, else the smallest one.
fn faultless(heaps: &Heaps) -> Move {
    Move::Nim(Take { pile: 0, count: ((heaps.left() - 1) % 4).max(1) })
}

#[tokio::test]
async fn where_players_get_no_hints_a_stand_in_is_the_weakest_unless_the_lobby_names_another_level() {
    let server = TestServer::start();
    for (hints, wished, agreed) in [
        (Hints::Nobody, None, Level::Beginner),
        (Hints::AgainstBots, None, Level::Beginner),
        (Hints::Watchers, None, Level::Beginner),
        (Hints::All, None, Level::Perfect),
        (Hints::Nobody, Some(Level::Perfect), Level::Perfect),
        (Hints::All, Some(Level::Beginner), Level::Beginner),
    ] {
        let away = AwayWish { then: WhenAway::StandIn, level: wished, after: 0 };
        let mut won = 0;
        for _ in 0..GAMES {
            // Ben begins in a lost position, so that a perfect opponent wins every game.
            let terms = NewLobby { away, hints, starts: Starts::Them, ..terms("java-tech:21") };
            let (anna, mut ben) = pair(&server, terms).await;
            for told in [anna.lobby(), ben.lobby()] {
                assert_eq!((told.turn(), told.conditions().away.level), (1, agreed));
            }
            let absent = anna.side();
            drop(anna);
            let result = ben.play_to_the_end(faultless).await;
            won += usize::from(result.outcome.winner() == Some(absent));
            ben.leave().await;
        }
        assert_eq!(won == GAMES, agreed == Level::Perfect, "{hints:?}, {wished:?}: {won}");
    }
}
