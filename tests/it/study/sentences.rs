//! What is said of moves and positions, sentence by sentence, held to a file that a person has looked at.
//! `NIM_BLESS=1 cargo test study` writes its answers; look at them before you keep them.

use nim::game::any::Variant;
use nim::study::{Stop, annotation, count, hint, moves, review, solve};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/study/sentences.txt");

/// The answer to a question such as `review java-tech 7 by 2`.
fn answer(question: &str) -> String {
    let mut words = question.splitn(3, ' ');
    let [what, variant, rest] = std::array::from_fn(|_| words.next().unwrap());
    let (position, mv) = rest.split_once(" by ").unwrap_or((rest, ""));
    let board = variant.parse::<Variant>().unwrap().read_position(position).unwrap();
    let (stop, mv) = (Stop::new(), || board.read_move(mv).unwrap());
    match what {
        "hint" => {
            let hint = hint(&board, &stop).unwrap();
            format!("{}: {}", board.write_move(hint.mv), hint.words)
        }
        "moves" => moves::moves(&board, &stop).unwrap(),
        "review" => review(&board, mv(), &stop).unwrap().words,
        "annotation" => annotation(&board, mv(), &stop).unwrap(),
        "solve" => solve::solve(&board, &stop).unwrap(),
        "count" => count::count(&board, &stop).unwrap(),
        _ => panic!("{question}"),
    }
}

#[test]
fn all_that_is_said_is_as_kept() {
    let kept = std::fs::read_to_string(FILE).unwrap();
    let part = |part: &str| match part.strip_prefix("> ").and_then(|part| part.lines().next()) {
        Some(question) => format!("> {question}\n{}", answer(question).trim_end()),
        None => part.trim_end().into(),
    };
    let said = kept.split("\n\n").map(part).collect::<Vec<_>>().join("\n\n") + "\n";
    if std::env::var_os("NIM_BLESS").is_some() {
        std::fs::write(FILE, &said).unwrap();
    } else {
        let changed = said.lines().zip(kept.lines()).find(|(said, kept)| said != kept);
        assert!(said == kept, "look at it, then test with NIM_BLESS=1: {changed:#?}");
    }
}
