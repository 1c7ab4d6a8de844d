//! How often each position of the present game has come up, for the rule that the third time is a draw.

use std::collections::HashMap;

use crate::game::any::{Board, Position};

/// The time that a position comes up with which the game is a draw.
const TIMES: u8 = 3;

/// The positions of one game, the side to move included, each kept once with a count. Empty for games
/// that cannot repeat. The largest game that can has 1,260 positions, so this stays small however long
/// people play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Repetition(HashMap<Position, u8>);

impl Repetition {
    /// Those of a game that starts, or is known, from this board on.
    pub(super) fn of(board: &Board) -> Self {
        let mut counts = Self::default();
        counts.add(board);
        counts
    }

    /// Counts a board that play has come to.
    pub(super) fn add(&mut self, board: &Board) {
        if board.repeats() {
            let times = self.0.entry(board.position()).or_default();
            *times = times.saturating_add(1);
        }
    }

    /// Whether play would come to this board for the third time, if it were to come to it now.
    pub(super) fn would_repeat(&self, board: &Board) -> bool {
        self.times(board) + 1 >= TIMES
    }

    /// Whether play has come to this board for the third time.
    pub(super) fn repeats(&self, board: &Board) -> bool {
        self.times(board) >= TIMES
    }

    /// How often play has come to this board; no more is counted than matters.
    fn times(&self, board: &Board) -> u8 {
        if self.0.is_empty() {
            return 0;
        }
        self.0.get(&board.position()).map_or(0, |&times| times.min(TIMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;
    use crate::game::{Outcome, Side};
    use crate::lobby::{
        Cause, Code, Conditions, Event, GameResult, Hand, Kind, Lobby, LobbyRequest, Moment, Name, Phase,
        Request, Who,
    };

    fn start(text: &str) -> Board {
        text.parse::<Variant>().unwrap().start()
    }

    #[test]
    fn the_third_time_is_the_second_return() {
        let board = start("pong-hau-ki");
        let mut counts = Repetition::of(&board);
        assert!(!counts.would_repeat(&board));
        counts.add(&board);
        assert!(counts.would_repeat(&board));
        (0..1_000).for_each(|_| counts.add(&board));
        assert!(counts.would_repeat(&board) && counts.0.len() == 1);
    }

    #[test]
    fn the_same_stones_with_the_other_side_to_move_are_another_position() {
        let variant: Variant = "pong-hau-ki".parse().unwrap();
        let [first, second] =
            ["xx.oo first", "xx.oo second"].map(|text| variant.read_position(text).unwrap());
        let mut counts = Repetition::of(&first);
        counts.add(&first);
        assert!(counts.would_repeat(&first) && !counts.would_repeat(&second));
    }

    #[test]
    fn of_a_game_that_cannot_repeat_nothing_is_kept() {
        assert_eq!(Repetition::of(&start("java-tech")), Repetition::default());
    }

    /// Grants a request, makes its events true here and in the copy, and says how it ended the game, if
    /// it did.
    fn grant(lobby: &mut Lobby, copy: &mut Lobby, who: Who, request: Request) -> Option<GameResult> {
        let mut result = None;
        let now = Moment::START;
        for event in lobby.decide(who, request, now).unwrap() {
            lobby.apply(&event, now).unwrap();
            copy.apply(&event, now).unwrap();
            if let Event::Ended { result: ended } = event {
                result = Some(ended);
            }
        }
        result
    }

    /// A lobby in which two people have just started a game, and a client's copy of it.
    fn playing(variant: &str) -> (Lobby, Lobby) {
        let variant = variant.parse().unwrap();
        let mut lobby = Lobby::new(Code::from_bits(0, 0), variant, Conditions::default());
        let mut copy = lobby.clone();
        for name in ["anna", "ben"] {
            let request = Request::Sit { name: Name::clean(name).unwrap(), kind: Kind::Person };
            grant(&mut lobby, &mut copy, Who::Newcomer, request);
        }
        (lobby, copy)
    }

    fn play(lobby: &mut Lobby, copy: &mut Lobby, text: &str) -> Option<GameResult> {
        let (player, mv) = (lobby.to_move().unwrap().id, lobby.board().read_move(text).unwrap());
        let turn = lobby.turn();
        grant(lobby, copy, Who::Player(player), Request::Ask(LobbyRequest::Play { turn, mv }))
    }

    /// Six moves in Pong Hau K'i after which the start is on the board again.
    const ROUND: [&str; 6] = ["1-3", "4-1", "3-4", "1-3", "4-1", "3-4"];

    const DRAW: GameResult = GameResult { outcome: Outcome::Draw, cause: Cause::Repetition };

    #[test]
    fn the_third_time_that_a_position_comes_up_the_game_is_a_draw() {
        let (mut lobby, mut copy) = playing("pong-hau-ki");
        let moves = || ROUND.into_iter().chain(ROUND);
        let results: Vec<_> = moves().map(|text| play(&mut lobby, &mut copy, text)).collect();
        assert_eq!(results[..11], [None; 11]);
        assert_eq!(results[11], Some(DRAW));
        assert!(matches!(lobby.phase(), Phase::Over { result: DRAW, .. }));
        assert_eq!(lobby, copy);
    }

    #[test]
    fn between_the_last_move_and_the_word_of_the_end_it_is_nobodys_turn() {
        for (variant, moves) in [("pong-hau-ki", [ROUND, ROUND].concat()), ("java-tech:2", vec!["1", "1"])] {
            let (mut lobby, mut copy) = playing(variant);
            let (last, others) = moves.split_last().unwrap();
            for text in others {
                play(&mut lobby, &mut copy, text);
            }
            let (player, mv) = (copy.to_move().unwrap().id, copy.board().read_move(last).unwrap());
            let moved = Event::Moved { turn: copy.turn(), player, mv, hand: Hand::Own };
            copy.apply(&moved, Moment::START).unwrap();
            assert_eq!((copy.phase(), copy.to_move()), (Phase::Playing, None), "{variant}");
        }
    }

    #[test]
    fn another_game_is_counted_afresh() {
        let (mut lobby, mut copy) = playing("pong-hau-ki");
        for text in ROUND {
            play(&mut lobby, &mut copy, text);
        }
        let players = Side::BOTH.map(|side| lobby.seats()[side].as_ref().unwrap().id);
        grant(&mut lobby, &mut copy, Who::Player(players[0]), Request::Ask(LobbyRequest::Resign));
        for player in players {
            grant(&mut lobby, &mut copy, Who::Player(player), Request::Ask(LobbyRequest::Again));
        }
        assert!(ROUND.into_iter().all(|text| play(&mut lobby, &mut copy, text).is_none()));
    }

    #[test]
    fn a_copy_from_a_snapshot_follows_to_the_end_though_it_does_not_know_the_history() {
        let (mut lobby, mut copy) = playing("pong-hau-ki");
        for text in ROUND {
            play(&mut lobby, &mut copy, text);
        }
        let mut late = Lobby::try_from(lobby.snapshot()).unwrap();
        assert_eq!(late.snapshot(), lobby.snapshot());
        let results: Vec<_> = ROUND.into_iter().map(|text| play(&mut lobby, &mut late, text)).collect();
        assert_eq!(results[5], Some(DRAW));
        assert_eq!(late.snapshot(), lobby.snapshot());
    }

    #[test]
    fn a_copy_from_a_snapshot_of_a_game_that_cannot_repeat_is_the_same_lobby() {
        for variant in ["java-tech", "tic-tac-toe", "even-or-odd"] {
            let (mut lobby, mut copy) = playing(variant);
            play(&mut lobby, &mut copy, "2");
            assert_eq!(Lobby::try_from(lobby.snapshot()).unwrap(), lobby);
        }
    }
}
