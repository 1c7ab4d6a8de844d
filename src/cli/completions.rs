//! The command `completions SHELL` of both programs. The script that it writes asks the program itself at Tab,
//! so that values can depend on what is typed, and on what is there.

mod bash;

use std::env;
use std::io;
use std::path::{self, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Elvish, Fish, Powershell, Shells, Zsh};

use super::common::print;
use super::output::OutputFlags;
use bash::Bash;

/// The variable by which a script asks the program: the name of the shell.
const ASKING: &str = "NIM_COMPLETE";

const SHELLS: Shells<'static> = Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell that reads the script
    #[arg(value_name = "SHELL")]
    shell: Shell,

    #[command(flatten)]
    output: OutputFlags,
}

impl Completions {
    /// Writes the script for a program.
    pub fn write(&self, program: &Command) -> anyhow::Result<()> {
        let output = self.output.check()?;
        let (name, shell) = (program.get_name(), self.shell.to_string());
        let shell = SHELLS.completer(&shell).ok_or_else(|| io::Error::other(shell.clone()))?;
        let mut script = Vec::new();
        shell.write_registration(ASKING, name, name, &this_program()?, &mut script)?;
        if output.is_file() { Ok(output.write(&script)?) } else { print(&script) }
    }
}

/// Answers a script that asks for completions, and ends the program then. To be called before anything else.
pub fn answer(program: fn() -> Command) {
    CompleteEnv::with_factory(program).var(ASKING).shells(SHELLS).complete();
}

/// This program as a shell finds it: by its name as it was typed, or by its whole path.
fn this_program() -> io::Result<String> {
    let typed = PathBuf::from(env::args_os().next().unwrap_or_default());
    let found = if typed.components().count() > 1 { path::absolute(typed)? } else { typed };
    Ok(found.to_string_lossy().into_owned())
}

/// The instructions for installing the script.
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
