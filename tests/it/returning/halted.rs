//! A host that is there again and cannot record anything: a returning player learns so, and waits until it
//! can.

use std::path::Path;

use nim::client::Model;
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{Loss, Moment, Name, Phase, Text};
use nim::wire::{LobbyRequest, Ticket, ToClient};

use super::{ben_and_annas, patient, sees_away, sees_back, takes};
use crate::harness::pretender::entered;
use crate::harness::{Network, NetworkState, Program, TestClient, TestServer};
use crate::storage::faulty::Faulty;

const NOT_BACK: &str = "You are not back yet: nothing can happen at the moment, since the host cannot record it: \
                        the disk is full";

/// Ben, and the program of anna, who cannot reach the server any more; this is its storage.
async fn parted(flags: &[&str], folder: &Path) -> (TestServer, Faulty, Network, TestClient, Program) {
    let storage = Faulty::default();
    let server = TestServer::keeping(storage.clone(), |_| {});
    let network = Network::before(server.address()).await;
    let flags = patient(folder, flags);
    let (mut ben, mut program) = ben_and_annas(&server, &network, &flags).await;
    program.until(if flags.contains(&"--json") { r#""event":"started""# } else { "ben starts." }).await;
    network.set(NetworkState::Down);
    sees_away(&mut ben, Loss::Closed).await;
    (server, storage, network, ben, program)
}

/// From now on nothing can be recorded, and the server knows it.
async fn runs_out_of_paper(server: &TestServer, storage: &Faulty, ben: &mut TestClient) {
    server.client("a visitor").await.look().await;
    storage.is_full(true);
    let turn = ben.lobby().turn();
    ben.ask(LobbyRequest::Play { turn, mv: Move::Nim(Take { pile: 0, count: 1 }) }).await;
    ben.until(|message| matches!(message, ToClient::Halted { why: Some(_), .. }).then_some(())).await;
}

#[tokio::test]
async fn a_returning_player_waits_for_a_host_that_cannot_record_and_sees_why() {
    let folder = tempfile::tempdir().unwrap();
    let (server, storage, network, mut ben, mut program) = parted(&[], folder.path()).await;
    runs_out_of_paper(&server, &storage, &mut ben).await;
    network.set(NetworkState::Up);
    let told = program.until(NOT_BACK).await;
    assert!(told.contains("; trying for another "), "{told}");
    program.types("why\n").await;
    let why = program.until(NOT_BACK).await;
    assert!(why.contains("; trying to come back for another "), "{why}");
    storage.is_full(false);
    program.until("You are back in your seat.").await;
    sees_back(&mut ben).await;
    program.until("Your move").await;
}

#[test]
fn what_a_halted_host_has_not_recorded_has_not_passed_once_it_was_started_again() {
    let mut model = Model::new(Name::clean("anna").unwrap());
    let halted = ToClient::Halted { why: Some(Text::cut("the disk is full")), now: Moment(35_000) };
    let returned = ToClient::Returned { now: Moment(50) };
    model.set_ticket(Ticket::of([7; 16]));
    for told in [entered(), halted, returned] {
        model.learn(&told).unwrap();
    }
    assert_eq!(model.lobby().unwrap().now, Moment(50));
}

#[tokio::test]
async fn a_return_that_is_the_first_thing_not_recorded_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (server, storage, network, mut ben, mut program) = parted(&[], folder.path()).await;
    server.client("a visitor").await.look().await;
    storage.is_full(true);
    network.set(NetworkState::Up);
    program.until(NOT_BACK).await;
    program.types("why\n").await;
    program.until(NOT_BACK).await;
    storage.is_full(false);
    program.until("You are back in your seat.").await;
    sees_back(&mut ben).await;
    takes(&mut ben, 1).await;
    program.until("Your move").await;
}

#[tokio::test]
async fn giving_up_on_a_host_that_cannot_record_does_not_say_that_it_was_not_reached() {
    let folder = tempfile::tempdir().unwrap();
    let (server, storage, network, mut ben, program) = parted(&["--give-up", "1s"], folder.path()).await;
    runs_out_of_paper(&server, &storage, &mut ben).await;
    network.set(NetworkState::Up);
    let ended = program.ended().await;
    assert_eq!(ended.code, Some(9), "{ended:?}");
    assert!(ended.stderr.contains("since the host cannot record it: the disk is full"), "{ended:?}");
    assert!(!ended.stderr.contains("could not be reached"), "{ended:?}");
    assert!(ended.stderr.contains("nim-client resume tries again"), "{ended:?}");
}

#[tokio::test]
async fn resume_waits_for_a_host_that_cannot_record_as_a_program_does_that_was_there_already() {
    let folder = tempfile::tempdir().unwrap();
    let (server, storage, network, mut ben, mut program) = parted(&[], folder.path()).await;
    program.dies().await;
    runs_out_of_paper(&server, &storage, &mut ben).await;
    network.set(NetworkState::Up);
    let resume =
        |flags: &[&str]| Program::client(&[&["resume"], &patient(folder.path(), flags)[..]].concat());
    let mut waits = resume(&[]);
    waits.until(NOT_BACK).await;
    waits.types("why\n").await;
    waits.until(NOT_BACK).await;
    let ended = resume(&["--give-up", "300ms"]).ended().await;
    assert_eq!(ended.code, Some(9), "{ended:?}");
    assert!(ended.stderr.contains("since the host cannot record it"), "{ended:?}");
    storage.is_full(false);
    waits.until("You are back in your seat.").await;
    sees_back(&mut ben).await;
}

#[tokio::test]
async fn a_script_is_told_that_the_host_cannot_record() {
    let folder = tempfile::tempdir().unwrap();
    let (server, storage, network, mut ben, mut program) = parted(&["--json"], folder.path()).await;
    runs_out_of_paper(&server, &storage, &mut ben).await;
    network.set(NetworkState::Up);
    let told = program.until(r#""event":"refused""#).await;
    assert!(told.contains(r#""request":null,"refusal":"halted""#) && told.contains(NOT_BACK), "{told}");
    program.types("{\"do\":\"why\"}\n").await;
    let why = program.until(r#""event":"why""#).await;
    assert!(why.contains(NOT_BACK), "{why}");
    program.dies().await;
    let mut again = Program::client(&[&["resume"], &patient(folder.path(), &["--json"])[..]].concat());
    let told = again.until(r#""event":"refused""#).await;
    assert!(told.contains(r#""request":null,"refusal":"halted""#), "{told}");
    again.types("{\"do\":\"why\"}\n").await;
    let why = again.until(r#""event":"why""#).await;
    assert!(why.contains(NOT_BACK), "{why}");
    storage.is_full(false);
    again.until(r#""event":"entered""#).await;
}

/// Anna's and ben's game on a server that cannot record any more, in which ben has moved; and anna's program.
async fn halted(flags: &[&str], folder: &Path) -> (TestServer, Faulty, Network, TestClient, Program) {
    let storage = Faulty::default();
    let server = TestServer::keeping(storage.clone(), |_| {});
    let network = Network::before(server.address()).await;
    let flags = patient(folder, flags);
    let (mut ben, mut program) = ben_and_annas(&server, &network, &flags).await;
    program.until(if flags.contains(&"--json") { r#""event":"started""# } else { "ben starts." }).await;
    takes(&mut ben, 1).await;
    program.until(if flags.contains(&"--json") { "your_turn" } else { "Your move" }).await;
    runs_out_of_paper_for(&server, &storage, &mut program, flags.contains(&"--json")).await;
    (server, storage, network, ben, program)
}

/// Anna's own move is the first thing that cannot be recorded.
async fn runs_out_of_paper_for(
    server: &TestServer,
    storage: &Faulty,
    program: &mut Program,
    is_script: bool,
) {
    server.client("a visitor").await.look().await;
    storage.is_full(true);
    program.types(if is_script { "{\"do\":\"play\",\"move\":\"1\"}\n" } else { "1\n" }).await;
    program.until(if is_script { r#""event":"halted""# } else { "The game waits: " }).await;
}

#[tokio::test]
async fn a_client_that_quits_while_nothing_can_be_recorded_ends_at_once_and_keeps_its_seat() {
    for (flags, quits) in [(&[][..], "quit\n"), (&["--json"], "{\"do\":\"quit\"}\n")] {
        let folder = tempfile::tempdir().unwrap();
        let (_server, storage, _network, mut ben, mut program) = halted(flags, folder.path()).await;
        program.types(quits).await;
        program.until("It cannot be recorded that you have left. What was recorded before is kept").await;
        assert_eq!(program.ended().await.code, Some(0));
        storage.is_full(false);
        sees_away(&mut ben, Loss::Closed).await;
        let mut again = Program::client(&["resume", "--state", folder.path().to_str().unwrap()]);
        again.until("You are back in your seat.").await;
        sees_back(&mut ben).await;
    }
}

#[tokio::test]
async fn a_client_that_cannot_leave_while_nothing_can_be_recorded_plays_on_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, storage, _network, mut ben, mut program) = halted(&[], folder.path()).await;
    for (typed, told) in [
        ("leave\n", "No: nothing can happen at the moment"),
        ("say hello\n", "No: nothing can happen at the moment"),
        ("takeback\n", "No: nothing can happen at the moment"),
    ] {
        program.types(typed).await;
        program.until(told).await;
    }
    storage.is_full(false);
    program.until("You: take 1").await;
    program.until("What happens is recorded again").await;
    ben.until_lobby(|lobby| lobby.turn() == 3).await;
    takes(&mut ben, 1).await;
    program.until("Your move").await;
    program.types("1\n").await;
    program.until("You: take 1").await;
}

#[tokio::test]
async fn the_seat_of_a_lobby_that_was_set_aside_is_kept_for_a_copy_of_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (server, storage, network, ben, program) = parted(&[], folder.path()).await;
    drop(ben);
    server.interrupt();
    server.stopped().await;
    storage.is_damaged();
    let (server, damaged) = TestServer::keeping_what_it_can(storage.clone(), |_| {});
    assert_eq!(damaged.len(), 1);
    let state = ["resume", "--state", folder.path().to_str().unwrap()];
    network.leads_to(server.address());
    network.set(NetworkState::Up);
    let ended = program.ended().await;
    assert_eq!(ended.code, Some(11), "{ended:?}");
    assert!(ended.stderr.contains("what the host recorded of this lobby is damaged"), "{ended:?}");
    assert!(ended.stderr.contains("a copy from before the damage"), "{ended:?}");
    let as_before = Program::client(&state).ended().await;
    assert_eq!((as_before.code, as_before.stderr), (ended.code, ended.stderr));
    server.interrupt();
    server.stopped().await;
    storage.is_replaced_by_a_backup();
    let server = TestServer::keeping(storage, |_| {});
    network.leads_to(server.address());
    Program::client(&state).until("You are back in your seat.").await;
}

#[tokio::test]
async fn a_line_from_a_pipe_is_answered_while_nothing_can_be_recorded_and_not_done_later() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, storage, _network, mut ben, mut program) = halted(&[], folder.path()).await;
    let typed = [
        ("2\n", "The game waits: "),
        ("hint\n", "No: nothing can happen at the moment"),
        ("yes\n", "There is no offer to answer."),
        ("why\n", "The game waits: "),
    ];
    for (line, answer) in typed {
        program.types(line).await;
        let told = program.until(answer).await;
        assert!(!told.contains("Your move ("), "{told}");
    }
    storage.is_full(false);
    let told = program.until("What happens is recorded again").await;
    assert!(!told.contains("The game waits"), "{told}");
    ben.until_lobby(|lobby| lobby.turn() == 3).await;
    takes(&mut ben, 1).await;
    let told = program.until("Your move").await;
    assert!(!told.contains("You: take 2"), "{told}");
}

/// The program of anna, who asks to join ben while nothing can be recorded.
async fn at_the_door(flags: &[&str]) -> (TestServer, Faulty, TestClient, Program) {
    let storage = Faulty::default();
    let server = TestServer::keeping(storage.clone(), |_| {});
    let mut ben = server.client("ben").await;
    let code = ben.create("java-tech:21").await.to_string();
    server.client("a visitor").await.look().await;
    storage.is_full(true);
    let address = server.address().to_string();
    let flags = [&["connect", &address, "--name", "anna", "--join", &code][..], flags].concat();
    let program = Program::client(&flags);
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
    assert!(!told.contains("recorded again"), "{told}");
    ben.until_lobby(|lobby| lobby.phase() == Phase::Playing).await;
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
