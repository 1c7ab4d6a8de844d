//! Journals after a crash, and after damage to their files.

use std::path::Path;
use std::{fs, io};

use nim::server::storage::sqlite::Durability;
use nim::server::storage::{LobbyId, Note, Owner, Sqlite, StoredLobby};
use nim::server::{Arrival, Config, Listen, Server};
use tempfile::TempDir;

use super::model::{Model, loaded};
use super::random_play::RandomPlay;

pub(crate) const MAIN: &str = "journal.sqlite";
pub(crate) const WAL: &str = "journal.sqlite-wal";
pub(crate) const INDEX: &str = "journal.sqlite-shm";

/// The files of a journal after a power failure, and everything that was recorded.
pub(crate) struct Crash {
    pub(crate) folder: TempDir,
    model: Model,
    /// The lobbies to load after each batch.
    pub(crate) states: Vec<Vec<StoredLobby>>,
}

impl Crash {
    /// A journal with some hundred events: `settled` batches are in the main file, and `fresh` ones in the
    /// write-ahead log.
    pub(crate) fn after(seed: u64, settled: usize, fresh: usize) -> Self {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (mut play, mut model, mut states) =
            (RandomPlay::by(seed, 12), Model::default(), vec![Vec::new()]);
        for batches in [settled, fresh] {
            // A closed journal has everything in its main file.
            let mut journal = opened(home.path(), Durability::Process);
            for _ in 0..batches {
                model.record_in(&mut journal, &play.batch(15));
                states.push(model.open());
            }
            copy(home.path(), folder.path());
        }
        if fresh == 0 {
            copy(home.path(), folder.path());
        }
        Self { folder, model, states }
    }

    pub(crate) fn file(&self, name: &str) -> Vec<u8> {
        self.try_file(name).unwrap()
    }

    /// The same; `None` without that file.
    pub(crate) fn try_file(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join(name)).ok()
    }

    /// Opens a copy with one changed or removed file. Fails if an unrecorded event is loaded, or if a loss
    /// is not reported. An older state without a report is accepted if a file beside the main file was
    /// changed.
    pub(crate) fn judge(&self, what: &str, name: &str, bytes: Option<&[u8]>) -> Outcome {
        self.judge_all(what, &[(name, bytes)])
    }

    /// The same with several changed files.
    pub(crate) fn judge_all(&self, what: &str, files: &[(&str, Option<&[u8]>)]) -> Outcome {
        let folder = copied(self.folder.path());
        for (name, bytes) in files {
            match bytes {
                Some(bytes) => fs::write(folder.path().join(name), bytes).unwrap(),
                None => fs::remove_file(folder.path().join(name)).unwrap(),
            }
        }
        let (mut journal, mut said) = match Sqlite::open(folder.path(), Durability::Process) {
            Ok(opened) => opened,
            Err(refusal) => {
                println!("{what}: refused: {refusal}");
                return Outcome::Refused;
            }
        };
        let (found, next) = loaded(&mut journal);
        said.extend(found.iter().filter_map(|lobby| lobby.as_ref().err()).map(ToString::to_string));
        let found: Vec<StoredLobby> = found.into_iter().filter_map(Result::ok).collect();
        let found = self.whole(found);
        for lobby in &found {
            self.assert_was_recorded(lobby, what);
        }
        assert!(found.iter().all(|lobby| lobby.lobby < next), "{what}");
        if said.is_empty() && Some(&found) != self.states.last() {
            let is_beside = files.iter().any(|(name, _)| *name != MAIN);
            if is_beside && self.states.contains(&found) {
                return Outcome::Older;
            }
            said = said_by_a_server(journal);
            assert!(!said.is_empty(), "{what}: something is missing, and nothing is said");
        }
        let last = self.states.last().unwrap();
        Outcome::Opened { said, lost: last.iter().filter(|lobby| !found.contains(lobby)).count() }
    }

    /// These lobbies with all their events instead of checkpoints.
    pub(crate) fn whole(&self, found: Vec<StoredLobby>) -> Vec<StoredLobby> {
        found.into_iter().map(|lobby| self.model.whole(lobby)).collect()
    }

    /// Asserts that this state of a lobby was recorded.
    fn assert_was_recorded(&self, found: &StoredLobby, what: &str) {
        let recorded =
            self.model.kept(found.lobby).unwrap_or_else(|| panic!("{what}: {found:?} was never there"));
        assert_eq!((found.opened, &found.meta), (recorded.opened, &recorded.meta), "{what}");
        assert!(recorded.events.starts_with(&found.events), "{what}: an event was invented");
        let owners = self.owners(found.lobby);
        assert!(found.owners.iter().all(|owner| owners.contains(&owner)), "{what}: an owner was invented");
    }

    fn owners(&self, lobby: LobbyId) -> Vec<&Owner> {
        let notes = self.model.entries.iter().filter(|entry| entry.lobby == lobby).map(|entry| &entry.note);
        notes.filter_map(|note| if let Note::Seated(owner) = note { Some(owner) } else { None }).collect()
    }
}

/// The result of opening a damaged journal.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It opened with these reports; this number of lobbies differ from their last state.
    Opened {
        said: Vec<String>,
        lost: usize,
    },
    /// It opened in an older state without a report: the log file was damaged.
    Older,
    Refused,
}

/// The number of results of each kind.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) whole: usize,
    pub(crate) said: usize,
    pub(crate) older: usize,
    pub(crate) refused: usize,
    /// The most lobbies lost at once.
    pub(crate) lost: usize,
}

impl Tally {
    pub(crate) fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Opened { lost, said } => {
                self.whole += usize::from(*lost == 0);
                self.said += usize::from(!said.is_empty());
                self.lost = self.lost.max(*lost);
            }
            Outcome::Older => self.older += 1,
            Outcome::Refused => self.refused += 1,
        }
    }
}

/// The reports of a server that starts with this journal.
fn said_by_a_server(journal: Sqlite) -> Vec<String> {
    let config = Config { thinkers: Some(0), ..Config::default() };
    let (_, found) = Server::on_with_storage(Nobody, config, Box::new(journal)).unwrap();
    found.damaged.iter().map(ToString::to_string).collect()
}

/// A listener without connections.
#[derive(Debug)]
struct Nobody;

impl Listen for Nobody {
    async fn accept(&self) -> io::Result<Arrival> {
        std::future::pending().await
    }
}

/// The journal in this folder, whose only reports are about damaged lobbies.
pub(crate) fn opened(folder: &Path, durability: Durability) -> Sqlite {
    let (journal, news) = Sqlite::open(folder, durability).unwrap();
    assert!(news.iter().all(|line| line.contains(" set aside")), "{news:?}");
    journal
}

/// A copy of all files of a folder.
pub(crate) fn copied(from: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(from, folder.path());
    folder
}

fn copy(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// Every `stride`-th place; every place in a campaign.
pub(crate) fn places(length: usize, stride: usize) -> impl Iterator<Item = usize> {
    // The fuzz targets use this file without the harness.
    let is_campaign = std::env::var_os("NIM_CAMPAIGN").is_some();
    (0..length).step_by(if is_campaign { 1 } else { stride })
}
