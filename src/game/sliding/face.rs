//! How the games of sliding stones are chosen, shown and typed: drawings, positions and moves as text.

use std::marker::PhantomData;

use super::{Ground, Slide, Sliding, Stone};
use crate::game::notation::{
    BadText, alternatives, read_lone_variant, read_side, read_stone_letter, side_word, stone_letter,
};
use crate::game::{Game, Rules, Side, Why};

/// One game of sliding stones: there is one board and one set of rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SlidingVariant<G>(PhantomData<G>);

impl<G: Ground> Rules for SlidingVariant<G> {
    type Position = Sliding<G>;

    fn name(&self) -> &'static str {
        name::<G>()
    }

    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>> {
        read_lone_variant(Self(PhantomData), self::name::<G>(), name, parameters)
    }

    fn forms() -> &'static [(&'static str, &'static str)] {
        G::FORM
    }

    fn text(&self) -> String {
        name::<G>().into()
    }

    fn rules(&self) -> String {
        G::RULES.into()
    }

    fn start(&self) -> Sliding<G> {
        Sliding::start()
    }

    /// A letter for each point in their order, and whose turn it is: `xx.oo first`.
    fn write_position(&self, position: &Sliding<G>) -> String {
        let letters: String = position.points.iter().copied().map(letter).collect();
        format!("{letters} {}", side_word(position.turn))
    }

    /// Reads what `write_position` writes. The side may be left out: then it is the first one's turn.
    fn read_position(&self, text: &str) -> Result<Sliding<G>, BadText> {
        let form = || {
            format!("write the points and whose turn it is, as in \"{}\"", self.write_position(&self.start()))
        };
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let bad = |complaint: String| BadText::about(text.trim(), complaint);
        let (letters, side) = match words.as_slice() {
            [] => return Err(BadText(form())),
            [letters] => (*letters, Some(Side::First)),
            [letters, side] => (*letters, read_side(side)),
            _ => return Err(bad(form())),
        };
        let turn = side.ok_or_else(|| bad(form()))?;
        let points: Option<Vec<Stone>> = letters.chars().map(read_letter).take(G::START.len() + 1).collect();
        let points = points.filter(|points| points.len() == G::START.len()).ok_or_else(|| bad(form()))?;
        for stone in [Some(Side::First), Some(Side::Second), None] {
            count::<G>(&points, stone).map_err(bad)?;
        }
        Ok(Sliding::of(points.into_iter().collect(), turn))
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

    /// Reads `from 3 to centre`, `3 centre`, `3-centre` and `3`: the point of a stone, or the free point where only
    /// one stone can go there.
    fn read_move(&self, position: &Sliding<G>, text: &str) -> Result<Slide, BadText> {
        let lower = text.trim().to_lowercase().replace('-', " ");
        let words: Vec<&str> = lower
            .split_whitespace()
            .filter(|word| !matches!(*word, "from" | "to" | "the" | "point"))
            .collect();
        let bad = || BadText::about(text.trim(), format!("not a move; type {}", self.prompt(position)));
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
            several => format!("the stone that goes to {to}: {}", alternatives(several)),
        }
    }

    fn why(&self, position: &Sliding<G>) -> Why {
        Why::by(position.turn, "cannot move")
    }
}

fn name<G: Ground>() -> &'static str {
    // A ground has one form, which is its name.
    G::FORM.first().map_or("", |(name, _)| name)
}

/// What a point is called; `?` for one that is not on the ground, which a move from outside may name.
pub(super) fn point<G: Ground>(point: u8) -> &'static str {
    G::POINTS.get(usize::from(point)).and_then(|names| names.first()).unwrap_or(&"?")
}

/// A point in the middle of a sentence: `3`, `the centre`.
pub(super) fn point_in_words<G: Ground>(point: u8) -> String {
    let name = self::point::<G>(point);
    if name.starts_with(|first: char| first.is_ascii_digit()) { name.into() } else { format!("the {name}") }
}

/// The names of all points, as words.
pub(super) fn all_points<G: Ground>() -> String {
    let names: Vec<&str> = G::POINTS.iter().filter_map(|names| names.first().copied()).collect();
    names.join(", ")
}

fn read_point<G: Ground>(text: &str) -> Option<u8> {
    (0..).zip(G::POINTS).find(|(_, names)| names.contains(&text)).map(|(point, _)| point)
}

/// The move that is meant by one point alone, if it is clear which.
fn named<G: Ground>(position: &Sliding<G>, point: u8) -> Option<Slide> {
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

/// Whether there are as many of these as there always are.
fn count<G: Ground>(points: &[Stone], stone: Stone) -> Result<(), String> {
    let of = |points: &[Stone]| points.iter().filter(|&&there| there == stone).count();
    let (there, right) = (of(points), of(G::START));
    if there == right {
        Ok(())
    } else {
        Err(format!("{there} of {}, and there are always {right}", letter(stone)))
    }
}
