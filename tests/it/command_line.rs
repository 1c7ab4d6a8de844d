//! Arguments and environment variables of both programs, and the messages about errors in them.

use std::net::{Ipv4Addr, TcpListener};

use crate::harness::{Finished, Home, Program, TestServer, Wire, client, connect, nobody, server};

/// Runs a program to its end.
async fn run(command: &mut tokio::process::Command) -> Finished {
    Program::spawn(command).finish().await
}

#[tokio::test]
async fn a_wrong_command_line_ends_with_a_sentence_and_code_2() {
    for (arguments, words) in [
        (&["--nonsense"][..], "--nonsense"),
        (&["--bind", "nowhere"], "an IP address is needed"),
        (&["--bind", "localhost:4000"], "127.0.0.1:4000 is for this machine (localhost) alone"),
        (&["--bind", "127.0.0.1:70000"], "127.0.0.1:7646 is for this machine"),
        (&["--bot-after", "soon"], "write a time as in 20s or 600ms"),
        (&["--bot-pace=-1"], "write a time as in 20s or 600ms"),
        (&["--bot-pace", "100000d"], "at most 49 days"),
        (&["--max-connections", "0"], "write a number from 1 to"),
        (&["--seed", "x"], "'--seed <NUMBER>': write a whole number from 0 to 18446744073709551615"),
        (&["--log-format", "xml"], "possible values: text, json"),
        (&["--no-bots=perhaps"], "--no-bots"),
        (&["dance"], "dance"),
    ] {
        let ended = run(&mut server(arguments)).await;
        ended.fails(2, words);
        assert_eq!(ended.stdout, "", "{arguments:?}");
    }
    for (arguments, words) in [
        (&[][..], "Usage: nim-client"),
        (&["connect", "--look-on", "nowhere0"], "this machine has no such network interface; it has "),
        (&["connect", "a b"], "write HOST or HOST:PORT, as in"),
        (&["connect", "https://host"], "write the address only up to its port"),
        (&["connect", "host", "--new", "chess"], "chess: no game has this name; there are java-tech"),
        (&["connect", "host", "--new", "java-tech:0"], "a pile has 1 to 10^18 objects"),
        (&["connect", "host", "--quick", "nim:3-x"], "\"x\" is not a pile"),
        (&["connect", "host", "--join", "otter"], "two words, as in brave-otter"),
        (&["connect", "host", "--name", " "], "a name needs at least one visible character"),
        (&["connect", "host", "--name", "a name that goes on and on"], "a name has at most 24 characters"),
        (&["connect", "host", "--new", "java-tech", "--quick", "java-tech"], "cannot be used with"),
        (&["connect", "host", "--bot", "--people-only"], "cannot be used with"),
        (&["connect", "host", "--join", "brave-otter", "--bot"], "cannot be used with"),
        (&["play", "take:5"], "write take:PILE:K, as in take:21:3"),
        (&["play", "--other", "ben"], "--two"),
        (&["play", "--web", "--plain"], "'--web' cannot be used with '--plain'"),
        (&["play", "--web", "--json"], "cannot be used with"),
        (&["play", "--web", "--two"], "cannot be used with"),
        (&["play", "--web", "--from", "game.txt"], "cannot be used with"),
        (&["play", "--level", "weak"], "there are beginner, easy, fair, strong and perfect"),
        (&["play", "--two", "--level", "easy"], "--level"),
        (&["connect", "here", "--join", "brave-otter", "--level", "easy"], "--level"),
        (
            &["connect", "host", "--stand-in-level", "weak"],
            "there are beginner, easy, fair, strong and perfect",
        ),
        (
            &["connect", "host", "--away-after", "4999ms"],
            "a lobby waits 5 seconds at least for a player who is away",
        ),
        (&["play", "--bot-pace", "quick"], "write a time as in 20s or 600ms"),
        (&["play", "--seed=-1"], "write a whole number from 0 to"),
        (&["dance"], "dance"),
    ] {
        run(&mut client(arguments)).await.fails(2, words);
    }
}

#[tokio::test]
async fn a_wrong_value_in_the_environment_ends_with_a_sentence_and_code_2() {
    for (variable, value, words) in [
        ("NIM_BIND", "nowhere", "an IP address is needed"),
        ("NIM_BOT_AFTER", "soon", "write a time as in 20s or 600ms"),
        ("NIM_BOT_PACE", "", "--bot-pace"),
        ("NIM_NO_BOTS", "maybe", "write true or false"),
        ("NIM_SEED", "-1", "write a whole number from 0 to"),
        ("NIM_MAX_CONNECTIONS", "many", "write a number from 1 to"),
        ("NIM_LOG_FORMAT", "xml", "possible values: text, json"),
        ("RUST_LOG", "nim=loud", "RUST_LOG"),
        ("RUST_LOG", "inof", "inof is not a level; write error, warn, info"),
        ("RUST_LOG", "nim=debug,loud", "loud is not a level"),
    ] {
        let ended = run(server(&[]).env(variable, value)).await;
        ended.fails(2, words);
        ended.fails(2, variable);
    }
    let ended = run(server(&["--bind", "nowhere"]).env("NIM_BIND", "127.0.0.1:0")).await;
    assert!(ended.code == Some(2) && !ended.stderr.contains("NIM_BIND"), "it was the flag: {ended:?}");
}

#[tokio::test]
async fn the_environment_sets_flags_and_a_given_flag_overrides_it() {
    let command = &mut server(&["--bot-after", "20ms"]);
    command
        .env("NIM_BIND", "127.0.0.1:0")
        .env("NIM_BOT_AFTER", "49d")
        .env("NIM_BOT_PACE", "0")
        .env("NIM_NO_BOTS", "false");
    let mut host = Program::spawn(command);
    let mut anna = connect(host.listens().await, "anna", &["--new", "take:1:1"]);
    // The bot joined after 20 ms, not after 49 days.
    anna.until("Your move").await;
    anna.types("1\nquit\n").await;
    assert_eq!(anna.finish().await.code, Some(0));
}

#[tokio::test]
async fn help_and_version_are_asked_for_and_go_to_standard_output() {
    for (name, mut command) in
        [("nim-server", server(&["--version"])), ("nim-client", client(&["--version"]))]
    {
        let ended = run(&mut command).await;
        assert_eq!(ended.stdout, format!("{name} {}\n", env!("CARGO_PKG_VERSION")));
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    }
    let help = run(&mut server(&["--help"])).await;
    for part in ["--bind", "NIM_BIND", "--bot-after", "NIM_BOT_AFTER", "listening on", "20s"] {
        assert!(help.stdout.contains(part), "{part}:\n{}", help.stdout);
    }
    let help = run(&mut client(&["--help"])).await;
    for part in ["connect", "play", "Exit codes", "3   no server answers there"] {
        assert!(help.stdout.contains(part), "{part}:\n{}", help.stdout);
    }
}

#[tokio::test]
async fn the_server_first_prints_its_address_and_then_what_to_type() {
    // `host` is the default command.
    for arguments in [&["--bind", "127.0.0.1:0"][..], &["host", "--bind", "127.0.0.1:0"]] {
        let mut host = Program::server(arguments);
        let address = host.listens().await;
        assert_ne!(address.port(), 0);
        host.until(&format!("nim-client connect {address}")).await;
    }
}

#[tokio::test]
async fn a_port_in_use_or_a_foreign_address_is_reported_with_advice() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap();
    let ended = run(&mut server(&["--bind", &address.to_string()])).await;
    ended.fails(1, &format!("port {} is in use", address.port()));
    ended.fails(1, "--bind 127.0.0.1:0");
    assert_eq!(ended.stdout, "");
    // 192.0.2.0/24 is reserved for documentation: no machine has it.
    let ended = run(&mut server(&["--bind", "192.0.2.1:7646"])).await;
    ended.fails(1, "192.0.2.1 is not an address of this machine");
}

#[tokio::test]
async fn the_log_goes_to_standard_error_in_lines_for_people_or_for_programs() {
    for (format, is_json) in [("text", false), ("json", true)] {
        let (mut host, address) = Program::listening_server(&["--log-format", format]).await;
        connect(address, "anna", &[]).quits().await;
        let line = host.until_error("welcome").await;
        assert_eq!(serde_json::from_str::<serde_json::Value>(&line).is_ok(), is_json, "{line}");
        assert!(line.contains("anna"), "{line}");
        assert!(!line.contains('\u{1b}'), "no colours without a terminal: {line:?}");
    }
}

#[tokio::test]
async fn rust_log_sets_the_log_level() {
    let mut host = Program::spawn(server(&["--bind", "127.0.0.1:0"]).env("RUST_LOG", "off"));
    connect(host.listens().await, "anna", &[]).quits().await;
    host.dies().await;
    assert_eq!(host.ended().await.stderr, "");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_keeps_serving_when_its_log_pipe_closes() {
    use std::process::Stdio;
    let writer = std::io::pipe().unwrap().1;
    let mut command = server(&["--bind", "127.0.0.1:0"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(writer).kill_on_drop(true);
    let mut host = Program::of(command.spawn().unwrap());
    let address = host.listens().await;
    for _ in 0..3 {
        let mut anna = connect(address, "anna", &["--bot", "--new", "take:1:1"]);
        anna.types("1\nquit\n").await;
        let ended = anna.finish().await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    host.signal("TERM").await;
    assert_eq!(host.ended().await.code, Some(0));
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_serves_when_its_output_pipe_closes() {
    let (_host, mut wire) = loop {
        let writer = std::io::pipe().unwrap().1;
        let (socket, address) = nobody();
        drop(socket);
        let mut command = server(&["--bind", &address.to_string()]);
        command.stdout(writer).stderr(std::process::Stdio::piped()).kill_on_drop(true);
        let mut host = Program::of(command.spawn().unwrap());
        let wire = tokio::select! {
            wire = Wire::wait_for(address) => wire,
            line = host.until_error("nim-server:") => {
                assert!(line.contains("in use"), "it ended: {line}");
                // Another program may have taken the port first.
                continue;
            }
        };
        break (host, wire);
    };
    wire.send_hello("anna").await;
    wire.is_heard().await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_exit_code_does_not_depend_on_a_reader_of_the_message() {
    let writer = std::io::pipe().unwrap().1;
    let (_socket, address) = nobody();
    let connecting = client(&["connect", &address.to_string()]).stderr(writer.try_clone().unwrap()).status();
    let status = connecting.await.unwrap();
    assert_eq!(status.code(), Some(3));
    let status = server(&["--bind", "192.0.2.1:7646"]).stderr(writer).status().await.unwrap();
    assert_eq!(status.code(), Some(1));
}

#[cfg(unix)]
#[tokio::test]
async fn a_closed_output_pipe_causes_no_panic() {
    let server = TestServer::start();
    let address = server.address().to_string();
    for arguments in [&["play", "java-tech"][..], &["connect", &address], &["--help"], &["play", "--two"]] {
        let writer = std::io::pipe().unwrap().1;
        let mut command = client(arguments);
        command.stdin(std::process::Stdio::piped()).stdout(writer).stderr(std::process::Stdio::piped());
        let mut player = Program::of(command.kill_on_drop(true).spawn().unwrap());
        player.types("1\n1\nhelp\nquit\n").await;
        let ended = player.finish().await;
        assert!(ended.code.is_some_and(|code| code <= 1), "{arguments:?}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{arguments:?}: {ended:?}");
    }
}

#[tokio::test]
async fn a_misspelt_word_is_answered_with_the_one_that_is_probably_meant() {
    for (words, meant) in [
        ("tic-tac-toe", "write nim-client play tic-tac-toe"),
        ("192.0.2.7", "write nim-client connect 192.0.2.7"),
        ("--ascii play ttt", "write --ascii after the command, as in nim-client play --ascii"),
        ("play nim-3-4-5", "did you mean nim:3-4-5?"),
        ("study nim 3-4-5", "did you mean nim:3-4-5?"),
        ("play nim:3,4,5", "write a hyphen between two piles, as in nim:3-4-5"),
        ("play nim:3-4-5:missere", "did you mean misere?"),
        ("play ttt --level prefect", "did you mean perfect?"),
        ("play ttt --clock 5m", "5m+0s"),
        ("config keys.hnt", "did you mean hint?"),
        ("config titel", "did you mean title?"),
        ("connect 127.0.0.1:99999", "is a number from 1 to 65535"),
        ("play connect four", "write a game as one word, as in connect-four"),
        ("play nim 3 4 5", "as in nim:3-4-5"),
        ("play take 30 4 --plain", "as in take:30:4"),
        ("connect host --new tic tac toe", "as in tic-tac-toe"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        run(&mut client(&words)).await.fails(2, meant);
    }
    let replay = ["record", "replay", "royal-coyot"];
    run(&mut client(&replay)).await.fails(1, "did you mean coyote? nim-client record list shows all");
    run(&mut client(&["resume", "dapper-dragn"])).await.fails(11, "did you mean dragon?");
}

#[tokio::test]
async fn a_misspelt_command_is_answered_with_the_one_that_is_probably_meant() {
    let home = Home::new();
    let mut game = home.runs(&["play", "tic-tac-toe", "--starts", "me"]);
    game.asks("hnt", "hnt: no move and no command; did you mean hint?").await;
    game.asks("resig", "did you mean resign?").await;
    game.asks("zz", "zz: not a move").await;
    let server = TestServer::start();
    let mut hall = server.program("anna", &[]);
    hall.asks("hepl", "hepl: no command has this name; did you mean help?").await;
    hall.asks("lits", "did you mean list?").await;
    hall.asks("brave-oter", "did you mean otter?").await;
}
