//! `nim-client resume`: resumes a game after the program or the machine was stopped.

use clap::Args;
use nim::client::tui::Exit;
use nim::client::{Action, Failure, SeatStatus, Settings, Terms};
use nim::lobby::Name;

use crate::connect::session;
use crate::face::{Face, FaceFlags, SessionStart};
use crate::flags::{name, say};
use crate::play::play_on;
use crate::seats::{self, ResumableSeat, ReturnFlags, Wanted};

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The code of the lobby, if you have several seats
    #[arg(value_name = "CODE")]
    code: Option<String>,

    /// Your name in the lobby, if you have several seats there
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    name: Option<Name>,

    /// Forget the saved seat instead of resuming it
    #[arg(long)]
    forget: bool,

    #[command(flatten)]
    pub(crate) face: FaceFlags,

    #[command(flatten)]
    pub(crate) returning: ReturnFlags,
}

/// Resumes a seat of an earlier run. Returns how the person left.
pub(crate) async fn resume(flags: Resume, settings: &Settings) -> Result<Exit, Failure> {
    let wanted = Wanted { code: flags.code.as_deref(), name: flags.name.as_ref() };
    let seat = seats::find(&flags.returning, wanted)?;
    if flags.forget {
        let told = seats::forget(&flags.returning, &seat)?;
        if !flags.face.json {
            say(&told)?;
        }
        return Ok(Exit::Back);
    }
    let mut face = flags.face.with(settings);
    Box::pin(go_on(&flags.returning, seat, settings, &mut face)).await
}

/// Resumes the game of this seat. Returns how the person left.
pub(crate) async fn go_on(
    flags: &ReturnFlags,
    resumable: ResumableSeat,
    settings: &Settings,
    face: &mut Face,
) -> Result<Exit, Failure> {
    let ResumableSeat { status: SeatStatus { seat, .. }, folder } = resumable;
    if let Some(folder) = folder {
        return Box::pin(play_on(face, folder, seat)).await.map(|()| Exit::Back);
    }
    let endpoint = flags.endpoint(&seat.server, &seat.name);
    let called = seat.name.clone().into();
    let preferences = Terms { level: settings.level().unwrap_or_default(), ..Terms::default() };
    let start = SessionStart { called: &called, preferences, action: &Action::Return(seat), news: &[] };
    session(face, endpoint, flags.state.seats(), start).await
}
