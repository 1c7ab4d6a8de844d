//! Fills the corpora with which the fuzzer works, `corpus/TARGET`, and keeps what it has found,
//! `kept/TARGET.txt`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a tool of the tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nim_fuzz::bodies::{ALL, Body};
use nim_fuzz::kept;

const USAGE: &str = "\
cargo run --release --example corpus -- golden [FOLDER]       writes the messages of proto/vectors to FOLDER/TARGET
cargo run --release --example corpus -- unpack [FOLDER]       writes the kept inputs there
cargo run --release --example corpus -- keep FOLDER [TARGET]  keeps what is there, minimised before by cargo fuzz cmin
FOLDER is corpus, beside this program, unless it is named";

/// The most inputs that are kept of a target, and the most bytes of all of them together; the shortest are
/// kept.
const MOST: usize = 150;
const MOST_BYTES: usize = 48 * 1024;

/// What takes longer is not kept: the tests go through all of it each time.
const SLOW: Duration = Duration::from_millis(25);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = |words: &[&str]| words.first().map_or_else(|| here.join("corpus"), PathBuf::from);
    match words.as_slice() {
        ["golden", rest @ ..] => fill(&folder(rest), golden),
        ["unpack", rest @ ..] => fill(&folder(rest), |target| kept::read(here, target)),
        ["keep", from] => ALL.iter().for_each(|(target, body)| keep(here, Path::new(from), target, *body)),
        ["keep", from, only] => {
            let (target, body) =
                ALL.iter().find(|(target, _)| target == only).expect("no target has this name");
            keep(here, Path::new(from), target, *body);
        }
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    }
}

/// Writes the inputs of all targets into their folders, beside those that are there.
fn fill(folder: &Path, inputs: impl Fn(&str) -> Vec<Vec<u8>>) {
    for (target, _) in ALL {
        let (folder, inputs) = (folder.join(target), inputs(target));
        fs::create_dir_all(&folder).unwrap();
        for (number, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("input-{number:04}")), input).unwrap();
        }
        println!("{target}: {} inputs", inputs.len());
    }
}

/// The golden messages, for the targets that read messages: one each, or all of them in frames.
fn golden(target: &str) -> Vec<Vec<u8>> {
    let bodies = |file: &str| -> Vec<Vec<u8>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto/vectors").join(file);
        let vectors: Vec<serde_json::Value> =
            serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        vectors.iter().map(|vector| unhex(vector["hex"].as_str().unwrap())[4..].to_vec()).collect()
    };
    let frame = |body: &Vec<u8>| [&u32::try_from(body.len()).unwrap().to_be_bytes(), &body[..]].concat();
    match target {
        "to_server" => bodies("to_server.json"),
        "to_client" => bodies("to_client.json"),
        // The first byte is the size of the pieces.
        "frames" | "session" => vec![[vec![17], bodies("to_server.json").iter().flat_map(frame).collect()].concat()],
        "told" => vec![bodies("to_client.json").iter().flat_map(frame).collect()],
        _ => Vec::new(),
    }
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Keeps the inputs in the folder of this target.
fn keep(fuzz: &Path, from: &Path, target: &str, body: Body) {
    let files = fs::read_dir(from.join(target)).unwrap();
    let mut inputs: Vec<Vec<u8>> = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
    inputs.sort_by_key(|input| (input.len(), input.clone()));
    inputs.dedup();
    let (all, mut bytes) = (inputs.len(), 0);
    inputs.retain(|input| {
        let fits = bytes + input.len() <= MOST_BYTES && is_quick(body, input);
        bytes += if fits { input.len() } else { 0 };
        fits
    });
    inputs.truncate(MOST);
    let lines: Vec<String> = inputs.iter().map(|input| input.escape_ascii().to_string()).collect();
    let text = lines.join("\n") + "\n";
    fs::write(kept::path(fuzz, target), &text).unwrap();
    println!("{target}: {} of {all} inputs, {} bytes", inputs.len(), text.len());
}

fn is_quick(body: Body, input: &[u8]) -> bool {
    let began = Instant::now();
    body(input);
    began.elapsed() < SLOW
}
