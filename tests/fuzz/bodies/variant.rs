use nim::game::any::{MAX_VARIANT_TEXT, Variant};
use nim::game::{Game, Side};

/// Reads a variant as a person types it.
pub fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<Variant>() {
        Ok(variant) => check(&variant),
        Err(complaint) => {
            let words = complaint.to_string();
            assert!(!words.is_empty() && !words.chars().any(char::is_control), "{words:?}");
        }
    }
}

fn check(variant: &Variant) {
    let text = variant.text();
    assert!(text.len() <= MAX_VARIANT_TEXT && text.starts_with(variant.name()), "{text}");
    assert_eq!(text.parse().as_ref(), Ok(variant), "it reads back equal");
    assert!(!variant.rules().is_empty() && Side::BOTH.contains(&variant.opener()));
    let start = variant.start();
    assert_eq!(start.turn(), Side::First);
    assert!(start.finish().is_none(), "{text}: there is a first move");
    assert!(start.position().moves().next().is_some() && start.position().move_count() > 0);
    assert_eq!(variant.read_position(&start.write_position()), Ok(start));
}
