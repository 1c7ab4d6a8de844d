//! Reading what a node needs of its new slots to go on with their lobbies: the heads, and of the pages only those that a
//! checkpoint does not cover, and the last one. So how long that takes does not grow with what has happened in them before.

use std::collections::BTreeMap;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::listing::{AT_ONCE, Listed, read};
use super::restored::{Lobbies, Reading};
use super::value::MAX_VALUE;
use crate::cluster::engine::{Engine, EngineError, Key, Range, RangeReader, Revision};
use crate::cluster::keys::{self, Slot};
use crate::server::storage::LobbyId;

/// How many heads are read together: they have 48 KiB at most, and most have a hundredth of that.
const HEADS_TOGETHER: usize = 64;

/// How many pages are read together: they have 20 KiB at most, and most have a fifth of that.
const PAGES_TOGETHER: usize = 128;

/// A lobby whose head was read.
struct Chosen {
    reading: Reading,
    /// The keys of the pages that are to be read: from the first one up to but not including the second.
    pages: (Key, Key),
    /// How many these are.
    count: usize,
}

/// Reads heads and pages of the lobbies that are listed. Each slot is covered up to its revision.
///
/// # Errors
///
/// If etcd does not answer.
pub(super) async fn read_listed(
    engine: &dyn Engine,
    Listed { lobbies, at }: &Listed,
    covered: &BTreeMap<Slot, Revision>,
) -> Result<Lobbies, EngineError> {
    let some = lobbies.chunks(HEADS_TOGETHER);
    let reading: Vec<_> = some.map(|some| read_some(engine, some, *at, covered)).collect();
    let mut read = stream::iter(reading).buffer_unordered(AT_ONCE);
    let mut lobbies = Lobbies::new();
    while let Some(some) = read.try_next().await? {
        lobbies.extend(some.into_iter().map(|Chosen { reading, .. }| (reading.lobby, reading.finish())));
    }
    Ok(lobbies)
}

async fn read_some(
    engine: &dyn Engine,
    some: &[(Slot, LobbyId)],
    at: Revision,
    covered: &BTreeMap<Slot, Revision>,
) -> Result<Vec<Chosen>, EngineError> {
    let head = |(slot, lobby): &(Slot, LobbyId)| Range::key(keys::head(*slot, *lobby)).at(at);
    let heads = read(engine, some.iter().map(head).collect()).await?.found;
    let mut chosen = Vec::new();
    for ((slot, lobby), head) in some.iter().zip(&heads) {
        let Some(head) = head.first() else { continue };
        let covered = covered.get(slot).copied().unwrap_or_default();
        let (reading, first, count) = Reading::begin_where_needed(*lobby, head, covered);
        let end = keys::pages(*slot, *lobby).behind_prefix();
        chosen.push(Chosen { reading, pages: (keys::page(*slot, *lobby, first), end), count });
    }
    let mut rest = &mut chosen[..];
    while !rest.is_empty() {
        let (together, others) = rest.split_at_mut(fitting(rest));
        read_pages(engine, at, together).await?;
        rest = others;
    }
    Ok(chosen)
}

/// How many of these lobbies are read together: one at least.
fn fitting(lobbies: &[Chosen]) -> usize {
    let mut pages = 0;
    let fits = |lobby: &&Chosen| {
        pages += lobby.count;
        pages <= PAGES_TOGETHER
    };
    lobbies.iter().take_while(fits).count().max(1)
}

async fn read_pages(engine: &dyn Engine, at: Revision, lobbies: &mut [Chosen]) -> Result<(), EngineError> {
    if let [Chosen { reading, pages, count }] = lobbies
        && *count > PAGES_TOGETHER
    {
        let mut reader = RangeReader::new(engine, pages.clone(), MAX_VALUE).at(at);
        while let Some(found) = reader.next().await? {
            for page in &found {
                reading.add(&page.value);
            }
        }
        return Ok(());
    }
    let range = |lobby: &Chosen| Range::new(lobby.pages.clone(), lobby.count).at(at);
    let ranges: Vec<Range> = lobbies.iter().filter(|lobby| lobby.count > 0).map(range).collect();
    if ranges.is_empty() {
        return Ok(());
    }
    let found = read(engine, ranges).await?.found;
    let with_pages = lobbies.iter_mut().filter(|lobby| lobby.count > 0);
    for (lobby, found) in with_pages.zip(found) {
        for page in &found {
            lobby.reading.add(&page.value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::engine::{Operation, Txn};
    use crate::cluster::keys::Seq;
    use crate::cluster::log::Recorded;
    use crate::cluster::node::{LEASE, Node};
    use crate::cluster::pages::listing::list;
    use crate::cluster::pages::restoring::read_slot;
    use crate::cluster::pages::{PAGE, PageWriter, RestoredLobby};
    use crate::cluster::sample::{about, checkpoint, closing, code, ended, event, opened, seated};
    use crate::server::storage::Entry;

    /// What a node needs of these slots.
    async fn read_slots(engine: &dyn Engine, slots: &[Slot]) -> Lobbies {
        let listed = list(engine, slots.iter().copied()).await.unwrap();
        read_listed(engine, &listed, &BTreeMap::new()).await.unwrap()
    }

    /// An etcd with a lobby of so many events in pages, of which a checkpoint covers some, and the node that wrote them.
    async fn with_a_lobby(events: u32, covered: u32) -> (MemoryEtcd, Node) {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &about(), LEASE).await.unwrap();
        let mut writer = PageWriter::new(client, node.membership().clone());
        let mut entries = vec![opened(1)];
        entries.extend((1..=events).map(|number| event(1, number, 0)));
        entries.push(checkpoint(1, covered));
        let recorded = Recorded { revision: etcd.revision(), first: Seq(0), last: Seq(0), bytes: 0 };
        writer.take(&entries, recorded).unwrap();
        writer.write().await.unwrap();
        (etcd, node)
    }

    /// What is known of the lobbies of a slot.
    fn shown(lobbies: Lobbies) -> Vec<String> {
        let of = |(lobby, read): (LobbyId, Result<_, _>)| match read {
            Ok(restored) => {
                let mut restored: RestoredLobby = restored;
                // Nobody goes on with a closed one.
                if restored.kept.closed.is_some() {
                    restored.events.clear();
                }
                format!("{restored:?}")
            }
            Err(damage) => format!("{lobby:?}: {damage:?}"),
        };
        lobbies.into_iter().map(of).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn whatever_a_checkpoint_covers_a_node_knows_the_same_as_if_it_had_read_all_pages() {
        for seed in 0..40 {
            let (etcd, mut rng) = (MemoryEtcd::default(), fastrand::Rng::with_seed(seed));
            let client = etcd.client();
            let node = Node::join(client.clone(), &"a".parse().unwrap(), &about(), LEASE).await.unwrap();
            let mut writer = PageWriter::new(Arc::clone(&client) as _, node.membership().clone());
            let recorded = || Recorded { revision: etcd.revision(), first: Seq(0), last: Seq(0), bytes: 0 };
            // Two lobbies of the same slot.
            let other = (2..9_999).find(|lobby| Slot::of(code(*lobby)) == Slot::of(code(1))).unwrap();
            let mut last = 0;
            for lobby in [other, 1] {
                writer.take(&[opened(lobby), seated(lobby, 1, 7)], recorded()).unwrap();
                let mut number = 0;
                for _ in 0..rng.usize(0..5) {
                    let count = rng.u32(0..600);
                    let events: Vec<Entry> =
                        (0..count).map(|more| event(lobby, number + 1 + more, 3)).collect();
                    number += count;
                    writer.take(&events, recorded()).unwrap();
                    match rng.u8(0..3) {
                        0 => writer
                            .take(&[checkpoint(lobby, rng.u32(number / 2..=number))], recorded())
                            .unwrap(),
                        1 => {
                            number += 1;
                            writer.take(&[ended(lobby, number)], recorded()).unwrap();
                        }
                        _ => writer.write().await.unwrap(),
                    }
                }
                last = number;
            }
            writer.write().await.unwrap();
            let slot = Slot::of(code(1));
            if rng.bool() {
                // As its writer leaves it until the archives have it.
                writer.take(&[closing(1, last + 1)], recorded()).unwrap();
                writer.write().await.unwrap();
            }
            let some = read_slots(&*client, &[slot]).await;
            let (_, _, all) = read_slot(&*client, slot, Revision(0), etcd.revision()).await.unwrap();
            assert!(shown(some) == shown(all), "seed {seed}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pages_that_a_checkpoint_covers_are_not_read_and_missing_ones_that_it_does_not_cover_are_damage()
    {
        let (etcd, _node) = with_a_lobby(2_000, 1_900).await;
        let client = etcd.client();
        let slot = Slot::of(code(1));
        let pages = Range::prefix(&keys::pages(slot, LobbyId(1)), 1_000);
        let found = client.range(pages).await.unwrap().found;
        let firsts: Vec<u32> =
            found.iter().filter_map(|page| keys::paged(slot, &page.key)).map(|(_, first)| first).collect();
        let covered = firsts.iter().filter(|first| **first < 1_900).count() - 1;
        assert!(covered > 10);
        let lobby = async || {
            let mut lobbies = read_slots(&*client, &[slot]).await;
            lobbies.remove(&LobbyId(1)).unwrap().map(|restored| (restored.kept.last, restored.kept.bytes))
        };
        for (first, is_covered) in firsts.iter().zip([true].repeat(covered).into_iter().chain([false; 99])) {
            let then = vec![Operation::Delete(keys::page(slot, LobbyId(1), *first))];
            client.txn(Txn { then, ..Txn::default() }).await.unwrap();
            let found = lobby().await;
            assert_eq!(found.is_ok(), is_covered, "page {first}: {found:?}");
            if !is_covered {
                break;
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn how_much_is_read_does_not_grow_with_what_a_checkpoint_covers() {
        let read = async |events: u32| {
            let (etcd, _node) = with_a_lobby(events, events - 10).await;
            let before = etcd.bytes_read();
            let lobbies = read_slots(&*etcd.client(), &[Slot::of(code(1))]).await;
            assert_eq!(lobbies[&LobbyId(1)].as_ref().unwrap().kept.last, events);
            etcd.bytes_read() - before
        };
        let (few, many) = (read(1_000).await, read(20_000).await);
        assert!(many < few + 2 * PAGE, "{many} bytes instead of {few}");
    }
}
