//! A QR code on a terminal, two modules a character.

use std::io::stdout;

use fast_qr::{ECL, QRBuilder, QRCode};
use terminal_size::{Height, Width, terminal_size_of};

/// How many light modules there are around the code; the standard asks for four.
const QUIET: usize = 4;

/// Black on white, from the part of the palette that themes leave as it is. Many phones read no code that is light on
/// dark. The colours are the code, so `NO_COLOR` does not concern them.
const BLACK_ON_WHITE: &str = "\u{1b}[38;5;16;48;5;231m";

/// The colours from before.
const RESET: &str = "\u{1b}[0m";

/// The lines of the QR code of a text, for a terminal whose background may be dark or light; none if the terminal of
/// the standard output has no room for them above `below` other rows.
pub(crate) fn lines_above(text: &str, below: usize) -> Vec<String> {
    let Some((Width(columns), Height(rows))) = terminal_size_of(stdout()) else { return Vec::new() };
    let Ok(code) = QRBuilder::new(text).ecl(ECL::L).build() else { return Vec::new() };
    let side = code.size + 2 * QUIET;
    let has_room = side <= columns.into() && side.div_ceil(2) + below <= rows.into();
    if has_room { lines(&code) } else { Vec::new() }
}

fn lines(code: &QRCode) -> Vec<String> {
    let side = code.size + 2 * QUIET;
    // Outside the code all is light.
    let is_dark = |row: usize, column: usize| {
        let inside = |at: usize| at.checked_sub(QUIET).filter(|at| *at < code.size);
        inside(row).zip(inside(column)).is_some_and(|(row, column)| code[row][column].value())
    };
    let line = |row: usize| {
        let characters = (0..side).map(|column| match (is_dark(row, column), is_dark(row + 1, column)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        });
        format!("{BLACK_ON_WHITE}{}{RESET}", characters.collect::<String>())
    };
    (0..side).step_by(2).map(line).collect()
}
