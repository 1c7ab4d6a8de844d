//! What stands below the helps of both programs: whatever one needs to know, and the examples as the last thing.

/// A command line, and what it is for.
pub(crate) type Example = (&'static str, &'static str);

/// These parts, and the examples behind them.
pub(crate) fn below(parts: &[&str], examples: &[Example]) -> String {
    let lines = examples.iter().map(|(line, words)| format!("\n  {line}\n      {words}"));
    let examples = format!("Examples:{}", lines.collect::<String>());
    parts.iter().copied().chain([examples.as_str()]).collect::<Vec<_>>().join("\n\n")
}

/// The helps of a definition, for the tests of both programs.
#[cfg(test)]
pub(crate) mod tests {
    use clap::Command;

    /// So wide a line still fits on a terminal of 80 columns as part of a page for `man`.
    const WIDEST: usize = 75;

    /// All commands of a program, with what is typed for each.
    fn commands(command: &Command, typed: &str) -> Vec<(String, Command)> {
        let below = command.get_subcommands().filter(|command| command.get_name() != "help");
        let below = below.flat_map(|command| commands(command, &format!("{typed} {}", command.get_name())));
        std::iter::once((typed.to_owned(), command.clone())).chain(below).collect()
    }

    /// The words of a command line, as far as they are for this program.
    fn words(line: &str, program: &str) -> Vec<String> {
        let begins = line.find(program).unwrap_or_default();
        let ours = line[begins..].split(['|', '<', '>']).next().unwrap_or_default();
        shlex::split(ours).unwrap_or_else(|| panic!("no shell reads {line}"))
    }

    /// Every command has a help that ends with examples; each of them is a line for it that can be read.
    pub(crate) fn every_help_ends_with_examples(program: &Command) {
        for (typed, mut command) in commands(program, program.get_name()) {
            let help = command.render_long_help().to_string();
            let last = help.trim_end().rsplit("\n\n").next().unwrap_or_default();
            let lines: Vec<&str> = last.lines().collect();
            assert_eq!(lines[0], "Examples:", "{typed} --help does not end with examples:\n{help}");
            assert!(lines.len() >= 3, "{typed} --help ends with no example:\n{help}");
            assert!(
                lines.iter().all(|line| line.len() <= WIDEST),
                "{typed}: an example is too wide: {lines:?}"
            );
            let examples = lines[1..].iter().filter(|line| !line.starts_with("   "));
            for example in examples {
                let line = example.trim_start();
                assert!(line.contains(&typed), "{line} is an example of something else than {typed}");
                let read = program.clone().try_get_matches_from(words(line, program.get_name()));
                assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
            }
        }
    }
}
