//! The cost of recording events durably: `cargo bench --bench bench -- storage [WHAT…]`.
//!
//! WHAT is `writing` for the journal beside a file to which everything is appended, or `loading` for a
//! server that starts with ten thousand lobbies. The writers form a closed loop: each sends its next event
//! as soon as the last one is acknowledged, so a batch has one event of each writer. No thread waits for
//! another, so that the stores are measured and not the scheduler.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nim::game::Side;
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{Code, Conditions, Event, Hand, Kind, Moment, Name, Player, PlayerId};
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Entry, LobbyId, LobbyMeta, Note, Owner, Sqlite, Storage, StoredLobby, WallTime};
use nim::wire::{self, Ticket, ToClient};

use crate::clock::cpu_time;
use crate::smoke;

/// The time to write to each store.
const TIME: Duration = Duration::from_secs(2);

/// The lobbies of a busy host, and the events in each.
const LOBBIES: u64 = 10_000;
const EVENTS: u32 = 20;

pub(crate) fn run(wanted: &[String]) {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    if is_wanted("writing") {
        println!("survives  store               writers   events/s        p50        p99  CPU an event");
        for durability in [Durability::Process, Durability::Power] {
            for writers in [1, 100] {
                compare(durability, writers);
            }
        }
    }
    if is_wanted("loading") {
        print_loading();
    }
}

/// A folder on the disk of the build: syncing to memory costs nothing.
#[allow(clippy::expect_used, reason = "without a folder there is nothing to measure")]
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is a folder to write to")
}

#[allow(clippy::expect_used, reason = "a store that does not write is no store to measure")]
fn compare(durability: Durability, writers: u64) {
    let (log, journal) = (folder(), folder());
    let mut log = File::create_new(log.path().join("log")).expect("the file is new");
    let mut journal = Sqlite::open(journal.path(), durability).expect("the journal opens").0;
    let append = |batch: &[Entry]| {
        log.write_all(&bytes(batch)).expect("the disk has room");
        if durability == Durability::Power {
            log.sync_data().expect("the disk syncs");
        }
    };
    measure(append, writers).print(durability, "append log", writers);
    let record = |batch: &[Entry]| journal.record(batch).expect("the journal records");
    measure(record, writers).print(durability, "the journal", writers);
}

/// A batch in the format of a simple log: for each entry the lobby, the time, the frame, and a checksum.
fn bytes(batch: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in batch {
        let start = bytes.len();
        bytes.extend_from_slice(&entry.lobby.0.to_le_bytes());
        bytes.extend_from_slice(&entry.wall.0.to_le_bytes());
        if let Note::Happened { frame, .. } = &entry.note {
            bytes.extend_from_slice(frame);
        }
        let checksum = crc32fast::hash(&bytes[start..]);
        bytes.extend_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

/// The measurements of a store.
struct Account {
    events: u64,
    wall: Duration,
    cpu: Duration,
    /// The time of each batch, in ascending order.
    waits: Vec<Duration>,
}

impl Account {
    fn print(&self, durability: Durability, name: &str, writers: u64) {
        let Self { events, wall, cpu, waits } = self;
        let at = |percent: usize| waits[(waits.len() - 1) * percent / 100];
        let rate = u128::from(*events) * 1_000_000_000 / wall.as_nanos().max(1);
        let each = *cpu / u32::try_from(*events).unwrap_or(u32::MAX);
        let durability = format!("{durability:?}");
        println!(
            "{durability:9} {name:19} {writers:7} {rate:10} {:>10.1?} {:>10.1?} {each:>13.2?}",
            at(50),
            at(99)
        );
    }
}

fn measure(mut write: impl FnMut(&[Entry]), writers: u64) -> Account {
    let mut numbers = vec![0; usize::try_from(writers).unwrap_or(1)];
    let mut account = Account { events: 0, wall: Duration::ZERO, cpu: Duration::ZERO, waits: Vec::new() };
    write(&(1..=writers).map(opened).collect::<Vec<_>>());
    let time = smoke::all_or(Duration::from_millis(10), TIME);
    while account.wall < time {
        let batch: Vec<Entry> = (1..).zip(&mut numbers).map(|(lobby, number)| next(lobby, number)).collect();
        let (wall, cpu) = (Instant::now(), cpu_time());
        write(&batch);
        let wait = wall.elapsed();
        account.cpu += cpu_time().saturating_sub(cpu);
        account.wall += wait;
        account.waits.push(wait);
        account.events += writers;
    }
    account.waits.sort_unstable();
    account
}

fn opened(lobby: u64) -> Entry {
    let [number, adjective, animal] =
        [lobby >> 12, lobby >> 6 & 63, lobby & 63].map(|part| part.to_le_bytes()[0]);
    let meta = LobbyMeta {
        code: Code::from_bits(u16::from_be_bytes([adjective, animal]), number + 1),
        variant: "java-tech:21".into(),
        conditions: Conditions::default(),
        password: None,
        opener: [127, 0, 0, 1].into(),
    };
    Entry { lobby: LobbyId(lobby), wall: WallTime(1_795_268_209_000), note: Note::Opened(meta) }
}

fn next(lobby: u64, number: &mut u32) -> Entry {
    *number += 1;
    let mv = Move::Nim(Take { pile: 0, count: 2 });
    let event = Event::Moved { turn: *number, player: PlayerId(1), mv, hand: Hand::Own };
    happened(lobby, *number, event)
}

fn happened(lobby: u64, number: u32, event: Event) -> Entry {
    let at = Moment(u64::from(number) * 2_345);
    let frame = wire::encode(&ToClient::Lobby { number, at, event: event.clone() });
    let note = Note::Happened { number, at, event, frame, players: None };
    Entry { lobby: LobbyId(lobby), wall: WallTime(1_795_268_209_000 + at.0), note }
}

/// Starts a host with this many lobbies: the time to open and to load the journal, and the start-up time of
/// the program.
#[allow(clippy::expect_used, reason = "without a journal there is nothing to measure")]
fn print_loading() {
    let folder = folder();
    let open = || Sqlite::open(folder.path(), Durability::Process).expect("the journal opens").0;
    let (mut journal, lobbies) = (open(), smoke::all_or(10, LOBBIES));
    for number in 0..=EVENTS {
        let batch: Vec<Entry> = (1..=lobbies).flat_map(|lobby| nth(lobby, number)).collect();
        journal.record(&batch).expect("the journal records");
    }
    drop(journal);
    let start = cpu_time();
    let mut journal = open();
    let opened = cpu_time().saturating_sub(start);
    let mut events = 0;
    let each = &mut |kept: Result<StoredLobby, _>| events += kept.map_or(0, |kept| kept.events.len());
    journal.load(each).expect("the journal is sound");
    let all = cpu_time().saturating_sub(start);
    drop(journal);
    println!(
        "\n{lobbies} lobbies with {events} events: {opened:.1?} to open and look at all pages, {:.1?} to load, CPU time",
        all.saturating_sub(opened)
    );
    let mut starts: Vec<Duration> = (0..5).map(|_| until_it_listens(folder.path(), lobbies)).collect();
    starts.sort_unstable();
    let [first, .., last] = starts[..] else { return };
    println!(
        "nim-server with them: {:.1?} from its start until it listens ({first:.1?} to {last:.1?})",
        starts[2]
    );
}

/// The wall-clock time from the program's start until it listens. Then the program is killed.
#[allow(clippy::expect_used, reason = "without a server there is nothing to measure")]
fn until_it_listens(folder: &Path, lobbies: u64) -> Duration {
    let start = Instant::now();
    let mut server = Command::new(env!("CARGO_BIN_EXE_nim-server"))
        .args(["--bind", "127.0.0.1:0", "--data"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let stdout = server.stdout.take().expect("its output is a pipe");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let first = lines.next().expect("it says where it listens");
    let time = start.elapsed();
    let all = format!("{lobbies} lobbies go on where they were.");
    assert!(
        first.starts_with("listening on") && lines.any(|line| line == all),
        "some lobbies were not loaded"
    );
    server.kill().and_then(|()| server.wait()).expect("it can be killed");
    time
}

/// The entries of a lobby's event of this number: the lobby opens, two players sit down, their game starts,
/// and they take objects one by one.
fn nth(lobby: u64, number: u32) -> Vec<Entry> {
    match number {
        0 => vec![opened(lobby)],
        1 => sits(lobby, 1, Side::First),
        2 => sits(lobby, 2, Side::Second),
        3 => vec![happened(lobby, 3, Event::Started { game: 1, swap: false })],
        _ => {
            let (turn, mv) = (number - 3, Move::Nim(Take { pile: 0, count: 1 }));
            let player = PlayerId(2 - turn % 2);
            vec![happened(lobby, number, Event::Moved { turn, player, mv, hand: Hand::Own })]
        }
    }
}

fn sits(lobby: u64, number: u32, side: Side) -> Vec<Entry> {
    // The name is unique on the server.
    let name = Name::clean(&format!("p{number}-{lobby}")).unwrap_or_else(|_| Name::anyone());
    let player = Player { id: PlayerId(number), name, kind: Kind::Person };
    let owner = Owner {
        player: player.id,
        name: player.name.clone(),
        seat: Ticket::of((u128::from(lobby) << 32 | u128::from(number)).to_be_bytes()).hash(),
    };
    let sat = happened(lobby, number, Event::Sat { side, player });
    let seated = Entry { note: Note::Seated(owner), ..sat.clone() };
    vec![sat, seated]
}
