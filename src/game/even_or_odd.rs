//! Even or Odd: a move takes 1, 2 or 3 tokens from the middle into the player's own heap. When the middle is
//! empty, the player with an even heap wins. The closed form of lost positions is in `search::closed`.

use serde::{Deserialize, Serialize};

use super::notation::{BadText, draw_heap, in_words, number, side_to_move, side_word, words_and_side};
use super::rules::move_limit;
use super::{BySide, Game, Illegal, Outcome, Rules, Side, Why};
use crate::number::saturating;

/// The maximum number of tokens, equal to that of a pile of Nim: sums fit in a `u64`.
pub const MAX_TOKENS: u64 = 1_000_000_000_000_000_000;

/// The most tokens that a move may take.
const MOST: u8 = 3;

/// A position: the tokens in the middle and in each heap, and the side to move.
///
/// The outcome depends only on the parities of the heaps, but people want to see the heaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EvenOrOdd {
    middle: u64,
    heaps: BySide<u64>,
    turn: Side,
}

/// A move: the number of tokens that go from the middle to the heap of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tokens(pub u8);

impl EvenOrOdd {
    /// The number of tokens in the middle.
    pub fn middle(&self) -> u64 {
        self.middle
    }

    /// The number of tokens in each side's heap.
    pub fn heaps(&self) -> BySide<u64> {
        self.heaps
    }

    /// The number of tokens in the middle and in both heaps together.
    pub fn total(&self) -> u64 {
        self.middle + self.heaps.first + self.heaps.second
    }

    /// The most that a move may take.
    fn takeable(&self) -> u8 {
        u8::try_from(self.middle).map_or(MOST, |middle| middle.min(MOST))
    }
}

/// The outcome with these heaps when the middle is empty.
fn result(heaps: BySide<u64>) -> Outcome {
    match (heaps.first % 2, heaps.second % 2) {
        (0, 1) => Outcome::Win(Side::First),
        (1, 0) => Outcome::Win(Side::Second),
        _ => Outcome::Draw,
    }
}

impl Game for EvenOrOdd {
    type Move = Tokens;

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.middle == 0).then(|| result(self.heaps))
    }

    fn moves(&self) -> impl Iterator<Item = Tokens> + '_ {
        (1..=self.takeable()).map(Tokens)
    }

    fn move_count(&self) -> u64 {
        self.takeable().into()
    }

    fn play(&self, mv: Tokens) -> Result<Self, Illegal> {
        if !(1..=self.takeable()).contains(&mv.0) {
            return Err(Illegal(self.objection(mv)));
        }
        let mut next = Self { middle: self.middle - u64::from(mv.0), turn: !self.turn, ..*self };
        next.heaps[self.turn] += u64::from(mv.0);
        Ok(next)
    }
}

impl EvenOrOdd {
    /// The reason why `mv` is illegal. Called for illegal moves only.
    fn objection(&self, mv: Tokens) -> String {
        match (self.middle, mv.0) {
            (0, _) => "nothing is left to take".into(),
            (_, 0) => "a move takes at least 1".into(),
            (_, count) if count > MOST => format!("a move takes at most {MOST}"),
            (1, _) => "only 1 is left".into(),
            (left, _) => format!("only {left} are left"),
        }
    }
}

/// The name by which the game is chosen.
const NAME: &str = "even-or-odd";

/// The default number of tokens.
const DEFAULT_TOKENS: u64 = 15;

/// A variant of Even or Odd: the number of tokens at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EvenOrOddVariant {
    tokens: u64,
}

impl Rules for EvenOrOddVariant {
    type Position = EvenOrOdd;

    fn name(&self) -> &'static str {
        NAME
    }

    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>> {
        (name == NAME).then(|| parse_tokens(parameters).map(|tokens| Self { tokens }))
    }

    fn forms() -> &'static [(&'static str, &'static str)] {
        &[("even-or-odd[:TOKENS]", "15 tokens, take 1 to 3, an even number of them at the end wins")]
    }

    fn text(&self) -> String {
        format!("{NAME}:{}", self.tokens)
    }

    fn rules(&self) -> String {
        let tokens = if self.tokens == 1 { "token" } else { "tokens" };
        // An odd total leaves exactly one side with an even heap.
        let draw =
            if self.tokens.is_multiple_of(2) { "; if both do or neither does, it is a draw" } else { "" };
        format!(
            "{} {tokens} in the middle; a move takes 1, 2 or {MOST} of them into your own heap. When the middle is \
             empty, the player who holds an even number wins{draw}.{}",
            self.tokens,
            move_limit(self.tokens)
        )
    }

    fn summary(&self) -> String {
        format!("{} tokens; take 1, 2 or {MOST} into your own heap.", self.tokens)
    }

    fn goal(&self) -> &'static str {
        "An even number at the end wins."
    }

    fn start(&self) -> EvenOrOdd {
        EvenOrOdd { middle: self.tokens, heaps: BySide::default(), turn: Side::First }
    }

    fn write_position(&self, position: &EvenOrOdd) -> String {
        let BySide { first, second } = position.heaps;
        format!("{} {first}-{second} {}", position.middle, side_word(position.turn))
    }

    fn read_position(&self, text: &str) -> Result<EvenOrOdd, BadText> {
        self.read(text).map_err(|complaint| BadText::about(text.trim(), complaint))
    }

    fn draw(&self, position: &EvenOrOdd) -> String {
        let width = self.tokens.to_string().len();
        let heap = |side: Side| {
            let count = position.heaps[side];
            let parity = if count.is_multiple_of(2) { "even" } else { "odd" };
            format!("{:6}  {count:>width$}  {parity}", side_word(side))
        };
        let middle = format!("middle  {}", draw_heap(position.middle, width));
        [middle, heap(Side::First), heap(Side::Second)].join("\n")
    }

    fn write_move(&self, _position: &EvenOrOdd, mv: Tokens) -> String {
        format!("take {}", mv.0)
    }

    /// Parses `2` and `take 2`.
    fn read_move(&self, position: &EvenOrOdd, text: &str) -> Result<Tokens, BadText> {
        let lower = text.trim().to_lowercase();
        let typed = lower.strip_prefix("take ").unwrap_or(&lower).trim();
        // Any number is accepted here: the rules explain why 0 or a hundred cannot be taken.
        number(typed, 0, MAX_TOKENS)
            .map(|count| Tokens(saturating(count)))
            .ok_or_else(|| self.not_a_move(position, &lower))
    }

    fn prompt(&self, position: &EvenOrOdd) -> String {
        in_words(position.moves().map(|mv| mv.0), "or")
    }

    fn why(&self, position: &EvenOrOdd) -> Why {
        match position.outcome().and_then(Outcome::winner) {
            Some(side) => Why::Side {
                side,
                you: "hold an even number of tokens",
                name: "holds an even number of tokens",
            },
            None if position.heaps.first.is_multiple_of(2) => Why::Board("both sides hold an even number"),
            None => Why::Board("both sides hold an odd number"),
        }
    }
}

fn parse_tokens(parameters: &[&str]) -> Result<u64, BadText> {
    match parameters {
        [] => Ok(DEFAULT_TOKENS),
        [text] => number(text, 1, MAX_TOKENS).ok_or_else(|| {
            BadText::about(&format!("{NAME}:{text}"), "there are 1 to 10^18 tokens in the middle")
        }),
        [_, extra, ..] => {
            Err(BadText::about(extra, format!("{NAME} takes one number, as in {NAME}:{DEFAULT_TOKENS}")))
        }
    }
}

impl EvenOrOddVariant {
    /// Parses a position. Without a side, the first side is to move if the position is reachable that way,
    /// otherwise the second.
    fn read(self, text: &str) -> Result<EvenOrOdd, String> {
        let form = || {
            let start = self.write_position(&self.start());
            format!("write the middle, both heaps and whose turn it is, as in \"{start}\"")
        };
        let ([middle, heaps], side) = words_and_side(text).ok_or_else(form)?;
        let count = |text: &str| number(text, 0, self.tokens);
        let middle = count(middle).ok_or_else(form)?;
        let (first, second) = heaps.split_once('-').ok_or_else(form)?;
        let (first, second) = count(first).zip(count(second)).ok_or_else(form)?;
        // Each of the three is at most MAX_TOKENS, so the sum fits in a `u64`.
        if middle + first + second != self.tokens {
            return Err(format!("middle and heaps together are {} tokens", self.tokens));
        }
        let heaps = BySide { first, second };
        Ok(EvenOrOdd { middle, heaps, turn: side_to_move(side, |turn| is_reachable(heaps, turn))? })
    }
}

/// Whether these heaps are reachable with `turn` to move. The first side has made as many moves as the
/// second, or one more if the second is to move. A heap of n tokens takes from n/3, rounded up, to n moves.
fn is_reachable(heaps: BySide<u64>, turn: Side) -> bool {
    let ahead = u64::from(turn == Side::Second);
    let (fewest, most) = (|heap: u64| heap.div_ceil(MOST.into()), |heap: u64| heap);
    fewest(heaps.first) <= most(heaps.second) + ahead && fewest(heaps.second) + ahead <= most(heaps.first)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::for_each_reachable;

    fn start(tokens: &str) -> EvenOrOdd {
        EvenOrOddVariant::parse("even-or-odd", &[tokens]).unwrap().unwrap().start()
    }

    #[test]
    fn no_token_is_lost_or_won_on_the_way() {
        for_each_reachable(&start("9"), 1_000, |position| assert_eq!(position.total(), 9));
    }

    /// The outcome after the sides take these numbers in turn.
    fn outcome_of(tokens: &str, taken: &[u8]) -> Option<Outcome> {
        let play = |position: EvenOrOdd, &count| position.play(Tokens(count)).unwrap();
        taken.iter().fold(start(tokens), play).outcome()
    }

    #[test]
    fn the_side_with_an_even_number_wins_whichever_side_took_last() {
        assert_eq!(outcome_of("3", &[2]), None);
        assert_eq!(outcome_of("3", &[2, 1]), Some(Outcome::Win(Side::First)));
        assert_eq!(outcome_of("3", &[1, 2]), Some(Outcome::Win(Side::Second)));
        assert_eq!(outcome_of("3", &[1, 1, 1]), Some(Outcome::Win(Side::First)));
        assert_eq!(outcome_of("1", &[1]), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn two_even_heaps_are_a_draw_and_so_are_two_odd_ones() {
        assert_eq!(outcome_of("4", &[2, 2]), Some(Outcome::Draw));
        assert_eq!(outcome_of("4", &[1, 3]), Some(Outcome::Draw));
    }

    fn variant(tokens: u64) -> EvenOrOddVariant {
        EvenOrOddVariant { tokens }
    }

    #[test]
    fn exactly_the_positions_that_can_arise_are_read() {
        let (game, mut reachable) = (variant(7), HashSet::new());
        for_each_reachable(&game.start(), 1_000, |position| {
            reachable.insert(game.write_position(position));
        });
        for middle in 0..=8 {
            for first in 0..=8 {
                for (second, side) in (0..=8).flat_map(|second| [(second, "first"), (second, "second")]) {
                    let text = format!("{middle} {first}-{second} {side}");
                    assert_eq!(game.read_position(&text).is_ok(), reachable.contains(&text), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_draw_says_which_heaps_made_it() {
        let why = |text: &str| variant(4).why(&variant(4).read_position(text).unwrap());
        assert_eq!(why("0 2-2"), Why::Board("both sides hold an even number"));
        assert_eq!(why("0 1-3"), Why::Board("both sides hold an odd number"));
    }
}
