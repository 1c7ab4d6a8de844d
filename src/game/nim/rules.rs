//! How Nim is shown and typed: rules in words, drawings, positions and moves as text.

use super::position::{Ending, MAX_PILE, Nim, Piles, Take, letter};
use super::variant::{self, NimForm, NimVariant, TEN};
use crate::game::notation::{BadText, draw_heap, in_words, number, side_to_move, side_word, words_and_side};
use crate::game::rules::move_limit;
use crate::game::{Game, Illegal, Rules, Side, Why};

impl Rules for NimVariant {
    type Position = Nim;

    fn name(&self) -> &'static str {
        match self.form {
            NimForm::Take => "take",
            NimForm::JavaTech => "java-tech",
            NimForm::ZeroSum => "zero-sum",
            NimForm::OneTwoTen => "one-two-ten",
            NimForm::Piles => "nim",
        }
    }

    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>> {
        variant::parse(name, parameters)
    }

    fn forms() -> &'static [(&'static str, &'static str)] {
        &[
            ("java-tech[:PILE]", "one pile of 21, take 1 to 3, the last object loses"),
            (
                "zero-sum[:PILE]",
                "one pile of 11, take 1 or 2, the last object loses, the other player starts",
            ),
            ("one-two-ten", "count from 0, add 1 or 2, reaching 10 wins"),
            ("take:PILE:K[:normal|misere]", "one pile, take 1 to K"),
            ("nim:3-4-5[:max=K][:normal|misere]", "several piles, take from one of them"),
        ]
    }

    fn text(&self) -> String {
        let ending = match self.ending {
            Ending::Normal => "normal",
            Ending::Misere => "misere",
        };
        let piles = join_piles(&self.piles);
        match (self.form, self.max) {
            (NimForm::OneTwoTen, _) => "one-two-ten".into(),
            (NimForm::JavaTech | NimForm::ZeroSum, _) => format!("{}:{piles}", self.name()),
            (NimForm::Take, max) => format!("take:{piles}:{}:{ending}", max.unwrap_or(MAX_PILE)),
            (NimForm::Piles, Some(max)) => format!("nim:{piles}:max={max}:{ending}"),
            (NimForm::Piles, None) => format!("nim:{piles}:{ending}"),
        }
    }

    fn rules(&self) -> String {
        let result = match self.ending {
            Ending::Normal => "wins",
            Ending::Misere => "loses",
        };
        if self.form == NimForm::OneTwoTen {
            return format!(
                "The count starts at 0 and a move adds 1 or 2 to it. The player who reaches {TEN} {result}."
            );
        }
        match self.piles.as_slice() {
            [1] => format!("One pile of a single object. The player who takes it {result}."),
            [pile] => format!(
                "One pile of {pile} objects; a move takes {}. The player who takes the last one {result}.{}",
                share(self.max),
                move_limit(*pile),
            ),
            piles => format!(
                "{} piles of {} objects; a move takes {} from one pile. The player who takes the last object of all {result}.{}",
                piles.len(),
                in_words(piles.iter(), "and"),
                self.max.map_or_else(|| "any number".into(), choice),
                move_limit(piles.iter().fold(0, |sum: u64, pile| sum.saturating_add(*pile))),
            ),
        }
    }

    fn summary(&self) -> String {
        let from = match self.piles.as_slice() {
            _ if self.form == NimForm::OneTwoTen => return "Count up from 0, by 1 or 2 at a time.".into(),
            [1] => return "One pile of a single object; take it.".into(),
            [pile] => return format!("One pile of {pile} objects; take {}.", share(self.max)),
            piles => format!("Piles of {} objects", in_words(piles.iter(), "and")),
        };
        let count = self.max.map_or_else(|| "any number".into(), choice);
        format!("{from}; take {count} from one pile.")
    }

    fn goal(&self) -> &'static str {
        match (self.form, self.ending) {
            (NimForm::OneTwoTen, _) => "The player who reaches 10 wins.",
            (_, Ending::Normal) => "Taking the last object wins.",
            (_, Ending::Misere) => "Taking the last object loses.",
        }
    }

    fn start(&self) -> Nim {
        Nim { piles: self.piles.clone(), max: self.max, ending: self.ending, turn: Side::First }
    }

    fn opener(&self) -> Side {
        match self.form {
            NimForm::ZeroSum => Side::Second,
            _ => Side::First,
        }
    }

    /// `13 first`, `3-0-5 second`; for `one-two-ten` the count, as in `4 first`.
    fn write_position(&self, position: &Nim) -> String {
        let piles = match self.form {
            NimForm::OneTwoTen => (TEN - position.total().min(TEN)).to_string(),
            _ => join_piles(position.piles()),
        };
        format!("{piles} {}", side_word(position.turn()))
    }

    /// Parses what `write_position` writes. Without a side, the first side is to move if the position is
    /// reachable that way, otherwise the second.
    fn read_position(&self, text: &str) -> Result<Nim, BadText> {
        let bad = |complaint: String| BadText::about(text.trim(), complaint);
        let form = || bad(format!("write a position as in \"{}\"", self.write_position(&self.start())));
        let ([piles], side) = words_and_side(text).ok_or_else(form)?;
        let piles = read_piles(self, piles).map_err(bad)?;
        let turn = side_to_move(side, |turn| is_reachable(self, &piles, turn)).map_err(bad)?;
        Ok(Nim { piles, max: self.max, ending: self.ending, turn })
    }

    fn draw(&self, position: &Nim) -> String {
        match (self.form, position.piles()) {
            (NimForm::OneTwoTen, _) => draw_count(TEN - position.total().min(TEN)),
            (_, [pile]) => draw_heap(*pile, digits(&self.piles)),
            (_, piles) => {
                let width = digits(&self.piles);
                let line = |(at, &pile): (usize, &u64)| format!("{}  {}", letter(at), draw_heap(pile, width));
                piles.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
            }
        }
    }

    fn write_move(&self, _position: &Nim, mv: Take) -> String {
        match self.form {
            NimForm::OneTwoTen => format!("add {}", mv.count),
            _ if self.piles.len() == 1 => format!("take {}", mv.count),
            _ => format!("take {} from {}", mv.count, letter(usize::from(mv.pile))),
        }
    }

    /// Parses `2`, `take 2`, `add 2`, `2 from b`, `take 2 from b` and `b 2`. The pile is optional while only
    /// one is not empty.
    fn read_move(&self, position: &Nim, text: &str) -> Result<Take, BadText> {
        let text = text.to_lowercase();
        let words: Vec<&str> =
            text.split_whitespace().filter(|w| !matches!(*w, "take" | "add" | "from" | "pile")).collect();
        let bad = || self.not_a_move(position, &text);
        let (count, pile) = match words.as_slice() {
            [count] => (*count, None),
            [one, other] => match (read_letter(one), read_letter(other)) {
                (None, None) => return Err(bad()),
                (pile, None) => (*other, pile),
                (_, pile) => (*one, pile),
            },
            _ => return Err(bad()),
        };
        // Any number is accepted here: the rules explain why 0 or a thousand cannot be taken.
        let count = number(count, 0, MAX_PILE).ok_or_else(bad)?;
        let pile =
            pile.or_else(|| default_pile(position)).ok_or_else(|| which_pile(self, position, count))?;
        Ok(Take { pile, count })
    }

    fn reword_illegal(&self, position: &Nim, mv: Take, illegal: Illegal) -> Illegal {
        match self.form {
            NimForm::OneTwoTen => Illegal(counting_objection(position, mv)),
            _ => illegal,
        }
    }

    fn prompt(&self, position: &Nim) -> String {
        if self.piles.len() == 1 {
            return choice(position.takeable(0));
        }
        let pile = position.piles().iter().position(|&pile| pile > 0).unwrap_or(0);
        format!("how many from which pile, such as {} from {}", position.takeable(pile).min(2), letter(pile))
    }

    fn why(&self, position: &Nim) -> Why {
        let predicate = match self.form {
            NimForm::OneTwoTen => "reached 10",
            _ => "took the last object",
        };
        Why::by(!position.turn(), predicate)
    }
}

/// `[3, 4, 5]` as `3-4-5`.
fn join_piles(piles: &[u64]) -> String {
    piles.iter().map(u64::to_string).collect::<Vec<_>>().join("-")
}

/// The numbers that a move may take: `1`, `1 or 2`, `1, 2 or 3`, `1 to 9`.
fn choice(most: u64) -> String {
    if most <= 3 { in_words(1..=most.max(1), "or") } else { format!("1 to {most}") }
}

/// The part of a single pile that a move takes.
fn share(max: Option<u64>) -> String {
    match max {
        None => "any number of them".into(),
        Some(1) => "one of them".into(),
        Some(max) => format!("{} of them", choice(max)),
    }
}

/// The reason why a move is illegal in a variant that shows a count instead of a pile.
fn counting_objection(position: &Nim, mv: Take) -> String {
    match (mv.pile, mv.count, position.total()) {
        (1.., ..) => "there is only one count".into(),
        (_, _, 0) => format!("the count is {TEN} already"),
        (_, 0, _) => "a move adds at least 1".into(),
        (_, count, left) if count > left => format!("{TEN} is only {left} away"),
        _ => format!("a move adds at most {}", position.takeable(0)),
    }
}

/// The number of digits of the largest of these numbers.
fn digits(piles: &[u64]) -> usize {
    piles.iter().max().map_or(1, |most| most.to_string().len())
}

/// The numbers from 0 to 10 with the current count in brackets.
fn draw_count(count: u64) -> String {
    let cell = |n: u64| if n == count { format!("[{n}]") } else { n.to_string() };
    let row: Vec<String> = (0..=TEN).map(cell).collect();
    format!("{count:>2}   {}", row.join(" "))
}

/// The error for a move that names no pile. It suggests a pile from which this number can be taken.
fn which_pile(variant: &NimVariant, position: &Nim, count: u64) -> BadText {
    let possible = |&pile: &usize| (1..=position.takeable(pile)).contains(&count);
    match (0..position.piles().len()).find(possible) {
        Some(pile) => BadText(format!("Say from which pile, as in {count} from {}", letter(pile))),
        None => BadText::about(
            &count.to_string(),
            format!("no pile allows that; say {}", variant.prompt(position)),
        ),
    }
}

fn read_letter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(letter - b'a'),
        _ => None,
    }
}

/// The default pile of a move: the only one that is not empty, or the first one if all are empty.
fn default_pile(position: &Nim) -> Option<u8> {
    let mut filled = (0..).zip(position.piles()).filter(|&(_, &pile)| pile > 0);
    match (filled.next(), filled.next()) {
        (Some((pile, _)), None) => Some(pile),
        (None, _) => Some(0),
        _ => None,
    }
}

fn read_piles(variant: &NimVariant, text: &str) -> Result<Piles, String> {
    let parts: Vec<&str> = text.split('-').collect();
    if parts.len() != variant.piles.len() {
        let numbers = match variant.piles.len() {
            1 => "one number".into(),
            n => format!("{n} numbers, joined by -"),
        };
        return Err(format!("this variant has {numbers} here"));
    }
    let read = |(part, &most): (&str, &u64)| match (number(part, 0, most), variant.form) {
        (None, NimForm::OneTwoTen) => Err(format!("the count is from 0 to {most}")),
        (None, _) if variant.piles.len() == 1 => Err(format!("the pile holds 0 to {most}")),
        (None, _) => Err(format!("this pile holds 0 to {most}")),
        (Some(count), NimForm::OneTwoTen) => Ok(TEN - count),
        (Some(count), _) => Ok(count),
    };
    parts.into_iter().zip(&variant.piles).map(read).collect()
}

/// Whether these piles are reachable with `turn` to move. The number of moves made so far can be any number
/// from the fewest, each as large as possible, to the most, each of one object.
fn is_reachable(variant: &NimVariant, piles: &[u64], turn: Side) -> bool {
    let taken = variant.piles.iter().zip(piles).map(|(start, left)| start - left);
    let fewest: u64 = taken.clone().map(|t| t.div_ceil(variant.max.unwrap_or(MAX_PILE))).sum();
    let most: u64 = taken.sum();
    most > fewest || fewest % 2 == u64::from(turn == Side::Second)
}
