//! A disk that one address has filled: a small file system in a mount namespace of its own.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nim::game::Side;
use nim::lobby::{Code, Event, Name, Text};
use nim::server::storage::sqlite::{Durability, check};
use nim::server::storage::{Entry, LobbyId, LobbyMeta, Note, Owner, Sqlite, Storage, WallTime};
use nim::wire::{BotWish, Farewell, HallRefusal, HallRequest, NewLobby, Refusal, ToClient};

use super::{goes_on, halts, playing, recording, takes_one};
use crate::harness::{
    Home, TestClient, TestServer, first_move, join, pair, pass, play_out, stopped_clock, terms,
};
use crate::storage::checkpoints::Long;
use crate::storage::crash::opened;
use crate::storage::memory::Memory;
use crate::storage::random_play::START;
use crate::storage::{happened, owner};

/// If this is set, the test program runs in the namespace, with a small disk there.
const DISK: &str = "NIM_SMALL_DISK";

/// Runs a test of this file with a disk of 56 MB, if this machine lets users mount one. The reserve takes 40 when it is made
/// again, and 8 of the journal are never pruned: with 48 the disk could stay full.
fn on_a_small_disk(test: &str) {
    on_a_disk(56, test);
}

/// The same with a disk of this many megabytes.
fn on_a_disk(size: u32, test: &str) {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=$3m,mode=700 small \"$1\" || exit 77; exec \"$0\" --exact --nocapture --ignored \"$2\"";
    let name = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    let program = std::env::current_exe().unwrap();
    let mut unshare = Command::new("unshare");
    unshare
        .args(["--mount", "--map-root-user", "sh", "-c", script])
        .arg(program)
        .arg(folder.path())
        .arg(name)
        .arg(size.to_string());
    let Ok(done) = unshare.env(DISK, folder.path()).output() else {
        println!("NOT CHECKED: there is no unshare here");
        return;
    };
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    println!("{said}");
    if !done.status.success() && !said.contains("running 1 test") {
        println!("NOT CHECKED: this machine mounts no disk for tests: {said}");
        return;
    }
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

fn disk() -> PathBuf {
    std::env::var_os(DISK).unwrap().into()
}

/// What is recorded of this game in a lobby of this number, which was opened from this address and may be
/// closed.
fn entries(long: &Long, lobby: u64, from: u8, closes: bool) -> Vec<Entry> {
    let opener = [192, 168, 0, from].into();
    let code = Code::from_bits(u16::try_from(lobby).unwrap(), 0);
    let meta = LobbyMeta { opener, code, ..long.meta.clone() };
    let mut notes = vec![Note::Opened(meta)];
    for (number, (at, event)) in (1..).zip(&long.history.events) {
        let mut event = event.clone();
        if let Event::Sat { player, .. } = &mut event {
            // No two players have the same name.
            player.name = Name::clean(&format!("{}-{lobby}", player.name)).unwrap();
            let (id, name) = (player.id, player.name.clone());
            notes.push(Note::Seated(Owner { player: id, name, ..owner(1, 7) }));
        }
        notes.push(happened(number, *at, event));
    }
    if closes {
        notes.push(happened(long.history.lobby.last_event() + 1, long.history.now, Event::Closed));
    }
    let wall = WallTime(START + lobby);
    notes.into_iter().map(|note| Entry { wall, lobby: LobbyId(lobby), note }).collect()
}

/// Fills the disk from one address, after a lobby of another one was closed. Returns how many lobbies there
/// are.
fn fill(journal: &mut Sqlite, closes: bool) -> u64 {
    journal.record(&entries(&Long::of(20), 1, 2, true)).unwrap();
    let attack = Long::of(2_000);
    for lobby in 2.. {
        journal.record(&entries(&attack, lobby, 1, closes)).unwrap();
        if journal.shortage().is_some() {
            return lobby;
        }
    }
    unreachable!("the disk is full before")
}

/// A client that has opened a lobby, which is refused while the disk is full.
async fn opens_once_there_is_room(server: &TestServer) -> TestClient {
    let mut client = server.client("anna").await;
    // A bot is not to come first, however long that takes.
    let wish = || NewLobby { bot: BotWish::PeopleOnly, ..terms("java-tech:21") };
    while client.tries(HallRequest::Create(wish())).await.is_err() {
        tokio::task::yield_now().await;
    }
    client
}

/// The lobbies that the journal has.
fn lobbies(disk: &Path) -> Vec<i64> {
    let journal = rusqlite::Connection::open(disk.join("journal.sqlite")).unwrap();
    let mut select = journal.prepare("SELECT id FROM lobbies ORDER BY id").unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_disk_that_closed_lobbies_of_one_address_have_filled_is_pruned_and_the_honest_record_stays() {
    on_a_small_disk("closed_lobbies_fill_it");
}

#[tokio::test]
#[ignore = "started by another test"]
async fn closed_lobbies_fill_it() {
    let disk = disk();
    let mut journal = opened(&disk, Durability::Process).with_reserve();
    assert!(disk.join("journal.reserve").exists() && journal.shortage().is_none());
    let attacks = fill(&mut journal, true);
    assert!(!disk.join("journal.reserve").exists(), "it was given up");
    let server = TestServer::keeping(journal, |_| {});
    let mut anna = opens_once_there_is_room(&server).await;
    super::until("room for the reserve again", || disk.join("journal.reserve").exists()).await;
    let mut ben = server.client("ben").await;
    // The server grants requests again only a moment after there is room.
    while ben.tries(join(anna.lobby().code())).await.is_err() {
        tokio::task::yield_now().await;
    }
    anna.until_playing().await;
    play_out(&mut anna, &mut ben, first_move).await;
    server.stops((anna, ben)).await;
    let left = lobbies(&disk);
    assert!(left.contains(&1) && (left.len() as u64) < attacks, "{left:?}");
    assert_eq!(check(&disk).unwrap().findings, [""; 0]);
}

#[tokio::test]
async fn a_journal_that_open_lobbies_of_one_address_make_too_large_loses_these_and_no_honest_record() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = opened(folder.path(), Durability::Process);
    journal.record(&entries(&Long::of(20), 1, 2, true)).unwrap();
    let attack = Long::of(4_000);
    (2..=3).for_each(|lobby| journal.record(&entries(&attack, lobby, 1, false)).unwrap());
    let (quiet, quiet_lobby) = (Long::of(10), 4);
    journal.record(&entries(&quiet, quiet_lobby, 3, false)).unwrap();
    drop(journal);
    let journal = opened(folder.path(), Durability::Process);
    let server = TestServer::keeping(journal, |config| config.history.bytes = 200_000);
    let is_pruned = || lobbies(folder.path()) == [1, 4];
    super::until("the long lobbies to be closed and pruned", is_pruned).await;
    server.stops(()).await;
    assert_eq!(check(folder.path()).unwrap().findings, [""; 0]);
}

#[test]
fn where_open_lobbies_have_filled_the_disk_those_that_everybody_has_left_are_closed() {
    on_a_small_disk("open_lobbies_fill_it");
}

#[tokio::test]
#[ignore = "started by another test"]
async fn open_lobbies_fill_it() {
    let disk = disk();
    let attacks = fill(&mut opened(&disk, Durability::Process).with_reserve(), false);
    // After a restart nobody is connected.
    let journal = opened(&disk, Durability::Process).with_reserve();
    let began = std::time::Instant::now();
    let server = TestServer::keeping(journal, |_| {});
    let anna = opens_once_there_is_room(&server).await;
    println!("{attacks} lobbies had filled the disk; it went on after {:?}", began.elapsed());
    assert!(began.elapsed() < std::time::Duration::from_secs(30));
    server.stops(anna).await;
    assert!(lobbies(&disk).contains(&1));
    assert_eq!(check(&disk).unwrap().findings, [""; 0]);
}

#[test]
fn where_interleaved_lobbies_of_many_addresses_have_filled_the_disk_they_give_way_together() {
    on_a_disk(60, "interleaved_lobbies_fill_it");
}

#[tokio::test]
#[ignore = "started by another test"]
async fn interleaved_lobbies_fill_it() {
    const ADDRESSES: u8 = 40;
    let disk = disk();
    let mut journal = opened(&disk, Durability::Process).with_reserve();
    journal.record(&entries(&Long::of(20), 1, 200, true)).unwrap();
    let attack = Long::of(19_000);
    let lobbies_of_all = (2..).zip(1..=ADDRESSES).map(|(lobby, from)| entries(&attack, lobby, from, false));
    let mut each: Vec<_> = lobbies_of_all.map(IntoIterator::into_iter).collect();
    let mut step = || each.iter_mut().flat_map(|entries| entries.by_ref().take(25)).collect::<Vec<_>>();
    // A restart makes room, since it empties the log of the database; so it is filled again.
    while journal.shortage().is_none() {
        while journal.shortage().is_none() {
            let batch = step();
            assert!(!batch.is_empty(), "the disk is full before");
            journal.record(&batch).unwrap();
        }
        drop(journal);
        journal = opened(&disk, Durability::Process).with_reserve();
    }
    let server = TestServer::keeping(journal, |_| {});
    let began = std::time::Instant::now();
    let mut anna = server.client("anna").await;
    while anna.tries(nim::wire::HallRequest::Create(terms("java-tech:21"))).await.is_err() {
        tokio::task::yield_now().await;
    }
    println!("it went on after {:?}", began.elapsed());
    assert!(began.elapsed() < std::time::Duration::from_secs(30));
    server.stops(anna).await;
    assert!(lobbies(&disk).contains(&1), "the record of another address stays");
    assert_eq!(check(&disk).unwrap().findings, [""; 0]);
}

#[tokio::test]
async fn games_go_on_once_somebody_has_made_room_on_a_full_disk() {
    let (memory, _server, mut anna, mut ben) = playing().await;
    memory.is_short(true);
    takes_one(&mut anna).await;
    halts(&mut anna).await;
    halts(&mut ben).await;
    memory.is_short(false);
    goes_on(&mut anna).await;
    goes_on(&mut ben).await;
    takes_one(&mut ben).await;
    anna.until_turn(3).await;
}

#[test]
fn on_a_disk_that_another_program_has_filled_games_go_on_once_there_is_room() {
    on_a_small_disk("another_program_fills_it");
}

#[tokio::test]
#[ignore = "started by another test"]
async fn another_program_fills_it() {
    let (disk, file) = (disk(), disk().join("of another program"));
    let server = TestServer::keeping(opened(&disk, Durability::Process).with_reserve(), |_| {});
    let (mut anna, mut ben) = pair(&server, terms("java-tech:10000")).await;
    let mut other = std::fs::File::create(&file).unwrap();
    while other.write_all(&[7; 4_096]).is_ok() {}
    for turn in 1.. {
        takes_one(if turn % 2 == 1 { &mut anna } else { &mut ben }).await;
        let halts_or_goes_on = |message: &ToClient| match message {
            ToClient::Halted { .. } => Some(true),
            ToClient::Lobby { event: Event::Moved { turn: made, .. }, .. } if *made == turn => Some(false),
            _ => None,
        };
        let (of_anna, of_ben) = (anna.until(halts_or_goes_on).await, ben.until(halts_or_goes_on).await);
        if of_anna || of_ben {
            break;
        }
    }
    // The system frees the room of a file that is closed.
    drop(other);
    std::fs::remove_file(&file).unwrap();
    goes_on(&mut anna).await;
    goes_on(&mut ben).await;
    let turn = anna.lobby().turn();
    takes_one(if turn % 2 == 1 { &mut anna } else { &mut ben }).await;
    anna.until_turn(turn + 1).await;
    server.stops((anna, ben)).await;
    assert!(disk.join("journal.reserve").exists(), "there is room for it again");
    assert_eq!(check(&disk).unwrap().findings, [""; 0]);
}

/// The open lobbies of everybody here leave no space, which `mover` is the first to learn, until they are closed.
async fn fill_until_closed(memory: &Memory, mover: &mut TestClient) {
    memory.is_blocked_by(Ipv4Addr::LOCALHOST.into());
    memory.is_short(true);
    takes_one(mover).await;
    halts(mover).await;
    pass(Duration::from_secs(5)).await;
    assert_eq!(mover.wire().farewell().await, Farewell::NoDiskSpace);
}

#[tokio::test]
async fn players_and_watchers_of_a_lobby_that_was_closed_to_free_disk_space_are_told_so() {
    let _clock = stopped_clock();
    let (memory, server, mut anna, ben) = playing().await;
    let mut cleo = server.watcher("cleo", &anna).await;
    let claims = [anna.claim(), ben.claim()];
    drop(ben);
    anna.until_lobby(|lobby| lobby.absence(Side::Second).is_some()).await;
    fill_until_closed(&memory, &mut anna).await;
    assert_eq!(cleo.wire().farewell().await, Farewell::NoDiskSpace);
    memory.is_short(false);
    let mut late = server.client("late").await;
    for claim in claims {
        let refusal = loop {
            match late.refused_in_hall(claim.request()).await {
                Refusal::Halted { .. } => {}
                refusal => break refusal,
            }
        };
        let why = Text::cut(&Farewell::NoDiskSpace.to_string());
        assert_eq!(refusal, Refusal::Hall(HallRefusal::LobbyClosed(why)));
    }
}

#[tokio::test]
async fn the_client_of_a_lobby_that_was_closed_to_free_disk_space_says_so_and_keeps_no_seat() {
    let _clock = stopped_clock();
    let ((memory, server), home) = (recording(), Home::new());
    let (mut ben, code) = server.opened("ben", terms("java-tech:21")).await;
    let mut anna = server.program("anna", &[&["--join", &code.to_string()], &home.state()[..]].concat());
    anna.until("ben starts.").await;
    ben.until_lobby(|lobby| lobby.games() == 1).await;
    assert_eq!(home.kept(), 1);
    fill_until_closed(&memory, &mut ben).await;
    let why = "the host's room for games is used up, and this lobby was closed to make some";
    anna.finish().await.fails(7, why);
    assert_eq!(home.kept(), 0);
}
