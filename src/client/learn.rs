//! The learn panel: the tree below one position of a game, as far as the person has opened it, and the
//! selected line. The values of positions are searched elsewhere: the panel asks for them one position at a
//! time, and takes the answers.

pub mod game_review;
pub mod reason;
pub mod search;
pub mod tree;

use game_review::GameReview;
use search::SearchTarget;
use tree::{Below, Tree};

use crate::client::words::learn as words;
use crate::game::any::{Board, Move};
use crate::lobby::{Lobby, Phase};
use crate::study::branches::{Branch, Branches};
use crate::study::{Known, MoveReview};

/// The panel.
#[derive(Debug, Clone)]
pub struct Learn {
    /// The number of moves of the game before the root.
    ply: usize,
    /// The number of moves of the game.
    plies: usize,
    /// Whether the root follows the game.
    follows: bool,
    /// The next move of the game after the root.
    made: Option<Move>,
    /// The positions.
    pub tree: Tree,
    /// The number of the selected position.
    pub at: usize,
    /// What the moves of a finished game were worth.
    pub review: Option<GameReview>,
    /// The number of positions that the running search has visited.
    pub searched: u64,
}

impl Learn {
    /// A panel about the current position, or about the first one if the game is over.
    pub fn new(lobby: &Lobby) -> Self {
        let follows = lobby.phase() == Phase::Playing;
        let ply = if follows { lobby.past().len() } else { 0 };
        Self::reviewing(lobby, ply, follows)
    }

    /// A panel about the position after this many moves of a game that is over.
    pub fn after(lobby: &Lobby, ply: usize) -> Self {
        Self::reviewing(lobby, ply, false)
    }

    fn reviewing(lobby: &Lobby, ply: usize, follows: bool) -> Self {
        let review = (!follows).then(|| GameReview::new(lobby));
        Self { review, ..Self::with_root(lobby, ply, follows) }
    }

    /// The tree below a position that belongs to no game.
    pub(super) fn about(board: Board) -> Self {
        let tree = Tree::new(board);
        Self { ply: 0, plies: 0, follows: false, made: None, tree, at: 0, review: None, searched: 0 }
    }

    fn with_root(lobby: &Lobby, ply: usize, follows: bool) -> Self {
        let made = lobby.past().nth(ply).map(|past| past.mv);
        let plies = lobby.past().len();
        Self { ply, plies, follows, made, ..Self::about(board_after(lobby, ply)) }
    }

    /// Follows the game where it went on, where moves were taken back, and where it is another game.
    pub fn settle(&mut self, lobby: &Lobby) {
        let plies = lobby.past().len();
        let is_same = board_after(lobby, self.ply) == self.tree.node(0).board;
        let is_back = plies < self.plies && lobby.phase() == Phase::Playing;
        if self.follows && plies != self.ply || is_back || !is_same {
            *self = Self::with_root(lobby, plies, true);
        }
        if self.review.is_none() && matches!(lobby.phase(), Phase::Over { .. }) {
            self.review = Some(GameReview::new(lobby));
        }
        // The next move may just have been made.
        (self.plies, self.made) = (plies, lobby.past().nth(self.ply).map(|past| past.mv));
    }

    /// Moves the root to the position after the next move of the game, or before the last one.
    pub fn travel(&mut self, lobby: &Lobby, forward: bool) {
        let ply = if forward { (self.ply + 1).min(self.plies) } else { self.ply.saturating_sub(1) };
        self.go_to(lobby, ply);
    }

    /// Moves the root to the position after this many moves of the game.
    fn go_to(&mut self, lobby: &Lobby, ply: usize) {
        if ply != self.ply {
            let follows = ply == self.plies && lobby.phase() == Phase::Playing;
            *self = Self { review: self.review.take(), ..Self::with_root(lobby, ply, follows) };
        }
    }

    /// The next move that gave a result away, or the first one after the last.
    pub fn turning_point(&self) -> Option<usize> {
        let points = self.review.as_ref()?.turning_points();
        let after = points.iter().find(|point| point.number > self.ply);
        after.or(points.first()).map(|point| point.number)
    }

    /// Why there is no turning point; `None` if nothing is reviewed.
    pub(super) fn no_turning_point(&self) -> Option<&'static str> {
        let review = self.review.as_ref()?;
        Some(if review.left() == 0 { words::NO_TURNING_POINTS } else { words::NO_TURNING_POINTS_YET })
    }

    /// Moves the root to the position before the next turning point, with its move in view.
    pub fn jump(&mut self, lobby: &Lobby) {
        if let Some(ply) = self.turning_point() {
            self.go_to(lobby, ply);
            self.at = 0;
        }
    }

    /// The number of moves before the root, and the number of all moves of the game.
    pub fn plies(&self) -> (usize, usize) {
        (self.ply, self.plies)
    }

    /// The move at the root that was made in the game, once it is listed.
    pub fn made(&self) -> Option<&Branch> {
        self.tree.branches(0).find(|branch| Some(branch.mv) == self.made)
    }

    /// The best move at the root, once it is known.
    pub fn best(&self) -> Option<&Branch> {
        self.tree.branches(0).find(|branch| branch.best)
    }

    /// The move of the selected line, if it is a next move of the game.
    pub fn next(&self) -> Option<Move> {
        let node = self.tree.node(self.at);
        let is_next = self.ply == self.plies && node.above == Some(0);
        node.branch.as_ref().filter(|_| is_next).map(|branch| branch.mv)
    }

    /// Whether the move that leads to a position was made in the game.
    pub fn is_made(&self, number: usize) -> bool {
        let node = self.tree.node(number);
        let mv = node.branch.as_ref().map(|branch| branch.mv);
        node.above == Some(0) && mv.is_some() && mv == self.made
    }

    /// The position whose moves are in focus: the selected one if it is open, or else its parent.
    fn focus(&self) -> usize {
        let node = self.tree.node(self.at);
        let is_open = node.open && !self.tree.children(self.at).is_empty();
        node.above.filter(|_| !is_open).unwrap_or(self.at)
    }

    /// Whether of a move in focus the winner is known, but not how soon.
    pub fn is_open_ended(&self) -> bool {
        let mut branches = self.tree.branches(self.focus());
        branches.any(|branch| branch.known.is_some_and(Known::is_open_ended))
    }

    /// The number of listed moves in focus and that of all, where not all are listed.
    pub fn left_out(&self) -> Option<(usize, u64)> {
        match &self.tree.node(self.focus()).below {
            Below::Known { children, count, .. } => Some((children.len(), *count)),
            _ => None,
        }
        .filter(|(listed, all)| (*listed as u64) < *all)
    }

    /// Selects the listed move in focus that this text means, or says why not.
    pub fn find(&mut self, text: &str) -> Result<(), String> {
        let focus = self.focus();
        let mv = self.tree.node(focus).board.read_move(text).map_err(|bad| format!("{bad}."))?;
        self.at = self.tree.child(focus, mv).ok_or(words::NOT_LISTED)?;
        Ok(())
    }

    /// The index of the selected line among all.
    pub fn place(&self, lines: &[usize]) -> usize {
        lines.iter().position(|number| *number == self.at).unwrap_or(0)
    }

    /// Whether the game goes on at the selected line.
    pub fn leads_on(&self) -> bool {
        self.tree.node(self.at).below != Below::End
    }

    /// Selects the line with this number, if it is shown.
    pub fn select(&mut self, number: usize) {
        if self.tree.shown().contains(&number) {
            self.at = number;
        }
    }

    /// Moves the selection down by this many lines.
    pub fn step(&mut self, down: isize) {
        let lines = self.tree.shown();
        self.at = lines[self.place(&lines).saturating_add_signed(down).min(lines.len() - 1)];
    }

    /// Opens the selected line, or selects the first one below it.
    pub fn open(&mut self) {
        if self.tree.node(self.at).is_open() == Some(true) {
            self.at = self.tree.children(self.at).first().copied().unwrap_or(self.at);
        } else {
            self.tree.unfold(self.at);
        }
    }

    /// Closes the selected line, or selects its parent.
    pub fn close(&mut self) {
        let node = self.tree.node(self.at);
        match node.above {
            Some(above) if !node.open => self.at = above,
            _ => self.tree.fold(self.at),
        }
    }

    /// Opens or closes the selected line.
    pub fn toggle(&mut self) {
        if self.at != 0 && self.tree.node(self.at).open {
            self.tree.fold(self.at);
        } else {
            self.tree.unfold(self.at);
        }
    }

    /// Opens all closed lines at and below the selected one.
    pub fn deepen(&mut self) {
        let depth = self.tree.node(self.at).depth;
        let mut mine = self.tree.shown().into_iter().skip_while(|number| *number != self.at);
        let at = mine.next();
        let below = mine.take_while(|number| self.tree.node(*number).depth > depth);
        let all: Vec<usize> = at.into_iter().chain(below).collect();
        let closed = all.into_iter().filter(|&number| self.tree.node(number).is_open() != Some(true));
        let closed: Vec<usize> = closed.collect();
        for number in closed {
            self.tree.unfold(number);
        }
    }

    /// What has to be searched now, and on which board.
    pub fn question(&self) -> Option<(SearchTarget, &Board)> {
        if let Some(node) = self.tree.wanted(self.at) {
            return Some((SearchTarget::Moves { node }, &self.tree.node(node).board));
        }
        let (number, mv, before) = self.review.as_ref()?.wanted()?;
        Some((SearchTarget::Judge { number, mv }, before))
    }

    /// Whether moves of the tree are searched.
    pub fn is_searching(&self) -> bool {
        self.tree.wanted(self.at).is_some()
    }

    /// Takes what a move of the game was worth, if that was found.
    pub fn judge(&mut self, number: usize, found: Option<MoveReview>) {
        if let Some(review) = &mut self.review {
            review.take(number, found);
        }
    }

    /// Takes the moves of a position, or `None` if the search was stopped.
    pub fn take(&mut self, node: usize, found: Option<Branches>) {
        self.searched = 0;
        self.tree.grow(node, found);
    }

    /// Grows no further once the tree has this many positions.
    pub fn keep_within(&mut self, most: usize) {
        if self.tree.size() >= most && self.stop() {
            self.tree.full = true;
        }
    }

    /// Gives up all searches. Returns whether there were any.
    pub fn stop(&mut self) -> bool {
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
