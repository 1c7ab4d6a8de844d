//! The closed set of games: the only list of all games, and the types that can hold any of them.
//!
//! A new game is a file that implements [`Game`] and [`Rules`], and one line in the list below. Messages
//! encode a game by its index in the list, so a new game goes to the end.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::move_number::MoveNumber;
use super::notation::{BadText, shown};
use super::{
    BySide, Game, Illegal, Outcome, Rules, Side, Why, connect_four, even_or_odd, mu_torere, names, nim,
    pong_hau_ki, tic_tac_toe,
};

games! {
    /// The Nim family.
    Nim: nim::NimVariant,
    /// Even or Odd.
    EvenOrOdd: even_or_odd::EvenOrOddVariant,
    /// Tic-tac-toe.
    TicTacToe: tic_tac_toe::TicTacToeVariant,
    /// Connect Four.
    ConnectFour: connect_four::ConnectFourVariant,
    /// Pong Hau K'i.
    PongHauKi: pong_hau_ki::PongHauKiVariant,
    /// Mū Tōrere.
    MuTorere: mu_torere::MuTorereVariant,
}

/// The maximum length of a variant's text: the longest has sixteen piles of 10^18 and a limit.
pub const MAX_VARIANT_TEXT: usize = 400;

/// A variant together with a position of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BoardOf<R: Rules> {
    /// Shared by all boards of a game.
    variant: Arc<R>,
    position: R::Position,
}

impl<R: Rules> BoardOf<R> {
    fn play(&self, mv: <R::Position as Game>::Move) -> Result<Self, Illegal> {
        let played = self.position.play(mv);
        let position = played.map_err(|illegal| self.variant.reword_illegal(&self.position, mv, illegal))?;
        Ok(Self { variant: Arc::clone(&self.variant), position })
    }

    fn finish(&self) -> Option<Finish> {
        let outcome = self.position.outcome()?;
        Some(Finish { outcome, why: self.variant.why(&self.position) })
    }
}

/// How a finished game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finish {
    /// The outcome.
    pub outcome: Outcome,
    /// The reason, in the words of the game.
    pub why: Why,
}

impl Variant {
    /// Assigns the opener and the other player to their default sides.
    pub fn seats<T>(&self, opener: T, other: T) -> BySide<T> {
        match self.opener() {
            Side::First => BySide { first: opener, second: other },
            Side::Second => BySide { first: other, second: opener },
        }
    }
}

impl Default for Variant {
    /// The game that most people know: `java-tech:21`.
    fn default() -> Self {
        Self::Nim(nim::NimVariant::default())
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl FromStr for Variant {
    type Err = BadText;

    /// Parses a variant as a person types it, by any [name](names). Capitals and surrounding blanks do not
    /// matter.
    fn from_str(text: &str) -> Result<Self, BadText> {
        if text.len() > MAX_VARIANT_TEXT {
            return Err(BadText::about(
                text,
                format!("a game's text has at most {MAX_VARIANT_TEXT} characters"),
            ));
        }
        let text = text.trim().to_lowercase();
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let parameters: Vec<&str> = parts.collect();
        if !name.is_empty() && parameters.contains(&"") {
            return Err(BadText::about(name, "a part is missing after a colon"));
        }
        Self::parse(names::own_name(name), &parameters).unwrap_or_else(|| Err(unknown(name)))
    }
}

fn unknown(name: &str) -> BadText {
    let what = if name.is_empty() {
        "no game is named".into()
    } else {
        format!("{}: no game has this name", shown(name))
    };
    let forms = || Variant::forms().map(|(form, _)| form);
    let games = || forms().filter_map(|form| form.split(['[', ':']).next());
    // A hyphen is easily typed instead of the colon.
    let with_colon = games().filter_map(|game| {
        let rest = name.strip_prefix(game)?.trim_start_matches('-');
        Some(format!("{game}:{rest}")).filter(|meant| !rest.is_empty() && meant.parse::<Variant>().is_ok())
    });
    // Several piles alone are those of Nim.
    let piles = Some(format!("nim:{name}"));
    let piles = piles.filter(|meant| name.contains('-') && meant.parse::<Variant>().is_ok());
    if let Some(meant) = with_colon.max_by_key(String::len).or(piles) {
        return BadText(format!("{what}; did you mean {meant}?"));
    }
    BadText(match names::most_like(name, games()) {
        Some(meant) => format!("{what}; did you mean {meant}?"),
        None => format!("{what}; there are {}", forms().collect::<Vec<_>>().join(", ")),
    })
}

/// Defines the enums that can hold any game, and delegates every call to the game inside.
macro_rules! games {
    ($($(#[$doc:meta])* $game:ident: $rules:ty,)+) => {
        /// The rules of some game with one choice of their parameters.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Variant { $($(#[$doc])* $game($rules),)+ }

        /// A position of some game.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Position { $($(#[$doc])* $game(<$rules as Rules>::Position),)+ }

        /// A move of some game.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Move { $($(#[$doc])* $game(<<$rules as Rules>::Position as Game>::Move),)+ }

        /// A variant of some game with a position of it.
        #[allow(
            clippy::large_enum_variant,
            reason = "sixteen piles take more room than a small board, but there are few of these values at a time"
        )]
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Board { $($(#[$doc])* $game(BoardOf<$rules>),)+ }

        impl Move {
            /// The number of this move among those of its game.
            pub fn number(self) -> u64 {
                match self { $(Self::$game(mv) => mv.number(),)+ }
            }
        }

        impl Variant {
            fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>> {
                None$(.or_else(|| Some(<$rules as Rules>::parse(name, parameters)?.map(Self::$game))))+
            }

            /// Every form in which a variant can be typed, with a short description.
            pub fn forms() -> impl Iterator<Item = (&'static str, &'static str)> {
                [$(<$rules as Rules>::forms(),)+].into_iter().flatten().copied()
            }

            /// The variant as it is typed, with all defaults filled in.
            pub fn text(&self) -> String {
                match self { $(Self::$game(variant) => variant.text(),)+ }
            }

            /// The word before the first colon of its text.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$game(variant) => variant.name(),)+ }
            }

            /// The rules in two sentences, or three.
            pub fn rules(&self) -> String {
                match self { $(Self::$game(variant) => variant.rules(),)+ }
            }

            /// What a move does, in one short sentence.
            pub fn summary(&self) -> String {
                match self { $(Self::$game(variant) => variant.summary(),)+ }
            }

            /// Who wins, in one short sentence.
            pub fn goal(&self) -> &'static str {
                match self { $(Self::$game(variant) => variant.goal(),)+ }
            }

            /// The default side of the player who opens a lobby.
            pub fn opener(&self) -> Side {
                match self { $(Self::$game(variant) => variant.opener(),)+ }
            }

            /// The board before the first move.
            pub fn start(&self) -> Board {
                match self {
                    $(Self::$game(variant) => Board::$game(BoardOf { variant: Arc::new(variant.clone()), position: variant.start() }),)+
                }
            }

            /// The board at a position of this variant; `None` if it belongs to another game.
            pub fn board(&self, position: Position) -> Option<Board> {
                match (self, position) {
                    $((Self::$game(variant), Position::$game(position)) => {
                        Some(Board::$game(BoardOf { variant: Arc::new(variant.clone()), position }))
                    })+
                    _ => None,
                }
            }

            /// Parses a position, as [`Board::write_position`] writes it.
            pub fn read_position(&self, text: &str) -> Result<Board, BadText> {
                match self {
                    $(Self::$game(variant) => {
                        let position = variant.read_position(text)?;
                        Ok(Board::$game(BoardOf { variant: Arc::new(variant.clone()), position }))
                    })+
                }
            }
        }

        impl Game for Position {
            type Move = Move;

            fn turn(&self) -> Side {
                match self { $(Self::$game(position) => position.turn(),)+ }
            }

            fn outcome(&self) -> Option<Outcome> {
                match self { $(Self::$game(position) => position.outcome(),)+ }
            }

            fn moves(&self) -> impl Iterator<Item = Move> + '_ {
                // One iterator type for all games: a chain of `Option`s, of which only one is `Some`.
                std::iter::empty()$(.chain(
                    match self { Self::$game(position) => Some(position), _ => None }
                        .into_iter()
                        .flat_map(|position| position.moves().map(Move::$game)),
                ))+
            }

            fn move_count(&self) -> u64 {
                match self { $(Self::$game(position) => position.move_count(),)+ }
            }

            fn play(&self, mv: Move) -> Result<Self, Illegal> {
                match (self, mv) {
                    $((Self::$game(position), Move::$game(mv)) => Ok(Self::$game(position.play(mv)?)),)+
                    _ => Err(Illegal(OTHER_GAME.into())),
                }
            }

            fn repeats(&self) -> bool {
                match self { $(Self::$game(position) => position.repeats(),)+ }
            }

            fn canonical(&self) -> Self {
                match self { $(Self::$game(position) => Self::$game(position.canonical()),)+ }
            }
        }

        impl Board {
            /// The variant.
            pub fn variant(&self) -> Variant {
                match self { $(Self::$game(board) => Variant::$game((*board.variant).clone()),)+ }
            }

            /// The side to move.
            pub fn turn(&self) -> Side {
                match self { $(Self::$game(board) => board.position.turn(),)+ }
            }

            /// Whether moves can lead back to an earlier position.
            pub fn repeats(&self) -> bool {
                match self { $(Self::$game(board) => board.position.repeats(),)+ }
            }

            /// The position without the variant, for a search.
            pub fn position(&self) -> Position {
                match self { $(Self::$game(board) => Position::$game(board.position.clone()),)+ }
            }

            /// The move of this game with this [number](Move::number), legal or not; `None` if no move has it.
            pub fn move_numbered(&self, number: u64) -> Option<Move> {
                match self { $(Self::$game(_) => MoveNumber::numbered(number).map(Move::$game),)+ }
            }

            /// The board after `mv`, or the reason why `mv` is illegal.
            pub fn play(&self, mv: Move) -> Result<Self, Illegal> {
                match (self, mv) {
                    $((Self::$game(board), Move::$game(mv)) => board.play(mv).map(Self::$game),)+
                    _ => Err(Illegal(OTHER_GAME.into())),
                }
            }

            /// How the game ended, or `None` while it goes on.
            pub fn finish(&self) -> Option<Finish> {
                match self { $(Self::$game(board) => board.finish(),)+ }
            }

            /// The position as one line of text that [`Variant::read_position`] reads back.
            pub fn write_position(&self) -> String {
                match self { $(Self::$game(board) => board.variant.write_position(&board.position),)+ }
            }

            /// The position as people see it, in one or more lines of plain text.
            pub fn draw(&self) -> String {
                match self { $(Self::$game(board) => board.variant.draw(&board.position),)+ }
            }

            /// What can be typed here, in a few words for a prompt.
            pub fn prompt(&self) -> String {
                match self { $(Self::$game(board) => board.variant.prompt(&board.position),)+ }
            }

            /// The move as a person would type it.
            pub fn write_move(&self, mv: Move) -> String {
                match (self, mv) {
                    $((Self::$game(board), Move::$game(mv)) => board.variant.write_move(&board.position, mv),)+
                    _ => OTHER_GAME.into(),
                }
            }

            /// Parses a move that a person typed. It is an error if the move is illegal here.
            pub fn read_move(&self, text: &str) -> Result<Move, BadText> {
                let mv = match self {
                    $(Self::$game(board) => board.variant.read_move(&board.position, text).map(Move::$game),)+
                }?;
                self.play(mv).map_err(|illegal| BadText::about(text.trim(), illegal))?;
                Ok(mv)
            }
        }
    };
}
use games;

/// The error for a move of another game.
const OTHER_GAME: &str = "that is a move of another game";

#[cfg(test)]
mod tests {
    use super::super::for_each_reachable;
    use super::super::sliding::Slide;
    use super::*;

    /// Moves of all games, legal or not.
    fn candidates() -> Vec<Move> {
        let numbers = || (0..12).chain([31, 64, u8::MAX]);
        let takes = (0..6).flat_map(|pile| (0..10).map(move |count| Move::Nim(nim::Take { pile, count })));
        let slides = || numbers().flat_map(|from| (0..10).map(move |to| Slide { from, to }));
        takes
            .chain(numbers().map(even_or_odd::Tokens).map(Move::EvenOrOdd))
            .chain(numbers().map(tic_tac_toe::Square).map(Move::TicTacToe))
            .chain(numbers().map(connect_four::Column).map(Move::ConnectFour))
            .chain(slides().map(Move::PongHauKi))
            .chain(slides().map(Move::MuTorere))
            .collect()
    }

    #[test]
    fn every_listed_move_is_legal_and_no_other() {
        let games = ["take:7:3", "nim:3-4-5:max=2:misere", "nim:1-3-5-7", "even-or-odd:9", "tic-tac-toe"];
        for text in games.into_iter().chain(["pong-hau-ki", "mu-torere"]) {
            let start = text.parse::<Variant>().unwrap().start().position();
            assert!(for_each_reachable(&start, 10_000, |position| {
                let listed: Vec<Move> = position.moves().collect();
                assert_eq!(listed.len() as u64, position.move_count());
                for mv in candidates() {
                    assert_eq!(position.play(mv).is_ok(), listed.contains(&mv), "{position:?} {mv:?}");
                }
            }));
        }
    }
}
