//! The boards as SVG. What a move can be made with carries `data-…` attributes, by which the script follows the
//! mouse and the finger; the buttons beside the board are for the keyboard and for screen readers.

use maud::{Markup, html};

use super::spoken_board::{in_words, letter};
use crate::game::Side;
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::connect_four::board::{COLUMNS, ROWS, cell};
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::even_or_odd::{EvenOrOdd, Tokens};
use crate::game::nim::Take;
use crate::game::sliding::{Slide, Sliding, SlidingGame};
use crate::game::tic_tac_toe::{Square, TicTacToe};

/// What is marked on a board, and whether the person can move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub(super) is_open: bool,
    pub(super) turn: u32,
    pub(super) last: Option<Move>,
    pub(super) hint: Option<Move>,
}

/// The most objects of a pile that are drawn.
const MAX_DRAWN: u64 = 40;

/// The most objects in a row: a finger has to find one on a phone.
const A_ROW: u64 = 10;

/// The width and height of an object's place. The style has the height too.
const STICK: (u64, u64) = (22, 56);

/// The width of what stands before a pile.
const LEAD: u64 = 40;

/// The points of Pong Hau K'i.
const FIVE: [(u16, u16); 5] = [(30, 30), (270, 30), (150, 130), (30, 230), (270, 230)];

/// The points of Mū Tōrere: a ring from the upper right on, and the centre.
const RING: [(u16, u16); 9] =
    [(200, 35), (265, 100), (265, 190), (200, 255), (100, 255), (35, 190), (35, 100), (100, 35), (150, 145)];

/// The class of a side's stones.
pub(super) fn side_class(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// The drawing of a board on which nothing can be moved.
pub(super) fn still(board: &Board, start: &Board, last: Option<Move>, best: Option<Move>) -> Markup {
    of(board, start, &Marks { is_open: false, turn: 0, last, hint: best })
}

/// The drawing of this board, whose games begin at `start`.
pub(super) fn of(board: &Board, start: &Board, marks: &Marks) -> Markup {
    match (board.variant(), board.position(), start.position()) {
        (Variant::Nim(variant), Position::Nim(nim), _) if variant.counts_to().is_some() => {
            let goal = variant.counts_to().unwrap_or_default();
            track(board, goal, nim.total(), marks)
        }
        (_, Position::Nim(nim), Position::Nim(before)) => {
            let pile = |(at, &count): (usize, &u64)| Pile {
                count,
                size: before.piles().get(at).map_or(count, |&size| size.max(count)),
                takeable: nim.takeable(at),
            };
            let all: Vec<Pile> = nim.piles().iter().enumerate().map(pile).collect();
            piles(board, &all, marks)
        }
        (_, Position::EvenOrOdd(position), _) => even_or_odd(board, &position, marks),
        (_, Position::TicTacToe(position), _) => squares(board, position, marks),
        (_, Position::ConnectFour(position), _) => columns(board, &position, marks),
        (_, Position::PongHauKi(position), _) => points(board, &position, &FIVE, Move::PongHauKi, marks),
        (_, Position::MuTorere(position), _) => points(board, &position, &RING, Move::MuTorere, marks),
        (_, Position::Nim(_), _) => html! {},
    }
}

/// The frame of a drawing. A screen reader reads its description alone.
fn svg((width, height): (u64, u64), about: &str, class: &str, turn: u32, content: &Markup) -> Markup {
    html! {
        svg class=(format!("board {class}")) viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(about) data-turn=(turn) {
            (content)
        }
    }
}

/// The attributes of a place of a move, if it can be made.
fn text_of(board: &Board, mv: Move, marks: &Marks) -> Option<String> {
    (marks.is_open && board.play(mv).is_ok()).then(|| board.write_move(mv))
}

struct Pile {
    count: u64,
    /// The count at the start, so that what is left stays where it is.
    size: u64,
    /// The largest legal move.
    takeable: u64,
}

fn piles(board: &Board, all: &[Pile], marks: &Marks) -> Markup {
    let rows = |pile: &Pile| if pile.size > MAX_DRAWN { 1 } else { pile.size.div_ceil(A_ROW).max(1) };
    let widest = all.iter().map(|pile| pile.size.min(A_ROW)).max().unwrap_or(1);
    let height = |piles: &[Pile]| 10 + piles.iter().map(|pile| rows(pile) * (STICK.1 + 8) + 12).sum::<u64>();
    let content = html! {
        @for (at, pile) in all.iter().enumerate() {
            (one_pile(board, at, pile, height(&all[..at]), all.len() > 1, marks))
        }
    };
    svg((LEAD + widest.max(6) * STICK.0 + 10, height(all)), &in_words(board), "piles", marks.turn, &content)
}

fn one_pile(board: &Board, at: usize, pile: &Pile, top: u64, is_named: bool, marks: &Marks) -> Markup {
    let of = |count: u64| match board.position() {
        Position::EvenOrOdd(_) => Some(Move::EvenOrOdd(Tokens(u8::try_from(count).ok()?))),
        _ => Some(Move::Nim(Take { pile: u8::try_from(at).ok()?, count })),
    };
    let most = pile.takeable.min(MAX_DRAWN);
    let legal = (1..=most).filter(|_| marks.is_open).filter_map(of);
    let texts: Vec<String> = legal.map(|mv| board.write_move(mv)).collect();
    let taken = |mv: Option<Move>| match mv {
        Some(Move::Nim(take)) if usize::from(take.pile) == at => take.count,
        Some(Move::EvenOrOdd(tokens)) => tokens.0.into(),
        _ => 0,
    };
    let (last, hint) = (taken(marks.last), taken(marks.hint));
    let place = |object: u64| (LEAD + object % A_ROW * STICK.0, top + object / A_ROW * (STICK.1 + 8));
    html! {
        text.count x="4" y=(top + 36) {
            @if is_named { tspan.letter { (letter(at)) " " } }
            (pile.count)
        }
        @if pile.size <= MAX_DRAWN {
            g data-pile=[(!texts.is_empty()).then(|| texts.join("|"))] data-turn=(marks.turn) data-count=(pile.count) {
                @if !texts.is_empty() {
                    // A finger needs more room than a stick has.
                    @for from in (0..pile.count.div_ceil(A_ROW)).map(|row| row * A_ROW) {
                        @let (to, (x, y)) = (pile.count.min(from + A_ROW), place(from));
                        rect.place x=(x) y=(y) width=((to - from) * STICK.0) data-from=(from) data-to=(to) {}
                    }
                }
                @for object in 0..pile.size {
                    @let (x, y) = place(object);
                    @let is_there = object < pile.count;
                    @let class = match object {
                        object if is_there && object + hint >= pile.count => "stick hint",
                        _ if is_there => "stick",
                        object if object < pile.count + last => "stick taken",
                        _ => "stick gone",
                    };
                    rect class=(class) x=(x + 7) y=(y + 4) {}
                }
            }
        }
    }
}

fn even_or_odd(board: &Board, position: &EvenOrOdd, marks: &Marks) -> Markup {
    let pile = Pile { count: position.middle(), size: position.total(), takeable: position.middle().min(3) };
    html! {
        (piles(board, &[pile], marks))
        p.row {
            @for side in Side::BOTH {
                @let held = position.heaps()[side];
                span { span class=(format!("stone {}", side_class(side))) {} " holds " (held) @if held.is_multiple_of(2) { ", even" } @else { ", odd" } }
            }
        }
    }
}

fn track(board: &Board, goal: u64, left: u64, marks: &Marks) -> Markup {
    let (step, reached) = (36, goal.saturating_sub(left));
    let content = html! {
        @for number in 0..=goal {
            @let x = 10 + number * step;
            @let mv = number.checked_sub(reached).filter(|count| *count > 0).map(|count| Move::Nim(Take { pile: 0, count }));
            @let text = mv.and_then(|mv| text_of(board, mv, marks));
            @let class = match number {
                number if number == reached => "step here",
                number if number < reached => "step past",
                _ if mv.is_some() && mv == marks.hint => "step hint",
                _ => "step",
            };
            g data-move=[text] data-turn=(marks.turn) {
                rect class=(class) x=(x) y="10" width=(step - 4) height="44" rx="6" {}
                text.middle x=(x + step / 2 - 2) y="38" { (number) }
            }
        }
    };
    svg((20 + (goal + 1) * step, 64), &in_words(board), "track", marks.turn, &content)
}

fn squares(board: &Board, position: TicTacToe, marks: &Marks) -> Markup {
    let content = html! {
        @for square in Square::all() {
            @let (x, y) = (u64::from(square.0 % 3) * 100, u64::from(square.0 / 3) * 100);
            @let mv = Move::TicTacToe(square);
            g data-move=[text_of(board, mv, marks)] data-turn=(marks.turn) class=[mark(mv, marks)] {
                rect.place.square x=(x + 2) y=(y + 2) width="96" height="96" rx="8" {}
                @match position.stone(square) {
                    Some(Side::First) => path.cross.first d=(format!("M{} {}l50 50m0 -50l-50 50", x + 25, y + 25)) {},
                    Some(Side::Second) => circle.nought.second cx=(x + 50) cy=(y + 50) r="28" {},
                    None => text.middle.faint x=(x + 50) y=(y + 58) { (square.0 + 1) },
                }
            }
        }
    };
    svg((300, 300), &in_words(board), "squares", marks.turn, &content)
}

/// The class of the place of the last move, or of a hint.
fn mark(mv: Move, marks: &Marks) -> Option<&'static str> {
    match mv {
        mv if Some(mv) == marks.hint => Some("hint"),
        mv if Some(mv) == marks.last => Some("last"),
        _ => None,
    }
}

fn columns(board: &Board, position: &ConnectFour, marks: &Marks) -> Markup {
    let stone = |column, row| position.stone(cell(column, row));
    let top = |column: u8| (0..ROWS).rev().find(|row| stone(column, *row).is_some());
    let content = html! {
        rect.frame x="0" y="0" width=(u64::from(COLUMNS) * 60) height=(u64::from(ROWS) * 60 + 30) rx="10" {}
        @for column in 0..COLUMNS {
            @let mv = Move::ConnectFour(Column(column));
            @let x = u64::from(column) * 60;
            g data-move=[text_of(board, mv, marks)] data-turn=(marks.turn) class=[(marks.hint == Some(mv)).then_some("hint")] {
                rect.place x=(x) y="0" width="60" height=(u64::from(ROWS) * 60 + 30) {}
                text.middle.faint x=(x + 30) y="20" { (column + 1) }
                @for row in 0..ROWS {
                    @let side = stone(column, row);
                    @let is_last = marks.last == Some(mv) && top(column) == Some(row);
                    @let class = side.map_or("hole", side_class);
                    circle class=(class) cx=(x + 30) cy=(u64::from(ROWS - 1 - row) * 60 + 60) r="25" {}
                    @if is_last { circle.ring cx=(x + 30) cy=(u64::from(ROWS - 1 - row) * 60 + 60) r="12" {} }
                }
            }
        }
    };
    svg(
        (u64::from(COLUMNS) * 60, u64::from(ROWS) * 60 + 30),
        &in_words(board),
        "columns",
        marks.turn,
        &content,
    )
}

fn points<G: SlidingGame>(
    board: &Board,
    position: &Sliding<G>,
    places: &[(u16, u16)],
    of: fn(Slide) -> Move,
    marks: &Marks,
) -> Markup {
    let place = |point: u8| places.get(usize::from(point)).copied().unwrap_or_default();
    let free = position.free();
    let last_to = marks.last.and_then(|mv| match mv {
        Move::PongHauKi(slide) | Move::MuTorere(slide) => Some(slide.to),
        _ => None,
    });
    let content = html! {
        @for (one, other) in G::LINES {
            @let (a, b) = (place(*one), place(*other));
            line.line x1=(a.0) y1=(a.1) x2=(b.0) y2=(b.1) {}
        }
        @for (point, names) in (0_u8..).zip(G::POINTS) {
            @let (x, y) = place(point);
            @let mv = of(Slide { from: point, to: free });
            g data-move=[text_of(board, mv, marks)] data-turn=(marks.turn) data-slide=[(point == free).then_some("to")] class=[(marks.hint == Some(mv)).then_some("hint")] {
                circle class=(position.stone(point).map_or("free", side_class)) cx=(x) cy=(y) r="24" {}
                @if last_to == Some(point) { circle.ring cx=(x) cy=(y) r="12" {} }
                @let name = names.first().copied().unwrap_or_default();
                // A word is as wide as the stone: it stands below.
                @let (below, class) = if name.len() > 2 { (42, "middle name word") } else { (5, "middle name") };
                text class=(class) x=(x) y=(y + below) { (name) }
            }
        }
    };
    svg((300, 290), &in_words(board), "points", marks.turn, &content)
}
