//! The names by which games can be called: other names than their own, and the name that a misspelt one is
//! most like.

use crate::alike;

/// Other names, each with the game's own. People type them; the game's own name is shown.
const ALIASES: [(&str, &str); 10] = [
    ("subtraction", "java-tech"),
    ("one-or-two", "zero-sum"),
    ("race-to-ten", "one-two-ten"),
    ("tictactoe", "tic-tac-toe"),
    ("ttt", "tic-tac-toe"),
    ("noughts-and-crosses", "tic-tac-toe"),
    ("connect4", "connect-four"),
    ("connect-4", "connect-four"),
    ("connectfour", "connect-four"),
    ("c4", "connect-four"),
];

/// Where a name comes from that does not say what the game is, in one sentence.
const ORIGINS: [(&str, &str); 2] = [
    ("java-tech", "Named after Java Tech, Jeff Friesen's column of 2004."),
    ("zero-sum", "Zero-sum means that one player wins what the other loses."),
];

/// The game's own name for any of its names; an unknown name is returned as it is.
pub fn own_name(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, own)| own)
}

/// The other names of a game, for lists.
pub fn other_names(own: &str) -> impl Iterator<Item = &'static str> {
    ALIASES.into_iter().filter(move |(_, name)| *name == own).map(|(alias, _)| alias)
}

/// Where a game's own name comes from, if the name does not say what the game is.
pub fn origin(own: &str) -> Option<&'static str> {
    ORIGINS.into_iter().find(|(name, _)| *name == own).map(|(_, origin)| origin)
}

/// Which of these games this unknown name is most like, if any is much like it.
pub(super) fn most_like(name: &str, games: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    alike::most_like_by(name, games.map(|name| (name, name)).chain(ALIASES))
}
