//! Games of sliding stones: points joined by lines, with a stone on each point except one. A move slides a
//! stone along a line to the free point. A side that cannot move has lost.
//!
//! Moves can lead back to earlier positions: the lobby calls the third repetition a draw. [`SlidingGame`]
//! defines what differs between games of this kind.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::notation::{
    BadText, in_words, parse_single_variant, read_stone_letter, side_word, stone_letter, words_and_side,
};
use super::{Game, Illegal, Outcome, Rules, Side, Why};

/// The maximum number of points.
pub const MAX_POINTS: usize = 9;

/// What is on a point.
pub type Stone = Option<Side>;

/// The board of one game of sliding stones, and its rules in words.
pub trait SlidingGame: Copy + Eq + Hash + Debug + 'static {
    /// The name of the game, and a short description.
    const FORM: &'static [(&'static str, &'static str)];

    /// The rules in two sentences.
    const RULES: &'static str;

    /// The names of each point, of which there are at most [`MAX_POINTS`]. The first name is printed; all are
    /// accepted.
    const POINTS: &'static [&'static [&'static str]];

    /// The pairs of points that are joined by a line.
    const LINES: &'static [(u8, u8)];

    /// The stones before the first move, in the order of the points. One point is free.
    const START: &'static [Stone];

    /// The template of the drawing: `{name}` stands for the stone on the point with that name.
    const DRAWING: &'static str;

    /// The reason why `slide` is forbidden although it goes along a line to the free point; `None` if it is
    /// legal.
    fn forbids(_position: &Sliding<Self>, _slide: Slide) -> Option<&'static str> {
        None
    }
}

/// A position: what is on each point, and the side to move.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sliding<G> {
    points: ArrayVec<Stone, MAX_POINTS>,
    turn: Side,
    game: PhantomData<G>,
}

/// A move: the stone on point `from` goes to point `to`, both counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slide {
    /// The point on which the stone is.
    pub from: u8,
    /// The free point.
    pub to: u8,
}

impl<G: SlidingGame> Sliding<G> {
    fn of(points: ArrayVec<Stone, MAX_POINTS>, turn: Side) -> Self {
        Self { points, turn, game: PhantomData }
    }

    /// The stone on a point; `None` if the point is free or does not exist.
    pub fn stone(&self, point: u8) -> Stone {
        self.points.get(usize::from(point)).copied().flatten()
    }

    /// The free point.
    pub fn free(&self) -> u8 {
        // There is always one: the start has one, and a move frees the point that it leaves.
        (0..).zip(&self.points).find(|(_, stone)| stone.is_none()).map_or(0, |(point, _)| point)
    }

    /// Whether a move is legal.
    fn allows(&self, slide: Slide) -> bool {
        self.stone(slide.from) == Some(self.turn)
            && slide.to == self.free()
            && joined::<G>(slide)
            && G::forbids(self, slide).is_none()
    }

    /// The reason why `slide` is illegal. Called for illegal moves only.
    fn objection(&self, slide: Slide) -> String {
        let exists = |point: u8| usize::from(point) < G::POINTS.len();
        let (from, to) = (point_in_words::<G>(slide.from), point_in_words::<G>(slide.to));
        if !exists(slide.from) || !exists(slide.to) {
            let names: Vec<&str> = G::POINTS.iter().filter_map(|names| names.first().copied()).collect();
            return format!("there is no such point: they are {}", names.join(", "));
        }
        match self.stone(slide.from) {
            _ if self.outcome().is_some() => "the game is over".into(),
            None => format!("no stone is on {from}"),
            Some(owner) if owner != self.turn => format!("the stone on {from} is the other side's"),
            _ if slide.to != self.free() => format!("{to} is not free"),
            _ if !joined::<G>(slide) => format!("no line joins {from} and {to}"),
            _ => G::forbids(self, slide).unwrap_or_default().into(),
        }
    }
}

fn joined<G: SlidingGame>(slide: Slide) -> bool {
    G::LINES
        .iter()
        .any(|&(one, other)| (one, other) == (slide.from, slide.to) || (other, one) == (slide.from, slide.to))
}

impl<G: SlidingGame> Game for Sliding<G> {
    type Move = Slide;

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.moves().next().is_none().then_some(Outcome::Win(!self.turn))
    }

    fn moves(&self) -> impl Iterator<Item = Slide> + '_ {
        let to = self.free();
        (0..).take(self.points.len()).map(move |from| Slide { from, to }).filter(|&slide| self.allows(slide))
    }

    fn move_count(&self) -> u64 {
        self.moves().count() as u64
    }

    fn play(&self, mv: Slide) -> Result<Self, Illegal> {
        if !self.allows(mv) {
            return Err(Illegal(self.objection(mv)));
        }
        let mut next = Self { turn: !self.turn, ..self.clone() };
        next.points.swap(mv.from.into(), mv.to.into());
        Ok(next)
    }

    fn repeats(&self) -> bool {
        true
    }
}

/// The only variant of a game of sliding stones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SlidingVariant<G>(PhantomData<G>);

impl<G: SlidingGame> Rules for SlidingVariant<G> {
    type Position = Sliding<G>;

    fn name(&self) -> &'static str {
        name::<G>()
    }

    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>> {
        parse_single_variant(Self(PhantomData), self::name::<G>(), name, parameters)
    }

    fn forms() -> &'static [(&'static str, &'static str)] {
        G::FORM
    }

    fn rules(&self) -> String {
        G::RULES.into()
    }

    fn summary(&self) -> String {
        format!("{} points; slide a stone of your own to the free one.", G::START.len())
    }

    fn goal(&self) -> &'static str {
        "A player who cannot move loses."
    }

    fn start(&self) -> Sliding<G> {
        Sliding::of(G::START.iter().copied().take(MAX_POINTS).collect(), Side::First)
    }

    /// The letter of each point in order, and the side to move: `xx.oo first`.
    fn write_position(&self, position: &Sliding<G>) -> String {
        let letters: String = position.points.iter().copied().map(letter).collect();
        format!("{letters} {}", side_word(position.turn))
    }

    /// Parses what `write_position` writes. Without a side, the first side is to move.
    fn read_position(&self, text: &str) -> Result<Sliding<G>, BadText> {
        let bad = |complaint: String| BadText::about(text.trim(), complaint);
        let form = || {
            let start = self.write_position(&self.start());
            bad(format!("write the points and whose turn it is, as in \"{start}\""))
        };
        let lower = text.to_lowercase();
        let ([letters], side) = words_and_side(&lower).ok_or_else(form)?;
        let points: Option<Vec<Stone>> = letters.chars().map(read_letter).take(G::START.len() + 1).collect();
        let points = points.filter(|points| points.len() == G::START.len()).ok_or_else(form)?;
        for stone in [Some(Side::First), Some(Side::Second), None] {
            count::<G>(&points, stone).map_err(bad)?;
        }
        Ok(Sliding::of(points.into_iter().collect(), side.unwrap_or(Side::First)))
    }

    fn draw(&self, position: &Sliding<G>) -> String {
        let put = |drawing: String, (name, &stone): (&[&str], &Stone)| {
            drawing.replace(&format!("{{{}}}", name[0]), &letter(stone).to_string())
        };
        G::POINTS.iter().copied().zip(&position.points).fold(G::DRAWING.into(), put)
    }

    fn write_move(&self, _position: &Sliding<G>, mv: Slide) -> String {
        format!("from {} to {}", point::<G>(mv.from), point::<G>(mv.to))
    }

    /// Parses `from 3 to centre`, `3 centre`, `3-centre` and `3`. A single point is that of the stone, or the
    /// free point if only one stone can go there.
    fn read_move(&self, position: &Sliding<G>, text: &str) -> Result<Slide, BadText> {
        let lower = text.trim().to_lowercase().replace('-', " ");
        let words: Vec<&str> = lower
            .split_whitespace()
            .filter(|word| !matches!(*word, "from" | "to" | "the" | "point"))
            .collect();
        let bad = || self.not_a_move(position, text.trim());
        match words.as_slice() {
            [only] => named(position, read_point::<G>(only).ok_or_else(bad)?).ok_or_else(bad),
            [from, to] => {
                let ends = read_point::<G>(from).zip(read_point::<G>(to));
                ends.map(|(from, to)| Slide { from, to }).ok_or_else(bad)
            }
            _ => Err(bad()),
        }
    }

    fn prompt(&self, position: &Sliding<G>) -> String {
        let to = point_in_words::<G>(position.free());
        let stones: Vec<String> = position.moves().map(|slide| point::<G>(slide.from).into()).collect();
        match stones.as_slice() {
            [] => "nothing, the game is over".into(),
            [only] => format!("{only}, the only stone that can go to {to}"),
            several => format!("the stone that goes to {to}: {}", in_words(several.iter(), "or")),
        }
    }

    fn why(&self, position: &Sliding<G>) -> Why {
        Why::by(position.turn, "cannot move")
    }
}

fn name<G: SlidingGame>() -> &'static str {
    // Such a game has one form, which is its name.
    G::FORM.first().map_or("", |(name, _)| name)
}

/// The name of a point; `?` if it does not exist. A move from the network may contain such a point.
pub(super) fn point<G: SlidingGame>(point: u8) -> &'static str {
    G::POINTS.get(usize::from(point)).and_then(|names| names.first()).unwrap_or(&"?")
}

/// The name of a point for use in a sentence: `3`, `the centre`.
pub(super) fn point_in_words<G: SlidingGame>(point: u8) -> String {
    let name = self::point::<G>(point);
    if name.starts_with(|first: char| first.is_ascii_digit()) { name.into() } else { format!("the {name}") }
}

fn read_point<G: SlidingGame>(text: &str) -> Option<u8> {
    (0..).zip(G::POINTS).find(|(_, names)| names.contains(&text)).map(|(point, _)| point)
}

/// The move that a single point stands for, if it is unambiguous.
fn named<G: SlidingGame>(position: &Sliding<G>, point: u8) -> Option<Slide> {
    let to = position.free();
    if point != to {
        return Some(Slide { from: point, to });
    }
    let mut slides = position.moves();
    slides.next().filter(|_| slides.next().is_none())
}

fn letter(stone: Stone) -> char {
    stone.map_or('.', stone_letter)
}

fn read_letter(letter: char) -> Option<Stone> {
    if letter == '.' { Some(None) } else { read_stone_letter(letter).map(Some) }
}

/// Checks that there are as many of these stones as at the start.
fn count<G: SlidingGame>(points: &[Stone], stone: Stone) -> Result<(), String> {
    let of = |points: &[Stone]| points.iter().filter(|&&there| there == stone).count();
    let (there, right) = (of(points), of(G::START));
    if there == right {
        Ok(())
    } else {
        Err(format!("{there} of {}, but there are always {right}", letter(stone)))
    }
}
