//! The trace of a search, a line for each step, and the node counts of all kinds of search. The searches
//! are those of `search`. [`formatter`] writes the lines.

pub mod formatter;

use super::label::{DisplayValue, Named};
use super::words::{counted, thousands};
use super::{Stop, StudyError};
use crate::game::Game;
use crate::game::abstract_tree::AbstractTree;
use crate::game::any::Board;
use crate::search::evaluation::{Even, Heuristic, NodeNumbers};
use crate::search::limits::{Budget, GaveUp};
use crate::search::ordering::AsListed;
use crate::search::run::{Observer, Params, SearchResult, SearchStep};
use crate::search::transposition::TranspositionTable;
use crate::search::{Evaluation, Points, Verdict, alpha_beta, minimax};
use formatter::TraceFormatter;

/// The kind of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SearchKind {
    /// Minimax.
    Plain,
    /// Alpha-beta.
    AlphaBeta,
    /// Alpha-beta with a transposition table.
    Memory,
}

impl SearchKind {
    /// All kinds, the slowest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::AlphaBeta, Self::Memory];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::AlphaBeta => "alpha-beta",
            Self::Memory => "alpha-beta with a transposition table",
        }
    }
}

/// The limit of positions in a trace: about 100,000 lines.
pub const MAX_TRACED: u64 = 20_000;
/// The limit of positions in a count.
pub const MAX_COUNTED: u64 = 1_000_000;
/// The default limit of depth, which bounds the recursion.
const MAX_DEPTH: u32 = 500;
/// The number of slots in the transposition table.
const SLOTS: usize = 1 << 14;

/// Traces a search of a game for its result, without the length. Calls `write_line` with each line.
///
/// Refused if the trace would be too long.
pub fn trace(
    board: &Board,
    with: SearchKind,
    depth: Option<u32>,
    stop: &Stop,
    write_line: &mut dyn FnMut(&str),
) -> Result<(), StudyError> {
    let (names, position) = (board.variant(), board.position());
    Trace { names: &names, root: &position, heuristic: Even, depth, stop }.run::<Verdict>(with, write_line)
}

/// Traces a search of an abstract tree. Positions at the limit `depth` are estimated by their numbers.
pub fn abstract_trace(
    root: &AbstractTree,
    with: SearchKind,
    depth: Option<u32>,
    stop: &Stop,
    write_line: &mut dyn FnMut(&str),
) -> Result<(), StudyError> {
    Trace { names: root, root, heuristic: NodeNumbers, depth, stop }.run::<Points>(with, write_line)
}

struct Trace<'a, G, N, E> {
    names: &'a N,
    root: &'a G,
    heuristic: E,
    depth: Option<u32>,
    stop: &'a Stop,
}

impl<G: Game, N: Named<G>, E: Copy> Trace<'_, G, N, E> {
    fn run<W: Evaluation<G> + Into<DisplayValue>>(
        &self,
        with: SearchKind,
        write_line: &mut dyn FnMut(&str),
    ) -> Result<(), StudyError>
    where
        E: Heuristic<G, W>,
    {
        // The positions are counted first, so that a trace that is too long writes nothing.
        let counts = SearchKind::ALL.map(|with| self.count::<W>(with));
        let chosen = &counts[with as usize];
        if !chosen.complete || chosen.entered > MAX_TRACED {
            return Err(self.refusal(with, &counts));
        }
        let mut formatter = TraceFormatter::new(self.names, write_line);
        let found =
            self.search::<W, _>(with, MAX_TRACED, &mut formatter).map_err(|_| StudyError::stopped())?;
        formatter.result(self.root, found);
        counts.iter().zip(SearchKind::ALL).for_each(|(count, with)| write_line(&count.line(with)));
        Ok(())
    }

    fn search<W: Evaluation<G> + Into<DisplayValue>, T: Observer<G, W>>(
        &self,
        with: SearchKind,
        nodes: u64,
        observer: T,
    ) -> Result<SearchResult<W>, GaveUp>
    where
        E: Heuristic<G, W>,
    {
        let budget = Budget { nodes, plies: self.depth.unwrap_or(MAX_DEPTH) };
        let params = Params { budget, heuristic: self.heuristic, stop: self.stop, observer };
        match with {
            SearchKind::Plain => minimax::search(self.root, params),
            SearchKind::AlphaBeta => alpha_beta::search(self.root, params),
            SearchKind::Memory => {
                alpha_beta::search_with(self.root, &mut TranspositionTable::new(SLOTS), AsListed, params)
            }
        }
    }

    fn count<W: Evaluation<G> + Into<DisplayValue>>(&self, with: SearchKind) -> SearchCounts
    where
        E: Heuristic<G, W>,
    {
        let mut count = SearchCounts::default();
        let found = self.search::<W, _>(with, MAX_COUNTED, &mut count);
        count.complete = found.is_ok_and(|answer| answer.exact || self.depth.is_some());
        count
    }

    fn refusal(&self, with: SearchKind, counts: &[SearchCounts; 3]) -> StudyError {
        if self.stop.is_raised() {
            return StudyError::stopped();
        }
        let count = &counts[with as usize];
        let size = thousands(&count.entered.to_string());
        let size = if count.complete { size } else { format!("more than {size}") };
        let fits = |other: &SearchKind| {
            let count = &counts[*other as usize];
            count.complete && count.entered <= MAX_TRACED
        };
        let other = SearchKind::ALL.into_iter().rev().find(fits);
        let other = other.map_or(String::new(), |other| format!("--with {}, ", <&str>::from(other)));
        StudyError(format!(
            "{} search of {} enters {size} positions, and the limit of a trace is {}: try {other}a small \
             --depth, or a later position with --at",
            with.name(),
            self.names.title(),
            thousands(&MAX_TRACED.to_string())
        ))
    }
}

/// The counts of a search.
#[derive(Debug, Default)]
struct SearchCounts {
    entered: u64,
    cuts: u64,
    hits: u64,
    /// Whether the search was completed.
    complete: bool,
}

impl SearchCounts {
    fn line(&self, with: SearchKind) -> String {
        if !self.complete {
            return format!(
                "{}: more than {} positions entered",
                with.name(),
                thousands(&self.entered.to_string())
            );
        }
        format!(
            "{}: {} entered, {}, {}",
            with.name(),
            counted(self.entered, "position", "positions"),
            counted(self.cuts, "cutoff", "cutoffs"),
            counted(self.hits, "table hit", "table hits")
        )
    }
}

impl<G: Game, W> Observer<G, W> for SearchCounts {
    fn observe(&mut self, event: SearchStep<'_, G, W>) {
        match event {
            SearchStep::Enter { .. } => self.entered += 1,
            SearchStep::Cutoff { .. } => self.cuts += 1,
            SearchStep::TableHit => self.hits += 1,
            SearchStep::NewBest { .. } | SearchStep::Leave { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    fn lines_of(variant: &str, with: SearchKind, depth: Option<u32>) -> Result<Vec<String>, StudyError> {
        let mut lines = Vec::new();
        let board = variant.parse::<Variant>().unwrap().start();
        trace(&board, with, depth, &Stop::new(), &mut |line| lines.push(line.to_owned()))?;
        Ok(lines)
    }

    #[test]
    fn every_position_that_is_entered_is_left_again() {
        for with in SearchKind::ALL {
            let lines = lines_of("java-tech:6", with, None).unwrap();
            let verb = |verb| lines.iter().filter(|line| line.split(' ').any(|word| word == verb)).count();
            assert_eq!(verb("enter"), verb("leave"));
        }
    }

    #[test]
    fn one_cutoff_is_not_called_cutoffs() {
        let counts = SearchCounts { entered: 1, cuts: 1, hits: 2_000, complete: true };
        let line = counts.line(SearchKind::AlphaBeta);
        assert_eq!(line, "alpha-beta: 1 position entered, 1 cutoff, 2,000 table hits");
    }

    #[test]
    fn a_trace_ends_when_it_is_stopped() {
        let (stop, mut lines) = (Stop::new(), 0);
        let board = "java-tech:6".parse::<Variant>().unwrap().start();
        let ended = trace(&board, SearchKind::Plain, None, &stop, &mut |_| {
            lines += 1;
            if lines == 10 {
                stop.raise();
            }
        });
        assert!(ended.is_err() && lines < 15);
    }
}
