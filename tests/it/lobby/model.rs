//! A model of a lobby for the tests, slow and plain. It keeps a list of everything that has happened, and
//! derives every answer from it. It shares the vocabulary of `nim::lobby` (requests, events, refusals), but
//! no rule; the game is that of the harness.
//!
//! [`time`] has the clocks and deadlines, [`answers`] the decisions about requests.

mod answers;
mod time;

pub(super) use answers::Answer;

use std::time::Duration;

use nim::game::{BySide, Outcome, Side};
use nim::lobby::{
    Absence, BotRule, Conditions, ConnectionLoss, Cover, Event, Hand, Kind, MatchScore, Moment, Notice,
    Offer, OpenOffer, Origin, PastMove, Phase, Player,
};

use crate::fuzzed::bodies::story::Told;
use crate::fuzzed::bodies::story::Told::{Event as E, Notice as N};
use crate::harness::Heaps;

/// A number for nobody, in place of a player's.
const NOBODY: u32 = 0;

/// Something that has happened.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) at: Moment,
    /// The player concerned, or the winner at the end of a game. Players change sides but keep their
    /// numbers.
    who: u32,
    pub(super) event: Told,
}

/// The lobby: its conditions, and everything that has happened, the oldest first.
#[derive(Debug, Clone)]
pub(super) struct Model {
    /// The start position of every game.
    start: Heaps,
    pub(super) conditions: Conditions,
    pub(super) entries: Vec<Entry>,
}

impl Model {
    /// A lobby whose games begin in this position of another game, if there is one.
    pub(super) fn new(variant: &str, conditions: Conditions, origin: Option<Origin>) -> Self {
        let start = Heaps::of(variant);
        let start = origin.as_ref().map_or(start.clone(), |origin| start.at(origin.position.as_str()));
        let placed = |origin| Entry { at: Moment::START, who: NOBODY, event: E(Event::Placed { origin }) };
        Self { start, conditions, entries: origin.map(placed).into_iter().collect() }
    }

    pub(super) fn story(&self) -> Story<'_> {
        Story { start: &self.start, conditions: &self.conditions, entries: &self.entries }
    }
}

/// Queries on the whole list, or on its beginning.
#[derive(Clone, Copy)]
pub(super) struct Story<'a> {
    start: &'a Heaps,
    conditions: &'a Conditions,
    entries: &'a [Entry],
}

/// A person with a seat.
struct Sitter {
    player: Player,
    /// The present seat, or the last one.
    side: Side,
    gone: bool,
}

impl<'a> Story<'a> {
    /// The list up to and including its first `count` entries.
    fn as_of(self, count: usize) -> Self {
        Self { entries: &self.entries[..count], ..self }
    }

    /// The entries since the last one of this kind; all entries if there is none.
    fn after(self, is_last: impl Fn(&Entry) -> bool) -> &'a [Entry] {
        let start = self.entries.iter().rposition(is_last).map_or(0, |last| last + 1);
        &self.entries[start..]
    }

    fn count(self, counts: impl Fn(&Told) -> bool) -> u32 {
        u32::try_from(self.entries.iter().filter(|entry| counts(&entry.event)).count()).unwrap()
    }

    // Who has a seat.

    fn sitters(self) -> Vec<Sitter> {
        let mut sitters: Vec<Sitter> = Vec::new();
        for entry in self.entries {
            match &entry.event {
                E(Event::Sat { side, player }) => {
                    sitters.push(Sitter { player: player.clone(), side: *side, gone: false });
                }
                E(Event::Left { .. }) => {
                    sitters.iter_mut().filter(|it| it.player.id.0 == entry.who).for_each(|it| it.gone = true);
                }
                E(Event::Started { swap: true, .. }) => sitters.iter_mut().for_each(|it| it.side = !it.side),
                _ => {}
            }
        }
        sitters
    }

    pub(super) fn seat(self, side: Side) -> Option<Player> {
        self.sitters().into_iter().find(|it| it.side == side && !it.gone).map(|it| it.player)
    }

    pub(super) fn seats(self) -> BySide<Option<Player>> {
        BySide::from_fn(|side| self.seat(side))
    }

    /// The player who left this seat last, if they had played and it is free now.
    pub(super) fn gone(self, side: Side) -> Option<Player> {
        let left = |it: &&Entry| matches!(it.event, E(Event::Left { side: seat, .. }) if seat == side);
        let last =
            self.entries.iter().rev().find(left).filter(|_| self.games() > 0 && self.seat(side).is_none())?;
        self.sitters().into_iter().map(|it| it.player).find(|player| player.id.0 == last.who)
    }

    /// The number of the player on this side.
    pub(super) fn number(self, side: Side) -> u32 {
        self.seat(side).map_or(NOBODY, |player| player.id.0)
    }

    fn side_of(self, number: u32) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| number != NOBODY && self.number(side) == number)
    }

    fn is_client(self, side: Side) -> bool {
        self.seat(side).is_some_and(|player| matches!(player.kind, Kind::Person | Kind::Program))
    }

    /// Whether a person sits here and is present.
    pub(super) fn is_here(self, side: Side) -> bool {
        self.is_client(side) && self.absence(side).is_none()
    }

    pub(super) fn anyone_here(self) -> bool {
        Side::BOTH.into_iter().any(|side| self.is_here(side))
    }

    /// Whether people sit here, and all of them are away.
    pub(super) fn is_deserted(self) -> bool {
        Side::BOTH.into_iter().any(|side| self.is_client(side)) && !self.anyone_here()
    }

    /// Whether bots play each other without watchers.
    pub(super) fn is_unwatched(self) -> bool {
        self.is_exhibition() && self.watchers() == 0
    }

    fn is_exhibition(self) -> bool {
        Side::BOTH.into_iter().all(|side| self.seat(side).is_some_and(|player| player.kind == Kind::Bot))
    }

    /// A newcomer gets the opener's seat, or else the other one; none while those who sit here are away.
    pub(super) fn open_seat(self) -> Option<Side> {
        let opener = self.conditions.opener;
        let open = self.phase() == Phase::Waiting && !self.is_deserted();
        [opener, !opener].into_iter().find(|&side| open && self.seat(side).is_none())
    }

    /// When a bot takes the free seat.
    pub(super) fn bot_joins_at(self) -> Option<Moment> {
        let wait = match self.conditions.bot {
            BotRule::Never | BotRule::PeopleOnly => return None,
            BotRule::After(wait) => Some(wait).filter(|_| self.anyone_here())?,
            BotRule::Both => 0,
        };
        self.open_seat().map(|_| self.began() + Duration::from_millis(wait.into()))
    }

    /// The watchers who have come and not gone since the last restart.
    pub(super) fn watchers(self) -> u32 {
        let since = self.after(|it| it.event == E(Event::Restarted));
        let count = |counts: fn(&Told) -> bool| since.iter().filter(|it| counts(&it.event)).count();
        let come = count(|event| matches!(event, N(Notice::Watched { .. })));
        let gone = |event: &Told| matches!(event, N(Notice::Unwatched { .. } | Notice::Kicked { .. }));
        u32::try_from(come - count(gone)).unwrap()
    }

    // Absences.

    /// An absent player has gone since their last return, or has not returned since the last restart. A
    /// decision about the absence was made since then, in the present game.
    pub(super) fn absence(self, side: Side) -> Option<Absence> {
        let who = self.is_client(side).then(|| self.number(side))?;
        let away = self
            .after(|it| it.who == who && matches!(it.event, N(Notice::Back { .. }) | E(Event::Sat { .. })));
        let (since, loss) = away.iter().rev().find_map(|it| match it.event {
            N(Notice::Away { since, loss, .. }) if it.who == who => Some((since, loss)),
            E(Event::Restarted) => Some((it.at, ConnectionLoss::Closed)),
            _ => None,
        })?;
        let this_game =
            away.iter().rev().take_while(|it| !matches!(it.event, E(Event::Ended { .. } | Event::Restarted)));
        let said = this_game.filter(|it| it.who == who).find_map(|it| match it.event {
            N(Notice::WaitedFor { .. }) => Some(true),
            N(Notice::WaitedNoMore { .. }) => Some(false),
            _ => None,
        });
        Some(Absence { since, loss, waited: said.unwrap_or(false) })
    }

    /// How the absence of this side's player is handled.
    pub(super) fn cover(self, side: Side) -> Option<Cover> {
        self.absence(side).map(|absence| match (self.hand(side), absence.waited) {
            (Hand::StandIn, _) => Cover::StandIn,
            (Hand::Own, true) => Cover::Waited,
            (Hand::Own, false) => Cover::Agreed,
        })
    }

    /// A stand-in plays until the player plays again, the game ends, or the server restarts.
    pub(super) fn hand(self, side: Side) -> Hand {
        let who = self.number(side);
        let ends = |it: &Entry| match it.event {
            E(Event::Ended { .. } | Event::Restarted) => true,
            E(Event::PlaysAgain { .. }) => it.who == who,
            _ => false,
        };
        let stood_in = |it: &Entry| it.who == who && matches!(it.event, E(Event::StoodIn { .. }));
        if who != NOBODY && self.after(ends).iter().any(stood_in) { Hand::StandIn } else { Hand::Own }
    }

    /// A stand-in plays on the absent player's turn while the opponent is present.
    pub(super) fn stood_in_for(self) -> Option<u32> {
        let side = self.mover()?;
        let plays = self.hand(side) == Hand::StandIn && self.is_here(!side) && !self.is_paused();
        plays.then(|| self.number(side))
    }

    // Games.

    pub(super) fn phase(self) -> Phase {
        if self.count(|event| matches!(event, E(Event::Closed))) > 0 {
            return Phase::Closed;
        }
        let is_course = |it: &&Entry| matches!(it.event, E(Event::Started { .. } | Event::Ended { .. }));
        match self.entries.iter().rev().find(is_course).map(|it| &it.event) {
            None => Phase::Waiting,
            Some(&E(Event::Ended { result })) => {
                let again = BySide::from_fn(|side| self.wants_again(side));
                let waits = Side::BOTH.into_iter().any(|side| again[side] && self.seat(!side).is_none());
                if waits { Phase::Waiting } else { Phase::Over { result, again } }
            }
            Some(_) => Phase::Playing,
        }
    }

    fn is_playing(self) -> bool {
        self.phase() == Phase::Playing
    }

    fn wants_again(self, side: Side) -> bool {
        let who = self.number(side);
        let since = self.after(|it| matches!(it.event, E(Event::Ended { .. })));
        since.iter().any(|it| it.who == who && matches!(it.event, E(Event::AgainWanted { .. })))
    }

    pub(super) fn games(self) -> u32 {
        self.count(|event| matches!(event, E(Event::Started { .. })))
    }

    /// Each turn has its own number, even if its move was taken back.
    pub(super) fn turn(self) -> u32 {
        1 + self.count(|event| matches!(event, E(Event::Moved { .. } | Event::TakenBack { .. })))
    }

    /// The moves of the present or last game, without those taken back.
    pub(super) fn past(self) -> Vec<PastMove> {
        let mut past = Vec::new();
        for entry in self.after(|it| matches!(it.event, E(Event::Started { .. }))) {
            match entry.event {
                E(Event::Moved { mv, hand, .. }) => past.push(PastMove { mv, hand }),
                E(Event::TakenBack { moves }) => past.truncate(past.len() - usize::from(moves)),
                _ => {}
            }
        }
        past
    }

    /// The position of another game in which this lobby's games begin.
    pub(super) fn origin(self) -> Option<&'a Origin> {
        self.entries.iter().find_map(|it| match &it.event {
            E(Event::Placed { origin }) => Some(origin),
            _ => None,
        })
    }

    /// The heaps of the present or last game.
    pub(super) fn table(self) -> Heaps {
        let mut table = self.start.clone();
        self.past().into_iter().for_each(|past| table.play(past.mv));
        table
    }

    /// The side to move on the board, whether a game is going on or not.
    pub(super) fn board_turn(self) -> Side {
        self.table().to_move()
    }

    /// The side to move in a game that is going on.
    pub(super) fn mover(self) -> Option<Side> {
        (self.is_playing() && self.table().outcome().is_none()).then(|| self.board_turn())
    }

    pub(super) fn is_paused(self) -> bool {
        let since = self.after(|it| matches!(it.event, E(Event::Resumed { .. } | Event::Ended { .. })));
        since.iter().any(|it| it.event == E(Event::Paused))
    }

    // Offers.

    /// Whether this was offered in this turn.
    pub(super) fn has_offered(self, side: Side, what: Offer) -> bool {
        let who = self.number(side);
        let turn = self.after(|it| {
            matches!(
                it.event,
                E(Event::Started { .. }
                    | Event::Moved { .. }
                    | Event::TakenBack { .. }
                    | Event::Ended { .. })
            )
        });
        turn.iter()
            .any(|it| it.who == who && matches!(it.event, E(Event::Offered { offer, .. }) if offer == what))
    }

    /// The unanswered offer of this turn.
    pub(super) fn open_offer(self) -> Option<OpenOffer> {
        let concerns = |it: &&Entry| {
            matches!(
                it.event,
                E(Event::Offered { .. }
                    | Event::Declined { .. }
                    | Event::Paused
                    | Event::Moved { .. }
                    | Event::TakenBack { .. }
                    | Event::Ended { .. })
            )
        };
        match self.entries.iter().rev().find(concerns)?.event {
            E(Event::Offered { side, offer }) => Some(OpenOffer { side, offer }),
            _ => None,
        }
    }

    // The score.

    /// The winners' numbers, game by game, of the match of these two players. It begins when one of them
    /// takes a seat, and a decided match restarts with the next game.
    fn winners(self) -> Vec<u32> {
        let mut winners = Vec::new();
        for entry in self.after(|it| matches!(it.event, E(Event::Sat { .. }))) {
            match entry.event {
                E(Event::Started { .. }) if self.decided(&winners).is_some() => winners.clear(),
                E(Event::Ended { .. }) => winners.push(entry.who),
                _ => {}
            }
        }
        winners
    }

    pub(super) fn score(self) -> MatchScore {
        let (sitters, winners) = (self.sitters(), self.winners());
        let won = |side: Side| {
            let theirs = |number: u32| sitters.iter().any(|it| it.player.id.0 == number && it.side == side);
            winners.iter().filter(|&&winner| theirs(winner)).count()
        };
        let drawn = winners.iter().filter(|&&winner| winner == NOBODY).count();
        let count = |games: usize| u32::try_from(games).unwrap();
        MatchScore { won: BySide::from_fn(|side| count(won(side))), drawn: count(drawn) }
    }

    /// The number of the player who has won the match after these games; `None` if it is drawn.
    fn decided(self, winners: &[u32]) -> Option<u32> {
        let best_of = usize::from(self.conditions.best_of);
        let to_come = best_of.saturating_sub(winners.len());
        // A win is two points, a draw is one point for each.
        let points = |who: u32| -> usize {
            winners.iter().map(|&winner| if winner == who { 2 } else { usize::from(winner == NOBODY) }).sum()
        };
        let others = |who: u32| -> usize { 2 * winners.len() - points(who) };
        let ahead = |who: &&u32| points(**who) > others(**who) + 2 * to_come;
        let leader = winners.iter().filter(|&&winner| winner != NOBODY).find(ahead).copied();
        (best_of > 0).then(|| leader.or((to_come == 0).then_some(NOBODY))).flatten()
    }

    pub(super) fn decision(self) -> Option<Outcome> {
        let winner = self.decided(&self.winners())?;
        let seat = self.sitters().into_iter().find(|it| it.player.id.0 == winner);
        Some(seat.map_or(Outcome::Draw, |it| Outcome::Win(it.side)))
    }
}
