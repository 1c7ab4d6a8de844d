//! The commands of the line face: parses a typed line.

use crate::alike::{did_you_mean, one_slip_from};
use crate::client::text::full_stop;
use crate::client::{Action, Terms};
use crate::game::any::Variant;
use crate::game::notation::{BadText, shown};
use crate::lobby::{Lobby, Offer, Phase, Text};
use crate::wire::BotWish;

/// A line in a lobby. Anything that is not a command is a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GameCommand<'a> {
    Nothing,
    Help,
    Rules,
    Board,
    Why,
    Terms,
    /// An action to send to the lobby.
    Ask(Action),
    Answer(bool),
    Say(&'a str),
    Mute(&'a str, bool),
    /// The number of the first move, if it was typed.
    Review(Option<u32>),
    /// Go back to the hall, or end the program too.
    Leave {
        quits: bool,
    },
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
            "hint" => Self::Ask(Action::Hint),
            "resign" | "give up" => Self::Ask(Action::Resign),
            "again" => Self::Ask(Action::Again),
            "why" => Self::Why,
            "terms" => Self::Terms,
            "wait" => Self::Ask(Action::Wait),
            "wait no more" => Self::Ask(Action::WaitNoMore),
            "claim" => Self::Ask(Action::Claim),
            "leave" => Self::Leave { quits: false },
            "draw" => Self::Ask(Action::Offer(Offer::Draw)),
            "takeback" => Self::Ask(Action::Offer(Offer::Takeback)),
            "pause" => Self::Ask(Action::Offer(Offer::Pause)),
            "yes" | "accept" => Self::Answer(true),
            "no" | "decline" => Self::Answer(false),
            "resume" => Self::Ask(Action::Resume),
            "review" | "next" => Self::Review(None),
            "quit" | "exit" => Self::Leave { quits: true },
            _ => Self::with_words(line),
        }
    }
}

impl<'a> GameCommand<'a> {
    /// Reads a line in this lobby: what is no move of its game may be a key of the screen.
    pub(super) fn in_lobby(line: &'a str, lobby: &Lobby) -> Self {
        match Self::from(line) {
            Self::Move(text) if lobby.board().read_move(text).is_err() => {
                Self::of_key(text).unwrap_or(Self::Move(text))
            }
            command => command,
        }
    }

    /// The command with this short name, which some games could take for a move.
    fn of_key(text: &str) -> Option<Self> {
        Some(match text.to_lowercase().as_str() {
            "q" => Self::Leave { quits: true },
            "h" => Self::Ask(Action::Hint),
            "u" | "undo" => Self::Ask(Action::Offer(Offer::Takeback)),
            _ => return None,
        })
    }

    /// A command with an argument, or else a move.
    fn with_words(line: &'a str) -> Self {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (command.to_lowercase().as_str(), rest) {
            ("say", words) => Self::Say(words),
            ("mute", name) => Self::Mute(name, true),
            ("unmute", name) => Self::Mute(name, false),
            ("kick", name) => Self::Ask(Action::Kick(Text::cut(name))),
            ("review", number) if number.parse::<u32>().is_ok() => Self::Review(number.parse().ok()),
            _ => Self::Move(line),
        }
    }

    /// The command that a text that is none may mean.
    pub(super) fn meant(text: &str) -> Option<&'static str> {
        let word = text.split_whitespace().next()?.to_lowercase();
        one_slip_from(&word, GAME_WORDS)
    }

    /// Whether this word is a command rather than a move.
    fn is_known(word: &str) -> bool {
        !matches!(GameCommand::from(word), GameCommand::Move(_))
    }

    /// Whether it is impossible in the lobby's current phase.
    pub(super) fn is_untimely(&self, lobby: &Lobby) -> bool {
        let phase = lobby.phase();
        match self {
            Self::Ask(Action::Kick(_)) => false,
            Self::Ask(Action::Again) => !matches!(phase, Phase::Over { .. }),
            Self::Ask(_) | Self::Answer(_) | Self::Move(_) => phase != Phase::Playing,
            Self::Review(_) => !lobby.has_last_game(),
            _ => false,
        }
    }
}

/// A line in the hall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HallCommand {
    Nothing,
    Help,
    Go(Box<Action>),
    Quit,
}

impl HallCommand {
    fn go(action: Action) -> Self {
        Self::Go(Box::new(action))
    }

    /// Parses a line; `preferences` are the defaults of a new lobby. The error is a sentence for the person.
    pub(super) fn read(line: &str, preferences: Terms) -> Result<Self, String> {
        let line = line.to_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        let terms = |game, preferences| Ok::<_, String>(Terms { variant: variant(game)?, ..preferences });
        let with_bot = Terms { bot: BotWish::AtOnce, ..preferences.clone() };
        Ok(match words.as_slice() {
            [] => Self::Nothing,
            ["help" | "?"] => Self::Help,
            ["list"] => Self::go(Action::Look),
            ["quit" | "exit" | "q"] => Self::Quit,
            ["new", game] => Self::go(Action::Create(terms(game, preferences)?)),
            ["new", game, "bot"] => Self::go(Action::Create(terms(game, with_bot)?)),
            ["new", game, "bot", level] => {
                let level = level.parse().map_err(|error| format!("{}: {error}.", shown(level)))?;
                Self::go(Action::Create(terms(game, Terms { level, ..with_bot })?))
            }
            ["quick", game] => Self::go(Action::Quick(terms(game, preferences)?)),
            ["new", ..] => return Err(NEW.into()),
            ["quick", ..] => return Err(QUICK.into()),
            ["join"] => return Err(JOIN.into()),
            ["watch"] => return Err(WATCH.into()),
            ["watch", code @ ..] => Self::go(Action::Watch(self::code(code)?, preferences.password)),
            ["resume", ..] => return Err(RESUME.into()),
            [word] if GameCommand::is_known(word) => return Err(format!("{word}: {IN_HALL}")),
            [game] if is_game(game) => {
                return Err(format!(
                    "{game} is a game: quick {game} joins somebody who waits for it, new {game} opens a lobby."
                ));
            }
            [word, ..] if !has_code(&words) && one_slip_from(word, HALL_WORDS).is_some() => {
                let meant = did_you_mean(one_slip_from(word, HALL_WORDS));
                return Err(format!("{}: no command has this name{meant}", shown(word)));
            }
            ["join", code @ ..] | code => Self::go(Action::Join(self::code(code)?, preferences.password)),
        })
    }
}

/// The first words of the commands in a game, and in the hall.
const GAME_WORDS: [&str; 22] = [
    "help", "rules", "board", "hint", "resign", "again", "why", "terms", "wait", "claim", "leave", "draw",
    "takeback", "pause", "accept", "decline", "resume", "review", "quit", "say", "mute", "kick",
];
const HALL_WORDS: [&str; 7] = ["help", "list", "new", "quick", "join", "watch", "quit"];

const NEW: &str = "Write the game after new, as in new java-tech or new java-tech bot.";
const QUICK: &str = "Write one game after quick, as in quick java-tech; bot goes with new.";
const WATCH: &str = "Write which lobby to watch, as in watch brave-otter; list shows them.";
const JOIN: &str = "Write which lobby to join, as in join brave-otter; list shows them.";

const RESUME: &str = "To come back to a seat of yours, type quit, and then run nim-client resume.";
const IN_HALL: &str = "you are in the hall, and this is for a lobby; help lists what can be typed here.";

/// Whether these words are a lobby's code.
fn has_code(words: &[&str]) -> bool {
    words.join(" ").parse::<crate::lobby::Code>().is_ok()
}

/// Whether this is a game rather than a lobby's code.
fn is_game(word: &str) -> bool {
    word.parse::<crate::lobby::Code>().is_err() && word.parse::<Variant>().is_ok()
}

fn variant(game: &str) -> Result<Variant, String> {
    game.parse().map_err(|error: BadText| full_stop(&error.to_string()))
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
        assert_eq!(GameCommand::from("  HINT "), GameCommand::Ask(Action::Hint));
        assert_eq!(GameCommand::from(" take 2 from B "), GameCommand::Move("take 2 from B"));
        assert_eq!(GameCommand::from("\t"), GameCommand::Nothing);
    }

    fn read(line: &str) -> Result<HallCommand, String> {
        HallCommand::read(line, Terms::default())
    }

    #[test]
    fn a_line_in_the_hall_is_a_command_or_a_code() {
        for line in ["list", "LIST", " List "] {
            assert_eq!(read(line), Ok(HallCommand::go(Action::Look)), "{line}");
        }
        let join = HallCommand::go(Action::Join("brave-otter".parse().unwrap(), None));
        for line in ["brave-otter", "join brave-otter", "Brave Otter", "JOIN brave otter"] {
            assert_eq!(read(line), Ok(join.clone()), "{line}");
        }
    }

    #[test]
    fn a_lobby_is_opened_on_the_terms_that_somebody_prefers_or_types() {
        let usual = Terms { bot: BotWish::PeopleOnly, ..Terms::default() };
        for (line, open, bot, level) in [
            ("new java-tech", Action::Create as fn(Terms) -> Action, BotWish::PeopleOnly, Level::Perfect),
            ("New Java-Tech BOT", Action::Create, BotWish::AtOnce, Level::Perfect),
            ("new java-tech bot Easy", Action::Create, BotWish::AtOnce, Level::Easy),
            ("quick java-tech", Action::Quick, BotWish::PeopleOnly, Level::Perfect),
        ] {
            let wish = open(Terms { bot, level, ..usual.clone() });
            assert_eq!(HallCommand::read(line, usual.clone()), Ok(HallCommand::go(wish)), "{line}");
        }
    }

    #[test]
    fn a_wrong_line_in_the_hall_is_answered_with_what_would_be_right() {
        assert_eq!(read("quick java-tech:0").unwrap_err(), "java-tech:0: a pile has 1 to 10^18 objects.");
        for (line, part) in [
            ("hello", "as in brave-otter"),
            ("new", "as in new java-tech"),
            ("new java-tech robot", "as in new java-tech"),
            ("new java-tech bot weak", "weak: no level has this name; there are beginner"),
            ("quick", "as in quick java-tech"),
            ("quick java-tech bot", "bot goes with new"),
            ("join", "as in join brave-otter"),
            ("resume", "nim-client resume"),
            ("resume brave-otter", "nim-client resume"),
            ("why", "why: you are in the hall"),
            ("LEAVE", "leave: you are in the hall"),
            ("wait no more", "wait no more: a lobby's code is two words"),
            ("java-tech", "quick java-tech joins somebody who waits for it"),
            ("take:9:4", "new take:9:4 opens a lobby"),
        ] {
            assert!(read(line).unwrap_err().contains(part), "{line}");
        }
    }
}
