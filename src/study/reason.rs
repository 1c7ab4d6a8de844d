//! Reasons for moves by their values alone, for every game.

use super::words::bare;
use crate::game::Game;
use crate::search::{Best, Grounds, Known, Merit, Value, Verdict};

/// The reason for a move of whose value no rule tells the reason. The value itself is said beside it.
pub(super) const FOUND: &str = "found by searching; there is no short reason";

/// The reason for the moves in `best`, as a clause after one of them.
pub(super) fn of<G: Game>(position: &G, best: &Best<G::Move>) -> String {
    match best.grounds {
        Grounds::Searched { value: Value::Win(plies), .. } => won(plies).into(),
        Grounds::Searched { value: Value::Draw, .. } if position.move_count() == 1 => {
            "it is the only legal move, and it draws".into()
        }
        Grounds::Searched { value: Value::Draw, merit } => drawing(merit).into(),
        Grounds::Searched { value: Value::Loss(_), merit } => losing(defence(merit)),
        Grounds::Proved(Verdict::Win | Verdict::Draw) => FOUND.into(),
        Grounds::Proved(Verdict::Loss) => losing("this one leaves the most to play"),
        Grounds::Estimated => {
            "nothing better was found, but the game is too large to search to its end".into()
        }
    }
}

/// The reason for a move that does not lose, but is not among the best.
pub(super) fn lesser(known: Known) -> &'static str {
    match known {
        Known::Value(Value::Win(plies)) => won(plies),
        _ => FOUND,
    }
}

/// The reason for a win in this many moves of either side.
fn won(plies: u32) -> &'static str {
    if plies > 2 { FOUND } else { "it wins at once" }
}

/// The value of a move that does not lose, as a clause after the move.
pub(super) fn value(known: Known) -> String {
    match known {
        Known::Value(Value::Win(plies)) => winning(plies),
        known if known.verdict() == Verdict::Win => "it wins against any defence".into(),
        _ => "it draws against perfect play".into(),
    }
}

/// Why a move loses: the `reply` of the other side wins within this many plies, including the reply.
pub(super) fn answered(reply: &str, plies: Option<u32>) -> String {
    let reply = bare(reply);
    match plies {
        None => format!("the other side answers with {reply} and wins"),
        Some(0..=2) => format!("the other side answers with {reply} and wins at once"),
        Some(moves) => format!("the other side answers with {reply} and wins in {moves} moves"),
    }
}

/// A win in this many moves of either side.
pub(super) fn winning(plies: u32) -> String {
    match plies {
        0..=2 => "it wins at once".into(),
        moves => format!("it wins in {moves} moves against any defence"),
    }
}

fn drawing(merit: Merit) -> &'static str {
    match merit {
        Merit::Result => "it draws; the others lose",
        Merit::Replies => "it draws, and leaves the most replies that lose",
        Merit::Length | Merit::Nothing => "it draws, and so does every other move",
    }
}

fn losing(defence: &str) -> String {
    format!("every move loses here; {defence}")
}

fn defence(merit: Merit) -> &'static str {
    match merit {
        Merit::Length => "this one holds out longest",
        Merit::Replies => "this one leaves the fewest winning replies",
        Merit::Result | Merit::Nothing => "none is better than another",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;
    use crate::game::nim::NimVariant;

    fn words(grounds: Grounds) -> String {
        let any_position = NimVariant::parse("java-tech", &[]).unwrap().unwrap().start();
        of(&any_position, &Best { moves: any_position.moves().collect(), grounds })
    }

    #[test]
    fn reasons_that_the_file_of_sentences_lacks_read_well() {
        let searched = |value| words(Grounds::Searched { value, merit: Merit::Length });
        let lost = "every move loses here; this one holds out longest";
        assert_eq!([1, 2].map(|plies| searched(Value::Win(plies))), ["it wins at once"; 2]);
        assert_eq!(searched(Value::Loss(4)), lost);
        let replies = Grounds::Searched { value: Value::Draw, merit: Merit::Replies };
        assert_eq!(words(replies), "it draws, and leaves the most replies that lose");
        assert_eq!(words(Grounds::Proved(Verdict::Win)), FOUND);
        assert!(words(Grounds::Estimated).contains("too large to search to its end"));
        assert_eq!(answered("take 3", Some(1)), "the other side answers with take 3 and wins at once");
        assert_eq!(answered("take 3", None), "the other side answers with take 3 and wins");
        assert_eq!(lesser(Known::Value(Value::Win(5))), FOUND);
        assert_eq!(lesser(Known::Value(Value::Win(1))), "it wins at once");
        assert_eq!(value(Known::Value(Value::Win(5))), "it wins in 5 moves against any defence");
        assert_eq!(value(Known::Verdict(Verdict::Win)), "it wins against any defence");
        assert_eq!(value(Known::Value(Value::Draw)), "it draws against perfect play");
    }
}
