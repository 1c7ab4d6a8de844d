//! The cross-table of a tournament, as text: the points of each player against each other from either seat,
//! and a comparison of each player with the next one.

use std::fmt::{self, Write};

use crate::game::{Outcome, Side};

/// The points of the first mover in games between the same two players from the same seats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Share {
    /// Half points: 2 for a win, 1 for a draw.
    halves: u64,
    /// The number of games. Only shares with the same number are compared.
    games: u64,
}

impl Share {
    fn add(&mut self, outcome: Outcome) {
        self.games += 1;
        self.halves += match outcome {
            Outcome::Win(Side::First) => 2,
            Outcome::Draw => 1,
            Outcome::Win(Side::Second) => 0,
        };
    }

    /// The points of the second mover.
    fn of_second(self) -> Self {
        Self { halves: 2 * self.games - self.halves, ..self }
    }

    fn is_more_than_half(self) -> bool {
        self.halves > self.games
    }
}

impl fmt::Display for Share {
    /// In per cent, rounded to one digit after the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.halves * 1_000 + self.games) / (2 * self.games).max(1);
        f.pad(&format!("{}.{}", tenths / 10, tenths % 10))
    }
}

/// The results of all players against each other from both seats.
#[derive(Debug, Clone)]
pub struct CrossTable<'a> {
    names: &'a [&'a str],
    /// A row for each first mover, with one entry for each second mover.
    rows: Vec<Vec<Share>>,
}

impl<'a> CrossTable<'a> {
    /// An empty table. The strongest player comes first.
    pub fn new(names: &'a [&'a str]) -> Self {
        Self { names, rows: vec![vec![Share::default(); names.len()]; names.len()] }
    }

    /// Counts a game between two players, by their indices. Unknown indices are ignored.
    pub fn add(&mut self, first: usize, second: usize, outcome: Outcome) {
        if let Some(share) = self.rows.get_mut(first).and_then(|row| row.get_mut(second)) {
            share.add(outcome);
        }
    }

    /// The table in points, and a line that compares each player with the next one.
    pub fn text(&self) -> String {
        let mut text =
            String::from("points of the first mover (in the row) against the second, in per cent\n");
        let width = self.names.iter().map(|name| name.len()).max().unwrap_or(0).max("100.0".len());
        row(&mut text, width, "", self.names.iter().map(ToString::to_string));
        for (name, met) in self.names.iter().zip(&self.rows) {
            row(&mut text, width, name, met.iter().map(ToString::to_string));
        }
        text.push_str("each level against the next one, and the points of that one from the same seat\n");
        pair_row(&mut text, width, ["level", "next", "seat", "points", "of next"], "result");
        for pair in 1..self.names.len() {
            self.pair(&mut text, pair - 1, pair);
        }
        text
    }

    fn pair(&self, text: &mut String, upper: usize, lower: usize) {
        let (one, other) = (self.rows[upper][lower], self.rows[lower][upper]);
        let width = self.names.iter().map(|name| name.len()).max().unwrap_or(0).max("100.0".len());
        for (seat, mine, theirs) in [("first", one, other), ("second", other.of_second(), one.of_second())] {
            let points = [mine, theirs].map(|share| share.to_string());
            let cells = [self.names[upper], self.names[lower], seat, points[0].as_str(), points[1].as_str()];
            pair_row(text, width, cells, comparison(mine, theirs));
        }
    }
}

fn row(text: &mut String, width: usize, name: &str, cells: impl Iterator<Item = String>) {
    // Writing to a string does not fail.
    let _ = write!(text, "{name:width$}");
    for cell in cells {
        let _ = write!(text, "  {cell:>width$}");
    }
    text.push('\n');
}

/// A row of the comparison: names, the seat, and points.
fn pair_row(text: &mut String, width: usize, [level, next, seat, mine, theirs]: [&str; 5], result: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{level:width$}  {next:width$}  {seat:6}  {mine:>7}  {theirs:>7}  {result}");
}

/// Compares two players by their points from the same seat.
fn comparison(mine: Share, theirs: Share) -> &'static str {
    match (mine > theirs, mine.is_more_than_half()) {
        (true, true) => "beats it",
        (true, false) => "does better",
        (false, _) => "is not better",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIN: Outcome = Outcome::Win(Side::First);
    const LOSS: Outcome = Outcome::Win(Side::Second);

    #[test]
    fn all_players_are_compared_with_each_other_and_with_the_next_one() {
        let mut table = CrossTable::new(&["master", "pupil"]);
        let met = [
            (0, 0, [Outcome::Draw, WIN, LOSS]),
            (0, 1, [WIN, WIN, Outcome::Draw]),
            (1, 0, [WIN, Outcome::Draw, LOSS]),
            (1, 1, [LOSS, LOSS, LOSS]),
        ];
        for (first, second, outcomes) in met {
            for outcome in outcomes {
                table.add(first, second, outcome);
            }
        }
        assert_eq!(
            table.text(),
            "points of the first mover (in the row) against the second, in per cent\n        master   pupil\n\
             master    50.0    83.3\npupil     50.0     0.0\n\
             each level against the next one, and the points of that one from the same seat\n\
             level   next    seat     points  of next  result\n\
             master  pupil   first      83.3     50.0  beats it\n\
             master  pupil   second     50.0     16.7  does better\n"
        );
    }

    #[test]
    fn a_player_without_more_points_from_the_same_seat_is_not_better() {
        let share = |halves| Share { halves, games: 10 };
        assert_eq!(comparison(share(15), share(15)), "is not better");
        assert_eq!(comparison(share(10), share(9)), "does better");
        assert_eq!(comparison(share(11), share(10)), "beats it");
    }

    #[test]
    fn unknown_players_are_ignored() {
        let mut table = CrossTable::new(&["alone"]);
        table.add(0, 1, WIN);
        table.add(1, 0, WIN);
        assert!(table.text().contains("alone    0.0\n"), "{}", table.text());
    }
}
