//! The lobby and a plain second one ([`super::model`]), asked the same by proptest's state machine: random
//! requests, losses, returns and clock steps. After every step both have told the same events, or refused for
//! a reason that holds, and show the same; and what must be true of every lobby is.
//!
//! `PROPTEST_CASES=20000 cargo test --release --test it lobby::machine` runs longer.
//! When the two differ, the steps are made fewer as long as they do, and then printed.

use std::time::Duration;

use nim::game::Side;
use nim::lobby::{
    Conditions, Event, Kind, Lobby, LobbyRequest, Moment, Offer, Origin, Phase, PlayerId, Refusal, Request,
    Who,
};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use super::model::{Answer, Model, Sticks, VARIANTS};
use super::steps::{Asker, Step, Wait, Wish, conditions, origin, step};
use super::view::View;
use crate::harness::campaign;

/// The second lobby, the time, and what came of the last step.
#[derive(Debug, Clone)]
pub(super) struct Twin {
    pub(super) model: Model,
    pub(super) now: Moment,
    last: Last,
}

/// The last step: what was asked if anything was, and what came of it.
#[derive(Debug, Clone)]
struct Last {
    asked: Option<(Who, Request, Moment)>,
    answer: Answer,
    /// The number of the last entry before it.
    before: usize,
}

impl Twin {
    fn new(sticks: Sticks, conditions: Conditions, origin: Option<Origin>) -> Self {
        let last = Last { asked: None, answer: Ok(()), before: 0 };
        Self { model: Model::new(sticks, conditions, origin), now: Moment::START, last }
    }

    /// What the last step brought about, and when.
    fn told(&self) -> Vec<(Moment, Event)> {
        self.model.entries[self.last.before..].iter().map(|entry| (entry.at, entry.event.clone())).collect()
    }

    /// Who asks, in the lobby as it is.
    fn who(&self, asker: Asker) -> Who {
        let story = self.model.story();
        let mover = story.board_turn();
        let player = |side: Side| Who::Player(PlayerId(story.number(side)));
        match asker {
            // Nobody speaks for those who watch while nobody does.
            Asker::Watcher if story.watchers() > 0 => Who::Watcher,
            Asker::Newcomer | Asker::Watcher => Who::Newcomer,
            Asker::Mover => player(mover),
            Asker::Other => player(!mover),
            Asker::Number(number) => Who::Player(PlayerId(number)),
            Asker::StandIn => Who::StandIn(PlayerId(story.number(mover))),
            Asker::StandInOf(number) => Who::StandIn(PlayerId(number)),
        }
    }

    /// What is asked for.
    fn request(&self, wish: &Wish) -> Request {
        let story = self.model.story();
        match wish {
            Wish::Play { nth, late } => {
                let moves = self.model.sticks.moves(&story.table().piles);
                let nothing = super::steps::take(0, 1);
                let mv = moves.get(usize::from(*nth) % moves.len().max(1)).copied().unwrap_or(nothing);
                Request::Ask(LobbyRequest::Play { turn: story.turn().saturating_sub(*late), mv })
            }
            Wish::PlayWildly(mv) => Request::Ask(LobbyRequest::Play { turn: story.turn(), mv: *mv }),
            Wish::Lose { loss, ago } => {
                Request::Lose { loss: *loss, since: Moment(self.now.0.saturating_sub(*ago)) }
            }
            Wish::Answer { accept, other, late } => {
                let open = story.open_offer().map_or(Offer::Draw, |open| open.offer);
                let (turn, offer) = (story.turn().saturating_sub(*late), other.unwrap_or(open));
                Request::Ask(LobbyRequest::Answer { turn, offer, accept: *accept })
            }
            Wish::Ask(request) => request.clone(),
        }
    }

    /// The moment until which is waited.
    fn until(&self, wait: Wait) -> Moment {
        let story = self.model.story();
        let (moment, more) = match wait {
            Wait::For(millis) => return self.now + Duration::from_millis(millis),
            Wait::ToDue(more) => (story.due().map(|(at, _)| at), more),
            Wait::ToEnd(more) => (story.runs_out().map(|(at, ..)| at), more),
        };
        Moment(moment.unwrap_or(self.now).0.saturating_add_signed(more)).max(self.now)
    }

    /// Lets time pass, as on a server whose timer fires at the very moment when something falls due.
    fn pass(&mut self, until: Moment) {
        while let Some((at, due)) = self.model.story().due().filter(|&(at, _)| at <= until) {
            self.now = self.now.max(at);
            self.model.fall_due(due, self.now).unwrap();
        }
        self.now = until;
    }
}

impl ReferenceStateMachine for Twin {
    type State = Self;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Self> {
        (proptest::sample::select(VARIANTS.as_slice()), conditions())
            .prop_flat_map(|(sticks, conditions)| (Just(sticks), Just(conditions), origin(sticks)))
            .prop_map(|(sticks, conditions, origin)| Self::new(sticks, conditions, origin))
            .boxed()
    }

    fn transitions(state: &Self) -> BoxedStrategy<Step> {
        step(state.model.story())
    }

    fn apply(mut twin: Self, step: &Step) -> Self {
        twin.last = Last { asked: None, answer: Ok(()), before: twin.model.entries.len() };
        match step {
            Step::Ask { asker, wish, lag } => {
                let (who, request) = (twin.who(*asker), twin.request(wish));
                let at = Moment(twin.now.0.saturating_sub(*lag));
                twin.last.answer = twin.model.ask(who, &request, at);
                twin.last.asked = Some((who, request, at));
            }
            Step::Pass(wait) => twin.pass(twin.until(*wait)),
            Step::Stall(wait) => twin.now = twin.until(*wait),
            Step::Restart => twin.last.answer = twin.model.restart(twin.now),
        }
        twin
    }
}

/// The lobby, and what has been seen of it.
pub(super) struct Subject {
    lobby: Lobby,
    now: Moment,
    /// The last turn in which a move was made or taken back.
    turn: u32,
    started: u32,
    ended: u32,
}

impl Subject {
    fn happen(&mut self, events: &[Event], at: Moment) {
        // A new client has a copy of its own.
        let mut copy = Lobby::try_from(self.lobby.snapshot()).unwrap();
        for event in events {
            self.look_at(event);
            assert_eq!(self.lobby.apply(event, at), Ok(()), "what is decided can happen: {event:?}");
            assert_eq!(copy.apply(event, at), Ok(()), "and in every copy: {event:?}");
        }
        assert_eq!(copy, self.lobby, "every copy agrees");
        assert_eq!(self.started > self.ended, self.lobby.phase() == Phase::Playing, "each game ends");
    }

    /// Turn numbers never come back, and a game ends once.
    fn look_at(&mut self, event: &Event) {
        match event {
            Event::Moved { turn, .. } => {
                assert!(*turn > self.turn, "a turn's number comes back");
                self.turn = *turn;
            }
            Event::Started { .. } => self.started += 1,
            Event::Ended { .. } => self.ended += 1,
            _ => {}
        }
        assert!((self.ended..=self.ended + 1).contains(&self.started), "a game ends once: {event:?}");
    }

    /// Asks the lobby, and answers with what happened.
    fn ask(&mut self, asked: &(Who, Request, Moment), answer: &Answer) -> Vec<(Moment, Event)> {
        let (who, request, at) = asked;
        let before = self.lobby.clone();
        match (self.lobby.decide(*who, request.clone(), *at), answer) {
            (Ok(events), Ok(())) => {
                self.happen(&events, *at);
                events.into_iter().map(|event| (*at, event)).collect()
            }
            (Err(refusal), Err(reasons)) => {
                assert!(
                    reasons.iter().any(|reason| same(reason, &refusal)),
                    "{refusal:?} is none of {reasons:?}"
                );
                assert_eq!(self.lobby, before, "a refused request changes nothing");
                Vec::new()
            }
            (answer, twin) => panic!("asked {asked:?}, the lobby says {answer:?}, the second one {twin:?}"),
        }
    }

    /// The server is back, and the lobby with it.
    fn restart(&mut self) -> Vec<(Moment, Event)> {
        let events = self.lobby.decide_restart();
        self.happen(&events, self.now);
        events.into_iter().map(|event| (self.now, event)).collect()
    }

    /// Makes happen what falls due, each thing once, and answers with it.
    fn pass(&mut self, until: Moment) -> Vec<(Moment, Event)> {
        let mut told = Vec::new();
        while let Some((at, _)) = self.lobby.due().filter(|&(at, _)| at <= until) {
            self.now = self.now.max(at);
            let events = self.lobby.decide_due(self.now);
            assert!(!events.is_empty(), "what is due happens");
            self.happen(&events, self.now);
            told.extend(events.into_iter().map(|event| (self.now, event)));
        }
        told
    }
}

/// Whether it is the same reason; the words for an illegal move are the game's.
fn same(one: &Refusal, other: &Refusal) -> bool {
    one == other || matches!((one, other), (Refusal::Illegal(_), Refusal::Illegal(_)))
}

/// The same people may have hints in both, or may not for a reason that holds.
fn check_hints(lobby: &Lobby, model: &Model) {
    let players = (0..6).map(PlayerId);
    let everybody = players.flat_map(|player| [Who::Player(player), Who::StandIn(player)]);
    for who in everybody.chain([Who::Watcher, Who::Newcomer]) {
        match (lobby.may_hint(who), model.may_hint(who)) {
            (Ok(()), Ok(())) => {}
            (Err(refusal), Err(reasons)) => {
                assert!(reasons.contains(&refusal), "{who:?}: {refusal:?} is none of {reasons:?}");
            }
            (lobby, twin) => panic!("{who:?} has a hint: the lobby says {lobby:?}, the second one {twin:?}"),
        }
    }
}

/// A seat is nobody else's until its owner has left it, and changes sides only with a new game.
fn check_seats(before: &Lobby, after: &Lobby, told: &[(Moment, Event)]) {
    let swaps = told.iter().filter(|(_, event)| matches!(event, Event::Started { swap: true, .. })).count();
    for side in Side::BOTH {
        let left = told.iter().any(|(_, event)| matches!(event, Event::Left { side: it, .. } if *it == side));
        let Some(owner) = before.seats()[side].as_ref().filter(|_| !left) else { continue };
        let now = if swaps == 1 { !side } else { side };
        assert_eq!(after.seats()[now].as_ref(), Some(owner), "whose seat is it?");
    }
}

/// Bots are neither here nor away: only people are.
fn check_people(lobby: &Lobby) {
    let people = |side: &Side| lobby.seats()[*side].as_ref().is_some_and(|it| it.kind == Kind::Person);
    let here = Side::BOTH.iter().filter(|side| people(side) && lobby.absence(**side).is_none()).count();
    assert_eq!(lobby.has_people_here(), here > 0, "bots do not count as people");
    assert!(Side::BOTH.iter().all(|side| people(side) || lobby.absence(*side).is_none()), "a bot is away");
}

/// An absent player's time stands on the opponent's turn, while the game rests, and while nobody is there.
fn check_absence(lobby: &Lobby) {
    let Some((_, side, _)) = lobby.runs_out() else { return };
    assert!(lobby.absence(side).is_some() && lobby.board().turn() == side, "not their turn");
    assert!(lobby.is_here(!side) && !lobby.is_paused(), "nobody waits for them now");
}

struct Both;

impl StateMachineTest for Both {
    type SystemUnderTest = Subject;
    type Reference = Twin;

    fn init_test(twin: &Twin) -> Subject {
        let variant = twin.model.sticks.text.parse().unwrap();
        let mut lobby = Lobby::new("brave-otter".parse().unwrap(), variant, twin.model.conditions);
        for (at, placed) in twin.told() {
            lobby.apply(&placed, at).unwrap();
        }
        Subject { lobby, now: Moment::START, turn: 0, started: 0, ended: 0 }
    }

    fn apply(mut subject: Subject, twin: &Twin, step: Step) -> Subject {
        let before = subject.lobby.clone();
        let told = match &twin.last.asked {
            Some(asked) => subject.ask(asked, &twin.last.answer),
            None if matches!(step, Step::Pass(_)) => subject.pass(twin.now),
            None if matches!(step, Step::Restart) => subject.restart(),
            None => Vec::new(),
        };
        subject.now = twin.now;
        assert_eq!(told, twin.told(), "the lobby tells this, and the second one that");
        check_seats(&before, &subject.lobby, &told);
        subject
    }

    fn check_invariants(subject: &Subject, twin: &Twin) {
        let lobby = &subject.lobby;
        assert_eq!(View::of(lobby, twin.now), View::of_model(&twin.model, twin.now));
        assert_eq!(Lobby::try_from(lobby.snapshot()).as_ref(), Ok(lobby), "it comes back from its snapshot");
        check_hints(lobby, &twin.model);
        check_people(lobby);
        check_absence(lobby);
    }
}

prop_state_machine! {
    #![proptest_config(campaign::cases(40))]
    #[test]
    fn a_plain_second_lobby_agrees_after_every_step(sequential 1..80 => Both);
}
