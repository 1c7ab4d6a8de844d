//! What is wanted of records, and what becomes of it.

use std::io;
use std::path::PathBuf;

use crate::client::record_source::Listed;
use crate::game::any::{Board, Move};
use crate::record::Record;

/// Something that is wanted.
#[derive(Debug)]
pub enum Errand {
    /// What there is.
    List,
    /// The record that is listed under this name.
    Open(String),
    /// A file of this name with this text.
    Write(PathBuf, String),
    /// What the move of the step of this number was worth on this board, and nothing else any more.
    Judge(usize, Box<Board>, Move),
    /// Nothing more about any move.
    Rest,
}

/// What has become of it.
#[derive(Debug)]
pub enum Answer {
    /// What there is, or a sentence that says why that is not known.
    Listed(Result<Listed, String>),
    /// The record that is listed under this name, or a sentence that says why it is not to be had.
    Opened(String, Result<Box<Record>, String>),
    /// The file was written, or not.
    Written(PathBuf, io::Result<()>),
    /// How many positions a thought about the step of this number has looked at so far.
    Looked(usize, u64),
    /// What a move was worth, a line each for it and for a better one; nothing where that was not found out.
    Judged(usize, Option<String>),
}
