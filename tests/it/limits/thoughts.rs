//! How long a thought takes at most: in nodes, so that the result does not depend on the machine.

use nim::bot::{Bot, Level, accepts_draw};
use nim::game::Game;
use nim::game::any::{Board, Variant};
use nim::search::{LOOKAHEAD, Stop, WHOLE_GAME};
use nim::study;

use crate::harness::{VARIANTS, campaign};

/// The most that a thought searches: it tries to solve the game, and then looks ahead. In Connect Four both are
/// one search, whose nodes are 30 times as fast.
pub(super) const MOST: u64 = WHOLE_GAME.nodes + LOOKAHEAD.nodes;
pub(super) const MOST_IN_CONNECT_FOUR: u64 = 30 * WHOLE_GAME.nodes;

/// The largest games that a client can ask for, beside those of the tests.
const LARGEST: [&str; 9] = [
    "nim:1000000000000000000-999999999999999999-7",
    "nim:17-17-17-17-17-17-17-17-17-17-17-17-17-17-17-17:max=3:misere",
    "nim:15-15-15-15-15-15-15-15-15-15-15-15-15-15-15-15",
    "nim:900-1000-1100:max=300:misere",
    "take:1000000000000000000:1000000000:misere",
    "java-tech:1000000000000000000",
    "even-or-odd:1000000000000000000",
    "mu-torere",
    "connect-four",
];

/// The boards after this many moves, of which the first or the second legal ones are made.
fn boards(variant: &str, numbers: &[usize]) -> Vec<Board> {
    let variant: Variant = variant.parse().unwrap();
    let (mut board, mut boards) = (variant.start(), Vec::new());
    for turn in 0.. {
        if numbers.contains(&turn) {
            boards.push(board.clone());
        }
        let position = board.position();
        let mut moves = position.moves().take(2);
        let first = moves.next().filter(|_| turn < 20);
        let Some(mv) = (if turn % 3 == 0 { moves.next().or(first) } else { first }) else { break };
        board = board.play(mv).unwrap();
    }
    boards
}

/// A kind of thought.
type Kind<'a> = (&'static str, &'a dyn Fn(&Stop));

/// How many nodes the kinds of thought search on this board: all kinds in a campaign.
fn thoughts(board: &Board) -> Vec<(&'static str, u64)> {
    let position = board.position();
    let choose = |level| {
        let position = position.clone();
        move |stop: &Stop| _ = Bot::new(7, level).choose(&position, stop)
    };
    let review = |stop: &Stop| _ = position.moves().next().map(|mv| study::review(board, mv, stop));
    let kinds: [Kind<'_>; 5] = [
        ("a move with mistakes", &choose(Level::Strong)),
        ("a review", &review),
        ("a hint", &|stop| drop(study::hint(board, stop))),
        ("a perfect move", &choose(Level::Perfect)),
        ("an answer to an offer", &|stop| _ = accepts_draw(&position, position.turn(), stop)),
    ];
    let searched = |&(what, thought): &Kind<'_>| {
        let stop = Stop::new();
        thought(&stop);
        (what, stop.nodes())
    };
    kinds.iter().take(campaign::sample(1, 5)).map(searched).collect()
}

#[test]
fn no_thought_searches_more_than_its_bound() {
    let mut most = [0; 2];
    for variant in VARIANTS.iter().map(|(variant, ..)| *variant).chain(LARGEST) {
        let is_connect_four = variant.starts_with("connect-four");
        let bound = if is_connect_four { MOST_IN_CONNECT_FOUR } else { MOST };
        for board in boards(variant, campaign::sample(&[9], &[0, 3, 6, 9, 12, 15, 18])) {
            for (what, nodes) in thoughts(&board) {
                assert!(nodes <= bound, "{nodes} nodes for {what} of {variant} at {:?}", board.position());
                let most = &mut most[usize::from(is_connect_four)];
                *most = nodes.max(*most);
            }
        }
    }
    assert!(most[0] * 3 > MOST && most[1] > MOST, "thoughts come near the bound: {most:?}");
}
