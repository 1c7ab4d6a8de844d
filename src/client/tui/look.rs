//! How things look: which signs stand for what, in Unicode or in plain ASCII, and in which colours. It knows no game and no
//! place on the screen. What a colour says is always said by a sign or by the weight of the letters too.

use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::{border, line};

use crate::game::Side;

/// The colours. Both themes are told apart also by those who see few colours; the signs do without any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// Orange against sky blue, after the palette of Okabe and Ito, for terminals with 256 colours.
    #[default]
    Calm,
    /// The strongest contrast there is: yellow against white, of the eight colours that every terminal has.
    Strong,
    /// None at all.
    Bare,
}

/// A word that is no theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no theme has this name; there are calm and strong")]
pub struct BadTheme;

impl Theme {
    /// Those that can be chosen; without colours there is the one that is left.
    pub const CHOICES: [Self; 2] = [Self::Calm, Self::Strong];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Strong => "strong",
            Self::Bare => "bare",
        }
    }

    /// What it looks like.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Calm => "Orange against blue, for terminals with 256 colours",
            Self::Strong => "Yellow against white, with the strongest contrast",
            Self::Bare => "No colours",
        }
    }
}

impl FromStr for Theme {
    type Err = BadTheme;

    /// Reads a theme that can be chosen, as a person types it; capitals and surrounding blanks do not matter.
    fn from_str(text: &str) -> Result<Self, BadTheme> {
        let word = text.trim();
        Self::CHOICES.into_iter().find(|theme| word.eq_ignore_ascii_case(theme.as_str())).ok_or(BadTheme)
    }
}

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
        match self.colour(tone) {
            Some(colour) => style.fg(colour),
            None if tone == Tone::Faint && self.theme != Theme::Strong => style.add_modifier(Modifier::DIM),
            None => style,
        }
    }

    fn colour(self, tone: Tone) -> Option<Color> {
        let (calm, strong) = match tone {
            Tone::Plain | Tone::Title => (None, None),
            Tone::Faint => (Some(244), None),
            Tone::Of(Side::First) => (Some(214), Some(Color::Yellow)),
            Tone::Of(Side::Second) | Tone::Key => (Some(74), Some(Color::White)),
            Tone::Chosen | Tone::Notice | Tone::Last => (Some(227), Some(Color::Yellow)),
        };
        match self.theme {
            Theme::Calm => calm.map(Color::Indexed),
            Theme::Strong => strong,
            Theme::Bare => None,
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
