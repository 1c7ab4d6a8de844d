//! `nim-client resume`: resumes a game after the program or the machine was stopped.

use std::io::{IsTerminal, stdin, stdout};
use std::time::Duration;

use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use nim::client::failure::NoSeat;
use nim::client::tui::Exit;
use nim::client::words::home::{ONLY_ONE_IS_OVER, kept, which_game};
use nim::client::{Action, Endpoint, Failure, SeatStatus, Settings, Terms};
use nim::game::notation::shown;
use nim::lobby::{Code, Name};
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
    let Some(seat) = which(&flags.returning, wanted, is_asked)? else { return Ok(Exit::Back) };
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

/// The seat to resume. Where `is_asked`, a person chooses among several, and says whether to return to the only
/// one if its game is over. `None` if they want none.
fn which(flags: &ReturnFlags, wanted: Wanted<'_>, is_asked: bool) -> Result<Option<ResumableSeat>, Failure> {
    let (offered, failure) = match seats::find(flags, wanted) {
        Ok(only) if is_asked && wanted.is_any() && only.status.seat.over => {
            say(ONLY_ONE_IS_OVER)?;
            (vec![only.status], None)
        }
        Err(Failure::NoSeat(none)) if is_asked && offered(&none, wanted).len() > 1 => {
            (offered(&none, wanted), Some(none))
        }
        found => return found.map(Some),
    };
    match choose(&offered)? {
        Choice::Seat(code, name) => {
            let code = code.to_string();
            seats::find(flags, Wanted { code: Some(&code), name: name.as_ref() }).map(Some)
        }
        Choice::Nothing => Ok(None),
        Choice::EndOfInput => failure.map_or(Ok(None), |none| Err(none.into())),
    }
}

/// The answer to the question which game to resume.
enum Choice {
    /// The seat in this lobby, under this name if the list has it.
    Seat(Code, Option<Name>),
    /// None.
    Nothing,
    /// There is nobody to answer.
    EndOfInput,
}

/// The wanted seats among which a person chooses: those that no window has open, and finished games only where
/// there is nothing else.
fn offered(none: &NoSeat, wanted: Wanted<'_>) -> Vec<SeatStatus> {
    let is_offered = |status: &&SeatStatus| !status.is_held && wanted.is_met_by(&status.seat);
    let mut offered: Vec<SeatStatus> = none.kept.iter().filter(is_offered).cloned().collect();
    if offered.iter().any(|status| !status.seat.over) {
        offered.retain(|status| !status.seat.over);
    }
    offered
}

/// Asks which of these seats to resume. The one with the latest news has the number 1, and stands next to the question,
/// where a long list does not scroll it away.
fn choose(offered: &[SeatStatus]) -> Result<Choice, Failure> {
    for (number, status) in (1..).zip(offered).collect::<Vec<_>>().into_iter().rev() {
        let is_other = |other: &&SeatStatus| other.seat.code == status.seat.code;
        let is_alone = offered.iter().filter(is_other).count() < 2;
        let name = if is_alone { String::new() } else { format!("as {}: ", status.seat.name) };
        say(&format!("{number:2}  {name}{}", kept(status)))?;
    }
    loop {
        say(&which_game(offered.len()))?;
        let Some(line) = line()? else { return Ok(Choice::EndOfInput) };
        let typed = line.trim();
        if typed.is_empty() {
            return Ok(Choice::Nothing);
        }
        if let Ok(number) = typed.parse::<usize>() {
            match number.checked_sub(1).and_then(|place| offered.get(place)) {
                Some(SeatStatus { seat, .. }) => return Ok(Choice::Seat(seat.code, Some(seat.name.clone()))),
                None => say(&format!("There is no {number} in the list."))?,
            }
            continue;
        }
        if let Ok(code) = typed.parse::<Code>() {
            let listed = offered.iter().find(|status| status.seat.code == code);
            return Ok(Choice::Seat(code, listed.map(|status| status.seat.name.clone())));
        }
        say(&format!("{}: neither a number of the list nor a code.", shown(typed)))?;
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
    let endpoint = Endpoint { others: seat.others.clone(), ..endpoint };
    let called = seat.name.clone().into();
    let preferences = Terms { level: settings.level().unwrap_or_default(), ..Terms::default() };
    let start = SessionStart { called: &called, preferences, action: &Action::Return(seat), news: &[] };
    session(face, endpoint, flags.state.seats(), start).await
}
