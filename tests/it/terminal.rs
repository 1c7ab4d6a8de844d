//! The line face at a real terminal. From a pipe the program reads a line only at a question; here a line
//! may come at any time.

use nim::wire::{HelloRefusal, LobbyRequest, ToClient};
use tokio::net::TcpListener;

use crate::harness::pretender::Pretender;
use crate::harness::{Program, Terminal, TestServer, terms};

/// A terminal in which anna waits alone in a lobby of this server.
async fn waits(server: &TestServer, game: &str) -> (Terminal, String) {
    let mut anna = server.terminal("anna", &["--new", game, "--people-only"]);
    let code = anna.code().await;
    anna.until("Only people may join: no bots and no programs.").await;
    (anna, code)
}

#[tokio::test]
async fn a_player_alone_in_a_lobby_is_told_so_after_any_line() {
    let server = TestServer::start();
    let (mut anna, _) = waits(&server, "java-tech").await;
    for typed in ["foo", "again", "hint", "resign", "3"] {
        anna.asks(typed, "Nobody is here yet: the game starts when somebody sits down.").await;
    }
    let help = anna.asks("help", "quit  ").await;
    assert!(
        !help.contains("Type a move") && !help.contains("again ") && help.contains("back to the hall"),
        "{help}"
    );
    anna.quits().await;
}

#[tokio::test]
async fn waiting_for_a_slow_server_names_the_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut anna = Terminal::client(&["connect", &address.to_string(), "--name", "anna", "--give-up", "0"]);
    let mut server = Pretender::at(&listener).await;
    anna.until(&format!("Connecting to {address} …")).await;
    server.hears().await;
    server.says(&ToClient::Unwelcome(HelloRefusal::NotHello)).await;
    assert_eq!(anna.ended().await.0, 9);
}

#[tokio::test]
async fn the_help_fits_the_state_of_the_lobby() {
    let mut anna = Terminal::client(&["play", "--name", "anna", "--bot-pace", "0", "take:1:1"]);
    anna.until("or help): ").await;
    let during = anna.asks("help", "or help): ").await;
    assert!(during.contains("Type a move: 1. Or:") && during.contains("resign"), "{during}");
    assert!(!during.contains("  again ") && !during.contains("hall"), "a local game has no hall: {during}");
    anna.asks("1", "or quit: ").await;
    let after = anna.asks("help", "or quit: ").await;
    assert!(after.contains("again     play another game") && !after.contains("Type a move"), "{after}");
    for typed in ["1", "hint", "resign"] {
        let told = anna.asks(typed, "or quit: ").await;
        assert!(told.contains("The game is over.") && told.matches("Type again").count() == 1, "{told:?}");
    }
    anna.asks("again", "You lost").await;
    anna.until("or quit: ").await;
    anna.quits().await;
}

#[tokio::test]
async fn what_gives_a_game_away_asks_first_and_an_empty_answer_plays_on() {
    let flags = ["play", "--name", "anna", "--bot-pace", "0", "--starts", "me", "java-tech:8"];
    let mut anna = Terminal::client(&flags);
    anna.until("or help): ").await;
    let help = anna.asks("help", "or help): ").await;
    assert!(help.contains("offer a draw; a bot accepts where it cannot win"), "{help}");
    let (draw, resign) = ("The bot accepts where it cannot win. Offer a draw?", "Give this game up?");
    for (typed, question) in [("draw", draw), ("resign", resign), ("give up", resign)] {
        let question = format!("{question} (yes or no) [no]: ");
        for answer in ["", "no"] {
            anna.asks(typed, &question).await;
            anna.asks("3", "Type yes or no.").await;
            anna.until(&question).await;
            anna.asks(answer, "Your move").await;
            anna.until("or help): ").await;
        }
    }
    anna.asks("draw", "[no]: ").await;
    anna.asks("yes", "Draw: both agreed.").await;
    anna.until("or quit: ").await;
    anna.asks("again", "Your move").await;
    anna.until("or help): ").await;
    anna.asks("resign", "[no]: ").await;
    anna.asks("y", "You lost: you resigned.").await;
    anna.until("or quit: ").await;
    anna.quits().await;
}

#[tokio::test]
async fn keys_of_the_screen_work_as_lines_and_a_paused_game_says_how_it_goes_on() {
    let flags = ["play", "--name", "anna", "--bot-pace", "0", "--starts", "me", "java-tech:9"];
    let mut anna = Terminal::client(&flags);
    anna.until("or help): ").await;
    anna.asks("h", "Hint: take ").await;
    anna.until("or help): ").await;
    for undo in ["undo", "u"] {
        anna.asks("2", "minimax [bot, perfect]: take").await;
        anna.until("or help): ").await;
        anna.asks(undo, "taken back.").await;
        anna.until("or help): ").await;
    }
    anna.asks("s", "s: not a move").await;
    anna.asks("pause", "The game is paused.").await;
    anna.until("Type resume to continue the game: ").await;
    for typed in ["1", "hello"] {
        anna.asks(typed, "The game is paused: type resume to continue it.").await;
    }
    anna.asks("resume", "Your move").await;
    anna.asks("2", "minimax [bot, perfect]: take").await;
    anna.until("or help): ").await;
    anna.asks("q", "[keep]: ").await;
    anna.types("give up");
    assert_eq!(anna.ended().await.0, 0);
}

#[tokio::test]
async fn an_unanswered_question_ends_its_line_when_the_program_exits() {
    let mut anna = Terminal::client(&["play", "--name", "anna", "--bot-pace", "0", "take:1:1"]);
    anna.until("or help): ").await;
    anna.ends_input();
    let (code, screen) = anna.ended().await;
    assert_eq!(code, 8);
    assert!(
        screen.contains("or help): \nnim-client: the input ended in the middle of a game\n"),
        "{screen:?}"
    );

    let (server, address) = Program::listening_server(&[]).await;
    let mut ben = Terminal::client(&["connect", &address.to_string(), "--name", "ben", "--give-up", "0"]);
    ben.until("or quit: ").await;
    server.signal("TERM").await;
    let (code, screen) = ben.ended().await;
    assert_eq!(code, 7);
    let end = "or quit: \nnim-client: the server ended the connection: the server is stopping\n";
    assert!(screen.ends_with(end), "{screen:?}");
}

#[tokio::test]
async fn news_start_on_a_new_line() {
    let server = TestServer::start();
    let mut anna = server.terminal("anna", &[]);
    anna.until("or quit: ").await;
    let (_ben, code) = server.opened("ben", terms("take:3:1")).await;
    let news = anna.until("or quit: ").await;
    assert!(
        news.starts_with(&format!("\r\n{code}")) && news.contains("open     take:3:1:normal"),
        "{news:?}"
    );
    let list = anna.asks("LIST", "or quit: ").await;
    assert_eq!(list.matches(&code.to_string()).count(), 1, "each lobby is sent once: {list:?}");
    anna.ends_input();
    assert_eq!(anna.ended().await.0, 0);
}

#[tokio::test]
async fn a_move_out_of_turn_is_refused_at_once() {
    let server = TestServer::start();
    let (mut anna, code) = waits(&server, "java-tech").await;
    let mut ben = server.joined("ben", code.parse().unwrap()).await;
    anna.until("or help): ").await;
    anna.asks("take 3", "You: take 3").await;
    anna.asks("2", "It is not your turn.").await;
    anna.asks("again", "The game is not over.").await;
    anna.gives_up().await;
    assert_eq!(ben.result().await.cause, nim::lobby::Cause::Left);
}

#[tokio::test]
async fn a_game_command_in_the_hall_is_answered_with_where_it_works() {
    let server = TestServer::start();
    let mut anna = server.terminal("anna", &[]);
    for (typed, answer) in [
        ("resume", "type quit, and then run nim-client resume."),
        ("why", "why: you are in the hall"),
        ("leave", "leave: you are in the hall"),
        ("java-tech", "java-tech is a game: quick java-tech joins somebody who waits for it"),
        ("brave-otters", "a lobby's code is two words"),
    ] {
        anna.until("or quit: ").await;
        anna.asks(typed, answer).await;
    }
}

#[tokio::test]
async fn an_absence_is_shown_when_the_next_game_begins() {
    let server = TestServer::start();
    let (mut ben, code) = waits(&server, "take:2:2").await;
    let mut wes = server.joined("wes", code.parse().unwrap()).await;
    ben.until("or help): ").await;
    ben.asks("2", "or quit: ").await;
    wes.result().await;
    wes.ask(LobbyRequest::Again).await;
    ben.until("wes would like another game.").await;
    drop(wes);
    ben.until("wes is away").await;
    ben.asks("again", "take:2:2:normal: wes [away] against anna.").await;
    ben.until("wes is away. A bot moves for wes in ").await;
}

#[tokio::test]
async fn the_last_game_can_be_reviewed_after_the_opponent_left() {
    let server = TestServer::start();
    let (mut anna, code) = waits(&server, "take:2:2").await;
    let mut ben = server.joined("ben", code.parse().unwrap()).await;
    anna.until("or help): ").await;
    anna.asks("2", "or quit: ").await;
    anna.asks("again", "Waiting for ben.").await;
    ben.leave().await;
    anna.until("ben has left.").await;
    anna.asks("review", "Move 1 of 1, anna: take 2 ").await;
    let help = anna.asks("help", "quit  ").await;
    assert!(help.contains("  review    "), "{help}");
}

#[tokio::test]
async fn the_line_face_asks_the_questions_of_the_home_screen() {
    let folder = tempfile::tempdir().unwrap();
    let mut anna = Terminal::keeping(folder.path(), &["--plain"]);
    let shown = anna.until("What would you like (1 to").await;
    for words in
        ["1  play here and now, against the bot", "go to a host on this network", "played at this keyboard"]
    {
        assert!(shown.contains(words), "{words:?}: {shown}");
    }
    for typed in ["", "77", "help"] {
        anna.asks(typed, "What would you like (1 to").await;
    }
    anna.asks("play chess", "no game has this name").await;
    anna.until("What would you like (1 to").await;
    anna.types("play take:1:1 --starts me --bot-pace 0 --name anna");
    // The line face stays in the game too.
    anna.until("Your move (1, or help): ").await;
    anna.asks("1", "or quit: ").await;
    anna.quits().await;
}

#[tokio::test]
async fn a_saved_seat_is_resumed_from_the_list() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let address = server.address().to_string();
    let mut ben = server.terminal("ben", &["--new", "take:9:4", "--people-only"]);
    let code = ben.code().await;
    let join = ["connect", &address, "--name", "anna", "--join", &code];
    let mut anna = Terminal::keeping(folder.path(), &join);
    anna.until("ben starts.").await;
    drop(anna);
    ben.until("anna is away").await;
    let mut anna = Terminal::keeping(folder.path(), &["--plain"]);
    let list = anna.until("What would you like (1 to 5, or a command)?").await;
    assert!(list.contains("5  go on: take:9:4") && list.contains("against ben"), "{list}");
    anna.asks("5", "You are back in your seat.").await;
    ben.until("anna is back.").await;
}

#[tokio::test]
async fn a_finished_game_is_offered_to_resume_only_in_an_unfinished_match() {
    for (best_of, listed) in [("0", "(1 to 4,"), ("1", "(1 to 4,"), ("3", "(1 to 5,")] {
        let folder = tempfile::tempdir().unwrap();
        let game = ["play", "take:1:1", "--starts", "me", "--bot-pace", "0", "--best-of", best_of];
        let mut anna = Terminal::keeping(folder.path(), &game);
        anna.until("or help): ").await;
        anna.asks("1", "or quit: ").await;
        // The end of the input does not leave the lobby, so the seat is kept.
        anna.ends_input();
        assert_eq!(anna.ended().await.0, 0);
        let mut anna = Terminal::keeping(folder.path(), &["--plain"]);
        anna.until(&format!("What would you like {listed}")).await;
        anna.quits().await;
        // An explicit flag overrides that.
        let mut anna = Terminal::keeping(folder.path(), &["resume"]);
        if best_of == "3" {
            anna.until("The game is over").await;
            anna.gives_up().await;
        } else {
            anna.until("This one is over:").await;
            anna.asks("1", "The game is over").await;
            anna.quits().await;
        }
    }
}

#[tokio::test]
async fn a_pipe_is_asked_line_by_line_and_an_empty_one_is_told_how_to_begin() {
    for arguments in [&[][..], &["--plain"]] {
        let mut script = Program::client(arguments);
        script.types("play take:1:1 --starts me --bot-pace 0\n1\nquit\n").await;
        script.until("What would you like").await;
        script.until("You won").await;
        assert_eq!(script.ended().await.code, Some(0));
        let ended = Program::client(arguments).finish().await;
        ended.fails(2, "say what to do, as in nim-client play");
    }
    let mut script = Program::client(&["--plain"]);
    script.types("77\n0\nquit\n").await;
    let ended = script.ended().await;
    assert!(ended.stdout.contains("There is no 77 in the list"), "{ended:?}");
    assert!(ended.stdout.contains("There is no 0 in the list"), "{ended:?}");
    assert_eq!(ended.code, Some(0));
}

#[cfg(unix)]
#[tokio::test]
async fn input_at_a_terminal_is_asked_for_even_if_output_is_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "\"$0\" | cat", env!("CARGO_BIN_EXE_nim-client")]);
    command.env("NIM_CONFIG", "").env("NIM_STATE", folder.path());
    let mut terminal = Terminal::running(&command);
    terminal.until("What would you like").await;
    terminal.quits().await;
}
