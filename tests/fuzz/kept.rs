//! The kept corpus: for each target a text with one input a line, in which every byte that is no plain letter
//! is written as Rust writes it in a string. So thousands of inputs are a few files, and a change of them can
//! be read.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the inputs of a target are kept; `fuzz` is the folder of the fuzz targets.
pub fn path(fuzz: &Path, target: &str) -> PathBuf {
    fuzz.join("kept").join(target).with_extension("txt")
}

/// All inputs that are kept of a target.
pub fn read(fuzz: &Path, target: &str) -> Vec<Vec<u8>> {
    let path = path(fuzz, target);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| unescaped(line).unwrap_or_else(|| panic!("{}: {line}", path.display()))).collect()
}

fn unescaped(line: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), line.as_bytes());
    while let [first, behind @ ..] = rest {
        (bytes, rest) = match (first, behind) {
            (b'\\', [b'x', high, low, behind @ ..]) => {
                let digits = std::str::from_utf8(&[*high, *low]).ok()?.to_owned();
                (with(bytes, u8::from_str_radix(&digits, 16).ok()?), behind)
            }
            (b'\\', [b't', behind @ ..]) => (with(bytes, b'\t'), behind),
            (b'\\', [b'n', behind @ ..]) => (with(bytes, b'\n'), behind),
            (b'\\', [b'r', behind @ ..]) => (with(bytes, b'\r'), behind),
            (b'\\', [mark @ (b'\\' | b'\'' | b'"'), behind @ ..]) => (with(bytes, *mark), behind),
            (b'\\', _) => return None,
            (plain, behind) => (with(bytes, *plain), behind),
        };
    }
    Some(bytes)
}

fn with(mut bytes: Vec<u8>, byte: u8) -> Vec<u8> {
    bytes.push(byte);
    bytes
}
