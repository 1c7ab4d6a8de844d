//! Boundary values of the page's types: the largest that fit, and the smallest that do not.

use super::reader::ListNote;
use super::tables::{Page, Type};

/// The largest value of this type as bytes; `None` where there is no largest.
pub(super) fn largest(of: &Type, page: &Page) -> Option<Vec<u8>> {
    Some(match of {
        Type::U8 => vec![0xff],
        Type::Number(16) => number(0xfb, u16::MAX.to_le_bytes()),
        Type::Number(32) => number(0xfc, u32::MAX.to_le_bytes()),
        Type::Number(64) => number(0xfd, u64::MAX.to_le_bytes()),
        Type::Bool => vec![1],
        Type::Text(bound) => text(page.limit(bound)),
        Type::Name => text(page.limit("MAX_NAME_CHARS")),
        _ => return None,
    })
}

/// A value that is too large for this type by one, as the next larger type would write it.
pub(super) fn too_large(of: &Type, page: &Page) -> Option<Vec<u8>> {
    Some(match of {
        Type::Number(16) => number(0xfc, (1u32 << 16).to_le_bytes()),
        Type::Number(32) => number(0xfd, (1u64 << 32).to_le_bytes()),
        Type::Number(64) => number(0xfe, (1u128 << 64).to_le_bytes()),
        Type::Bool => vec![2],
        Type::Text(bound) => text(page.limit(bound) + 1),
        Type::Name => text(page.limit("MAX_NAME_CHARS") + 1),
        Type::Code => text(page.limit("MAX_CODE_TEXT") + 1),
        _ => return None,
    })
}

/// A list like this one, which is in `body`, as long as it may be, and one that is longer by one.
pub(super) fn of_list(list: &ListNote, body: &[u8], page: &Page) -> [Vec<u8>; 2] {
    let largest = u16::try_from(page.limit(&list.bound)).unwrap();
    [largest, largest + 1]
        .map(|count| [length(count), body[list.first.clone()].repeat(count.into())].concat())
}

fn number<const WIDTH: usize>(prefix: u8, bytes: [u8; WIDTH]) -> Vec<u8> {
    std::iter::once(prefix).chain(bytes).collect()
}

fn text(bytes: u64) -> Vec<u8> {
    let bytes = u16::try_from(bytes).unwrap();
    length(bytes).into_iter().chain(std::iter::repeat_n(b's', bytes.into())).collect()
}

fn length(length: u16) -> Vec<u8> {
    if length <= 250 { vec![length.to_le_bytes()[0]] } else { number(0xfb, length.to_le_bytes()) }
}
