//! Archives of several nodes, while nodes come and go, replies are lost and lobbies are damaged.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::deleting::{Archived, MOST_FOR_OTHERS, delete_archived};
use super::long::MAX_BYTES;
use super::mark::{Mark, read_marks};
use super::{ArchiveStore, Archiver, FORGOTTEN_AFTER, KEPT_AFTER_ARCHIVING};
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Engine, Operation, Range, Revision, Txn};
use crate::cluster::keys::{self, Seq, Slot};
use crate::cluster::log::Recorded;
use crate::cluster::node::{FencedOff, LEASE, Node};
use crate::cluster::pages::{LobbyReader, PageWriter, Part};
use crate::cluster::sample::{closing, code, ended, event, frame, opened, seated, started};
use crate::number::millis;
use crate::server::History;
use crate::server::storage::sqlite::Durability;
use crate::server::storage::{Entry, GameCursor, LobbyId, PastGame, StorageError, WallTime};

/// After this time everything is archived, and what can be deleted is.
const SETTLED: Duration = KEPT_AFTER_ARCHIVING.saturating_mul(3);

/// A node with its archive.
struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    store: ArchiveStore,
    writer: PageWriter,
    archiving: AbortOnDropHandle<FencedOff>,
}

fn store(folder: &Path) -> ArchiveStore {
    open(folder).unwrap()
}

fn open(folder: &Path) -> Result<ArchiveStore, StorageError> {
    // The times of the samples are those of 1970.
    let history = History { age: Duration::from_hours(200 * 365 * 24), ..History::default() };
    Ok(ArchiveStore::open(folder, Durability::Process, history)?.0)
}

async fn join(etcd: &MemoryEtcd, name: &str, store: ArchiveStore) -> Member {
    let (client, name) = (etcd.client(), name.parse().unwrap());
    let node = Node::join(client.clone(), &name, &crate::cluster::sample::about(), LEASE * 5).await.unwrap();
    let membership = node.membership();
    let writer = PageWriter::new(client.clone(), membership.clone());
    let archiver = Archiver::new(client.clone(), membership.clone(), name, store.clone());
    let archiving = AbortOnDropHandle::new(tokio::spawn(archiver.run()));
    Member { client, node, store, writer, archiving }
}

impl Member {
    /// Plays lobbies, in each of which a game is played, and closes them.
    async fn play(&mut self, etcd: &MemoryEtcd, lobbies: &[u64]) {
        for lobby in lobbies {
            let recorded = Recorded { revision: etcd.revision(), first: Seq(0), last: Seq(0), bytes: 0 };
            self.writer.take(&played(*lobby), recorded).unwrap();
        }
        while self.writer.write().await.is_err() {}
    }
}

impl Member {
    /// Records these entries of open lobbies, and writes those in which games have ended.
    async fn record(&mut self, etcd: &MemoryEtcd, entries: &[Entry]) {
        let recorded = Recorded { revision: etcd.revision(), first: Seq(0), last: Seq(0), bytes: 0 };
        self.writer.take(entries, recorded).unwrap();
        while self.writer.has_ended() {
            let _ = self.writer.write_ended().await;
        }
    }
}

/// All entries of a closed lobby in which something ends with the events 10, 20 and 29.
fn played_in_parts(lobby: u64) -> Vec<Entry> {
    let mut entries = played(lobby);
    for number in [10, 20, 29] {
        entries[number + 1] = ended(lobby, u32::try_from(number).unwrap());
    }
    entries
}

/// How many events archives have of these lobbies, and how many of their games have ended.
fn lengths<const N: usize>(store: &ArchiveStore, lobbies: [u64; N]) -> [(usize, usize); N] {
    let mut reader = store.reader().unwrap();
    let mut ended = Vec::new();
    let mut take = |game: PastGame| {
        ended.extend(game.result.map(|_| game.lobby.0));
        ControlFlow::Continue(())
    };
    reader.games(GameCursor::END, None, 10_000, &mut take).unwrap();
    lobbies.map(|lobby| {
        let events = reader.events(LobbyId(lobby)).unwrap().unwrap();
        (events.len(), ended.iter().filter(|with| **with == lobby).count())
    })
}

/// All entries of a closed lobby.
fn played(lobby: u64) -> Vec<Entry> {
    let mut entries = vec![opened(lobby), seated(lobby, 1, 1), started(lobby, 1)];
    entries.extend((2..30).map(|number| event(lobby, number, 7)));
    entries.push(closing(lobby, 30));
    entries
}

#[tokio::test]
async fn an_archive_knows_a_number_that_none_of_its_lobbies_has() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    assert_eq!(store.next_number().unwrap(), LobbyId(1));
    store.record(vec![played(3), played(900)]).await.unwrap();
    assert_eq!(store.next_number().unwrap(), LobbyId(901));
}

/// Asserts that an archive has these lobbies with one game each, and all that happened in them.
fn assert_has(store: &ArchiveStore, lobbies: &[u64], what: &str) {
    let mut reader = store.reader().unwrap();
    let mut games = Vec::new();
    let mut take = |game: PastGame| {
        games.push(game.lobby.0);
        ControlFlow::Continue(())
    };
    reader.games(GameCursor::END, None, 10_000, &mut take).unwrap();
    games.sort_unstable();
    assert_eq!(games, lobbies, "{what}");
    for lobby in lobbies {
        let (_, meta) = reader.lobby_meta(LobbyId(*lobby)).unwrap().unwrap();
        assert_eq!(meta.code, code(*lobby), "{what}");
        let frames = reader.events(LobbyId(*lobby)).unwrap().unwrap();
        assert_eq!((frames.len(), &frames[4]), (30, &frame(5, 7)), "{what}: lobby {lobby}");
    }
}

/// The closed lobbies whose keys are in etcd, and how many keys of lobbies there are.
async fn left(etcd: &MemoryEtcd) -> (Vec<u64>, usize) {
    let client = etcd.client();
    let all =
        async |prefix: &'static str| client.range(Range::prefix(&prefix.into(), 10_000)).await.unwrap().found;
    let closed = all(keys::CLOSED).await;
    let lobbies = closed.iter().filter_map(|found| Some(keys::closed_lobby(&found.key)?.0)).collect();
    let mut others = 0;
    for prefix in [keys::HEADS, keys::PAGES, keys::ENDED] {
        others += all(prefix).await.len();
    }
    (lobbies, others)
}

async fn settle() {
    tokio::time::sleep(SETTLED).await;
}

#[tokio::test(start_paused = true)]
async fn every_node_gets_every_closed_lobby_and_then_nothing_of_it_is_left_in_etcd() {
    let etcd = MemoryEtcd::default();
    let folders: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let mut one = join(&etcd, "a", store(folders[0].path())).await;
    let mut other = join(&etcd, "b", store(folders[1].path())).await;
    let all: Vec<u64> = (1..=100).collect();
    one.play(&etcd, &all[..60]).await;
    other.play(&etcd, &all[60..]).await;
    tokio::time::sleep(KEPT_AFTER_ARCHIVING / 2).await;
    for member in [&one, &other] {
        assert_has(&member.store, &all, "soon");
    }
    assert_eq!(left(&etcd).await.0, all, "a late page could bring them back");
    settle().await;
    assert_eq!(left(&etcd).await, (vec![], 0));
    let third = join(&etcd, "c", store(folders[2].path())).await;
    one.play(&etcd, &[101]).await;
    settle().await;
    assert_has(&third.store, &[101], "who comes late has what was closed since");
    assert_eq!(left(&etcd).await, (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn lobbies_stay_in_etcd_until_an_archiver_that_is_away_has_them_too() {
    let etcd = MemoryEtcd::default();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut one = join(&etcd, "a", store(folders[0].path())).await;
    let other = join(&etcd, "b", store(folders[1].path())).await;
    one.play(&etcd, &[1, 2]).await;
    settle().await;
    drop(other);
    one.play(&etcd, &[3, 4]).await;
    settle().await;
    assert_eq!(left(&etcd).await.0, [3, 4]);
    let other = join(&etcd, "b", store(folders[1].path())).await;
    settle().await;
    assert_eq!(left(&etcd).await, (vec![], 0));
    for member in [&one, &other] {
        assert_has(&member.store, &[1, 2, 3, 4], "in the end");
    }
}

#[tokio::test(start_paused = true)]
async fn an_archiver_that_was_away_for_a_week_is_forgotten() {
    let (etcd, folder) = (MemoryEtcd::default(), tempfile::tempdir().unwrap());
    let mut one = join(&etcd, "a", store(folder.path())).await;
    one.play(&etcd, &[1]).await;
    let put = async |ago: Duration| {
        let said = WallTime(WallTime::now().0 - millis::<u64>(ago));
        let value = Mark { revision: Revision(1), said }.value();
        let then = vec![Operation::put(keys::archiver(&"x".parse().unwrap()), value)];
        one.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    };
    put(FORGOTTEN_AFTER.saturating_sub(Duration::from_mins(1))).await;
    settle().await;
    assert_eq!(left(&etcd).await.0, [1]);
    put(FORGOTTEN_AFTER + Duration::from_mins(1)).await;
    settle().await;
    assert_eq!(left(&etcd).await, (vec![], 0));
    let marks = read_marks(&*one.client).await.unwrap();
    assert_eq!(marks.keys().map(ToString::to_string).collect::<Vec<_>>(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn an_archiver_that_does_not_go_on_is_waited_for_no_longer_once_too_much_waits() {
    let (etcd, folder) = (MemoryEtcd::default(), tempfile::tempdir().unwrap());
    let one = join(&etcd, "a", store(folder.path())).await;
    one.archiving.abort();
    let since = Instant::now();
    tokio::time::sleep(KEPT_AFTER_ARCHIVING).await;
    // A living node whose archive does not go on holds the others up no longer than one that is away.
    for behind in ["x", "a"] {
        for (bytes, minutes, left) in
            [(MOST_FOR_OTHERS, 6, 1), (MOST_FOR_OTHERS + 1, 4, 1), (MOST_FOR_OTHERS + 1, 6, 0)]
        {
            let said = |minutes: u64| WallTime(WallTime::now().0 - minutes * 60_000);
            let marks = [("y", 100, 0), (behind, 1, minutes)].map(|(name, revision, minutes)| {
                let value = Mark { revision: Revision(revision), said: said(minutes) }.value();
                Operation::put(keys::archiver(&name.parse().unwrap()), value)
            });
            one.client.txn(Txn { then: marks.into(), ..Txn::default() }).await.unwrap();
            let bytes = usize::try_from(bytes).unwrap();
            let lobby = Archived { slot: Slot(1), created: Revision(2), since, bytes, is_sound: true };
            let mut archived = BTreeMap::from([(LobbyId(1), lobby)]);
            delete_archived(&*one.client, one.node.membership(), &mut archived).await.unwrap();
            assert_eq!(archived.len(), left, "{behind}");
            let is_known = read_marks(&*one.client).await.unwrap().contains_key(&behind.parse().unwrap());
            assert_eq!(is_known, behind == "a" || left == 1, "{behind}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_very_long_lobby_is_archived_in_parts_also_while_it_is_open() {
    let (etcd, folders) = (MemoryEtcd::default(), [(); 2].map(|()| tempfile::tempdir().unwrap()));
    let mut one = join(&etcd, "a", store(folders[0].path())).await;
    let count = 20_000;
    let mut entries = vec![opened(1), seated(1, 1, 1), started(1, 1)];
    entries.extend((2..count).map(|number| event(1, number, 0)));
    entries.push(ended(1, count));
    one.record(&etcd, &entries).await;
    settle().await;
    let mut reader = LobbyReader::so_far(&*one.client, Slot::of(code(1)), LobbyId(1));
    assert!(matches!(reader.next_part(MAX_BYTES).await.unwrap(), Part::Sound { is_last: false, .. }));
    assert_eq!(lengths(&one.store, [1]), [(count as usize, 1)]);
    // One that comes later finds it open, and another part of it closed.
    let other = join(&etcd, "b", store(folders[1].path())).await;
    settle().await;
    assert_eq!(lengths(&other.store, [1]), [(count as usize, 1)]);
    let mut more: Vec<Entry> = (count + 1..count * 2).map(|number| event(1, number, 0)).collect();
    more.push(closing(1, count * 2));
    one.record(&etcd, &more).await;
    while one.writer.write().await.is_err() {}
    settle().await;
    for member in [&one, &other] {
        assert_eq!(lengths(&member.store, [1]), [(count as usize * 2, 1)]);
    }
    assert_eq!(left(&etcd).await, (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn a_damaged_lobby_stays_in_etcd_and_holds_nothing_up() {
    let (etcd, folder) = (MemoryEtcd::default(), tempfile::tempdir().unwrap());
    let mut one = join(&etcd, "a", store(folder.path())).await;
    one.archiving.abort();
    one.play(&etcd, &[1, 2, 3, 4]).await;
    let slot = |lobby| Slot::of(code(lobby));
    let then = vec![
        Operation::put(keys::head(slot(1), LobbyId(1)), "?"),
        Operation::put(keys::page(slot(2), LobbyId(2), 1), "?"),
        Operation::Delete(keys::page(slot(3), LobbyId(3), 1)),
        Operation::put(keys::closed(LobbyId(9)), "? ?"),
    ];
    one.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    let again = join_again(&etcd, one, "a", None).await;
    settle().await;
    assert_has(&again.store, &[4], "what is sound");
    assert_eq!(left(&etcd).await.0, [1, 2, 3, 9]);
}

/// The same node after a crash: that of the membership alone, or of the program, whose archive is in this folder.
async fn join_again(etcd: &MemoryEtcd, member: Member, name: &str, folder: Option<&TempDir>) -> Member {
    let mut same = Some(member.store.clone());
    drop(member);
    if let Some(folder) = folder {
        same = None;
        while same.is_none() {
            // What the archive was doing comes to its end.
            tokio::time::sleep(Duration::from_millis(1)).await;
            same = open(folder.path()).ok();
        }
    }
    join(etcd, name, same.unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn whenever_an_archiver_crashes_and_whatever_replies_are_lost_each_lobby_is_there_once() {
    for seed in 0..8 {
        let (etcd, mut rng) = (MemoryEtcd::default(), fastrand::Rng::with_seed(seed));
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let mut one = join(&etcd, "a", store(folders[0].path())).await;
        let mut other = join(&etcd, "b", store(folders[1].path())).await;
        let mut all = Vec::new();
        for _ in 0..12 {
            let new: Vec<u64> = (0..rng.u64(..4)).map(|more| all.len() as u64 + 1 + more).collect();
            other.play(&etcd, &new).await;
            all.extend(new);
            tokio::time::sleep(Duration::from_millis(rng.u64(..6_000))).await;
            match rng.u8(..6) {
                0 => one = join_again(&etcd, one, "a", None).await,
                1 => one.client.lose_reply(Fate::Run),
                2 => one.client.lose_reply(Fate::RunLater(DEADLINE * 3)),
                3 => other.client.lose_reply(Fate::Lost),
                4 => etcd.compact(etcd.revision()),
                _ => {}
            }
        }
        settle().await;
        settle().await;
        for member in [&one, &other] {
            assert_has(&member.store, &all, &format!("seed {seed}"));
        }
        assert_eq!(left(&etcd).await, (vec![], 0), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn games_of_a_nodes_own_open_lobbies_can_be_read_and_are_not_doubled_once_these_are_closed() {
    let (etcd, folder) = (MemoryEtcd::default(), tempfile::tempdir().unwrap());
    let mut one = join(&etcd, "a", store(folder.path())).await;
    let entries = [played(1), played(2), played(3)];
    // The second one goes to another node after some events, and the third one comes back from there.
    one.store.record_own(&entries[0]);
    one.store.record_own(&entries[1][..10]);
    one.store.record_own(&entries[2][..10]);
    one.store.record_own(&entries[2][20..]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut reader = one.store.reader().unwrap();
    let mut lengths = |lobbies: [u64; 3]| {
        lobbies.map(|lobby| reader.events(LobbyId(lobby)).unwrap().map(|frames| frames.len()))
    };
    assert_eq!(lengths([1, 2, 3]), [Some(30), Some(8), Some(8)]);
    one.play(&etcd, &[1, 2, 3]).await;
    settle().await;
    assert_has(&one.store, &[1, 2, 3], "in the end");
    assert_eq!(left(&etcd).await, (vec![], 0));
    one.store.record_own(&entries[0]);
    settle().await;
    assert_has(&one.store, &[1, 2, 3], "what comes late is dropped");
}

#[tokio::test(start_paused = true)]
async fn a_game_that_has_ended_in_an_open_lobby_is_in_every_archive_and_not_doubled_once_that_is_closed() {
    let etcd = MemoryEtcd::default();
    let folders: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let mut one = join(&etcd, "a", store(folders[0].path())).await;
    let mut other = join(&etcd, "b", store(folders[1].path())).await;
    let entries = [played_in_parts(1), played_in_parts(2)];
    let soon = async || tokio::time::sleep(Duration::from_secs(1)).await;
    // The first lobby is the one that this node also records itself.
    one.store.record_own(&entries[0][..15]);
    for lobby in &entries {
        one.record(&etcd, &lobby[..15]).await;
    }
    soon().await;
    for member in [&one, &other] {
        assert_eq!(lengths(&member.store, [1, 2]), [(13, 1), (13, 1)]);
    }
    other = join_again(&etcd, other, "b", Some(&folders[1])).await;
    let late = join(&etcd, "c", store(folders[2].path())).await;
    for lobby in &entries {
        one.record(&etcd, &lobby[15..25]).await;
    }
    soon().await;
    for member in [&one, &other, &late] {
        assert_eq!(lengths(&member.store, [1, 2]), [(23, 1), (23, 1)]);
    }
    for lobby in &entries {
        one.record(&etcd, &lobby[25..]).await;
    }
    while one.writer.write().await.is_err() {}
    settle().await;
    for member in [&one, &other, &late] {
        assert_has(&member.store, &[1, 2], "in the end");
    }
    assert_eq!(left(&etcd).await, (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn of_a_long_lobby_only_what_is_new_is_read() {
    let (etcd, folder) = (MemoryEtcd::default(), tempfile::tempdir().unwrap());
    let mut one = join(&etcd, "a", store(folder.path())).await;
    one.record(&etcd, &[opened(1), seated(1, 1, 1), started(1, 1)]).await;
    let mut numbers = 2..;
    for _ in 0..30 {
        let mut entries: Vec<Entry> = numbers.by_ref().take(59).map(|number| event(1, number, 7)).collect();
        entries.push(ended(1, numbers.next().unwrap()));
        one.record(&etcd, &entries).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The first page is damaged from now on, and nobody notices it.
        let then = vec![Operation::put(keys::page(Slot::of(code(1)), LobbyId(1), 1), "?")];
        one.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(lengths(&one.store, [1]), [(usize::try_from(numbers.start).unwrap() - 1, 1)]);
}

#[tokio::test(start_paused = true)]
async fn whatever_is_lost_while_games_end_in_open_lobbies_each_event_is_there_once() {
    for seed in 0..8 {
        let (etcd, mut rng) = (MemoryEtcd::default(), fastrand::Rng::with_seed(seed));
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let mut one = join(&etcd, "a", store(folders[0].path())).await;
        let mut other = join(&etcd, "b", store(folders[1].path())).await;
        let all: Vec<u64> = (1..=6).collect();
        let mut left_over: Vec<Vec<Entry>> = all.iter().map(|lobby| played_in_parts(*lobby)).collect();
        while left_over.iter().any(|entries| !entries.is_empty()) {
            for entries in &mut left_over {
                let first: Vec<Entry> = entries.drain(..rng.usize(..=entries.len().min(12))).collect();
                other.record(&etcd, &first).await;
                if rng.bool() {
                    other.store.record_own(&first);
                }
            }
            tokio::time::sleep(Duration::from_millis(rng.u64(..3_000))).await;
            match rng.u8(..7) {
                0 => one = join_again(&etcd, one, "a", None).await,
                1 => one = join_again(&etcd, one, "a", Some(&folders[0])).await,
                2 => one.client.lose_reply(Fate::Run),
                3 => other.client.lose_reply(Fate::RunLater(DEADLINE * 3)),
                4 => other.client.lose_reply(Fate::Lost),
                5 => etcd.compact(etcd.revision()),
                _ => {}
            }
        }
        while other.writer.write().await.is_err() {}
        settle().await;
        settle().await;
        for member in [&one, &other] {
            assert_has(&member.store, &all, &format!("seed {seed}"));
        }
        assert_eq!(left(&etcd).await, (vec![], 0), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_key_of_a_game_in_a_lobby_that_is_gone_is_deleted() {
    let (etcd, folder) = (MemoryEtcd::default(), tempfile::tempdir().unwrap());
    let mut one = join(&etcd, "a", store(folder.path())).await;
    one.archiving.abort();
    one.record(&etcd, &played_in_parts(1)[..15]).await;
    let (slot, lobby) = (Slot::of(code(1)), LobbyId(1));
    let pages = keys::pages(slot, lobby);
    let then = vec![
        Operation::Delete(keys::head(slot, lobby)),
        Operation::DeleteRange(pages.clone(), pages.behind_prefix()),
    ];
    one.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    let _again = join_again(&etcd, one, "a", None).await;
    settle().await;
    assert_eq!(left(&etcd).await, (vec![], 0));
}
