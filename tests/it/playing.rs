//! The client program with pipes: from the first question to the exit code.

mod company;

use nim::wire::LobbyRequest;

use crate::harness::{Program, TestServer};

/// Arguments for a fast `play` with pipes.
fn quick_play(rest: &[&'static str]) -> Vec<&'static str> {
    [&["play", "--name", "anna", "--bot-pace", "0", "--seed", "1"], rest].concat()
}

#[tokio::test]
async fn a_game_against_the_bot_is_played_to_its_end() {
    for (variant, answer) in [
        ("java-tech:21", "take 1"),
        ("zero-sum", "1"),
        ("one-two-ten", "add 1"),
        ("nim:1-1-1:misere", "1 from c"),
    ] {
        let mut player = Program::client(&quick_play(&[variant, "--level", "strong"]));
        player.until("minimax [bot, strong] sits down.").await;
        player.types(&format!("{answer}\n")).await;
        player.types("1\n1 from a\n1 from b\n1 from c\n1\n".repeat(30)).await;
        let ended = player.finish().await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{variant}: {}", ended.stdout);
        assert!(ended.stdout.contains("You won") || ended.stdout.contains("You lost"), "{}", ended.stdout);
    }
}

#[tokio::test]
async fn the_default_game_can_be_won_by_a_beginner() {
    // 21 is lost for the first player, and the bot starts: leave 17, 13, 9, 5 and 1.
    let mut player = Program::client(&quick_play(&[]));
    let mut left = 21;
    loop {
        let line = player.line().await;
        if let Some(count) = line.strip_prefix("minimax [bot, perfect]: take ") {
            left -= count.parse::<u32>().unwrap();
        }
        if line.contains("Your move") {
            let take = (left - 1) % 4;
            left -= take;
            player.types(&format!("take {take}\n")).await;
        }
        if line.starts_with("You won") {
            break;
        }
    }
    assert_eq!(player.finish().await.code, Some(0));
}

#[tokio::test]
async fn a_wrong_line_is_answered_and_the_question_asked_again() {
    let mut player = Program::client(&quick_play(&["nim:3-4-5"]));
    for (typed, answer) in [
        ("99 from a", "only 3 are left"),
        ("4", "Say from which pile, as in 4 from b"),
        ("0 from a", "a move takes at least 1"),
        ("1 from z", "there is no such pile: they are a to c"),
        ("2", "from which pile, as in 2 from a"),
        ("hello", "hello: not a move"),
        ("\u{1b}[2J", "\u{fffd}[2j: not a move"),
        ("again", "not over"),
        ("rules", "3 piles of 3, 4 and 5 objects"),
        ("board", "a  3"),
        ("hint", "It makes the nim-sum 0"),
        ("help", "Type a move"),
        ("resign", "You lost: you resigned"),
    ] {
        player.until("Your move").await;
        player.asks(typed, answer).await;
    }
    player.asks("review", "No move was made in that game: there is nothing to review.").await;
    player.quits().await;
}

#[tokio::test]
async fn invalid_utf8_and_endless_lines_are_wrong_lines() {
    let mut player = Program::client(&quick_play(&["take:1:1"]));
    player.until("Your move").await;
    player.types_bytes(b"\xff\xfe\x00\x80\n").await;
    player.until("not a move").await;
    player.types(&("x".repeat(100_000) + "\n1\n")).await;
    player.until("not a move").await;
    player.until("You won").await;
    assert_eq!(player.finish().await.code, Some(0));
}

#[tokio::test]
async fn another_game_starts_at_once_with_swapped_sides() {
    let two = ["play", "--two", "--name", "anna", "--other", "ben", "take:3:1"];
    let results = [["You won", "You lost"], ["anna won", "ben won"]];
    for (arguments, results) in [&quick_play(&["take:3:1"])[..], &two].into_iter().zip(results) {
        let mut player = Program::client(arguments);
        assert!(
            player.plays("1").await.starts_with(results[0]),
            "the starting player takes the last of three"
        );
        player.asks("again", "Sides are swapped").await;
        assert!(player.plays("1").await.starts_with(results[1]));
        player.types("again\n").await;
        assert!(player.plays("1").await.starts_with(results[0]));
        let ended = player.finish().await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert!(!ended.stdout.contains("another game."), "{}", ended.stdout);
    }
}

#[tokio::test]
async fn every_game_has_help_and_hints() {
    for variant in ["even-or-odd", "tic-tac-toe", "connect-four", "pong-hau-ki", "mu-torere"] {
        let mut both = Program::client(&["play", "--two", variant]);
        both.types("help\nhint\nquit\n").await;
        both.until("Type a move").await;
        both.until("Hint: ").await;
        assert_eq!(both.ended().await.code, Some(0), "{variant}");
    }
}

#[tokio::test]
async fn two_people_at_one_keyboard_quit_on_either_ones_turn() {
    for moves in ["", "1\n"] {
        let mut both = Program::client(&["play", "--two", "--name", "anna", "take:3:1"]);
        both.asks(&format!("{moves}quit"), "move (").await;
        // No more lines are typed, but the input stays open.
        let ended = both.ended().await;
        assert_eq!(ended.code, Some(0), "{moves:?}: {ended:?}");
    }
}

#[tokio::test]
async fn input_that_ends_during_a_game_gives_code_8_and_after_it_0() {
    for (typed, code) in
        [("", 8), ("1\n", 8), ("1\nhelp\n", 8), ("1\n1\n", 0), ("1\n1\nagain\n", 8), ("1\nquit\n", 0)]
    {
        let mut player = Program::client(&quick_play(&["take:3:1"]));
        player.types(typed).await;
        let ended = player.finish().await;
        assert_eq!(ended.code, Some(code), "{typed:?}: {ended:?}");
        assert_eq!(ended.stderr.contains("the input ended in the middle of a game"), code == 8, "{ended:?}");
    }
}

#[tokio::test]
async fn lines_after_a_piped_game_work_as_at_a_terminal() {
    let server = TestServer::start();
    let address = server.address().to_string();
    let connected = ["connect", &address, "--name", "anna", "--new", "take:3:1", "--bot"];
    let over = "The game is over.";
    for arguments in [&quick_play(&["take:3:1"])[..], &connected] {
        let mut player = Program::client(arguments);
        player.plays("1").await;
        for (line, answer) in [
            ("1", over),
            ("", over),
            ("draw", over),
            ("resign", over),
            ("list", over),
            ("why", "The game is over (you won: you took the last object)"),
            ("help", "  again"),
            ("terms", "is perfect"),
            ("rules", "The player who takes the last one wins."),
            ("board", "You won: you took the last object."),
            ("mute ben", "Nobody here is called ben"),
            ("say hello", "Type again for another game, review, or quit: "),
            ("review 3", "Move 3 of 3, anna: take 1"),
            ("review", "That was the last move. Type review 1 to begin again."),
            ("again", "Sides are swapped."),
        ] {
            player.types(format!("{line}\n")).await;
            if !line.is_empty() {
                player.until(answer).await;
            }
        }
        assert!(player.plays("1").await.starts_with("You lost"));
        player.types("quit\nagain\n").await;
        assert_eq!(player.ended().await.code, Some(0));
    }
}

#[tokio::test]
async fn again_from_a_pipe_does_not_block_later_lines_while_nobody_is_there() {
    let (server, [mut ben]) = TestServer::start_for(["ben"]).await;
    let code = ben.create("take:3:1").await.to_string();
    let mut anna = server.program("anna", &["--join", &code]);
    anna.until("starts.").await;
    ben.ask(LobbyRequest::Leave).await;
    anna.until("You won: ben left.").await;
    anna.asks("again", "Waiting in").await;
    anna.types("again\nwhy\n").await;
    anna.until("Nobody is here yet").await;
    anna.until("The game starts when somebody sits down").await;
}

#[tokio::test]
async fn the_nim_sum_is_explained_and_drawn_once() {
    let mut player = Program::client(&quick_play(&["nim:3-4-5"]));
    player.types("hint\nhint\n").await;
    let ended = player.finish().await;
    let count = |part| ended.stdout.matches(part).count();
    assert_eq!(count("Hint: take 2 from a.\nIt makes the nim-sum 0"), 2, "{}", ended.stdout);
    assert_eq!(count("The nim-sum: "), 1, "{}", ended.stdout);
    assert_eq!(count("pile c   5   1 0 1\nnim-sum  2   0 1 0\n               ^\n"), 1, "{}", ended.stdout);
}

#[tokio::test]
async fn the_rules_and_the_list_of_games_say_where_a_name_comes_from_and_name_a_plain_one() {
    let help = Program::client(&["play", "--help"]).finish().await.stdout;
    for (game, plain, origin) in [
        ("java-tech", "subtraction", "Named after Java Tech, Jeff Friesen's column of 2004."),
        ("zero-sum", "one-or-two", "Zero-sum means that one player wins what the other loses."),
    ] {
        assert!(help.contains(origin) && help.contains(&format!("also {plain}\n")), "{help}");
        let mut player = Program::client(&quick_play(&[plain]));
        player.until(&format!("{game}:")).await;
        player.until("Your move").await;
        player.asks("rules", origin).await;
        player.quits().await;
    }
}
