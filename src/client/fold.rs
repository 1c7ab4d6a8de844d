//! Lines that a terminal shows, broken between words instead of where its last column is.

use std::borrow::Cow;
use std::io::IsTerminal;

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// A text for this output: folded if that is a terminal, and else as it is.
pub fn for_output<'a>(text: &'a str, output: &impl IsTerminal) -> Cow<'a, str> {
    if output.is_terminal() { at_terminal(text) } else { text.into() }
}

/// A text for the terminal, which may have been resized since the last one.
pub fn at_terminal(text: &str) -> Cow<'_, str> {
    match crossterm::terminal::size() {
        Ok((columns @ 1.., _)) => folded(text, columns.into()),
        _ => text.into(),
    }
}

/// A text whose lines are at most this many columns wide. What follows of a broken line is indented as that
/// line is. A word that is too long is not broken.
fn folded(text: &str, columns: usize) -> Cow<'_, str> {
    if text.lines().all(|line| display_width(line) <= columns) {
        return text.into();
    }
    let lines: Vec<String> = text.split('\n').map(|line| fold_line(line, columns)).collect();
    lines.join("\n").into()
}

fn fold_line(line: &str, columns: usize) -> String {
    if display_width(line) <= columns {
        return line.to_owned();
    }
    let words = line.trim_start_matches(' ');
    let indent = &line[..line.len() - words.len()];
    let options = Options::new(columns)
        .initial_indent(indent)
        .subsequent_indent(indent)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::fill(words, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words_and_keep_their_indent() {
        let text = "short\n  anna against ben, last played just now\n";
        assert_eq!(folded(text, 20), "short\n  anna against ben,\n  last played just\n  now\n");
        assert_eq!(folded(text, 80), text);
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole_so_that_it_can_be_copied() {
        assert_eq!(folded("see a-very-long-address now", 10), "see\na-very-long-address\nnow");
    }
}
