//! The lobby as a state machine: what holds after any requests whatever, and what a lie cannot do.

/// What it says when it is asked.
mod asked;
/// What the second lobby has found.
mod found;
/// What cannot have happened, and is not believed.
mod lies;
/// The lobby and a plain second one, asked the same.
mod machine;
/// The second lobby.
mod model;
/// What is asked of both.
mod steps;
/// What is seen of both.
mod view;

use nim::game::any::{Move, Variant};
use nim::game::nim::Take;
use nim::game::{BySide, Game, Outcome, Side};
use nim::lobby::{
    Absence, AwayRule, Cause, Checksum, ClockRule, Clocks, Code, Conditions, Cover, Departure, Event,
    GameResult, Hand, Kind, Level, List, Lobby, LobbyRequest, Loss, MatchScore, Moment, Name, Offer, Offers,
    OpenOffer, Origin, Past, Phase, Player, PlayerId, Request, Snapshot, Text, WhenAway, Who,
};
use proptest::prelude::*;

use crate::harness::campaign;

/// One thing that somebody tries.
#[derive(Debug, Clone)]
enum Step {
    /// A newcomer wants the seat.
    Sit(Kind),
    /// The player to move makes the legal move of this number, counted round.
    PlayWell(u16),
    /// Somebody asks for something, sensible or not.
    Ask(u32, Request),
    /// The stand-in makes the legal move of this number for the player to move.
    StandIn(u16),
    /// This many milliseconds pass.
    Pass(u64),
    /// The player who is asked answers the open offer.
    Answer(bool),
    /// Somebody comes to watch.
    Watch,
    /// A watcher asks for something.
    Watcher(Request),
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![3 => Just(Kind::Person), 1 => Just(Kind::Bot)]
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::First), Just(Side::Second)]
}

fn any_move() -> impl Strategy<Value = Move> {
    (0..4u8, prop_oneof![4 => 0..5u64, 1 => any::<u64>()])
        .prop_map(|(pile, count)| Move::Nim(Take { pile, count }))
}

fn departure() -> impl Strategy<Value = Departure> {
    prop_oneof![Just(Departure::Quit), Just(Departure::Lost)]
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        1 => kind().prop_map(|kind| Request::Sit { name: name(), kind }),
        3 => (0..12u32, any_move()).prop_map(|(turn, mv)| Request::Ask(LobbyRequest::Play { turn, mv })),
        1 => Just(Request::Ask(LobbyRequest::Resign)),
        6 => Just(Request::Ask(LobbyRequest::Again)),
        1 => departure().prop_map(Request::Leave),
        4 => (loss(), moment()).prop_map(|(loss, since)| Request::Lose { loss, since }),
        2 => Just(Request::Return),
        1 => Just(Request::Ask(LobbyRequest::Wait)),
        1 => Just(Request::Ask(LobbyRequest::WaitNoMore)),
        1 => Just(Request::Ask(LobbyRequest::Claim)),
        4 => offer().prop_map(|offer| Request::Ask(LobbyRequest::Offer(offer))),
        4 => (0..12u32, offer(), any::<bool>()).prop_map(|(turn, offer, accept)| Request::Ask(LobbyRequest::Answer { turn, offer, accept })),
        1 => Just(Request::Ask(LobbyRequest::Resume)),
        1 => Just(Request::Ask(LobbyRequest::Leave)),
        1 => Just(Request::Watch { name: name() }),
        1 => unwatch(),
    ]
}

fn offer() -> impl Strategy<Value = Offer> {
    proptest::sample::select(Offer::ALL.as_slice())
}

fn clock() -> impl Strategy<Value = ClockRule> {
    prop_oneof![
        3 => Just(ClockRule::None),
        1 => Just(ClockRule::Move(30_000)),
        1 => Just(ClockRule::Fischer { base: 60_000, bonus: 2_000 }),
        1 => Just(ClockRule::Delay { base: 60_000, delay: 5_000 }),
    ]
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![Just(Loss::Closed), Just(Loss::Silent)]
}

fn moment() -> impl Strategy<Value = Moment> {
    prop_oneof![8 => 0..100_000u64, 1 => Just(u64::MAX), 1 => any::<u64>()].prop_map(Moment)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => kind().prop_map(Step::Sit),
        12 => any::<u16>().prop_map(Step::PlayWell),
        6 => (0..6u32, request()).prop_map(|(player, request)| Step::Ask(player, request)),
        3 => any::<u16>().prop_map(Step::StandIn),
        3 => (0..60_000u64).prop_map(Step::Pass),
        4 => any::<bool>().prop_map(Step::Answer),
        1 => Just(Step::Watch),
        2 => watchers_request().prop_map(Step::Watcher),
    ]
}

fn watchers_request() -> impl Strategy<Value = Request> {
    prop_oneof![3 => unwatch(), 1 => Just(Request::Ask(LobbyRequest::Again)), 1 => request()]
}

fn unwatch() -> impl Strategy<Value = Request> {
    departure().prop_map(|how| Request::Unwatch { name: name(), how })
}

fn variant() -> impl Strategy<Value = Variant> {
    prop_oneof![Just("take:4:2"), Just("nim:1-2:misere"), Just("zero-sum:5"), Just("one-two-ten")]
        .prop_map(|text| text.parse().unwrap())
}

fn conditions() -> impl Strategy<Value = Conditions> {
    let then =
        prop_oneof![1 => Just(WhenAway::Wait), 3 => Just(WhenAway::StandIn), 1 => Just(WhenAway::Forfeit)];
    let level = proptest::sample::select(Level::ALL.as_slice());
    (side(), level, then, clock(), 0..4u8).prop_map(|(opener, level, then, clock, best_of)| Conditions {
        opener,
        level,
        away: AwayRule { then, ..AwayRule::default() },
        clock,
        best_of,
        watchers: 2,
        ..Conditions::default()
    })
}

fn name() -> Name {
    Name::clean("anna").unwrap()
}

fn code() -> Code {
    "brave-otter".parse().unwrap()
}

/// Who asks what, in this lobby now. As on a server, a bot comes only to people.
fn who_asks(lobby: &Lobby, step: &Step) -> Option<(Who, Request)> {
    let asked = asked(lobby, step)?;
    let bot_comes = matches!(&asked, (Who::Newcomer, Request::Sit { kind: Kind::Bot, .. }));
    (lobby.has_people_here() || !bot_comes).then_some(asked)
}

fn asked(lobby: &Lobby, step: &Step) -> Option<(Who, Request)> {
    match step {
        Step::Sit(kind) => Some((Who::Newcomer, Request::Sit { name: name(), kind: *kind })),
        Step::Ask(0, request) => Some((Who::Newcomer, request.clone())),
        Step::Ask(player, request) => Some((Who::Player(PlayerId(*player)), request.clone())),
        Step::PlayWell(number) => Some((Who::Player(lobby.to_move()?.id), some_move(lobby, *number))),
        Step::StandIn(number) => Some((Who::StandIn(lobby.to_move()?.id), some_move(lobby, *number))),
        Step::Answer(accept) => {
            let (open, turn) = (lobby.offer()?, lobby.turn());
            let player = lobby.seats()[!open.side].as_ref()?.id;
            Some((
                Who::Player(player),
                Request::Ask(LobbyRequest::Answer { turn, offer: open.offer, accept: *accept }),
            ))
        }
        Step::Watch => Some((Who::Newcomer, Request::Watch { name: name() })),
        // Nobody speaks for those who watch while nobody does.
        Step::Watcher(request) => (lobby.watchers() > 0).then(|| (Who::Watcher, request.clone())),
        Step::Pass(_) => None,
    }
}

fn some_move(lobby: &Lobby, number: u16) -> Request {
    let moves: Vec<Move> = lobby.board().position().moves().collect();
    // A game whose last move was made is over, so there is one.
    Request::Ask(LobbyRequest::Play { turn: lobby.turn(), mv: moves[usize::from(number) % moves.len()] })
}

fn has_person(lobby: &Lobby) -> bool {
    lobby.seats().iter().any(|(_, seat)| seat.as_ref().is_some_and(|player| player.kind == Kind::Person))
}

/// What is true of every lobby between two requests.
fn check(lobby: &Lobby) {
    let both = lobby.seats().iter().all(|(_, seat)| seat.is_some());
    match lobby.phase() {
        Phase::Waiting => {
            let away = has_person(lobby) && !lobby.has_people_here();
            assert!(!both && lobby.open_seat().is_none() == away);
        }
        Phase::Playing => assert!(both && lobby.board().finish().is_none() && lobby.to_move().is_some()),
        Phase::Over { result, again } => {
            assert!(has_person(lobby) && !(again.first && again.second));
            if result.cause == Cause::Rules {
                assert_eq!(lobby.board().finish().map(|finish| finish.outcome), Some(result.outcome));
            }
        }
        Phase::Closed => assert!(!lobby.has_people_here() && lobby.open_seat().is_none()),
    }
    check_absences(lobby);
    assert_eq!(Lobby::try_from(lobby.snapshot()).as_ref(), Ok(lobby), "it comes back from its snapshot");
}

/// Invariants about absent players.
fn check_absences(lobby: &Lobby) {
    for side in Side::BOTH {
        let person = lobby.seats()[side].as_ref().is_some_and(|player| player.kind == Kind::Person);
        assert!(lobby.absence(side).is_none() || person, "only people can be away");
        let covered = lobby.absence(side).is_some_and(|absence| absence.cover != Cover::Agreed);
        assert!(!covered || lobby.phase() == Phase::Playing);
    }
    if let Some((_, side, _)) = lobby.runs_out() {
        assert!(lobby.absence(side).is_some() && lobby.is_here(!side), "time runs only where somebody waits");
        assert_eq!(lobby.board().turn(), side, "an absent player's time runs on their own turn");
    }
    let kept = Side::BOTH.into_iter().any(|side| lobby.absence(side).is_some());
    let stands_still = kept && !lobby.has_people_here() && lobby.phase() != Phase::Closed;
    assert!(!stands_still || lobby.due().is_some(), "a lobby that nobody comes back to is freed");
}

/// Makes events happen in a lobby and all its copies.
fn happen(lobby: &mut Lobby, copies: &mut [Lobby], events: &[Event], now: Moment) {
    for event in events {
        assert_eq!(lobby.apply(event, now), Ok(()), "what is decided can happen: {event:?}");
        for copy in &mut *copies {
            assert_eq!(copy.apply(event, now), Ok(()));
        }
    }
}

/// Lets time pass as a server does: what falls due happens in its order, each thing once.
fn pass(lobby: &mut Lobby, copies: &mut [Lobby], now: Moment) {
    while lobby.due().is_some_and(|(at, _)| at <= now) {
        let events = lobby.decide_due(now);
        assert!(!events.is_empty(), "what is due happens");
        happen(lobby, copies, &events, now);
    }
    assert!(lobby.decide_due(now).is_empty());
}

proptest! {
    #![proptest_config(campaign::cases(60))]
    #[test]
    fn whatever_is_asked_the_lobby_stays_whole_and_every_copy_agrees(
        variant in variant(), conditions in conditions(), steps in prop::collection::vec(step(), 1..80),
    ) {
        let (mut lobby, mut now) = (Lobby::new(code(), variant, conditions), Moment::START);
        let mut copies = Vec::new();
        for step in steps {
            check(&lobby);
            // A copy is begun at every moment, as for a client that comes then.
            copies.push(Lobby::try_from(lobby.snapshot()).unwrap());
            if let Step::Pass(millis) = step {
                now = now + std::time::Duration::from_millis(millis);
                pass(&mut lobby, &mut copies, now);
                continue;
            }
            let Some((who, request)) = who_asks(&lobby, &step) else { continue };
            let before = lobby.clone();
            let may_be_so = matches!(request, Request::Return | Request::Lose { .. });
            let Ok(events) = lobby.decide(who, request, now) else {
                prop_assert_eq!(&lobby, &before);
                continue;
            };
            prop_assert!(may_be_so || !events.is_empty(), "every request is answered");
            happen(&mut lobby, &mut copies, &events, now);
            prop_assert_eq!(lobby.last_event() as usize, before.last_event() as usize + events.len());
            for copy in &copies {
                prop_assert_eq!(copy, &lobby);
            }
        }
    }

    #[test]
    fn a_refused_event_changes_nothing_and_none_is_a_reason_to_panic(
        steps in prop::collection::vec(step(), 0..20), lies in prop::collection::vec(event(), 1..60),
        variant in variant(), conditions in conditions(),
    ) {
        let mut lobby = Lobby::new(code(), variant, conditions);
        for step in steps {
            let Some((who, request)) = who_asks(&lobby, &step) else { continue };
            for event in lobby.decide(who, request, Moment::START).unwrap_or_default() {
                lobby.apply(&event, Moment::START).unwrap();
            }
        }
        for lie in lies {
            let before = lobby.clone();
            if lobby.apply(&lie, Moment::START).is_err() {
                prop_assert_eq!(&lobby, &before, "{:?}", lie);
            }
            bear(&lobby);
        }
    }

    #[test]
    fn a_snapshot_that_lies_is_refused_or_borne(
        snapshot in snapshot(), lies in prop::collection::vec(event(), 0..20),
    ) {
        let Ok(mut lobby) = Lobby::try_from(snapshot) else { return Ok(()) };
        bear(&lobby);
        for lie in lies {
            // Whether it can have happened is not the point here.
            let _ = lobby.apply(&lie, Moment::START);
            bear(&lobby);
        }
    }
}

/// Everything that a client asks of a lobby, also of one that cannot be.
fn bear(lobby: &Lobby) {
    let _ = (lobby.to_move(), lobby.open_seat(), lobby.has_people_here(), lobby.snapshot());
    let _ = (lobby.due(), lobby.runs_out(), lobby.stood_in_for(), lobby.decide_due(Moment(u64::MAX)));
    let _ = (lobby.board().draw(), lobby.board().prompt(), lobby.board().finish());
    for player in (0..4).map(PlayerId) {
        let _ = lobby.may_hint(Who::Player(player));
        let mv = Move::Nim(Take { pile: 0, count: 1 });
        for request in [
            Request::Ask(LobbyRequest::Play { turn: lobby.turn(), mv }),
            Request::Ask(LobbyRequest::Again),
            Request::Ask(LobbyRequest::Claim),
            Request::Ask(LobbyRequest::Offer(Offer::Takeback)),
            Request::Ask(LobbyRequest::Answer { turn: lobby.turn(), offer: Offer::Draw, accept: true }),
            Request::Leave(Departure::Quit),
        ] {
            let _ = lobby.decide(Who::Player(player), request, Moment::START);
        }
    }
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..5u32, 1 => Just(u32::MAX), 1 => any::<u32>()]
}

fn player() -> impl Strategy<Value = Player> {
    (number(), kind()).prop_map(|(id, kind)| Player { id: PlayerId(id), name: name(), kind })
}

fn result() -> impl Strategy<Value = GameResult> {
    let outcome = prop_oneof![side().prop_map(Outcome::Win), Just(Outcome::Draw)];
    let cause = prop_oneof![Just(Cause::Rules), Just(Cause::Resigned), Just(Cause::Left)];
    (outcome, cause).prop_map(|(outcome, cause)| GameResult { outcome, cause })
}

fn hand() -> impl Strategy<Value = Hand> {
    prop_oneof![4 => Just(Hand::Own), 1 => Just(Hand::StandIn)]
}

fn absence() -> impl Strategy<Value = Option<Absence>> {
    let cover = prop_oneof![Just(Cover::Agreed), Just(Cover::Waited), Just(Cover::StandIn)];
    let absence = (moment(), loss(), cover).prop_map(|(since, loss, cover)| Absence { since, loss, cover });
    prop_oneof![3 => Just(None), 1 => absence.prop_map(Some)]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (side(), player()).prop_map(|(side, player)| Event::Sat { side, player }),
        3 => (number(), any::<bool>()).prop_map(|(game, swap)| Event::Started { game, swap }),
        6 => (number(), number(), any_move(), hand())
            .prop_map(|(turn, player, mv, hand)| Event::Moved { turn, player: PlayerId(player), mv, hand }),
        3 => (side(), moment(), loss()).prop_map(|(side, since, loss)| Event::Away { side, since, loss }),
        2 => side().prop_map(|side| Event::Back { side }),
        2 => side().prop_map(|side| Event::StoodIn { side }),
        1 => side().prop_map(|side| Event::WaitedFor { side }),
        1 => side().prop_map(|side| Event::WaitedNoMore { side }),
        2 => (side(), offer()).prop_map(|(side, offer)| Event::Offered { side, offer }),
        1 => side().prop_map(|side| Event::Declined { side }),
        1 => (0..4u8).prop_map(|moves| Event::TakenBack { moves }),
        1 => Just(Event::Paused),
        1 => side().prop_map(|side| Event::Resumed { side }),
        1 => Just(Event::Watched { name: name() }),
        1 => Just(Event::Unwatched { name: name() }),
        2 => result().prop_map(|result| Event::Ended { result }),
        3 => side().prop_map(|side| Event::AgainWanted { side }),
        1 => (side(), departure()).prop_map(|(side, how)| Event::Left { side, how }),
        1 => Just(Event::Closed),
        1 => Just(Event::Restarted),
        1 => origin().prop_map(|origin| Event::Placed { origin }),
    ]
}

fn past() -> impl Strategy<Value = Past> {
    (any_move(), hand()).prop_map(|(mv, hand)| Past { mv, hand })
}

fn clocks() -> impl Strategy<Value = Clocks> {
    (number(), number(), number(), prop::option::of(moment()))
        .prop_map(|(first, second, free, since)| Clocks { left: BySide { first, second }, free, since })
}

fn offers() -> impl Strategy<Value = Offers> {
    let open = prop::option::of((side(), offer()).prop_map(|(side, offer)| OpenOffer { side, offer }));
    (open, any::<u8>(), any::<u8>())
        .prop_map(|(open, first, second)| Offers { open, made: BySide { first, second } })
}

fn score() -> impl Strategy<Value = MatchScore> {
    (number(), number(), number())
        .prop_map(|(first, second, drawn)| MatchScore { won: BySide { first, second }, drawn })
}

fn origin() -> impl Strategy<Value = Origin> {
    let position = prop_oneof![Just("2 first"), Just("1 second"), Just("0 second"), Just("x")];
    (number(), number(), position).prop_map(|(record, moves, position)| Origin {
        record: Checksum(record),
        moves,
        position: Text::cut(position),
    })
}

type Rest = (Vec<Past>, Clocks, Offers, bool, MatchScore, u32, Option<Origin>);

fn rest_of_a_snapshot() -> impl Strategy<Value = Rest> {
    let origin = prop::option::weighted(0.2, origin());
    (prop::collection::vec(past(), 0..4), clocks(), offers(), any::<bool>(), score(), number(), origin)
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let phase = prop_oneof![
        Just(Phase::Waiting),
        Just(Phase::Playing),
        Just(Phase::Closed),
        (result(), any::<bool>(), any::<bool>())
            .prop_map(|(result, first, second)| Phase::Over { result, again: BySide { first, second } }),
    ];
    let seats = (prop::option::of(player()), prop::option::of(player()));
    let gone = (prop::option::weighted(0.2, player()), prop::option::weighted(0.2, player()));
    let position =
        prop_oneof![Just("2 first"), Just("0 second"), Just("0"), Just("1-1 first"), Just("x"), Just("")];
    let absences = (absence(), absence(), moment());
    let numbers = (number(), number(), number(), number());
    let seats = (seats, gone);
    (variant(), conditions(), phase, seats, absences, position, numbers, rest_of_a_snapshot()).prop_map(
        |(
            variant,
            conditions,
            phase,
            ((first, second), (first_gone, second_gone)),
            (one, two, began),
            position,
            (games, turn, next, events),
            (past, clocks, offers, paused, score, watchers, origin),
        )| Snapshot {
            code: code(),
            variant: Text::cut(&variant.text()),
            conditions,
            origin,
            seats: BySide { first, second },
            gone: BySide { first: first_gone, second: second_gone },
            absences: BySide { first: one, second: two },
            phase,
            began,
            base: Text::cut(position),
            past: List::first_of(past),
            clocks,
            offers,
            paused,
            score,
            watchers,
            games,
            turn,
            next_player: PlayerId(next),
            events,
        },
    )
}
