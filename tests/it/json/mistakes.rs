//! Errors: wrong requests, invalid lines, an input that ends too early, missing servers.

use serde_json::Value;

use super::{Run, Script, refusal};
use crate::harness::{TestServer, nobody};

/// The refusals, each with its turn.
fn refusals(run: &Run) -> Vec<(String, u64)> {
    run.all("refused").map(|event| (refusal(event), event["turn"].as_u64().unwrap())).collect()
}

/// Sends one line at the first prompt of a game, and checks that the same prompt follows.
async fn slip(line: &[u8]) -> Run {
    let run = Run::of_play(&["java-tech:9", "--starts", "me"], [line, b"\n"].concat()).await;
    let prompts: Vec<&Value> = run.all("your_turn").collect();
    assert_eq!((prompts.len(), run.code), (2, 8), "{}", String::from_utf8_lossy(line));
    assert_eq!(prompts[0], prompts[1]);
    run
}

#[tokio::test]
async fn an_invalid_line_is_answered_with_its_error_and_changes_nothing() {
    const NOT_A_REQUEST: &str = "this is none of the requests in proto/JSON.md: ";
    const NO_OBJECT: &str = "each line is one JSON object, such as {\"do\":\"play\",\"move\":\"take 3\"}; \
        of this one: it does not begin with {";
    const WORDS: &str = "unknown variant `move`, expected one of `look`, `new`, `quick`, `join`, `watch`, `play`, \
        `hint`, `resign`, `again`, `wait`, `wait_no_more`, `claim`, `offer`, `answer`, `resume`, `say`, `mute`, \
        `kick`, `review`, `why`, `terms`, `leave`, `quit`";
    const CONTROL: &str = "control character (\\u0000-\\u001F) found while parsing a string";
    const ASLEEP: &str = "unknown variant `sleep`, expected one of `wait`, `stand_in`, `forfeit`";
    let (deep, long) = ("{\"a\":".repeat(600), "x".repeat(100_000));
    let cut_off = format!(r#"{{"do":"quit"}}{}"#, " ".repeat(100_000));
    let cases: &[(&[u8], &str, &str)] = &[
        (b"take 3", "not_json", NO_OBJECT),
        (b"\"quit\"", "not_json", ""),
        (b"null", "not_json", ""),
        (br#"["resign"]"#, "not_json", ""),
        (br#"{"do":"quit""#, "not_json", ""),
        (br#"{"do":"quit"}{"do":"quit"}"#, "not_json", ""),
        (b"\xff\xfe{}", "not_json", ""),
        (b"{\"do\":\"\x1b[2J\"}", "not_json", CONTROL),
        (deep.as_bytes(), "not_json", ""),
        (long.as_bytes(), "too_long", ""),
        (cut_off.as_bytes(), "too_long", ""),
        (br#"{"move":"3"}"#, "not_a_request", "missing field `do`"),
        (br#"{"do":null}"#, "not_a_request", ""),
        (br#"{"do":"move","move":"3"}"#, "not_a_request", WORDS),
        (br#"{"do":"play"}"#, "not_a_request", "missing field `move`"),
        (br#"{"do":"play","move":3}"#, "not_a_request", "invalid type: integer `3`, expected a string"),
        (
            br#"{"do":"play","move":"3","turn":-1}"#,
            "not_a_request",
            "invalid value: integer `-1`, expected u32",
        ),
        (br#"{"do":"play","move":"3","turn":4294967296}"#, "not_a_request", ""),
        (br#"{"do":"play","move":"3","move":"2"}"#, "not_a_request", "duplicate field `move`"),
        (
            br#"{"do":"play","move":"3","pile":"b"}"#,
            "not_a_request",
            "unknown field `pile`, expected `move` or `turn`",
        ),
        (br#"{"do":"quit","now":true}"#, "not_a_request", ""),
        (br#"{"do":"new","variant":"java-tech","bots":"at_once"}"#, "not_a_request", ""),
        (br#"{"do":"new","variant":"java-tech","away_after":-1}"#, "not_a_request", ""),
        (br#"{"do":"new","variant":"java-tech","when_away":"sleep"}"#, "not_a_request", ASLEEP),
        (br#"{"do":"claim","turn":1}"#, "not_a_request", ""),
    ];
    for (line, fault, why) in cases {
        let (run, line) = (slip(line).await, String::from_utf8_lossy(line));
        assert_eq!(run.each("error", "fault"), [*fault], "{line}");
        let words = run.each("error", "words")[0];
        let says_so = words.starts_with(NOT_A_REQUEST) == (*fault == "not_a_request");
        assert!(says_so && words.ends_with(why), "{line}: {words}");
    }
}

#[tokio::test]
async fn blank_lines_are_ignored() {
    let run = Run::of_play(&["take:3:3"], "\n \r\n\n{\"do\":\"play\",\"move\":\"take 3\"}\r\n\n").await;
    assert_eq!((run.code, run.all("error").count()), (0, 0));
}

#[tokio::test]
async fn an_untimely_request_is_refused_and_changes_nothing() {
    const NO_CODE: &str = "otter: a lobby's code is two words, as in brave-otter";
    for (line, refusal, words) in [
        (r#"{"do":"play","move":"take 4"}"#, "play: illegal_move", "take 4: a move takes at most 3"),
        (r#"{"do":"play","move":"take three"}"#, "play: illegal_move", ""),
        (r#"{"do":"play","move":""}"#, "play: illegal_move", ""),
        (r#"{"do":"play","move":"take 3","turn":2}"#, "play: other_turn", ""),
        (r#"{"do":"again"}"#, "again: not_over", ""),
        (r#"{"do":"wait"}"#, "wait: nobody_away", ""),
        (r#"{"do":"claim"}"#, "claim: nothing_to_claim", ""),
        (r#"{"do":"look"}"#, "look: in_lobby", ""),
        (r#"{"do":"join","code":"brave-otter"}"#, "join: in_lobby", ""),
        (r#"{"do":"join","code":"otter"}"#, "join: bad_code", NO_CODE),
        (r#"{"do":"quick","variant":"java-tech:0"}"#, "quick: bad_variant", ""),
    ] {
        let run = slip(line.as_bytes()).await;
        assert_eq!(refusals(&run), [(refusal.to_owned(), 1)], "{line}");
        let said = run.each("refused", "words")[0];
        assert!(said == words || words.is_empty(), "{line}: {said}");
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
    let requests = ["play", "hint", "resign", "again", "wait", "claim", "why", "leave"];
    assert_eq!(refusals(&run), requests.map(|request| (format!("{request}: in_hall"), 0)));
}

#[tokio::test]
async fn moves_after_the_end_of_a_game_are_refused() {
    let run = Run::of_play(&["take:3:3"], "{\"do\":\"play\",\"move\":\"3\"}\n".repeat(3)).await;
    assert_eq!(run.code, 0);
    assert_eq!(refusals(&run), vec![("play: no_game".to_owned(), 2); 2]);
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
async fn a_failed_connection_is_the_only_object_of_output() {
    let (_socket, address) = nobody();
    let address = address.to_string();
    let run = Run::of(&["connect", &address, "--json"], "").await;
    assert_eq!((run.code, run.events.len()), (3, 1));
    assert!(run.complaint().contains(&address), "{}", run.complaint());
}

#[tokio::test]
async fn a_missing_or_full_lobby_ends_the_program_with_its_own_code() {
    let server = TestServer::start();
    let run = Run::of_connect(&server, &["--join", "brave-otter"], "").await;
    assert_eq!((run.code, refusals(&run)), (5, vec![("join: no_such_lobby".to_owned(), 0)]));

    let mut anna = Script::connect(&server, "anna", &["--new", "java-tech:21", "--bot"]);
    let run = Run::of_connect(&server, &["--join", &anna.code().await], "").await;
    assert_eq!((run.code, refusals(&run)), (6, vec![("join: seat_taken".to_owned(), 0)]));
}

#[tokio::test]
async fn a_server_that_goes_away_ends_the_program() {
    let server = TestServer::start();
    let flags = ["--new", "java-tech:21", "--people-only", "--give-up", "0"];
    let mut anna = Script::connect(&server, "anna", &flags);
    anna.code().await;
    server.interrupt();
    assert_eq!(anna.until("end").await["exit_code"], 7);
    assert_eq!(anna.end().await, Some(7));
}
