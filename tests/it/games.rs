//! The games beside Nim, over a real server: whole random games, illegal moves, hints, the bot, and games
//! that would never end.

use std::collections::HashMap;

use fastrand::Rng;
use nim::game::any::{Board, Move};
use nim::game::connect_four::Column;
use nim::game::even_or_odd::Tokens;
use nim::game::nim::Take;
use nim::game::sliding::Slide;
use nim::game::tic_tac_toe::Square;
use nim::game::{Game, Outcome, Side};
use nim::lobby::{Cause, GameResult, Phase, Refusal};
use nim::wire::{self, BotWish, LobbyRequest, NewLobby, Starts, ToClient};

use crate::harness::campaign::sample;
use crate::harness::{TestClient, TestServer, game, pair, terms};

/// Each game here, and a second size if there are several.
const VARIANTS: [&str; 6] =
    ["even-or-odd", "even-or-odd:10", "tic-tac-toe", "connect-four", "pong-hau-ki", "mu-torere"];

const DRAW_BY_REPETITION: GameResult = GameResult { outcome: Outcome::Draw, cause: Cause::Repetition };

/// More moves than any game here can have, even the longest way to a draw by repetition.
const FAR_TOO_LONG: usize = 10_000;

fn moves(board: &Board) -> Vec<Move> {
    board.position().moves().collect()
}

/// Plays the game to its end, and returns its result and all boards from the start on.
async fn play(player: &mut TestClient, mut choose: impl FnMut(&Board) -> Move) -> (GameResult, Vec<Board>) {
    let first = player.lobby().turn();
    let (mut boards, mut asked) = (vec![player.lobby().board().clone()], 0);
    loop {
        let lobby = player.lobby();
        let turn = lobby.turn();
        if usize::try_from(turn - first).unwrap() == boards.len() {
            assert!(boards.len() < FAR_TOO_LONG, "a game without end: {:?}", &boards[FAR_TOO_LONG - 20..]);
            boards.push(lobby.board().clone());
        }
        if let Phase::Over { result, .. } = lobby.phase() {
            return (result, boards);
        }
        if asked < turn && lobby.to_move().is_some_and(|mover| mover.id == player.player()) {
            asked = turn;
            let mv = choose(lobby.board());
            player.ask(LobbyRequest::Play { turn, mv }).await;
        }
        player.next().await;
    }
}

/// Two clients play the game; both have to see the same.
async fn play_both(
    one: &mut TestClient,
    other: &mut TestClient,
    mut choose: impl FnMut(&Board) -> Move + Clone,
) -> (GameResult, Vec<Board>) {
    let (here, there) = tokio::join!(play(one, choose.clone()), play(other, &mut choose));
    assert_eq!(here, there);
    assert_eq!(one.lobby(), other.lobby(), "both have the same copy");
    here
}

/// Counts the boards independently: the game ended at the right time with the right result.
fn check_end(result: GameResult, boards: &[Board]) {
    let mut times: HashMap<Board, usize> = HashMap::new();
    let (last, others) = boards.split_last().unwrap();
    for board in others {
        let times = times.entry(board.clone()).or_default();
        *times += 1;
        assert!(board.finish().is_none() && *times < 3, "the game went on after its end");
    }
    match last.finish() {
        Some(finish) => {
            assert_eq!(result, GameResult { outcome: finish.outcome, cause: Cause::Rules });
        }
        None => assert_eq!((result, times.get(last)), (DRAW_BY_REPETITION, Some(&2))),
    }
}

#[tokio::test]
async fn random_players_play_whole_games_of_each_kind_and_again() {
    let server = TestServer::start();
    for variant in VARIANTS {
        let (mut anna, mut ben) = pair(&server, terms(variant)).await;
        for seed in 0..sample(4, 20) {
            let mut luck = Rng::with_seed(seed);
            let choose = move |board: &Board| luck.choice(moves(board)).unwrap();
            let (result, boards) = play_both(&mut anna, &mut ben, choose).await;
            check_end(result, &boards);
            anna.ask(LobbyRequest::Again).await;
            ben.ask(LobbyRequest::Again).await;
            for player in [&mut anna, &mut ben] {
                player.until_playing().await;
            }
        }
    }
}

/// Whether the side to move can win at once.
fn can_win(board: &Board) -> bool {
    let wins = |mv: Move| board.play(mv).unwrap().finish().is_some();
    moves(board).into_iter().any(wins)
}

#[tokio::test]
async fn a_game_in_which_both_avoid_losing_ends_by_repetition() {
    let server = TestServer::start();
    for seed in 0..10 {
        let (mut anna, mut ben) = pair(&server, terms("pong-hau-ki")).await;
        let mut luck = Rng::with_seed(seed);
        // In Pong Hau K'i every win takes one move, so a player who looks one move ahead never loses.
        let choose = move |board: &Board| {
            let holds = |mv: &Move| !can_win(&board.play(*mv).unwrap());
            luck.choice(moves(board).into_iter().filter(holds).collect::<Vec<_>>()).unwrap()
        };
        let (result, boards) = play_both(&mut anna, &mut ben, choose).await;
        assert_eq!(result, DRAW_BY_REPETITION);
        check_end(result, &boards);
        // Each of the 56 positions twice, and one of them a third time.
        assert!(boards.len() <= 2 * 56 + 1);
    }
}

#[tokio::test]
async fn after_a_third_repetition_no_move_is_accepted() {
    let (_server, mut anna, mut ben) = game("mu-torere").await;
    let mut board = anna.lobby().board().clone();
    // After these six moves the start is on the board again, so each board has one move in each round.
    let round = [(0, 8), (7, 0), (8, 7), (0, 8), (7, 0), (8, 7)].map(|(from, to)| {
        let mv = Move::MuTorere(Slide { from, to });
        let after = board.play(mv).unwrap();
        (std::mem::replace(&mut board, after), mv)
    });
    let choose = |board: &Board| round.iter().find(|(there, _)| there == board).unwrap().1;
    let (result, boards) = play_both(&mut anna, &mut ben, choose).await;
    assert_eq!((result, boards.len()), (DRAW_BY_REPETITION, 13));
    check_end(result, &boards);
    let (turn, mv) = (anna.lobby().turn(), Move::MuTorere(Slide { from: 0, to: 8 }));
    let refusal = anna.refused(LobbyRequest::Play { turn, mv }).await;
    assert_eq!(refusal, wire::Refusal::Lobby(Refusal::NoGame));
}

#[tokio::test]
async fn an_illegal_move_is_refused_with_its_reason() {
    let server = TestServer::start();
    let (slide, other_game) = (|from, to| Slide { from, to }, "that is a move of another game");
    for (variant, mv, reason) in [
        ("even-or-odd", Move::EvenOrOdd(Tokens(255)), "a move takes at most 3"),
        ("even-or-odd", Move::Nim(Take { pile: 0, count: 1 }), other_game),
        ("tic-tac-toe", Move::TicTacToe(Square(255)), "there is no such square: they are 1 to 9"),
        ("connect-four", Move::ConnectFour(Column(7)), "there is no such column: they are 1 to 7"),
        ("connect-four", Move::ConnectFour(Column(255)), "there is no such column: they are 1 to 7"),
        ("pong-hau-ki", Move::PongHauKi(slide(255, 2)), "there is no such point: they are 1, 2, 3, 4, 5"),
        ("mu-torere", Move::MuTorere(slide(4, 8)), "the stone on 5 is the other side's"),
        ("mu-torere", Move::PongHauKi(slide(0, 8)), other_game),
        ("java-tech", Move::TicTacToe(Square(0)), other_game),
    ] {
        let (mut anna, _ben) = pair(&server, terms(variant)).await;
        let refusal = anna.refused(LobbyRequest::Play { turn: 1, mv }).await;
        let wire::Refusal::Lobby(Refusal::Illegal(words)) = refusal else { panic!("{refusal:?}") };
        assert!(words.as_str().contains(reason), "{variant}: {words} and not {reason}");
    }
}

/// The hint for the present turn.
async fn hint(player: &mut TestClient) -> (Move, String) {
    player.ask(LobbyRequest::Hint).await;
    player
        .until(|message| match message {
            ToClient::Hint { mv, words, .. } => Some((*mv, words.to_string())),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_player_who_follows_the_hints_gets_the_best_result_against_the_bot() {
    let server = TestServer::start();
    for (variant, outcome) in [
        ("even-or-odd:15", Outcome::Win(Side::First)),
        ("even-or-odd:8", Outcome::Draw),
        ("tic-tac-toe", Outcome::Draw),
        ("pong-hau-ki", Outcome::Draw),
        ("mu-torere", Outcome::Draw),
    ] {
        let (mut anna, _) = server.opened("anna", NewLobby { bot: BotWish::AtOnce, ..terms(variant) }).await;
        let mut boards = Vec::new();
        let result = loop {
            anna.until_lobby(|lobby| {
                let over = matches!(lobby.phase(), Phase::Over { .. });
                over || lobby.to_move().is_some_and(|mover| mover.name.as_str() == "anna")
            })
            .await;
            if let Phase::Over { result, .. } = anna.lobby().phase() {
                break result;
            }
            boards.push(anna.lobby().board().clone());
            let (mv, words) = hint(&mut anna).await;
            assert!(!words.is_empty());
            anna.play(mv).await;
        };
        assert_eq!(result.outcome, outcome, "{variant}: {boards:?}");
        anna.leave().await;
    }
}

#[tokio::test]
async fn a_random_player_beats_the_bot_in_no_game_that_starts_with_a_draw() {
    let server = TestServer::start();
    for (variant, offset) in VARIANTS.into_iter().zip(0..) {
        let mut anna = server.client("anna").await;
        for seed in 0..sample(1, 6) {
            let starts = if (seed + offset) % 2 == 0 { Starts::Me } else { Starts::Them };
            let mut luck = Rng::with_seed(seed);
            let wishes = NewLobby { bot: BotWish::AtOnce, starts, ..terms(variant) };
            anna.create_on(wishes).await;
            anna.until_playing().await;
            let (result, boards) = play(&mut anna, |board| luck.choice(moves(board)).unwrap()).await;
            check_end(result, &boards);
            // In Even or Odd a random player may find the right moves; the others start with a draw.
            if !variant.starts_with("even-or-odd") {
                assert_ne!(result.outcome, Outcome::Win(anna.side()), "{variant}");
            }
            anna.leave().await;
        }
    }
}
