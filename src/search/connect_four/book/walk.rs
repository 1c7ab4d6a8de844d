//! The positions that a perfect bot in either seat can meet, against any play: those that a book has to answer
//! if a search takes too long.

use std::collections::BTreeMap;

use super::answers::Answers;
use super::positions::key;
use crate::game::connect_four::ConnectFour;
use crate::game::{Game, Side};

/// The greatest number of stones of the positions that are answered. The first side moves after an even
/// number, the second after an odd one.
const fn most_stones(seat: Side) -> u32 {
    match seat {
        Side::First => 12,
        Side::Second => 11,
    }
}

/// The positions with one number of stones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookLayer {
    /// The number of stones.
    pub stones: u32,
    /// The number of positions, one of each pair of mirror images.
    pub positions: usize,
    /// Those without an answer.
    pub unanswered: Vec<ConnectFour>,
}

/// The first positions that lack an answer, those of the first seat before those of the second; `None` if none
/// does.
pub(super) fn next_layer(answers: &Answers) -> Option<BookLayer> {
    Side::BOTH.into_iter().find_map(|seat| next_layer_of(seat, answers))
}

fn next_layer_of(seat: Side, answers: &Answers) -> Option<BookLayer> {
    let start = vec![ConnectFour::default()];
    let mut positions = if seat == Side::First { start } else { after_any_move(&start) };
    let mut stones = positions.first()?.stones();
    while stones <= most_stones(seat) {
        let lacks = |position: &&ConnectFour| answers.get(position).is_none();
        let unanswered: Vec<_> = positions.iter().filter(lacks).copied().collect();
        if !unanswered.is_empty() {
            return Some(BookLayer { stones, positions: positions.len(), unanswered });
        }
        positions = after_any_move(&after_best_moves(&positions, answers));
        stones += 2;
    }
    None
}

fn after_any_move(positions: &[ConnectFour]) -> Vec<ConnectFour> {
    merged(positions.iter().flat_map(|position| position.moves().filter_map(|mv| position.play(mv).ok())))
}

fn after_best_moves(positions: &[ConnectFour], answers: &Answers) -> Vec<ConnectFour> {
    let best = |position: &ConnectFour| answers.get(position).map(|answer| answer.best(position).moves);
    merged(
        positions.iter().flat_map(|position| {
            best(position).into_iter().flatten().filter_map(|mv| position.play(mv).ok())
        }),
    )
}

/// The unfinished positions, one of each pair of mirror images, in the order of their keys.
fn merged(positions: impl Iterator<Item = ConnectFour>) -> Vec<ConnectFour> {
    let unfinished = positions.filter(|position| position.outcome().is_none());
    let by_key: BTreeMap<u64, ConnectFour> =
        unfinished.map(|position| (key(position.board()), position)).collect();
    by_key.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::super::answers::Answer;
    use super::*;
    use crate::game::connect_four::Column;
    use crate::search::{Best, Grounds, Merit, Value};

    /// Answers every position with its leftmost move.
    fn answer(layer: &BookLayer, answers: &mut Answers) {
        for position in &layer.unanswered {
            let moves: Vec<Column> = position.moves().take(1).collect();
            let best =
                Best { moves, grounds: Grounds::Searched { value: Value::Draw, merit: Merit::Nothing } };
            answers.insert(position, Answer::new(position, &best, true).unwrap());
        }
    }

    #[test]
    fn the_first_seat_is_walked_to_its_end_and_then_the_second() {
        let mut answers = Answers::default();
        let mut seen = Vec::new();
        while let Some(layer) = next_layer(&answers).filter(|_| seen.len() < 2) {
            assert_eq!(layer.unanswered.len(), layer.positions);
            answer(&layer, &mut answers);
            seen.push((layer.stones, layer.positions));
        }
        // The bot plays the leftmost column, and the other side any.
        assert_eq!(seen, [(0, 1), (2, 7)]);
        for expected in [(1, 4), (3, 22)] {
            let layer = next_layer_of(Side::Second, &answers).unwrap();
            assert_eq!((layer.stones, layer.positions), expected);
            answer(&layer, &mut answers);
        }
    }

    #[test]
    fn a_layer_without_a_missing_answer_is_passed() {
        let mut answers = Answers::default();
        let first = next_layer(&answers).unwrap();
        assert_eq!((first.stones, first.unanswered.len()), (0, 1));
        answer(&first, &mut answers);
        let second = next_layer_of(Side::First, &answers).unwrap();
        assert_eq!((second.stones, second.positions, second.unanswered.len()), (2, 7, 7));
        let known = answers.get(&ConnectFour::default()).unwrap();
        answers.insert(&second.unanswered[0], known);
        assert_eq!(next_layer_of(Side::First, &answers).unwrap().unanswered.len(), 6);
    }
}
