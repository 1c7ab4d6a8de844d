//! The appearance of the screens: the signs, in Unicode or in ASCII, and the styles of a theme. A
//! colour never carries a meaning alone: a sign or the weight of the letters shows it too.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::{border, line};

use crate::client::theme::Theme;
use crate::game::Side;

/// The meaning of a text, as far as its style goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Normal text.
    Plain,
    /// Frames, and text of less weight.
    Faint,
    /// Titles.
    Title,
    /// The stones of a side.
    Of(Side),
    /// What is selected.
    Chosen,
    /// Where something has just happened.
    Last,
    /// What is important now.
    Notice,
    /// A key to press.
    Key,
}

/// The colour of a tone in the calm theme, from the 256 colours: of medium brightness, to be read on black
/// and on white.
fn calm(tone: Tone) -> Option<u8> {
    match tone {
        // What is selected is reversed, with the terminal's own contrast.
        Tone::Plain | Tone::Title | Tone::Chosen => None,
        Tone::Faint => Some(244),
        Tone::Of(Side::First) => Some(166),
        Tone::Of(Side::Second) | Tone::Key => Some(32),
        Tone::Notice | Tone::Last => Some(133),
    }
}

/// Signs, colours and animation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Appearance {
    /// Only ASCII.
    pub ascii: bool,
    /// The colours.
    pub theme: Theme,
    /// No animation.
    pub still: bool,
}

impl Appearance {
    /// The style of a tone.
    pub fn style(self, tone: Tone) -> Style {
        let style = match tone {
            Tone::Plain | Tone::Faint => Style::new(),
            Tone::Of(_) | Tone::Title | Tone::Notice | Tone::Key | Tone::Last => {
                Style::new().add_modifier(Modifier::BOLD)
            }
            Tone::Chosen => Style::new().add_modifier(Modifier::REVERSED),
        };
        match (self.theme, tone) {
            (Theme::Calm, _) => calm(tone).map_or(style, |colour| style.fg(Color::Indexed(colour))),
            (Theme::Strong, Tone::Key | Tone::Notice | Tone::Last) => {
                style.add_modifier(Modifier::UNDERLINED)
            }
            (Theme::Bare, Tone::Faint) => style.add_modifier(Modifier::DIM),
            (Theme::Strong | Theme::Bare, _) => style,
        }
    }

    /// The first sign, or the second one in ASCII.
    pub(super) fn sign(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// A stone of this side.
    pub fn stone(self, side: Side) -> &'static str {
        match side {
            Side::First => self.sign("●", "x"),
            Side::Second => self.sign("○", "o"),
        }
    }

    /// The mark of a side in a square of tic-tac-toe.
    pub fn mark(self, side: Side) -> &'static str {
        match side {
            Side::First => self.sign("╳", "x"),
            Side::Second => self.stone(side),
        }
    }

    /// A token of a heap.
    pub fn token(self) -> &'static str {
        self.sign("●", "o")
    }

    /// The place of an object that was taken.
    pub fn gap(self) -> &'static str {
        self.sign("·", ".")
    }

    /// An object that the last move has taken.
    pub fn ghost(self) -> &'static str {
        self.sign("╎", ":")
    }

    /// Points up: below what is selected, and where one can scroll up.
    pub fn up(self) -> &'static str {
        self.sign("▴", "^")
    }

    /// Points down: above what is selected, in front of what is open, and where one can scroll down.
    pub fn down(self) -> &'static str {
        self.sign("▾", "v")
    }

    /// In front of the player to move, and of the selected line.
    pub fn pointer(self) -> &'static str {
        self.sign("▸", ">")
    }

    /// The best move.
    pub fn star(self) -> &'static str {
        self.sign("★", "*")
    }

    /// Between two texts in one row.
    pub fn dot(self) -> &'static str {
        self.sign("·", "-")
    }

    /// The end of a text that was cut.
    pub fn ellipsis(self) -> &'static str {
        self.sign("…", "~")
    }

    /// The lines of frames.
    pub fn border(self) -> border::Set<'static> {
        let ascii = border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        };
        if self.ascii { ascii } else { border::ROUNDED }
    }

    /// The lines of rules and boards.
    pub fn line(self) -> line::Set<'static> {
        let ascii = line::Set {
            vertical: "|",
            horizontal: "-",
            top_right: "+",
            top_left: "+",
            bottom_right: "+",
            bottom_left: "+",
            vertical_left: "+",
            vertical_right: "+",
            horizontal_down: "+",
            horizontal_up: "+",
            cross: "+",
        };
        if self.ascii { ascii } else { line::NORMAL }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TONES: [Tone; 9] = [
        Tone::Plain,
        Tone::Faint,
        Tone::Title,
        Tone::Of(Side::First),
        Tone::Of(Side::Second),
        Tone::Chosen,
        Tone::Last,
        Tone::Notice,
        Tone::Key,
    ];

    /// The relative luminance of a colour of the cube or of the greys of the 256, from 0 to 1.
    fn luminance(colour: u8) -> f64 {
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
        let [red, green, blue] = match colour {
            0..16 => panic!("{colour}: terminals differ"),
            16..232 => [(colour - 16) / 36, (colour - 16) / 6 % 6, (colour - 16) % 6].map(level),
            232.. => [8 + 10 * (colour - 232); 3],
        };
        let linear = |level: u8| {
            let part = f64::from(level) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    #[test]
    fn every_colour_can_be_read_on_black_and_on_white() {
        for theme in Theme::CHOICES {
            for tone in TONES {
                let style = Appearance { theme, ..Appearance::default() }.style(tone);
                assert_eq!(style.bg, None, "{theme:?} {tone:?}");
                let colour = match style.fg {
                    None => continue,
                    Some(Color::Indexed(colour)) => luminance(colour),
                    Some(other) => panic!("{other}: terminals differ"),
                };
                let (on_black, on_white) = ((colour + 0.05) / 0.05, 1.05 / (colour + 0.05));
                assert!(on_black > 3.5 && on_white > 3.5, "{theme:?} {tone:?}: {on_black} {on_white}");
            }
        }
    }

    #[test]
    fn the_strong_theme_has_no_colour_and_tells_selection_from_notice() {
        let appearance = Appearance { theme: Theme::Strong, ..Appearance::default() };
        assert!(TONES.into_iter().all(|tone| appearance.style(tone).fg.is_none()));
        let [plain, notice, chosen] =
            [Tone::Plain, Tone::Notice, Tone::Chosen].map(|tone| appearance.style(tone));
        assert!(plain != notice && notice != chosen && chosen != plain);
    }
}
