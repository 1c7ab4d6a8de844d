//! Solving a game backwards from its ends, for games whose moves can lead back, so that a tree of them never ends.
//!
//! A won position is one with a move to a lost one, a lost position one whose moves all lead to won ones; whatever
//! gets neither label is a draw, since each side can go round for ever rather than lose. The length of a win or a
//! loss is exact: the plies to the end of the game when the winner makes the quickest way and the loser the longest.
//!
//! The history of a game does not count here, though a third repetition ends a real one as a draw: a quickest win comes
//! to no position twice, so only a winner who has dallied on the same way before could be caught by that rule.
//!
//! Source: K. Thompson, "Retrograde analysis of certain endgames" (1986); the count of moves that are still open is
//! the usual way to label each position once.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::budget::{Budget, GaveUp, Purse};
use super::{Stop, Table, Value, children};
use crate::game::Game;

/// Solves the game from `root` on: any game with few enough positions, endless or not.
///
/// Of the budget only the nodes count, for nothing here is recursive; they bound the memory too.
pub fn solve<G: Game>(root: &G, budget: Budget, stop: &Stop) -> Result<Table<G>, GaveUp> {
    let mut graph = Graph::of(root, &mut Purse::new(budget, stop))?;
    graph.label();
    Ok(graph.table())
}

/// A position's number, in the order in which they were found.
type Place = usize;

/// All positions that can be reached, with the ways between them turned round.
struct Graph<G> {
    places: FxHashMap<G, Place>,
    nodes: Vec<Node>,
}

/// What is known of one position.
struct Node {
    /// Its value, once it is labelled; all finished positions are from the start.
    value: Option<Value>,
    /// How many of its moves are not yet known to lose.
    open: u64,
    /// The positions that a move leads from to this one, once for each move.
    parents: Vec<Place>,
}

impl<G: Game> Graph<G> {
    /// Finds every position, each of them once.
    fn of(root: &G, purse: &mut Purse) -> Result<Self, GaveUp> {
        let mut graph = Self { places: FxHashMap::default(), nodes: Vec::new() };
        let mut waiting = vec![root.clone()];
        graph.place(root);
        while let Some(position) = waiting.pop() {
            // All moves are paid for before the first is made, so that a vast choice costs nothing.
            purse.spend(position.move_count().saturating_add(1))?;
            let place = graph.place(&position);
            for (_, child) in children(&position) {
                let known = graph.nodes.len();
                let below = graph.place(&child);
                graph.nodes[below].parents.push(place);
                if below == known {
                    waiting.push(child);
                }
            }
        }
        Ok(graph)
    }

    /// The number of a position; a new one if it has none yet.
    fn place(&mut self, position: &G) -> Place {
        if let Some(&place) = self.places.get(position) {
            return place;
        }
        let value = position.outcome().map(|outcome| Value::of(outcome, position.turn()));
        self.nodes.push(Node { value, open: position.move_count(), parents: Vec::new() });
        self.places.insert(position.clone(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Labels all that is won or lost, the quickest first: what is labelled from a position is one ply longer than
    /// that position, so the queue is always in the order of lengths.
    fn label(&mut self) {
        let mut queue: VecDeque<Place> =
            (0..self.nodes.len()).filter(|&place| self.nodes[place].value.is_some()).collect();
        while let Some(place) = queue.pop_front() {
            let worth = self.nodes[place].value.unwrap_or(Value::Draw).for_mover();
            for parent in std::mem::take(&mut self.nodes[place].parents) {
                if self.nodes[parent].learn(worth) {
                    queue.push_back(parent);
                }
            }
        }
    }

    fn table(self) -> Table<G> {
        let value = |place: Place| self.nodes[place].value.unwrap_or(Value::Draw);
        Table(self.places.into_iter().map(|(position, place)| (position.twin(), value(place))).collect())
    }
}

impl Node {
    /// Takes in that one of the moves is worth this much, and says whether that settles the value.
    fn learn(&mut self, worth: Value) -> bool {
        if self.value.is_some() {
            return false;
        }
        let settled = match worth {
            Value::Win(_) => true,
            Value::Draw => false,
            Value::Loss(_) => {
                self.open = self.open.saturating_sub(1);
                self.open == 0
            }
        };
        if settled {
            self.value = Some(worth);
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::{Position, Variant};
    use crate::game::{Side, for_each_reachable};
    use crate::search::toy::{Maze, Pendulum, nim};
    use crate::search::{WHOLE_GAME, memo, policy};

    fn start(text: &str) -> Position {
        text.parse::<Variant>().unwrap().start().position()
    }

    fn solved<G: Game>(root: &G) -> Table<G> {
        solve(root, WHOLE_GAME, &Stop::new()).unwrap()
    }

    /// Holds every value to that of the search with memory, for a game that ends.
    fn agrees_with_memo<G: Game>(root: &G) {
        let twin = memo::solve(root, WHOLE_GAME, &Stop::new()).unwrap();
        assert_eq!(solved(root).0, twin.0);
    }

    #[test]
    fn it_agrees_with_the_search_with_memory_in_games_that_end() {
        (0..300).map(Maze::new).for_each(|maze| agrees_with_memo(&maze));
        for text in ["java-tech", "one-two-ten", "nim:3-4-5:misere", "nim:4-4:max=2"] {
            agrees_with_memo(&nim(text));
        }
        for text in ["tic-tac-toe", "even-or-odd", "even-or-odd:8"] {
            agrees_with_memo(&start(text));
        }
    }

    /// The slow twin: in round n every position is looked at for a win or a loss in n plies, by the rounds before.
    fn by_rounds<G: Game>(root: &G) -> FxHashMap<G, Value> {
        let (mut positions, mut values) = (Vec::new(), FxHashMap::default());
        assert!(for_each_reachable(root, 10_000, |position| positions.push(position.clone())));
        loop {
            let found: Vec<(G, Value)> = positions
                .iter()
                .filter(|position| !values.contains_key(*position))
                .filter_map(|position| Some((position.clone(), by_its_moves(position, &values)?)))
                .collect();
            if found.is_empty() {
                break;
            }
            values.extend(found);
        }
        for position in positions {
            values.entry(position).or_insert(Value::Draw);
        }
        values
    }

    /// The value of a position as far as the values of the rounds before give it.
    fn by_its_moves<G: Game>(position: &G, values: &FxHashMap<G, Value>) -> Option<Value> {
        if let Some(outcome) = position.outcome() {
            return Some(Value::of(outcome, position.turn()));
        }
        let worth: Vec<Option<Value>> =
            children(position).map(|(_, child)| values.get(&child).map(|value| value.for_mover())).collect();
        let best = worth.iter().flatten().max().copied()?;
        (matches!(best, Value::Win(_)) || worth.iter().all(Option::is_some)).then_some(best)
    }

    #[test]
    fn it_agrees_with_the_rounds_in_endless_games() {
        for text in ["pong-hau-ki", "mu-torere"] {
            assert_eq!(solved(&start(text)).0, by_rounds(&start(text)), "{text}");
        }
    }

    #[test]
    fn in_a_drawn_position_the_moves_are_chosen_that_leave_the_most_losing_replies() {
        for text in ["pong-hau-ki", "mu-torere"] {
            let (table, twin) = (solved(&start(text)), by_rounds(&start(text)));
            for position in twin.keys().filter(|position| twin[*position] == Value::Draw) {
                let losing = |child: &Position| {
                    children(child).filter(|(_, reply)| matches!(twin[reply], Value::Win(_))).count()
                };
                let drawing = || children(position).filter(|(_, child)| twin[child] == Value::Draw);
                let most = drawing().map(|(_, child)| losing(&child)).max();
                let chosen: Vec<_> =
                    drawing().filter(|(_, child)| Some(losing(child)) == most).map(|(mv, _)| mv).collect();
                assert_eq!(policy::best(position, &table).unwrap().moves, chosen, "{position:?}");
            }
        }
    }

    #[test]
    fn a_pendulum_is_a_draw() {
        let table = solved(&Pendulum(Side::First));
        assert_eq!((table.0.len(), table.value(&Pendulum(Side::Second))), (2, Some(Value::Draw)));
    }

    #[test]
    fn a_budget_is_kept_to_the_last_node() {
        // Positions 2, 1 and 0, the 0 with either side to move: four of them, with 2 + 1 moves.
        let refusal = |nodes| solve(&nim("take:2:2"), Budget { nodes, plies: 0 }, &Stop::new()).err();
        assert_eq!((refusal(7), refusal(6)), (None, Some(GaveUp::TooLarge)));
    }

    #[test]
    fn a_vast_choice_and_a_vast_game_are_too_large() {
        for text in ["nim:1000000000000000000", "take:1000000000000000000:3"] {
            assert_eq!(solve(&nim(text), WHOLE_GAME, &Stop::new()).unwrap_err(), GaveUp::TooLarge);
        }
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Stop::new();
        stop.raise();
        assert_eq!(solve(&nim("nim:3-4-5"), WHOLE_GAME, &stop).unwrap_err(), GaveUp::Stopped);
    }
}
