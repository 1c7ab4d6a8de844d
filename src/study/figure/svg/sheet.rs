//! The document: its head, its parts in rows from the top down, and the levels behind them. A row stays on
//! one page if it is not higher than that.

use super::drawing::Drawing;
use super::legend;
use super::sizes::{LINE, Sizes};
use crate::study::figure::fold::Part;
use crate::study::figure::layout::Layout;
use crate::study::figure::{Figure, FigureNode};
use crate::study::picture;
use crate::study::words::escaped;

/// The width of the drawing. At the width of A4, without margins of 10 mm, its text has more than 7 points.
const WIDTH: i64 = 920;
/// The height of a page of A4 at that width, without its margins.
const PAGE: i64 = 1_340;
/// The edge of the drawing.
const MARGIN: i64 = 24;
/// The width of the labels of the levels, on the left.
const GUTTER: i64 = 112;
/// The width for a row of parts.
pub(super) const USABLE: i64 = WIDTH - 2 * MARGIN - GUTTER;
/// The gap between two parts in a row.
const BETWEEN: i64 = 24;
/// The height above a row, for the names of its parts.
const ABOVE: i64 = 34;
/// The height below a row, for the words below its last positions.
const BELOW: i64 = 34;
/// The first line of the head, and its first line of text.
const TITLE: i64 = 38;
const TEXT: i64 = 60;

const STYLE: &str = include_str!("style.css");
/// Several arrows may meet at a node of a graph, so they need heads.
const HEADS: &str = "\
<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#1f2933\"/></marker></defs>";

/// A document that is being written.
pub(super) struct Sheet<'a> {
    figure: &'a Figure,
    sizes: Sizes,
    parts: Vec<Part>,
    text: String,
}

/// Parts side by side: their numbers and left edges, on the same levels.
struct Row {
    top: i64,
    /// The level at its top, and the number of its levels.
    level: usize,
    levels: usize,
    width: i64,
    parts: Vec<(usize, i64)>,
}

impl<'a> Sheet<'a> {
    /// The document of these parts of a figure.
    pub(super) fn new(figure: &'a Figure, sizes: Sizes, parts: Vec<Part>) -> Self {
        Self { figure, sizes, parts, text: String::new() }
    }

    /// Writes it.
    pub(super) fn document(mut self) -> String {
        let lines = self.lines();
        let legend_top = TEXT + 18 * i64::try_from(lines.len()).unwrap_or(0) + 8;
        let (legend, height) =
            legend::draw(self.figure, self.parts.len() > 1, (MARGIN, legend_top), WIDTH - MARGIN);
        let rows = self.rows(legend_top + height);
        let height = rows.last().map_or(0, |row| row.top + self.height(row));
        self.head(&lines, height);
        self.put(&legend);
        for row in &rows {
            (0..row.levels).for_each(|level| self.band(row, level));
            for &(part, left) in &row.parts {
                let drawn = Drawing::new(&self.parts[part], part, &self.sizes, (left, row.top)).draw();
                self.put(drawn.trim_end());
            }
        }
        self.put("</svg>");
        self.text
    }

    fn put(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The sentences below the title.
    fn lines(&self) -> Vec<String> {
        let what = if self.figure.merged { "distinct positions" } else { "nodes" };
        let [numbers, colours] = legend::meaning(self.figure);
        let mut lines = vec![format!("{} {what}. {numbers}", self.figure.nodes.len()), colours.to_owned()];
        if self.parts.len() > 1 {
            let once =
                if self.figure.merged { " Every position has its moves in one place only." } else { "" };
            lines.push(format!(
                "Folded to fit a page: a part goes on in the part that it names below a position.{once}"
            ));
        }
        lines
    }

    fn head(&mut self, lines: &[String], height: i64) {
        let (title, about) = (escaped(&self.figure.title), lines.join(" "));
        self.put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" aria-labelledby=\"title about\">"
        ));
        self.put(&format!("<title id=\"title\">{title}</title>\n<desc id=\"about\">{about}</desc>"));
        self.put(&format!("<style>\n{STYLE}{}</style>", picture::STYLE));
        if self.figure.merged && self.parts.len() == 1 {
            self.put(HEADS);
        }
        self.put(&format!("<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>"));
        self.put(&format!("<text class=\"title\" x=\"{MARGIN}\" y=\"{TITLE}\">{title}</text>"));
        for (y, line) in (TEXT..).step_by(18).zip(lines) {
            self.put(&format!("<text class=\"faint\" x=\"{MARGIN}\" y=\"{y}\">{line}</text>"));
        }
    }

    /// Places the parts side by side as long as they begin at the same level and fit.
    fn rows(&self, below: i64) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let level = part.figure.nodes.first().map_or(0, |root| root.level);
            let levels = part.figure.depth() + 1 - level;
            let own = Layout::of(&part.figure, self.sizes.step).width() + self.sizes.reach;
            match rows.last_mut() {
                Some(row) if row.level == level && row.width + BETWEEN + own <= USABLE => {
                    row.parts.push((number, row.width + BETWEEN));
                    row.levels = row.levels.max(levels);
                    row.width += BETWEEN + own;
                }
                _ => rows.push(Row { top: 0, level, levels, width: own, parts: vec![(number, 0)] }),
            }
        }
        let mut bottom = below;
        for row in &mut rows {
            let height = ABOVE + self.height(row);
            if bottom % PAGE + height > PAGE && height <= PAGE {
                bottom = (bottom / PAGE + 1) * PAGE;
            }
            row.top = bottom + ABOVE;
            let left = MARGIN + GUTTER + (USABLE - row.width) / 2;
            row.parts.iter_mut().for_each(|(_, x)| *x += left);
            bottom += height;
        }
        rows
    }

    /// The height of a row below its upper edge.
    fn height(&self, row: &Row) -> i64 {
        let levels = i64::try_from(row.levels).unwrap_or(1);
        (levels - 1) * self.sizes.level + self.sizes.height + BELOW
    }

    /// The background of a level in a row, and the side to move there if it is the same everywhere.
    fn band(&mut self, row: &Row, number: usize) {
        let level = row.level + number;
        let top = row.top + i64::try_from(number).unwrap_or(0) * self.sizes.level;
        if level.is_multiple_of(2) {
            let (top, height) = (top - 4, self.sizes.height + 8);
            self.put(&format!("<rect class=\"band\" y=\"{top}\" width=\"{WIDTH}\" height=\"{height}\"/>"));
        }
        let nodes = row.parts.iter().flat_map(|&(part, _)| &self.parts[part].figure.nodes);
        let moving = |node: &&FigureNode| node.level == level && !node.over;
        let mut sides: Vec<&str> = nodes.filter(moving).map(|node| node.side).collect();
        sides.dedup();
        let y = top + self.sizes.height / 2;
        self.put(&format!("<text class=\"faint\" x=\"{MARGIN}\" y=\"{}\">level {level}</text>", y - 4));
        if let [side] = sides.as_slice() {
            let y = y + LINE - 4;
            self.put(&format!("<text class=\"strong\" x=\"{MARGIN}\" y=\"{y}\">{side} moves</text>"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sizes::bold;
    use super::*;

    #[test]
    fn the_text_is_legible_at_the_width_of_a_page() {
        // A4 without margins of 10 mm is 190 mm wide; a point is 0.353 mm.
        let points = 12.0 * 190.0 / f64::from(u16::try_from(WIDTH).unwrap()) / 0.353;
        assert!(points >= 7.0, "{points}");
        assert!(bold("second moves") <= GUTTER);
    }
}
