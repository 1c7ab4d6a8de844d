//! A QR code as a drawing.

use std::fmt::Write;

use fast_qr::{ECL, QRBuilder};
use maud::{Markup, html};

/// How many light modules there are around the code; the standard asks for four.
const QUIET: usize = 4;

/// The QR code of an address; nothing if it is too long for one.
pub(super) fn drawn(address: &str, label: &str) -> Markup {
    let Ok(code) = QRBuilder::new(address).ecl(ECL::L).build() else { return html! {} };
    let side = code.size + 2 * QUIET;
    // A stroke for each run of dark modules in a row.
    let mut strokes = String::new();
    for row in 0..code.size {
        let mut column = 0;
        for run in code[row][..code.size].chunk_by(|one, other| one.value() == other.value()) {
            if run[0].value() {
                // Writing to a string does not fail.
                let _ = write!(strokes, "M{} {}.5h{}", column + QUIET, row + QUIET, run.len());
            }
            column += run.len();
        }
    }
    // It is black on white in a dark page too: many phones read no other code.
    html! {
        svg.qr role="img" aria-label=(label) viewBox={ "0 0 " (side) " " (side) } shape-rendering="crispEdges" {
            rect width=(side) height=(side) fill="#fff" {}
            path stroke="#000" d=(strokes) {}
        }
    }
}

/// The latest QR code that was drawn: a page is looked at more often than its address changes.
#[derive(Debug, Default)]
pub(super) struct LastQr {
    address: String,
    pub(super) drawn: Markup,
}

impl LastQr {
    /// Draws the code of this address, unless that is drawn already.
    pub(super) fn draw(&mut self, address: Option<String>, label: &str) {
        let address = address.unwrap_or_default();
        if self.address != address {
            let drawn = if address.is_empty() {
                html! {}
            } else {
                drawn(&address, label)
            };
            *self = Self { address, drawn };
        }
    }
}
