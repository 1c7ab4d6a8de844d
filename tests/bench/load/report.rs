//! Prints results as tables: medians with their range.

use std::fmt;

/// Rows under a line of headings.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|&heading| heading.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Prints the table: the first column is left-aligned, all others are right-aligned.
    pub(crate) fn print(&self, title: &str) {
        println!("\n{title}");
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if column == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
            });
            println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }
}

/// The least, the median and the greatest of some figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// `None` without figures.
    pub(crate) fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let (least, most) = (*figures.first()?, *figures.last()?);
        Some(Self { least, median: figures[figures.len() / 2], most })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = format!("{} ({}..{})", short(self.median), short(self.least), short(self.most));
        f.pad(&shown)
    }
}

/// Three significant digits.
pub(crate) fn short(figure: f64) -> String {
    match figure.abs() {
        0.0..10.0 => format!("{figure:.2}"),
        10.0..100.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}
