//! What is written soon, and what is not.

use tokio_util::task::AbortOnDropHandle;

use super::*;
use crate::cluster::engine::memory::{MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Key, Range};
use crate::cluster::format::Format;
use crate::cluster::keys;
use crate::cluster::log::{Batch, Log, Outcome};
use crate::cluster::node::{LEASE, Node};
use crate::cluster::sample::{closing, ended, event, opened};
use crate::server::storage::LobbyId;

/// A node whose pages are written.
struct Member {
    client: Arc<MemoryClient>,
    sender: RecordedSender,
    _node: Node,
    _pager: Pager,
    _paging: AbortOnDropHandle<()>,
}

impl Member {
    /// The node, and its empty log.
    async fn join() -> (Self, Log) {
        let (client, about) = (MemoryEtcd::default().client(), crate::cluster::sample::about());
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &about, LEASE).await.unwrap();
        let membership = node.membership().clone();
        let (paging, pager, sender) = Paging::new(client.clone(), membership.clone());
        let paging = AbortOnDropHandle::new(tokio::spawn(paging.run()));
        let log = Log::new(client.clone(), membership);
        (Self { client, sender, _node: node, _pager: pager, _paging: paging }, log)
    }
}

#[tokio::test(start_paused = true)]
async fn a_closed_lobby_is_written_soon_so_that_all_archives_get_it_and_an_open_one_is_not() {
    let (member, mut log) = Member::join().await;
    let first = [opened(1), opened(2), event(1, 1, 0), event(2, 1, 0), closing(1, 2)];
    let (second, third) = ([opened(3), closing(3, 1)], [closing(2, 2)]);
    for (entries, closed) in [(&first[..], &[1][..]), (&second, &[1, 3]), (&third, &[1, 2, 3])] {
        let Outcome::Recorded(same, recorded) = log.append(Batch::of(Format::FIRST, entries)).go_on().await
        else {
            panic!("etcd answers")
        };
        log = same;
        member.sender.send(entries, recorded).await;
        tokio::time::sleep(CLOSED_EVERY + RETRY_PAUSE).await;
        for (prefix, lobby_of) in
            [(keys::CLOSED, keys::closed_lobby as fn(&Key) -> _), (keys::HEADS, lobby_of_head)]
        {
            let found = member.client.range(Range::prefix(&Key::from(prefix), 100)).await.unwrap().found;
            let lobbies: BTreeSet<u64> =
                found.iter().filter_map(|found| lobby_of(&found.key)).map(|lobby| lobby.0).collect();
            assert_eq!(lobbies, closed.iter().copied().collect(), "{prefix}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_lobby_in_which_a_game_has_ended_is_written_soon_and_of_many_some_at_a_time() {
    let (member, log) = Member::join().await;
    let lobbies = 1..=100;
    let entries: Vec<Entry> =
        lobbies.clone().flat_map(|lobby| [opened(lobby), event(lobby, 1, 0), ended(lobby, 2)]).collect();
    let batch = Batch::of(Format::FIRST, &entries);
    let Outcome::Recorded(_, recorded) = log.append(batch).go_on().await else { panic!("etcd answers") };
    member.sender.send(&entries, recorded).await;
    member.sender.send(&[opened(101), event(101, 1, 0)], recorded).await;
    let mut counts = Vec::new();
    for _ in 0..4 {
        tokio::time::sleep(ENDED_EVERY).await;
        let found = member.client.range(Range::prefix(&Key::from(keys::ENDED), 1_000)).await.unwrap().found;
        assert!(found.iter().all(|found| keys::ended_lobby(&found.key).is_some()));
        counts.push(found.len());
    }
    assert!(counts[0] < 100 && counts[3] == 100, "{counts:?}");
    let heads = member.client.range(Range::prefix(&Key::from(keys::HEADS), 1_000)).await.unwrap().found;
    assert_eq!(heads.iter().filter(|found| lobby_of_head(&found.key).is_some()).count(), 100);
}

/// The lobby of a head.
fn lobby_of_head(key: &Key) -> Option<LobbyId> {
    Slot::all().find_map(|slot| keys::headed(slot, key))
}
