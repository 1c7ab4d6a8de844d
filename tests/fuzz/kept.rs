//! The kept corpus: one text file for each target, with one input per line. Bytes outside printable ASCII
//! are escaped as in a Rust string. So thousands of inputs fit into a few files, and a diff of them is
//! readable.

use std::fs;
use std::path::{Path, PathBuf};

/// The file with a target's inputs; `fuzz` is the folder of the fuzz targets.
pub fn path(fuzz: &Path, target: &str) -> PathBuf {
    fuzz.join("kept").join(target).with_extension("txt")
}

/// All kept inputs of a target.
pub fn read(fuzz: &Path, target: &str) -> Vec<Vec<u8>> {
    let path = path(fuzz, target);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| unescaped(line).unwrap_or_else(|| panic!("{}: {line}", path.display()))).collect()
}

fn unescaped(line: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), line.chars());
    while let Some(first) = rest.next() {
        let escaped = if first == '\\' { rest.next()? } else { first };
        bytes.push(match escaped {
            _ if first != '\\' => u8::try_from(first).ok()?,
            'x' => {
                let (digits, behind) = rest.as_str().split_at_checked(2)?;
                rest = behind.chars();
                u8::from_str_radix(digits, 16).ok()?
            }
            't' => b'\t',
            'n' => b'\n',
            'r' => b'\r',
            '\\' | '\'' | '"' => u8::try_from(escaped).ok()?,
            _ => return None,
        });
    }
    Some(bytes)
}
