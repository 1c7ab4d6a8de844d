//! How things look: which signs stand for what, in Unicode or in plain ASCII, and in which colours. It knows no game and no
//! place on the screen. What a colour says is always said by a sign or by the weight of the letters too.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::{border, line};

use crate::client::theme::Theme;
use crate::game::Side;

/// What something on the screen is, as far as its colour and weight go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// What is read.
    Plain,
    /// Frames, and what is of less weight.
    Faint,
    /// Headings.
    Title,
    /// What belongs to a side.
    Of(Side),
    /// What is chosen, and would be done.
    Chosen,
    /// Where something has just happened.
    Last,
    /// What is worth looking at now.
    Notice,
    /// A key that can be pressed.
    Key,
}

/// The colour of something in the calm theme, of the 256: in the middle between black and white, so that it can be read on both.
fn calm(tone: Tone) -> Option<u8> {
    match tone {
        // Chosen is what is reversed, with the terminal's own contrast.
        Tone::Plain | Tone::Title | Tone::Chosen => None,
        Tone::Faint => Some(244),
        Tone::Of(Side::First) => Some(166),
        Tone::Of(Side::Second) | Tone::Key => Some(32),
        Tone::Notice | Tone::Last => Some(133),
    }
}

/// Signs, colours, and whether anything moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    /// Letters and signs of ASCII alone.
    pub ascii: bool,
    /// The colours.
    pub theme: Theme,
    /// Nothing moves by itself.
    pub still: bool,
}

impl Look {
    /// The style for something.
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

    fn sign(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// A stone of this side.
    pub fn stone(self, side: Side) -> &'static str {
        match side {
            Side::First => self.sign("●", "x"),
            Side::Second => self.sign("○", "o"),
        }
    }

    /// What a side writes into a square.
    pub fn mark(self, side: Side) -> &'static str {
        match side {
            Side::First => self.sign("╳", "x"),
            Side::Second => self.stone(side),
        }
    }

    /// An object of a pile.
    pub fn stick(self) -> &'static str {
        self.sign("┃", "|")
    }

    /// A token of a heap.
    pub fn token(self) -> &'static str {
        self.sign("●", "o")
    }

    /// Where an object has been taken.
    pub fn gap(self) -> &'static str {
        self.sign("·", ".")
    }

    /// A point on which no stone is.
    pub fn free(self) -> &'static str {
        self.sign("◌", "_")
    }

    /// Where the last move has taken one.
    pub fn ghost(self) -> &'static str {
        self.sign("╎", ":")
    }

    /// What is chosen stands above this.
    pub fn under(self) -> &'static str {
        self.sign("▴", "^")
    }

    /// What is chosen lies below this.
    pub fn over(self) -> &'static str {
        self.sign("▾", "v")
    }

    /// In front of whoever is to move, or of the line on which one is.
    pub fn pointer(self) -> &'static str {
        self.sign("▸", ">")
    }

    /// In front of what is open.
    pub fn opened(self) -> &'static str {
        self.sign("▾", "v")
    }

    /// In front of the best move.
    pub fn star(self) -> &'static str {
        self.sign("★", "*")
    }

    /// Between two things on one line.
    pub fn dot(self) -> &'static str {
        self.sign("·", "-")
    }

    /// The line that ends a text that goes on.
    pub fn ellipsis(self) -> &'static str {
        self.sign("…", "~")
    }

    /// The lines of frames.
    pub fn border(self) -> border::Set<'static> {
        if !self.ascii {
            return border::ROUNDED;
        }
        border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        }
    }

    /// The lines between things.
    pub fn line(self) -> line::Set<'static> {
        if !self.ascii {
            return line::NORMAL;
        }
        line::Set {
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
        }
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

    /// The part of the light that a colour of the cube or of the greys of the 256 gives back, from 0 to 1.
    fn luminance(colour: u8) -> f64 {
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
        let [red, green, blue] = match colour {
            0..16 => panic!("{colour}: every terminal shows it in another way"),
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
                let style = Look { theme, ..Look::default() }.style(tone);
                assert_eq!(style.bg, None, "{theme:?} {tone:?}");
                let colour = match style.fg {
                    None => continue,
                    Some(Color::Indexed(colour)) => luminance(colour),
                    Some(other) => panic!("{other}: every terminal shows it in another way"),
                };
                let (on_black, on_white) = ((colour + 0.05) / 0.05, 1.05 / (colour + 0.05));
                assert!(on_black > 3.5 && on_white > 3.5, "{theme:?} {tone:?}: {on_black} {on_white}");
            }
        }
    }

    #[test]
    fn the_strong_theme_has_no_colour_and_tells_what_is_chosen_from_what_is_worth_looking_at() {
        let look = Look { theme: Theme::Strong, ..Look::default() };
        assert!(TONES.into_iter().all(|tone| look.style(tone).fg.is_none()));
        let [plain, notice, chosen] = [Tone::Plain, Tone::Notice, Tone::Chosen].map(|tone| look.style(tone));
        assert!(plain != notice && notice != chosen && chosen != plain);
    }
}
