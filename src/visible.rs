//! The visible part of an untrusted text, for names: on one line, without invisible characters.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// The maximum number of combining marks on a letter: more would overlap the lines above and below.
const MAX_MARKS: usize = 2;

/// Characters without a visible glyph: Hangul fillers, Khmer inherent vowels, the empty Braille cell, the
/// grapheme joiner.
const BLANKS: [char; 8] =
    ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}', '\u{17b4}', '\u{17b5}', '\u{2800}', '\u{34f}'];

/// The visible characters of a text, with single spaces between words. `None` if there are none except
/// combining marks.
pub fn visible(text: &str) -> Option<String> {
    let mut marks = 0;
    let shown = text.chars().filter(|&c| c.is_whitespace() || is_visible(c)).filter(|&c| {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        marks <= MAX_MARKS
    });
    let shown: String = shown.collect();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    line.contains(|c| !is_mark(c)).then_some(line)
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark
}

fn is_visible(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let is_drawn = c.general_category_group() != GeneralCategoryGroup::Other
        && c.general_category() != GeneralCategory::EnclosingMark;
    is_drawn && !BLANKS.contains(&c) && !('\u{fe00}'..='\u{fe0f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_dropped() {
        for (text, shown) in [
            ("  anna's \t\u{a0} laptop\u{2028}! \nd ", "anna's laptop ! d"),
            ("lap\u{200b}\u{202e}top\u{7}\u{1b}[2J", "laptop[2J"),
            ("Zoë 李 🦦", "Zoë 李 🦦"),
            ("a\u{301}\u{301}\u{301}\u{301}b", "a\u{301}\u{301}b"),
        ] {
            assert_eq!(visible(text).as_deref(), Some(shown));
        }
        for text in ["", "   ", "\u{200b}", "\u{3164}", "\u{2800}\u{2800}", "\u{301}", "\u{0}"] {
            assert_eq!(visible(text), None, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_visible_stays_as_it_is(text in ".*") {
            if let Some(line) = visible(&text) {
                proptest::prop_assert_eq!(visible(&line), Some(line));
            }
        }
    }
}
