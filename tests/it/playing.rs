//! The player's program, piped: from the first question to the exit code.

use crate::harness::{Program, TestServer, client};

/// The piped arguments of `play` that make it quick.
fn quick_play(rest: &[&'static str]) -> Vec<&'static str> {
    [&["play", "--name", "anna", "--bot-pace", "0", "--seed", "1"], rest].concat()
}

/// Opens a lobby and returns its code with the program that sits there.
async fn opens(server: &TestServer, arguments: &[&str]) -> (Program, String) {
    let address = server.address().to_string();
    let mut anna = Program::client(&[&["connect", &address, "--name", "anna"], arguments].concat());
    let line = anna.until("Waiting in ").await;
    let code = line.split_whitespace().nth(2).unwrap().to_owned();
    (anna, code)
}

fn one_won(one: &str, other: &str) -> bool {
    (one.contains("You won") && other.contains("You lost"))
        || (one.contains("You lost") && other.contains("You won"))
}

#[tokio::test]
async fn a_game_against_the_bot_is_played_to_its_end() {
    for (variant, answer) in [
        ("java-tech:21", "take 1"),
        ("zero-sum", "1"),
        ("one-two-ten", "add 1"),
        ("nim:1-1-1:misere", "1 from c"),
    ] {
        let mut player = Program::client(&quick_play(&[variant]));
        player.until(answer.split(' ').next_back().unwrap()).await;
        player.types(&format!("{answer}\n").repeat(1)).await;
        player.types("1\n1 from a\n1 from b\n1 from c\n1\n".repeat(30).as_str()).await;
        let ended = player.finish().await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{variant}: {}", ended.stdout);
        assert!(ended.stdout.contains("You won") || ended.stdout.contains("You lost"), "{}", ended.stdout);
    }
}

#[tokio::test]
async fn without_a_word_it_is_the_game_that_a_beginner_can_win() {
    // 21 is lost for whoever starts, and the bot does: leave 17, 13, 9, 5 and 1.
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
async fn a_bot_of_a_lower_level_is_named_with_it() {
    for level in ["beginner", "strong"] {
        let mut player = Program::client(&quick_play(&["java-tech:1", "--level", level]));
        player.types("1\nquit\n").await;
        let ended = player.finish().await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert!(ended.stdout.contains(&format!("minimax [bot, {level}] sits down.")), "{}", ended.stdout);
    }
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
        player.types(&format!("{typed}\n")).await;
        player.until(answer).await;
    }
    let ended = player.finish().await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[tokio::test]
async fn bytes_that_are_no_text_and_lines_without_end_are_wrong_lines_too() {
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
async fn again_plays_another_game_with_the_sides_swapped() {
    let mut player = Program::client(&quick_play(&["take:3:1"]));
    assert!(player.plays("1").await.starts_with("You won"), "who starts takes the last of three");
    player.types("again\n").await;
    player.until("Sides are swapped").await;
    assert!(player.plays("1").await.starts_with("You lost"));
    player.types("again\n").await;
    assert!(player.plays("1").await.starts_with("You won"));
    player.types("quit\n").await;
    assert_eq!(player.ended().await.code, Some(0));
}

#[tokio::test]
async fn two_people_at_one_keyboard_play_and_play_again() {
    let mut both = Program::client(&["play", "--two", "--name", "anna", "--other", "ben", "take:3:1"]);
    assert!(both.plays("1").await.starts_with("anna won"));
    both.types("again\n").await;
    assert!(both.plays("1").await.starts_with("ben won"));
    let ended = both.finish().await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn every_game_is_played_with_moves_as_people_say_them() {
    let round_and_round = "from 1 to 3, 4-1, 3 4, 1 to centre, 4, from 3 to 4, 1 c, 4 1, 3, 1, from 4, the 3";
    for (variant, moves, end) in [
        ("even-or-odd:7", "take 3, 1, TAKE 3", "anna won: anna holds an even number of tokens."),
        ("even-or-odd:4", "1, take 1, 1, 1", "Draw: both sides hold an even number."),
        ("tic-tac-toe", "5, a1, square 3, B1, c1, 7, a3", "anna won: anna made three in a row."),
        ("tic-tac-toe", "1, 5, 9, 2, 8, 7, 3, 6, 4", "Draw: the board is full."),
        ("connect-four", "4, column 5, 4, Column 5, 4, 5, 4", "anna won: anna made four in a row."),
        (
            "connect-four",
            "7, 1, 2, 5, 5, 7, 6, 3, 7, 7, 3, 1, 3, 3, 5, 2, 5, 7, 3, 1, 2, 6, 1, 3, 6, 4, 6, 2, 2, 1, 6, 7, 1, 2, 4, 4, \
             4, 6, 4, 5, 4, 5",
            "Draw: the board is full.",
        ),
        ("pong-hau-ki", "1, 4, 3, 5, 4, 1", "ben won: anna cannot move."),
        ("pong-hau-ki", round_and_round, "Draw: the position came up for the third time."),
        (
            "mu-torere",
            "from 1 to centre, 8-1, centre 8, from the 1 to putahi, 8, 7 8",
            "ben won: anna cannot move.",
        ),
    ] {
        let mut both = Program::client(&[
            "play", "--two", "--name", "anna", "--other", "ben", "--starts", "me", variant,
        ]);
        both.types(moves.replace(", ", "\n") + "\n").await;
        let ended = both.finish().await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{variant}: {}", ended.stdout);
        assert!(ended.stdout.contains(end), "{variant}: {}", ended.stdout);
    }
}

#[tokio::test]
async fn a_wrong_move_of_any_game_is_told_what_would_be_right() {
    for (variant, typed, answer) in [
        ("even-or-odd", "4", "4: a move takes at most 3"),
        ("even-or-odd", "5-5", "5-5: not a move; type 1, 2 or 3"),
        ("tic-tac-toe", "0", "0: not a move; type a free square, such as 1"),
        ("tic-tac-toe", "10", "10: there is no such square: they are 1 to 9"),
        ("tic-tac-toe", "d1", "d1: not a move"),
        ("connect-four", "0", "0: not a move; type a column, 1 to 7"),
        ("connect-four", "8", "8: not a move; type a column, 1 to 7"),
        ("connect-four", "d1", "d1: not a move"),
        ("connect-four", "4\n4\n4\n4\n4\n4\n4", "4: column 4 is full"),
        ("pong-hau-ki", "1 2", "1 2: 2 is not free"),
        ("pong-hau-ki", "centre", "type the stone that goes to 3: 1 or 2"),
        ("mu-torere", "2", "2: a stone goes to the centre only from beside a stone of the other side"),
        ("mu-torere", "5", "5: the stone on 5 is the other side's"),
        ("mu-torere", "take 3", "take 3: not a move"),
    ] {
        let mut both = Program::client(&["play", "--two", variant]);
        both.types(format!("{typed}\n")).await;
        both.until(answer).await;
        both.types("help\nhint\nquit\n").await;
        both.until("Hint: ").await;
        assert_eq!(both.ended().await.code, Some(0), "{variant}");
    }
}

#[tokio::test]
async fn two_people_at_one_keyboard_quit_on_either_ones_turn() {
    for moves in ["", "1\n"] {
        let mut both = Program::client(&["play", "--two", "--name", "anna", "take:3:1"]);
        both.types(&format!("{moves}quit\n")).await;
        both.until("move (").await;
        // Nothing more is typed, and the input is not at its end.
        let ended = both.ended().await;
        assert_eq!(ended.code, Some(0), "{moves:?}: {ended:?}");
    }
}

#[tokio::test]
async fn input_that_ends_in_a_game_is_code_8_and_after_it_0() {
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
async fn behind_a_piped_game_only_again_is_obeyed_and_any_other_line_is_the_end() {
    let server = TestServer::start();
    let address = server.address().to_string();
    let connected = ["connect", &address, "--name", "anna", "--new", "take:3:1", "--bot"];
    for line in ["", "1", "rules", "board", "help", "hint", "resign", "leave", "list", "hello", "quit"] {
        for arguments in [&quick_play(&["take:3:1"])[..], &connected] {
            let mut player = Program::client(arguments);
            player.plays("1").await;
            player.types(format!("{line}\nagain\nnew take:3:1\n")).await;
            let ended = player.ended().await;
            let (_, behind) = ended.stdout.rsplit_once("Type again for another game, or quit: \n").unwrap();
            assert_eq!((ended.code, behind, ended.stderr.as_str()), (Some(0), "", ""), "{line:?}: {ended:?}");
        }
    }
}

#[tokio::test]
async fn two_programs_meet_by_code_and_play_to_the_end() {
    let server = TestServer::start();
    let address = server.address().to_string();
    let (mut anna, code) = opens(&server, &["--new", "nim:3-4-5"]).await;
    let mut ben = Program::client(&["connect", &address, "--name", "ben", "--join", &code]);
    let moves = "1 from a\n1 from b\n1 from c\n".repeat(12);
    anna.types(&moves).await;
    ben.types(&moves).await;
    let (anna, ben) = tokio::join!(anna.finish(), ben.finish());
    assert_eq!((anna.code, ben.code), (Some(0), Some(0)), "{anna:?}\n{ben:?}");
    assert!(one_won(&anna.stdout, &ben.stdout), "{}\n{}", anna.stdout, ben.stdout);
    server.still_serves().await;
}

#[tokio::test]
async fn two_programs_meet_by_quick_match_and_play_to_the_end() {
    let server = TestServer::start();
    let address = server.address().to_string();
    let quick = |name| Program::client(&["connect", &address, "--name", name, "--quick", "java-tech:9"]);
    let (mut anna, mut ben) = (quick("anna"), quick("ben"));
    let (hers, his) = tokio::join!(anna.plays("1"), ben.plays("1"));
    assert!(one_won(&hers, &his), "{hers} {his}");
    anna.types("again\n").await;
    ben.types("again\n").await;
    let (hers, his) = tokio::join!(anna.plays("2"), ben.plays("1"));
    assert!(one_won(&hers, &his), "{hers} {his}");
    let (anna, ben) = tokio::join!(anna.finish(), ben.finish());
    assert_eq!((anna.code, ben.code), (Some(0), Some(0)));
}

#[tokio::test]
async fn the_hall_is_a_place_to_look_choose_and_play() {
    let server = TestServer::start();
    let mut ben = server.client("ben").await;
    let code = ben.create("take:3:1").await;
    let mut anna = Program::client(&["connect", &server.address().to_string(), "--name", "anna"]);
    anna.until(&code.to_string()).await;
    for (typed, answer) in [
        ("brave-otter-200", "no lobby has this code"),
        ("new chess", "chess: no game has this name"),
        ("hello", "as in brave-otter"),
        ("list", "take:3:1"),
    ] {
        anna.types(&format!("{typed}\n")).await;
        anna.until(answer).await;
    }
    anna.types(&format!("join {code}\n")).await;
    anna.until("You sit down in").await;
    let (line, result) = tokio::join!(anna.plays("1"), ben.play_to_the_end(crate::harness::first_move));
    assert!(line.starts_with("You lost") && result.outcome.winner() == Some(ben.side()), "{line}");
    anna.types("quit\n").await;
    assert_eq!(anna.finish().await.code, Some(0));
}

#[tokio::test]
async fn leave_goes_back_to_the_hall_and_loses_the_game() {
    let server = TestServer::start();
    let (mut anna, code) = opens(&server, &["--new", "java-tech:21"]).await;
    let mut ben = server.client("ben").await;
    ben.join(code.parse().unwrap()).await;
    anna.until("Your move").await;
    anna.types("leave\n").await;
    assert_eq!(ben.result().await.cause, nim::lobby::Cause::Left);
    anna.until("Type a code to join").await;
    anna.types("new nim:3-4-5\n").await;
    let code = anna.until("Waiting in ").await.split_whitespace().nth(2).unwrap().parse().unwrap();
    ben.leave().await;
    ben.join(code).await;
    anna.until("Your move").await;
    assert_eq!(anna.finish().await.code, Some(8), "the input ended in the second game");
    assert_eq!(ben.result().await.cause, nim::lobby::Cause::Left);
}

#[tokio::test]
async fn an_opponent_who_leaves_or_vanishes_is_told_of_and_the_program_goes_on() {
    let server = TestServer::start();
    for (vanishes, words) in
        [(false, "You won: ben left."), (true, "You won: ben left, for the connection broke.")]
    {
        let (mut anna, code) = opens(&server, &["--new", "java-tech:21"]).await;
        let mut ben = server.client("ben").await;
        ben.join(code.parse().unwrap()).await;
        if vanishes {
            ben.reset();
        } else {
            ben.leave().await;
        }
        anna.until("takes 1, 2 or 3 of them").await;
        assert_eq!(anna.until("ben").await, words, "it is told once, and before anything is asked");
        assert!(anna.line().await.starts_with("Type again"));
        anna.types("again\n").await;
        anna.until("Waiting in ").await;
        let mut cleo = server.client("cleo").await;
        cleo.join(code.parse().unwrap()).await;
        cleo.ask(nim::wire::LobbyRequest::Resign).await;
        anna.until("You won: cleo resigned").await;
        anna.types("quit\n").await;
        assert_eq!(anna.finish().await.code, Some(0));
    }
}

#[tokio::test]
async fn whoever_gives_no_name_is_called_by_their_login_name_if_it_is_one() {
    let server = TestServer::start();
    let mut ben = server.client("ben").await;
    ben.ask_hall(nim::wire::HallRequest::Look).await;
    let address = server.address().to_string();
    let system = whoami::username().unwrap();
    for (user, logname, called) in
        [(Some("zoe"), None, "zoe"), (Some("\u{200b}"), Some("max"), "max"), (None, None, system.as_str())]
    {
        let mut command = client(&["connect", &address, "--new", "java-tech:21"]);
        for (variable, value) in [("USER", user), ("LOGNAME", logname), ("USERNAME", None)] {
            command.env_remove(variable).envs(value.map(|value| (variable, value)));
        }
        let mut nameless = Program::spawn(&mut command);
        nameless.until("Waiting in ").await;
        let listing = loop {
            if let Some(listing) = ben.until_hall_told().await.pop() {
                break listing;
            }
        };
        assert_eq!(listing.seats.first.unwrap().0.as_str(), called);
    }
}

#[tokio::test]
async fn another_game_is_told_of_without_noise_where_nobody_has_to_agree() {
    let mut player = Program::client(&quick_play(&["take:3:1"]));
    player.plays("1").await;
    player.types("again\n").await;
    let ended = player.finish().await;
    assert!(!ended.stdout.contains("another game."), "{}", ended.stdout);
    let mut both = Program::client(&["play", "--two", "--name", "anna", "take:3:1"]);
    both.plays("1").await;
    both.types("again\n").await;
    let ended = both.finish().await;
    assert!(!ended.stdout.contains("another game."), "{}", ended.stdout);
}

#[tokio::test]
async fn what_the_nim_sum_is_is_said_once() {
    let mut player = Program::client(&quick_play(&["nim:3-4-5"]));
    player.types("hint\nhint\n").await;
    let ended = player.finish().await;
    assert_eq!(
        ended.stdout.matches("Hint: take 2 from a.\nIt makes the nim-sum 0").count(),
        2,
        "{}",
        ended.stdout
    );
    assert_eq!(ended.stdout.matches("(The nim-sum: ").count(), 1, "{}", ended.stdout);
}

#[tokio::test]
async fn play_alone_is_the_same_as_play_with_its_game_named() {
    for arguments in [&[][..], &["java-tech"], &["java-tech:21"]] {
        let mut player = Program::client(&quick_play(arguments));
        player.until("minimax [bot, perfect] starts.").await;
    }
}
