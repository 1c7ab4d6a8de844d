//! The journal, and simpler stores beside it, which could not be loaded from: they are there to be compared with. They stop the
//! bench when anything goes wrong.

#![allow(clippy::expect_used, reason = "a store that does not write is no store to measure")]

use std::fs::File;
use std::io::Write;
use std::path::Path;

use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Entry, Note, Sqlite, Storage};
use rusqlite::Connection;

/// What can be written to.
pub(crate) trait Store {
    fn name(&self) -> &'static str;

    /// Writes a batch as firmly as the store was asked to.
    fn write(&mut self, batch: &[Entry]);
}

/// The journal of the server.
pub(crate) struct Journal(pub(crate) Sqlite);

impl Store for Journal {
    fn name(&self) -> &'static str {
        "the journal"
    }

    fn write(&mut self, batch: &[Entry]) {
        self.0.record(batch).expect("the journal records");
    }
}

/// A file to which everything is appended: the least that can be done.
pub(crate) struct Log {
    file: File,
    durability: Durability,
    buffer: Vec<u8>,
}

impl Log {
    pub(crate) fn new(path: &Path, durability: Durability) -> Self {
        Self { file: File::create_new(path).expect("the file is new"), durability, buffer: Vec::new() }
    }
}

impl Store for Log {
    fn name(&self) -> &'static str {
        "append log"
    }

    fn write(&mut self, batch: &[Entry]) {
        self.buffer.clear();
        for entry in batch {
            put(entry, &mut self.buffer);
        }
        self.file.write_all(&self.buffer).expect("there is room");
        if self.durability == Durability::Power {
            self.file.sync_data().expect("the disk takes it");
        }
    }
}

/// An entry as bytes: whose, when, its length, what, and a checksum.
fn put(entry: &Entry, buffer: &mut Vec<u8>) {
    let body: &[u8] = match &entry.note {
        Note::Happened { frame, .. } => frame,
        _ => &[],
    };
    let start = buffer.len();
    buffer.extend_from_slice(&entry.lobby.0.to_le_bytes());
    buffer.extend_from_slice(&entry.wall.0.to_le_bytes());
    buffer.extend_from_slice(body);
    let crc = crc32fast::hash(&buffer[start..]);
    buffer.extend_from_slice(&crc.to_le_bytes());
}

/// SQLite with a row for each batch.
pub(crate) struct RowABatch {
    connection: Connection,
    buffer: Vec<u8>,
}

impl RowABatch {
    pub(crate) fn new(path: &Path, durability: Durability) -> Self {
        let connection = connect(path, durability);
        connection
            .execute_batch("CREATE TABLE batches (id INTEGER PRIMARY KEY, body BLOB)")
            .expect("it is new");
        Self { connection, buffer: Vec::new() }
    }
}

impl Store for RowABatch {
    fn name(&self) -> &'static str {
        "SQLite, row a batch"
    }

    fn write(&mut self, batch: &[Entry]) {
        self.buffer.clear();
        for entry in batch {
            put(entry, &mut self.buffer);
        }
        let put = self.connection.prepare_cached("INSERT INTO batches (body) VALUES (?1)");
        put.and_then(|mut put| put.execute([&self.buffer])).expect("the batch is written");
    }
}

/// SQLite with a row for each event and nothing else.
pub(crate) struct RowAnEvent {
    connection: Connection,
    buffer: Vec<u8>,
}

impl RowAnEvent {
    pub(crate) fn new(path: &Path, durability: Durability) -> Self {
        let connection = connect(path, durability);
        connection
            .execute_batch("CREATE TABLE events (id INTEGER PRIMARY KEY, body BLOB)")
            .expect("it is new");
        Self { connection, buffer: Vec::new() }
    }
}

impl Store for RowAnEvent {
    fn name(&self) -> &'static str {
        "SQLite, row an event"
    }

    fn write(&mut self, batch: &[Entry]) {
        let transaction = self.connection.transaction().expect("a transaction begins");
        for entry in batch {
            self.buffer.clear();
            put(entry, &mut self.buffer);
            let put = transaction.prepare_cached("INSERT INTO events (body) VALUES (?1)");
            put.and_then(|mut put| put.execute([&self.buffer])).expect("the event is written");
        }
        transaction.commit().expect("the batch is written");
    }
}

fn connect(path: &Path, durability: Durability) -> Connection {
    let connection = Connection::open(path).expect("the file is new");
    let synchronous = if durability == Durability::Power { "FULL" } else { "NORMAL" };
    let set = |name, value| connection.pragma_update(None, name, value).expect("SQLite knows it");
    set("journal_mode", "WAL");
    set("synchronous", synchronous);
    connection
}
