//! `nim-client resume`: resumes a game after the program or the machine was stopped.

use std::io::{Write, stdout};

use clap::Args;
use nim::client::tui::Left;
use nim::client::{Action, Failure, Preferences, Settings};
use nim::lobby::Name;

use crate::connect::session;
use crate::face::{FaceFlags, Invitation, Stage};
use crate::flags::name;
use crate::play::play_on;
use crate::seats::{self, Kept, ReturnFlags, Wanted};

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The code of the lobby, where you have several seats
    #[arg(value_name = "CODE")]
    code: Option<String>,

    /// Which seat, where you have several in one lobby: what you are called there
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    name: Option<Name>,

    /// Remove the seat from those that are kept, instead of going on there
    #[arg(long)]
    forget: bool,

    #[command(flatten)]
    pub(crate) face: FaceFlags,

    #[command(flatten)]
    pub(crate) returning: ReturnFlags,
}

/// Resumes a seat of an earlier run. Returns how the person left.
pub(crate) async fn resume(flags: Resume, settings: &Settings, stage: &mut Stage) -> Result<Left, Failure> {
    let wanted = Wanted { code: flags.code.as_deref(), name: flags.name.as_ref() };
    let kept = seats::kept(&flags.returning, wanted)?;
    if flags.forget {
        forget(flags.face, &flags.returning, &kept)?;
        return Ok(Left::Back);
    }
    Box::pin(go_on(flags, kept, settings, stage)).await
}

/// Resumes this. Returns how the person left.
pub(crate) async fn go_on(
    flags: Resume,
    kept: Kept,
    settings: &Settings,
    stage: &mut Stage,
) -> Result<Left, Failure> {
    let face = flags.face.with(settings);
    let seat = match kept {
        Kept::There(seat) => seat,
        Kept::Here(game) => return Box::pin(play_on((face, stage), game)).await.map(|()| Left::Back),
    };
    let endpoint = flags.returning.endpoint(&seat.server, &seat.name);
    let (called, address) = (seat.name.clone().into(), seat.server.clone());
    let invitation = Invitation {
        called: &called,
        server: Some(&address),
        preferences: Preferences { level: settings.level().unwrap_or_default(), ..Preferences::default() },
        wish: &Action::Return(seat),
        news: &[],
    };
    session((face, stage), endpoint, flags.returning.seats(), invitation).await
}

/// Removes a saved seat, and says so.
fn forget(face: FaceFlags, flags: &ReturnFlags, kept: &Kept) -> Result<(), Failure> {
    let told = seats::forget(flags, kept)?;
    if face.json { Ok(()) } else { writeln!(stdout(), "{told}").map_err(Failure::Output) }
}
