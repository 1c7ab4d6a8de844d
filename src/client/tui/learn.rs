//! The learn panel: the tree below one position of a game, as far as somebody has opened it, and where they are in it. What
//! stands in it is found elsewhere; this asks for it piece by piece, and takes the answers in.

mod tree;

use crate::game::Game;
use crate::game::any::{Board, Move};
use crate::game::notation::BadText;
use crate::lobby::{Lobby, Phase};
use crate::study::branches::{self, Branch, Branches};
use crate::study::{Known, Stop};
use tree::{Below, Tree};

/// What somebody wants to know: the moves of a position. An answer to another question is of no use any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Which tree it is about: each that a panel has is another one.
    tree: u32,
    /// Which position.
    node: usize,
    /// The one move of it that is asked about, besides those that are listed.
    sought: Option<Move>,
}

impl Question {
    /// Finds that out on the board that the question is about; nothing where it is stopped.
    pub fn answer(&self, board: &Board, stop: &Stop) -> Option<Branches> {
        match self.sought {
            Some(mv) => branches::branch(board, mv, stop),
            None => branches::branches(board, stop),
        }
    }
}

/// A line of the panel, as it is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// The number of its position, to come back to.
    pub(super) node: usize,
    /// How far down.
    pub(super) depth: u16,
    /// The move; `None` for the position that the tree is about.
    pub(super) branch: Option<&'a Branch>,
    /// The board there.
    pub(super) board: &'a Board,
    /// What the position is worth to the side that is to move, where that has been found.
    pub(super) known: Option<Known>,
    /// Whether there is something below: shown, or still to be opened; nothing where the game is over.
    pub(super) open: Option<bool>,
    /// Alpha-beta would not look here.
    pub(super) cut: bool,
    /// It is the move that was made in the game.
    pub(super) made: bool,
    /// It is being thought about.
    pub(super) asked: bool,
}

/// How many moves are listed, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unlisted {
    /// Those that are listed.
    pub(super) listed: usize,
    /// All, which are more.
    pub(super) all: u64,
}

/// The panel.
#[derive(Debug, Clone)]
pub struct Learn {
    /// How many trees it has had before this one.
    number: u32,
    /// How many moves of the game were made before the position that it is about.
    ply: usize,
    /// How many there are.
    plies: usize,
    /// Whether it goes on with the game.
    follows: bool,
    /// The move that was made next in the game.
    made: Option<Move>,
    tree: Tree,
    at: usize,
    /// How many positions the present thought has looked at.
    looked: u64,
}

impl Learn {
    /// A panel about the present position, or about the first one of a game that is over.
    pub(super) fn new(lobby: &Lobby) -> Self {
        let follows = lobby.phase() == Phase::Playing;
        let ply = if follows { lobby.past().len() } else { 0 };
        Self::about(lobby, 0, ply, follows)
    }

    /// A panel about the position behind so many moves of a game that is over.
    pub(super) fn behind(lobby: &Lobby, ply: usize) -> Self {
        Self::about(lobby, 0, ply, false)
    }

    fn about(lobby: &Lobby, number: u32, ply: usize, follows: bool) -> Self {
        let made = lobby.past().nth(ply).map(|past| past.mv);
        let (plies, tree) = (lobby.past().len(), Tree::new(board_at(lobby, ply)));
        Self { number, ply, plies, follows, made, tree, at: 0, looked: 0 }
    }

    /// The same panel about the position behind so many moves.
    fn turn_to(&mut self, lobby: &Lobby, ply: usize, follows: bool) {
        *self = Self::about(lobby, self.number.wrapping_add(1), ply, follows);
    }

    /// Goes on with the game, if it went on, if moves were taken back, or if it is another one.
    pub(super) fn settle(&mut self, lobby: &Lobby) {
        let plies = lobby.past().len();
        let is_same = board_at(lobby, self.ply) == self.tree.node(0).board;
        let is_back = plies < self.plies && lobby.phase() == Phase::Playing;
        if self.follows && plies != self.ply || is_back || !is_same {
            self.turn_to(lobby, plies, true);
        }
        // The next move may have been made meanwhile.
        (self.plies, self.made) = (plies, lobby.past().nth(self.ply).map(|past| past.mv));
    }

    /// To the position behind the next move of the game, or to the one before the last.
    pub(super) fn travel(&mut self, lobby: &Lobby, on: bool) {
        let ply = if on { (self.ply + 1).min(self.plies) } else { self.ply.saturating_sub(1) };
        if ply != self.ply {
            self.turn_to(lobby, ply, ply == self.plies && lobby.phase() == Phase::Playing);
        }
    }

    /// How many moves were made in the game before the position that it is about, and how many there are.
    pub(super) fn plies(&self) -> (usize, usize) {
        (self.ply, self.plies)
    }

    /// The move of the tree's first position that was made in the game, once that is known.
    pub(super) fn made(&self) -> Option<&Branch> {
        self.tree.branches(0).find(|branch| Some(branch.mv) == self.made)
    }

    /// The best move of the tree's first position, once that is known.
    pub(super) fn best(&self) -> Option<&Branch> {
        self.tree.branches(0).find(|branch| branch.best)
    }

    /// How many positions the present thought has looked at.
    pub(super) fn looked(&self) -> u64 {
        self.looked
    }

    /// The move of the game that the line stands for on which one is; nothing where the game is already past it.
    pub(super) fn next(&self) -> Option<Move> {
        let node = self.tree.node(self.at);
        let is_next = self.ply == self.plies && node.above == Some(0);
        node.branch.as_ref().filter(|_| is_next).map(|branch| branch.mv)
    }

    /// The lines that are there now.
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

    /// What is not listed below a position.
    fn unlisted(&self, number: usize) -> Option<Unlisted> {
        let Below::Known { children, count, .. } = &self.tree.node(number).below else { return None };
        let (listed, all) = (children.len(), *count);
        ((listed as u64) < all).then_some(Unlisted { listed, all })
    }

    /// The position whose moves are looked at: the one on which one is where it is open, and else the one above it.
    fn around(&self) -> usize {
        let node = self.tree.node(self.at);
        let is_open = node.open && !self.tree.children(self.at).is_empty();
        node.above.filter(|_| !is_open).unwrap_or(self.at)
    }

    /// Whether it is not known of a move that is looked at how soon it ends the game, and known who wins.
    pub(super) fn is_open_ended(&self) -> bool {
        let mut branches = self.tree.branches(self.around());
        branches.any(|branch| branch.known.is_some_and(Known::is_open_ended))
    }

    /// What is not listed where one is, and a move that is not.
    pub(super) fn left_out(&self) -> Option<(Unlisted, String)> {
        let around = self.around();
        let unlisted = self.unlisted(around)?;
        let board = &self.tree.node(around).board;
        // The first one whose place nothing has.
        let places = (0..).zip(self.tree.branches(around));
        let before = places.take_while(|(at, branch)| branch.place == *at).count();
        let mv = board.position().moves().nth(before)?;
        Some((unlisted, board.write_move(mv)))
    }

    /// Goes to the move that was typed, where it is one of those that are looked at; it is listed, if it was not. Returns whether
    /// there was room.
    pub(super) fn find(&mut self, text: &str) -> Result<bool, BadText> {
        let around = self.around();
        let mv = self.tree.node(around).board.read_move(text)?;
        if let Some(child) = self.tree.child(around, mv) {
            self.at = child;
            return Ok(true);
        }
        Ok(self.tree.seek(around, mv))
    }

    /// The line on which one is.
    pub(super) fn here(&self) -> Row<'_> {
        self.row(self.at, self.tree.wanted(self.at))
    }

    /// The place of that line among all.
    pub(super) fn place(&self, rows: &[Row<'_>]) -> usize {
        rows.iter().position(|row| row.node == self.at).unwrap_or(0)
    }

    /// Whether the game goes on where one is.
    pub(super) fn leads_on(&self) -> bool {
        self.tree.node(self.at).below != Below::End
    }

    /// Goes to the last line.
    pub(super) fn end(&mut self) {
        self.at = self.rows().last().map_or(0, |row| row.node);
    }

    /// Goes so many lines down, or up.
    pub(super) fn step(&mut self, down: isize) {
        let rows = self.rows();
        let place = self.place(&rows).saturating_add_signed(down).min(rows.len() - 1);
        self.at = rows[place].node;
    }

    /// Goes to the position of this number, which is that of a line.
    pub(super) fn go(&mut self, node: usize) {
        self.at = node;
    }

    /// Opens what one is on, or goes to the first move there. Returns whether there was room.
    pub(super) fn open(&mut self) -> bool {
        if self.tree.is_open(self.at) {
            self.at = self.tree.children(self.at).first().copied().unwrap_or(self.at);
            return true;
        }
        self.tree.unfold(self.at)
    }

    /// Closes what one is on, or goes to what it belongs to.
    pub(super) fn close(&mut self) {
        let node = self.tree.node(self.at);
        match node.above {
            Some(above) if !node.open => self.at = above,
            _ => self.tree.fold(self.at),
        }
    }

    /// Opens or closes what one is on. Returns whether there was room.
    pub(super) fn toggle(&mut self) -> bool {
        if self.at != 0 && self.tree.node(self.at).open {
            self.tree.fold(self.at);
            return true;
        }
        self.tree.unfold(self.at)
    }

    /// Opens one level more of all that is shown at and below what one is on. Returns whether there was room.
    pub(super) fn deepen(&mut self) -> bool {
        let depth = self.tree.node(self.at).depth;
        let mut mine = self.tree.shown().into_iter().skip_while(|number| *number != self.at);
        let at = mine.next();
        let below = mine.take_while(|number| self.tree.node(*number).depth > depth);
        let all: Vec<usize> = at.into_iter().chain(below).collect();
        let closed: Vec<usize> = all.into_iter().filter(|&number| !self.tree.is_open(number)).collect();
        closed.into_iter().all(|number| self.tree.unfold(number))
    }

    /// What is to be found out now, and on which board.
    pub(super) fn question(&self) -> Option<(Question, &Board)> {
        let node = self.tree.wanted(self.at)?;
        let sought = self.tree.sought(node);
        Some((Question { tree: self.number, node, sought }, &self.tree.node(node).board))
    }

    /// Takes in how far a thought has come.
    pub(super) fn note(&mut self, question: Question, looked: u64) {
        if question.tree == self.number {
            self.looked = looked;
        }
    }

    /// Takes in an answer; nothing where it was stopped. Whoever has asked for a move is taken to it. Returns whether there was
    /// room for it; where there was none, nothing else is asked either.
    pub(super) fn learn(&mut self, question: Question, found: Option<Branches>) -> bool {
        let Question { tree, node, .. } = question;
        if tree != self.number {
            return true;
        }
        let wished = self.tree.node(node).sought;
        self.looked = 0;
        let Some(found) = found else {
            self.tree.give_up(node);
            return true;
        };
        if !self.tree.grow(node, found) {
            self.rest();
            return false;
        }
        self.at = wished.and_then(|mv| self.tree.child(node, mv)).unwrap_or(self.at);
        true
    }

    /// Thinks no more about what is being thought about. Returns whether anything was.
    pub(super) fn rest(&mut self) -> bool {
        let mut rested = false;
        while let Some(node) = self.tree.wanted(self.at) {
            self.tree.give_up(node);
            rested = true;
        }
        rested
    }
}

/// The board of the game behind so many of its moves.
fn board_at(lobby: &Lobby, ply: usize) -> Board {
    let mut moves = lobby.past().take(ply);
    let board = moves.try_fold(lobby.base().clone(), |board, past| board.play(past.mv).ok());
    // What was played can be played again.
    board.unwrap_or_else(|| lobby.board().clone())
}
