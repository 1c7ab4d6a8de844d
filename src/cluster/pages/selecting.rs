//! Reading what a node needs of a slot to go on with its lobbies: their heads, and of their pages only those that a
//! checkpoint does not cover, and the last one. So how long that takes does not grow with what has happened in them before.

use std::collections::BTreeMap;

use super::kept::PAGE;
use super::restored::{Lobbies, Reading};
use crate::cluster::engine::{Engine, EngineError, KeyValue, Operation, Range, RangeReader, Revision, Txn};
use crate::cluster::keys::{self, Paged, Slot};
use crate::server::storage::LobbyId;

/// The most heads, and the most pages, that are read together: heads have 48 KiB at most, and most have a hundredth of that.
const MAX_HEADS: usize = 64;
const MAX_PAGES: usize = 128;

/// The most lobbies whose pages are read together: etcd's `--max-txn-ops` is 128.
const MAX_LOBBIES: usize = 64;

/// How often they are read where a server of etcd does not answer: one after the other is asked.
const TRIES: usize = 3;

/// A lobby of which the head was read, and which of its pages are to be read.
struct Chosen<'a> {
    reading: Reading,
    /// The numbers with which they begin.
    pages: &'a [u32],
}

/// Reads heads and pages of a slot that is covered up to this revision.
///
/// # Errors
///
/// If etcd does not answer.
pub(super) async fn read_for_taking(
    engine: &dyn Engine,
    slot: Slot,
    covered: Revision,
) -> Result<Lobbies, EngineError> {
    let (firsts, at) = pages_of_lobbies(engine, slot).await?;
    let (mut lobbies, all): (_, Vec<_>) = (Lobbies::new(), firsts.iter().collect());
    for some in all.chunks(MAX_HEADS) {
        let mut chosen = Vec::new();
        let heads =
            some.iter().map(|(lobby, _)| Range { at: Some(at), ..Range::key(keys::head(slot, **lobby)) });
        for ((lobby, firsts), head) in some.iter().zip(read(engine, heads.collect()).await?) {
            // Pages without a head were written by someone who could not finish.
            let Some(head) = head.first() else { continue };
            let mut reading = Reading::begin(**lobby, head, covered);
            let pages = needed(&reading, firsts);
            if let Some(first) = pages.first() {
                reading.skip_to(*first, (firsts.len() - pages.len()) * PAGE);
            }
            chosen.push(Chosen { reading, pages });
        }
        let mut rest = &mut chosen[..];
        while !rest.is_empty() {
            let (together, others) = rest.split_at_mut(fitting(rest));
            read_pages(engine, (slot, at), together).await?;
            rest = others;
        }
        lobbies.extend(chosen.into_iter().map(|Chosen { reading, .. }| (reading.lobby, reading.finish())));
    }
    Ok(lobbies)
}

/// With which events the pages of each lobby begin, and as of which revision that is.
async fn pages_of_lobbies(
    engine: &dyn Engine,
    slot: Slot,
) -> Result<(BTreeMap<LobbyId, Vec<u32>>, Revision), EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &keys::slot(slot), 1).keys_only();
    let mut firsts = BTreeMap::<LobbyId, Vec<u32>>::new();
    while let Some(page) = reader.next().await? {
        for found in page {
            match keys::paged(slot, &found.key) {
                Some(Paged::Head(lobby)) => drop(firsts.entry(lobby).or_default()),
                Some(Paged::Page(lobby, first)) => firsts.entry(lobby).or_default().push(first),
                None => tracing::warn!(key = %found.key, "something in etcd is not ours"),
            }
        }
    }
    Ok((firsts, reader.revision().unwrap_or_default()))
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
    (slot, at): (Slot, Revision),
    lobbies: &mut [Chosen<'_>],
) -> Result<(), EngineError> {
    // One with very many pages is alone.
    let most = lobbies.iter().map(|lobby| lobby.pages.len()).max().unwrap_or_default();
    for part in 0..most.div_ceil(MAX_PAGES) {
        let (ranges, with_pages): (Vec<Range>, Vec<_>) = lobbies
            .iter_mut()
            .filter_map(|lobby| {
                let pages = lobby.pages.chunks(MAX_PAGES).nth(part)?;
                let key = |first: &u32| keys::page(slot, lobby.reading.lobby, *first);
                let range = Range::new((key(pages.first()?), key(pages.last()?).next()), pages.len());
                Some((Range { at: Some(at), ..range }, lobby))
            })
            .unzip();
        for (lobby, found) in with_pages.into_iter().zip(read(engine, ranges).await?) {
            for page in found {
                lobby.reading.add(&page.value);
            }
        }
    }
    Ok(())
}

/// Reads these ranges together.
async fn read(engine: &dyn Engine, ranges: Vec<Range>) -> Result<Vec<Vec<KeyValue>>, EngineError> {
    if ranges.is_empty() {
        return Ok(Vec::new());
    }
    let then = ranges.into_iter().map(Operation::Get).collect();
    let txn = Txn { then, ..Txn::default() };
    for _ in 1..TRIES {
        match engine.txn(txn.clone()).await {
            Err(error) if error.is_in_doubt() => {}
            answer => return Ok(answer?.found),
        }
    }
    Ok(engine.txn(txn).await?.found)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::keys::Seq;
    use crate::cluster::log::Recorded;
    use crate::cluster::node::{LEASE, Node};
    use crate::cluster::pages::restoring::read_slot;
    use crate::cluster::pages::{PageWriter, RestoredLobby};
    use crate::cluster::sample::{about, checkpoint, closing, code, ended, event, opened, seated};
    use crate::server::storage::Entry;

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
            let recorded = || Recorded { revision: etcd.revision(), first: Seq(0), last: Seq(0) };
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
            let some = read_for_taking(&*client, slot, Revision(0)).await.unwrap();
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
        let recorded = || Recorded { revision: etcd.revision(), first: Seq(0), last: Seq(0) };
        let mut entries = vec![opened(1)];
        entries.extend((1..=2_000).map(|number| event(1, number, 0)));
        entries.push(checkpoint(1, 1_900));
        writer.take(&entries, recorded()).unwrap();
        writer.write().await.unwrap();
        let slot = Slot::of(code(1));
        let (firsts, _) = pages_of_lobbies(&*client, slot).await.unwrap();
        let firsts = &firsts[&LobbyId(1)];
        let covered = firsts.iter().filter(|first| **first < 1_900).count() - 1;
        assert!(covered > 10);
        let lobby = async || {
            let mut lobbies = read_for_taking(&*client, slot, Revision(0)).await.unwrap();
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
