//! A picture of known size, and the shapes that it is made of.

use crate::game::Side;
use crate::study::words::escaped;

/// The width of a character in the font of pictures, which has 12 pixels.
pub(super) const LETTER: i64 = 8;

/// A drawing with its size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::study) struct Picture {
    /// The width, in pixels at the size of a tree.
    pub width: i64,
    /// The height.
    pub height: i64,
    shapes: String,
}

impl Picture {
    /// An empty picture.
    pub(super) fn new(width: i64, height: i64) -> Self {
        Self { width, height, shapes: String::new() }
    }

    /// The picture as an SVG element whose upper left corner is at this point.
    pub(in crate::study) fn at(&self, x: i64, y: i64) -> String {
        let Self { width, height, shapes } = self;
        format!(
            "<svg class=\"board\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">{shapes}</svg>"
        )
    }

    /// The picture for a page of HTML, enlarged, with a description for those who cannot see it.
    pub(in crate::study) fn on_page(&self, scale: i64, description: &str) -> String {
        let Self { width, height, shapes } = self;
        let (wide, high, description) = (width * scale, height * scale, escaped(description));
        format!(
            "<svg class=\"board\" role=\"img\" aria-label=\"{description}\" width=\"{wide}\" height=\"{high}\" \
             viewBox=\"0 0 {width} {height}\">{shapes}</svg>"
        )
    }

    /// Adds a circle.
    pub(super) fn circle(&mut self, class: &str, (x, y): (i64, i64), radius: i64) {
        self.add(&format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"));
    }

    /// Adds a rectangle.
    pub(super) fn rectangle(&mut self, class: &str, (x, y): (i64, i64), (width, height): (i64, i64)) {
        self.add(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        ));
    }

    /// Adds lines, in the language of SVG paths.
    pub(super) fn path(&mut self, class: &str, path: &str) {
        self.add(&format!("<path class=\"{class}\" d=\"{path}\"/>"));
    }

    /// Adds a text that begins at this point.
    pub(super) fn text(&mut self, class: &str, (x, y): (i64, i64), text: &str) {
        let text = escaped(text);
        self.add(&format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"));
    }

    fn add(&mut self, shape: &str) {
        self.shapes.push_str(shape);
    }
}

/// The class of a side's stones.
pub(super) fn class(side: Side) -> &'static str {
    match side {
        Side::First => "x",
        Side::Second => "o",
    }
}

/// A number as a length. Those of pictures are small.
pub(super) fn pixels(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(0)
}
