//! `completions SHELL` of both programs: what a shell offers at Tab, made of the definition by which the command line is read.

mod fish;

use clap::builder::ValueHint;
use clap::{Arg, Args, Command};
use clap_complete::{Shell, generate};

use crate::output;

/// For which shell.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell that is to complete what is typed
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    /// Writes the script for a program.
    pub(crate) fn write(&self, program: Command) -> anyhow::Result<()> {
        output::print(&script(self.shell, program))
    }
}

/// How a shell comes to read the script: what is typed once.
pub(crate) fn installing(program: &str) -> String {
    format!(
        "\
To install:
  One of these, typed once, holds from the next shell on.
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
        script.extend(fish::lines(&program, &name).into_bytes());
    }
    script
}

/// Where a name has a hyphen, the script for bash knows no command by the name that it has given it itself, and completes nothing
/// behind any: <https://github.com/clap-rs/clap/issues/6421>. So it is made for a name without one, and registered for the
/// right one.
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

/// The same, which offers files where a path is typed and nothing where a word is that nobody can know. What is offered where
/// no hint is given would be files everywhere.
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
