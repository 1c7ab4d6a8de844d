//! The first screen, to which one comes back from every game until one has enough: what is chosen there is done as if it had
//! been typed.

use std::sync::Arc;

use clap::Parser;
use nim::client::tui::home::{Choice, Home};
use nim::client::tui::{App, Appearance, Left, RecordsScreen};
use nim::client::words::home::{Opponent, Starter, kept};
use nim::client::words::records::HERE;
use nim::client::{Failure, Settings};

use crate::connecting::connect;
use crate::face::{Stage, StyleFlags};
use crate::local_records::LocalLibrary;
use crate::nearby::LookFlags;
use crate::play::play;
use crate::resuming::{Resume, go_on};
use crate::seats::{self, Found};
use crate::{Cli, Command};

/// Shows it again and again.
pub(crate) async fn run(style: StyleFlags, look_on: LookFlags, settings: &Settings) -> Result<(), Failure> {
    let look = style.with(settings);
    let mut stage = Stage::open(App::open().map_err(Failure::Output)?, look);
    let size = stage.screen()?.size();
    let mut home = Home::new(size, look, Vec::new()).against(settings.level().unwrap_or_default());
    let mut failure = None;
    loop {
        let kept = kept_games();
        let screen = stage.screen()?;
        home = home.back(screen.size(), in_words(&kept)).failing(failure.take());
        let gone = match screen.run(&mut home.watching(Some(look_on.watch()))).await? {
            Choice::Quit => return Ok(()),
            Choice::Records => Box::pin(read(screen, look)).await,
            choice => Box::pin(go(choice, kept, settings, &mut stage)).await,
        };
        match gone {
            Ok(Left::Quit) => return Ok(()),
            Ok(Left::Back) => {}
            Err(broken @ Failure::Output(_)) => return Err(broken),
            Err(other) => failure = Some(other.in_one_line()),
        }
    }
}

/// Looks at the games that were played at this keyboard.
async fn read(screen: &mut App, look: Appearance) -> Result<Left, Failure> {
    let Ok(Some(Command::Resume(Resume { returning, .. }))) = parsed(vec!["resume".into()]) else {
        return Ok(Left::Back);
    };
    let library = Arc::new(LocalLibrary::of(returning.state()));
    let mut records = RecordsScreen::new(screen.size(), look, HERE.to_owned(), library);
    screen.run(&mut records).await
}

/// Does what was chosen. Returns how somebody has left it.
async fn go(
    choice: Choice,
    mut kept: Vec<Found>,
    settings: &Settings,
    stage: &mut Stage,
) -> Result<Left, Failure> {
    match (command(&choice), choice) {
        (Some(Command::Connect(flags)), _) => connect(*flags, settings, stage).await,
        (Some(Command::Play(flags)), _) => play(flags, settings, stage).await.map(|()| Left::Back),
        (Some(Command::Resume(flags)), Choice::Resume(place)) if place < kept.len() => {
            Box::pin(go_on(flags, kept.swap_remove(place).kept, settings, stage)).await
        }
        _ => Ok(Left::Back),
    }
}

/// The command that stands for a choice.
fn command(choice: &Choice) -> Option<Command> {
    let words = match choice {
        Choice::Play { variant, against, starts } => {
            let mut words = vec!["play".to_owned(), variant.text()];
            match against {
                Opponent::Bot(level) => words.extend(["--level".into(), level.to_string()]),
                Opponent::Person => words.push("--two".into()),
                Opponent::Bots => words.push("--watch".into()),
            }
            // Nobody starts who only watches.
            match starts {
                Starter::You if *against != Opponent::Bots => words.extend(["--starts".into(), "me".into()]),
                Starter::They if *against != Opponent::Bots => {
                    words.extend(["--starts".into(), "them".into()]);
                }
                _ => {}
            }
            words
        }
        Choice::Connect(address) => vec!["connect".to_owned(), address.to_string()],
        Choice::Resume(_) => vec!["resume".to_owned()],
        Choice::Records | Choice::Quit => return None,
    };
    parsed(words).ok()?
}

/// The command for which these words stand on the command line.
pub(crate) fn parsed(words: Vec<String>) -> Result<Option<Command>, clap::Error> {
    Ok(Cli::try_parse_from(std::iter::once("nim-client".to_owned()).chain(words))?.command)
}

/// The games that can be gone on with, what was heard of last first. In a lobby whose game is over there is nothing to go on
/// with, though whoever asks for that seat has it; and a game at this keyboard has one window at a time.
pub(crate) fn kept_games() -> Vec<Found> {
    let Ok(Some(Command::Resume(Resume { returning, .. }))) = parsed(vec!["resume".into()]) else {
        return Vec::new();
    };
    let mut found = returning.seats().and_then(|seats| seats::all(&seats).ok()).unwrap_or_default();
    found.retain(|found| !found.is_over() && !found.is_open());
    found
}

/// These in words, a line each.
pub(crate) fn in_words(games: &[Found]) -> Vec<String> {
    let words = |found: &Found| {
        let (seat, here) = found.kept.seat();
        // A clock that was set back since then knows of no time that has passed.
        kept(seat, here, found.is_held, found.seen.elapsed().unwrap_or_default())
    };
    games.iter().map(words).collect()
}
