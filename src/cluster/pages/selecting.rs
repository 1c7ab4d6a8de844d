//! Reading what a node needs of its new slots to go on with their lobbies: the heads, and of the pages only those that a
//! checkpoint does not cover, and the last one. So how long that takes does not grow with what has happened in them before.

use std::collections::BTreeMap;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::kept::PAGE;
use super::listing::{AT_ONCE, Listed, read};
use super::restored::{Lobbies, Reading};
use crate::cluster::engine::{Engine, EngineError, Range, Revision};
use crate::cluster::keys::{self, Slot};
use crate::server::storage::LobbyId;

/// The most heads, and the most pages, that are read together: heads have 48 KiB at most, and most have a hundredth of that.
const MAX_HEADS: usize = 64;
const MAX_PAGES: usize = 128;

/// The most lobbies whose pages are read together: etcd's `--max-txn-ops` is 128.
const MAX_LOBBIES: usize = 64;

/// A lobby of which the head was read, and which of its pages are to be read.
struct Chosen<'a> {
    slot: Slot,
    reading: Reading,
    /// The numbers with which they begin.
    pages: &'a [u32],
}

/// Reads heads and pages of the lobbies that are listed. Each slot is covered up to its revision.
///
/// # Errors
///
/// If etcd does not answer.
pub(super) async fn read_listed(
    engine: &dyn Engine,
    Listed { firsts, at }: &Listed,
    covered: &BTreeMap<Slot, Revision>,
) -> Result<Lobbies, EngineError> {
    let all: Vec<_> = firsts.iter().map(|(lobby, firsts)| (*lobby, &firsts[..])).collect();
    let reading: Vec<_> = all.chunks(MAX_HEADS).map(|some| read_some(engine, some, *at, covered)).collect();
    let mut read = stream::iter(reading).buffer_unordered(AT_ONCE);
    let mut lobbies = Lobbies::new();
    while let Some(some) = read.try_next().await? {
        lobbies.extend(some);
    }
    Ok(lobbies)
}

async fn read_some(
    engine: &dyn Engine,
    some: &[((Slot, LobbyId), &[u32])],
    at: Revision,
    covered: &BTreeMap<Slot, Revision>,
) -> Result<Lobbies, EngineError> {
    let head = |((slot, lobby), _): &((Slot, LobbyId), &[u32])| Range {
        at: Some(at),
        ..Range::key(keys::head(*slot, *lobby))
    };
    let heads = read(engine, some.iter().map(head).collect()).await?.found;
    let mut chosen = Vec::new();
    for (((slot, lobby), firsts), head) in some.iter().zip(heads) {
        // Pages without a head were written by someone who could not finish.
        let Some(head) = head.first() else { continue };
        let mut reading = Reading::begin(*lobby, head, covered.get(slot).copied().unwrap_or_default());
        let pages = needed(&reading, firsts);
        if let Some(first) = pages.first() {
            reading.skip_to(*first, (firsts.len() - pages.len()) * PAGE);
        }
        chosen.push(Chosen { slot: *slot, reading, pages });
    }
    let mut rest = &mut chosen[..];
    while !rest.is_empty() {
        let (together, others) = rest.split_at_mut(fitting(rest));
        read_pages(engine, at, together).await?;
        rest = others;
    }
    Ok(chosen.into_iter().map(|Chosen { reading, .. }| (reading.lobby, reading.finish())).collect())
}

/// Which of the pages that begin with these events are needed: those with events behind the checkpoint, and the last one of
/// which the head knows, to which events are added.
fn needed<'a>(reading: &Reading, firsts: &'a [u32]) -> &'a [u32] {
    let Some((known, last)) = reading.known() else { return &[] };
    let end = firsts.partition_point(|first| *first <= last);
    let begin = firsts[..end].partition_point(|first| *first <= known.saturating_add(1).min(last));
    &firsts[begin.saturating_sub(1)..end]
}

/// How many of these lobbies are read together.
fn fitting(lobbies: &[Chosen<'_>]) -> usize {
    let mut pages = 0;
    let fits = |lobby: &&Chosen<'_>| {
        pages += lobby.pages.len();
        pages <= MAX_PAGES
    };
    lobbies.iter().take(MAX_LOBBIES).take_while(fits).count().max(1)
}

async fn read_pages(
    engine: &dyn Engine,
    at: Revision,
    lobbies: &mut [Chosen<'_>],
) -> Result<(), EngineError> {
    // One with very many pages is alone.
    let most = lobbies.iter().map(|lobby| lobby.pages.len()).max().unwrap_or_default();
    for part in 0..most.div_ceil(MAX_PAGES) {
        let (ranges, with_pages): (Vec<Range>, Vec<_>) = lobbies
            .iter_mut()
            .filter_map(|lobby| {
                let pages = lobby.pages.chunks(MAX_PAGES).nth(part)?;
                let key = |first: &u32| keys::page(lobby.slot, lobby.reading.lobby, *first);
                let range = Range::new((key(pages.first()?), key(pages.last()?).next()), pages.len());
                Some((Range { at: Some(at), ..range }, lobby))
            })
            .unzip();
        if ranges.is_empty() {
            break;
        }
        for (lobby, found) in with_pages.into_iter().zip(read(engine, ranges).await?.found) {
            for page in found {
                lobby.reading.add(&page.value);
            }
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
    use crate::cluster::pages::{PageWriter, RestoredLobby};
    use crate::cluster::sample::{about, checkpoint, closing, code, ended, event, opened, seated};
    use crate::server::storage::Entry;

    /// What a node needs of these slots.
    async fn read_slots(engine: &dyn Engine, slots: &[Slot]) -> Lobbies {
        let listed = list(engine, slots.iter().copied()).await.unwrap();
        read_listed(engine, &listed, &BTreeMap::new()).await.unwrap()
    }

    /// What is known of the lobbies of a slot: what a node needs, but for the bytes of their events.
    fn shown(lobbies: Lobbies) -> Vec<String> {
        let of = |(lobby, read): (LobbyId, Result<_, _>)| match read {
            Ok(restored) => {
                let mut restored: RestoredLobby = restored;
                restored.kept.bytes = 0;
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
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &about(), LEASE).await.unwrap();
        let mut writer = PageWriter::new(Arc::clone(&client) as _, node.membership().clone());
        let recorded = || Recorded { revision: etcd.revision(), first: Seq(0), last: Seq(0), bytes: 0 };
        let mut entries = vec![opened(1)];
        entries.extend((1..=2_000).map(|number| event(1, number, 0)));
        entries.push(checkpoint(1, 1_900));
        writer.take(&entries, recorded()).unwrap();
        writer.write().await.unwrap();
        let slot = Slot::of(code(1));
        let listed = list(&*client, [slot].into_iter()).await.unwrap();
        let firsts = &listed.firsts[&(slot, LobbyId(1))];
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
}
