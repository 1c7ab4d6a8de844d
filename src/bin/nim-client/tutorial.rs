//! `nim-client tutorial`: three screens about how the games are won, or the same as text.

use std::io::{Write, stdout};

use clap::Args;
use nim::client::settings::Key;
use nim::client::tui::{TuiApp, Tutorial};
use nim::client::{Failure, Settings, tutorial};

use crate::face::{StyleFlags, is_screen};

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  the tutorial was shown
  1  the program could not start, or could not write its output
  2  the command line is wrong, or a setting";

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TutorialFlags {
    /// Print the three screens as text, as in a pipe, with TERM=dumb, and on a small terminal [default: the
    /// setting plain]
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    style: StyleFlags,
}

/// Runs the tutorial on the screen, or prints it where there is none.
pub(crate) async fn run(flags: &TutorialFlags, settings: &Settings) -> Result<(), Failure> {
    let plain = flags.plain || settings.get(Key::Plain).unwrap_or_default();
    if plain || !is_screen() {
        return stdout().write_all(tutorial::text().as_bytes()).map_err(Failure::Output);
    }
    let style = flags.style.with(settings);
    let mut app = TuiApp::open(style.alerts).map_err(Failure::Start)?;
    let mut screen = Tutorial::new(app.size(), style.look);
    app.run(&mut screen).await
}
