//! The lobby and a plain model of it ([`super::model`]), with the same random requests, losses, returns and
//! clock steps. After every step both have produced the same events, or refused for a valid reason, and show
//! the same state; and the invariants of every lobby hold.
//!
//! `PROPTEST_CASES=20000 cargo test --release --test it lobby::machine` runs longer. When the two differ,
//! proptest minimises the steps and prints them.

use nim::game::{BySide, Side};
use nim::lobby::{Event, Lobby, Moment, Offer, PlayerId, Refusal, Who};
use proptest::prelude::*;

use super::model::{Answer, Model};
use crate::fuzzed::bodies::feed::Feed;
use crate::fuzzed::bodies::lobby::{check, game_of};
use crate::fuzzed::bodies::story::{STEP, Step, Story, Told};
use crate::harness::campaign;

/// Games that end soon, and some that take longer.
const VARIANTS: [&str; 4] = ["take:3:1", "take:9:4:misere", "nim:3-4-5", "nim:1-3-5-7:max=3:misere"];

/// The lobby and the model after the same steps.
struct Both {
    story: Story,
    model: Model,
    /// A replay of the events without the notices, as after a restart.
    replay: Lobby,
}

impl Both {
    fn begun(feed: &mut Feed<'_>) -> Self {
        let variant = feed.choice(&VARIANTS);
        let story = Story::begun(&[variant], feed);
        let model = Model::new(variant, story.setting.conditions, story.lobby.origin().cloned());
        let mut replay =
            Lobby::new(story.setting.code, story.setting.variant.clone(), story.setting.conditions);
        story.events.iter().for_each(|(at, event)| replay.apply(event, *at).unwrap());
        Self { story, model, replay }
    }

    /// Applies the same step to both.
    fn take(&mut self, step: Step) {
        let Self { story, model, .. } = self;
        match step {
            Step::Ask(who, request, lag) => {
                let at = Moment(story.now.0.saturating_sub(lag));
                let (before, answer) = (story.lobby.clone(), model.ask(who, &request, at));
                agree(&story.asks(who, request, at), &answer);
                assert!(answer.is_ok() || story.lobby == before, "a refused request changes nothing");
            }
            // As on a server whose timer fires exactly when something falls due.
            Step::Pass(until) => {
                let mut now = story.now;
                story.passes(until);
                while let Some((at, due)) = model.story().due().filter(|&(at, _)| at <= until) {
                    now = now.max(at);
                    model.fall_due(due, now).unwrap();
                }
            }
            Step::Stall(until) => story.now = until,
            Step::Restart => {
                story.happen(story.lobby.decide_restart());
                model.restart(story.now).unwrap();
            }
        }
    }

    /// Takes a step, and compares the events and the state of both.
    fn goes_on(&mut self, step: Step) {
        let (before, happened, sent) =
            (self.story.lobby.clone(), self.story.events.len(), self.story.told.len());
        self.take(step);
        let (Story { lobby, events, told, now, .. }, model) = (&self.story, &self.model);
        let entries: Vec<_> =
            model.entries[sent..].iter().map(|entry| (entry.at, entry.event.clone())).collect();
        assert_eq!(told[sent..], entries, "the lobby and its model differ");
        // A new client builds its own copy.
        let mut copy = Lobby::try_from(before.snapshot()).unwrap();
        for (at, event) in &entries {
            event.update(&mut copy, *at).unwrap();
        }
        assert_eq!(copy, *lobby, "all copies are equal");
        for (at, event) in &events[happened..] {
            self.replay.apply(event, *at).unwrap();
        }
        assert_eq!(game_of(&self.replay), game_of(lobby), "a replay needs no notices");
        compare(lobby, model, *now);
        check(lobby);
        check_hints(lobby, model);
        check_seats(&before, lobby, &events[happened..]);
    }
}

/// Compares the whole visible state of both at a time, and fails at the first line that differs.
fn compare(lobby: &Lobby, model: &Model, now: Moment) {
    let story = model.story();
    assert_eq!(lobby.phase(), story.phase());
    assert_eq!(*lobby.seats(), story.seats());
    for side in Side::BOTH {
        assert_eq!(lobby.gone(side).cloned(), story.gone(side), "{side:?}");
        assert_eq!(lobby.absence(side), story.absence(side), "{side:?}");
        assert_eq!(lobby.hand(side), story.hand(side), "{side:?}");
        assert_eq!(lobby.cover(side), story.cover(side), "{side:?}");
        let bits = Offer::ALL.iter().zip([1, 2, 4]);
        let offered: u8 =
            bits.filter(|(offer, _)| story.has_offered(side, **offer)).map(|(_, bit)| bit).sum();
        assert_eq!(lobby.snapshot().offers.made[side], offered, "{side:?}");
    }
    assert_eq!(lobby.open_seat(), story.open_seat());
    assert_eq!(lobby.bot_joins_at(), story.bot_joins_at());
    assert_eq!(lobby.watchers(), story.watchers());
    assert_eq!(lobby.stood_in_for().map(|player| player.0), story.stood_in_for());
    assert_eq!(lobby.has_people_here(), story.anyone_here());
    assert_eq!(lobby.to_move().map(|player| player.id.0), story.mover().map(|side| story.number(side)));
    assert_eq!(lobby.board().turn(), story.board_turn());
    assert_eq!((lobby.turn(), lobby.games()), (story.turn(), story.games()));
    assert_eq!(lobby.origin(), story.origin());
    assert_eq!(lobby.past().collect::<Vec<_>>(), story.past());
    assert_eq!(lobby.board().write_position(), story.table().written());
    assert_eq!(lobby.began(), story.began());
    assert_eq!(lobby.offer(), story.open_offer());
    assert_eq!(lobby.is_paused(), story.is_paused());
    assert_eq!((lobby.score(), lobby.decision()), (story.score(), story.decision()));
    assert_eq!(left(lobby, now), story.clocks(now).left);
    assert_eq!(lobby.absence_deadline(), story.absence_deadline());
    assert_eq!(lobby.due(), story.due());
    let events = model.entries.iter().filter(|entry| matches!(entry.event, Told::Event(_))).count();
    assert_eq!(lobby.last_event() as usize, events);
}

/// The time on each clock: only that of the side to move can run.
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

/// Both grant it, or the lobby's reason is among those of the model.
fn agree(lobby: &Result<(), Refusal>, model: &Answer) {
    match (lobby, model) {
        (Ok(()), Ok(())) => {}
        (Err(refusal), Err(reasons)) if reasons.iter().any(|reason| same(reason, refusal)) => {}
        _ => panic!("the lobby says {lobby:?}, the second one {model:?}"),
    }
}

/// Whether the reasons are equal; the game words that for an illegal move.
fn same(one: &Refusal, other: &Refusal) -> bool {
    one == other || matches!((one, other), (Refusal::Illegal(_), Refusal::Illegal(_)))
}

/// Both allow hints to the same people, or refuse for a valid reason.
fn check_hints(lobby: &Lobby, model: &Model) {
    let players = (0..6).map(PlayerId);
    let everybody = players.flat_map(|player| [Who::Player(player), Who::StandIn(player)]);
    for who in everybody.chain([Who::Watcher, Who::Newcomer]) {
        agree(&lobby.may_hint(who), &model.may_hint(who));
    }
}

/// A seat belongs to nobody else until its owner has left it, and changes sides only with a new game.
fn check_seats(before: &Lobby, after: &Lobby, told: &[(Moment, Event)]) {
    let swaps = told.iter().filter(|(_, event)| matches!(event, Event::Started { swap: true, .. })).count();
    for side in Side::BOTH {
        let left = told.iter().any(|(_, event)| matches!(event, Event::Left { side: it, .. } if *it == side));
        let Some(owner) = before.seats()[side].as_ref().filter(|_| !left) else { continue };
        let now = if swaps == 1 { !side } else { side };
        assert_eq!(after.seats()[now].as_ref(), Some(owner), "whose seat is it?");
    }
}

proptest! {
    #![proptest_config(campaign::cases(100))]
    #[test]
    fn the_lobby_agrees_with_its_model_after_every_step(steps in prop::collection::vec(any::<[u8; STEP]>(), 4..100)) {
        let mut feed = Feed::of(steps.as_flattened());
        let mut both = Both::begun(&mut feed);
        while !feed.is_empty() {
            both.goes_on(both.story.next(&mut feed));
        }
    }
}
