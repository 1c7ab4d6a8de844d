//! The QR code on a host's start screen, with the command to type.

use std::io::{IsTerminal, stdout};

use fast_qr::{ECL, QRBuilder, QRCode};
use terminal_size::{Height, Width, terminal_size};

/// The widths of the light margin, in modules: four by the standard, or two if there is less room.
const MARGINS: [usize; 2] = [4, 2];

/// A terminal on which a code can be drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Canvas {
    columns: usize,
    rows: usize,
    /// Whether the code is drawn with its own colours.
    coloured: bool,
}

impl Canvas {
    /// The standard output, if that is a terminal which can show block characters.
    pub(crate) fn of_stdout() -> Option<Self> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let is_dumb = set("TERM").is_some_and(|terminal| terminal == "dumb");
        if !stdout().is_terminal() || is_dumb || !has_blocks(locale.as_deref()) {
            return None;
        }
        let (Width(columns), Height(rows)) = terminal_size()?;
        Some(Self { columns: columns.into(), rows: rows.into(), coloured: set("NO_COLOR").is_none() })
    }

    /// The lines of a code for this text. `None` if the terminal has no room for them, the other lines and
    /// the cursor.
    pub(crate) fn lines(self, text: &str, others: &[String]) -> Option<Vec<String>> {
        let code = QRBuilder::new(text).ecl(ECL::L).build().ok()?;
        let fits = |margin: &usize| {
            let side = code.size + 2 * margin;
            side <= self.columns && side.div_ceil(2) + self.rows_of(others) < self.rows
        };
        MARGINS.into_iter().find(fits).map(|margin| self.drawn(&code, margin))
    }

    fn drawn(self, code: &QRCode, margin: usize) -> Vec<String> {
        let side = code.size + 2 * margin;
        let rows = side.div_ceil(2);
        let inside = margin..margin + code.size;
        let is_dark = |row: usize, column: usize| {
            let is_inside = inside.contains(&row) && inside.contains(&column);
            is_inside && code[row - margin][column - margin].value()
        };
        let block =
            |row: usize, column| half_blocks(!is_dark(2 * row, column), !is_dark(2 * row + 1, column));
        let line = |row| (0..side).map(|column| block(row, column)).collect::<String>();
        (0..rows).map(|row| self.painted(&line(row))).collect()
    }

    /// The number of rows of these lines, with wrapping.
    fn rows_of(self, lines: &[String]) -> usize {
        let rows = |line: &String| line.chars().count().div_ceil(self.columns.max(1)).max(1);
        lines.iter().map(rows).sum()
    }

    /// Light modules are drawn, so that without colours the code is right on a dark screen.
    fn painted(self, line: &str) -> String {
        if self.coloured { format!("\u{1b}[97;40m{line}\u{1b}[0m") } else { line.to_owned() }
    }
}

/// Whether a terminal with this locale shows block characters.
fn has_blocks(locale: Option<&str>) -> bool {
    let is_utf8 = |locale: &str| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    };
    // On Windows the locale says nothing about the terminal.
    cfg!(windows) || locale.is_some_and(is_utf8)
}

/// The character for two modules, one above the other.
fn half_blocks(upper: bool, lower: bool) -> char {
    match (upper, lower) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    }
}

#[cfg(test)]
impl Canvas {
    /// A canvas of this size, without colours.
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, coloured: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "nim-client connect 192.168.1.7";

    #[test]
    fn a_code_has_its_three_corners_and_a_light_margin() {
        let lines = Canvas::new(80, 24).lines(TEXT, &[]).unwrap();
        let modules: Vec<Vec<bool>> = lines.iter().flat_map(|line| rows(line)).collect();
        let side = modules[0].len();
        assert_eq!((lines.len(), side), (17, 33), "a code of 25 modules a side, and its margin");
        let corner = ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"];
        for (top, left) in [(4, 4), (4, side - 11), (side - 11, 4)] {
            for (row, expected) in corner.iter().enumerate() {
                let seen: String = modules[top + row][left..left + 7]
                    .iter()
                    .map(|light| if *light { ' ' } else { '#' })
                    .collect();
                assert_eq!(seen, *expected, "row {row} of the corner at {top}, {left}");
            }
        }
        assert!(modules[..4].iter().all(|row| row.iter().all(|light| *light)));
        assert!(modules.iter().all(|row| row[..4].iter().chain(&row[side - 4..]).all(|light| *light)));
    }

    /// Which modules of two rows are light.
    fn rows(line: &str) -> [Vec<bool>; 2] {
        ["█▀", "█▄"].map(|light| line.chars().map(|block| light.contains(block)).collect())
    }

    #[test]
    fn there_is_no_code_where_it_does_not_fit() {
        let rows = |columns, rows, others: &[String]| {
            Canvas::new(columns, rows).lines(TEXT, others).map(|lines| lines.len())
        };
        assert_eq!(rows(33, 18, &[]), Some(17));
        // With less room it has half of the margin.
        assert_eq!([rows(33, 17, &[]), rows(32, 24, &[]), rows(29, 16, &[])], [Some(15); 3]);
        assert_eq!([rows(28, 24, &[]), rows(33, 15, &[])], [None; 2]);
        // The other lines take one row and two rows.
        let others = ["x".to_owned(), "x".repeat(34)];
        assert_eq!([rows(33, 21, &others), rows(33, 19, &others)], [Some(17), Some(15)]);
        assert_eq!(rows(33, 18, &others), None);
        assert_eq!(Canvas::new(80, 24).lines(&"x".repeat(5_000), &[]), None);
    }

    #[test]
    fn only_a_locale_with_all_characters_has_blocks() {
        for (locale, has) in
            [(Some("de_DE.UTF-8"), true), (Some("C.utf8"), true), (Some("C"), false), (None, false)]
        {
            assert_eq!(has_blocks(locale), has || cfg!(windows), "{locale:?}");
        }
    }
}
