//! How a name looks: its brackets, its scripts, and what it can be confused with. The tables are those of
//! Unicode's security mechanisms (UTS 39).

use std::sync::LazyLock;

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::skeleton;

/// The brackets of ASCII.
const BRACKETS: &str = "()[]{}<>";

/// How each character of ASCII looks: most names have no others, and each page of a browser reads those of all lobbies.
static ASCII: LazyLock<Vec<String>> =
    LazyLock::new(|| (0..128_u8).map(|c| look_of_any(&char::from(c).to_string())).collect());

/// How the marks of a bot that plays for somebody look.
static STAND_IN: LazyLock<[String; 2]> = LazyLock::new(|| ["stand-in", "standin"].map(look));

/// Whether a text has a bracket of any kind, or a sign by which one could be drawn: any but those of ASCII and
/// emoji.
pub(super) fn has_bracket(text: &str) -> bool {
    text.chars().any(is_bracket)
}

fn is_bracket(c: char) -> bool {
    use GeneralCategory as Category;
    if c.is_ascii() {
        return BRACKETS.contains(c);
    }
    match c.general_category() {
        Category::OpenPunctuation | Category::ClosePunctuation => true,
        // All but these quotation marks, some of which are apostrophes: ‘ ’ ‛ “ ” ‟.
        Category::InitialPunctuation | Category::FinalPunctuation => !('\u{2018}'..='\u{201f}').contains(&c),
        Category::MathSymbol | Category::OtherSymbol if !c.is_ascii() => !c.is_emoji_char(),
        // A letter is no bracket: ᐸ is one of Inuktitut. ⒜ is none.
        _ => !c.is_alphabetic() && skeleton(c.encode_utf8(&mut [0; 4])).any(|c| BRACKETS.contains(c)),
    }
}

/// Whether a word of the text mixes scripts, as in `anna` with a Cyrillic а: it is not "highly restrictive"
/// by UTS 39. The scripts of Chinese, of Japanese and of Korean go together, also with Latin letters.
pub(super) fn mixes_scripts(text: &str) -> bool {
    !text.is_ascii() && text.split_whitespace().any(|word| !is_highly_restrictive(word))
}

fn is_highly_restrictive(word: &str) -> bool {
    let (mut all, mut without_latin) = (AugmentedScriptSet::default(), AugmentedScriptSet::default());
    for c in word.chars() {
        let scripts = AugmentedScriptSet::from(c);
        all.intersect_with(scripts);
        let mut latin = AugmentedScriptSet::from('a');
        latin.intersect_with(scripts);
        if latin.is_empty() {
            without_latin.intersect_with(scripts);
        }
    }
    !all.is_empty() || without_latin.hanb || without_latin.jpan || without_latin.kore
}

/// A key that is equal for texts that look alike: their skeleton by UTS 39 without capitals, in which a dot
/// on a letter does not count, so that `m1nimax` looks like `minimax`.
pub(super) fn look(text: &str) -> String {
    if text.is_ascii() {
        return text.bytes().map(|c| ASCII[usize::from(c)].as_str()).collect();
    }
    look_of_any(text)
}

fn look_of_any(text: &str) -> String {
    let small = skeleton(text).collect::<String>().to_lowercase();
    // A small letter may look like others than its capital does: m looks like rn.
    skeleton(&small).map(|c| if c == 'i' { 'l' } else { c }).collect()
}

/// Whether a text has the mark of a bot that plays for somebody, as in `stand-in for anna`.
pub(super) fn has_stand_in(text: &str) -> bool {
    let look = look(text);
    // Dashes look like this vowel mark of Katakana.
    let words = look.split(|c: char| !c.is_alphanumeric() || c == 'ー').filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    (1..=2).any(|count| words.windows(count).any(|some| STAND_IN.contains(&some.join("-"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_of_any_kind_are_found() {
        for text in
            "()[]{}<>［］（）｛｝＜＞〔〕⟦⟧❨❩⁅⁆【】「」『』《》〈〉«»‹›⌈⌋⎡⎦︵﹝﴾˂⒜⑴㈱⸨⸢⸂„⌜⌟⊏⊐├┤🅐".chars()
        {
            assert!(has_bracket(&format!("anna {text}you")), "{text}");
        }
        for text in ["O’Brien", "‘anna’", "Zoë", "ᐸᐅᓗᓯ", "anna_2", "a|b", "¿anna?", "李 🦦", "x/y", "ー一ト"]
        {
            assert!(!has_bracket(text), "{text}");
        }
    }

    #[test]
    fn the_brackets_of_ascii_are_those_that_look_like_some() {
        for c in '\0'..='\x7f' {
            let mut skeleton = skeleton(c.encode_utf8(&mut [0; 4])).collect::<String>();
            skeleton.retain(|c| BRACKETS.contains(c));
            assert_eq!(is_bracket(c), !skeleton.is_empty(), "{c:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_text_of_ascii_looks_like_its_characters(text in "[ -~]{0,24}") {
            proptest::prop_assert_eq!(look(&text), look_of_any(&text));
        }
    }

    #[test]
    fn scripts_that_are_not_written_together_are_mixed() {
        for text in ["аnna", "annа", "Ωmega", "Ꭺnna", "ben аnna", "さくら金철", "anna٢", "Аnna-Анна"]
        {
            assert!(mixes_scripts(text), "{text}");
        }
        for text in [
            "Zoë",
            "Анна",
            "Анна Schmidt",
            "Ελένη",
            "田中さくら",
            "田中サクラ",
            "田中Ken",
            "阿Q",
            "金철수",
            "李ㄅ",
            "李 🦦",
            "anna-2",
            "Анна-2",
            "क्षमा",
            "नमिता",
            "سارة",
            "שרה",
            "Ａｎｎａ",
            "x²",
            "",
        ] {
            assert!(!mixes_scripts(text), "{text}");
        }
    }

    #[test]
    fn texts_look_alike_that_cannot_be_told_apart() {
        for (text, other) in [
            ("minimax", "m1nimax"),
            ("minimax", "MINlMAX"),
            ("Minimax", "rninimax"),
            ("you", "Yоu"),
            ("nobody", "n0body"),
            ("coco", "сосо"),
            ("COCO", "сосо"),
            ("anna", "𝐚𝐧𝐧𝐚"),
            ("O'Brien", "O’Brien"),
            ("Ian", "lan"),
        ] {
            assert_eq!(look(text), look(other), "{text} {other}");
        }
        for (text, other) in [("anna", "hanna"), ("Zoe", "Zoë"), ("anna-2", "anna-3"), ("Анна", "Anna")]
        {
            assert_ne!(look(text), look(other), "{text} {other}");
        }
    }

    #[test]
    fn the_mark_of_a_stand_in_is_found_however_it_is_written() {
        for text in [
            "stand-in for anna",
            "A stand-in",
            "STAND - IN",
            "standin",
            "stand—in",
            "ｓｔａｎｄ－ｉｎ",
            "stand_ln",
        ] {
            assert!(has_stand_in(text), "{text}");
        }
        for text in ["outstanding", "Hans Tandino", "standing bear", "stand", "in stand", "stand by in"] {
            assert!(!has_stand_in(text), "{text}");
        }
    }
}
