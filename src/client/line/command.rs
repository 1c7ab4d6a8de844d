//! What a person types at the line face, read as commands.

use std::str::FromStr;

use crate::client::Wish;
use crate::client::wish::Terms;
use crate::game::notation::shown;
use crate::wire::BotWish;

/// A line typed in a lobby. Whatever is no command is meant as a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GameCommand<'a> {
    Nothing,
    Help,
    Rules,
    Board,
    Hint,
    Resign,
    Again,
    Leave,
    Quit,
    Move(&'a str),
}

impl<'a> From<&'a str> for GameCommand<'a> {
    fn from(line: &'a str) -> Self {
        let line = line.trim();
        match line.to_lowercase().as_str() {
            "" => Self::Nothing,
            "help" | "?" => Self::Help,
            "rules" => Self::Rules,
            "board" => Self::Board,
            "hint" => Self::Hint,
            "resign" => Self::Resign,
            "again" => Self::Again,
            "leave" => Self::Leave,
            "quit" | "exit" => Self::Quit,
            _ => Self::Move(line),
        }
    }
}

/// A line typed in the hall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HallCommand {
    Nothing,
    Help,
    List,
    Go(Wish),
    Quit,
}

impl FromStr for HallCommand {
    type Err = String;

    /// The error is a sentence for the one who typed.
    fn from_str(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match words.as_slice() {
            [] => Self::Nothing,
            ["help" | "?"] => Self::Help,
            ["list"] => Self::List,
            ["quit" | "exit"] => Self::Quit,
            ["new", game] => Self::Go(Wish::New(terms(game)?)),
            ["new", game, "bot"] => Self::Go(Wish::New(Terms { bot: BotWish::AtOnce, ..terms(game)? })),
            ["new", game, "bot", level] => Self::Go(Wish::New(Terms {
                bot: BotWish::AtOnce,
                level: level.parse().map_err(|error| format!("{}: {error}.", shown(level)))?,
                ..terms(game)?
            })),
            ["quick", game] => Self::Go(Wish::Quick(terms(game)?)),
            ["join", code @ ..] | code => Self::Go(Wish::Join(self::code(code)?)),
        })
    }
}

fn terms(game: &str) -> Result<Terms, String> {
    game.parse().map(Terms::of).map_err(|error: crate::game::notation::BadText| format!("{error}."))
}

fn code(words: &[&str]) -> Result<crate::lobby::Code, String> {
    let text = words.join(" ");
    text.parse().map_err(|error| format!("{}: {error}; help lists what can be typed.", shown(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::Level;

    #[test]
    fn a_line_in_a_game_is_a_command_or_a_move() {
        assert_eq!(GameCommand::from("  HINT "), GameCommand::Hint);
        assert_eq!(GameCommand::from(" take 2 from B "), GameCommand::Move("take 2 from B"));
        assert_eq!(GameCommand::from("\t"), GameCommand::Nothing);
    }

    #[test]
    fn a_line_in_the_hall_is_a_command_or_a_code() {
        assert_eq!("list".parse(), Ok(HallCommand::List));
        let join = HallCommand::Go(Wish::Join("brave-otter".parse().unwrap()));
        for line in ["brave-otter", "join brave-otter", "Brave Otter", "join brave otter"] {
            assert_eq!(line.parse(), Ok(join.clone()), "{line}");
        }
        assert!(
            matches!("new java-tech bot".parse(), Ok(HallCommand::Go(Wish::New(terms))) if terms.bot == BotWish::AtOnce)
        );
    }

    #[test]
    fn a_bot_comes_at_the_level_that_is_typed() {
        let Ok(HallCommand::Go(Wish::New(terms))) = "new java-tech bot easy".parse() else {
            panic!("it opens a lobby")
        };
        assert_eq!((terms.bot, terms.level), (BotWish::AtOnce, Level::Easy));
    }

    #[test]
    fn a_wrong_line_in_the_hall_is_answered_with_what_would_be_right() {
        let complaint = |line: &str| line.parse::<HallCommand>().unwrap_err();
        assert_eq!(complaint("quick java-tech:0"), "java-tech:0: a pile has 1 to 10^18 objects.");
        assert!(
            complaint("new java-tech bot weak")
                .starts_with("weak: no level has this name; there are beginner")
        );
        assert!(complaint("hello").contains("as in brave-otter"));
    }
}
