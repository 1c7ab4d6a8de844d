use nim::game::Game;
use nim::game::any::{Board, Move, Variant};

/// The most moves of a position to try: there may be 10^18.
const LOOKED_AT: usize = 24;

/// Reads a variant from the first line, a position from the second, and moves from all others.
pub fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let Some(Ok(variant)) = lines.next().map(str::parse::<Variant>) else { return };
    let mut board = match lines.next().map(|position| variant.read_position(position)) {
        Some(Ok(board)) => board,
        Some(Err(_)) | None => variant.start(),
    };
    check(&variant, &board);
    for line in lines {
        if let Ok(mv) = board.read_move(line) {
            board = board.play(mv).expect("a move that is read is legal");
            check(&variant, &board);
        }
    }
}

fn check(variant: &Variant, board: &Board) {
    let written = board.write_position();
    assert_eq!(variant.read_position(&written).as_ref(), Ok(board), "{variant}: {written}");
    assert_eq!(variant.board(board.position()).as_ref(), Some(board));
    assert!(!board.draw().is_empty());
    let position = board.position();
    let moves: Vec<Move> = position.moves().take(LOOKED_AT).collect();
    assert_eq!(moves.is_empty(), board.finish().is_some(), "{variant}: {written}");
    assert_eq!(position.outcome(), board.finish().map(|finish| finish.outcome));
    let count = position.move_count();
    assert_eq!(count.min(LOOKED_AT as u64), moves.len() as u64, "{variant}: {written}");
    assert_eq!(position.canonical().move_count() == 0, count == 0);
    for mv in moves {
        let text = board.write_move(mv);
        assert_eq!(board.read_move(&text), Ok(mv), "{variant}: {written}: {text}");
        assert!(board.play(mv).is_ok() && position.play(mv).is_ok());
    }
    let _ = board.prompt();
}
