//! Tests: how settings are read, changed and removed, whatever else the file has.

use proptest::prelude::*;

use super::*;
use crate::lobby::Level;

const WRITTEN: &str = "\
# What I like.

name = \"anna\"   # not Anna
# for the children
level = 'easy'
animation = false
";

fn set(key: Key, text: &str) -> Setting {
    Setting::read(key, text).unwrap()
}

fn easy() -> Setting {
    set(Key::Level, "easy")
}

fn complaints(text: &str) -> Vec<Wrong> {
    read(text).wrong
}

#[test]
fn settings_are_read_with_their_lines() {
    let Found { settings, wrong, .. } = read(WRITTEN);
    assert_eq!(settings, [(set(Key::Name, "anna"), 3), (easy(), 5), (set(Key::Animation, "false"), 6)]);
    assert_eq!(wrong, []);
    assert_eq!(read(""), Found::default());
    for elsewhere in ["\u{feff}level = \"easy\"\r\n", "level=\"easy\"", "\"level\" = \"EASY\"\n"] {
        assert_eq!(read(elsewhere).settings, [(easy(), 1)], "{elsewhere:?}");
    }
}

#[test]
fn whatever_is_wrong_is_told_with_its_line_and_what_would_be_right() {
    for (text, line, words) in [
        ("\n[level]\neasy = true", 2, "write it as in level = \"easy\""),
        ("level.bot = \"easy\"", 1, "write it as in level = \"easy\""),
        ("level = 3", 1, "write it as in level = \"easy\""),
        ("ascii = true\n\nascii = true", 3, "this line is not TOML such as level = \"easy\": "),
        ("level =", 1, "this line is not TOML such as level = \"easy\": "),
        ("level = \"easy", 1, "this line is not TOML such as level = \"easy\": "),
    ] {
        let wrong = complaints(text);
        assert_eq!(wrong.len(), 1, "{text}: {wrong:?}");
        assert!(wrong[0].0 == line && wrong[0].1.contains(words), "{text}: {wrong:?}");
    }
}

#[test]
fn what_a_file_says_commands_no_terminal() {
    for text in
        ["\"\u{1b}[2J\" = 1", "name = \"\\u001b[2J\"", "\"\\u202e\" = 1", "level = \"\\u001b]0;x\\u0007\""]
    {
        let Found { settings, wrong, .. } = read(text);
        let told = settings.iter().map(|(setting, _)| setting.as_str().to_owned());
        for words in told.chain(wrong.into_iter().map(|(_, why)| why)) {
            assert!(!words.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{words:?}");
        }
    }
}

#[test]
fn keys_are_read_with_their_lines_in_every_form_of_a_table() {
    let key = |line| ("hint".to_owned(), "x".to_owned(), line);
    for (text, line) in
        [("[keys]\nhint = \"x\"", 2), ("keys.hint = 'x'", 1), ("\nkeys = { hint = \"x\" }", 2)]
    {
        assert_eq!(read(text), Found { keys: vec![key(line)], ..Found::default() }, "{text:?}");
    }
}

#[test]
fn a_setting_is_changed_where_it_stands_and_nothing_else_is() {
    let strong = set(Key::Level, "strong");
    assert_eq!(with(WRITTEN, &strong), Ok(WRITTEN.replace("'easy'", "\"strong\"")));
    assert_eq!(with(WRITTEN, &set(Key::Ascii, "true")), Ok(format!("{WRITTEN}ascii = true\n")));
    assert_eq!(with("", &strong), Ok("level = \"strong\"\n".into()));
    assert_eq!(with("# mine", &strong), Ok("# mine\nlevel = \"strong\"\n".into()));
    assert_eq!(with("[mine]\nlevel = 1\n", &easy()), Ok("level = \"easy\"\n[mine]\nlevel = 1\n".into()));
    assert_eq!(with("level = 3 # of 5\n", &easy()), Ok("level = \"easy\" # of 5\n".into()));
    assert_eq!(with("[level]\nx = 1\n", &easy()), Ok("level = \"easy\"\n".into()));
    assert!(with("level = \n", &easy()).is_err(), "nobody knows what is meant");
}

#[test]
fn a_setting_is_removed_with_its_line() {
    let removed = |word| without(WRITTEN, word).unwrap();
    assert_eq!(removed("level"), Some(WRITTEN.replace("level = 'easy'\n", "")));
    assert_eq!(removed("animation"), Some(WRITTEN.replace("animation = false\n", "")));
    assert_eq!(removed("theme"), None);
    assert_eq!(without("# a\ncolour = [\n1,\n]\nname = 'x'", "colour"), Ok(Some("# a\nname = 'x'".into())));
    assert_eq!(without("name = 'x'\n[colour]\nred = 1\n", "colour"), Ok(Some("name = 'x'\n".into())));
}

#[test]
fn the_key_of_an_action_is_changed_in_every_form_of_a_table_and_nothing_else_is() {
    for (text, changed, removed) in [
        ("", "[keys]\nhint = \"x\"\n", None),
        ("# mine\nbell = true", "# mine\nbell = true\n\n[keys]\nhint = \"x\"\n", None),
        (
            "[keys] # mine\nhint = 'y' # near\ndraw = 'd'\n\n[other]\n",
            "[keys] # mine\nhint = \"x\" # near\ndraw = 'd'\n\n[other]\n",
            Some("[keys] # mine\ndraw = 'd'\n\n[other]\n"),
        ),
        ("[keys]\n# mine\ndraw = 'd' # offer\n", "[keys]\n# mine\ndraw = 'd' # offer\nhint = \"x\"\n", None),
        ("keys.hint = 'y'\nbell = true\n", "keys.hint = \"x\"\nbell = true\n", Some("bell = true\n")),
        ("keys = { hint = 'y' } # mine\n", "keys = { hint = \"x\" } # mine\n", Some("keys = {} # mine\n")),
        ("keys = {}\n", "keys = { hint = \"x\" }\n", None),
    ] {
        assert_eq!(with_key(text, "hint", "x"), Ok(changed.to_owned()), "{text:?}");
        assert_eq!(without(text, "keys.hint"), Ok(removed.map(str::to_owned)), "{text:?}");
    }
    assert_eq!(with_key("\nkeys = 1\n", "hint", "x"), Err((2, NO_TABLE.to_owned())));
    assert_eq!(without("\"keys.hint\" = 1\n", "keys.hint"), Ok(Some(String::new())));
}

/// Settings of every kind.
fn any_setting() -> impl Strategy<Value = Setting> {
    prop_oneof![
        "\\PC{1,24}".prop_filter_map("no name", |text| Setting::read(Key::Name, &text).ok()),
        proptest::sample::select(&Level::ALL[..]).prop_map(|level| set(Key::Level, level.as_str())),
        any::<bool>().prop_map(|yes| set(Key::Animation, if yes { "on" } else { "off" })),
    ]
}

proptest! {
    #[test]
    fn no_text_is_too_much(text in "(\\PC|[\n\"'=\\[\\]{}.#]){0,80}", word in "\\PC{0,8}", setting in any_setting()) {
        let Found { wrong, .. } = read(&text);
        let lines = text.matches('\n').count() + 1;
        prop_assert!(wrong.iter().all(|(line, _)| (1..=lines).contains(line)), "{:?}", wrong);
        let _ = without(&text, &word);
        let _ = with(&text, &setting);
        let _ = without(&text, &format!("keys.{word}"));
        if let Ok(text) = with_key(&text, "hint", "x") {
            prop_assert!(read(&text).keys.iter().any(|(action, key, _)| action == "hint" && key == "x"), "{}", text);
        }
    }

    #[test]
    fn whatever_is_written_is_read_again(settings in proptest::collection::vec(any_setting(), 1..6)) {
        let mut text = WRITTEN.to_owned();
        for setting in &settings {
            text = with(&text, setting).unwrap();
            let Found { settings, wrong, .. } = read(&text);
            prop_assert_eq!(wrong, vec![]);
            prop_assert!(settings.iter().any(|(found, _)| found == setting), "{}", text);
        }
        prop_assert!(text.contains("# not Anna") && text.contains("# for the children"));
        for key in Key::ALL {
            text = without(&text, key.as_str()).unwrap().unwrap_or(text);
        }
        prop_assert_eq!(read(&text), Found::default());
    }
}
