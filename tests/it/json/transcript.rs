//! The games on the page, played again. `NIM_BLESS=1 cargo test --test it transcript` rewrites them.

use super::Run;
use crate::vectors::{blessing, proto, read};

const FILE: &str = "JSON.md";
const START: &str = "```transcript\n";
const END: &str = "```";

const PROMPTS: [&str; 7] = ["hall", "your_turn", "over", "answer", "rest", "absent", "watching"];

/// Plays the games of a transcript, and returns the new transcript.
async fn play(told: &str) -> String {
    let command = told.lines().next().and_then(|line| line.strip_prefix("$ nim-client ")).unwrap();
    let requests: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("-> ")).collect();
    let run = Run::of(&command.split(' ').collect::<Vec<_>>(), requests.join("\n")).await;
    let mut transcript = vec![format!("$ nim-client {command}")];
    let mut requests = requests.into_iter();
    for (line, event) in run.lines.iter().zip(&run.events) {
        transcript.push(format!("<- {line}"));
        let is_prompt = PROMPTS.iter().any(|prompt| event["event"] == *prompt);
        let request = if is_prompt { requests.next() } else { None };
        transcript.extend(request.map(|request| format!("-> {request}")));
    }
    assert_eq!(requests.next(), None, "a request was never read");
    transcript.join("\n") + "\n"
}

#[tokio::test]
async fn the_transcript_on_the_page_equals_the_programs_output() {
    let page = read(FILE);
    let (front, rest) = page.split_once(START).unwrap();
    let (told, back) = rest.split_once(END).unwrap();
    let played = play(told).await;
    if blessing() {
        std::fs::write(proto(FILE), format!("{front}{START}{played}{END}{back}")).unwrap();
    } else {
        assert_eq!(told, played, "NIM_BLESS=1 rewrites the page");
    }
}
