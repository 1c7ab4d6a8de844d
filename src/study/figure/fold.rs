//! Folding: a tree that is too wide is cut into parts that fit a page. A part takes in, level by level, every
//! position whose moves still fit; below the others it names the part that goes on there. A graph that is
//! too wide becomes a tree in which every position has its moves only once.

use std::collections::{HashMap, VecDeque};

use super::{Arrow, Figure, FigureNode};

/// A part of a figure: a tree. The first part begins at the start.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The positions of the part.
    pub figure: Figure,
    /// For each position, the number of the part that has its moves if they are not below it, from 0.
    pub leads: Vec<Option<usize>>,
    /// The number of the part that has the other moves of the first position.
    pub rest: Option<usize>,
}

impl Part {
    /// The whole figure as its only part.
    pub(super) fn whole(figure: &Figure) -> Self {
        Self { leads: vec![None; figure.nodes.len()], figure: figure.clone(), rest: None }
    }
}

/// A part that is still to be cut: its first position, the first of its moves, and its level.
struct Cut {
    node: usize,
    from: usize,
    level: usize,
}

/// Cuts a figure into parts that fit, unless a single move is too wide. The moves of a position with too
/// many of them go on in a further part.
pub(super) fn fold(figure: &Figure, fits: impl Fn(&Figure) -> bool) -> Vec<Part> {
    let mut folder = Folder { figure, fits, homes: HashMap::new(), cuts: VecDeque::new(), number: 0 };
    folder.cut(0, 0, 0);
    let mut parts = Vec::new();
    while let Some(cut) = folder.cuts.pop_front() {
        parts.push(folder.part(&cut, parts.len()));
    }
    parts
}

struct Folder<'a, F> {
    figure: &'a Figure,
    fits: F,
    /// The number of the part that has the moves of a position.
    homes: HashMap<usize, usize>,
    cuts: VecDeque<Cut>,
    /// The number of parts that are cut or still to be cut.
    number: usize,
}

impl<F: Fn(&Figure) -> bool> Folder<'_, F> {
    /// Plans a part. Returns its number.
    fn cut(&mut self, node: usize, from: usize, level: usize) -> usize {
        self.cuts.push_back(Cut { node, from, level });
        self.number += 1;
        self.number - 1
    }

    fn part(&mut self, cut: &Cut, number: usize) -> Part {
        let root = FigureNode { level: cut.level, moves: Vec::new(), ..self.figure.nodes[cut.node].clone() };
        let figure = Figure { title: self.figure.title.clone(), merged: false, nodes: vec![root] };
        let mut part = Part { figure, leads: vec![None], rest: None };
        let mut sources = vec![cut.node];
        let mut at = 0;
        while let Some(&node) = sources.get(at) {
            let moves = &self.figure.nodes[node].moves;
            let level = part.figure.nodes[at].level;
            if at == 0 {
                self.homes.entry(node).or_insert(number);
                let taken = self.take(&mut part.figure, at, &moves[cut.from..], false);
                sources.extend(moves[cut.from..].iter().take(taken).map(|arrow| arrow.to));
                let next = cut.from + taken;
                part.rest = (next < moves.len()).then(|| self.cut(node, next, level));
            } else if let Some(&home) = self.homes.get(&node).filter(|_| !moves.is_empty()) {
                part.leads[at] = Some(home);
            } else if self.take(&mut part.figure, at, moves, true) == moves.len() {
                self.homes.insert(node, number);
                sources.extend(moves.iter().map(|arrow| arrow.to));
            } else {
                let home = self.cut(node, 0, level);
                self.homes.insert(node, home);
                part.leads[at] = Some(home);
            }
            part.leads.resize(sources.len(), None);
            at += 1;
        }
        part
    }

    /// Adds moves below a node as long as they fit: all or none, or else at least one. Returns their number.
    fn take(&self, part: &mut Figure, at: usize, moves: &[Arrow], all: bool) -> usize {
        let size = part.nodes.len();
        for (taken, arrow) in moves.iter().enumerate() {
            let level = part.nodes[at].level + 1;
            let child = FigureNode { level, moves: Vec::new(), ..self.figure.nodes[arrow.to].clone() };
            let to = part.nodes.len();
            part.nodes[at].moves.push(Arrow { to, ..arrow.clone() });
            part.nodes.push(child);
            if !(self.fits)(part) && (all || taken > 0) {
                let kept = if all { 0 } else { taken };
                part.nodes[at].moves.truncate(kept);
                part.nodes.truncate(size + kept);
                return kept;
            }
        }
        moves.len()
    }
}
