//! The faces: which one shows the game, by the flags and by the terminal, and how the screen looks.

use std::io::{IsTerminal, Write, stderr, stdin, stdout};

use clap::Args;
use nim::client::fold;
use nim::client::input::InputLines;
use nim::client::json::{JsonFace, PipedScript};
use nim::client::line::{LineFace, Typing};
use nim::client::settings::Key;
use nim::client::theme::Theme;
use nim::client::tui::waiting::Waited;
use nim::client::tui::{Alerts, Appearance, Keys, LEAST, SessionScreen, State, TuiApp, Waiting};
use nim::client::words::screen;
use nim::client::{Action, Failure, Session, Settings, Terms};
use nim::wire::ClientKind;

use crate::flags::{self, PlayerName};

/// Flags that select a face.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FaceFlags {
    /// For scripts: read and write one JSON object per line, as proto/JSON.md describes
    #[arg(long)]
    pub(crate) json: bool,

    /// Use plain lines instead of the screen, as in a pipe, with TERM=dumb, and on a small terminal [default:
    /// the setting plain]
    #[arg(long, conflicts_with = "json")]
    plain: bool,

    #[command(flatten)]
    style: StyleFlags,
}

/// How the screen looks, and how it calls a person who looks elsewhere.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct StyleFlags {
    /// Draw the screen with ASCII characters only [default: the setting ascii]
    #[arg(long)]
    ascii: bool,

    /// Show no animation on the screen [default: the setting animation]
    #[arg(long)]
    no_animation: bool,

    /// Do not ring the terminal's bell when another player does something [default: the setting bell]
    #[arg(long)]
    no_bell: bool,

    /// Leave the window's title as it is [default: the setting title]
    #[arg(long)]
    no_title: bool,

    /// The colours of the screen; with `NO_COLOR` there are none [default: the setting theme, or calm]
    #[arg(long, value_name = "THEME", value_parser = flags::theme())]
    theme: Option<Theme>,
}

/// The face that flags, settings and the terminal select. The screen is opened when it is first needed, and
/// closed on drop.
#[derive(Debug)]
pub(crate) struct Face {
    kind: FaceKind,
    style: ScreenStyle,
    app: Option<TuiApp>,
    /// Whether a game leads back to the first screen.
    is_from_home: bool,
    /// What is printed once the screen is closed.
    farewell: Option<String>,
}

/// How the screen looks, which keys it has, and how it reaches a person who looks elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct ScreenStyle {
    pub(crate) look: Appearance,
    pub(crate) keys: Keys,
    pub(crate) alerts: Alerts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaceKind {
    Json,
    Lines,
    Screen,
}

/// How a session starts.
pub(crate) struct SessionStart<'a> {
    /// The player's name.
    pub(crate) called: &'a PlayerName,
    /// The defaults for new lobbies.
    pub(crate) preferences: Terms,
    /// The first action.
    pub(crate) action: &'a Action,
    /// Messages that are shown first.
    pub(crate) news: &'a [String],
}

impl FaceFlags {
    /// Selects the line face, unless a script reads.
    pub(crate) fn be_plain(&mut self) {
        self.plain = !self.json;
    }

    /// The face that the flags select with these settings. If the terminal is too small for the screen, a
    /// message says so.
    pub(crate) fn with(self, settings: &Settings) -> Face {
        let kind = match self {
            Self { json: true, .. } => FaceKind::Json,
            _ if self.plain || settings.get(Key::Plain).unwrap_or_default() || !is_screen() => {
                FaceKind::Lines
            }
            _ => FaceKind::Screen,
        };
        Face { kind, style: self.style.with(settings), app: None, is_from_home: false, farewell: None }
    }
}

impl Face {
    /// The face of all games that begin on the first screen.
    pub(crate) fn home(style: ScreenStyle) -> Self {
        Self { kind: FaceKind::Screen, style, app: None, is_from_home: true, farewell: None }
    }

    /// Whether this is the JSON face.
    pub(crate) fn is_json(&self) -> bool {
        self.kind == FaceKind::Json
    }

    /// Who plays: a script, or else a person.
    pub(crate) fn client_kind(&self) -> ClientKind {
        if self.is_json() { ClientKind::Program } else { ClientKind::Person }
    }

    /// Whether this is the screen.
    pub(crate) fn is_on_screen(&self) -> bool {
        self.kind == FaceKind::Screen
    }

    /// The appearance of the screen.
    pub(crate) fn look(&self) -> Appearance {
        self.style.look
    }

    /// The screen.
    pub(crate) fn app(&mut self) -> Result<&mut TuiApp, Failure> {
        match &mut self.app {
            Some(app) => Ok(app),
            none => Ok(none.insert(TuiApp::open(self.style.alerts).map_err(Failure::Output)?)),
        }
    }

    /// Waits for `work` before a game; the screen shows `what` and reacts to keys.
    pub(crate) async fn wait<T>(
        &mut self,
        what: String,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Waited<T>, Failure> {
        if !self.is_on_screen() {
            return work.await.map(Waited::Done);
        }
        let (look, is_from_home) = (self.style.look, self.is_from_home);
        let app = self.app()?;
        let mut waiting = Waiting::new(app.size(), look, what, is_from_home, work);
        app.run(&mut waiting).await
    }

    /// Shows the session until the player ends it.
    pub(crate) async fn run(&mut self, session: Session, start: SessionStart<'_>) -> Result<(), Failure> {
        let SessionStart { called, preferences, action, news } = start;
        match self.kind {
            FaceKind::Json => {
                tell(news);
                let script = PipedScript::new(InputLines::of(stdin()), stdout());
                let json = JsonFace::new(session, script, preferences);
                Box::pin(json.run(action)).await
            }
            FaceKind::Lines => {
                tell(news);
                let typing = if stdin().is_terminal() { Typing::AtTerminal } else { Typing::FromPipe };
                let line = LineFace::new(session, InputLines::of(stdin()), typing, stdout(), preferences);
                Box::pin(line.run(called.typed(), action)).await
            }
            FaceKind::Screen => {
                let (is_from_home, ScreenStyle { look, keys, .. }) = (self.is_from_home, self.style.clone());
                let app = self.app()?;
                let state = State::new(app.size(), look, session.afterwards());
                let state = State { is_from_home, preferences, keys, ..state };
                let mut screen = Box::new(SessionScreen::new(session, state).telling(news));
                screen.start(called.typed(), action)?;
                Box::pin(app.run(&mut *screen)).await?;
                // The first screen lists what can be resumed, and the records.
                self.farewell = screen.farewell().filter(|_| !is_from_home);
                Ok(())
            }
        }
    }
}

impl Drop for Face {
    /// The terminal discards what is written while it shows the screen.
    fn drop(&mut self) {
        self.app = None;
        if let Some(line) = &self.farewell {
            // Nobody may read it.
            let _ = writeln!(stdout(), "{}", fold::for_output(line, &stdout()));
        }
    }
}

impl StyleFlags {
    /// The screen that the flags select with these settings.
    pub(crate) fn with(self, settings: &Settings) -> ScreenStyle {
        let is_on = |key: Key| settings.get(key).unwrap_or(true);
        let alerts =
            Alerts { bell: !self.no_bell && is_on(Key::Bell), title: !self.no_title && is_on(Key::Title) };
        // Wrong ones are reported before.
        let (keys, _) = Keys::read(settings.keys());
        ScreenStyle { look: self.look(settings), keys, alerts }
    }

    /// The appearance that the flags select with these settings.
    fn look(self, settings: &Settings) -> Appearance {
        // https://no-color.org: any value counts, except an empty one.
        let bare = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let chosen = self.theme.or_else(|| settings.get(Key::Theme)).unwrap_or_default();
        Appearance {
            ascii: self.ascii || settings.get(Key::Ascii).unwrap_or_default(),
            theme: if bare { Theme::Bare } else { chosen },
            still: self.no_animation || !settings.get(Key::Animation).unwrap_or(true),
        }
    }
}

/// Whether there is a terminal that can be a screen.
pub(crate) fn is_screen() -> bool {
    let is_terminal = stdin().is_terminal() && stdout().is_terminal();
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    is_terminal && !is_dumb && has_room()
}

/// Whether the terminal is large enough for the screen. If not, a message says so.
fn has_room() -> bool {
    let Ok(size) = crossterm::terminal::size() else { return false };
    let fits = size.0 >= LEAST.0 && size.1 >= LEAST.1;
    if !fits {
        // Nobody may read it.
        let _ = writeln!(stderr(), "nim-client: {}", screen::too_small(size, LEAST));
    }
    fits
}

/// Writes messages to standard error.
fn tell(news: &[String]) {
    for line in news {
        // Nobody may read it.
        let _ = writeln!(stderr(), "{}", fold::for_output(&format!("nim-client: {line}"), &stderr()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The appearance with these variables and flags.
    fn look(variables: &[(&str, &str)], style: StyleFlags) -> Appearance {
        let value =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let (settings, faults) = Settings::gather(value, None);
        assert_eq!(faults, []);
        style.look(&settings)
    }

    #[test]
    fn a_flag_overrides_a_setting_of_the_screen() {
        let bare =
            StyleFlags { ascii: false, no_animation: false, no_bell: false, no_title: false, theme: None };
        let set = [("NIM_THEME", "strong"), ("NIM_ASCII", "true"), ("NIM_ANIMATION", "false")];
        let usual = Appearance { ascii: false, theme: Theme::Calm, still: false };
        assert_eq!(look(&[], bare), usual);
        assert_eq!(look(&set, bare), Appearance { ascii: true, theme: Theme::Strong, still: true });
        let unset = [("NIM_ASCII", "no"), ("NIM_ANIMATION", "yes")];
        assert_eq!(look(&unset, bare), usual);
        let typed = StyleFlags { ascii: true, no_animation: true, theme: Some(Theme::Calm), ..bare };
        assert_eq!(look(&set, typed), Appearance { ascii: true, theme: Theme::Calm, still: true });
        assert_eq!(look(&unset, typed), Appearance { ascii: true, theme: Theme::Calm, still: true });
    }
}
