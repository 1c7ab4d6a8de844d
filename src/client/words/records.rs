//! Games that were played, as lines of a list.

use super::marked;
use crate::client::records::Found;
use crate::game::{Outcome, Side};
use crate::lobby::{Cause, GameResult, Name};

/// The games as a table, with a line above them that says what the columns are; all times are in UTC.
pub fn table(games: &[Found]) -> Vec<String> {
    let head =
        ["game", "began (UTC)", "lobby", "what was played, by whom, and how it ended"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(games.iter().map(columns)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [0, 1, 2].map(width);
    let line = |[name, began, code, rest]: &[String; 4]| {
        format!("{name:<0$}  {began:<1$}  {code:<2$}  {rest}", widths[0], widths[1], widths[2])
    };
    rows.iter().map(line).collect()
}

fn columns(game: &Found) -> [String; 4] {
    let began = game.started.to_string();
    // To the minute: that is enough to know a game again.
    let began = began.rsplit_once(':').map_or(began.as_str(), |(minute, _)| minute);
    let players = Side::BOTH.map(|side| called(game, side)).join(" against ");
    let rest = format!("{}, {players}: {}", game.variant, ending(game));
    [game.name.clone(), began.to_owned(), game.code.to_string(), rest]
}

fn called(game: &Found, side: Side) -> String {
    let player = &game.players[side];
    marked(&player.name, player.kind, game.level)
}

/// How a game ended, as a clause: `anna won, ben resigned`.
pub fn ending(game: &Found) -> String {
    told(game, None)
}

/// The same for whoever is called `you` there: `you won, ben resigned`.
pub fn ending_for(game: &Found, you: &Name) -> String {
    told(game, Some(you))
}

fn told(game: &Found, you: Option<&Name>) -> String {
    let is_you = |side: Side| you == Some(&game.players[side].name);
    let called = |side: Side| if is_you(side) { "you".into() } else { called(game, side) };
    let Some(GameResult { outcome, cause }) = game.result else { return "it goes on".into() };
    match outcome {
        Outcome::Win(side) => {
            let (winner, loser) = (called(side), called(!side));
            match cause {
                Cause::Resigned => format!("{winner} won, {loser} resigned"),
                Cause::Left => format!("{winner} won, {loser} left"),
                Cause::Forfeited => {
                    let was = if is_you(!side) { "were" } else { "was" };
                    format!("{winner} won, {loser} {was} away for too long")
                }
                Cause::Time => format!("{winner} won, {loser} ran out of time"),
                Cause::Rules | Cause::Repetition | Cause::Abandoned | Cause::Agreed => {
                    format!("{winner} won")
                }
            }
        }
        Outcome::Draw => match cause {
            Cause::Agreed => "draw, both agreed".into(),
            Cause::Abandoned => "draw, nobody came back".into(),
            Cause::Repetition => "draw, a position came up for the third time".into(),
            Cause::Rules | Cause::Resigned | Cause::Left | Cause::Forfeited | Cause::Time => "draw".into(),
        },
    }
}
