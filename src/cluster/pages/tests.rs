//! Lobbies that are recorded, written to pages and restored, while replies are lost and nodes die.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::value::read_page;
use super::{
    GameEnded, LobbyReader, PageWriter, Part, Restored, RestoredLobby, WRITE_AFTER, delete_covered_logs,
    read_new_pages, restore,
};
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Engine, Key, KeyValue, Operation, RangeReader, Txn};
use crate::cluster::format::Format;
use crate::cluster::keys::{self, Epoch, Slot};
use crate::cluster::log::{Batch, Log, Outcome};
use crate::cluster::node::{FencedOff, LEASE, Living, Node, WriteError};
use crate::cluster::sample::{checkpoint, closing, code, ended, event, opened, seated, started, unseated};
use crate::lobby::Event;
use crate::server::storage::{Entry, LobbyId, LobbyMeta, Note, StoredLobby};

/// A node with its log and its pages.
struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    log: Option<Log>,
    writer: PageWriter,
}

impl Member {
    async fn join(etcd: &MemoryEtcd, name: &str) -> Self {
        let client = etcd.client();
        let node =
            Node::join(client.clone(), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE)
                .await
                .unwrap();
        let log = Some(Log::new(client.clone(), node.membership().clone()));
        let writer = PageWriter::new(client.clone(), node.membership().clone());
        Self { client, node, log, writer }
    }

    fn epoch(&self) -> Epoch {
        self.node.membership().epoch()
    }

    /// Records these entries together.
    async fn record(&mut self, entries: &[Entry]) {
        let mut appending = self.log.take().unwrap().append(Batch::of(Format::FIRST, entries));
        loop {
            match appending.go_on().await {
                Outcome::Recorded(log, recorded) => {
                    self.log = Some(log);
                    return self.writer.take(entries, recorded).unwrap();
                }
                Outcome::Waiting(same, _) => appending = same,
                Outcome::FencedOff(off) => panic!("{off}"),
            }
        }
    }

    /// Writes pages, until that succeeds.
    async fn write(&mut self) {
        while let Err(error) = self.writer.write().await {
            assert!(matches!(&error, WriteError::Engine(error) if error.is_in_doubt()), "{error}");
        }
    }

    async fn restore(&self) -> Restored {
        let living = Living::read(&*self.client).await.unwrap();
        restore(&*self.client, &living, Slot::all()).await.unwrap()
    }

    async fn all(&self, prefix: &str) -> Vec<KeyValue> {
        let mut reader = RangeReader::of_prefix(&*self.client, &Key::from(prefix.to_owned()), 1);
        let mut all = Vec::new();
        while let Some(page) = reader.next().await.unwrap() {
            all.extend(page);
        }
        all
    }
}

/// The plain twin: all entries of each lobby.
#[derive(Default)]
struct Model {
    lobbies: BTreeMap<u64, Vec<Entry>>,
    closed: BTreeSet<u64>,
}

impl Model {
    fn record(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.lobbies.entry(entry.lobby.0).or_default().push(entry.clone());
            if matches!(entry.note, Note::Happened { event: Event::Closed, .. }) {
                self.closed.insert(entry.lobby.0);
            }
        }
    }

    fn last(&self, lobby: u64) -> u32 {
        let events = self.lobbies[&lobby].iter().filter(|entry| matches!(entry.note, Note::Happened { .. }));
        u32::try_from(events.count()).unwrap()
    }

    fn stored(&self, lobby: u64) -> StoredLobby {
        let entries = &self.lobbies[&lobby];
        let Note::Opened(meta) = &entries[0].note else { panic!("{:?}", entries[0]) };
        let (checkpoint, events, owners) = (None, Vec::new(), Vec::new());
        let (opened, meta) = (entries[0].wall, meta.clone());
        let mut stored = StoredLobby { lobby: LobbyId(lobby), opened, meta, checkpoint, events, owners };
        for entry in entries {
            match &entry.note {
                Note::Opened(_) => {}
                Note::Happened { frame, .. } => stored.events.push(frame.clone()),
                Note::Seated(owner) => {
                    stored.owners.retain(|other| other.player != owner.player);
                    stored.owners.push(owner.clone());
                    stored.owners.sort_by_key(|owner| owner.player);
                }
                Note::Unseated(player) => stored.owners.retain(|owner| owner.player != *player),
                Note::Checkpoint(checkpoint) => {
                    stored.checkpoint = Some((**checkpoint).clone());
                    stored.events.clear();
                }
            }
        }
        stored
    }

    fn assert_is(&self, restored: &Restored, what: &str) {
        assert_eq!(restored.damaged, [], "{what}");
        let stored: Vec<StoredLobby> = restored.lobbies.iter().filter_map(RestoredLobby::stored).collect();
        let open = self.lobbies.keys().filter(|lobby| !self.closed.contains(lobby));
        let expected: Vec<StoredLobby> = open.map(|lobby| self.stored(*lobby)).collect();
        assert_eq!(stored, expected, "{what}");
    }

    /// Something that can be recorded next.
    fn next(&self, rng: &mut fastrand::Rng) -> Vec<Entry> {
        let open: Vec<u64> =
            self.lobbies.keys().copied().filter(|lobby| !self.closed.contains(lobby)).collect();
        let Some(lobby) = rng.choice(open).filter(|_| rng.u8(0..8) > 0) else {
            let new = self.lobbies.len() as u64 + 1;
            return vec![opened(new), seated(new, 1, 1), event(new, 1, rng.u64(..))];
        };
        let next = self.last(lobby) + 1;
        match rng.u8(0..24) {
            0 => vec![closing(lobby, next)],
            1 => vec![checkpoint(lobby, next - 1)],
            2 => vec![seated(lobby, rng.u32(1..4), rng.u8(..))],
            3 => vec![unseated(lobby, rng.u32(1..4))],
            4 => vec![started(lobby, next)],
            5 => vec![ended(lobby, next)],
            _ => (0..rng.u32(1..60)).map(|more| event(lobby, next + more, rng.u64(..))).collect(),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_fails_every_lobby_is_restored_as_it_was_recorded() {
    let mut by_older = 0;
    for seed in 0..25 {
        let (etcd, mut rng, mut model) =
            (MemoryEtcd::default(), fastrand::Rng::with_seed(seed), Model::default());
        let mut members = Vec::new();
        for name in ["a", "b", "c"] {
            members.push(Member::join(&etcd, name).await);
        }
        let mut owner = rng.usize(0..3);
        for step in 0..80 {
            if rng.u8(0..8) == 0 {
                let fates =
                    [Fate::Lost, Fate::Run, Fate::RunLater(DEADLINE / 2), Fate::RunLater(DEADLINE * 4)];
                members[owner].client.lose_reply_after(rng.usize(0..4), fates[rng.usize(0..4)]);
            }
            if rng.u8(0..4) == 0 {
                tokio::time::sleep(LEASE.mul_f32(rng.f32())).await;
            }
            match rng.u8(0..16) {
                0..12 => {
                    let mut entries = model.next(&mut rng);
                    let before = model.lobbies.len();
                    model.record(&entries);
                    if rng.bool() && before == model.lobbies.len() {
                        let more = model.next(&mut rng);
                        model.record(&more);
                        entries.extend(more);
                    }
                    members[owner].record(&entries).await;
                }
                // It may fail, and the node may then die.
                12 => drop(members[owner].writer.write().await),
                // A round that goes on while more is recorded, and slots that are written meanwhile.
                13 => {
                    let writer = &mut members[owner].writer;
                    writer.begin();
                    for _ in 0..rng.usize(0..4) {
                        drop(writer.step().await);
                    }
                    if rng.bool() {
                        let slots = Slot::all().filter(|_| rng.bool()).collect();
                        drop(writer.write_slots(&slots).await);
                    }
                }
                14 => {
                    drop(members[owner].writer.write_ended().await);
                    if rng.bool() {
                        members[owner].write().await;
                    }
                }
                _ => {
                    let name = ["a", "b", "c"][owner];
                    let dead = members[owner].epoch();
                    let next = (owner + rng.usize(1..3)) % 3;
                    members[owner].client.heal();
                    let again = Member::join(&etcd, "other").await;
                    let died = std::mem::replace(&mut members[owner], again);
                    drop(died);
                    tokio::time::sleep(LEASE * 6).await;
                    by_older += usize::from(members[next].epoch() < dead);
                    members[owner].node.membership().check().unwrap();
                    let restored = members[next].restore().await;
                    model.assert_is(&restored, &format!("seed {seed}, step {step}, after {name}"));
                    members[next].writer.adopt(&restored);
                    let fresh = Member::join(&etcd, name).await;
                    members[owner] = fresh;
                    owner = next;
                }
            }
        }
        members[owner].write().await;
        assert_all_is_in_pages(&members[owner], &model, seed).await;
        assert_archives_are_told(&members[owner], &model, seed).await;
    }
    assert!(by_older > 5, "{by_older}");
}

/// All events of all lobbies are in pages, and the closed ones are noted.
async fn assert_all_is_in_pages(member: &Member, model: &Model, seed: u64) {
    let mut pages: BTreeMap<u64, Vec<Entry>> = BTreeMap::new();
    for slot in Slot::all() {
        for found in member.all(&keys::pages_of_slot(slot).to_string()).await {
            let (lobby, first) = keys::paged(slot, &found.key).unwrap();
            let entries = read_page(lobby, &found.value).unwrap();
            assert!(matches!(entries[0].note, Note::Happened { number, .. } if number == first));
            pages.entry(lobby.0).or_default().extend(entries);
        }
    }
    for (lobby, entries) in &model.lobbies {
        let events: Vec<_> =
            entries.iter().filter(|entry| matches!(entry.note, Note::Happened { .. })).collect();
        assert_eq!(format!("{:?}", pages[lobby]), format!("{events:?}"), "seed {seed}, lobby {lobby}");
    }
    let closed: Vec<Key> = member.all(keys::CLOSED).await.into_iter().map(|found| found.key).collect();
    let expected: Vec<Key> = model.closed.iter().map(|lobby| keys::closed(LobbyId(*lobby))).collect();
    assert_eq!(closed, expected, "seed {seed}");
}

/// The archives were told of every game that has ended in an open lobby, and find it.
async fn assert_archives_are_told(member: &Member, model: &Model, seed: u64) {
    let keys: BTreeMap<Key, KeyValue> =
        member.all(keys::ENDED).await.into_iter().map(|found| (found.key.clone(), found)).collect();
    for (lobby, entries) in model.lobbies.iter().filter(|(lobby, _)| !model.closed.contains(lobby)) {
        let ended = entries.iter().rev().find_map(|entry| match entry.note {
            Note::Happened { number, event: Event::Ended { .. }, .. } => Some(number),
            _ => None,
        });
        let Some(ended) = ended else { continue };
        let found = keys.get(&keys::ended(LobbyId(*lobby)));
        let at = GameEnded::read(&found.expect("a key").value).unwrap();
        let what = format!("seed {seed}, lobby {lobby}: {at:?}, the game has ended with {ended}");
        assert!(at.last >= ended, "{what}");
        let page = member.all(&keys::page(at.slot, LobbyId(*lobby), at.page).to_string()).await;
        assert_eq!(page.len(), 1, "{what}");
        let mut reader = LobbyReader::so_far(&*member.client, at.slot, LobbyId(*lobby));
        let all = reader.next_part(usize::MAX).await.unwrap();
        let Part::Sound { entries: all, is_last: true } = all else { panic!("{what}") };
        let new = &read_new_pages(&*member.client, &[(LobbyId(*lobby), at)]).await.unwrap()[0];
        let opening = new.iter().take_while(|entry| !matches!(entry.note, Note::Happened { .. })).count();
        // Where there are too many new pages, they are read with all others.
        let (new, all) = (format!("{:?}", &new[opening..]), format!("{all:?}"));
        assert!(all.contains(new.trim_matches(['[', ']'])), "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn covered_segments_are_deleted_and_the_log_goes_on() {
    let (etcd, mut model) = (MemoryEtcd::default(), Model::default());
    let (mut one, mut other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    let log = format!("log/{}/", one.epoch());
    let mut number = 0;
    for round in 0..3 {
        let mut entries = if round == 0 { vec![opened(1)] } else { Vec::new() };
        number += 1;
        entries.push(event(1, number, 0));
        one.record(&entries).await;
        model.record(&entries);
        assert_eq!(one.all(&log).await.len(), 1, "{round}");
        if round < 2 {
            one.write().await;
            assert_eq!(one.all(&log).await, [], "{round}");
        }
    }
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    let restored = other.restore().await;
    model.assert_is(&restored, "from pages and log");
    assert!(restored.lobbies[0].is_behind);
    other.writer.adopt(&restored);
    other.write().await;
    let restored = other.restore().await;
    model.assert_is(&restored, "from pages");
    assert!(!restored.lobbies[0].is_behind);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_comes_late_does_not_set_the_log_back() {
    let (etcd, mut model) = (MemoryEtcd::default(), Model::default());
    let (mut one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    for number in 1..=4 {
        let mut entries = if number == 1 { vec![opened(1)] } else { Vec::new() };
        entries.push(event(1, number, 0));
        one.record(&entries).await;
        model.record(&entries);
        match number {
            // The pages are written; the deletion comes a while later.
            1 => {
                one.client.lose_reply_after(1, Fate::RunLater(DEADLINE * 4));
                one.writer.write().await.unwrap_err();
            }
            3 => one.write().await,
            _ => {}
        }
    }
    tokio::time::sleep(DEADLINE * 6).await;
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    model.assert_is(&other.restore().await, "after the late deletion");
}

#[tokio::test(start_paused = true)]
async fn a_long_lobby_is_written_in_several_transactions_and_counts_once_all_is_there() {
    let (etcd, mut model) = (MemoryEtcd::default(), Model::default());
    let (mut one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    let first = vec![opened(1), event(1, 1, 0)];
    one.record(&first).await;
    model.record(&first);
    one.write().await;
    let events: Vec<Entry> = (2..30_000).map(|number| event(1, number, 0)).collect();
    one.record(&events).await;
    model.record(&events);
    // Only a part of its pages is written when the node dies.
    one.client.lose_reply(Fate::Run);
    one.writer.write().await.unwrap_err();
    let pages = other.all("p/").await.len();
    assert!((10..100).contains(&pages), "{pages}");
    let mut third = Member::join(&etcd, "c").await;
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    let restored = other.restore().await;
    model.assert_is(&restored, "a part of the pages");
    third.writer.adopt(&restored);
    third.write().await;
    assert_all_is_in_pages(&third, &model, 0).await;
    model.assert_is(&third.restore().await, "all pages");
}

#[tokio::test(start_paused = true)]
async fn pages_are_due_once_the_log_has_so_many_bytes_whatever_was_recorded() {
    const LONG: usize = 8 << 10;
    let mut one = Member::join(&MemoryEtcd::default(), "a").await;
    let long = |lobby| match opened(lobby) {
        Entry { lobby, wall, note: Note::Opened(meta) } => {
            let variant = "x".repeat(LONG);
            Entry { lobby, wall, note: Note::Opened(LobbyMeta { variant, ..meta }) }
        }
        other => other,
    };
    let checkpoints = vec![checkpoint(1, 1); WRITE_AFTER / 600 + 1];
    let mut batches = vec![vec![opened(1)], checkpoints];
    batches.extend((1..=16).map(|batch| (0..128).map(|lobby| long(1_000 * batch + lobby)).collect()));
    let mut due = Vec::new();
    for entries in batches {
        one.record(&entries).await;
        let bytes: usize = one.all(keys::LOGS).await.iter().map(|segment| segment.value.len()).sum();
        assert_eq!(one.writer.is_due(), bytes >= WRITE_AFTER, "{bytes}");
        due.push(one.writer.is_due());
    }
    assert_eq!((due.first(), due.last()), (Some(&false), Some(&true)));
}

#[tokio::test(start_paused = true)]
async fn many_lobbies_are_written_in_transactions_that_etcd_takes() {
    let (etcd, mut model) = (MemoryEtcd::default(), Model::default());
    let (mut one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    for lobby in 1..=400 {
        let mut entries = vec![opened(lobby), event(lobby, 1, 0), checkpoint(lobby, 1)];
        if lobby % 50 == 0 {
            entries.extend((2..700).map(|number| event(lobby, number, 0)));
        }
        model.record(&entries);
        one.record(&entries).await;
        if lobby <= 200 {
            let closing = [closing(lobby, model.last(lobby) + 1), unseated(lobby, 1)];
            model.record(&closing);
            one.record(&closing).await;
        }
    }
    one.write().await;
    // What still comes of closed lobbies changes nothing.
    one.record(&[unseated(7, 1), checkpoint(8, 2)]).await;
    one.write().await;
    assert_all_is_in_pages(&one, &model, 0).await;
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    model.assert_is(&other.restore().await, "many lobbies");
}

#[tokio::test(start_paused = true)]
async fn an_archived_lobby_does_not_come_back_from_a_log_that_is_still_there() {
    let etcd = MemoryEtcd::default();
    let (mut one, mut other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    one.record(&[opened(1), event(1, 1, 0)]).await;
    let log = format!("log/{}/", one.epoch());
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    let restored = other.restore().await;
    other.writer.adopt(&restored);
    other.record(&[closing(1, 2)]).await;
    other.write().await;
    let slot = Slot::of(code(1));
    let pages = keys::pages(slot, LobbyId(1));
    let archived = vec![
        Operation::Delete(keys::head(slot, LobbyId(1))),
        Operation::DeleteRange(pages.clone(), pages.behind_prefix()),
    ];
    other.client.txn(Txn { then: archived, ..Txn::default() }).await.unwrap();
    let third = Member::join(&etcd, "c").await;
    drop(other);
    tokio::time::sleep(LEASE * 3).await;
    assert_eq!(third.all(&log).await.len(), 1, "the old log is there");
    let restored = third.restore().await;
    assert!(restored.lobbies.is_empty() && restored.damaged.is_empty(), "{restored:?}");
}

#[tokio::test(start_paused = true)]
async fn the_log_of_a_dead_node_is_deleted_once_all_slots_cover_it() {
    let etcd = MemoryEtcd::default();
    let (mut one, mut other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    let mut model = Model::default();
    for lobby in 1..=20 {
        let entries = [opened(lobby), event(lobby, 1, 0)];
        model.record(&entries);
        one.record(&entries).await;
    }
    let dead = one.epoch();
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    let clean = async |member: &Member| {
        let living = Living::read(&*member.client).await.unwrap();
        delete_covered_logs(&*member.client, member.node.membership(), &living).await.unwrap()
    };
    let (mine, theirs): (Vec<Slot>, Vec<Slot>) = Slot::all().partition(|slot| slot.0 % 2 == 0);
    let mut third = Member::join(&etcd, "c").await;
    for (member, slots) in [(&mut other, mine.clone()), (&mut third, theirs)] {
        let living = Living::read(&*member.client).await.unwrap();
        let restored = restore(&*member.client, &living, slots).await.unwrap();
        member.writer.adopt(&restored);
        assert_eq!(clean(member).await, [], "not all is in pages");
        member.write().await;
    }
    assert_eq!(clean(&other).await, [dead]);
    assert_eq!((other.all("log/").await, other.all("start/").await), (vec![], vec![]));

    // One of them dies: the slots of the other are covered once it says so.
    for lobby in 1..=20 {
        let entries = [event(lobby, 2, 0)];
        model.record(&entries);
        let owner = if mine.contains(&Slot::of(code(lobby))) { &mut other } else { &mut third };
        owner.record(&entries).await;
    }
    let dead = third.epoch();
    drop(third);
    tokio::time::sleep(LEASE * 3).await;
    let living = Living::read(&*other.client).await.unwrap();
    let theirs = Slot::all().filter(|slot| !mine.contains(slot));
    other.writer.adopt(&restore(&*other.client, &living, theirs).await.unwrap());
    other.write().await;
    assert_eq!(clean(&other).await, []);
    let now = other.log.as_ref().unwrap().confirm().await.unwrap().unwrap();
    other.writer.cover(mine, now);
    other.write().await;
    assert_eq!(clean(&other).await, [dead]);
    let fourth = Member::join(&etcd, "d").await;
    drop(other);
    tokio::time::sleep(LEASE * 3).await;
    model.assert_is(&fourth.restore().await, "from pages alone");
}

#[tokio::test(start_paused = true)]
async fn who_is_no_member_any_more_writes_no_page() {
    let etcd = MemoryEtcd::default();
    let (mut one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    one.record(&[opened(1), event(1, 1, 0)]).await;
    one.client.cut_off();
    tokio::time::sleep(LEASE * 2).await;
    one.client.heal();
    assert_eq!(one.writer.write().await, Err(WriteError::FencedOff(FencedOff)));
    assert_eq!(other.all("p/").await, []);
    assert_eq!(one.node.membership().check(), Err(FencedOff));
}

#[tokio::test(start_paused = true)]
async fn only_lobbies_of_the_slots_that_are_asked_for_are_restored() {
    let etcd = MemoryEtcd::default();
    let (mut one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    for lobby in 1..=20 {
        one.record(&[opened(lobby), event(lobby, 1, 0)]).await;
        if lobby == 10 {
            one.write().await;
        }
    }
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    let living = Living::read(&*other.client).await.unwrap();
    let (mine, theirs): (Vec<Slot>, Vec<Slot>) = Slot::all().partition(|slot| slot.0 % 2 == 0);
    let mut found = Vec::new();
    for slots in [mine, theirs] {
        let restored = restore(&*other.client, &living, slots.clone()).await.unwrap();
        assert!(restored.lobbies.iter().all(|lobby| slots.contains(&lobby.kept.slot())));
        found.extend(restored.lobbies.iter().map(|lobby| lobby.kept.lobby.0));
    }
    found.sort_unstable();
    assert!(found.into_iter().eq(1..=20));
}

#[tokio::test(start_paused = true)]
async fn damage_concerns_one_lobby_and_is_said() {
    let etcd = MemoryEtcd::default();
    let (mut one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    for lobby in 1..=5 {
        one.record(&[opened(lobby), event(lobby, 1, 0)]).await;
    }
    let events: Vec<Entry> = (2..1_000).map(|number| event(3, number, 0)).collect();
    one.record(&events).await;
    one.write().await;
    let slot = |lobby| Slot::of(code(lobby));
    let (head, page) = (keys::head(slot(1), LobbyId(1)), keys::page(slot(2), LobbyId(2), 1));
    let missing = keys::page(slot(3), LobbyId(3), 1);
    let then = vec![Operation::put(head, "x"), Operation::put(page, "nonsense"), Operation::Delete(missing)];
    one.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    one.record(&[event(4, 2, 0)]).await;
    drop(one);
    tokio::time::sleep(LEASE * 3).await;
    let restored = other.restore().await;
    let damaged: Vec<String> = restored.damaged.iter().map(ToString::to_string).collect();
    assert_eq!(damaged.len(), 3, "{damaged:?}");
    for (said, words) in
        damaged.iter().zip(["lobby 1: its head is damaged", "a page of it", "event 1 is missing"])
    {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(restored.lobbies.iter().map(|lobby| lobby.kept.last).collect::<Vec<_>>(), [2, 1]);
}
