//! Checkpoints: the whole state of a lobby as a server keeps it, so that a start need not apply all events
//! again. A snapshot leaves out what clients do not need.

use serde::{Deserialize, Serialize};

use super::list::List;
use super::moment::Moment;
use super::notice::Attendance;
use super::origin::MAX_POSITION_TEXT;
use super::snapshot::Snapshot;
use super::state::{BadSnapshot, Lobby};
use super::text::Text;

/// The most positions of a game that can repeat: more than the 1,260 of the largest.
const MAX_POSITIONS: usize = 2_000;

/// A lobby after one of its events. The lobby that is made of it equals the one that applied all events up to
/// there, but for the attendance: nobody is away. After the event of a restart, which marks everybody as away,
/// the two are equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// When that event happened.
    pub at: Moment,
    /// What clients know, without the attendance: it does not come from events.
    pub snapshot: Snapshot,
    /// How often each position has occurred in the game, also before the oldest known move. Empty for games
    /// that cannot repeat. In the order of the texts.
    positions: List<Occurrences, MAX_POSITIONS>,
}

/// A position, and how often it has occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Occurrences {
    position: Text<MAX_POSITION_TEXT>,
    times: u8,
}

impl Lobby {
    /// The lobby as it is now, after an event of this moment.
    pub fn checkpoint(&self, at: Moment) -> Checkpoint {
        let positions = self.moves.positions().filter_map(|(position, times)| {
            let board = self.variant.board(position.clone())?;
            Some(Occurrences { position: Text::cut(&board.write_position()), times })
        });
        let mut positions: Vec<Occurrences> = positions.collect();
        positions.sort_unstable_by(|one, other| one.position.as_str().cmp(other.position.as_str()));
        let snapshot = Snapshot { attendance: Attendance::default(), ..self.snapshot() };
        Checkpoint { at, snapshot, positions: List::first_of(positions) }
    }
}

impl TryFrom<Checkpoint> for Lobby {
    type Error = BadSnapshot;

    fn try_from(checkpoint: Checkpoint) -> Result<Self, BadSnapshot> {
        let mut lobby = Self::try_from(checkpoint.snapshot)?;
        let mut positions = Vec::with_capacity(checkpoint.positions.len());
        for Occurrences { position, times } in checkpoint.positions.iter() {
            let board = lobby.variant.read_position(position.as_str()).map_err(|_| BadSnapshot)?;
            positions.push((board.position(), *times));
        }
        lobby.moves.set_positions(positions);
        Ok(lobby)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::packed_moves::PastMove;
    use crate::lobby::{Code, Conditions, Hand};

    #[test]
    fn repetitions_before_the_oldest_known_move_are_counted_after_a_checkpoint_too() {
        let variant = "pong-hau-ki".parse().unwrap();
        let mut lobby = Lobby::new(Code::from_bits(0, 0), variant, Conditions::default());
        for text in ["1-3", "4-1", "3-4"] {
            let mv = lobby.board().read_move(text).unwrap();
            lobby.moves.play(PastMove { mv, hand: Hand::Own }).unwrap();
        }
        // As if the positions had occurred before, and those moves were dropped.
        let positions: Vec<_> =
            lobby.moves.positions().map(|(known, times)| (known.clone(), times + 1)).collect();
        lobby.moves.set_positions(positions);
        lobby.state.moves = 1_100;
        assert_ne!(Lobby::try_from(lobby.snapshot()), Ok(lobby.clone()), "a snapshot is not enough");
        assert_eq!(Lobby::try_from(lobby.checkpoint(Moment(7))), Ok(lobby));
    }
}
