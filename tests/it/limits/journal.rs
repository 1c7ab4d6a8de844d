//! What one address may add to the journal.

use std::fs;
use std::time::Duration;

use nim::server::Config;
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Entry, Note, Sqlite, Storage};

use nim::lobby::Event;
use nim::wire::{BotWish, HallRequest, LobbyRequest, NewLobby, Ticket, ToServer, encode};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

use crate::bodies::memory_server::{ClientEnd, MemoryServer, run};
use crate::harness::{hello, terms};
use crate::storage::memory::Memory;
use crate::storage::random_play::RandomPlay;

/// How many bytes the files in this folder have.
fn size(folder: &std::path::Path) -> u64 {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

#[test]
fn what_is_charged_for_a_note_is_what_it_takes_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let (mut storage, _) = Sqlite::open(folder.path(), Durability::Process).unwrap();
    let before = size(folder.path());
    let (mut play, mut charged) = (RandomPlay::by(7, 20), 0);
    for _ in 0..40 {
        let entries = play.batch(1_000);
        charged += entries.iter().map(|entry| u64::from(entry.note.bytes())).sum::<u64>();
        storage.record(&entries).unwrap();
    }
    drop(storage);
    let grown = size(folder.path()) - before;
    assert!((charged * 2 / 3..=charged).contains(&grown), "{grown} bytes, and {charged} were charged");
}

/// What an address may add in the long run, in KiB a second, and for how long that much may come at once.
const ALLOWED: u32 = 1;
const WITHIN: u64 = 30 * 60;

/// How long the clients go on once that is used up.
const TIME: Duration = Duration::from_mins(10);

const CONNECTIONS: u8 = 20;

/// How often a client opens a lobby at most: together they would add several times as much as is allowed.
const MOST: u32 = 2_000;

/// Opens lobbies and leaves them, and reads nothing of what is answered.
async fn open_and_leave(mut line: ClientEnd, number: u8, variant: &str, until: Instant) {
    let seat = Ticket::of([number; 16]).hash();
    let create = ToServer::Hall { id: 1, request: HallRequest::Create(NewLobby { seat, ..terms(variant) }) };
    let leave = ToServer::Lobby { id: 2, request: LobbyRequest::Leave };
    let both = [encode(&create), encode(&leave)].concat();
    for _ in 0..MOST {
        if timeout_at(until, line.send(&both)).await.is_err() {
            return;
        }
        line.take_received();
    }
}

#[test]
fn the_longest_names_and_games_are_charged_as_they_are_written() {
    run(async {
        let memory = Memory::default();
        let mut server = MemoryServer::open_with(&memory, &config());
        let mut line = server.connect([192, 0, 2, 1].into());
        line.send(&encode(&hello(&"😀".repeat(24)))).await;
        open_and_leave(line, 0, &longest(), Instant::now() + Duration::from_secs(10)).await;
        server.close().await;
        let folder = tempfile::tempdir().unwrap();
        let (mut storage, _) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        let before = size(folder.path());
        storage.record(&memory.entries()).unwrap();
        drop(storage);
        let (grown, charged) = (size(folder.path()) - before, charged(&memory));
        assert!((charged * 2 / 3..=charged).contains(&grown), "{grown} bytes, and {charged} were charged");
    });
}

/// The longest text for a game.
fn longest() -> String {
    format!("nim:{}", ["1000000000000000000"; 16].join("-"))
}

/// How many bytes the notes in this memory take.
fn charged(memory: &Memory) -> u64 {
    memory.entries().iter().map(|entry| u64::from(entry.note.bytes())).sum()
}

fn config() -> Config {
    Config {
        max_journal_each: ALLOWED,
        max_requests_each: u32::MAX,
        max_guesses: u32::MAX,
        bot_pace: Duration::ZERO,
        ..Config::default()
    }
}

#[test]
fn an_address_adds_to_the_journal_what_it_may_and_no_more() {
    run(async {
        let memory = Memory::default();
        let mut server = MemoryServer::open_with(&memory, &config());
        let mut clients = JoinSet::new();
        let began = Instant::now();
        for number in 0..CONNECTIONS {
            let mut line = server.connect([192, 0, 2, 1].into());
            line.send(&encode(&hello(&format!("client {number}")))).await;
            clients.spawn(open_and_leave(line, number, "take:3:1", began + TIME));
        }
        clients.join_all().await;
        let (added, allowed) = (charged(&memory), u64::from(ALLOWED) * 1024 * (WITHIN + TIME.as_secs()));
        // Each connection may be in the middle of a request that is charged afterwards.
        assert!((allowed * 9 / 10..allowed + 20 * 1024).contains(&added), "{added} bytes of {allowed}");
        server.close().await;
    });
}

#[test]
fn bots_move_later_while_the_address_that_opened_their_lobby_has_added_too_much() {
    run(async {
        let memory = Memory::default();
        let mut server = MemoryServer::open_with(&memory, &config());
        let address = [192, 0, 2, 1].into();
        let (mut clients, until) = (JoinSet::new(), Instant::now() + Duration::from_secs(10));
        for number in 0..3 {
            let mut line = server.connect(address);
            line.send(&encode(&hello(&format!("eve {number}")))).await;
            clients.spawn(async move { open_and_leave(line, number, &longest(), until).await });
        }
        clients.join_all().await;
        let used_up = charged(&memory);
        assert!(used_up > u64::from(ALLOWED) * 1024 * WITHIN, "{used_up} bytes");
        let mut watcher = server.connect(address);
        watcher.send(&encode(&hello("watcher"))).await;
        let bots = NewLobby { bot: BotWish::Both, ..terms("take:30000:1") };
        watcher.send(&encode(&ToServer::Hall { id: 1, request: HallRequest::Create(bots) })).await;
        sleep(Duration::from_secs(40)).await;
        let moves = |entries: Vec<Entry>| {
            let is_move =
                |entry: &&Entry| matches!(&entry.note, Note::Happened { event: Event::Moved { .. }, .. });
            entries.iter().filter(is_move).map(|entry| u64::from(entry.note.bytes())).sum::<u64>()
        };
        let before = moves(memory.entries());
        assert!(before > 0, "they play");
        // The watcher answers no pings, and is still there.
        sleep(Duration::from_secs(4)).await;
        let after = moves(memory.entries()) - before;
        assert!((1..=5 * 1024 * u64::from(ALLOWED)).contains(&after), "{after} bytes in 4 seconds");
        server.close().await;
    });
}
