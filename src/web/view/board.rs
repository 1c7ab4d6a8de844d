//! The board as a drawing, and every legal move as a button.

use maud::{Markup, html};

use super::drawing::{self, Marks};
use crate::client::model::MyLobby;
use crate::game::Game;
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::nim::Take;
use crate::web::page::Page;

/// The most moves that have a button each; piles that are larger have a field for a number too.
const MAX_BUTTONS: usize = 24;

/// Whether the person can move now. While a move is on its way, the page shows it as taken.
fn is_open(mine: &MyLobby) -> bool {
    mine.you().is_some() && mine.is_to_move() && !mine.lobby.is_paused()
}

/// The drawing.
pub(super) fn drawn(mine: &MyLobby, page: &Page) -> Markup {
    let (lobby, board) = (&mine.lobby, mine.lobby.board());
    let hint = page.hint.filter(|(turn, _)| *turn == lobby.turn()).map(|(_, mv)| mv);
    let last = lobby.past().last().map(|past| past.mv);
    let marks = Marks { is_open: is_open(mine), turn: lobby.turn(), last, hint };
    drawing::of(board, &lobby.start(), &marks)
}

/// The legal moves as buttons.
pub(super) fn moves(mine: &MyLobby) -> Markup {
    let (lobby, board) = (&mine.lobby, mine.lobby.board());
    if !is_open(mine) {
        return html! {};
    }
    let moves: Vec<Move> = board.position().moves().take(MAX_BUTTONS + 1).collect();
    let turn = lobby.turn();
    html! {
        h2.hidden { "Your moves" }
        div.moves {
            @for mv in moves.iter().take(MAX_BUTTONS) {
                @let text = board.write_move(*mv);
                button data-do="play" data-move=(text) data-turn=(turn) { (name(board, *mv, &text)) }
            }
        }
        @if moves.len() > MAX_BUTTONS {
            form.row data-do="play" data-turn=(turn) {
                label for="move" { "Any other move" }
                input id="move" name="move" autocomplete="off" placeholder=(board.prompt()) maxlength="60";
                button { "Make it" }
            }
        }
    }
}

/// The name of a move on its button.
fn name(board: &Board, mv: Move, text: &str) -> String {
    let counts = matches!(board.variant(), Variant::Nim(nim) if nim.counts_to().is_some());
    let is_single = matches!(board.position(), Position::Nim(nim) if nim.piles().len() == 1);
    match mv {
        Move::Nim(Take { count, .. }) if counts => format!("Add {count}"),
        Move::Nim(Take { count, .. }) if is_single => format!("Take {count}"),
        Move::Nim(Take { pile, count }) => {
            format!("Take {count} from {}", char::from(b'a'.saturating_add(pile)))
        }
        Move::EvenOrOdd(tokens) => format!("Take {}", tokens.0),
        Move::TicTacToe(_) => format!("Square {text}"),
        Move::ConnectFour(_) => format!("Column {text}"),
        Move::PongHauKi(_) | Move::MuTorere(_) => text.to_owned(),
    }
}
