//! A search step by step, line by line: which positions it enters, what it finds, what it leaves out;
//! and how many positions each kind of search enters. It is the same search that plays. [`teller`] finds the
//! words.

pub mod teller;

use super::label::{Named, Shown};
use super::words::thousands;
use super::{Refusal, Stop};
use crate::game::Game;
use crate::game::abstract_tree::AbstractTree;
use crate::game::any::Board;
use crate::search::evaluation::{Even, Heuristic, Written};
use crate::search::limits::{Budget, GaveUp};
use crate::search::ordering::AsListed;
use crate::search::run::{Answer, Event, Observer, Params};
use crate::search::transposition::TranspositionTable;
use crate::search::{Evaluation, Points, Verdict, alpha_beta, minimax};
use teller::Teller;

/// The kind of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum With {
    /// Minimax.
    Plain,
    /// Alpha-beta.
    AlphaBeta,
    /// Alpha-beta with a memory.
    Memory,
}

impl With {
    /// All of them, from the slowest to the quickest.
    pub const ALL: [Self; 3] = [Self::Plain, Self::AlphaBeta, Self::Memory];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::AlphaBeta => "alpha-beta",
            Self::Memory => "alpha-beta with memory",
        }
    }
}

/// The limit of positions of a search that is shown step by step: about 100,000 lines.
pub const MAX_TOLD: u64 = 20_000;
/// The limit of positions that are counted.
pub const MAX_COUNTED: u64 = 1_000_000;
/// The default depth: it bounds the stack of the recursion.
const MAX_DEPTH: u32 = 500;
/// The size of the transposition table.
const SLOTS: usize = 1 << 14;

/// Tells the search of a game, for who wins, not how soon. `tell` is called with each line.
///
/// Refused if it would be too long.
pub fn trace(
    board: &Board,
    with: With,
    depth: Option<u32>,
    stop: &Stop,
    tell: &mut dyn FnMut(&str),
) -> Result<(), Refusal> {
    let (names, position) = (board.variant(), board.position());
    Trace { names: &names, root: &position, heuristic: Even, depth, stop }.run::<Verdict>(with, tell)
}

/// Tells the search of an abstract tree. Positions beyond `depth` are estimated by their numbers.
pub fn abstract_trace(
    root: &AbstractTree,
    with: With,
    depth: Option<u32>,
    stop: &Stop,
    tell: &mut dyn FnMut(&str),
) -> Result<(), Refusal> {
    Trace { names: root, root, heuristic: Written, depth, stop }.run::<Points>(with, tell)
}

struct Trace<'a, G, N, E> {
    names: &'a N,
    root: &'a G,
    heuristic: E,
    depth: Option<u32>,
    stop: &'a Stop,
}

impl<G: Game, N: Named<G>, E: Copy> Trace<'_, G, N, E> {
    fn run<W: Evaluation<G> + Into<Shown>>(
        &self,
        with: With,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), Refusal>
    where
        E: Heuristic<G, W>,
    {
        // Positions are counted first, so that a search that is too long is not told.
        let efforts = With::ALL.map(|with| self.effort::<W>(with));
        let chosen = &efforts[with as usize];
        if !chosen.complete || chosen.entered > MAX_TOLD {
            return Err(self.refusal(with, &efforts));
        }
        let mut teller = Teller::new(self.names, tell);
        let found = self.search::<W, _>(with, MAX_TOLD, &mut teller).map_err(|_| Refusal::stopped())?;
        teller.result(self.root, found);
        efforts.iter().zip(With::ALL).for_each(|(effort, with)| tell(&effort.line(with)));
        Ok(())
    }

    fn search<W: Evaluation<G> + Into<Shown>, T: Observer<G, W>>(
        &self,
        with: With,
        nodes: u64,
        observer: T,
    ) -> Result<Answer<W>, GaveUp>
    where
        E: Heuristic<G, W>,
    {
        let budget = Budget { nodes, plies: self.depth.unwrap_or(MAX_DEPTH) };
        let params = Params { budget, heuristic: self.heuristic, stop: self.stop, observer };
        match with {
            With::Plain => minimax::search(self.root, params),
            With::AlphaBeta => alpha_beta::search(self.root, params),
            With::Memory => {
                alpha_beta::search_with(self.root, &mut TranspositionTable::new(SLOTS), AsListed, params)
            }
        }
    }

    fn effort<W: Evaluation<G> + Into<Shown>>(&self, with: With) -> Effort
    where
        E: Heuristic<G, W>,
    {
        let mut effort = Effort::default();
        let found = self.search::<W, _>(with, MAX_COUNTED, &mut effort);
        effort.complete = found.is_ok_and(|answer| answer.exact || self.depth.is_some());
        effort
    }

    fn refusal(&self, with: With, efforts: &[Effort; 3]) -> Refusal {
        if self.stop.is_raised() {
            return Refusal::stopped();
        }
        let effort = &efforts[with as usize];
        let size = thousands(&effort.entered.to_string());
        let size = if effort.complete { size } else { format!("more than {size}") };
        let fits = |other: &With| {
            let effort = &efforts[*other as usize];
            effort.complete && effort.entered <= MAX_TOLD
        };
        let other = With::ALL.into_iter().rev().find(fits);
        let other = other.map_or(String::new(), |other| format!("--with {}, ", <&str>::from(other)));
        Refusal(format!(
            "{} search of {} enters {size} positions, and {} is the most that is told step by step: try {other}a small \
             --depth, or a later position with --at",
            with.name(),
            self.names.title(),
            thousands(&MAX_TOLD.to_string())
        ))
    }
}

/// The counts of a search.
#[derive(Debug, Default)]
struct Effort {
    entered: u64,
    cuts: u64,
    known: u64,
    /// Whether it was completed.
    complete: bool,
}

impl Effort {
    fn line(&self, with: With) -> String {
        if !self.complete {
            return format!(
                "{}: more than {} positions entered",
                with.name(),
                thousands(&self.entered.to_string())
            );
        }
        let [entered, cuts, known] =
            [self.entered, self.cuts, self.known].map(|number| thousands(&number.to_string()));
        format!("{}: {entered} positions entered, {cuts} cuts, {known} known from before", with.name())
    }
}

impl<G: Game, W> Observer<G, W> for Effort {
    fn observe(&mut self, event: Event<'_, G, W>) {
        match event {
            Event::Enter { .. } => self.entered += 1,
            Event::Cut { .. } => self.cuts += 1,
            Event::Known => self.known += 1,
            Event::Better { .. } | Event::Leave { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    fn told(variant: &str, with: With, depth: Option<u32>) -> Result<Vec<String>, Refusal> {
        let mut lines = Vec::new();
        let board = variant.parse::<Variant>().unwrap().start();
        trace(&board, with, depth, &Stop::new(), &mut |line| lines.push(line.to_owned()))?;
        Ok(lines)
    }

    #[test]
    fn every_position_that_is_entered_is_left_again() {
        for with in With::ALL {
            let lines = told("java-tech:6", with, None).unwrap();
            let verb = |verb| lines.iter().filter(|line| line.split(' ').any(|word| word == verb)).count();
            assert_eq!(verb("enter"), verb("leave"));
        }
    }

    #[test]
    fn it_ends_when_it_is_stopped() {
        let (stop, mut lines) = (Stop::new(), 0);
        let board = "java-tech:6".parse::<Variant>().unwrap().start();
        let ended = trace(&board, With::Plain, None, &stop, &mut |_| {
            lines += 1;
            if lines == 10 {
                stop.raise();
            }
        });
        assert!(ended.is_err() && lines < 15);
    }
}
