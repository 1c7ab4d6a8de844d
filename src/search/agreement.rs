//! Compares every search with plain minimax, in every position of small games with wins, draws and losses.

use std::collections::HashSet;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::count::count;
use super::evaluation::{Even, Heuristic};
use super::graph::{Extent, Graph};
use super::limits::{Budget, GaveUp};
use super::minimax::{self, minimax};
use super::ordering::HistoryTable;
use super::run::{Params, SearchResult};
use super::test_games::{Arbitrary, Maze, nim};
use super::transposition::TranspositionTable;
use super::{
    Evaluation, Grounds, Merit, Score, Stop, Value, Verdict, WHOLE_GAME, alpha_beta, children, deepening,
    memo, retrograde, tablebase,
};
use crate::game::{Game, Outcome, Side, for_each_reachable};

/// The values of all positions that can be reached, by plain minimax.
struct Values<G>(FxHashMap<G, Value>);

impl<G: Game> Values<G> {
    fn of(root: &G) -> Self {
        let mut values = FxHashMap::default();
        assert!(for_each_reachable(root, 10_000, |position| {
            values.insert(position.clone(), minimax(position, &Stop::new()).unwrap());
        }));
        Self(values)
    }

    /// The value of a move to this position.
    fn for_mover(&self, child: &G) -> Value {
        self.0[child].for_mover()
    }

    fn tablebases_agree(&self, root: &G, reasons: &mut HashSet<(i64, Merit)>) {
        let table = memo::solve(root, WHOLE_GAME, &Stop::new()).unwrap();
        assert_eq!(retrograde::solve(root, WHOLE_GAME, &Stop::new()).unwrap().0, table.0);
        for (position, &value) in &self.0 {
            assert_eq!(table.value(position), Some(value), "{position:?}");
            let ranks: Vec<_> = children(position).map(|(_, child)| self.rank(&child)).collect();
            let Some(&first) = ranks.iter().max() else {
                assert_eq!(tablebase::best(position, &table), None);
                continue;
            };
            let ranked = position.moves().zip(&ranks).filter(|(_, rank)| **rank == first);
            let best = tablebase::best(position, &table).unwrap();
            assert_eq!(best.moves, ranked.map(|(mv, _)| mv).collect::<Vec<_>>(), "{position:?}");
            let Grounds::Searched { value: found, merit } = best.grounds else { panic!("{best:?}") };
            assert_eq!(found, value);
            assert!(is_true(merit, first, &ranks), "{position:?} {merit:?} {ranks:?}");
            reasons.insert((first.0, merit));
        }
    }

    /// The rank of a move as three numbers, the most important first.
    fn rank(&self, child: &G) -> (i64, i64, i64) {
        let replies = |verdict| {
            let same = children(child).filter(|(_, next)| self.for_mover(next).verdict() == verdict);
            i64::try_from(same.count()).unwrap()
        };
        match self.for_mover(child) {
            Value::Win(plies) => (1, -i64::from(plies), 0),
            Value::Draw => (0, 0, replies(Verdict::Loss)),
            Value::Loss(plies) => (-1, i64::from(plies), -replies(Verdict::Win)),
        }
    }

    /// Alpha-beta without a table, and with tables of several sizes, which may be too small for all
    /// positions.
    fn alpha_beta_agrees<W: Evaluation<G>>(&self, plies: u32)
    where
        Arbitrary: Heuristic<G, W>,
    {
        let (stop, budget) = (Stop::new(), Budget { nodes: u64::MAX, plies });
        let params = || Params { budget, heuristic: Arbitrary, stop: &stop, observer: () };
        let mut tables = [2, 8, 1_000].map(TranspositionTable::new);
        for position in self.0.keys() {
            let plain: SearchResult<W> = minimax::search(position, params()).unwrap();
            let pruned: SearchResult<W> = alpha_beta::search(position, params()).unwrap();
            assert_eq!(pruned.value, plain.value, "{position:?} {plies}");
            assert!(pruned.nodes <= plain.nodes);
            assert!(pruned.exact || !plain.exact);
            // An entry may be deeper than the limit.
            for table in tables.iter_mut().filter(|_| plain.exact) {
                let found =
                    alpha_beta::search_with(position, table, HistoryTable::default(), params()).unwrap();
                assert_eq!(found.value, plain.value, "{position:?}");
            }
        }
    }

    fn deepening_agrees(&self) {
        for (position, &value) in &self.0 {
            let budget = Budget { nodes: 1_000_000, plies: 50 };
            let Some(found) = deepening::best(position, &Even, budget, &Stop::new()) else {
                assert!(position.outcome().is_some());
                continue;
            };
            let keeping = children(position).filter(|(_, child)| self.for_mover(child) == value);
            assert_eq!(found.moves, keeping.map(|(mv, _)| mv).collect::<Vec<_>>(), "{position:?}");
            let merit = match value {
                _ if found.moves.len() as u64 == position.move_count() => Merit::Nothing,
                Value::Draw => Merit::Result,
                _ => Merit::Length,
            };
            assert_eq!(found.grounds, Grounds::Searched { value, merit }, "{position:?}");
        }
    }

    fn graphs_agree(&self, root: &G) {
        for merged in [true, false] {
            let extent = Extent { merged, size: 1_000_000, depth: u32::MAX };
            let graph = Graph::build(root, extent, &Stop::new()).unwrap();
            for (node, (score, estimated)) in graph.nodes().iter().zip(graph.values::<Score>(&Even).unwrap())
            {
                assert_eq!((score.value(), estimated), (self.0[&node.position], false));
            }
            if merged {
                assert_eq!(graph.nodes().len(), self.0.len());
            } else {
                self.count_agrees(root, &graph);
            }
        }
    }

    /// The count of nodes and results, by visiting every node of the tree.
    fn count_agrees(&self, root: &G, tree: &Graph<G>) {
        let ends =
            |outcome| tree.nodes().iter().filter(|node| node.position.outcome() == Some(outcome)).count();
        let [first, second] = Side::BOTH.map(|side| ends(Outcome::Win(side)));
        let expected = [tree.nodes().len(), first, second, ends(Outcome::Draw)].map(BigUint::from);
        let count = count(root, 100_000, &Stop::new()).unwrap();
        assert_eq!(
            [count.tally.nodes, count.tally.wins.first, count.tally.wins.second, count.tally.draws],
            expected
        );
        assert_eq!(count.positions, self.0.len() as u64);
    }
}

/// Whether `merit` is true of the moves of the `first` rank, if all moves have these ranks.
fn is_true(merit: Merit, first: (i64, i64, i64), ranks: &[(i64, i64, i64)]) -> bool {
    let others: Vec<_> = ranks.iter().filter(|&&rank| rank != first).collect();
    let same_value = |rank: &(i64, i64, i64)| (rank.0, rank.1) == (first.0, first.1);
    match merit {
        Merit::Nothing => others.is_empty(),
        Merit::Result => first.0 == 0 && !others.is_empty() && others.iter().all(|rank| rank.0 < 0),
        Merit::Length => first.0 != 0 && others.iter().any(|rank| !same_value(rank)),
        Merit::Replies => first.0 < 1 && others.iter().any(|rank| same_value(rank)),
    }
}

fn agrees<G: Game>(root: &G, reasons: &mut HashSet<(i64, Merit)>)
where
    Arbitrary: Heuristic<G, Score>,
{
    let values = Values::of(root);
    values.tablebases_agree(root, reasons);
    values.alpha_beta_agrees::<Verdict>(50);
    for plies in [0, 1, 3, 50] {
        values.alpha_beta_agrees::<Score>(plies);
    }
    values.deepening_agrees();
    values.graphs_agree(root);
}

#[test]
fn every_search_agrees_with_plain_minimax_in_mazes() {
    let mut reasons = HashSet::new();
    (0..200).map(Maze::new).for_each(|maze| agrees(&maze, &mut reasons));
    for reason in [
        (1, Merit::Length),
        (1, Merit::Nothing),
        (0, Merit::Result),
        (0, Merit::Replies),
        (0, Merit::Nothing),
        (-1, Merit::Length),
        (-1, Merit::Replies),
        (-1, Merit::Nothing),
    ] {
        assert!(reasons.contains(&reason), "{reason:?} never came up");
    }
}

#[test]
fn every_search_agrees_with_plain_minimax_in_nim() {
    let limits =
        (1..=5).flat_map(|max| ["normal", "misere"].map(|ending| format!("nim:2-3-2:max={max}:{ending}")));
    let others =
        ["java-tech:12", "zero-sum:12", "one-two-ten", "nim:3-3:misere", "nim:6", "nim:1-2-2:misere"];
    for text in limits.chain(others.map(String::from)) {
        agrees(&nim(&text), &mut HashSet::new());
    }
}

#[test]
fn every_search_stops_on_the_flag() {
    let (stop, root) = (Stop::new(), nim("nim:20-20-20"));
    stop.raise();
    let params = || Params::plain(Budget::UNBOUNDED, &stop);
    let extent = Extent { merged: true, size: 100, depth: 9 };
    let reasons = [
        minimax::search::<_, Score, _, _>(&root, params()).unwrap_err(),
        alpha_beta::search::<_, Score, _, _>(&root, params()).unwrap_err(),
        memo::solve(&root, WHOLE_GAME, &stop).unwrap_err(),
        retrograde::solve(&root, WHOLE_GAME, &stop).unwrap_err(),
        Graph::build(&root, extent, &stop).unwrap_err().into(),
        count(&root, 10_000, &stop).unwrap_err(),
    ];
    assert_eq!(reasons, [GaveUp::Stopped; 6]);
    assert_eq!(deepening::best(&root, &Even, Budget::UNBOUNDED, &stop), None);
}
