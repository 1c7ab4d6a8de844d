//! What goes wrong: slips, lines that mean nothing, input that ends too soon, servers that are not there.

use nim::client::json::Event;
use nim::client::json::vocabulary::{Deed, Fault, Refusal};

use super::scripts::code;
use super::{Run, Script};
use crate::harness::{TestServer, nobody};

/// The answers to wrong lines, in the order in which they came.
fn faults(run: &Run) -> Vec<Fault> {
    run.all(|event| match event {
        Event::Error { fault, .. } => Some(*fault),
        _ => None,
    })
}

fn refusals(run: &Run) -> Vec<(Option<Deed>, Refusal, u32)> {
    run.all(|event| match event {
        Event::Refused { request, refusal, turn, .. } => Some((*request, *refusal, *turn)),
        _ => None,
    })
}

/// The sentences with which lines were answered.
fn words(run: &Run) -> Vec<&str> {
    run.all(|event| match event {
        Event::Error { words, .. } | Event::Refused { words, .. } => Some(words.as_str()),
        _ => None,
    })
}

/// Runs one line at the first prompt of a game, and checks that the same prompt follows.
async fn slip(line: &[u8]) -> Run {
    let run = Run::of_play(
        &["java-tech:9", "--starts", "me"],
        [
            line, b"
",
        ]
        .concat(),
    )
    .await;
    let prompts = run.all(|event| matches!(event, Event::YourTurn { .. }).then_some(event));
    assert_eq!((prompts.len(), run.code), (2, 8), "{}", String::from_utf8_lossy(line));
    assert_eq!(prompts[0], prompts[1]);
    run
}

#[tokio::test]
async fn a_line_that_means_nothing_is_answered_and_nothing_has_changed() {
    let (deep, long) = ("{\"a\":".repeat(600), "x".repeat(100_000));
    let cut_off = format!(r#"{{"do":"quit"}}{}"#, " ".repeat(100_000));
    let cases: &[(&[u8], Fault)] = &[
        (b"take 3", Fault::NotJson),
        (b"\"quit\"", Fault::NotJson),
        (b"null", Fault::NotJson),
        (br#"["resign"]"#, Fault::NotJson),
        (br#"{"do":"quit""#, Fault::NotJson),
        (br#"{"do":"quit"}{"do":"quit"}"#, Fault::NotJson),
        (b"\xff\xfe{}", Fault::NotJson),
        (deep.as_bytes(), Fault::NotJson),
        (long.as_bytes(), Fault::TooLong),
        (cut_off.as_bytes(), Fault::TooLong),
        (b"{}", Fault::NotARequest),
        (br#"{"do":null}"#, Fault::NotARequest),
        (br#"{"do":"fly"}"#, Fault::NotARequest),
        (br#"{"do":"play"}"#, Fault::NotARequest),
        (br#"{"do":"play","move":3}"#, Fault::NotARequest),
        (br#"{"do":"play","move":"3","turn":-1}"#, Fault::NotARequest),
        (br#"{"do":"play","move":"3","turn":4294967296}"#, Fault::NotARequest),
        (br#"{"do":"play","move":"3","move":"2"}"#, Fault::NotARequest),
        (br#"{"do":"quit","now":true}"#, Fault::NotARequest),
        (br#"{"do":"new","variant":"java-tech","bots":"at_once"}"#, Fault::NotARequest),
        (br#"{"do":"new","variant":"java-tech","away_after":-1}"#, Fault::NotARequest),
        (br#"{"do":"claim","turn":1}"#, Fault::NotARequest),
    ];
    for (line, fault) in cases {
        assert_eq!(faults(&slip(line).await), [*fault], "{}", String::from_utf8_lossy(line));
    }
}

#[tokio::test]
async fn the_answer_says_what_is_wrong_and_what_would_be_right() {
    for (line, answer) in [
        (
            r#"{"do":"play","move":"3","pile":"b"}"#,
            "this is none of the requests in proto/JSON.md: play has no field \"pile\", it has `move`, `turn`",
        ),
        (
            r#"{"do":"fly"}"#,
            "this is none of the requests in proto/JSON.md: `do` is not \"fly\", but look, new, join, quick, play, \
             resign, hint, again, wait, wait_no_more, claim, offer, answer, resume, say, mute, review, watch, why, terms, leave or quit",
        ),
        (
            r#"{"do":"move","move":"3"}"#,
            "this is none of the requests in proto/JSON.md: `do` is not \"move\", but look, new, join, quick, play, \
             resign, hint, again, wait, wait_no_more, claim, offer, answer, resume, say, mute, review, watch, why, terms, leave or quit; \
             perhaps {\"do\":\"play\",\"move\":\"take 3\"} is meant",
        ),
        (
            r#"{"do":"play","move":3}"#,
            "this is none of the requests in proto/JSON.md: `move` is a text, such as \"take 3\"",
        ),
        (
            r#"{"do":"play","move":"3","turn":-1}"#,
            "this is none of the requests in proto/JSON.md: `turn` is a whole number from 0 to 4294967295",
        ),
        (
            r#"{"do":"new","variant":"java-tech","bot":"now"}"#,
            "this is none of the requests in proto/JSON.md: `bot` is when_nobody_comes, at_once, people_only or both",
        ),
        (
            r#"{"do":"new","variant":"java-tech","when_away":"sleep"}"#,
            "this is none of the requests in proto/JSON.md: `when_away` is wait, stand_in or forfeit",
        ),
        (
            r#"{"do":"new","variant":"java-tech","away_after":"10s"}"#,
            "this is none of the requests in proto/JSON.md: `away_after` is a whole number from 0 to 4294967295",
        ),
        (
            r#"{"do":"play"}"#,
            "this is none of the requests in proto/JSON.md: `move` is missing; `move` is a text, such as \"take 3\"",
        ),
        (
            r#"{"do":"resign","resign":true}"#,
            "this is none of the requests in proto/JSON.md: resign has no field \"resign\", it has no fields",
        ),
        (
            r#"{"do":"play","move":"3","move":"2"}"#,
            "this is none of the requests in proto/JSON.md: a field is there twice",
        ),
        (
            "take 3",
            "each line is one JSON object, such as {\"do\":\"play\",\"move\":\"take 3\"}; \
             of this one: it does not begin with {",
        ),
        (r#"{"do":"play","move":"take 4"}"#, "take 4: a move takes at most 3"),
        (r#"{"do":"join","code":"otter"}"#, "otter: a lobby's code is two words, as in brave-otter"),
    ] {
        assert_eq!(words(&slip(line.as_bytes()).await), [answer]);
    }
}

#[tokio::test]
async fn blank_lines_are_passed_over() {
    let run = Run::of_play(&["take:3:3"], "\n \r\n\n{\"do\":\"play\",\"move\":\"take 3\"}\r\n\n").await;
    assert_eq!((run.code, faults(&run)), (0, vec![]));
}

#[tokio::test]
async fn a_request_that_does_not_fit_is_refused_and_nothing_has_changed() {
    for (line, deed, refusal) in [
        (r#"{"do":"play","move":"take 4"}"#, Deed::Play, Refusal::IllegalMove),
        (r#"{"do":"play","move":"take three"}"#, Deed::Play, Refusal::IllegalMove),
        (r#"{"do":"play","move":""}"#, Deed::Play, Refusal::IllegalMove),
        (r#"{"do":"play","move":"take 3","turn":2}"#, Deed::Play, Refusal::OtherTurn),
        (r#"{"do":"again"}"#, Deed::Again, Refusal::NotOver),
        (r#"{"do":"wait"}"#, Deed::Wait, Refusal::NobodyAway),
        (r#"{"do":"claim"}"#, Deed::Claim, Refusal::NothingToClaim),
        (r#"{"do":"look"}"#, Deed::Look, Refusal::InLobby),
        (r#"{"do":"join","code":"brave-otter"}"#, Deed::Join, Refusal::InLobby),
        (r#"{"do":"join","code":"otter"}"#, Deed::Join, Refusal::BadCode),
        (r#"{"do":"quick","variant":"java-tech:0"}"#, Deed::Quick, Refusal::BadVariant),
    ] {
        assert_eq!(refusals(&slip(line.as_bytes()).await), [(Some(deed), refusal, 1)], "{line}");
    }
}

#[tokio::test]
async fn a_request_for_a_lobby_is_refused_in_the_hall() {
    let server = TestServer::start();
    let lines = ["play\",\"move\":\"1", "hint", "resign", "again", "wait", "claim", "why", "leave"]
        .map(|deed| format!("{{\"do\":\"{deed}\"}}\n"))
        .concat();
    let run = Run::of_connect(&server, &[], lines).await;
    assert_eq!(run.code, 0);
    let deeds =
        [Deed::Play, Deed::Hint, Deed::Resign, Deed::Again, Deed::Wait, Deed::Claim, Deed::Why, Deed::Leave];
    assert_eq!(refusals(&run), deeds.map(|deed| (Some(deed), Refusal::InHall, 0)));
}

#[tokio::test]
async fn moves_after_the_end_of_a_game_are_refused() {
    let run = Run::of_play(&["take:3:3"], "{\"do\":\"play\",\"move\":\"3\"}\n".repeat(3)).await;
    assert_eq!(run.code, 0);
    assert_eq!(refusals(&run), [(Some(Deed::Play), Refusal::NoGame, 2); 2]);
}

#[tokio::test]
async fn an_input_that_ends_in_the_middle_of_a_game_ends_the_program() {
    for input in ["", "{\"do\":\"hint\"}\n", "{\"do\":\"play\",\"move\":\"1\"}\n", "{\"do\":"] {
        let run = Run::of_play(&["java-tech:21"], input).await;
        assert_eq!(run.code, 8, "{input}");
        let words = "the input ended in the middle of a game. The game is kept: nim-client resume goes on.";
        assert_eq!(run.complaint(), words);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_the_only_object() {
    let (_socket, address) = nobody();
    let address = address.to_string();
    let run = Run::of(&["connect", &address, "--json"], "").await;
    assert_eq!((run.code, run.events.len()), (3, 1));
    assert!(run.complaint().contains(&address), "{}", run.complaint());
}

#[tokio::test]
async fn a_lobby_that_is_not_there_or_is_full_ends_the_program_with_its_own_code() {
    let server = TestServer::start();
    let run = Run::of_connect(&server, &["--join", "brave-otter"], "").await;
    assert_eq!((run.code, refusals(&run)), (5, vec![(Some(Deed::Join), Refusal::NoSuchLobby, 0)]));

    let mut anna = Script::connect(&server, "anna", &["--new", "java-tech:21", "--bot"]);
    let run = Run::of_connect(&server, &["--join", &anna.until(code).await], "").await;
    assert_eq!((run.code, refusals(&run)), (6, vec![(Some(Deed::Join), Refusal::SeatTaken, 0)]));
}

#[tokio::test]
async fn a_server_that_goes_away_ends_the_program() {
    let server = TestServer::start();
    let flags = ["--new", "java-tech:21", "--people-only", "--give-up", "0"];
    let mut anna = Script::connect(&server, "anna", &flags);
    anna.until(code).await;
    server.interrupt();
    let end = |event: &Event| match event {
        Event::End { exit_code, .. } => Some(*exit_code),
        _ => None,
    };
    assert_eq!((anna.until(end).await, anna.end().await), (7, Some(7)));
}
