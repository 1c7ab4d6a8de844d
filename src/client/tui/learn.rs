//! The learn panel: the tree below one position of a game, as far as the person has opened it, and the
//! selected line. The values of positions are searched elsewhere: the panel asks for them one position at a
//! time, and takes the answers.

mod tree;

use super::job::{Answer, Question};
use crate::client::words::learn as words;
use crate::game::any::{Board, Move};
use crate::lobby::{Lobby, Phase};
use crate::study::Known;
use crate::study::branches::Branch;
use tree::{Below, Tree};

/// A line of the panel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// The number of its position in the tree.
    pub(super) node: usize,
    /// The depth of the position in the tree.
    pub(super) depth: u16,
    /// The move that leads here; `None` for the root.
    pub(super) branch: Option<&'a Branch>,
    /// The board there.
    pub(super) board: &'a Board,
    /// The value for the side to move, where it is known.
    pub(super) known: Option<Known>,
    /// Whether it is open; `None` where the game is over.
    pub(super) open: Option<bool>,
    /// Alpha-beta would not search here.
    pub(super) cut: bool,
    /// The move was made in the game.
    pub(super) made: bool,
    /// A search about it is running.
    pub(super) asked: bool,
}

/// The panel.
#[derive(Debug, Clone)]
pub struct Learn {
    /// The number of the tree.
    number: u32,
    /// The number of moves of the game before the root.
    ply: usize,
    /// The number of moves of the game.
    plies: usize,
    /// Whether the root follows the game.
    follows: bool,
    /// The next move of the game after the root.
    made: Option<Move>,
    tree: Tree,
    at: usize,
    /// The number of positions that the running search has visited.
    searched: u64,
}

impl Learn {
    /// A panel about the current position, or about the first one if the game is over.
    pub(super) fn new(lobby: &Lobby) -> Self {
        let follows = lobby.phase() == Phase::Playing;
        let ply = if follows { lobby.past().len() } else { 0 };
        Self::with_root(lobby, 0, ply, follows)
    }

    /// A panel about the position after this many moves of a game that is over.
    pub(super) fn after(lobby: &Lobby, ply: usize) -> Self {
        Self::with_root(lobby, 0, ply, false)
    }

    fn with_root(lobby: &Lobby, number: u32, ply: usize, follows: bool) -> Self {
        let made = lobby.past().nth(ply).map(|past| past.mv);
        let (plies, tree) = (lobby.past().len(), Tree::new(board_after(lobby, ply)));
        Self { number, ply, plies, follows, made, tree, at: 0, searched: 0 }
    }

    fn move_root(&mut self, lobby: &Lobby, ply: usize, follows: bool) {
        *self = Self::with_root(lobby, self.number.wrapping_add(1), ply, follows);
    }

    /// Follows the game where it went on, where moves were taken back, and where it is another game.
    pub(super) fn settle(&mut self, lobby: &Lobby) {
        let plies = lobby.past().len();
        let is_same = board_after(lobby, self.ply) == self.tree.node(0).board;
        let is_back = plies < self.plies && lobby.phase() == Phase::Playing;
        if self.follows && plies != self.ply || is_back || !is_same {
            self.move_root(lobby, plies, true);
        }
        // The next move may just have been made.
        (self.plies, self.made) = (plies, lobby.past().nth(self.ply).map(|past| past.mv));
    }

    /// Moves the root to the position after the next move of the game, or before the last one.
    pub(super) fn travel(&mut self, lobby: &Lobby, forward: bool) {
        let ply = if forward { (self.ply + 1).min(self.plies) } else { self.ply.saturating_sub(1) };
        if ply != self.ply {
            self.move_root(lobby, ply, ply == self.plies && lobby.phase() == Phase::Playing);
        }
    }

    /// The number of moves before the root, and the number of all moves of the game.
    pub(super) fn plies(&self) -> (usize, usize) {
        (self.ply, self.plies)
    }

    /// The move at the root that was made in the game, once it is listed.
    pub(super) fn made(&self) -> Option<&Branch> {
        self.tree.branches(0).find(|branch| Some(branch.mv) == self.made)
    }

    /// The best move at the root, once it is known.
    pub(super) fn best(&self) -> Option<&Branch> {
        self.tree.branches(0).find(|branch| branch.best)
    }

    /// The number of positions that the running search has visited.
    pub(super) fn searched(&self) -> u64 {
        self.searched
    }

    /// The move of the selected line, if it is a next move of the game.
    pub(super) fn next(&self) -> Option<Move> {
        let node = self.tree.node(self.at);
        let is_next = self.ply == self.plies && node.above == Some(0);
        node.branch.as_ref().filter(|_| is_next).map(|branch| branch.mv)
    }

    /// All lines.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let asked = self.tree.wanted(self.at);
        self.tree.shown().into_iter().map(|number| self.row(number, asked)).collect()
    }

    fn row(&self, number: usize, asked: Option<usize>) -> Row<'_> {
        let node = self.tree.node(number);
        let known = match node.below {
            Below::Known { known, .. } => known,
            _ => None,
        };
        let is_next = node.above == Some(0) && self.made.is_some();
        Row {
            node: number,
            depth: node.depth,
            branch: node.branch.as_ref(),
            board: &node.board,
            known,
            open: (node.below != Below::End).then(|| self.tree.is_open(number)),
            cut: node.window.is_none(),
            made: is_next && node.branch.as_ref().map(|branch| branch.mv) == self.made,
            asked: asked == Some(number),
        }
    }

    /// The position whose moves are in focus: the selected one if it is open, or else its parent.
    fn focus(&self) -> usize {
        let node = self.tree.node(self.at);
        let is_open = node.open && !self.tree.children(self.at).is_empty();
        node.above.filter(|_| !is_open).unwrap_or(self.at)
    }

    /// Whether of a move in focus the winner is known, but not how soon.
    pub(super) fn is_open_ended(&self) -> bool {
        let mut branches = self.tree.branches(self.focus());
        branches.any(|branch| branch.known.is_some_and(Known::is_open_ended))
    }

    /// The number of listed moves in focus and that of all, where not all are listed.
    pub(super) fn left_out(&self) -> Option<(usize, u64)> {
        match &self.tree.node(self.focus()).below {
            Below::Known { children, count, .. } => Some((children.len(), *count)),
            _ => None,
        }
        .filter(|(listed, all)| (*listed as u64) < *all)
    }

    /// Whether there was no room for more of the tree.
    pub(super) fn is_full(&self) -> bool {
        self.tree.full
    }

    /// Selects the listed move in focus that this text means, or says why not.
    pub(super) fn find(&mut self, text: &str) -> Result<(), String> {
        let focus = self.focus();
        let mv = self.tree.node(focus).board.read_move(text).map_err(|bad| format!("{bad}."))?;
        self.at = self.tree.child(focus, mv).ok_or(words::NOT_LISTED)?;
        Ok(())
    }

    /// The selected line.
    pub(super) fn here(&self) -> Row<'_> {
        self.row(self.at, self.tree.wanted(self.at))
    }

    /// The index of the selected line among all.
    pub(super) fn place(&self, rows: &[Row<'_>]) -> usize {
        rows.iter().position(|row| row.node == self.at).unwrap_or(0)
    }

    /// Whether the game goes on at the selected line.
    pub(super) fn leads_on(&self) -> bool {
        self.tree.node(self.at).below != Below::End
    }

    /// Selects the last line.
    pub(super) fn end(&mut self) {
        self.at = self.rows().last().map_or(0, |row| row.node);
    }

    /// Moves the selection down by this many lines.
    pub(super) fn step(&mut self, down: isize) {
        let rows = self.rows();
        let place = self.place(&rows).saturating_add_signed(down).min(rows.len() - 1);
        self.at = rows[place].node;
    }

    /// Selects the line of this node.
    pub(super) fn go(&mut self, node: usize) {
        self.at = node;
    }

    /// Opens the selected line, or selects the first one below it.
    pub(super) fn open(&mut self) {
        if self.tree.is_open(self.at) {
            self.at = self.tree.children(self.at).first().copied().unwrap_or(self.at);
        } else {
            self.tree.unfold(self.at);
        }
    }

    /// Closes the selected line, or selects its parent.
    pub(super) fn close(&mut self) {
        let node = self.tree.node(self.at);
        match node.above {
            Some(above) if !node.open => self.at = above,
            _ => self.tree.fold(self.at),
        }
    }

    /// Opens or closes the selected line.
    pub(super) fn toggle(&mut self) {
        if self.at != 0 && self.tree.node(self.at).open {
            self.tree.fold(self.at);
        } else {
            self.tree.unfold(self.at);
        }
    }

    /// Opens all closed lines at and below the selected one.
    pub(super) fn deepen(&mut self) {
        let depth = self.tree.node(self.at).depth;
        let mut mine = self.tree.shown().into_iter().skip_while(|number| *number != self.at);
        let at = mine.next();
        let below = mine.take_while(|number| self.tree.node(*number).depth > depth);
        let all: Vec<usize> = at.into_iter().chain(below).collect();
        let closed: Vec<usize> = all.into_iter().filter(|&number| !self.tree.is_open(number)).collect();
        closed.into_iter().for_each(|number| self.tree.unfold(number));
    }

    /// What has to be searched now, and on which board.
    pub(super) fn question(&self) -> Option<(Question, &Board)> {
        let node = self.tree.wanted(self.at)?;
        Some((Question::Moves { tree: self.number, node }, &self.tree.node(node).board))
    }

    /// Takes the progress of a search.
    pub(super) fn note(&mut self, question: Question, searched: u64) {
        if matches!(question, Question::Moves { tree, .. } if tree == self.number) {
            self.searched = searched;
        }
    }

    /// Takes an answer, or `None` if the search was stopped.
    pub(super) fn take(&mut self, question: Question, answer: Option<Answer>) {
        let found = answer.and_then(|answer| match answer {
            Answer::Moves(found) => Some(found),
            Answer::Value(_) => None,
        });
        match question {
            Question::Moves { tree, node } if tree == self.number => {
                self.searched = 0;
                self.tree.grow(node, found);
            }
            _ => {}
        }
    }

    /// Gives up all searches. Returns whether there were any.
    pub(super) fn stop(&mut self) -> bool {
        self.tree.give_up()
    }
}

/// The board after this many moves of the game.
fn board_after(lobby: &Lobby, ply: usize) -> Board {
    let mut moves = lobby.past().take(ply);
    let board = moves.try_fold(lobby.base().clone(), |board, past| board.play(past.mv).ok());
    // Moves that were made are legal.
    board.unwrap_or_else(|| lobby.board().clone())
}
