//! The faces: which one shows the game, by the flags and by the terminal, and how the screen looks.

use std::io::{IsTerminal, Write, stderr, stdin, stdout};

use clap::Args;
use nim::client::input::Lines;
use nim::client::json::Json;
use nim::client::line::{Line, Typing};
use nim::client::theme::Theme;
use nim::client::tui::waiting::Waited;
use nim::client::tui::{App, Appearance, LEAST, SessionScreen, Waiting};
use nim::client::words::screen;
use nim::client::{Action, Address, Failure, Preferences, Session, Settings};

use crate::flags::{self, PlayerName};

/// Flags that select a face.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FaceFlags {
    /// For scripts: one JSON object a line in and out, as proto/JSON.md describes them
    #[arg(long)]
    pub(crate) json: bool,

    /// One line at a time instead of the screen, as it is in a pipe, with TERM=dumb, and on a small terminal
    /// [default: the setting plain]
    #[arg(long, conflicts_with = "json")]
    plain: bool,

    #[command(flatten)]
    style: StyleFlags,
}

/// How the screen looks.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct StyleFlags {
    /// Draw the screen with the signs of ASCII alone [default: the setting ascii]
    #[arg(long)]
    ascii: bool,

    /// Let nothing move by itself on the screen [default: the setting animation]
    #[arg(long)]
    no_animation: bool,

    /// The colours of the screen; with `NO_COLOR` there are none [default: the setting theme, or calm]
    #[arg(long, value_name = "THEME", value_parser = flags::theme())]
    theme: Option<Theme>,
}

/// The face that flags and settings select.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    json: bool,
    plain: bool,
    look: Appearance,
}

/// What the command line asks for.
pub(crate) struct Invitation<'a> {
    /// The player's name.
    pub(crate) called: &'a PlayerName,
    /// The server's address; `None` for the server inside this program.
    pub(crate) server: Option<&'a Address>,
    /// The defaults for new lobbies.
    pub(crate) preferences: Preferences,
    /// The first action.
    pub(crate) wish: &'a Action,
    /// Messages that are shown first.
    pub(crate) news: &'a [String],
}

impl<'a> Invitation<'a> {
    /// To the server inside this program.
    pub(crate) fn here(called: &'a PlayerName, wish: &'a Action) -> Self {
        Self { called, server: None, preferences: Preferences::default(), wish, news: &[] }
    }

    /// Adds messages that are shown first.
    pub(crate) fn telling(self, news: &'a [String]) -> Self {
        Self { news, ..self }
    }
}

/// The screen, for as long as the program runs; it is opened when it is needed first.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    screen: Option<App>,
    /// How it looks, if that was said before: on the first screen.
    look: Option<Appearance>,
    /// Whether games are on it, once that was looked at: where the terminal is too small, it is said once.
    is_used: Option<bool>,
}

impl Stage {
    /// One that is open already, and looks so.
    pub(crate) fn open(screen: App, look: Appearance) -> Self {
        Self { screen: Some(screen), look: Some(look), is_used: Some(true) }
    }

    /// How the screen looks, if that was said before.
    pub(crate) fn look(&self) -> Option<Appearance> {
        self.look
    }

    /// The screen.
    pub(crate) fn screen(&mut self) -> Result<&mut App, Failure> {
        match &mut self.screen {
            Some(screen) => Ok(screen),
            none => Ok(none.insert(App::open().map_err(Failure::Output)?)),
        }
    }
}

impl FaceFlags {
    /// One line at a time.
    pub(crate) fn be_plain(&mut self) {
        self.plain = !self.json;
    }

    /// What they come to with these settings. A script that wants JSON is not asked.
    pub(crate) fn with(self, settings: &Settings) -> Face {
        let plain = self.plain || settings.plain().unwrap_or_default();
        Face { json: self.json, plain, look: self.style.with(settings) }
    }
}

impl Face {
    /// Whether a script reads and writes it.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// How its screen looks.
    pub(crate) fn look(self) -> Appearance {
        self.look
    }

    /// Whether it has the screen.
    pub(crate) fn is_on_screen(self, stage: &mut Stage) -> bool {
        *stage.is_used.get_or_insert_with(|| !(self.json || self.plain) && is_screen())
    }

    /// Waits for this before a game; the screen shows `what` and reacts to keys.
    pub(crate) async fn wait<T>(
        self,
        stage: &mut Stage,
        what: String,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Waited<T>, Failure> {
        if !self.is_on_screen(stage) {
            return work.await.map(Waited::Done);
        }
        let (look, is_from_first) = (stage.look.unwrap_or(self.look), stage.look.is_some());
        let screen = stage.screen()?;
        let waiting = Waiting::new(screen.size(), look, what);
        let waiting = if is_from_first { waiting.from_home() } else { waiting };
        screen.run(&mut waiting.wait_for(work)).await
    }

    /// Shows the game until the player has enough.
    pub(crate) async fn run(
        self,
        session: Session,
        invitation: Invitation<'_>,
        stage: &mut Stage,
    ) -> Result<(), Failure> {
        let is_on_screen = self.is_on_screen(stage);
        if self.json || !is_on_screen {
            tell(invitation.news);
        }
        if self.json {
            let Invitation { server, preferences, wish, .. } = invitation;
            let json = Json::new(session, Lines::of(stdin()), stdout()).preferring(preferences);
            return Box::pin(json.run(server, wish)).await;
        }
        if !is_on_screen {
            return Box::pin(by_lines(session, invitation)).await;
        }
        let Invitation { called, server, preferences, wish, news } = invitation;
        let (look, is_from_first) = (stage.look.unwrap_or(self.look), stage.look.is_some());
        let screen = stage.screen()?;
        let face = SessionScreen::new(session, screen.size(), look).preferring(preferences).telling(news);
        let face = if is_from_first { face.from_home() } else { face };
        let mut face = Box::new(if server.is_none() { face.without_hall() } else { face });
        face.start(called.typed(), wish).await?;
        Box::pin(screen.run(&mut *face)).await
    }
}

impl StyleFlags {
    /// What they come to with these settings.
    pub(crate) fn with(self, settings: &Settings) -> Appearance {
        // https://no-color.org: whatever it is set to, unless that is nothing.
        let bare = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let chosen = self.theme.or_else(|| settings.theme()).unwrap_or_default();
        Appearance {
            ascii: self.ascii || settings.ascii().unwrap_or_default(),
            theme: if bare { Theme::Bare } else { chosen },
            still: self.no_animation || !settings.animation().unwrap_or(true),
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
    let Some(size) = App::terminal_size() else { return false };
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
        let _ = writeln!(stderr(), "nim-client: {line}");
    }
}

async fn by_lines(session: Session, invitation: Invitation<'_>) -> Result<(), Failure> {
    let Invitation { called, server, preferences, wish, .. } = invitation;
    let typing = if stdin().is_terminal() { Typing::AtTerminal } else { Typing::FromPipe };
    let line = Line::new(session, Lines::of(stdin()), typing, stdout()).preferring(preferences);
    // Nobody else comes to the hall of the server inside this program.
    let line = if server.is_none() { line.without_hall() } else { line };
    line.run(called.typed(), wish).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the screen looks like by these variables and flags.
    fn look(variables: &[(&str, &str)], style: StyleFlags) -> Appearance {
        let value =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let (settings, faults) = Settings::gather(value, None);
        assert_eq!(faults, []);
        style.with(&settings)
    }

    #[test]
    fn the_screen_looks_as_was_typed_or_else_as_was_set() {
        let bare = StyleFlags { ascii: false, no_animation: false, theme: None };
        let set = [("NIM_THEME", "strong"), ("NIM_ASCII", "true"), ("NIM_ANIMATION", "false")];
        let usual = Appearance { ascii: false, theme: Theme::Calm, still: false };
        assert_eq!(look(&[], bare), usual);
        assert_eq!(look(&set, bare), Appearance { ascii: true, theme: Theme::Strong, still: true });
        let unset = [("NIM_ASCII", "no"), ("NIM_ANIMATION", "yes")];
        assert_eq!(look(&unset, bare), usual);
        let typed = StyleFlags { ascii: true, no_animation: true, theme: Some(Theme::Calm) };
        assert_eq!(look(&set, typed), Appearance { ascii: true, theme: Theme::Calm, still: true });
        assert_eq!(look(&unset, typed), Appearance { ascii: true, theme: Theme::Calm, still: true });
    }
}
