//! A journal as a crash left it, and what comes of it when somebody does something to its files before it is opened again.

use std::collections::HashSet;
use std::path::Path;
use std::{fs, io};

use nim::server::storage::sqlite::{Durability, check};
use nim::server::storage::{Entry, LobbyId, Note, Owner, Sqlite, Storage, StoredLobby};
use nim::server::{Arrival, Config, Listen, Server};
use tempfile::TempDir;

use super::model::{Model, loaded};
use super::town::Town;

pub(crate) const MAIN: &str = "journal.sqlite";
pub(crate) const WAL: &str = "journal.sqlite-wal";
pub(crate) const INDEX: &str = "journal.sqlite-shm";

/// A journal as it was when the power went, and all that had been recorded until then.
pub(crate) struct Crash {
    pub(crate) folder: TempDir,
    model: Model,
    /// What there was to be loaded after each batch.
    pub(crate) states: Vec<Vec<StoredLobby>>,
}

impl Crash {
    /// A journal with some hundred events, in so many batches in the main file, and so many more beside it.
    pub(crate) fn after(seed: u64, settled: usize, fresh: usize) -> Self {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (mut town, mut model, mut states) = (Town::by(seed, 12), Model::default(), vec![Vec::new()]);
        for batches in [settled, fresh] {
            // A journal that is closed has everything in its main file.
            let mut journal = opened(home.path(), Durability::Process);
            for _ in 0..batches {
                let batch = town.batch(15);
                journal.record(&batch).unwrap();
                model.record(&batch);
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
        fs::read(self.folder.path().join(name)).unwrap()
    }

    /// The same, if there is one.
    pub(crate) fn try_file(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join(name)).ok()
    }

    /// Opens a copy of it in which one file is other than it was, or gone; what it says and what it has is held to the rule.
    pub(crate) fn judge(&self, what: &str, name: &str, bytes: Option<&[u8]>) -> Outcome {
        self.judge_all(what, &[(name, bytes)])
    }

    /// The same where several are.
    pub(crate) fn judge_all(&self, what: &str, files: &[(&str, Option<&[u8]>)]) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        copy(self.folder.path(), folder.path());
        for (name, bytes) in files {
            match bytes {
                Some(bytes) => fs::write(folder.path().join(name), bytes).unwrap(),
                None => fs::remove_file(folder.path().join(name)).unwrap(),
            }
        }
        let checked = check(folder.path());
        let (mut journal, news) = match Sqlite::open(folder.path(), Durability::Process) {
            Ok(opened) => opened,
            Err(trouble) => return Outcome::Refused(trouble.to_string()),
        };
        let (found, next) = loaded(&mut journal);
        let damages: Vec<String> =
            found.iter().filter_map(|lobby| lobby.as_ref().err()).map(ToString::to_string).collect();
        let found: Vec<StoredLobby> = found.into_iter().filter_map(Result::ok).collect();
        for kept in &found {
            self.assert_was_recorded(kept, what);
        }
        let said: Vec<String> = news.into_iter().chain(damages).collect();
        if !said.is_empty() && files.iter().any(|(name, _)| *name == WAL) {
            let is_sound = checked.is_ok_and(|report| report.findings.is_empty());
            assert!(!is_sound, "{what}: a server says {said:?}, and a check nothing");
        }
        if Some(&found) == self.states.last() {
            return Outcome::Whole { said };
        }
        if said.is_empty() {
            if self.states.contains(&found) {
                return Outcome::Unsaid;
            }
            let said = said_by_a_server(journal);
            let said = said.unwrap_or_else(|| panic!("{what}: no older state, and nothing is said"));
            return Outcome::Said { said, lost: self.lost(&found) };
        }
        assert!(next.0 > found.iter().map(|kept| kept.lobby.0).max().unwrap_or(0), "{what}");
        let lost = self.lost(&found);
        Outcome::Said { said, lost }
    }

    /// How many lobbies are not as they were at last.
    fn lost(&self, found: &[StoredLobby]) -> usize {
        self.states.last().map_or(0, |all| all.iter().filter(|kept| !found.contains(kept)).count())
    }

    /// Whether a lobby is as it was at some time.
    fn assert_was_recorded(&self, kept: &StoredLobby, what: &str) {
        let true_one =
            self.model.kept(kept.lobby).unwrap_or_else(|| panic!("{what}: {kept:?} was never there"));
        assert_eq!((kept.opened, &kept.opening), (true_one.opened, &true_one.opening), "{what}");
        assert!(true_one.events.starts_with(&kept.events), "{what}: an event was invented");
        let owners = self.owners(kept.lobby);
        assert!(kept.owners.iter().all(|owner| owners.contains(&owner)), "{what}: an owner was invented");
    }

    fn owners<'a>(&'a self, lobby: LobbyId) -> Vec<&'a Owner> {
        let entries = self.model.entries.iter().filter(|entry| entry.lobby == lobby);
        let owner = |entry: &'a Entry| match &entry.note {
            Note::Seated(owner) => Some(owner),
            _ => None,
        };
        entries.filter_map(owner).collect()
    }
}

/// How a damaged journal was opened.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing is missing; perhaps something was wrong.
    Whole {
        said: Vec<String>,
    },
    /// It is as it was before, and nobody is told.
    Unsaid,
    /// Something is wrong, and it is said; so many lobbies are not as they were at last.
    Said {
        said: Vec<String>,
        lost: usize,
    },
    Refused(String),
}

/// How many came out in each way.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) whole: usize,
    pub(crate) mended: usize,
    pub(crate) unsaid: usize,
    pub(crate) said: usize,
    pub(crate) refused: usize,
    /// The most lobbies that were lost at once.
    pub(crate) lost: usize,
    sentences: HashSet<String>,
}

impl Tally {
    pub(crate) fn count(&mut self, what: &str, outcome: Outcome) {
        if let Outcome::Said { lost: 2.., said } = &outcome {
            println!("{what}: {}", said.join("\n    "));
        }
        match outcome {
            Outcome::Whole { said } => {
                self.whole += 1;
                self.mended += usize::from(!said.is_empty());
                self.sentences.extend(said.iter().map(|said| without_names(said)));
            }
            Outcome::Unsaid => self.unsaid += 1,
            Outcome::Said { said, lost } => {
                self.said += 1;
                self.lost = self.lost.max(lost);
                self.sentences.extend(said.iter().map(|said| without_names(said)));
            }
            Outcome::Refused(trouble) => {
                self.refused += 1;
                self.sentences.insert(without_names(&trouble));
            }
        }
    }
}

/// What a server says that goes on with this journal, and has lobbies made of it; `None` if it is nothing.
fn said_by_a_server(journal: Sqlite) -> Option<Vec<String>> {
    let config = Config { thinkers: Some(0), ..Config::default() };
    let (_, found) = Server::on_keeping(NoDoor, config, Box::new(journal)).unwrap();
    let said: Vec<String> = found.damaged.iter().map(ToString::to_string).collect();
    (!said.is_empty()).then_some(said)
}

/// Nobody comes.
#[derive(Debug)]
struct NoDoor;

impl Listen for NoDoor {
    async fn accept(&self) -> io::Result<Arrival> {
        std::future::pending().await
    }
}

/// The journal in this folder, of which there is nothing to say but that lobbies were set aside.
pub(crate) fn opened(folder: &Path, durability: Durability) -> Sqlite {
    let (journal, news) = Sqlite::open(folder, durability).unwrap();
    assert!(news.iter().all(|line| line.contains(" set aside ")), "{news:?}");
    journal
}

/// A sentence in which no file and no lobby is named.
fn without_names(sentence: &str) -> String {
    let words = sentence.split(' ').filter(|word| !word.contains('/') && !word.contains('('));
    let words = words.map(|word| if word.parse::<u64>().is_ok() { "N" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// Every byte, or every so many.
pub(crate) fn places(length: usize, stride: usize) -> impl Iterator<Item = usize> {
    let all = std::env::var_os("NIM_DAMAGE").is_some_and(|word| word == "all");
    (0..length).step_by(if all { 1 } else { stride })
}
