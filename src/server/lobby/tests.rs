//! Tests: seats, clocks, chat and eviction of one lobby, without sockets.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, advance};

use super::*;
use crate::game::Side;
use crate::game::any::Move;
use crate::game::nim::Take;
use crate::lobby::{
    AwayRule, ClockRule, Conditions, Departure, Event, Kind, LobbyRequest, Moment, Name, Phase, Refusal,
    Text, WhenAway, Who,
};
use crate::server::app::App;
use crate::server::config::Config;
use crate::server::connection::Connection;
use crate::server::connection::tests::{Slot, connection};
use crate::server::names::NameClaim;
use crate::server::storage::sqlite::{Durability, Sqlite};
use crate::server::storage::{LobbyId, Storage};
use crate::wire::{ChatRoom, HallRefusal, Ticket, ToClient};

const ADDRESS: [u8; 4] = [10, 0, 0, 1];

/// A server whose jobs are run where they are asked for.
pub(in crate::server) fn config() -> Config {
    Config { thinkers: Some(0), ..Config::default() }
}

pub(in crate::server) fn opened(app: &App, conditions: Conditions) -> Arc<LobbyHandle> {
    let plan = Plan { variant: "take:9:4".parse().unwrap(), conditions, origin: None };
    app.registry.open(ADDRESS.into(), plan, None).unwrap()
}

/// A person with a seat, and the messages that were sent to them.
pub(in crate::server) struct Player {
    pub(in crate::server) who: Who,
    pub(in crate::server) ticket: Ticket,
    name: Arc<NameClaim>,
    pub(in crate::server) connection: Arc<Connection>,
    pub(in crate::server) socket: Arc<Slot>,
}

impl Player {
    pub(in crate::server) fn sits(app: &App, lobby: &Arc<LobbyHandle>, name: &str) -> Self {
        Self::sits_with(Ticket::random(), app, lobby, name)
    }

    pub(in crate::server) fn sits_with(
        ticket: Ticket,
        app: &App,
        lobby: &Arc<LobbyHandle>,
        name: &str,
    ) -> Self {
        let (connection, socket) = connected();
        let name = Arc::new(app.services.names.claim(&Name::clean(name).unwrap()));
        let player = lobby.sit((&name, Kind::Person, None), None, ticket.hash(), &connection).unwrap();
        app.registry.note_seat(lobby, ticket.hash());
        Self { who: Who::Player(player), ticket, name, connection, socket }
    }

    pub(in crate::server) fn asks(
        &self,
        lobby: &Arc<LobbyHandle>,
        request: LobbyRequest,
    ) -> Result<(), Refusal> {
        lobby.ask((self.who, &self.connection), request, Instant::now())
    }
}

pub(in crate::server) fn connected() -> (Arc<Connection>, Arc<Slot>) {
    let socket = Arc::new(Slot::that_takes_all());
    (Arc::new(connection(Box::new(Arc::clone(&socket)))), socket)
}

/// A server in memory, and a lobby in which anna and ben play.
fn game(conditions: Conditions) -> (App, Arc<LobbyHandle>, [Player; 2]) {
    let app = App::in_memory(config());
    let lobby = opened(&app, conditions);
    let players = ["anna", "ben"].map(|name| Player::sits(&app, &lobby, name));
    (app, lobby, players)
}

/// Waits until the seats of absent players are given up.
async fn loses_the_seat(lobby: &Arc<LobbyHandle>) {
    let kept = lobby.lock().lobby.kept_for();
    advance(kept).await;
    lobby.on_timer();
}

fn move_of_turn(turn: u32) -> LobbyRequest {
    LobbyRequest::Play { turn, mv: Move::Nim(Take { pile: 0, count: 1 }) }
}

#[tokio::test(start_paused = true)]
async fn requests_over_a_connection_that_lost_its_seat_are_refused() {
    let (_app, lobby, [anna, _ben]) = game(Conditions::default());
    let (newer, _socket) = connected();
    lobby.come_back(&anna.ticket, 0, &newer).unwrap();
    for request in [move_of_turn(1), LobbyRequest::Resign] {
        assert_eq!(anna.asks(&lobby, request), Err(Refusal::NotSeated));
    }
    assert_eq!((lobby.turn(), lobby.lock().lobby.phase()), (1, Phase::Playing));
    assert_eq!(Player { connection: newer, ..anna }.asks(&lobby, move_of_turn(1)), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn the_time_from_the_arrival_of_a_move_to_its_decision_is_not_the_players() {
    let clock = ClockRule::Fischer { base: 60_000, bonus: 0 };
    let (_app, lobby, [anna, ben]) = game(Conditions { clock, ..Conditions::default() });
    advance(Duration::from_secs(2)).await;
    let arrived = Instant::now();
    advance(Duration::from_secs(5)).await;
    lobby.ask((anna.who, &anna.connection), move_of_turn(1), arrived).unwrap();
    let told = ben.socket.messages();
    let moved = |message: &&ToClient| matches!(message, ToClient::Lobby { event: Event::Moved { .. }, .. });
    let moved = told.iter().find(moved);
    assert!(matches!(moved, Some(ToClient::Lobby { at: Moment(2_000), .. })), "{told:?}");
    let left = lobby.lock().lobby.clocks().left_at(Side::First, Moment(2_000));
    assert_eq!(left, Duration::from_secs(58));
}

#[tokio::test(start_paused = true)]
async fn the_next_player_does_not_see_the_chat_of_those_before() {
    let (app, lobby, [anna, ben]) = game(Conditions::default());
    lobby.say(ChatRoom::Players, anna.name.name(), Text::cut("between us"));
    let has_chat =
        |player: &Player| player.socket.messages().iter().any(|message| matches!(message, ToClient::Said(_)));
    assert!(has_chat(&ben));
    lobby.leave(anna.who, &anna.connection);
    ben.asks(&lobby, LobbyRequest::Again).unwrap();
    let cleo = Player::sits(&app, &lobby, "cleo");
    assert!(!has_chat(&cleo), "{:?}", cleo.socket.messages());
    lobby.say(ChatRoom::Players, cleo.name.name(), Text::cut("hello"));
    assert!(has_chat(&cleo));
}

#[tokio::test(start_paused = true)]
async fn a_lobby_that_was_left_less_than_a_minute_ago_is_not_evicted() {
    let app = App::in_memory(config());
    let lobby = opened(&app, Conditions::default());
    let anna = Player::sits(&app, &lobby, "anna");
    assert_eq!(lobby.left_since(), None, "she is there");
    lobby.on_disconnect(anna.who, &anna.connection);
    let left = app.services.clock.now();
    advance(Duration::from_millis(59_999)).await;
    assert_eq!(lobby.left_since(), None);
    advance(Duration::from_millis(1)).await;
    assert_eq!(lobby.left_since(), Some(left));
}

#[tokio::test(start_paused = true)]
async fn a_game_that_everybody_left_more_than_a_minute_ago_does_not_count_as_played() {
    let away = AwayRule { then: WhenAway::Wait, ..AwayRule::default() };
    let (_app, lobby, [anna, ben]) = game(Conditions { away, ..Conditions::default() });
    lobby.on_disconnect(anna.who, &anna.connection);
    advance(Duration::from_mins(2)).await;
    assert!(lobby.is_playing(), "ben is there");
    lobby.on_disconnect(ben.who, &ben.connection);
    assert!(lobby.is_playing());
    advance(Duration::from_mins(1)).await;
    assert_eq!(lobby.lock().lobby.phase(), Phase::Playing);
    assert!(!lobby.is_playing());
}

#[tokio::test(start_paused = true)]
async fn a_player_whose_seat_was_given_up_learns_that_while_the_lobby_lives_on() {
    let (_app, lobby, [anna, ben]) = game(Conditions::default());
    ben.asks(&lobby, LobbyRequest::Resign).unwrap();
    lobby.on_disconnect(anna.who, &anna.connection);
    loses_the_seat(&lobby).await;
    assert_ne!(lobby.lock().lobby.phase(), Phase::Closed);
    let (newer, _socket) = connected();
    let back = lobby.come_back(&anna.ticket, 0, &newer);
    assert_eq!(back.map(|(player, _)| player), Err(HallRefusal::GivenUp));
}

#[tokio::test(start_paused = true)]
async fn only_those_who_still_have_a_seat_are_recorded_as_its_owners() {
    for how in [Departure::Quit, Departure::Lost] {
        let folder = tempfile::tempdir().unwrap();
        let storage = || Box::new(Sqlite::open(folder.path(), Durability::Process).unwrap().0);
        let (app, _) = App::with_storage(config(), storage(), None).unwrap();
        let lobby = opened(&app, Conditions::default());
        let [anna, ben] = ["anna", "ben"].map(|name| Player::sits(&app, &lobby, name));
        ben.asks(&lobby, LobbyRequest::Resign).unwrap();
        if how == Departure::Quit {
            lobby.leave(anna.who, &anna.connection);
        } else {
            lobby.on_disconnect(anna.who, &anna.connection);
            loses_the_seat(&lobby).await;
        }
        drop((lobby, app));
        let mut found = Vec::new();
        storage().load(&mut |stored| found.push(stored.unwrap())).unwrap();
        let [stored] = &found[..] else { panic!("one lobby: {found:?}") };
        assert_eq!(stored.lobby, LobbyId(1));
        let owners: Vec<&str> = stored.owners.iter().map(|owner| owner.name.as_str()).collect();
        assert_eq!(owners, ["ben"], "{how:?}");
    }
}
