//! Settings: a flag overrides the environment, which overrides the file, which overrides the default.
//! `nim-client config` shows and changes them, and no game begins with an invalid file.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::harness::{Finished, Program, TestServer, client, pair, terms};

/// A settings file, which may not exist yet, in a folder of its own.
struct Settings(TempDir);

impl Settings {
    fn none() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn of(text: impl AsRef<[u8]>) -> Self {
        let settings = Self::none();
        fs::write(settings.path(), text).unwrap();
        settings
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("client.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// Runs the client program with these settings and these environment variables.
    async fn run_in(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Finished {
        let mut command = client(arguments);
        command.env("NIM_CONFIG", self.path()).envs(variables.iter().copied());
        Program::spawn(&mut command).finish().await
    }

    async fn run(&self, arguments: &[&str]) -> Finished {
        self.run_in(&[], arguments).await
    }

    /// The result of `nim-client config`.
    async fn config(&self, arguments: &[&str]) -> Finished {
        self.run(&[&["config"], arguments].concat()).await
    }
}

/// The lines of a list of settings, without the blanks between the columns.
fn rows(list: &Finished) -> Vec<String> {
    let lines = list.stdout.lines().skip(2);
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The name and the level at the start of a local game.
fn welcomed(ended: &Finished) -> (String, String) {
    let events = ended.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let entered = events.into_iter().find(|event| event["event"] == "entered").unwrap();
    let text = |key: &str| entered[key].as_str().unwrap().to_owned();
    (text("name"), text("level"))
}

#[tokio::test]
async fn a_flag_overrides_the_environment_which_overrides_the_file() {
    let settings = Settings::of("name = \"anna\"\nlevel = \"easy\"\n");
    let (none, both) = (&[][..], &[("NIM_NAME", "ben"), ("NIM_LEVEL", "fair")][..]);
    for (variables, flags, expected) in [
        (none, &[][..], ("anna", "easy")),
        (both, &[], ("ben", "fair")),
        (both, &["--name", "cleo", "--level", "strong"], ("cleo", "strong")),
        (none, &["--level", "perfect"], ("anna", "perfect")),
        // No file is read.
        (&[("NIM_CONFIG", ""), ("USER", "dora")], &[], ("dora", "perfect")),
        (&[("NIM_NAME", ""), ("NIM_LEVEL", "")], &[], ("anna", "easy")),
    ] {
        let played =
            settings.run_in(variables, &[&["play", "--json", "--bot-pace", "0"], flags].concat()).await;
        let (name, level) = welcomed(&played);
        assert_eq!((name.as_str(), level.as_str()), expected, "{variables:?} {flags:?}");
    }
    let wrong = settings.run_in(&[("NIM_LEVEL", "hard")], &["play"]).await;
    wrong.fails(2, "  NIM_LEVEL: level cannot be \"hard\": no level has this name");
}

#[tokio::test]
async fn the_default_name_is_the_login_name_if_it_is_valid() {
    let system = whoami::username().unwrap();
    for (user, logname, name) in
        [(Some("zoe"), None, "zoe"), (Some("\u{200b}"), Some("max"), "max"), (None, None, system.as_str())]
    {
        let mut command = client(&["play", "--json", "--bot-pace", "0"]);
        for (variable, value) in [("USER", user), ("LOGNAME", logname), ("USERNAME", None)] {
            command.env_remove(variable).envs(value.map(|value| (variable, value)));
        }
        assert_eq!(welcomed(&Program::spawn(&mut command).finish().await).0, name);
    }
}

#[tokio::test]
async fn settings_apply_to_a_lobby_on_a_server() {
    let server = TestServer::start();
    let address = server.address().to_string();
    let settings = Settings::of("name = \"anna\"\nlevel = \"beginner\"\n");
    let game = ["connect", &address, "--new", "java-tech", "--bot", "--json"];
    assert_eq!(welcomed(&settings.run(&game).await), ("anna".into(), "beginner".into()));
    // Watching a lobby and a game of two people ignore the level, and are not refused for it.
    let (anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let code = anna.lobby().code().to_string();
    let watched = settings.run(&["connect", &address, "--watch", &code, "--json"]).await;
    assert!(watched.stdout.contains(r#""role":"watcher""#), "{watched:?}");
    let two = settings.run(&["play", "--two", "--json"]).await;
    assert_eq!(two.code, Some(8), "only the input ended: {two:?}");
}

#[tokio::test]
async fn config_prints_one_setting_or_all_with_their_sources() {
    let settings = Settings::of("\nlevel = \"easy\"\n");
    let list = settings.run_in(&[("NIM_THEME", "strong"), ("USER", "dora")], &["config"]).await;
    let first = format!("The settings file is {}.", settings.path().display());
    assert_eq!((list.code, list.stdout.lines().next()), (Some(0), Some(first.as_str())));
    let sources =
        ["name dora your login name", "level easy from line 2 of the file", "theme strong from NIM_THEME"];
    assert_eq!(rows(&list)[..3], sources);
    assert_eq!(settings.config(&["level"]).await.stdout, "easy\n");
}

#[tokio::test]
async fn config_writes_a_set_value_and_removes_an_unset_one() {
    let settings = Settings::none();
    let path = settings.path();
    #[cfg(unix)]
    {
        let mut command = client(&["config"]);
        command.env_remove("NIM_CONFIG").env("XDG_CONFIG_HOME", "/nowhere");
        let listed = Program::spawn(&mut command).finish().await.stdout;
        assert!(listed.contains("/nowhere/nim/client.toml, which does not exist yet."), "{listed}");
    }
    assert!(settings.config(&[]).await.stdout.contains("client.toml, which does not exist yet."));
    for (key, value) in [("name", "anna"), ("level", "Easy"), ("plain", "yes"), ("name", "ben")] {
        let set = settings.config(&[key, value]).await;
        assert_eq!((set.code, set.stderr.as_str()), (Some(0), ""), "{set:?}");
    }
    assert_eq!(settings.text(), "name = \"ben\"\nlevel = \"easy\"\nplain = true\n");
    let unset = settings.config(&["--unset", "level"]).await;
    assert_eq!(unset.stdout, format!("level is removed from {}.\n", path.display()));
    let again = settings.config(&["--unset", "level"]).await;
    assert_eq!(again.stdout, format!("level is not in {}.\n", path.display()));
    assert_eq!(settings.text(), "name = \"ben\"\nplain = true\n");
    let hidden = settings.run_in(&[("NIM_NAME", "cleo")], &["config", "name", "dora"]).await.stdout;
    assert!(hidden.ends_with("But NIM_NAME overrides the file while it is set: it says cleo.\n"));
}

#[tokio::test]
async fn an_invalid_value_is_refused_and_nothing_is_written() {
    let settings = Settings::none();
    for (arguments, words) in [
        (&["level", "hard"][..], "level cannot be \"hard\": no level has this name; there are beginner"),
        (&["theme", "bare"], "there are calm and strong"),
        (&["name", " "], "a name needs at least one visible character"),
        (&["ascii", "perhaps"], "write true or false"),
        (&["colour", "red"], "no setting has this name; there are name, level"),
        (&["--unset", "colour"], "colour: no setting has this name; there are name, level"),
    ] {
        settings.config(arguments).await.fails(2, words);
        assert!(!settings.path().exists(), "{arguments:?}");
    }
    let nowhere = settings.run_in(&[("NIM_CONFIG", "")], &["config", "level", "easy"]).await;
    nowhere.fails(1, "name a file with NIM_CONFIG");
}

/// No game begins, and the message says where the error is; but `config` still works, and so does every
/// command without settings.
async fn is_told_and_stops_games_alone(settings: &Settings, place: &str, words: &str) {
    for game in [&["play"][..], &["connect", "127.0.0.1:1"], &["resume"], &[]] {
        let ended = settings.run(game).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{game:?}: {ended:?}");
        let line = ended.stderr.lines().find(|line| line.contains(words));
        assert!(line.is_some_and(|line| line.contains(place)), "{game:?}: {place}: {words}: {ended:?}");
        assert!(ended.stderr.lines().last().unwrap().starts_with("nim-client config shows"), "{ended:?}");
    }
    let told = settings.config(&[]).await;
    assert_eq!(told.code, Some(2));
    assert!(rows(&told).len() >= 8 && told.stderr.contains(words), "{told:?}");
    assert_eq!(settings.run(&["study", "count", "java-tech:4"]).await.code, Some(0));
}

#[tokio::test]
async fn no_game_starts_with_an_invalid_file() {
    for (text, line, words) in [
        (
            &b"name = \"anna\"\ncolour = \"red\"\n"[..],
            2,
            "colour: no setting has this name; there are name, level",
        ),
        (b"level = \"hard\"", 1, "level cannot be \"hard\": no level has this name; there are beginner"),
        (b"name = \"anna\"\nascii = \"yes\"", 2, "write it as in ascii = true"),
        (b"level = easy", 1, "this line is not TOML such as level = \"easy\": string values must be quoted"),
        (b"name = \"anna\"\nlevel = \"\xff\"", 2, "this is not UTF-8 text"),
        (b"[keys]\nhnt = \"x\"", 2, "hnt: no action has this name; there are hint, learn, review, "),
        (b"[keys]\n\nhint = \"Enter\"", 3, "hint cannot be \"Enter\": write a letter, a sign, or F2 to F12"),
        (b"[keys]\nhint = \"d\"", 2, "hint and draw would both be d in a game"),
        (b"ascii = true\n[keys]\nhint = 1", 3, "hint: write it as in hint = \"x\""),
        (b"ascii = true\nkeys = \"x\"", 2, "write the keys as a table: a line [keys]"),
    ] {
        let settings = Settings::of(text);
        let place = format!("{}, line {line}: ", settings.path().display());
        is_told_and_stops_games_alone(&settings, &place, words).await;
    }
}

#[tokio::test]
async fn changed_keys_are_listed_and_survive_a_changed_setting() {
    let settings = Settings::of("name = \"anna\"\n\n[keys]\nhint = \"x\" # mine\n");
    let list = settings.config(&[]).await;
    assert_eq!(
        (list.code, rows(&list).pop().unwrap().as_str()),
        (Some(0), "keys.hint x from line 4 of the file")
    );
    assert_eq!(settings.config(&["bell", "off"]).await.code, Some(0));
    assert_eq!(settings.text(), "bell = false\nname = \"anna\"\n\n[keys]\nhint = \"x\" # mine\n");
    assert_eq!(settings.config(&["--unset", "keys"]).await.code, Some(0));
    assert!(!settings.text().contains("hint"), "{}", settings.text());
}

#[tokio::test]
async fn config_prints_changes_and_removes_the_key_of_one_action() {
    let settings = Settings::of("# mine\nname = \"anna\" # not Anna\n");
    let path = settings.path();
    assert_eq!(settings.config(&["keys.hint"]).await.stdout, "h\n");
    for (key, value, written) in
        [("keys.hint", "X", "x"), ("keys.quit", "f10", "F10"), ("keys.hint", "z", "z")]
    {
        let set = settings.config(&[key, value]).await;
        let told = format!("{key} is now {written}, in {}.\n", path.display());
        assert_eq!((set.code, set.stdout.as_str(), set.stderr.as_str()), (Some(0), told.as_str(), ""));
        assert_eq!(settings.config(&[key]).await.stdout, format!("{written}\n"));
    }
    let text = "# mine\nname = \"anna\" # not Anna\n\n[keys]\nhint = \"z\"\nquit = \"F10\"\n";
    assert_eq!(settings.text(), text);
    let unset = settings.config(&["--unset", "keys.hint"]).await;
    assert_eq!(unset.stdout, format!("keys.hint is removed from {}.\n", path.display()));
    assert_eq!(settings.text(), text.replace("hint = \"z\"\n", ""));
    let again = settings.config(&["--unset", "keys.hint"]).await;
    assert_eq!(again.stdout, format!("keys.hint is not in {}.\n", path.display()));
    for (arguments, words) in [
        (&["keys.hint", "Enter"][..], "hint cannot be \"Enter\": write a letter, a sign, or F2 to F12"),
        (&["keys.hint", "d"], "hint and draw would both be d in a game; give one of them another key"),
        (&["keys.hnt", "x"], "hnt: no action has this name; there are hint, learn, "),
        (&["keys"], "name one action, as in keys.hint; there are hint, learn, "),
        (&["--unset", "keys.hnt"], "hnt: no action has this name; there are hint, learn, "),
        (&["colour"], "no setting has this name; there are name, level"),
        (&["colour"], "keys.hint is the key of the action hint"),
    ] {
        settings.config(arguments).await.fails(2, words);
        assert_eq!(settings.text(), text.replace("hint = \"z\"\n", ""), "{arguments:?}");
    }
}

#[tokio::test]
async fn an_unreadable_settings_file_is_reported() {
    let settings = Settings::of("a".repeat(70_000));
    let too_large = "it is too large: settings have at most 65536 bytes";
    is_told_and_stops_games_alone(&settings, "client.toml: ", too_large).await;
    fs::remove_file(settings.path()).unwrap();
    fs::create_dir(settings.path()).unwrap();
    is_told_and_stops_games_alone(&settings, "client.toml: ", "it is a folder").await;
    let set = settings.config(&["level", "easy"]).await;
    set.fails(1, "nothing was changed: ");
    set.fails(1, "it is a folder");
    #[cfg(unix)]
    {
        let pipe = Settings::none();
        let made = std::process::Command::new("mkfifo").arg(pipe.path()).status().unwrap();
        assert!(made.success());
        is_told_and_stops_games_alone(&pipe, "client.toml: ", "it is not a file").await;
    }
}

#[tokio::test]
async fn the_first_of_several_mistakes_is_reported() {
    let lines: Vec<String> = (0..1_000).map(|number| format!("key{number} = 1\n")).collect();
    let ended = Settings::of(lines.concat()).run(&["play"]).await;
    assert!(ended.stderr.contains("key4: no setting") && !ended.stderr.contains("key5:"), "{ended:?}");
    assert!(ended.stderr.contains("client.toml: 995 more of its lines are wrong\n"), "{ended:?}");
}

#[tokio::test]
async fn config_repairs_an_invalid_file() {
    let settings = Settings::of("# mine\ncolour = 1\nlevel = \"hard\" # for now\n");
    let set = settings.config(&["level", "fair"]).await;
    set.fails(2, "line 2: colour: no setting");
    let unset = settings.config(&["--unset", "colour"]).await;
    assert_eq!((unset.code, unset.stderr.as_str()), (Some(0), ""), "{unset:?}");
    assert_eq!(settings.text(), "# mine\nlevel = \"fair\" # for now\n");
    let broken = Settings::of("level = \n");
    let set = broken.config(&["level", "fair"]).await;
    set.fails(1, "nothing was changed: ");
    set.fails(1, "line 1: this line is not TOML");
    assert_eq!(broken.text(), "level = \n", "the choice is ambiguous");
}

#[cfg(unix)]
#[tokio::test]
async fn a_symlink_stays_and_the_file_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (settings, elsewhere) = (Settings::none(), Settings::of("level = \"easy\"\n"));
    let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(elsewhere.path(), fs::Permissions::from_mode(0o644)).unwrap();
    symlink(elsewhere.path(), settings.path()).unwrap();
    assert_eq!(settings.config(&["level", "fair"]).await.code, Some(0));
    assert_eq!(elsewhere.text(), "level = \"fair\"\n");
    assert!(settings.path().is_symlink());
    assert_eq!(rights(&elsewhere.path()), 0o644);
    let new = Settings::none();
    new.config(&["level", "fair"]).await;
    assert_eq!(rights(&new.path()), 0o600);
}

#[cfg(unix)]
#[tokio::test]
async fn the_plain_face_can_be_the_default_at_a_terminal() {
    use crate::harness::Terminal;
    for (settings, is_screen) in [("plain = true", false), ("plain = false", true)] {
        let settings = Settings::of(settings);
        let mut command = client(&["play", "java-tech:4", "--starts", "me"]);
        command.env("NIM_CONFIG", settings.path()).env("TERM", "xterm-256color");
        let mut terminal = Terminal::running(command.as_std());
        // The escape sequence that switches to the alternate screen.
        let seen = terminal.until(if is_screen { "\u{1b}[?1049h" } else { "Your move (" }).await;
        assert_eq!(seen.contains("\u{1b}[?1049h"), is_screen);
    }
}
