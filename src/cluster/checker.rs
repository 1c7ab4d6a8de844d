//! Checks a whole history: what was recorded, and what anybody was told. Its work is linear in both.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::server::storage::{Entry, LobbyId, Note};

/// An event that somebody was told of: its lobby, its number, and its frame.
pub(crate) type Told = (LobbyId, u32, Bytes);

/// What must never be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Violation {
    /// An event is recorded in the place of another one.
    Recorded { lobby: LobbyId, expected: u32, found: u32 },
    /// Somebody was told of an event that is not recorded, or of another version of it.
    Told { lobby: LobbyId, number: u32 },
}

/// Finds every violation: the events of a lobby are recorded as 1…n, once each, and a client that is told
/// of one is told what is recorded. So no number is told in two versions.
pub(crate) fn violations<'a>(
    recorded: impl IntoIterator<Item = &'a Entry>,
    told: impl IntoIterator<Item = &'a Told>,
) -> Vec<Violation> {
    let (mut lobbies, mut found) = (BTreeMap::<LobbyId, Vec<&Bytes>>::new(), Vec::new());
    for Entry { lobby, note, .. } in recorded {
        if let Note::Happened { number, frame, .. } = note {
            let frames = lobbies.entry(*lobby).or_default();
            let expected = u32::try_from(frames.len()).unwrap() + 1;
            if *number == expected {
                frames.push(frame);
            } else {
                found.push(Violation::Recorded { lobby: *lobby, expected, found: *number });
            }
        }
    }
    for (lobby, number, frame) in told {
        let place = usize::try_from(*number).unwrap().checked_sub(1);
        let recorded = lobbies.get(lobby).zip(place).and_then(|(frames, place)| frames.get(place));
        if recorded != Some(&frame) {
            found.push(Violation::Told { lobby: *lobby, number: *number });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::sample::{event, frame, opened};

    fn told(lobby: u64, number: u32, version: u64) -> Told {
        (LobbyId(lobby), number, frame(number, version))
    }

    #[test]
    fn a_sound_history_has_no_violation() {
        let recorded = [opened(1), event(1, 1, 0), opened(2), event(2, 1, 0), event(1, 2, 0)];
        assert_eq!(violations(&recorded, &[told(1, 2, 0), told(2, 1, 0), told(1, 1, 0)]), []);
    }

    #[test]
    fn events_that_are_missing_doubled_or_out_of_order_are_found() {
        let of = |numbers: &[u32]| {
            let recorded: Vec<Entry> = numbers.iter().map(|number| event(1, *number, 0)).collect();
            violations(&recorded, &[]).len()
        };
        assert_eq!([of(&[1, 2, 3]), of(&[1, 3]), of(&[1, 2, 2]), of(&[2, 1])], [0, 1, 1, 1]);
    }

    #[test]
    fn what_was_told_and_is_not_recorded_is_found() {
        let recorded = [event(1, 1, 0)];
        assert_eq!(violations(&recorded, &[told(1, 1, 9)]).len(), 1, "another version");
        assert_eq!(
            violations(&recorded, &[told(1, 2, 0), told(2, 1, 0), told(1, 0, 0)]).len(),
            3,
            "unrecorded"
        );
    }
}
