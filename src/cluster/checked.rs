//! The frame around every value of ours in etcd whose damage must be noticed:
//!
//! ```text
//! +-------------+------------------------+---------+
//! | u8: format  | u32: CRC-32 (IEEE) of  | content |
//! |             | the content, high byte |         |
//! |             | first                  |         |
//! +-------------+------------------------+---------+
//! ```

use bytes::Bytes;

use super::format::Format;

/// The bytes before the content.
pub(crate) const HEADER: usize = 5;

/// Completes the header of a value whose content begins behind [`HEADER`] bytes.
pub(crate) fn finish(format: Format, mut value: Vec<u8>) -> Bytes {
    let checksum = crc32fast::hash(value.get(HEADER..).unwrap_or_default());
    if let Some(header) = value.first_chunk_mut::<HEADER>() {
        header[0] = format.number();
        header[1..].copy_from_slice(&checksum.to_be_bytes());
    }
    value.into()
}

/// The content of a value whose layout is the same in all formats.
///
/// # Errors
///
/// What is wrong, as the end of a sentence.
pub(crate) fn content(value: &[u8]) -> Result<&[u8], String> {
    with_format(value).map(|(_, content)| content)
}

/// The format and the content of a value.
///
/// # Errors
///
/// What is wrong, as the end of a sentence.
pub(crate) fn with_format(value: &[u8]) -> Result<(Format, &[u8]), String> {
    let ([found, checksum @ ..], content) =
        value.split_first_chunk::<HEADER>().ok_or_else(|| "it ends too early".to_owned())?;
    let format = Format::known(*found)
        .ok_or_else(|| format!("it has format {found}, which this release does not know"))?;
    if crc32fast::hash(content) != u32::from_be_bytes(*checksum) {
        return Err("its checksum does not fit".into());
    }
    Ok((format, content))
}
