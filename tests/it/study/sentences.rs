//! The sentences about games, positions and moves, compared with a file that a person has read. `NIM_BLESS=1
//! cargo test study` rewrites it; read the difference before you commit it.

use nim::game::abstract_tree::AbstractTree;
use nim::game::any::Variant;
use nim::game::notation::BadText;
use nim::study::{Stop, StudyError, annotation, branches, hint, review, solve};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/study/sentences.txt");

/// The answer to a question such as `review java-tech 7 by 2`.
fn answer(question: &str) -> String {
    answer_or_complaint(question).unwrap_or_else(|bad| bad.to_string())
}

fn answer_or_complaint(question: &str) -> Result<String, BadText> {
    let (what, rest) = question.split_once(' ').unwrap_or((question, ""));
    if what == "tree" {
        let tree: AbstractTree = rest.replace("\\n", "\n").replace("\\t", "\t").parse()?;
        return Ok(tree.size().to_string());
    }
    let (variant, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (position, mv) = rest.split_once(" by ").unwrap_or((rest, ""));
    let variant: Variant = variant.parse()?;
    let board = match what {
        "variant" => return Ok(variant.text()),
        "rules" => return Ok(variant.rules()),
        _ => variant.read_position(position)?,
    };
    let refusal = |refusal: StudyError| refusal.to_string();
    let (stop, mv) = (Stop::new(), || board.read_move(mv));
    Ok(match what {
        "position" => board.write_position(),
        "play" => board.play(mv()?).unwrap().write_position(),
        "hint" => {
            let hint = hint(&board, &stop);
            hint.map_or("none".into(), |hint| format!("{}: {}", board.write_move(hint.mv), hint.words))
        }
        "moves" => branches::moves(&board, &stop).unwrap_or_else(refusal),
        "review" => review(&board, mv()?, &stop).unwrap().words,
        "annotation" => annotation(&board, mv()?, &stop).unwrap(),
        "solve" => solve::solve(&board, &stop).map_or_else(refusal, |solved| solved.text()),
        "count" => solve::count(&board, &stop).map_or_else(refusal, |size| size.text()),
        _ => panic!("{question}"),
    })
}

#[test]
fn all_sentences_match_their_file() {
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
        assert!(said == kept, "read the difference, then test with NIM_BLESS=1: {changed:#?}");
    }
}
