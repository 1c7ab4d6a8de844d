//! The board as a drawing, and every legal move as a button.

use maud::{Markup, html};

use super::drawing::{self, Marks};
use super::spoken_board::letter;
use crate::client::model::MyLobby;
use crate::game::Game;
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::nim::{Nim, Take};
use crate::number::saturating;
use crate::web::page::Page;

/// The most moves that have a button each. A field takes the others.
const MAX_BUTTONS: u64 = 128;

/// The most moves whose buttons stand side by side. Of more, those of each pile are behind its name.
const SIDE_BY_SIDE: u64 = 24;

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
    let (turn, groups) = (lobby.turn(), groups(&board.position()));
    let shown: usize = groups.iter().map(|group| group.moves.len()).sum();
    html! {
        h2.hidden { "Your moves" }
        @for group in &groups {
            @match &group.pile {
                Some(pile) => details {
                    summary id={ "pile-" (pile.letter) } { "Pile " (pile.letter) ", " (pile.count) " left" }
                    (buttons(board, &group.moves, turn))
                },
                None => (buttons(board, &group.moves, turn)),
            }
        }
        @if board.position().move_count() > saturating(shown) {
            form.row data-do="play" data-turn=(turn) {
                label for="move" { "Any other move" }
                input id="move" name="move" autocomplete="off" placeholder=(board.prompt()) maxlength="60";
                button { "Make it" }
            }
        }
    }
}

/// Moves whose buttons stand together.
struct Group {
    /// The pile from which they all take, where piles are told apart.
    pile: Option<Pile>,
    moves: Vec<Move>,
}

struct Pile {
    letter: char,
    count: u64,
}

/// The moves that have a button. Where there are too many, the largest piles share the buttons.
fn groups(position: &Position) -> Vec<Group> {
    let is_long = position.move_count() > SIDE_BY_SIDE;
    match position {
        Position::Nim(nim) if is_long && takeable(nim).count() > 1 => {
            let shown = |most: u64| takeable(nim).map(|(_, takeable)| takeable.min(most)).sum::<u64>();
            let most = (1..=MAX_BUTTONS).rev().find(|most| shown(*most) <= MAX_BUTTONS).unwrap_or(1);
            let of_pile = |(pile, takeable): (u8, u64)| Group {
                pile: Some(Pile { letter: letter(usize::from(pile)), count: nim.piles()[usize::from(pile)] }),
                moves: (1..=takeable.min(most)).map(|count| Move::Nim(Take { pile, count })).collect(),
            };
            takeable(nim).map(of_pile).collect()
        }
        _ => vec![Group {
            pile: None,
            moves: position.moves().zip(0..MAX_BUTTONS).map(|(mv, _)| mv).collect(),
        }],
    }
}

/// The piles from which something can be taken, and how much.
fn takeable(nim: &Nim) -> impl Iterator<Item = (u8, u64)> {
    let piles = (0..).zip(nim.piles()).map(|(pile, _)| (pile, nim.takeable(usize::from(pile))));
    piles.filter(|(_, takeable)| *takeable > 0)
}

fn buttons(board: &Board, moves: &[Move], turn: u32) -> Markup {
    html! {
        div.moves {
            @for mv in moves {
                @let text = board.write_move(*mv);
                button data-do="play" data-move=(text) data-turn=(turn) { (name(board, *mv, &text)) }
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
        Move::Nim(Take { pile, count }) => format!("Take {count} from {}", letter(usize::from(pile))),
        Move::EvenOrOdd(tokens) => format!("Take {}", tokens.0),
        Move::TicTacToe(_) => format!("Square {text}"),
        Move::ConnectFour(_) => format!("Column {text}"),
        Move::PongHauKi(_) | Move::MuTorere(_) => text.to_owned(),
    }
}
