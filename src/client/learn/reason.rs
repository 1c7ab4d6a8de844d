//! What the learn panel says of its selected line.

use super::Learn;
use super::game_review::GameReview;
use crate::client::words::learn as words;
use crate::lobby::Lobby;

/// The reason of the value of the selected line.
pub fn reason(lobby: &Lobby, learn: &Learn) -> Vec<String> {
    let node = learn.tree.node(learn.at);
    let of_game =
        |review: &GameReview| words::of_game(lobby, &review.turning_points(), review.kept(), review.left());
    if let Some(branch) = &node.branch {
        return words::of_move(branch, learn.is_made(learn.at));
    }
    // The turning points come first.
    let (ply, plies) = learn.plies();
    let has_points = |review: &&GameReview| plies > 0 || review.resignation().is_some();
    let first = learn.review.as_ref().filter(|_| ply == 0).filter(has_points).map(of_game);
    let resigned = learn.review.as_ref().filter(|_| ply == plies).and_then(GameReview::resignation);
    let resigned = resigned.map(|(side, verdict)| words::resigned_here(lobby, side, verdict));
    let here = words::of_position(lobby, &node.board, node.known(), [learn.made(), learn.best()]);
    first.into_iter().chain(resigned).chain(here).collect()
}
