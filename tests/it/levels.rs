//! The bot's levels against the exact values of all moves: how often they err, by how much, and never near the end; and
//! against each other.

use nim::bot::duel::Ground;
use nim::bot::leeway::{self, Gift, Leeway};
use nim::bot::{Bot, Level, Stop};
use nim::game::any::{Move, Position, Variant};
use nim::game::{BySide, Game, Outcome, Side, for_each_reachable};
use nim::search::Budget;
use nim::search::{self, Known, Solution, Value, Verdict, WHOLE_GAME};

const HUGE: &str = "nim:1000000000000000000-1000000000000000000";

fn start(text: &str) -> Position {
    text.parse::<Variant>().unwrap().start().position()
}

/// All that is certain of a game that can be searched.
fn solved(root: &Position) -> Solution {
    Solution::of(root, WHOLE_GAME, &Stop::new())
}

/// What is known if there is nothing but the closed form.
fn proved(root: &Position) -> Solution {
    Solution::of(root, Budget { nodes: 1, plies: 1 }, &Stop::new())
}

fn value(solution: &Solution, position: &Position) -> Value {
    match solution.known(position) {
        Some(Known::Value(value)) => value,
        known => panic!("{known:?} of {position:?}"),
    }
}

/// The levels that err, with what they may get wrong.
fn fallible() -> impl Iterator<Item = (Level, Leeway)> {
    Level::ALL.into_iter().filter_map(|level| Some((level, leeway::of(level)?)))
}

fn choose(seed: u64, level: Level, solution: &Solution, position: &Position) -> Move {
    Bot::new(seed, level).choose_by(solution, position, &Stop::new()).unwrap()
}

/// In how many of a thousand games, one for each seed, the level chooses a move of which this is true.
fn per_mille(level: Level, position: &Position, is_so: impl Fn(Move) -> bool) -> u16 {
    let solution = solved(position);
    let chosen = |seed: &u64| is_so(choose(*seed, level, &solution, position));
    u16::try_from((0..4_000).filter(chosen).count() / 4).unwrap()
}

/// Whether a share of 4,000 is what chance makes of `wanted`: within four times the usual error of at most 8 ‰.
fn is_about(share: u16, wanted: u16) -> bool {
    share.abs_diff(wanted) <= 32 && (!wanted.is_multiple_of(1_000) || share == wanted)
}

#[test]
fn a_result_is_given_away_as_often_as_the_level_says() {
    for text in ["nim:3-4-5", "even-or-odd", "java-tech:20"] {
        let position = start(text);
        let solution = solved(&position);
        let spoils = |mv: Move| value(&solution, &position.play(mv).unwrap()).verdict() != Verdict::Loss;
        for (level, leeway) in fallible() {
            let share = per_mille(level, &position, spoils);
            assert!(is_about(share, leeway.spoils), "{level} in {text}: {share}");
        }
        assert_eq!(per_mille(Level::Perfect, &position, spoils), 0);
    }
}

#[test]
fn a_less_good_move_with_the_same_result_is_made_as_often_as_the_level_says() {
    // Every first move draws; a perfect player makes those that are hardest to answer.
    let position = start("tic-tac-toe");
    let best = search::best(&position, &Stop::new()).unwrap().moves;
    assert!(best.len() < 9);
    for (level, leeway) in fallible() {
        let share = per_mille(level, &position, |mv| !best.contains(&mv));
        assert!(is_about(share, leeway.dawdles), "{level}: {share}");
    }
}

/// Holds the choice of every level in every position of a game, by several seeds, to `rule`.
fn everywhere(
    text: &str,
    knowing: impl Fn(&Position) -> Solution,
    rule: impl Fn(Leeway, Value, Value, &Position),
) {
    let root = start(text);
    let (table, known) = (solved(&root), knowing(&root));
    assert!(for_each_reachable(&root, 100_000, |position| {
        if position.outcome().is_some() {
            return;
        }
        for (level, leeway) in fallible() {
            for seed in 0..4 {
                let next = position.play(choose(seed, level, &known, position)).unwrap();
                rule(leeway, value(&table, position), value(&table, &next).for_mover(), position);
            }
        }
    }));
}

/// Games with wins, draws and losses of all lengths, small enough for every position.
const SMALL: [&str; 6] =
    ["tic-tac-toe", "nim:3-4-5", "nim:2-3-4:misere", "pong-hau-ki", "mu-torere", "even-or-odd"];

#[test]
fn a_win_within_the_sight_is_never_missed() {
    for text in SMALL {
        everywhere(text, solved, |leeway, before, after, position| {
            if matches!(before, Value::Win(plies) if plies <= leeway.sight) {
                assert_eq!(after, before, "{position:?}");
            }
        });
    }
}

/// Whether somebody with this sight sees that a position is lost.
fn is_seen_lost(leeway: Leeway, value: Value) -> bool {
    matches!(value, Value::Loss(plies) if plies <= leeway.sight)
}

#[test]
fn no_move_walks_into_a_loss_within_the_sight_that_can_be_helped() {
    for text in SMALL {
        everywhere(text, solved, |leeway, before, after, position| {
            assert!(is_seen_lost(leeway, before) || !is_seen_lost(leeway, after), "{position:?}");
        });
    }
}

#[test]
fn both_hold_as_well_where_there_is_nothing_but_a_closed_form() {
    for text in ["nim:3-4-5", "nim:2-3-4:misere", "nim:5-6:max=3", "take:15:4:misere", "even-or-odd"] {
        everywhere(text, proved, |leeway, before, after, position| {
            assert!(is_seen_lost(leeway, before) || !is_seen_lost(leeway, after), "{position:?}");
            if matches!(before, Value::Win(plies) if plies <= leeway.sight) {
                assert!(matches!(after, Value::Win(plies) if plies <= leeway.sight), "{position:?}");
            }
        });
    }
}

#[test]
fn a_level_that_gives_away_the_least_makes_the_best_of_the_moves_that_spoil() {
    for text in SMALL {
        let root = start(text);
        let table = solved(&root);
        everywhere(text, solved, |leeway, before, after, position| {
            let spoilt = after.verdict() < before.verdict();
            if !spoilt || leeway.gift == Gift::Any {
                return;
            }
            let worth = position.moves().map(|mv| value(&table, &position.play(mv).unwrap()).for_mover());
            let least = worth.filter(|worth| worth.verdict() < before.verdict()).max();
            assert_eq!(Some(after), least, "{position:?}");
        });
    }
}

#[test]
fn a_perfect_bot_takes_one_of_the_best_moves_by_its_seed_and_no_other_chance() {
    for text in ["tic-tac-toe", "java-tech:11", "mu-torere"] {
        let root = start(text);
        let solution = solved(&root);
        for_each_reachable(&root, 100_000, |position| {
            let Some(best) = solution.best(position) else { return };
            let first = fastrand::Rng::with_seed(9).choice(best.moves).unwrap();
            assert_eq!(choose(9, Level::Perfect, &solution, position), first);
        });
    }
}

#[test]
fn of_piles_that_nobody_can_list_every_level_makes_a_move_and_errs_as_it_should() {
    // The piles are equal, so that any first take can be answered by the same from the other pile.
    let lost = start(HUGE);
    for level in Level::ALL {
        for seed in 0..50 {
            let mv = Bot::new(seed, level).choose(&lost, &Stop::new()).unwrap();
            assert!(lost.play(mv).is_ok());
        }
    }
    let won = lost.play(lost.moves().nth(6).unwrap()).unwrap();
    for (level, leeway) in fallible() {
        let share = per_mille(level, &won, |mv| {
            search::closed::verdict(&won.play(mv).unwrap()) == Some(Verdict::Win)
        });
        assert!(is_about(share, leeway.spoils), "{level}: {share}");
    }
}

/// What the levels score as first mover against each other, in wins and half wins, by `games` games of each pair.
fn points(text: &str, games: u32, first: Level, second: Level) -> u32 {
    let ground = Ground::new(text.parse().unwrap(), &Stop::new()).unwrap();
    let mut luck = fastrand::Rng::with_seed(1);
    let halves = |outcome| match outcome {
        Outcome::Win(Side::First) => 2,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 0,
    };
    (0..games).map(|_| halves(ground.play(BySide { first, second }, &mut luck, &Stop::new()).unwrap())).sum()
}

/// Each level with the one below.
fn neighbours() -> impl Iterator<Item = (Level, Level)> {
    Level::ALL.windows(2).map(|pair| (pair[1], pair[0]))
}

#[test]
fn each_level_beats_the_one_below_from_either_seat() {
    const GAMES: u32 = 400;
    for text in ["java-tech", "nim:3-4-5"] {
        for (upper, lower) in neighbours() {
            let first = points(text, GAMES, upper, lower);
            let second = 2 * GAMES - points(text, GAMES, lower, upper);
            assert!(first > GAMES && second > GAMES, "{upper} against {lower} in {text}: {first}, {second}");
        }
    }
}

#[test]
fn each_level_does_better_than_the_one_below_in_its_place() {
    const GAMES: u32 = 400;
    for text in ["even-or-odd", "tic-tac-toe", "one-two-ten", "zero-sum"] {
        for (upper, lower) in neighbours() {
            let (mine, theirs) = (points(text, GAMES, upper, lower), points(text, GAMES, lower, upper));
            assert!(mine > theirs, "{upper} against {lower} in {text}: {mine} to {theirs}");
        }
    }
}

#[test]
fn where_every_end_is_in_sight_all_games_are_drawn_by_repetition() {
    for (upper, lower) in neighbours() {
        assert_eq!(points("pong-hau-ki", 20, upper, lower), 20);
    }
}

#[test]
fn a_game_that_bots_would_play_for_ever_is_refused() {
    let refusal = Ground::new(HUGE.parse().unwrap(), &Stop::new()).unwrap_err().to_string();
    assert!(refusal.contains("too large") && refusal.contains("java-tech:21"), "{refusal}");
}
