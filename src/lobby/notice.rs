//! Notices: who is present, and who watches. They are sent to everybody in the lobby like events, and are
//! neither numbered nor recorded. A snapshot has the state that they lead to, an [`Attendance`].
//!
//! The order of the variants and fields is the protocol's: new ones go to the end.

use serde::{Deserialize, Serialize};

use super::absence::{Absence, ConnectionLoss};
use super::event::{Event, Events};
use super::moment::Moment;
use super::name::Name;
use crate::game::{BySide, Side};

/// A change of the attendance. It changes nothing in the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Notice {
    /// A player is away and keeps the seat.
    Away {
        /// The player on this side.
        side: Side,
        /// When the connection closed, or when the player was last heard.
        since: Moment,
        /// Which of the two.
        loss: ConnectionLoss,
    },
    /// A player who was away is back.
    Back {
        /// The player on this side.
        side: Side,
    },
    /// The other player waits for the absent one, instead of applying the agreed rule.
    WaitedFor {
        /// The player who is away.
        side: Side,
    },
    /// The other player no longer waits: the agreed rule applies again.
    WaitedNoMore {
        /// The player who is away.
        side: Side,
    },
    /// Somebody has come to watch.
    Watched {
        /// What they are called.
        name: Name,
    },
    /// A watcher is gone.
    Unwatched {
        /// What they are called.
        name: Name,
    },
    /// A watcher is gone, and their address may not watch here any more: the person who opened the lobby has
    /// kicked them.
    Kicked {
        /// What they are called.
        name: Name,
    },
}

/// Who is present. No event depends on it when it is applied, so a replay of the recorded events gives the
/// same game without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendance {
    /// The absences of seated players.
    pub absences: BySide<Option<Absence>>,
    /// The number of watchers.
    pub watchers: u32,
    /// When a player last came back to a lobby without anybody, or two bots last got their first watcher or
    /// lost their last one.
    pub since: Moment,
}

impl Attendance {
    /// The notices of players that lead from this attendance to a later one, for a client that missed them.
    pub fn changes(&self, later: &Self) -> Vec<Notice> {
        let change = |side: Side| match (self.absences[side], later.absences[side]) {
            (known, Some(Absence { since, loss, .. }))
                if known.is_none_or(|known| (known.since, known.loss) != (since, loss)) =>
            {
                Some(Notice::Away { side, since, loss })
            }
            (Some(_), None) => Some(Notice::Back { side }),
            _ => None,
        };
        Side::BOTH.into_iter().filter_map(change).collect()
    }
}

/// What a granted request causes: first the events, in order, then the notice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// The events, which are recorded.
    pub events: Events,
    /// The notice, if the attendance changes.
    pub notice: Option<Notice>,
}

impl Decision {
    /// An event, if there is one, and a notice.
    pub(super) fn of(event: Option<Event>, notice: Notice) -> Self {
        Self { events: event.into_iter().collect(), notice: Some(notice) }
    }
}

impl From<Events> for Decision {
    fn from(events: Events) -> Self {
        Self { events, notice: None }
    }
}

impl From<Notice> for Decision {
    fn from(notice: Notice) -> Self {
        Self::of(None, notice)
    }
}
