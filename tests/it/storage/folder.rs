//! The folder of a journal: its lock, its permissions, and full disks.

use std::fs;
use std::path::Path;

use nim::server::storage::sqlite::{Durability, check};
use nim::server::storage::{Sqlite, Storage};

use super::model::{Model, open_in};
use super::opened;
use super::random_play::RandomPlay;

fn refused(folder: &Path) -> String {
    Sqlite::open(folder, Durability::Process).unwrap_err().to_string()
}

#[test]
fn a_second_server_is_told_who_holds_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let first = opened(folder.path(), Durability::Process);
    let said = refused(folder.path());
    assert!(said.contains(&format!("is in use by process {} since 20", std::process::id())), "{said}");
    drop(first);
    // The lock file stays, unlocked.
    assert!(folder.path().join("journal.lock").exists());
    opened(folder.path(), Durability::Process);
}

#[cfg(unix)]
#[test]
fn a_server_says_that_the_journal_of_a_used_folder_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    drop(opened(folder.path(), Durability::Process));
    fs::remove_file(folder.path().join("journal.sqlite")).unwrap();
    fs::write(folder.path().join("journal.sqlite-wal"), [0; 100]).unwrap();
    let (journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
    assert!(news[0].contains("the files beside a journal that is gone were renamed to"), "{news:?}");
    assert!(news.len() == 2 && news[1].contains("its journal is gone"), "{news:?}");
    drop(journal);
    opened(folder.path(), Durability::Process);
}

#[cfg(unix)]
#[test]
fn a_journal_or_a_folder_that_others_may_write_to_is_a_warning_that_says_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (home, file) = (folder.path().join("home"), folder.path().join("home/journal.sqlite"));
    let news = || Sqlite::open(&home, Durability::Process).unwrap().1;
    assert_eq!(news(), [""; 0]);
    let warning = |paths: &str| {
        format!(
            "other users of this machine may change the records of games; keep them out with: chmod go-w {paths}"
        )
    };
    let (shown, shown_file) = (format!("'{}'", home.display()), format!("'{}'", file.display()));
    for (folder_mode, file_mode, paths) in [
        (0o755, 0o644, None),
        (0o770, 0o600, Some(shown.clone())),
        (0o702, 0o600, Some(shown.clone())),
        (0o700, 0o620, Some(shown_file.clone())),
        (0o777, 0o666, Some(format!("{shown} {shown_file}"))),
    ] {
        for (path, mode) in [(&home, folder_mode), (&file, file_mode)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!(
            news(),
            Vec::from_iter(paths.map(|paths| warning(&paths))),
            "{folder_mode:o} {file_mode:o}"
        );
    }
}

#[test]
fn nobody_else_may_read_a_journal() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new");
    let _journal = opened(&path, Durability::Process).with_reserve();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    let files: Vec<_> = fs::read_dir(&path).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 5, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_path_that_cannot_be_a_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for place in [file.clone(), file.join("below")] {
        let said = refused(&place);
        assert!(said.contains("is not a folder: choose another one"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named_at_the_start() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    drop(opened(folder.path(), Durability::Process));
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let file = folder.path().join("journal.sqlite");
    allow(&file, 0o400);
    // Root may write anyway.
    if fs::OpenOptions::new().write(true).open(&file).is_err() {
        let said = refused(folder.path());
        assert!(said.contains("cannot be written: give this user the folder"), "{said}");
        allow(&file, 0o600);
        allow(folder.path(), 0o500);
        let said = refused(folder.path());
        assert!(said.contains("cannot be written") || said.contains("not this user's to write"), "{said}");
        allow(folder.path(), 0o700);
    }
}

/// With this variable the test program runs on a full disk.
const LIMITED: &str = "NIM_LIMITED_FOLDER";

/// The largest size of a file there, in blocks of 512 bytes.
#[cfg(unix)]
const LIMIT: u32 = 420;

#[cfg(unix)]
#[test]
fn a_batch_on_a_full_disk_is_rolled_back() {
    let folder = tempfile::tempdir().unwrap();
    let test = std::env::current_exe().unwrap();
    // A shell can limit the size of files, so that a larger write fails without killing the program.
    let script = format!("trap '' XFSZ; ulimit -f {LIMIT}; exec \"$0\" --exact --nocapture --ignored \"$1\"");
    let name = format!("{}::body_of_a_batch_on_a_full_disk", module_path!().split_once("::").unwrap().1);
    let mut shell = std::process::Command::new("sh");
    let shell = shell.args(["-c", &script]).arg(test).arg(name).env(LIMITED, folder.path());
    let done = shell.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    // This process has no limit.
    let mut journal = opened(folder.path(), Durability::Process);
    let count = open_in(&mut journal).len();
    assert!(said.contains(&format!("{count} lobbies are open")) && count > 0, "{said}");
    let report = check(folder.path()).unwrap();
    assert!(report.findings.is_empty(), "{report}");
}

#[test]
#[ignore = "started by another test"]
fn body_of_a_batch_on_a_full_disk() {
    let Some(folder) = std::env::var_os(LIMITED) else { return };
    let mut journal = opened(Path::new(&folder), Durability::Process);
    let (mut play, mut model) = (RandomPlay::by(31, 20), Model::default());
    let error = loop {
        let batch = play.batch(50);
        match journal.record(&batch) {
            Ok(()) => model.record(&batch),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("fails to write"), "{error}");
    assert_eq!(open_in(&mut journal), model.to_load());
    println!("{} lobbies are open", model.open().len());
}
