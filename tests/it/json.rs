//! The JSON face, run as a program: all input at once, or line by line. Its output is parsed with the
//! library's types, and these have to write the same text again.

mod ahead;
mod mistakes;
mod page;
mod scripts;
mod transcript;

use nim::client::json::EventLine;
use serde_json::Value;

use crate::harness::{Program, TestServer, within};

/// The largest number that the page promises; every JSON reader keeps it exactly.
const MAX_NUMBER: u64 = 1 << 32;

/// The parsed form of an output line.
pub(crate) fn event(line: &str) -> Value {
    let event: EventLine = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(serde_json::to_string(&event).unwrap(), line);
    let event = serde_json::from_str(line).unwrap();
    assert_small_numbers(&event);
    event
}

fn assert_small_numbers(value: &Value) {
    match value {
        Value::Number(number) => assert!(number.as_u64().is_some_and(|n| n <= MAX_NUMBER), "{number}"),
        Value::Array(items) => items.iter().for_each(assert_small_numbers),
        Value::Object(fields) => fields.values().for_each(assert_small_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// A refusal as `request: word`.
fn refusal(event: &Value) -> String {
    let words = [&event["request"], &event["refusal"]].map(|word| word.as_str());
    words.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

/// The result of a run.
#[derive(Debug)]
struct Run {
    code: i32,
    lines: Vec<String>,
    events: Vec<Value>,
}

impl Run {
    /// Runs the program with this input, then closes the input.
    async fn of(args: &[&str], input: impl AsRef<[u8]>) -> Self {
        let mut program = Program::client(args);
        program.types(input).await;
        let finished = program.finish().await;
        let lines: Vec<String> = finished.stdout.lines().map(str::to_owned).collect();
        let events: Vec<Value> = lines.iter().map(|line| event(line)).collect();
        let code = finished.code.expect("it ends by itself");
        if let Some(end) = events.last().filter(|last| last["event"] == "end") {
            assert!(end["exit_code"] == code && end["words"].is_string() == (code != 0), "{end}");
        }
        Self { code, lines, events }
    }

    /// A run of `play` against a bot without a pause between moves.
    async fn of_play(args: &[&str], input: impl AsRef<[u8]>) -> Self {
        let always = ["play", "--json", "--name", "anna", "--seed", "7", "--bot-pace", "0"];
        Self::of(&[&always, args].concat(), input).await
    }

    /// A run of `connect` on this server.
    async fn of_connect(server: &TestServer, args: &[&str], input: impl AsRef<[u8]>) -> Self {
        Self::of(&[&["connect", &server.address().to_string(), "--json"], args].concat(), input).await
    }

    /// The last object of a run that failed.
    fn complaint(&self) -> &str {
        self.events.last().and_then(|end| end["words"].as_str()).expect("it prints an error")
    }

    /// All events with this name.
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["event"] == name)
    }

    /// A field of each event with this name.
    fn each<'a>(&'a self, name: &'a str, field: &str) -> Vec<&'a str> {
        self.all(name).map(|event| event[field].as_str().unwrap()).collect()
    }
}

/// The program, driven line by line.
struct Script(Program);

impl Script {
    /// A script on this server.
    fn connect(server: &TestServer, name: &str, args: &[&str]) -> Self {
        let address = server.address().to_string();
        Self(Program::client(&[&["connect", &address, "--json", "--name", name], args].concat()))
    }

    async fn say(&mut self, line: &str) {
        self.0.types(format!("{line}\n")).await;
    }

    async fn next(&mut self) -> Value {
        event(&self.0.line().await)
    }

    /// Skips events up to the first one with this name.
    async fn until(&mut self, name: &str) -> Value {
        self.until_one_of(&[name]).await
    }

    /// Skips events up to the first one with any of these names.
    async fn until_one_of(&mut self, names: &[&str]) -> Value {
        let found = async {
            loop {
                let event = self.next().await;
                if names.iter().any(|name| event["event"] == *name) {
                    return event;
                }
            }
        };
        within(&format!("{names:?}, though others came"), found).await
    }

    /// Waits until it has a seat; returns the lobby's code.
    async fn code(&mut self) -> String {
        self.until("entered").await["code"].as_str().unwrap().to_owned()
    }

    /// Closes the input and returns the exit code.
    async fn end(self) -> Option<i32> {
        self.0.finish().await.code
    }
}
