//! What the script for fish leaves out, which knows the values of flags alone, and those of flags before a command not even that: a
//! line for each word that has no flag, such as a game, and one for each flag that may stand before a command.

use clap::builder::PossibleValue;
use clap::{Arg, Command};

/// The lines for a program.
pub(super) fn lines(program: &Command, name: &str) -> String {
    let using = format!("__fish_{}_using_subcommand", name.replace('-', "_"));
    let mut lines = before_commands(program, name);
    for command in program.get_subcommands() {
        let condition = format!("{using} {}", command.get_name());
        lines += &words(command, name, &condition);
        for below in command.get_subcommands() {
            let condition = format!("{condition}; and __fish_seen_subcommand_from {}", below.get_name());
            lines += &words(below, name, &condition);
        }
    }
    lines
}

/// The flags that may stand before a command. The script finds out which command is meant by reading what was typed, and
/// cannot read a flag of which the value is still missing.
fn before_commands(program: &Command, name: &str) -> String {
    let commands: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
    let condition = format!("not __fish_seen_subcommand_from {}", commands.join(" "));
    let line = |arg: &Arg| {
        let values = values(arg).filter(|_| arg.get_action().takes_values())?;
        let long = arg.get_long()?;
        Some(format!("complete -c {name} -n \"{condition}\" -l {long} -r -f -a \"{values}\"\n"))
    };
    program.get_arguments().filter_map(line).collect()
}

/// The words that have no flag, until one of them is typed.
fn words(command: &Command, name: &str, condition: &str) -> String {
    let line = |arg: &Arg| {
        let values = values(arg)?;
        let until = format!("{condition}; and not __fish_seen_subcommand_from {values}");
        Some(format!("complete -c {name} -n \"{until}\" -f -a \"{values}\"\n"))
    };
    command.get_positionals().filter_map(line).collect()
}

/// The words that an argument can be, if those are known.
fn values(arg: &Arg) -> Option<String> {
    let values = arg.get_possible_values();
    let names: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    (!names.is_empty()).then(|| names.join(" "))
}
