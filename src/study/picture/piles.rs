//! Piles as rows of sticks in groups of five, each with its number. A large pile is its number alone.

use super::canvas::{LETTER, Picture, pixels};
use crate::game::BySide;

/// The height of a row.
const ROW: i64 = 18;
/// The distance of two sticks, the gap after five, and the gap before the first.
const STICK: i64 = 6;
const GROUP: i64 = 4;
const GAP: i64 = 6;
/// The width of a cell of a count.
const CELL: i64 = 7;

/// A row: a name, a number, and sticks or not.
struct Row {
    name: String,
    count: u64,
    sticks: bool,
}

/// Several piles with their letters, or one without. Piles of up to `most` are drawn as sticks.
pub(super) fn piles(piles: &[u64], most: u64) -> Picture {
    let letters = ('a'..='z').map(|letter| if piles.len() > 1 { letter.into() } else { String::new() });
    let row = |(name, &count)| Row { name, count, sticks: count <= most };
    rows(&letters.zip(piles).map(row).collect::<Vec<_>>())
}

/// The middle and the heaps of both sides, of which only the number matters.
pub(super) fn heaps(middle: u64, heaps: BySide<u64>, most: u64) -> Picture {
    let row = |name: &str, count, sticks| Row { name: name.into(), count, sticks };
    rows(&[
        row("middle", middle, middle <= most),
        row("first", heaps.first, false),
        row("second", heaps.second, false),
    ])
}

/// A count on its way to the goal.
pub(super) fn count(count: u64, goal: u64) -> Picture {
    let number = count.to_string();
    let (width, left) = (CELL * pixels(goal), LETTER * characters(&number));
    let mut picture = Picture::new(width, 28);
    picture.text("number", ((width - left) / 2, 13), &number);
    for cell in 0..goal {
        let class = if cell < count { "full" } else { "empty" };
        picture.rectangle(class, (CELL * pixels(cell) + 1, 19), (CELL - 2, 8));
    }
    picture
}

fn rows(rows: &[Row]) -> Picture {
    let names = rows.iter().map(|row| characters(&row.name)).max().unwrap_or(0);
    let digits = rows.iter().map(|row| characters(&row.count.to_string())).max().unwrap_or(0);
    let numbers = if names == 0 { 0 } else { LETTER * names + GAP };
    let sticks = numbers + LETTER * digits + GAP;
    let drawn = rows.iter().filter(|row| row.sticks && row.count > 0).map(|row| width(row.count));
    let mut picture = Picture::new(sticks + drawn.max().unwrap_or(-GAP), ROW * pixels(rows.len()));
    for (at, row) in (0..).zip(rows) {
        let (top, number) = (ROW * at, row.count.to_string());
        if names > 0 {
            picture.text("name", (0, top + 13), &row.name);
        }
        picture.text("number", (numbers + LETTER * (digits - characters(&number)), top + 13), &number);
        if row.sticks && row.count > 0 {
            let stick = |stick| format!("M{} {}v12", sticks + place(stick) + 2, top + 3);
            picture.path("sticks", &(0..row.count).map(stick).collect::<String>());
        }
    }
    picture
}

/// Where a stick begins, counted from 0.
fn place(stick: u64) -> i64 {
    pixels(stick) * STICK + pixels(stick / 5) * GROUP
}

fn width(count: u64) -> i64 {
    place(count.saturating_sub(1)) + STICK
}

fn characters(text: &str) -> i64 {
    pixels(text.chars().count())
}
