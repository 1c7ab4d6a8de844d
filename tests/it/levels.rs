//! The bot's levels against the exact values of all moves (the rate and size of mistakes, and none near the
//! end), and against each other.

use nim::bot::duel::Arena;
use nim::bot::strength::{self, Blunder, Strength};
use nim::bot::{Bot, Level, Stop};
use nim::game::any::{Move, Position, Variant};
use nim::game::{BySide, Game, Outcome, Side, for_each_reachable};
use nim::search::{self, Known, Solution, Value, Verdict, WHOLE_GAME};

use crate::harness::campaign::{self, sample};

const HUGE: &str = "nim:1000000000000000000-1000000000000000000";

fn start(text: &str) -> Position {
    text.parse::<Variant>().unwrap().start().position()
}

/// The solution of a game that can be searched.
fn solved(root: &Position) -> Solution {
    Solution::of(root, WHOLE_GAME, &Stop::new())
}

fn value(solution: &Solution, position: &Position) -> Value {
    match solution.known(position) {
        Some(Known::Value(value)) => value,
        known => panic!("{known:?} of {position:?}"),
    }
}

/// The levels that make mistakes, and their strength.
fn fallible() -> impl Iterator<Item = (Level, Strength)> {
    Level::ALL.into_iter().filter_map(|level| Some((level, strength::of(level)?)))
}

fn choose(seed: u64, level: Level, solution: &Solution, position: &Position) -> Move {
    Bot::new(seed, level).choose_by(solution, position, &Stop::new()).unwrap()
}

/// The first seed of a sample.
fn first_seed() -> u64 {
    campaign::seed().unwrap_or(0)
}

/// The number of random choices for measuring a rate.
fn choices() -> u32 {
    sample(200, 4_000)
}

/// The number of games out of a thousand, each with its own seed, in which the level chooses a move with
/// this property.
fn per_mille(level: Level, position: &Position, is_so: impl Fn(Move) -> bool) -> u16 {
    let solution = solved(position);
    let chosen = |seed: &u32| is_so(choose(first_seed() + u64::from(*seed), level, &solution, position));
    u16::try_from((0..choices()).filter(chosen).count() * 1_000 / choices() as usize).unwrap()
}

/// Whether a rate is within four standard deviations (1/2 at most for one choice) of `wanted`.
fn is_about(share: u16, wanted: u16) -> bool {
    let error = 4.0 * 500.0 / f64::from(choices()).sqrt();
    f64::from(share.abs_diff(wanted)) <= error && (!wanted.is_multiple_of(1_000) || share == wanted)
}

#[test]
fn blunders_are_as_frequent_as_the_level_says() {
    for text in ["nim:3-4-5", "even-or-odd", "java-tech:20"] {
        let position = start(text);
        let solution = solved(&position);
        let spoils = |mv: Move| value(&solution, &position.play(mv).unwrap()).verdict() != Verdict::Loss;
        for (level, strength) in fallible() {
            let share = per_mille(level, &position, spoils);
            assert!(is_about(share, strength.blunders), "{level} in {text}: {share}");
        }
        assert_eq!(per_mille(Level::Perfect, &position, spoils), 0);
    }
}

#[test]
fn inaccuracies_are_as_frequent_as_the_level_says() {
    // Every first move draws; a perfect player prefers those that are hardest to answer.
    let position = start("tic-tac-toe");
    let best = search::best(&position, &Stop::new()).unwrap().moves;
    assert!(best.len() < 9);
    for (level, strength) in fallible() {
        let share = per_mille(level, &position, |mv| !best.contains(&mv));
        assert!(is_about(share, strength.inaccuracies), "{level}: {share}");
    }
}

#[test]
fn no_near_win_is_missed_no_near_loss_allowed_and_the_smallest_blunder_is_the_best_of_the_worse_moves() {
    // Wins, draws and losses of all lengths, in games small enough to check every position.
    for text in ["tic-tac-toe", "nim:3-4-5", "nim:2-3-4:misere", "pong-hau-ki", "mu-torere", "even-or-odd"] {
        let root = start(text);
        let solution = solved(&root);
        assert!(for_each_reachable(&root, 100_000, |position| {
            if position.outcome().is_none() {
                choices_are_right(&solution, position);
            }
        }));
    }
}

/// Checks the choices of every level in a position, with several seeds in a campaign.
fn choices_are_right(solution: &Solution, position: &Position) {
    let before = value(solution, position);
    let worth = |mv| value(solution, &position.play(mv).unwrap()).for_mover();
    let is_worse = |value: &Value| value.verdict() < before.verdict();
    for (level, strength) in fallible() {
        let is_near = |plies: u32| plies <= strength.look_ahead;
        let is_seen_lost = |value: Value| matches!(value, Value::Loss(plies) if is_near(plies));
        for seed in 0..sample(1, 4) {
            let after = worth(choose(seed, level, solution, position));
            assert!(is_seen_lost(before) || !is_seen_lost(after), "{position:?}");
            if matches!(before, Value::Win(plies) if is_near(plies)) {
                assert_eq!(after, before, "{position:?}");
            }
            if is_worse(&after) && strength.size == Blunder::Least {
                assert_eq!(Some(after), position.moves().map(worth).filter(is_worse).max(), "{position:?}");
            }
        }
    }
}

#[test]
fn a_perfect_bot_chooses_among_the_best_moves_by_its_seed_alone() {
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
fn every_level_moves_and_blunders_at_its_rate_in_huge_piles() {
    // The piles are equal, so every first move loses to the same move in the other pile.
    let lost = start(HUGE);
    for level in Level::ALL {
        for seed in 0..50 {
            let mv = Bot::new(seed, level).choose(&lost, &Stop::new()).unwrap();
            assert!(lost.play(mv).is_ok());
        }
    }
    let won = lost.play(lost.moves().nth(6).unwrap()).unwrap();
    for (level, strength) in fallible() {
        let share = per_mille(level, &won, |mv| {
            search::closed::verdict(&won.play(mv).unwrap()) == Some(Verdict::Win)
        });
        assert!(is_about(share, strength.blunders), "{level}: {share}");
    }
}

/// The half points of the first mover in `games` games between two levels.
fn points(text: &str, games: u32, first: Level, second: Level) -> u32 {
    let arena = Arena::new(text.parse().unwrap(), &Stop::new()).unwrap();
    let mut luck = fastrand::Rng::with_seed(1 + first_seed());
    let halves = |outcome| match outcome {
        Outcome::Win(Side::First) => 2,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 0,
    };
    (0..games).map(|_| halves(arena.play(BySide { first, second }, &mut luck, &Stop::new()).unwrap())).sum()
}

/// Pairs of each level and the one below.
fn neighbours() -> impl Iterator<Item = (Level, Level)> {
    Level::ALL.windows(2).map(|pair| (pair[1], pair[0]))
}

#[test]
fn each_level_beats_the_one_below_from_either_seat() {
    let games = sample(60, 1_000);
    for text in ["java-tech", "nim:3-4-5"] {
        for (upper, lower) in neighbours() {
            let first = points(text, games, upper, lower);
            let second = 2 * games - points(text, games, lower, upper);
            assert!(first > games && second > games, "{upper} against {lower} in {text}: {first}, {second}");
        }
    }
}

#[test]
fn each_level_scores_more_than_the_one_below_against_the_same_opponent() {
    let games = sample(60, 1_000);
    for text in ["even-or-odd", "tic-tac-toe", "one-two-ten", "zero-sum"] {
        for (upper, lower) in neighbours() {
            let (mine, theirs) = (points(text, games, upper, lower), points(text, games, lower, upper));
            assert!(mine > theirs, "{upper} against {lower} in {text}: {mine} to {theirs}");
        }
    }
}

#[test]
fn in_pong_hau_ki_all_games_are_drawn_by_repetition() {
    for (upper, lower) in neighbours() {
        assert_eq!(points("pong-hau-ki", 20, upper, lower), 20);
    }
}
