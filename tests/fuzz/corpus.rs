//! Copies inputs between the fuzzer's corpora, `corpus/TARGET`, and the inputs kept in the repository,
//! `kept/TARGET.txt`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a tool of the tests")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nim_fuzz::bodies::{ALL, Body};
use nim_fuzz::kept;

const USAGE: &str = "\
cargo run --release --example corpus -- unpack [FOLDER]       writes the kept inputs there
cargo run --release --example corpus -- keep FOLDER [TARGET]  keeps what is there, minimised before by cargo fuzz cmin
FOLDER is corpus, beside this program, unless it is named";

/// The most kept inputs of a target, and the most bytes of all of them together. The shortest are kept.
const MOST: usize = 150;
const MOST_BYTES: usize = 48 * 1024;

/// Slower inputs are not kept, since the tests run all of them each time.
const SLOW: Duration = Duration::from_millis(25);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    match words.as_slice() {
        ["unpack"] => unpack(here, &here.join("corpus")),
        ["unpack", folder] => unpack(here, Path::new(folder)),
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

/// Writes the kept inputs of each target into its folder, beside the files there.
fn unpack(fuzz: &Path, to: &Path) {
    for (target, _) in ALL {
        let (folder, inputs) = (to.join(target), kept::read(fuzz, target));
        fs::create_dir_all(&folder).unwrap();
        for (number, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("input-{number:04}")), input).unwrap();
        }
        println!("{target}: {} inputs", inputs.len());
    }
}

/// Keeps the inputs from the folder of this target.
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
