//! Known facts about the games as tests: counts of positions and games, values, lost positions, first moves.
//! The numbers come from the literature, and none from this program.

use std::collections::{HashMap, HashSet};

use nim::game::any::{Board, Move, Position, Variant};
use nim::game::connect_four::ConnectFour;
use nim::game::even_or_odd::EvenOrOdd;
use nim::game::mu_torere::MuTorereGame;
use nim::game::sliding::{SlidingGame, SlidingVariant, Stone};
use nim::game::tic_tac_toe::TicTacToe;
use nim::game::{BySide, Game, Outcome, Rules, Side, for_each_reachable};
use nim::search::count::{self, Tally};
use nim::search::minimax::minimax;
use nim::search::{Known, Solution, Stop, Tablebase, Value, Verdict, WHOLE_GAME, best, memo, retrograde};

use num_bigint::BigUint;

use crate::harness::campaign;

fn start(text: &str) -> Board {
    text.parse::<Variant>().unwrap_or_else(|bad| panic!("{text}: {bad}")).start()
}

/// Every legal move with the position after it.
fn children<G: Game>(position: &G) -> Vec<(G::Move, G)> {
    position.moves().map(|mv| (mv, position.play(mv).unwrap())).collect()
}

/// The counts of a game's complete tree, in which every sequence of moves is a node of its own.
fn tree(text: &str) -> Tally {
    count::count(&start(text).position(), count::MAX_SIZE, &Stop::new()).unwrap().tally
}

/// The value of every position, by the search that suits the game.
fn solved(position: &Position) -> Tablebase<Position> {
    let solve = if position.repeats() { retrograde::solve } else { memo::solve };
    solve(position, WHOLE_GAME, &Stop::new()).unwrap()
}

fn verdict(text: &str) -> Verdict {
    let position = start(text).position();
    solved(&position).value(&position).unwrap().verdict()
}

/// Every first move as typed, with its result for the side that makes it.
fn first_moves(text: &str) -> Vec<(String, Verdict)> {
    let board = start(text);
    let table = solved(&board.position());
    let worth = |child: &Position| table.value(child).unwrap().for_mover().verdict();
    children(&board.position()).iter().map(|(mv, child)| (board.write_move(*mv), worth(child))).collect()
}

/// All reachable positions.
fn positions(text: &str) -> Vec<Position> {
    let mut found = Vec::new();
    assert!(for_each_reachable(&start(text).position(), 10_000, |position| found.push(position.clone())));
    found
}

// Nim.

#[test]
fn a_misere_pile_is_lost_one_above_a_multiple_and_a_normal_one_at_a_multiple() {
    for (most, pile) in (1..=5).flat_map(|most| (1..=25).map(move |pile| (most, pile))) {
        let lost = |ending: &str| verdict(&format!("take:{pile}:{most}:{ending}")) == Verdict::Loss;
        assert_eq!(lost("misere"), pile % (most + 1) == 1 % (most + 1), "misere, {most}, {pile}");
        assert_eq!(lost("normal"), pile % (most + 1) == 0, "normal, {most}, {pile}");
    }
}

#[test]
fn the_lost_piles_of_the_two_misere_forms() {
    let lost = |form: &str| -> Vec<u64> {
        (1..=21).filter(|pile| verdict(&format!("{form}:{pile}")) == Verdict::Loss).collect()
    };
    assert_eq!(lost("java-tech"), [1, 5, 9, 13, 17, 21]);
    assert_eq!(lost("zero-sum"), [1, 4, 7, 10, 13, 16, 19]);
}

#[test]
fn one_two_ten_is_won_by_going_to_1_4_7_and_10() {
    let board = start("one-two-ten");
    assert_eq!(verdict("one-two-ten"), Verdict::Win);
    let table = solved(&board.position());
    let states = positions("one-two-ten");
    assert_eq!(states.len(), 20);
    let lost = |position: &&Position| table.value(position).unwrap().verdict() == Verdict::Loss;
    let targets: HashSet<String> = states.iter().filter(lost).map(shown).collect();
    assert_eq!(targets, ["1", "4", "7", "10"].map(String::from).into());
}

/// The count that `one-two-ten` shows.
fn shown(position: &Position) -> String {
    let Position::Nim(nim) = position else { panic!("{position:?} is not Nim") };
    (10 - nim.total()).to_string()
}

#[test]
fn the_complete_trees_of_nim_have_as_many_nodes_as_the_textbook_says() {
    let nodes = |text: &str| tree(text).nodes;
    assert_eq!(
        [1, 2, 3, 4].map(|pile| nodes(&format!("java-tech:{pile}"))),
        [2_u32, 4, 8, 15].map(BigUint::from)
    );
    assert_eq!(nodes("java-tech:21"), BigUint::from(489_396_u32));
    assert_eq!(nodes("one-two-ten"), BigUint::from(232_u32));
}

#[test]
fn of_4_with_3_at_most_only_taking_3_wins() {
    let root = start("java-tech:4").position();
    let plain = children(&root)
        .iter()
        .map(|(_, child)| minimax(child, &Stop::new()).unwrap().for_mover().verdict())
        .collect::<Vec<_>>();
    assert_eq!(plain, [Verdict::Loss, Verdict::Loss, Verdict::Win]);
    assert_eq!(best_moves("java-tech:4"), ["take 3"]);
}

#[test]
fn after_taking_1_of_6_all_three_replies_are_alike() {
    let replies = first_moves("java-tech:5");
    assert_eq!(replies.iter().map(|(_, verdict)| *verdict).collect::<Vec<_>>(), [Verdict::Loss; 3]);
    assert_eq!(best_moves("java-tech:5").len(), 3);
}

#[test]
fn several_piles_are_lost_where_their_nim_sum_is_0() {
    for (text, lost) in [
        ("nim:3-4-5", false),
        ("nim:1-3-5-7", true),
        ("nim:1-3-5-7:misere", true),
        ("nim:3-4-5:misere", false),
        ("nim:1-2-3", true),
        ("nim:1-1", true),
        ("nim:1-1:misere", false),
        ("nim:1-1-1:misere", true),
        ("nim:5-1:max=3", true),
        ("nim:6-1:max=3", false),
    ] {
        assert_eq!(verdict(text) == Verdict::Loss, lost, "{text}");
    }
}

#[test]
fn misere_with_2_at_most_and_a_pile_of_5_is_won_by_leaving_4_only() {
    let winning: Vec<String> = winning_first_moves("nim:5:max=2:misere");
    assert_eq!(winning, ["take 1"]);
}

fn winning_first_moves(text: &str) -> Vec<String> {
    first_moves(text).into_iter().filter(|(_, verdict)| *verdict == Verdict::Win).map(|(mv, _)| mv).collect()
}

/// The best moves of the search, as typed.
fn best_moves(text: &str) -> Vec<String> {
    let board = start(text);
    best(&board.position(), &Stop::new())
        .unwrap()
        .moves
        .into_iter()
        .map(|mv: Move| board.write_move(mv))
        .collect()
}

// Even or Odd.

#[test]
fn even_or_odd_has_its_known_values_by_size() {
    use Verdict::{Draw, Loss, Win};
    let verdicts: Vec<Verdict> = (1..=9).map(|tokens| verdict(&format!("even-or-odd:{tokens}"))).collect();
    assert_eq!(verdicts, [Loss, Draw, Win, Draw, Win, Draw, Win, Draw, Loss]);
}

#[test]
fn of_15_tokens_only_taking_3_wins() {
    assert_eq!(verdict("even-or-odd"), Verdict::Win);
    assert_eq!(winning_first_moves("even-or-odd"), ["take 3"]);
    assert!(first_moves("even-or-odd").iter().all(|(_, verdict)| *verdict != Verdict::Draw));
}

/// The state that decides Even or Odd.
fn state(position: &EvenOrOdd) -> (u64, [u64; 2], Side) {
    let BySide { first, second } = position.heaps();
    (position.middle(), [first % 2, second % 2], position.turn())
}

#[test]
fn the_value_of_even_or_odd_depends_on_the_rest_the_parities_and_the_mover() {
    let table = solved(&start("even-or-odd").position());
    let mut values = HashMap::new();
    for position in positions("even-or-odd") {
        let Position::EvenOrOdd(tokens) = &position else { panic!("{position:?}") };
        let value = table.value(&position).unwrap().verdict();
        assert_eq!(*values.entry(state(tokens)).or_insert(value), value, "{position:?}");
    }
    assert!(values.len() < 16 * 4, "{}", values.len());
}

// Tic-tac-toe.

#[test]
fn the_complete_tree_of_tic_tac_toe() {
    let Tally { nodes, wins, draws } = tree("tic-tac-toe");
    let published = [549_946_u32, 131_184, 77_904, 46_080].map(BigUint::from);
    assert_eq!([nodes, wins.first, wins.second, draws], published);
}

#[test]
fn tic_tac_toe_has_5478_positions_and_765_up_to_symmetry() {
    let all = positions("tic-tac-toe");
    assert_eq!((all.len(), all.iter().map(Game::canonical).collect::<HashSet<_>>().len()), (5_478, 765));
}

#[test]
fn tic_tac_toe_is_a_draw() {
    assert_eq!(verdict("tic-tac-toe"), Verdict::Draw);
    if campaign::is_on() {
        assert_eq!(minimax(&TicTacToe::default(), &Stop::new()), Some(Value::Draw));
    }
    assert!(first_moves("tic-tac-toe").iter().all(|(_, verdict)| *verdict == Verdict::Draw));
}

// Connect Four.

/// The number of sequences of exactly this many moves. A finished game is not extended, but counts if its
/// last move is the sequence's last.
fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.move_count(),
        _ => children(position).iter().map(|(_, child)| perft(child, depth - 1)).sum(),
    }
}

#[test]
fn the_sequences_of_moves_in_connect_four_number_as_published() {
    let counts = [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234, 39_394_572];
    for (depth, count) in (0..=campaign::sample(7, 9)).zip(counts) {
        assert_eq!(perft(&ConnectFour::default(), depth), count, "depth {depth}");
    }
}

/// The values of the seven first moves take a minute: `cargo bench --bench bench -- connect_four opening`.
/// These are positions some moves on, with their published scores.
#[test]
fn connect_four_positions_have_their_published_values() {
    use Value::{Draw, Loss, Win};
    let read = |text: &str| start("connect-four").variant().read_position(text).unwrap().position();
    for (columns, value) in [
        ("32751571231557", Loss(24)),
        ("335662333565", Loss(28)),
        ("2416615552", Win(25)),
        ("1616621455211", Win(19)),
        ("274552224131661", Draw),
        ("5455174361263362", Loss(26)),
        ("2531276566711153", Win(23)),
        ("37313333717124171162542", Win(15)),
        ("6614446666373154", Loss(20)),
        ("6242432155656447531617622", Draw),
    ] {
        let position = read(columns);
        let known = Solution::of(&position, WHOLE_GAME, &Stop::new()).known(&position);
        assert_eq!(known, Some(Known::Value(value)), "{columns}");
    }
}

// The games of sliding stones.

/// The numbers of drawn, won and lost reachable positions, and the plies of the longest win.
fn worths(text: &str) -> ([usize; 3], u32) {
    let table = solved(&start(text).position());
    let values: Vec<Value> = positions(text).iter().map(|position| table.value(position).unwrap()).collect();
    let number = |verdict| values.iter().filter(|value| value.verdict() == verdict).count();
    let won = values.iter().map(|value| if let Value::Win(plies) = value { *plies } else { 0 });
    ([Verdict::Draw, Verdict::Win, Verdict::Loss].map(number), won.max().unwrap())
}

/// The number of readable positions among all texts with this many stones.
fn readable(text: &str, stones: &str) -> usize {
    let variant = start(text).variant();
    let points = 2 * stones.len() + 1;
    let words = (0..3_usize.pow(u32::try_from(points).unwrap())).map(|number| {
        (0..points)
            .map(|at| ['.', 'x', 'o'][number / 3_usize.pow(u32::try_from(at).unwrap()) % 3])
            .collect::<String>()
    });
    words
        .flat_map(|word| ["first", "second"].map(|side| format!("{word} {side}")))
        .filter(|text| variant.read_position(text).is_ok())
        .count()
}

#[test]
fn pong_hau_ki_has_56_positions_of_60_and_most_are_drawn() {
    assert_eq!(readable("pong-hau-ki", "xx"), 60);
    assert_eq!(worths("pong-hau-ki"), ([44, 8, 4], 1));
}

#[test]
fn mu_torere_has_1180_positions_of_1260_and_wins_in_5_at_most() {
    assert_eq!(readable("mu-torere", "xxxx"), 1_260);
    assert_eq!(worths("mu-torere"), ([844, 208, 128], 5));
}

#[test]
fn both_sliding_games_are_drawn_with_both_first_moves() {
    let draw = |mv: &str| (mv.to_string(), Verdict::Draw);
    assert_eq!([verdict("pong-hau-ki"), verdict("mu-torere")], [Verdict::Draw; 2]);
    assert_eq!(first_moves("pong-hau-ki"), [draw("from 1 to 3"), draw("from 2 to 3")]);
    assert_eq!(first_moves("mu-torere"), [draw("from 1 to centre"), draw("from 4 to centre")]);
}

/// Mū Tōrere where any stone may move to the centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Unconditional;

impl SlidingGame for Unconditional {
    const FORM: &'static [(&'static str, &'static str)] = &[("unconditional", "")];
    const RULES: &'static str = "";
    const POINTS: &'static [&'static [&'static str]] = MuTorereGame::POINTS;
    const LINES: &'static [(u8, u8)] = MuTorereGame::LINES;
    const START: &'static [Stone] = MuTorereGame::START;
    const DRAWING: &'static str = "";
}

#[test]
fn without_the_condition_on_the_centre_mu_torere_is_won_at_once_from_point_2_or_3() {
    let variant = SlidingVariant::<Unconditional>::parse("unconditional", &[]).unwrap().unwrap();
    let root = variant.start();
    let table = retrograde::solve(&root, WHOLE_GAME, &Stop::new()).unwrap();
    assert_eq!(table.value(&root), Some(Value::Win(1)));
    let at_once: Vec<String> = children(&root)
        .into_iter()
        .filter(|(_, child)| child.outcome() == Some(Outcome::Win(Side::First)))
        .map(|(mv, _)| variant.write_move(&root, mv))
        .collect();
    assert_eq!(at_once, ["from 2 to centre", "from 3 to centre"]);
}
