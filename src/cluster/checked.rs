//! The frame around every value of ours in etcd whose damage must be noticed:
//!
//! ```text
//! +-------------+------------------------+---------+
//! | u8: version | u32: CRC-32 (IEEE) of  | content |
//! |             | the content, high byte |         |
//! |             | first                  |         |
//! +-------------+------------------------+---------+
//! ```

use bytes::Bytes;

/// The bytes before the content.
pub(crate) const HEADER: usize = 5;

/// Completes the header of a value whose content begins behind [`HEADER`] bytes.
pub(crate) fn finish(version: u8, mut value: Vec<u8>) -> Bytes {
    let checksum = crc32fast::hash(value.get(HEADER..).unwrap_or_default());
    if let Some(header) = value.first_chunk_mut::<HEADER>() {
        header[0] = version;
        header[1..].copy_from_slice(&checksum.to_be_bytes());
    }
    value.into()
}

/// The content of a value of this version.
///
/// # Errors
///
/// What is wrong, as the end of a sentence.
pub(crate) fn content(version: u8, value: &[u8]) -> Result<&[u8], String> {
    let ([found, checksum @ ..], content) =
        value.split_first_chunk::<HEADER>().ok_or_else(|| "it ends too early".to_owned())?;
    if *found != version {
        return Err(format!("it has format {found}, which this release does not know"));
    }
    if crc32fast::hash(content) != u32::from_be_bytes(*checksum) {
        return Err("its checksum does not fit".into());
    }
    Ok(content)
}
