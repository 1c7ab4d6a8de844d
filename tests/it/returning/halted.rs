//! A host that is back but cannot record anything: a returning player is told so, and waits until it can.

use nim::client::Model;
use nim::lobby::{Attendance, Moment, Name, Text};
use nim::wire::{LobbyRequest, Ticket, ToClient};

use super::{PATIENT, begun_there, breaks, sees_away, sees_back, takes};
use crate::harness::pretender::entered;
use crate::harness::{Home, Network, NetworkState, Program, TestClient, TestServer, take};
use crate::storage::memory::Memory;

const NOT_BACK: &str = "You are not back yet: nothing can happen at the moment: \
                        the disk is full";

/// Ben's game with anna's program on a server with this storage.
struct Parted {
    home: Home,
    server: TestServer,
    storage: Memory,
    network: Network,
    ben: TestClient,
    program: Program,
}

/// Ben, who begins, and anna's program.
async fn playing(flags: &[&str]) -> Parted {
    let storage = Memory::default();
    let server = TestServer::keeping(storage.clone(), |_| {});
    let (home, server, network, ben, program) = begun_there(server, flags).await;
    Parted { home, server, storage, network, ben, program }
}

/// The same after anna has lost the connection.
async fn parted(flags: &[&str]) -> Parted {
    let mut game = playing(flags).await;
    breaks(&game.network, &mut game.ben).await;
    game
}

impl Parted {
    /// Makes every later write fail.
    async fn is_full(&self) {
        // The answer to another client shows that everything before it is recorded.
        self.server.client("a visitor").await.look().await;
        self.storage.is_full(true);
    }

    /// The first event that cannot be recorded is ben's move; the network works again.
    async fn is_halted_by_ben(&mut self) {
        self.is_full().await;
        let turn = self.ben.lobby().turn();
        self.ben.ask(LobbyRequest::Play { turn, mv: take(1) }).await;
        self.ben
            .until(|message| matches!(message, ToClient::Halted { why: Some(_), .. }).then_some(()))
            .await;
        self.network.set(NetworkState::Up);
    }
}

#[tokio::test]
async fn a_returning_player_waits_for_a_host_that_cannot_record_and_sees_why() {
    let mut game = parted(&PATIENT).await;
    game.is_halted_by_ben().await;
    let told = game.program.until(NOT_BACK).await;
    assert!(told.contains("; trying for another "), "{told}");
    let why = game.program.asks("why", NOT_BACK).await;
    assert!(why.contains("; reconnecting for another "), "{why}");
    game.storage.is_full(false);
    game.program.until("You are back in your seat.").await;
    sees_back(&mut game.ben).await;
    game.program.until("Your move").await;
}

#[tokio::test]
async fn a_return_that_records_nothing_does_not_wait_for_the_journal() {
    let mut game = parted(&PATIENT).await;
    game.is_full().await;
    game.network.set(NetworkState::Up);
    game.program.until("You are back in your seat.").await;
    sees_back(&mut game.ben).await;
    game.storage.is_full(false);
    takes(&mut game.ben, 1).await;
    game.program.until("Your move").await;
}

#[test]
fn a_returned_client_takes_the_servers_time_after_a_halt() {
    let mut model = Model::new(Name::clean("anna").unwrap());
    let halted = ToClient::Halted { why: Some(Text::cut("the disk is full")), now: Moment(35_000) };
    let returned = ToClient::Returned { attendance: Attendance::default(), now: Moment(50) };
    model.set_ticket(Ticket::of([7; 16]));
    for told in [entered(), halted, returned] {
        model.apply(&told).unwrap();
    }
    assert_eq!(model.lobby().unwrap().now, Moment(50));
}

#[tokio::test]
async fn resume_waits_for_a_host_that_cannot_record_or_gives_up() {
    let mut game = parted(&PATIENT).await;
    game.program.dies().await;
    game.is_halted_by_ben().await;
    let mut waits = game.home.resumes(&PATIENT);
    waits.until(NOT_BACK).await;
    waits.asks("why", NOT_BACK).await;
    let ended = game.home.resumed(&["--give-up", "300ms"]).await;
    ended.fails(9, "nothing can happen at the moment: the disk is full");
    assert!(!ended.stderr.contains("could not be reached"), "{ended:?}");
    assert!(ended.stderr.contains("nim-client resume tries again"), "{ended:?}");
    game.storage.is_full(false);
    waits.until("You are back in your seat.").await;
    sees_back(&mut game.ben).await;
}

#[tokio::test]
async fn a_script_is_told_that_the_host_cannot_record() {
    let flags = [&["--json"], &PATIENT[..]].concat();
    let mut game = parted(&flags).await;
    game.is_halted_by_ben().await;
    for resumes in [false, true] {
        if resumes {
            game.program.dies().await;
            game.program = game.home.resumes(&flags);
        }
        let told = game.program.until(r#""event":"refused""#).await;
        assert!(told.contains(r#""request":null,"refusal":"halted""#) && told.contains(NOT_BACK), "{told}");
        let why = game.program.asks(r#"{"do":"why"}"#, r#""event":"why""#).await;
        assert!(why.contains(NOT_BACK), "{why}");
    }
    game.storage.is_full(false);
    game.program.until(r#""event":"entered""#).await;
}

/// The game after ben's first move; anna's move cannot be recorded.
async fn halted(flags: &[&str]) -> Parted {
    let mut game = playing(flags).await;
    let is_script = flags.contains(&"--json");
    takes(&mut game.ben, 1).await;
    game.program.until(if is_script { "your_turn" } else { "Your move" }).await;
    game.is_full().await;
    let (play, halted) = if is_script {
        (r#"{"do":"play","move":"1"}"#, r#""event":"halted""#)
    } else {
        ("1", "The game waits: ")
    };
    game.program.asks(play, halted).await;
    game
}

#[tokio::test]
async fn a_client_that_quits_while_nothing_can_be_recorded_ends_at_once_and_keeps_its_seat() {
    for (flags, quits) in [(&[][..], "quit"), (&["--json"], r#"{"do":"quit"}"#)] {
        let Parted { home, server: _server, storage, network: _network, mut ben, mut program } =
            halted(flags).await;
        program
            .asks(quits, "It cannot be recorded that you have left. What was recorded before is kept")
            .await;
        assert_eq!(program.ended().await.code, Some(0));
        storage.is_full(false);
        sees_away(&mut ben).await;
        home.is_back(&[]).await;
        sees_back(&mut ben).await;
    }
}

#[tokio::test]
async fn a_client_that_leaves_while_nothing_can_be_recorded_keeps_its_seat_and_waits_for_the_hall() {
    let Parted { home, server: _server, storage, network: _network, mut ben, mut program } =
        halted(&[]).await;
    program.types("leave\n").await;
    program.until("nothing can happen at the moment").await;
    storage.is_full(false);
    program.until("Type a code to join").await;
    sees_away(&mut ben).await;
    program.quits().await;
    home.is_back(&[]).await;
    sees_back(&mut ben).await;
}

#[tokio::test]
async fn lines_typed_while_nothing_can_be_recorded_are_refused_and_not_executed_later() {
    let mut game = halted(&[]).await;
    for (line, answer) in [
        ("2", "The game waits: "),
        ("hint", "No: nothing can happen at the moment"),
        ("say hello", "No: nothing can happen at the moment"),
        ("takeback", "No: nothing can happen at the moment"),
        ("yes", "There is no offer to answer."),
        ("why", "The game waits: "),
    ] {
        let told = game.program.asks(line, answer).await;
        assert!(!told.contains("Your move ("), "{told}");
    }
    game.storage.is_full(false);
    game.program.until("You: take 1").await;
    let told = game.program.until("Recording works again").await;
    assert!(!told.contains("The game waits"), "{told}");
    game.ben.until_turn(3).await;
    takes(&mut game.ben, 1).await;
    let told = game.program.until("Your move").await;
    assert!(!told.contains("You: take 2"), "{told}");
    game.program.asks("1", "You: take 1").await;
}

#[tokio::test]
async fn a_seat_in_a_damaged_lobby_is_kept_until_a_backup_is_restored() {
    let Parted { home, server, storage, network, ben, program } = parted(&PATIENT).await;
    server.stops(ben).await;
    storage.is_damaged();
    let (server, damaged) = TestServer::keeping_what_it_can(storage.clone(), |_| {});
    assert_eq!(damaged.len(), 1);
    network.leads_to(server.address());
    network.set(NetworkState::Up);
    let ended = program.ended().await;
    ended.fails(11, "the host's record of this lobby is damaged");
    assert!(ended.stderr.contains("a copy from before the damage"), "{ended:?}");
    let as_before = home.resumed(&[]).await;
    assert_eq!((as_before.code, as_before.stderr), (ended.code, ended.stderr));
    server.stops(()).await;
    storage.is_replaced_by_a_backup();
    let server = TestServer::keeping(storage, |_| {});
    network.leads_to(server.address());
    home.is_back(&[]).await;
}

/// The program of anna, who asks to join ben's lobby while nothing can be recorded.
async fn at_the_door(flags: &[&str]) -> (TestServer, Memory, TestClient, Program) {
    let storage = Memory::default();
    let server = TestServer::keeping(storage.clone(), |_| {});
    let mut ben = server.client("ben").await;
    let code = ben.create("java-tech:21").await.to_string();
    server.client("a visitor").await.look().await;
    storage.is_full(true);
    let program = server.program("anna", &[&["--join", &code], flags].concat());
    (server, storage, ben, program)
}

#[tokio::test]
async fn a_first_join_waits_while_nothing_can_be_recorded_and_succeeds_afterwards() {
    let (_server, storage, mut ben, mut program) = at_the_door(&[]).await;
    let why = "The game waits: what happens cannot be recorded (the disk is full).";
    program.until(why).await;
    for line in ["why\n", "list\n"] {
        program.types(line).await;
        program.until(why).await;
    }
    storage.is_full(false);
    let told = program.until("java-tech:21: ben against anna.").await;
    assert!(!told.contains("works again"), "{told}");
    ben.until_playing().await;
}

#[tokio::test]
async fn a_player_waiting_to_join_a_host_that_cannot_record_can_leave() {
    for (flags, waits, quits) in [
        (&[][..], "The game waits: ", "quit\n"),
        (&["--json"], r#""event":"halted","words":"the disk is full""#, "{\"do\":\"quit\"}\n"),
    ] {
        let (_server, storage, _ben, mut program) = at_the_door(flags).await;
        program.until(waits).await;
        program.types(quits).await;
        assert_eq!(program.ended().await.code, Some(0), "{flags:?}");
        storage.is_full(false);
    }
}
