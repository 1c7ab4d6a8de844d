//! The folder of a journal: its files, who may read them, and who holds them. It knows nothing of what is in them.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::trouble::of_file;
use crate::record::Date;
use crate::server::storage::{StorageError, WallTime};

/// The journal itself. SQLite keeps two files beside it while it is in use, `-wal` and `-shm`.
const JOURNAL: &str = "journal.sqlite";

/// A journal that is being made.
const NEW: &str = "journal.new";

/// A journal that is made, and takes the place of a damaged one.
const SALVAGED: &str = "journal.salvaged";

/// A journal that was written anew since the files of the other one are gone, and takes its place.
const RENEWED: &str = "journal.renewed";

/// A copy of a damaged journal, while it is read.
const MENDED: &str = "journal.mended";

/// The file whose lock the server holds that uses the folder. Its text says which one.
const LOCK: &str = "journal.lock";

/// How the names of all of them begin.
const FAMILY: &str = "journal.";

/// What SQLite puts behind the name of a database for the files beside it.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// The most that is read of the text in a lock.
const MAX_HOLDER: u64 = 200;

/// The folder of a journal.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

/// The right to write to a folder, until it is dropped or the process ends in whatever way.
#[derive(Debug)]
pub(super) struct Held {
    file: File,
    /// The folder itself, where the system can lock one: whoever removes the file takes nobody's right with it.
    folder: Option<File>,
}

impl Held {
    /// Whether it is the lock that others find there.
    pub(super) fn is_of(&self, folder: &Folder) -> bool {
        is_at(&self.file, &folder.lock())
    }
}

impl Drop for Held {
    /// A program that is just being started by this one may have a copy of the descriptors for a moment, and with them the locks:
    /// they are given up, and not only closed.
    fn drop(&mut self) {
        for file in self.folder.iter().chain([&self.file]) {
            // Should that fail, closing it does the rest.
            let _ = file.unlock();
        }
    }
}

impl Folder {
    /// A folder as it is.
    pub(super) fn at(path: &Path) -> Self {
        Self(path.into())
    }

    /// The folder, made if it is not there yet.
    pub(super) fn make(path: &Path) -> Result<Self, StorageError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
        builder.create(path).map_err(|error| not_made(path, &error))?;
        // Should the power go, what is in a new folder is found only if the folder is.
        for above in missing.into_iter().filter_map(Path::parent) {
            Self::at(if above.as_os_str().is_empty() { Path::new(".") } else { above }).sync();
        }
        Ok(Self::at(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.0.join(JOURNAL)
    }

    pub(super) fn salvaged(&self) -> PathBuf {
        self.0.join(SALVAGED)
    }

    pub(super) fn renewed(&self) -> PathBuf {
        self.0.join(RENEWED)
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.0.join(LOCK)
    }

    pub(super) fn mended(&self) -> PathBuf {
        self.0.join(MENDED)
    }

    /// The copy that is kept while a journal of this version is migrated.
    pub(super) fn before(&self, version: i32) -> PathBuf {
        self.0.join(format!("journal.version-{version}"))
    }

    /// Whether a file there of this name is, or may be at the next start, something else than a copy that somebody made.
    pub(super) fn has_use_for(&self, file: &Path) -> bool {
        let is_here = |place: &Path| {
            place.canonicalize().ok().is_some_and(|place| self.0.canonicalize().ok() == Some(place))
        };
        let is_named = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(FAMILY));
        is_named && is_here(file.parent().unwrap_or(Path::new("")))
    }

    /// Refuses what is none of the files of a journal, though it has the name of one: a pipe would be waited for, and behind a link
    /// what belongs beside a journal is not beside it.
    pub(super) fn expect_files(&self) -> Result<(), StorageError> {
        let journal = self.journal();
        let [log, index] = beside(&journal);
        [journal, log, index, self.lock()].iter().try_for_each(|path| expect_file(path))
    }

    /// Puts an empty journal where there is none, if there is a log of one: that may have all of it.
    ///
    /// Whether it did.
    pub(super) fn put_back(&self) -> Result<bool, StorageError> {
        let is_lost = self.has_lost_its_journal();
        if is_lost {
            open_private(&self.journal(), OpenOptions::new().create(true))?;
        }
        Ok(is_lost)
    }

    /// Whether there is no journal, and something in the file that belongs beside it.
    pub(super) fn has_lost_its_journal(&self) -> bool {
        let journal = self.journal();
        !journal.exists() && wal(&journal).metadata().is_ok_and(|wal| wal.len() > 0)
    }

    /// Takes the folder, or says who holds it.
    pub(super) fn hold(&self) -> Result<Held, StorageError> {
        let folder = self.lock_itself()?;
        Ok(Held { file: self.lock_file()?, folder })
    }

    /// Takes the folder for whoever holds one already, of which the file or all of it is gone.
    pub(super) fn hold_again(&self, held: &mut Held) -> Result<(), StorageError> {
        if !held.folder.as_ref().is_some_and(|folder| is_at(folder, &self.0)) {
            held.folder = self.lock_itself()?;
        }
        held.file = self.lock_file()?;
        Ok(())
    }

    /// Whether nobody holds it.
    pub(super) fn is_free(&self) -> bool {
        let can_be_locked = |path: &Path| File::open(path).map_or(true, |file| file.try_lock().is_ok());
        can_be_locked(&self.0) && can_be_locked(&self.lock())
    }

    /// Some systems open no folder, and some lock none: there it is the file alone that is locked.
    fn lock_itself(&self) -> Result<Option<File>, StorageError> {
        let Ok(folder) = File::open(&self.0) else { return Ok(None) };
        match folder.try_lock() {
            Ok(()) => Ok(Some(folder)),
            Err(TryLockError::WouldBlock) => Err(self.held_by()),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }

    fn lock_file(&self) -> Result<File, StorageError> {
        let path = self.lock();
        let mut file = open_private(&path, OpenOptions::new().create(true))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(self.held_by()),
            Err(TryLockError::Error(error)) => return Err(of_file(&path, &error)),
        }
        let now = Date::of_millis(WallTime::now().0);
        let text = format!("process {} since {now}\n", std::process::id());
        let written = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
        written.map_err(|error| of_file(&path, &error))?;
        Ok(file)
    }

    fn held_by(&self) -> StorageError {
        let mut text = String::new();
        // On some systems nobody may read what somebody else has locked; and it may have been removed.
        let _ = File::open(self.lock()).and_then(|file| file.take(MAX_HOLDER).read_to_string(&mut text));
        let holder = match text.trim() {
            "" => "another process",
            text => text,
        };
        let holder: String = holder.chars().filter(|c| !c.is_control()).collect();
        StorageError::new(
            "another program has taken the journal",
            format!(
                "{} is in use by {holder}: stop that server, or choose another folder for this one",
                self.0.display()
            ),
        )
    }

    /// A new empty file for a journal that is being made, which nobody else may read.
    pub(super) fn begin_new(&self) -> Result<PathBuf, StorageError> {
        let path = self.0.join(NEW);
        remove(&path)?;
        open_private(&path, OpenOptions::new().create_new(true))?;
        Ok(path)
    }

    /// Gives a file another name, together with the files beside it; those go last, since they are nothing without it.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        for end in [""].into_iter().chain(BESIDE) {
            match fs::rename(with_end(from, end), with_end(to, end)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(of_file(from, &error)),
                _ => {}
            }
        }
        self.sync();
        Ok(())
    }

    /// Moves the journal out of the way and says where it is now.
    pub(super) fn put_away(&self) -> Result<PathBuf, StorageError> {
        let now = Date::of_millis(WallTime::now().0).to_string();
        let stamp = now.trim_end_matches(" UTC").replace(' ', "-").replace(':', "");
        let names = (1..).map(|count| match count {
            1 => format!("journal.damaged-{stamp}"),
            _ => format!("journal.damaged-{stamp}-{count}"),
        });
        let free = |name: String| Some(self.0.join(name)).filter(|path| !is_there(path));
        let Some(away) = names.take(100).find_map(free) else {
            return Err(StorageError::of_host(format!(
                "too many damaged journals are in {}: look at them",
                self.0.display()
            )));
        };
        self.rename(&self.journal(), &away)?;
        Ok(away)
    }

    /// Makes what was renamed as firm as the system can; not every one knows how.
    pub(super) fn sync(&self) {
        let _ = File::open(&self.0).and_then(|folder| folder.sync_all());
    }
}

/// A folder that is made with all those above it is missing only where none can be made.
fn not_made(path: &Path, error: &io::Error) -> StorageError {
    match error.kind() {
        io::ErrorKind::NotFound => StorageError::of_host(format!(
            "the folder {} cannot be made there: choose another one",
            path.display()
        )),
        _ => of_file(path, error),
    }
}

/// By what a file is known again, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    #[cfg(unix)]
    inode: (u64, u64),
}

impl Identity {
    /// That of the file at this place, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|file| Self::of(&file))
    }

    #[cfg(unix)]
    pub(super) fn of(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { inode: (file.dev(), file.ino()) }
    }

    /// Elsewhere a file that is open is not removed.
    #[cfg(not(unix))]
    pub(super) fn of(_file: &Metadata) -> Self {
        Self {}
    }
}

/// Whether this is what is at this place.
fn is_at(file: &File, path: &Path) -> bool {
    file.metadata().is_ok_and(|mine| Identity::at(path) == Some(Identity::of(&mine)))
}

/// Whether there is such a file, or one that SQLite keeps beside it.
pub(super) fn is_there(path: &Path) -> bool {
    path.exists() || is_beside(path)
}

/// Whether there is a file that SQLite keeps beside this one.
pub(super) fn is_beside(path: &Path) -> bool {
    beside(path).iter().any(|path| path.exists())
}

/// The files that SQLite keeps beside this one.
pub(super) fn beside(path: &Path) -> [PathBuf; 2] {
    BESIDE.map(|end| with_end(path, end))
}

/// Whether everything is in the journal itself.
pub(super) fn is_wal_empty(path: &Path) -> bool {
    wal(path).metadata().is_ok_and(|wal| wal.len() == 0)
}

/// Removes a file and those beside it, if they are there.
pub(super) fn remove(path: &Path) -> Result<(), StorageError> {
    remove_file(path)?;
    remove_beside(path)
}

/// The same, with what SQLite has beside a file that it fills at once.
pub(super) fn remove_with_journal(path: &Path) -> Result<(), StorageError> {
    remove(path)?;
    remove_file(&with_end(path, "-journal"))
}

/// Refuses what stands at this path, unless it is nothing or a file.
fn expect_file(path: &Path) -> Result<(), StorageError> {
    let Ok(found) = path.symlink_metadata() else { return Ok(()) };
    let place = path.display();
    let words = if found.is_symlink() {
        format!(
            "{place} is a link: choose the folder itself in which the journal is, or move the journal here"
        )
    } else if found.is_file() {
        return Ok(());
    } else {
        format!("{place} is no file, and nothing can be recorded in it: remove it, or choose another folder")
    };
    Err(StorageError::of_host(words))
}

/// Removes the files beside this one, if they are there.
pub(super) fn remove_beside(path: &Path) -> Result<(), StorageError> {
    beside(path).iter().try_for_each(|path| remove_file(path))
}

fn remove_file(path: &Path) -> Result<(), StorageError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(of_file(path, &error)),
        _ => Ok(()),
    }
}

/// Opens a file to read and write; if it is made, nobody else may read it.
pub(super) fn open_private(path: &Path, options: &mut OpenOptions) -> Result<File, StorageError> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let mut file = options.read(true).write(true).open(path).map_err(|error| of_file(path, &error))?;
    file.rewind().map_err(|error| of_file(path, &error))?;
    Ok(file)
}

/// The file in which SQLite keeps what is not in the journal yet.
pub(super) fn wal(path: &Path) -> PathBuf {
    with_end(path, BESIDE[0])
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
