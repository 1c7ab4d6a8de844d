//! All that was ever recorded, in the order of etcd's revisions, and whether what people are told is recorded like that.

use std::collections::BTreeMap;

use nim::cluster::engine::{Change, Changed, Engine, Key, Revision};
use nim::cluster::keys::{self, Epoch};
use nim::cluster::log::entries_of;
use nim::lobby::{Code, Event};
use nim::server::storage::{Entry, LobbyId, Note};

use crate::simulation::observer::{Shared, shared};

use super::etcd::EtcdHost;

/// What the logs of all nodes have ever had.
#[derive(Debug, Default)]
pub(super) struct Record {
    lobbies: BTreeMap<LobbyId, Recorded>,
    by_code: BTreeMap<Code, Vec<LobbyId>>,
    /// How often a lobby went on in another life of a node.
    pub(super) takeovers: u32,
    /// What must never be.
    violations: Vec<String>,
}

#[derive(Debug, Default)]
struct Recorded {
    events: Vec<Event>,
    /// Whose log has its last event.
    owner: Option<Epoch>,
}

impl Record {
    /// Follows all logs, in the host that plays etcd.
    pub(super) async fn follow(this: Shared<Self>, host: EtcdHost) {
        let watch = host.etcd.client().watch(Key::from(keys::LOGS), Revision(1)).await;
        let mut watch = watch.expect("nothing is compacted");
        loop {
            let Changed { changes, .. } = watch.next().await.expect("it keeps pace");
            for change in changes {
                if let Change::Put(put) = change {
                    let epoch = keys::epoch_of(&put.key).expect("a segment");
                    let entries = entries_of(&put.value).expect("sound bytes");
                    for entry in &entries {
                        this.lock().add(epoch, entry);
                    }
                }
            }
        }
    }

    pub(super) fn new() -> Shared<Self> {
        shared(Self::default())
    }

    fn add(&mut self, epoch: Epoch, Entry { lobby, note, .. }: &Entry) {
        let recorded = self.lobbies.entry(*lobby).or_default();
        match note {
            Note::Opened(meta) => self.by_code.entry(meta.code).or_default().push(*lobby),
            Note::Happened { number, event, .. } => {
                let expected = u32::try_from(recorded.events.len()).unwrap() + 1;
                if *number != expected {
                    self.violations.push(format!(
                        "event {number} of {lobby:?} is recorded in the place of event {expected}: {event:?}"
                    ));
                    return;
                }
                recorded.events.push(event.clone());
                let before = recorded.owner.replace(epoch);
                self.takeovers += u32::from(before.is_some_and(|before| before != epoch));
            }
            _ => {}
        }
    }

    /// Notes that somebody was told of this event.
    pub(super) fn told(&mut self, code: Code, number: u32, event: &Event) {
        let place = usize::try_from(number).unwrap() - 1;
        let lobbies = self.by_code.get(&code).into_iter().flatten();
        let mut versions = lobbies.filter_map(|lobby| self.lobbies[lobby].events.get(place));
        if !versions.any(|recorded| recorded == event) {
            self.violations.push(format!("event {number} of {code} was told and is not recorded: {event:?}"));
        }
    }

    pub(super) fn violations(&self) -> &[String] {
        &self.violations
    }
}
