//! How an older journal becomes one of this version: in one transaction, with a copy beside it until that is done.

use std::path::Path;

use rusqlite::{Connection, Result, TransactionBehavior};

use super::anew::Broken;
use super::backup;
use super::folder::{Folder, remove};
use super::opening::{check_pages, connect, connect_to_read};
use super::schema::{Found, Layout};
use super::trouble::of_engine;
use crate::server::storage::StorageError;

/// Brings a journal of this version up to date, and says so.
pub(super) fn migrate(folder: &Folder, layout: &Layout, from: i32) -> Result<String, StorageError> {
    let (journal, copy) = (folder.journal(), folder.before(from));
    // One of a migration that was interrupted: it has changed nothing.
    remove(&copy)?;
    let old = connect_to_read(&journal).map_err(|error| of_engine(folder.path(), &error))?;
    backup::copy(&old, folder.path(), &copy).map_err(|trouble| {
        StorageError::of_host(format!(
            "the journal in {} is of version {from}, and a copy of it is made before it is brought up to date. It is as it was, for \
             {trouble}",
            folder.path().display()
        ))
    })?;
    drop(old);
    let done = connect(&journal).and_then(|mut connection| change(&mut connection, layout, from));
    match done {
        Ok(true) => {}
        Ok(false) => return Err(failed(folder, &copy, "it is not right afterwards")),
        Err(error) => return Err(failed(folder, &copy, &error.to_string())),
    }
    remove(&copy)?;
    let but = what_is_left_out(&journal).map_err(|error| of_engine(folder.path(), &error))?;
    Ok(format!("the journal was brought from version {from} to version {}{but}", layout.version))
}

/// What is not told of any more, if anything is.
fn what_is_left_out(journal: &Path) -> Result<String> {
    Ok(Broken::of(&connect_to_read(journal)?)?.told("are not listed any more"))
}

/// Removes the copies of older versions, which are of no use beside a journal of this one.
pub(super) fn forget_copies(folder: &Folder, layout: &Layout) -> Result<(), StorageError> {
    layout.steps.iter().try_for_each(|step| remove(&folder.before(step.from)))
}

/// Takes all steps. Whether the journal is right afterwards; if not, it is as it was.
pub(super) fn change(connection: &mut Connection, layout: &Layout, from: i32) -> Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut version = from;
    while let Some(step) = layout.steps.iter().find(|step| step.from == version) {
        (step.take)(&transaction)?;
        version += 1;
    }
    layout.sign(&transaction)?;
    let is_right = layout.recognise(&transaction)? == Found::Ours && check_pages(&transaction)? == "ok";
    if is_right {
        transaction.commit()?;
    }
    Ok(is_right)
}

fn failed(folder: &Folder, copy: &Path, why: &str) -> StorageError {
    StorageError::of_host(format!(
        "the journal in {} could not be brought up to date: {why}. It is as it was, and so is the copy {}: make room if the \
         disk is full, or start the program that wrote it",
        folder.path().display(),
        copy.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::super::opening::open;
    use super::super::schema::{LAYOUT, Step};
    use super::super::{Durability, Sqlite};
    use super::*;
    use crate::server::storage::{LobbyId, Storage};

    const LETTERS: (&str, &str) = ("letters", "CREATE TABLE letters (lobby INTEGER, text TEXT) STRICT");

    /// A layout that is yet to be invented: one more table, and these steps to it.
    fn tomorrow(steps: &'static [Step]) -> Layout {
        let mut items = LAYOUT.items.to_vec();
        items.push(LETTERS);
        Layout { version: LAYOUT.version + 1, items: items.leak(), steps }
    }

    const fn step(take: fn(&Connection) -> Result<()>) -> Step {
        Step { from: LAYOUT.version, adds: &["letters"], had: &[], take }
    }

    const GOOD: &[Step] = &[step(|connection| connection.execute_batch(LETTERS.1))];
    const FAILING: &[Step] = &[step(|connection| {
        connection.execute_batch("DELETE FROM meta WHERE name = 'version'; DROP TABLE nothing")
    })];
    const WRONG: &[Step] =
        &[step(|connection| connection.execute_batch("CREATE TABLE letters (other TEXT)"))];

    fn files(folder: &Path) -> Vec<String> {
        let files = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The copy that is kept of a journal of today.
    fn copy_in(folder: &Path) -> std::path::PathBuf {
        folder.join(format!("journal.version-{}", LAYOUT.version))
    }

    fn today() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        drop(Sqlite::open(folder.path(), Durability::Process).unwrap());
        folder
    }

    #[test]
    fn an_older_journal_is_brought_up_to_date() {
        let (folder, tomorrow) = (today(), tomorrow(GOOD));
        // The copy of a migration that was interrupted is in nobody's way.
        std::fs::write(copy_in(folder.path()), "half").unwrap();
        let (mut journal, news) = open(folder.path(), Durability::Process, &tomorrow).unwrap();
        assert_eq!(news, ["the journal was brought from version 3 to version 4"]);
        assert_eq!(journal.load(&mut |_| {}), Ok(LobbyId(1)));
        drop(journal);
        assert_eq!(files(folder.path()), ["journal.lock", "journal.sqlite"]);
        let (_, news) = open(folder.path(), Durability::Process, &tomorrow).unwrap();
        assert_eq!(news, [""; 0]);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_journal_and_a_copy() {
        for steps in [FAILING, WRONG] {
            let folder = today();
            let before = std::fs::read(folder.path().join("journal.sqlite")).unwrap();
            let trouble = open(folder.path(), Durability::Process, &tomorrow(steps)).unwrap_err();
            assert!(trouble.cause.contains("could not be brought up to date"), "{trouble}");
            assert_eq!(std::fs::read(folder.path().join("journal.sqlite")).unwrap(), before);
            assert!(trouble.cause.contains("journal.version-3"), "{trouble}");
            // The copy is a journal itself.
            let copy = today();
            std::fs::rename(copy_in(folder.path()), copy.path().join("journal.sqlite")).unwrap();
            for folder in [folder, copy] {
                assert_eq!(Sqlite::open(folder.path(), Durability::Process).unwrap().1, [""; 0]);
            }
        }
    }

    #[test]
    fn a_newer_journal_is_refused_and_stays_as_it_is() {
        let (folder, tomorrow) = (tempfile::tempdir().unwrap(), tomorrow(GOOD));
        drop(open(folder.path(), Durability::Process, &tomorrow).unwrap());
        let read = || std::fs::read(folder.path().join("journal.sqlite")).unwrap();
        let (before, there) = (read(), files(folder.path()));
        let trouble = Sqlite::open(folder.path(), Durability::Process).unwrap_err().cause;
        let by = concat!("was written by nim-server ", env!("CARGO_PKG_VERSION"), ", and is of version 4");
        assert!(trouble.contains(by) && trouble.contains("up to 3"), "{trouble}");
        assert_eq!((read(), files(folder.path())), (before, there));
    }
}
