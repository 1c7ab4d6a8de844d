//! `study score`: one line of output for each line of input, valid or not.

use super::study_with;

fn scores(game: &str, input: &[u8]) -> (Option<i32>, Vec<String>, String) {
    let shown = study_with(&["score", game], input);
    (shown.code, shown.stdout.lines().map(str::to_owned).collect(), shown.stderr)
}

#[test]
fn every_position_has_its_score_and_its_nodes() {
    let (code, lines, stderr) = scores("java-tech:21", b"1\n5\n6\r\n 7 second\n0");
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let scores: Vec<&str> = lines.iter().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    assert_eq!(scores, ["1 loss:1", "5 loss:3", "6 win:4", "7 second win:4", "0 win:0"]);
    assert_eq!(lines[0], "1 loss:1 3");
}

#[test]
fn a_position_takes_the_same_nodes_on_any_line() {
    let (_, alone, _) = scores("nim:3-4-5", b"3-4-5\n");
    let (_, among, _) = scores("nim:3-4-5", b"3-4-4\n3-4-5\n1-4-5\n3-4-5\n");
    assert_eq!((&among[1], &among[3]), (&alone[0], &alone[0]));
}

#[test]
fn a_pile_of_any_size_has_a_score_without_a_distance() {
    let (code, lines, _) =
        scores("java-tech:1000000000000000000", b"1000000000000000000\n999999999999999997\n");
    assert_eq!(code, Some(0));
    assert!(lines[0].starts_with("1000000000000000000 win "), "{}", lines[0]);
    assert!(lines[1].starts_with("999999999999999997 loss "), "{}", lines[1]);
}

#[test]
fn connect_four_has_the_published_scores_and_takes_the_same_nodes_each_time() {
    const FACTS: &str = include_str!("../../data/connect4/L3_R1.txt");
    let columns: String = FACTS.lines().flat_map(|line| [line.split(' ').next().unwrap(), "\n"]).collect();
    let (code, lines, stderr) = scores("connect-four", (columns.clone() + &columns).as_bytes());
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let said: Vec<&str> = lines.iter().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    assert_eq!(said, FACTS.lines().chain(FACTS.lines()).collect::<Vec<_>>());
    assert_eq!(lines[..lines.len() / 2], lines[lines.len() / 2..]);
}

#[test]
fn impossible_positions_of_connect_four_are_errors_and_the_rest_is_answered() {
    let long = "1234567".repeat(100);
    let input =
        ["121212", "0", "8", "1111111", "12121213", "", "x", "4 4", "--", &long, "1212121"].join("\n");
    let (code, lines, _) = scores("connect-four", input.as_bytes());
    assert_eq!((code, lines.len()), (Some(1), 11), "{lines:?}");
    assert!(lines[1..10].iter().all(|line| line.starts_with("error: ")), "{lines:?}");
    assert_eq!([&lines[0], &lines[10]], ["121212 18 0", "1212121 -18 0"]);
}

#[test]
fn thousands_of_positions_are_answered_and_bad_ones_in_their_place() {
    let bad = |number: usize| number.is_multiple_of(7);
    let line =
        |number: usize| if bad(number) { format!("bad {number}") } else { (number % 21 + 1).to_string() };
    let input: String = (0..5_000).map(|number| line(number) + "\n").collect();
    let (code, lines, stderr) = scores("java-tech:21", input.as_bytes());
    assert_eq!((code, lines.len()), (Some(1), 5_000));
    assert!(stderr.contains("some lines were wrong"));
    for (number, answer) in lines.iter().enumerate() {
        let start = if bad(number) { "error: bad".into() } else { format!("{} ", number % 21 + 1) };
        assert!(answer.starts_with(&start), "{number}: {answer}");
    }
}

#[test]
fn empty_endless_and_unreadable_lines_are_errors_and_the_rest_is_answered() {
    let input = [&b"\n\xff\xfe\n"[..], &b"1".repeat(100_000), b"\n1\n"].concat();
    let (code, lines, _) = scores("java-tech:21", &input);
    assert_eq!((code, lines.len(), lines[3].as_str()), (Some(1), 4, "1 loss:1 3"), "{lines:?}");
    assert!(lines[..3].iter().all(|line| line.starts_with("error: ")), "{lines:?}");
    assert_eq!(scores("java-tech:21", b""), (Some(0), Vec::new(), String::new()));
}
