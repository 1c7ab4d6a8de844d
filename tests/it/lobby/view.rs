//! Everything that can be seen of a lobby at a moment, so that two of them can be compared at a glance.

use nim::game::{BySide, Outcome, Side};
use nim::lobby::{
    Absence, Due, Hand, Lobby, MatchScore, Moment, Offer, OpenOffer, Origin, Past, Phase, Player, WhenAway,
};

use super::model::Model;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct View {
    phase: Phase,
    seats: BySide<Option<Player>>,
    gone: BySide<Option<Player>>,
    open_seat: Option<Side>,
    bot_comes: Option<Moment>,
    watchers: u32,
    absences: BySide<Option<Absence>>,
    hands: BySide<Hand>,
    stood_in_for: Option<u32>,
    anyone_here: bool,
    to_move: Option<u32>,
    board_turn: Side,
    turn: u32,
    games: u32,
    origin: Option<Origin>,
    past: Vec<Past>,
    position: String,
    began: Moment,
    offer: Option<OpenOffer>,
    /// A bit for each offer.
    offered: BySide<u8>,
    paused: bool,
    score: MatchScore,
    decision: Option<Outcome>,
    /// Milliseconds on each clock.
    left: BySide<u64>,
    runs_out: Option<(Moment, Side, WhenAway)>,
    due: Option<(Moment, Due)>,
    events: usize,
}

impl View {
    pub(super) fn of(lobby: &Lobby, now: Moment) -> Self {
        Self {
            phase: lobby.phase(),
            seats: lobby.seats().clone(),
            gone: BySide::from_fn(|side| lobby.gone(side).cloned()),
            open_seat: lobby.open_seat(),
            bot_comes: lobby.bot_comes(),
            watchers: lobby.watchers(),
            absences: BySide::from_fn(|side| lobby.absence(side)),
            hands: BySide::from_fn(|side| lobby.hand(side)),
            stood_in_for: lobby.stood_in_for().map(|player| player.0),
            anyone_here: lobby.has_people_here(),
            to_move: lobby.to_move().map(|player| player.id.0),
            board_turn: lobby.board().turn(),
            turn: lobby.turn(),
            games: lobby.games(),
            origin: lobby.origin().cloned(),
            past: lobby.past().copied().collect(),
            position: lobby.board().write_position(),
            began: lobby.began(),
            offer: lobby.offer(),
            offered: lobby.snapshot().offers.made,
            paused: lobby.is_paused(),
            score: lobby.score(),
            decision: lobby.decision(),
            left: left(lobby, now),
            runs_out: lobby.runs_out(),
            due: lobby.due(),
            events: lobby.last_event() as usize,
        }
    }

    pub(super) fn of_model(model: &Model, now: Moment) -> Self {
        let story = model.story();
        Self {
            phase: story.phase(),
            seats: story.seats(),
            gone: BySide::from_fn(|side| story.gone(side)),
            open_seat: story.open_seat(),
            bot_comes: story.bot_comes(),
            watchers: story.watchers(),
            absences: BySide::from_fn(|side| story.absence(side)),
            hands: BySide::from_fn(|side| story.hand(side)),
            stood_in_for: story.stood_in_for(),
            anyone_here: story.anyone_here(),
            to_move: story.mover().map(|side| story.number(side)),
            board_turn: story.board_turn(),
            turn: story.turn(),
            games: story.games(),
            origin: story.origin().cloned(),
            past: story.past(),
            position: story.table().written(),
            began: story.began(),
            offer: story.open_offer(),
            offered: BySide::from_fn(|side| {
                let bits = Offer::ALL.iter().zip([1, 2, 4]);
                bits.filter(|(offer, _)| story.has_offered(side, **offer)).map(|(_, bit)| bit).sum()
            }),
            paused: story.is_paused(),
            score: story.score(),
            decision: story.decision(),
            left: story.clocks(now).left,
            runs_out: story.runs_out(),
            due: story.due(),
            events: model.entries.len(),
        }
    }
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
