//! A lock on a file with a short timeout, since a program that waits looks as if it hangs.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for a lock at most. What is done under one takes some milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// How long to wait before it is tried again.
const PAUSE: Duration = Duration::from_millis(10);

/// Locks this file, which is made if there is none, until what is returned is dropped. Where the file system
/// knows no locks, everybody has it.
///
/// # Errors
///
/// [`io::ErrorKind::WouldBlock`] if somebody else has it for longer than this patience.
pub(super) fn lock(path: &Path, patience: Duration) -> io::Result<File> {
    let (file, end) = (open(path)?, Instant::now() + patience);
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < end => sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                return Err(error);
            }
            _ => return Ok(file),
        }
    }
}

/// Whether somebody has locked this file at this moment.
pub(super) fn is_locked(path: &Path) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file());
    let file = if is_file { File::open(path).ok() } else { None };
    // A shared lock, since others may check at the same time.
    file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Opens a regular file; opening a pipe could block.
fn open(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => Err(io::Error::other("it is no file")),
        _ => File::options().create(true).append(true).open(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_ever_for_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert!(!is_locked(&path));
        let first = lock(&path, PATIENCE).unwrap();
        assert!(is_locked(&path));
        assert_eq!(lock(&path, PAUSE).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(first);
        assert!(!is_locked(&path));
        lock(&path, Duration::ZERO).unwrap();
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        assert!(lock(folder.path(), PATIENCE).is_err());
        assert!(!is_locked(folder.path()));
    }
}
