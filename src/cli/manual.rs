//! `man` of both programs: manual pages, generated from the command line's definition.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::ValueHint;
use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::common::print;

/// The name of the manual in the heading of each page.
const MANUAL: &str = "nim";

/// Where to write the pages.
#[derive(Debug, Args)]
pub struct Manual {
    /// Write all pages, one for each command, into this folder [default: write the program's page to the
    /// standard output]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    to: Option<PathBuf>,
}

impl Manual {
    /// Writes the pages.
    pub fn write(&self, program: Command) -> anyhow::Result<()> {
        let mut program = program.disable_help_subcommand(true);
        program.build();
        match &self.to {
            None => print(&page(program)?),
            Some(folder) => write_all(&program, folder),
        }
    }
}

/// How to install the pages.
pub fn installing(program: &str) -> String {
    format!(
        "\
To install:
  {program} man --to ~/.local/share/man/man1
  Then man {program} shows the page of the program, man {program}-man this one."
    )
}

fn write_all(program: &Command, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not make the folder {}", folder.display()))?;
    for command in commands(program) {
        let path = folder.join(Man::new(command.clone()).get_filename());
        fs::write(&path, page(command.clone())?)
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    Ok(())
}

/// A command and all its subcommands.
fn commands(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().flat_map(commands);
    std::iter::once(command).chain(below).collect()
}

/// The page of a command. The text below its help is written here, since `clap_mangen` would join its lines.
fn page(command: Command) -> io::Result<Vec<u8>> {
    let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.has_subcommands();
    let page = Man::new(command).source(concat!("nim ", env!("CARGO_PKG_VERSION"))).manual(MANUAL);
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if has_commands {
        page.render_subcommands_section(&mut text)?;
    }
    below.split("\n\n").try_for_each(|part| section(part).to_writer(&mut text))?;
    Ok(text)
}

/// A heading and its lines. Lines with a word, blanks and a meaning become a list.
fn section(part: &str) -> Roff {
    let (heading, lines) = part.split_once('\n').unwrap_or((part, ""));
    let mut section = Roff::new();
    section.control("SH", [heading.trim_end_matches(':').to_uppercase().as_str()]);
    for line in lines.lines() {
        let line = line.strip_prefix("  ").unwrap_or(line);
        match line.split_once("  ").filter(|(word, _)| !word.is_empty()) {
            Some((word, meaning)) => {
                section.control("TP", ["4"]).text([roman(word)]).text([roman(meaning.trim_start())]);
            }
            None => {
                section.control("nf", []).text([roman(line)]).control("fi", []);
            }
        }
    }
    section
}
