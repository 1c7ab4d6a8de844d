//! Results in files: a file that is there already is overwritten only after a question, or with a flag.

use std::fs;

use super::{is_complaint, shown, study};
use crate::harness::Terminal;

/// Every command of `study` that writes a file.
const EXPORTS: [&str; 3] = ["tree java-tech:4 --format svg", "trace java-tech:4", "worksheet zero-sum:7"];

#[test]
fn a_result_is_written_into_a_file_and_overwrites_another_one_only_if_told() {
    let folder = tempfile::tempdir().unwrap();
    for (number, command) in EXPORTS.into_iter().enumerate() {
        let file = folder.path().join(format!("{number}.txt"));
        let to = format!("{command} --to {}", file.display());
        assert_eq!(shown(&to), "");
        assert_eq!(fs::read_to_string(&file).unwrap(), shown(command), "{command}");
        fs::write(&file, "mine").unwrap();
        is_complaint(&study(&to), 1, &[".txt is there already: ", "overwrite it with --force"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        assert_eq!(shown(&format!("{to} --force")), "");
        assert_eq!(fs::read_to_string(&file).unwrap(), shown(command), "{command}");
    }
}

#[tokio::test]
async fn at_a_terminal_a_person_is_asked_before_a_file_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.txt");
    let command = ["study", "tree", "java-tech:2", "--to", file.to_str().unwrap()];
    for (answer, code, is_kept) in [("", 1, true), ("n", 1, true), ("y", 0, false)] {
        fs::write(&file, "mine").unwrap();
        let mut teacher = Terminal::client(&command);
        teacher.until("tree.txt is there already. Overwrite it? (y/N)").await;
        teacher.types(answer);
        let (ended, screen) = teacher.ended().await;
        assert_eq!((ended, fs::read_to_string(&file).unwrap() == "mine"), (code, is_kept), "{screen}");
        assert_eq!(screen.contains("tree.txt is left as it is"), is_kept, "{screen}");
    }
}
