//! `completions SHELL` of both programs: completion scripts, generated from the command line's definition.

use clap::builder::{PossibleValue, ValueHint};
use clap::{Arg, Args, Command};
use clap_complete::{Shell, generate};

use super::common::print;

/// The shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell that reads the script
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    /// Writes the script for a program.
    pub fn write(&self, program: Command) -> anyhow::Result<()> {
        print(&script(self.shell, program))
    }
}

/// How to install the script.
pub fn installing(program: &str) -> String {
    format!(
        "\
To install:
  Type the lines for your shell once; they take effect in the next shell you start.
  bash
    echo 'eval \"$({program} completions bash)\"' >> ~/.bashrc
  zsh
    echo 'autoload -U compinit; compinit' >> ~/.zshrc
    echo 'source <({program} completions zsh)' >> ~/.zshrc
  fish
    echo '{program} completions fish | source' >> ~/.config/fish/config.fish
  powershell
    Add-Content $PROFILE '{program} completions powershell | Out-String | iex'
  elvish
    echo 'eval ({program} completions elvish | slurp)' >> ~/.config/elvish/rc.elv"
    )
}

fn script(shell: Shell, program: Command) -> Vec<u8> {
    let name = program.get_name().to_owned();
    let mut program = with_hints(program);
    if shell == Shell::Bash {
        return bash_script(&mut program, &name);
    }
    let mut script = Vec::new();
    generate(shell, &mut program, &name, &mut script);
    if shell == Shell::Fish {
        script.extend(fish_lines(&program, &name).into_bytes());
    }
    script
}

/// The script for bash completes no subcommand of a program with a hyphen in its name:
/// <https://github.com/clap-rs/clap/issues/6421>. So it is generated for a name without a hyphen, and
/// registered for the real name.
fn bash_script(program: &mut Command, name: &str) -> Vec<u8> {
    let plain = name.replace('-', "_");
    let mut script = Vec::new();
    generate(Shell::Bash, program, &plain, &mut script);
    let script = String::from_utf8_lossy(&script);
    let for_program = |line: &str| match line.strip_suffix(&plain).filter(|line| line.contains("complete -F"))
    {
        Some(registration) => format!("{registration}{name}\n"),
        None => format!("{line}\n"),
    };
    script.lines().flat_map(|line| for_program(line).into_bytes()).collect()
}

/// Adds hints to a command: files for paths, and nothing for other values. Without hints shells offer files
/// everywhere.
fn with_hints(command: Command) -> Command {
    command.mut_args(hinted).mut_subcommands(with_hints)
}

fn hinted(arg: Arg) -> Arg {
    let takes_value = arg.is_positional() || arg.get_action().takes_values();
    let hint = match arg.get_value_hint() {
        ValueHint::AnyPath => ValueHint::FilePath,
        ValueHint::Unknown if takes_value && arg.get_possible_values().is_empty() => ValueHint::Other,
        _ => return arg,
    };
    arg.value_hint(hint)
}

/// Lines that the generated script for fish lacks: the values of positional arguments, and of flags before a
/// subcommand.
fn fish_lines(program: &Command, name: &str) -> String {
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

/// Lines for the flags before a subcommand. The script finds the subcommand by parsing the typed line, and
/// cannot parse a flag whose value is still missing.
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

/// Lines for the values of positional arguments, until one of them is typed.
fn words(command: &Command, name: &str, condition: &str) -> String {
    let line = |arg: &Arg| {
        let values = values(arg)?;
        let until = format!("{condition}; and not __fish_seen_subcommand_from {values}");
        Some(format!("complete -c {name} -n \"{until}\" -f -a \"{values}\"\n"))
    };
    command.get_positionals().filter_map(line).collect()
}

/// The possible values of an argument, if they are known.
fn values(arg: &Arg) -> Option<String> {
    let values = arg.get_possible_values();
    let names: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    (!names.is_empty()).then(|| names.join(" "))
}
