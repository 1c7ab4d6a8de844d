//! Snapshots: the whole state of a lobby as one message, for clients that join or return.

use serde::{Deserialize, Serialize};

use super::clock::Clocks;
use super::code::Code;
use super::conditions::Conditions;
use super::event::{GameResult, MatchScore};
use super::list::List;
use super::moment::Moment;
use super::move_history::MAX_PAST;
use super::notice::Attendance;
use super::offer::Offers;
use super::origin::{MAX_POSITION_TEXT, Origin};
use super::packed_moves::PastMove;
use super::player::{Kind, Player, PlayerId};
use super::text::Text;
use crate::game::any::MAX_VARIANT_TEXT;
use crate::game::{BySide, Side};
use crate::number::saturating;

/// Everything about a lobby at the moment of its event number `events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The lobby's code.
    pub code: Code,
    /// What is played, as text.
    pub variant: Text<MAX_VARIANT_TEXT>,
    /// The agreed conditions.
    pub conditions: Conditions,
    /// The position in which games begin, if it is not the variant's start.
    pub origin: Option<Origin>,
    /// The player on each side.
    pub seats: BySide<Option<Player>>,
    /// Who sat on each side in the last game and has left since, as long as nobody else sits there.
    pub gone: BySide<Option<Player>>,
    /// For which players the server's bot plays.
    pub stand_ins: BySide<bool>,
    /// The phase.
    pub phase: Phase,
    /// The start of the current turn or phase.
    pub began: Moment,
    /// The oldest known board of the present or last game, as text: its start, unless early moves were
    /// dropped.
    pub base: Text<MAX_POSITION_TEXT>,
    /// The moves since then, the oldest first.
    pub past: List<PastMove, MAX_PAST>,
    /// The clocks.
    pub clocks: Clocks,
    /// The offers of this turn.
    pub offers: Offers,
    /// Whether the game is paused by agreement.
    pub paused: bool,
    /// The score between these two players.
    pub score: MatchScore,
    /// The number of games started so far.
    pub games: u32,
    /// The moves made in the present or last game, including those taken back.
    pub moves: u32,
    /// The number of the next move.
    pub turn: u32,
    /// The number that the next player to sit down gets.
    pub next_player: PlayerId,
    /// The number of the last event.
    pub events: u32,
    /// Who is present.
    pub attendance: Attendance,
}

/// The phase of a lobby. The order of the variants is the protocol's: new ones go to the end.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Phase {
    /// A seat is empty; the game starts as soon as both are taken.
    Waiting,
    /// A game is going on.
    Playing,
    /// The last game has ended.
    Over {
        /// How it ended.
        result: GameResult,
        /// Who has asked for another game.
        again: BySide<bool>,
    },
    /// Nobody is left; the server is about to drop the lobby.
    Closed,
}

impl Snapshot {
    /// Whether players, phase and counts are consistent.
    pub(super) fn is_possible(&self) -> bool {
        let [first, second] = Side::BOTH.map(|side| self.seats[side].as_ref().map(|player| player.id));
        let ids_fit = [first, second].into_iter().flatten().all(|id| id < self.next_player)
            && (first.is_none() || first != second);
        let seated = Side::BOTH.map(|side| self.seats[side].is_some());
        ids_fit
            && self.past.len() <= saturating(self.moves)
            && self.attendance_is_possible()
            && Side::BOTH.into_iter().all(|side| self.gone_is_possible(side))
            && Side::BOTH.into_iter().all(|side| self.guest_is_possible(side))
            && (self.phase == Phase::Playing
                || !(self.paused || self.clocks.stopped || self.offers.open.is_some()))
            && match self.phase {
                // Both may sit already: the event `Started` follows the second `Sat`.
                Phase::Waiting | Phase::Closed => true,
                Phase::Playing => self.games > 0 && seated == [true; 2],
                // Once both want another game it starts.
                Phase::Over { again, .. } => {
                    self.games > 0
                        && Side::BOTH.into_iter().all(|side| !again[side] || self.seats[side].is_some())
                        && again != BySide::from_fn(|_| true)
                }
            }
    }

    /// Whether the player who left has played, and the seat is empty.
    fn gone_is_possible(&self, side: Side) -> bool {
        self.gone[side]
            .as_ref()
            .is_none_or(|player| self.games > 0 && self.seats[side].is_none() && player.id < self.next_player)
    }

    /// Whether a guest here sits beside a person.
    fn guest_is_possible(&self, side: Side) -> bool {
        let is_a = |side: Side, kind| self.seats[side].as_ref().is_some_and(|player| player.kind == kind);
        !is_a(side, Kind::Guest) || is_a(!side, Kind::Person) || self.phase == Phase::Closed
    }

    /// Whether those may be away who are.
    pub(super) fn attendance_is_possible(&self) -> bool {
        Side::BOTH.into_iter().all(|side| self.absence_is_possible(side))
    }

    /// Whether an absence and a stand-in here are a person's or a program's; only in a game is anything done about
    /// an absence.
    fn absence_is_possible(&self, side: Side) -> bool {
        let (absence, stood_in) = (self.attendance.absences[side], self.stand_ins[side]);
        let covered = stood_in || absence.is_some_and(|absence| absence.waited);
        let is_client = self.seats[side].as_ref().is_some_and(|player| player.kind.is_client());
        (is_client || absence.is_none() && !stood_in) && (!covered || self.phase == Phase::Playing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::lobby::{
        Absence, BadSnapshot, Cause, ConnectionLoss, GameResult, Hand, Kind, Lobby, Name, Offer, OpenOffer,
        Request, Who,
    };

    /// A lobby in which two people play their first game.
    fn playing() -> Lobby {
        let variant = "java-tech".parse().unwrap();
        let mut lobby = Lobby::new(Code::from_bits(0, 0), variant, Conditions::default());
        for name in ["anna", "ben"] {
            let request = Request::Sit { name: Name::clean(name).unwrap(), kind: Kind::Person };
            let decision = lobby.decide(Who::Newcomer, request, Moment::START).unwrap();
            lobby.carry_out(&decision, Moment::START).unwrap();
        }
        lobby
    }

    fn absence(waited: bool) -> Absence {
        Absence { since: Moment::START, loss: ConnectionLoss::Closed, waited }
    }

    type Change = fn(&mut Snapshot);

    fn over(again: BySide<bool>) -> Phase {
        let result = GameResult { outcome: Outcome::Win(Side::First), cause: Cause::Resigned };
        Phase::Over { result, again }
    }

    #[test]
    fn what_cannot_be_is_no_lobby() {
        let possible = playing().snapshot();
        let lies: [(&str, Change); 20] = [
            ("fewer moves than are known", |lie| {
                let mv = playing().board().read_move("take 3").unwrap();
                lie.past = List::first_of([PastMove { mv, hand: Hand::Own }]);
            }),
            ("one player twice", |lie| lie.seats.second.clone_from(&lie.seats.first)),
            ("a player who has not come yet", |lie| lie.next_player = PlayerId(2)),
            ("a game with one player", |lie| lie.seats.second = None),
            ("a game that is none", |lie| lie.games = 0),
            ("over before the first game", |lie| (lie.phase, lie.games) = (over(BySide::default()), 0)),
            ("another game that does not start", |lie| lie.phase = over(BySide::from_fn(|_| true))),
            ("somebody gone who wants another game", |lie| {
                lie.phase = over(BySide { first: true, second: false });
                lie.seats.first = None;
            }),
            ("somebody gone whose seat is taken", |lie| lie.gone.first.clone_from(&lie.seats.first)),
            ("somebody gone who has never been there", |lie| {
                lie.phase = over(BySide::default());
                lie.gone.first = lie.seats.first.take();
                lie.gone.first.as_mut().unwrap().id = lie.next_player;
            }),
            ("somebody gone before the first game", |lie| {
                (lie.phase, lie.games) = (Phase::Waiting, 0);
                lie.gone.first = lie.seats.first.take();
            }),
            ("a bot that is away", |lie| {
                lie.attendance.absences.first = Some(absence(false));
                lie.seats.first.as_mut().unwrap().kind = Kind::Bot;
            }),
            ("a stand-in without a game", |lie| {
                (lie.phase, lie.stand_ins.first) = (Phase::Waiting, true);
            }),
            ("a stand-in for a bot", |lie| {
                lie.stand_ins.first = true;
                lie.seats.first.as_mut().unwrap().kind = Kind::Bot;
            }),
            ("somebody who waits without a game", |lie| {
                lie.phase = Phase::Waiting;
                lie.attendance.absences.first = Some(absence(true));
            }),
            ("a rest without a game", |lie| (lie.phase, lie.paused) = (over(BySide::default()), true)),
            ("a stopped clock without a game", |lie| {
                (lie.phase, lie.clocks.stopped) = (over(BySide::default()), true);
            }),
            ("an offer without a game", |lie| {
                lie.phase = over(BySide::default());
                lie.offers.open = Some(OpenOffer { side: Side::First, offer: Offer::Draw });
            }),
            ("no such position", |lie| lie.base = Text::cut("99")),
            ("a move that cannot be made", |lie| {
                let mv = playing().board().read_move("take 3").unwrap();
                lie.base = Text::cut("1 first");
                lie.moves = 1;
                lie.past = List::first_of([PastMove { mv, hand: Hand::Own }]);
            }),
        ];
        assert_eq!(Lobby::try_from(possible.clone()), Ok(playing()));
        for (what, change) in lies {
            let mut lie = possible.clone();
            change(&mut lie);
            assert_eq!(Lobby::try_from(lie), Err(BadSnapshot), "{what}");
        }
    }
}
