//! The files of a journal and the lock on their folder. It knows nothing of what is in them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::error::of_file;
use crate::record::Date;
use crate::server::storage::{StorageError, WallTime};

/// The journal itself. SQLite keeps two files beside it while it is in use.
const JOURNAL: &str = "journal.sqlite";

/// The suffixes of the files that SQLite keeps beside a database.
const SIDE_FILES: [&str; 2] = ["-wal", "-shm"];

/// The name of a journal that is being created.
const NEW: &str = "journal.sqlite-new";

/// The name of a complete recovered journal until it replaces the damaged one.
const RECOVERED: &str = "journal.sqlite-recovered";

/// The file that is given up when the disk is full.
const RESERVE: &str = "journal.reserve";

/// The lock file of the server that uses the folder. Its text names the process.
const LOCK: &str = "journal.lock";

/// The most bytes that are read of that text.
const MAX_HOLDER: u64 = 200;

/// The folder of a journal.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

/// The exclusive lock on a folder, until it is dropped or the process ends.
#[derive(Debug)]
pub(super) struct FolderLock(File);

impl Drop for FolderLock {
    /// Unlocks explicitly: a child process that is just being started may share the descriptor for a moment,
    /// so closing it might not unlock.
    fn drop(&mut self) {
        // If this fails, closing the file does the rest.
        let _ = self.0.unlock();
    }
}

impl Folder {
    /// A folder, which is not touched.
    pub(super) fn at(path: &Path) -> Self {
        Self(path.into())
    }

    /// Creates the folder and its parents, unless it exists.
    pub(super) fn make(path: &Path) -> Result<Self, StorageError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
        builder.create(path).map_err(|error| not_made(path, &error))?;
        // After a power failure, a file in a new folder is found only if the folder is.
        for parent in missing.into_iter().filter_map(Path::parent) {
            Self::at(if parent.as_os_str().is_empty() { Path::new(".") } else { parent }).sync();
        }
        Ok(Self::at(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.0.join(JOURNAL)
    }

    pub(super) fn recovered(&self) -> PathBuf {
        self.0.join(RECOVERED)
    }

    pub(super) fn reserve(&self) -> PathBuf {
        self.0.join(RESERVE)
    }

    /// Whether a server has used the folder before.
    pub(super) fn was_used(&self) -> bool {
        self.0.join(LOCK).exists()
    }

    /// The folder and the journal's files in it, as far as other users may write to them.
    #[cfg(unix)]
    pub(super) fn open_to_others(&self) -> Vec<PathBuf> {
        use std::os::unix::fs::PermissionsExt;
        let others =
            |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o022 != 0);
        let files = ["", SIDE_FILES[0], SIDE_FILES[1]].map(|end| with_suffix(&self.journal(), end));
        [self.0.clone()].into_iter().chain(files).filter(others).collect()
    }

    /// Elsewhere the rights of a file are not in its mode.
    #[cfg(not(unix))]
    pub(super) fn open_to_others(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Locks the folder; the error names the process that has locked it.
    pub(super) fn lock(&self) -> Result<FolderLock, StorageError> {
        let path = self.0.join(LOCK);
        let of_lock = |error| of_file(&path, &error);
        let mut file = open_private(&path, OpenOptions::new().create(true)).map_err(of_lock)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(self.locked_by(&path)),
            Err(TryLockError::Error(error)) => return Err(of_lock(error)),
        }
        let now = Date::of_millis(WallTime::now().0);
        let text = format!("process {} since {now}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(of_lock)?;
        Ok(FolderLock(file))
    }

    fn locked_by(&self, lock: &Path) -> StorageError {
        let mut text = String::new();
        // On some systems nobody may read a file that another process has locked.
        let _ = File::open(lock).and_then(|file| file.take(MAX_HOLDER).read_to_string(&mut text));
        let holder: String = text.trim().chars().filter(|c| !c.is_control()).collect();
        let holder = if holder.is_empty() { "another process" } else { &holder };
        let place = self.0.display();
        StorageError::new(
            "another program has taken the journal",
            format!("{place} is in use by {holder}: stop that server, or choose another folder for this one"),
        )
    }

    /// Creates an empty file for a new journal, which no other user may read.
    pub(super) fn begin_new(&self) -> Result<PathBuf, StorageError> {
        let path = self.0.join(NEW);
        remove(&path)?;
        open_private(&path, OpenOptions::new().create_new(true)).map_err(|error| of_file(&path, &error))?;
        Ok(path)
    }

    /// Renames a file and then the files beside it, which mean nothing without it.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        for end in [""].into_iter().chain(SIDE_FILES) {
            match fs::rename(with_suffix(from, end), with_suffix(to, end)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(of_file(from, &error)),
                _ => {}
            }
        }
        self.sync();
        Ok(())
    }

    /// Moves the files of the journal out of the way, and returns the path of the first.
    pub(super) fn set_aside(&self) -> Result<PathBuf, StorageError> {
        let now = Date::of_millis(WallTime::now().0).to_string();
        let stamp = now.trim_end_matches(" UTC").replace(' ', "-").replace(':', "");
        let away = self.0.join(format!("journal.damaged-{stamp}"));
        let names = (2..100).map(|count| with_suffix(&away, &format!("-{count}")));
        let mut free = [away.clone()].into_iter().chain(names).filter(|path| !is_there(path));
        let full = || {
            StorageError::of_host(format!(
                "too many damaged journals are in {}: look at them",
                self.0.display()
            ))
        };
        let away = free.next().ok_or_else(full)?;
        self.rename(&self.journal(), &away)?;
        Ok(away)
    }

    /// Syncs renames and new files, on systems that can.
    pub(super) fn sync(&self) {
        let _ = File::open(&self.0).and_then(|folder| folder.sync_all());
    }
}

/// Parents are created too, so this error means that no folder can be created there.
fn not_made(path: &Path, error: &io::Error) -> StorageError {
    match error.kind() {
        io::ErrorKind::NotFound => StorageError::of_host(format!(
            "the folder {} cannot be created there: choose another one",
            path.display()
        )),
        _ => of_file(path, error),
    }
}

/// Whether there is such a file, or one that SQLite keeps beside it.
pub(super) fn is_there(path: &Path) -> bool {
    path.exists() || is_in_use(path)
}

/// Whether there is a file that SQLite keeps beside this one.
pub(super) fn is_in_use(path: &Path) -> bool {
    SIDE_FILES.iter().any(|end| with_suffix(path, end).exists())
}

/// Removes a file and those beside it, if they are there.
pub(super) fn remove(path: &Path) -> Result<(), StorageError> {
    for path in [""].into_iter().chain(SIDE_FILES).map(|end| with_suffix(path, end)) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(of_file(&path, &error)),
            _ => {}
        }
    }
    Ok(())
}

/// Opens a file to read and write; if it is created, no other user may read it.
pub(super) fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.read(true).write(true).open(path)
}

fn with_suffix(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
