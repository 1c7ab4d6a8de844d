//! The start without a command: the first screen, or the same choices as plain lines. Each choice runs the
//! command that it stands for.

use std::io::{IsTerminal, stdin};
use std::sync::Arc;

use clap::CommandFactory;
use clap::error::ErrorKind;
use nim::client::tui::home::{Home, HomeChoice};
use nim::client::tui::{Exit, RecordsScreen, TuiApp};
use nim::client::words::home::{self as words, Opponent, kept};
use nim::client::words::records::HERE;
use nim::client::{Failure, Settings};
use nim::wire::Starts;

use crate::command::{Cli, Command, parsed};
use crate::connect::connect;
use crate::face::{Face, ScreenStyle, StyleFlags};
use crate::flags::{is_at_end, line, say};
use crate::hosts::LookFlags;
use crate::local_records::LocalLibrary;
use crate::play::play;
use crate::resume::{Resume, go_on};
use crate::seats::{self, ResumableSeat, ReturnFlags};

/// Shows the first screen after each game, until the person quits.
pub(crate) async fn on_screen(
    style: StyleFlags,
    look_on: LookFlags,
    settings: &Settings,
) -> Result<(), Failure> {
    let style = style.with(settings);
    let look = style.look;
    let mut face = Face::home(style.clone());
    let size = face.app()?.size();
    let mut home = Home::new(size, look, Vec::new()).against(settings.level().unwrap_or_default());
    let (mut failure, mut news) = (None, None);
    loop {
        let kept = kept_games();
        let app = face.app()?;
        let old = kept.iter().filter(|found| found.is_older_than(words::OLD)).count();
        home = home.back(app.size(), in_words(&kept), failure.take()).with_old(old).telling(news.take());
        home = home.watching(look_on.watch());
        let gone = match app.run(&mut home).await? {
            HomeChoice::Quit => return Ok(()),
            HomeChoice::ForgetOld => forget_old(&kept).map(|count| {
                news = Some(words::forgotten(count));
                Exit::Back
            }),
            HomeChoice::Records => Box::pin(show_records(app, &style)).await,
            choice => Box::pin(go(choice, kept, settings, &mut face)).await,
        };
        match gone {
            Ok(Exit::Quit) => return Ok(()),
            Ok(Exit::Back) => {}
            Err(broken @ Failure::Output(_)) => return Err(broken),
            Err(other) => failure = Some(other.in_one_line()),
        }
    }
}

/// Forgets the old ones of these games. Returns how many.
fn forget_old(kept: &[ResumableSeat]) -> Result<usize, Failure> {
    let Some(returning) = returning() else { return Ok(0) };
    seats::forget_all(&returning, kept.iter().filter(|found| found.is_older_than(words::OLD)))
}

/// Shows the records of the games at this keyboard.
async fn show_records(app: &mut TuiApp, style: &ScreenStyle) -> Result<Exit, Failure> {
    let Some(returning) = returning() else { return Ok(Exit::Back) };
    let library = Arc::new(LocalLibrary(returning.state));
    let mut records =
        RecordsScreen::new(app.size(), (style.look, style.keys.clone()), HERE.to_owned(), library);
    app.run(&mut records).await
}

/// Runs the command of a choice. Returns how the person left.
async fn go(
    choice: HomeChoice,
    mut kept: Vec<ResumableSeat>,
    settings: &Settings,
    face: &mut Face,
) -> Result<Exit, Failure> {
    match (command(&choice), choice) {
        (Some(Command::Connect(flags)), _) => Box::pin(connect(*flags, settings, face)).await,
        (Some(Command::Play(flags)), _) => Box::pin(play(flags, settings, face)).await.map(|()| Exit::Back),
        (Some(Command::Resume(flags)), HomeChoice::Resume(place)) if place < kept.len() => {
            Box::pin(go_on(&flags.returning, kept.swap_remove(place), settings, face)).await
        }
        _ => Ok(Exit::Back),
    }
}

/// The command that stands for a choice.
fn command(choice: &HomeChoice) -> Option<Command> {
    let words = match choice {
        HomeChoice::Play { variant, against, starts } => {
            let mut words = vec!["play".to_owned(), variant.text()];
            match against {
                Opponent::Bot(level) => words.extend(["--level".into(), level.to_string()]),
                Opponent::Person => words.push("--two".into()),
                Opponent::Bots => words.push("--watch".into()),
            }
            let starts = match starts {
                // A watcher does not start.
                _ if *against == Opponent::Bots => None,
                Starts::Me => Some("--starts=me"),
                Starts::Them => Some("--starts=them"),
                Starts::Variant => None,
            };
            words.extend(starts.map(str::to_owned));
            words
        }
        HomeChoice::Connect(address) => vec!["connect".to_owned(), address.to_string()],
        HomeChoice::Resume(_) => vec!["resume".to_owned()],
        HomeChoice::ForgetOld | HomeChoice::Records | HomeChoice::Quit => return None,
    };
    parsed(words).ok()?
}

/// The games that can be resumed, the last played first, without finished ones and those in another window.
fn kept_games() -> Vec<ResumableSeat> {
    let seats = returning().and_then(|returning| returning.state.seats());
    let mut found = seats.and_then(|seats| seats::all(&seats).ok()).unwrap_or_default();
    found.retain(|found| !found.status.seat.over && !found.status.is_held);
    found
}

/// The flags of `resume`, from the environment only.
fn returning() -> Option<ReturnFlags> {
    match parsed(vec!["resume".into()]) {
        Ok(Some(Command::Resume(Resume { returning, .. }))) => Some(returning),
        _ => None,
    }
}

/// A line for each game.
fn in_words(games: &[ResumableSeat]) -> Vec<String> {
    games.iter().map(|found| kept(&found.status)).collect()
}

/// The maximum number of games to resume in the list; `resume` lists all.
const MOST_KEPT: usize = 5;

/// A line of the list.
struct MenuItem {
    words: String,
    /// Its command, as words of a command line.
    command: Vec<String>,
}

/// Asks for a command line by line; `None` if the person quits. Without a terminal and without input the
/// program ends with an explanation, unless `plain` asks for lines.
pub(crate) fn ask(plain: bool, look_on: &LookFlags) -> Result<Option<Command>, Failure> {
    if !plain && !stdin().is_terminal() && is_at_end()? {
        nothing_to_ask();
    }
    let kept = kept_games();
    let others = kept.len().saturating_sub(MOST_KEPT);
    let choices = choices(&kept[..kept.len() - others]);
    show(&choices, others)?;
    loop {
        say(&words::which(choices.len()))?;
        let Some(typed) = line()? else {
            if stdin().is_terminal() {
                return Ok(None);
            }
            nothing_to_ask();
        };
        let number = typed.trim().parse::<usize>().ok();
        let listed = number.and_then(|number| choices.get(number.checked_sub(1)?));
        let words: Vec<String> = match (listed, number) {
            (Some(choice), _) => choice.command.clone(),
            (None, Some(number)) => {
                say(&words::not_listed(number))?;
                continue;
            }
            (None, None) => typed.split_whitespace().map(str::to_owned).collect(),
        };
        match words.first().map(String::as_str) {
            None => {}
            Some("quit" | "q" | "exit") => return Ok(None),
            Some("help" | "?") if words.len() == 1 => show(&choices, others)?,
            Some(_) => match parsed(words) {
                Ok(Some(command)) => return Ok(Some(plainly(command, look_on))),
                Ok(None) => show(&choices, others)?,
                Err(error) => say(error.render().to_string().trim_end())?,
            },
        }
    }
}

/// All choices.
fn choices(kept: &[ResumableSeat]) -> Vec<MenuItem> {
    let command = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let fixed =
        words::MENU.map(|(words, typed)| MenuItem { words: words.to_owned(), command: command(typed) });
    let kept = kept.iter().zip(in_words(kept)).map(|(found, words)| {
        let seat = &found.status.seat;
        let command = vec!["resume".to_owned(), seat.code.to_string(), format!("--as={}", seat.name)];
        MenuItem { words: words::going_on(&words), command }
    });
    fixed.into_iter().chain(kept).collect()
}

fn show(choices: &[MenuItem], others: usize) -> Result<(), Failure> {
    say(words::TITLE)?;
    say("")?;
    for (number, choice) in (1..).zip(choices) {
        say(&format!("{number:3}  {}", choice.words))?;
    }
    if others > 0 {
        say(&format!("     {}", words::others(others)))?;
    }
    say("")?;
    words::ABOUT_MENU.into_iter().try_for_each(say)
}

/// The same command with the line face and these flags for finding hosts.
fn plainly(mut command: Command, look_on: &LookFlags) -> Command {
    match &mut command {
        Command::Connect(flags) => {
            flags.face.be_plain();
            flags.look = look_on.clone();
        }
        Command::Play(flags) => flags.face.be_plain(),
        Command::Resume(flags) => flags.face.be_plain(),
        _ => {}
    }
    command
}

/// Ends the program with a usage error.
fn nothing_to_ask() -> ! {
    Cli::command().error(ErrorKind::MissingSubcommand, words::NOBODY_TO_ASK).exit()
}
