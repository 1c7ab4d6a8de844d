//! What a form offers for each term of a lobby. Where a term is typed, it can be anything else
//! as well.

use crate::lobby::{Hints, WhenAway};
use crate::wire::{BotWish, Starts};

/// The games.
pub const GAMES: [&str; 11] = [
    "java-tech:21",
    "nim:3-4-5",
    "nim:1-3-5-7:misere",
    "zero-sum:11",
    "take:30:4:normal",
    "one-two-ten",
    "even-or-odd:15",
    "tic-tac-toe",
    "connect-four",
    "pong-hau-ki",
    "mu-torere",
];

/// The choice of a quick match that leads to whatever game somebody waits for.
pub const ANY: &str = "any";

/// Who can make the first move.
pub const STARTS: [Starts; 3] = [Starts::Variant, Starts::Me, Starts::Them];

/// Who may take the other seat.
pub const OPPONENTS: [BotWish; 4] =
    [BotWish::WhenNobodyComes, BotWish::AtOnce, BotWish::PeopleOnly, BotWish::Both];

/// Who may ask for hints.
pub const HINTS: [Hints; 4] = [Hints::AgainstBots, Hints::All, Hints::Watchers, Hints::Nobody];

/// What happens when somebody is away.
pub const ABSENCES: [WhenAway; 3] = [WhenAway::StandIn, WhenAway::Wait, WhenAway::Forfeit];

/// How long to wait for somebody who is away, in milliseconds.
pub const TIMES: [u32; 5] = [5_000, 10_000, 30_000, 60_000, 300_000];

/// The clocks.
pub const CLOCKS: [&str; 5] = ["none", "30s/move", "3m+2s", "5m+3s", "10m~5s"];

/// The numbers of games of a match; 0 for no limit.
pub const LENGTHS: [u8; 5] = [0, 1, 3, 5, 7];
