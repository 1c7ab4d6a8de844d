//! A figure as an SVG drawing. Shape and text show who wins, and colour repeats it: round is won, square
//! with a double edge is lost, six-sided is drawn. In a tree of numbers, a pointed top is max and a pointed
//! bottom is min. A thick arrow with a star is a best move.

mod arrow;
mod drawing;
mod shape;

use super::layout::Layout;
use super::{Figure, FigureNode};
use crate::search::Verdict;
use crate::study::words::{escaped, participle};
use drawing::{Drawing, GUTTER, HEIGHT, MARGIN, arrow_text};
use shape::{Outline, end};

/// The distance between the upper edges of two levels. In a graph each further move of a node adds to it,
/// up to a limit.
const LEVEL: i64 = 118;
const LEVEL_PER_MOVE: i64 = 16;
const MAX_LEVEL: i64 = 220;
/// The gap between two nodes.
const GAP: i64 = 18;
/// The height of the legend below the last level.
const FOOT: i64 = 76;
/// The width of a letter, in the bold type of names and in the type of values. Other characters count
/// double.
const BOLD: i64 = 9;
const PLAIN: i64 = 7;

const STYLE: &str = include_str!("svg/style.css");

impl Figure {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let width = self.nodes.iter().map(node_width).max().unwrap_or(0);
        let arrows = self.nodes.iter().flat_map(|node| &node.moves);
        let widest = arrows.map(|arrow| letters(&arrow_text(arrow), PLAIN) + 8).max().unwrap_or(0);
        let layout = Layout::of(self, width.max(widest) + GAP);
        Drawing { figure: self, width, level: level_height(self), layout, text: String::new() }.document()
    }
}

fn level_height(figure: &Figure) -> i64 {
    let most = figure.nodes.iter().map(|node| node.moves.len()).max().unwrap_or(0);
    match i64::try_from(most) {
        Ok(most) if figure.merged => (LEVEL + (most - 1).max(0) * LEVEL_PER_MOVE).min(MAX_LEVEL),
        _ => LEVEL,
    }
}

/// The width of a text in a type whose letters have the width `each`.
fn letters(text: &str, each: i64) -> i64 {
    text.chars().map(|letter| if letter.is_ascii() { each } else { 2 * each }).sum()
}

fn node_width(node: &FigureNode) -> i64 {
    // Slanted sides need more width.
    let edge = if node.label.verdict() == Some(Verdict::Draw) { 44 } else { 28 };
    (letters(&node.name, BOLD) + edge).max(letters(&short(node), PLAIN) + edge)
}

/// The value of a node as it is drawn in it.
fn short(node: &FigureNode) -> String {
    let about = if node.label.certain { "" } else { "about " };
    // A minus sign is as wide as a plus sign; a hyphen is easily overlooked.
    let number = format!("{about}{}", node.label.number_text().replace('-', "−"));
    match (node.label.verdict(), node.label.plies()) {
        (Some(verdict), Some(plies)) if !node.over => format!("{number}  {} in {plies}", participle(verdict)),
        (Some(verdict), _) if node.label.certain => format!("{number}  {}", participle(verdict)),
        _ => number,
    }
}

impl Drawing<'_> {
    fn document(mut self) -> String {
        let back = if self.leads_back() { self.width } else { 0 };
        let drawn = self.layout.width() + self.width + back + GUTTER + 2 * MARGIN;
        let (width, height) = (drawn.max(MIN_WIDTH), self.top(self.figure.depth()) + HEIGHT + FOOT);
        self.put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-labelledby=\"title about\">"
        ));
        self.head(width, height);
        (0..=self.figure.depth()).for_each(|level| self.band(level, width));
        (0..self.figure.nodes.len()).for_each(|at| self.arrows(at));
        (0..self.figure.nodes.len()).for_each(|at| self.node(at));
        (0..self.figure.nodes.len()).for_each(|at| self.arrow_texts(at));
        self.legend(height - FOOT + 44);
        self.put("</svg>");
        self.text
    }

    fn head(&mut self, width: i64, height: i64) {
        let title = escaped(&self.figure.title);
        let what = if self.figure.merged { "distinct positions" } else { "nodes" };
        let [numbers, more] = numbers(self.figure);
        let about = format!("{} {what}. {numbers}", self.figure.nodes.len());
        self.put(&format!("<title id=\"title\">{title}</title>\n<desc id=\"about\">{about} {more}</desc>"));
        self.put(&format!("<style>\n{STYLE}</style>"));
        if self.figure.merged {
            // Several arrows may meet at a node, so they need heads.
            self.put(HEADS);
        }
        self.put(&format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"));
        self.put(&format!("<text class=\"title\" x=\"{MARGIN}\" y=\"38\">{title}</text>"));
        self.put(&format!("<text class=\"faint\" x=\"{MARGIN}\" y=\"60\">{about}</text>"));
        self.put(&format!("<text class=\"faint\" x=\"{MARGIN}\" y=\"78\">{more}</text>"));
    }

    /// The background of a level, and the side to move there if it is the same everywhere.
    fn band(&mut self, level: usize, width: i64) {
        let y = self.top(level);
        if level.is_multiple_of(2) {
            let (top, height) = (y - 8, HEIGHT + 16);
            self.put(&format!("<rect class=\"band\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"));
        }
        let here = self.figure.nodes.iter().filter(|node| node.level == level);
        let mut sides: Vec<&str> = here.filter(|node| !node.over).map(|node| node.side).collect();
        sides.dedup();
        let y = y + HEIGHT / 2;
        self.put(&format!("<text class=\"faint\" x=\"{MARGIN}\" y=\"{}\">level {level}</text>", y - 4));
        if let [side] = sides.as_slice() {
            self.put(&format!(
                "<text class=\"strong\" x=\"{MARGIN}\" y=\"{}\">{side} to move</text>",
                y + 12
            ));
        }
    }

    fn node(&mut self, at: usize) {
        let (x, top) = self.place(at);
        let node = &self.figure.nodes[at];
        let tooltip = escaped(&format!("{}: {}", node.name, node.value_text()));
        let (name, worth) = (escaped(&node.name), short(node));
        let guess = if node.label.certain { "" } else { " guess" };
        let shape = Outline::of(node).draw(x, top, self.width, HEIGHT, guess);
        let below = top + HEIGHT;
        let end = if node.over { end(x, below, self.width) } else { hidden(node, x, below) };
        self.put(&format!(
            "<g><title>{tooltip}</title>{shape}\
             <text class=\"name middle\" x=\"{x}\" y=\"{}\">{name}</text>\
             <text class=\"middle\" x=\"{x}\" y=\"{}\" xml:space=\"preserve\">{worth}</text>{end}</g>",
            top + 21,
            top + 38
        ));
    }

    /// Whether a move leads back to a level above, or to another position on the same one.
    fn leads_back(&self) -> bool {
        let nodes = &self.figure.nodes;
        nodes.iter().any(|node| node.moves.iter().any(|arrow| nodes[arrow.to].level <= node.level))
    }
}

/// Wide enough for the legend and the title.
const MIN_WIDTH: i64 = 1_000;

const HEADS: &str = "\
<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#1f2933\"/></marker></defs>";

/// The meaning of the numbers, in two lines.
fn numbers(figure: &Figure) -> [&'static str; 2] {
    if figure.has_numbers() {
        return ["Max wants large numbers, min wants small ones.", ""];
    }
    [
        "The number is for the side that moves first in the game: +1 it wins, 0 a draw, −1 it loses.",
        "Won, drawn and lost are for the side that is to move; “in 3” counts single moves of either side.",
    ]
}

/// The number of moves that are not shown.
fn hidden(node: &FigureNode, x: i64, y: i64) -> String {
    match node.hidden {
        0 => String::new(),
        more => format!("<text class=\"middle faint\" x=\"{x}\" y=\"{}\">{more} more below</text>", y + 16),
    }
}

impl Drawing<'_> {
    /// The legend, on one line.
    fn legend(&mut self, y: i64) {
        let mut x = MARGIN;
        for (item, words) in self.legend_items() {
            self.put(&format!("{}<text x=\"{}\" y=\"{y}\">{words}</text>", item.draw(x, y), x + 46));
            x += 46 + letters(words, PLAIN) + 26;
        }
    }

    /// The items that can occur in this drawing.
    fn legend_items(&self) -> Vec<(LegendItem, &'static str)> {
        let mut legend_items = if self.figure.has_numbers() {
            vec![(LegendItem::Node(Outline::Max), "max moves"), (LegendItem::Node(Outline::Min), "min moves")]
        } else {
            vec![
                (LegendItem::Node(Outline::Won), "won for the side to move"),
                (LegendItem::Node(Outline::Drawn), "drawn"),
                (LegendItem::Node(Outline::Lost), "lost for the side to move"),
            ]
        };
        legend_items.push((LegendItem::Arrow("best"), "★ best move"));
        if self.leads_back() {
            legend_items.push((LegendItem::Arrow("back"), "leads back"));
        }
        legend_items
            .push((LegendItem::End, if self.figure.has_numbers() { "an end" } else { "the game is over" }));
        legend_items
    }
}

enum LegendItem {
    Node(Outline),
    /// An arrow of this class.
    Arrow(&'static str),
    End,
}

impl LegendItem {
    fn draw(&self, x: i64, y: i64) -> String {
        match self {
            Self::Node(outline) => outline.draw(x + 18, y - 14, 36, 20, ""),
            Self::Arrow(class) => format!("<path class=\"move {class}\" d=\"M{x} {} h36\"/>", y - 4),
            Self::End => end(x + 18, y - 6, 44),
        }
    }
}
