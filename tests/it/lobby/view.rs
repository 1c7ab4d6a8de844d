//! Everything that can be seen of both lobbies at a moment, compared.

use nim::game::{BySide, Side};
use nim::lobby::{Lobby, Moment, Offer};

use super::model::Model;

/// Fails at the line of the first difference.
pub(super) fn compare(lobby: &Lobby, model: &Model, now: Moment) {
    let story = model.story();
    assert_eq!(lobby.phase(), story.phase());
    assert_eq!(*lobby.seats(), story.seats());
    for side in Side::BOTH {
        assert_eq!(lobby.gone(side).cloned(), story.gone(side), "{side:?}");
        assert_eq!(lobby.absence(side), story.absence(side), "{side:?}");
        assert_eq!(lobby.hand(side), story.hand(side), "{side:?}");
        let bits = Offer::ALL.iter().zip([1, 2, 4]);
        let offered: u8 =
            bits.filter(|(offer, _)| story.has_offered(side, **offer)).map(|(_, bit)| bit).sum();
        assert_eq!(lobby.snapshot().offers.made[side], offered, "{side:?}");
    }
    assert_eq!(lobby.open_seat(), story.open_seat());
    assert_eq!(lobby.bot_comes(), story.bot_comes());
    assert_eq!(lobby.watchers(), story.watchers());
    assert_eq!(lobby.stood_in_for().map(|player| player.0), story.stood_in_for());
    assert_eq!(lobby.has_people_here(), story.anyone_here());
    assert_eq!(lobby.to_move().map(|player| player.id.0), story.mover().map(|side| story.number(side)));
    assert_eq!(lobby.board().turn(), story.board_turn());
    assert_eq!((lobby.turn(), lobby.games()), (story.turn(), story.games()));
    assert_eq!(lobby.origin(), story.origin());
    assert_eq!(lobby.past().copied().collect::<Vec<_>>(), story.past());
    assert_eq!(lobby.board().write_position(), story.table().written());
    assert_eq!(lobby.began(), story.began());
    assert_eq!(lobby.offer(), story.open_offer());
    assert_eq!(lobby.is_paused(), story.is_paused());
    assert_eq!((lobby.score(), lobby.decision()), (story.score(), story.decision()));
    assert_eq!(left(lobby, now), story.clocks(now).left);
    assert_eq!(lobby.runs_out(), story.runs_out());
    assert_eq!(lobby.due(), story.due());
    assert_eq!(lobby.last_event() as usize, model.entries.len());
}

/// What each clock shows: only that of the side to move can run.
fn left(lobby: &Lobby, now: Moment) -> BySide<u64> {
    let clocks = lobby.clocks();
    let shows = |side: Side| {
        if lobby.board().turn() == side {
            u64::try_from(clocks.left_at(side, now).as_millis()).unwrap()
        } else {
            u64::from(clocks.left[side])
        }
    };
    BySide::from_fn(shows)
}
