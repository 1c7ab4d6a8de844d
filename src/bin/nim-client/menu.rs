//! The first screen line by line, where there is no screen: what can be done as a list with numbers, of which one is typed, or
//! any command as it could have stood on the command line.

use std::io::{IsTerminal, Write, stdin, stdout};

use clap::CommandFactory;
use clap::error::ErrorKind;
use nim::client::Failure;
use nim::client::words::home as words;

use crate::entrance::{in_words, kept_games, parsed};
use crate::flags::{is_at_end, line};
use crate::nearby::LookFlags;
use crate::seats::Found;
use crate::{Cli, Command};

/// The most games to go on with that are listed; `resume` alone lists all of them.
const MOST_KEPT: usize = 5;

/// A line of the list.
struct Choice {
    words: String,
    /// The command for it, as words on the command line.
    command: Vec<String>,
}

/// Asks what to do until that is clear; nothing where somebody has enough. Where nobody sits at a terminal and no line comes
/// either, it is said how else one begins; whoever wanted lines sees the list before the first one.
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
        match read(typed.trim(), &choices) {
            Typed::Nothing => {}
            Typed::Quit => return Ok(None),
            Typed::Help => show(&choices, others)?,
            Typed::Wrong(error) => say(error.trim_end())?,
            Typed::Command(command) => return Ok(Some(plainly(*command, look_on))),
        }
    }
}

/// What was typed.
enum Typed {
    Nothing,
    Quit,
    Help,
    Wrong(String),
    Command(Box<Command>),
}

fn read(typed: &str, choices: &[Choice]) -> Typed {
    let number = typed.parse::<usize>().ok();
    let words = match number {
        Some(number) => match number.checked_sub(1).and_then(|place| choices.get(place)) {
            Some(choice) => choice.command.clone(),
            None => return Typed::Wrong(words::not_listed(number)),
        },
        None => typed.split_whitespace().map(str::to_owned).collect(),
    };
    match words.first().map(String::as_str) {
        None => Typed::Nothing,
        Some("quit" | "q" | "exit") => Typed::Quit,
        Some("help" | "?") if words.len() == 1 => Typed::Help,
        Some(_) => match parsed(words) {
            Ok(Some(command)) => Typed::Command(Box::new(command)),
            Ok(None) => Typed::Help,
            Err(error) => Typed::Wrong(error.render().to_string()),
        },
    }
}

/// All that the first screen offers.
fn choices(kept: &[Found]) -> Vec<Choice> {
    let command = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let fixed = words::MENU.map(|(words, typed)| Choice { words: words.to_owned(), command: command(typed) });
    let kept = kept.iter().zip(in_words(kept)).map(|(found, words)| {
        let (seat, _) = found.kept.seat();
        let command = vec!["resume".to_owned(), seat.code.to_string(), format!("--as={}", seat.name)];
        Choice { words: words::going_on(&words), command }
    });
    fixed.into_iter().chain(kept).collect()
}

fn show(choices: &[Choice], others: usize) -> Result<(), Failure> {
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

/// The same command line by line, where hosts are looked for as was said.
fn plainly(command: Command, look_on: &LookFlags) -> Command {
    match command {
        Command::Connect(mut flags) => {
            flags.face.be_plain();
            flags.look = look_on.clone();
            Command::Connect(flags)
        }
        Command::Play(mut flags) => {
            flags.face.be_plain();
            Command::Play(flags)
        }
        Command::Resume(mut flags) => {
            flags.face.be_plain();
            Command::Resume(flags)
        }
        other => other,
    }
}

/// Ends the program as a command line does that cannot be understood.
fn nothing_to_ask() -> ! {
    Cli::command().error(ErrorKind::MissingSubcommand, words::NOBODY_TO_ASK).exit()
}

fn say(line: &str) -> Result<(), Failure> {
    writeln!(stdout(), "{line}").map_err(Failure::Output)
}
