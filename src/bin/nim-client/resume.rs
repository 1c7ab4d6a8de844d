//! `nim-client resume`: resumes a game after the program or the machine was stopped.

use std::io::{IsTerminal, stdin, stdout};
use std::time::Duration;

use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use nim::client::failure::NoSeat;
use nim::client::tui::Exit;
use nim::client::words::home::kept;
use nim::client::{Action, Failure, SavedSeat, SeatStatus, Settings, Terms};
use nim::lobby::Name;
use nim::server::duration;

use crate::connect::session;
use crate::face::{Face, FaceFlags, SessionStart};
use crate::flags::{line, name, say};
use crate::play::play_on;
use crate::seats::{self, ResumableSeat, ReturnFlags, Wanted};

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The code of the lobby, if you have several seats
    #[arg(value_name = "CODE", add = ArgValueCandidates::new(seats::codes))]
    code: Option<String>,

    /// Your name in the lobby, if you have several seats there
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    name: Option<Name>,

    /// Forget the saved seat instead of resuming it
    #[arg(long)]
    forget: bool,

    /// Forget all saved seats whose games were last played this long ago or earlier, such as 7d
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["code", "name", "forget"])]
    forget_old: Option<Duration>,

    #[command(flatten)]
    pub(crate) face: FaceFlags,

    #[command(flatten)]
    pub(crate) returning: ReturnFlags,
}

/// Resumes a seat of an earlier run. Returns how the person left.
pub(crate) async fn resume(flags: Resume, settings: &Settings) -> Result<Exit, Failure> {
    if let Some(age) = flags.forget_old {
        let told = seats::forget_old(&flags.returning, age)?;
        if !flags.face.json {
            say(&told)?;
        }
        return Ok(Exit::Back);
    }
    let wanted = Wanted { code: flags.code.as_deref(), name: flags.name.as_ref() };
    let is_asked = !flags.forget && !flags.face.json && stdin().is_terminal() && stdout().is_terminal();
    let seat = match seats::find(&flags.returning, wanted) {
        Err(Failure::NoSeat(none)) if is_asked && none.kept.len() > 1 && wanted.code.is_none() => {
            let Some(seat) = choose(&none)? else { return Err(none.into()) };
            let code = seat.code.to_string();
            seats::find(&flags.returning, Wanted { code: Some(&code), name: Some(&seat.name) })?
        }
        found => found?,
    };
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

/// Asks which seat to resume; `None` if there is no answer.
fn choose(none: &NoSeat) -> Result<Option<&SavedSeat>, Failure> {
    for (number, status) in (1..).zip(&none.kept) {
        say(&format!("{number:2}  {}", kept(status)))?;
    }
    loop {
        say(&format!("Which game (1 to {})?", none.kept.len()))?;
        let Some(line) = line()? else { return Ok(None) };
        let number = line.trim().parse::<usize>().ok();
        if let Some(status) = number.and_then(|number| none.kept.get(number.checked_sub(1)?)) {
            return Ok(Some(&status.seat));
        }
    }
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
