//! What can happen next to both lobbies: who asks for what, and how time goes by. Steps name no player and no
//! turn by number where they can help it, so that they still mean something when those before them are left
//! out.

use nim::game::Side;
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{
    AwayRule, BotRule, Checksum, ClockRule, Conditions, Departure, Hints, Kind, LobbyRequest, Loss, Name,
    Offer, Origin, Phase, Request, Text, WhenAway,
};
use proptest::prelude::*;

use super::model::{Sticks, Story};

/// One thing that happens.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Somebody asks for something, by a frame that had arrived this many milliseconds ago.
    Ask { asker: Asker, wish: Wish, lag: u64 },
    /// Time passes, and what falls due happens.
    Pass(Wait),
    /// Time passes, and the server is too busy to see what falls due.
    Stall(Wait),
    /// The server was away, and is back.
    Restart,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Asker {
    Newcomer,
    Watcher,
    /// The player on the side to move.
    Mover,
    Other,
    /// The player of this number, who may have left, or not have come.
    Number(u32),
    /// The one of the mover.
    StandIn,
    StandInOf(u32),
}

#[derive(Debug, Clone)]
pub(super) enum Wish {
    /// The legal move of this place, counted round, for this many turns before the present one.
    Play {
        nth: u8,
        late: u32,
    },
    PlayWildly(Move),
    /// To lose the connection, this many milliseconds ago.
    Lose {
        loss: Loss,
        ago: u64,
    },
    /// To answer what is open; or another offer, or one of this many turns before.
    Answer {
        accept: bool,
        other: Option<Offer>,
        late: u32,
    },
    Ask(Request),
}

/// How long.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wait {
    For(u64),
    /// Until what is due next, and this many milliseconds more or less.
    ToDue(i64),
    /// Until the time of the absent player has run out, and this many milliseconds more or less.
    ToEnd(i64),
}

pub(super) fn name() -> Name {
    Name::clean("anna").unwrap()
}

pub(super) fn take(pile: u8, count: u64) -> Move {
    Move::Nim(Take { pile, count })
}

/// Conditions with short times, so that all of them run out.
pub(super) fn conditions() -> impl Strategy<Value = Conditions> {
    let opener = proptest::sample::select(Side::BOTH.as_slice());
    (opener, away(), clock(), 0..4u8, 0..3u16, bot(), hints()).prop_map(
        |(opener, away, clock, best_of, watchers, bot, hints)| Conditions {
            opener,
            away,
            clock,
            best_of,
            watchers,
            bot,
            hints,
            ..Conditions::default()
        },
    )
}

fn bot() -> impl Strategy<Value = BotRule> {
    prop_oneof![Just(BotRule::Never), (0..3_000u32).prop_map(BotRule::After), Just(BotRule::Both)]
}

fn hints() -> impl Strategy<Value = Hints> {
    let all = [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers];
    proptest::sample::select(all.to_vec())
}

/// The position of a game that has gone so far, and is not over.
pub(super) fn origin(sticks: Sticks) -> impl Strategy<Value = Option<Origin>> {
    proptest::option::weighted(0.3, proptest::collection::vec(any::<u8>(), 0..3)).prop_map(move |choices| {
        let mut table = sticks.start();
        let mut count = 0;
        for choice in choices? {
            let moves = sticks.moves(&table.piles);
            let next = table.clone().after([moves[usize::from(choice) % moves.len()]]);
            if sticks.moves(&next.piles).is_empty() {
                break;
            }
            (table, count) = (next, count + 1);
        }
        Some(Origin { record: Checksum(7), moves: count, position: Text::cut(&table.written()) })
    })
}

fn away() -> impl Strategy<Value = AwayRule> {
    let then =
        prop_oneof![1 => Just(WhenAway::Wait), 3 => Just(WhenAway::StandIn), 2 => Just(WhenAway::Forfeit)];
    let times = (0..1_500u32, 0..3_000u32, 0..6_000u32, 0..9_000u32);
    (then, times).prop_map(|(then, (closed_after, silent_after, kept_for, rests_for))| AwayRule {
        then,
        closed_after,
        silent_after,
        kept_for,
        rests_for,
    })
}

fn clock() -> impl Strategy<Value = ClockRule> {
    prop_oneof![
        2 => Just(ClockRule::None),
        1 => (0..6_000u32).prop_map(ClockRule::Move),
        1 => (0..9_000u32, 0..500u32).prop_map(|(base, bonus)| ClockRule::Fischer { base, bonus }),
        1 => (0..8_000u32, 0..800u32).prop_map(|(base, delay)| ClockRule::Delay { base, delay }),
    ]
}

/// What may happen next, what fits the story more often.
pub(super) fn step(story: Story<'_>) -> BoxedStrategy<Step> {
    let often = |fits: bool, weight: u32| if fits { weight } else { 1 };
    let phase = story.phase();
    let somebody_away = Side::BOTH.into_iter().any(|side| story.absence(side).is_some());
    prop_oneof![
        often(phase == Phase::Waiting, 40) => ask(Just(Asker::Newcomer), sit()),
        often(matches!(phase, Phase::Over { .. }), 40) => ask(player(), request(Request::Ask(LobbyRequest::Again))),
        often(phase == Phase::Playing, 20) => ask(Just(Asker::Mover), good_move()),
        3 => ask(asker(), good_move()),
        4 => ask(asker(), any_request()),
        often(phase == Phase::Playing, 8) => ask(player(), loss()),
        often(somebody_away, 6) => ask(player(), request(Request::Return)),
        often(story.runs_out().is_some(), 6) => ask(player(), request(Request::Ask(LobbyRequest::Wait))),
        often(story.is_waited_for(), 20) => ask(player(), request(Request::Ask(LobbyRequest::WaitNoMore))),
        often(story.is_waited_for(), 6) => ask(player(), request(Request::Ask(LobbyRequest::Claim))),
        often(story.runs_out().is_some(), 10) => ask(player(), request(Request::Ask(LobbyRequest::Claim))),
        often(story.runs_out().is_some(), 20) => to_the_end().prop_map(Step::Pass),
        often(story.stood_in_for().is_some(), 30) => ask(Just(Asker::StandIn), good_move()),
        often(phase == Phase::Playing, 8) => ask(player(), offer()),
        often(story.open_offer().is_some(), 25) => ask(player(), answer()),
        often(story.is_paused(), 8) => ask(player(), request(Request::Ask(LobbyRequest::Resume))),
        1 => ask(player(), prop_oneof![request(Request::Ask(LobbyRequest::Resign)), leave()]),
        2 => ask(prop_oneof![Just(Asker::Newcomer), Just(Asker::Watcher)], watching()),
        6 => wait().prop_map(Step::Pass),
        1 => wait().prop_map(Step::Stall),
        1 => Just(Step::Restart),
    ]
    .boxed()
}

fn ask(
    asker: impl Strategy<Value = Asker> + 'static,
    wish: impl Strategy<Value = Wish> + 'static,
) -> BoxedStrategy<Step> {
    let lag = prop_oneof![6 => Just(0), 1 => 0..400u64];
    (asker, wish, lag).prop_map(|(asker, wish, lag)| Step::Ask { asker, wish, lag }).boxed()
}

fn request(request: Request) -> impl Strategy<Value = Wish> {
    Just(Wish::Ask(request))
}

fn player() -> impl Strategy<Value = Asker> {
    prop_oneof![Just(Asker::Mover), Just(Asker::Other)]
}

fn asker() -> impl Strategy<Value = Asker> {
    prop_oneof![
        2 => player(),
        1 => Just(Asker::Newcomer),
        1 => Just(Asker::Watcher),
        1 => (0..6u32).prop_map(Asker::Number),
        1 => Just(Asker::StandIn),
        1 => (0..6u32).prop_map(Asker::StandInOf),
    ]
}

fn sit() -> impl Strategy<Value = Wish> {
    let kind = prop_oneof![2 => Just(Kind::Person), 1 => Just(Kind::Bot)];
    kind.prop_map(|kind| Wish::Ask(Request::Sit { name: name(), kind }))
}

fn good_move() -> impl Strategy<Value = Wish> {
    (any::<u8>(), prop_oneof![6 => Just(0u32), 1 => 0..3u32]).prop_map(|(nth, late)| Wish::Play { nth, late })
}

fn loss() -> impl Strategy<Value = Wish> {
    let loss = prop_oneof![Just(Loss::Closed), Just(Loss::Silent)];
    (loss, prop_oneof![Just(0), 0..3_000u64]).prop_map(|(loss, ago)| Wish::Lose { loss, ago })
}

fn leave() -> impl Strategy<Value = Wish> {
    how().prop_map(|how| Wish::Ask(Request::Leave(how)))
}

fn how() -> impl Strategy<Value = Departure> {
    prop_oneof![Just(Departure::Quit), Just(Departure::Lost)]
}

fn offer() -> impl Strategy<Value = Wish> {
    proptest::sample::select(Offer::ALL.as_slice())
        .prop_map(|offer| Wish::Ask(Request::Ask(LobbyRequest::Offer(offer))))
}

fn answer() -> impl Strategy<Value = Wish> {
    let accept = prop_oneof![3 => Just(true), 1 => Just(false)];
    let other =
        prop_oneof![6 => Just(None), 1 => proptest::sample::select(Offer::ALL.as_slice()).prop_map(Some)];
    let late = prop_oneof![6 => Just(0u32), 1 => 0..3u32];
    (accept, other, late).prop_map(|(accept, other, late)| Wish::Answer { accept, other, late })
}

fn watching() -> impl Strategy<Value = Wish> {
    prop_oneof![
        3 => request(Request::Watch { name: name() }),
        2 => how().prop_map(|how| Wish::Ask(Request::Unwatch { name: name(), how })),
        1 => request(Request::Ask(LobbyRequest::Again)),
    ]
}

/// Anything, however little sense it makes.
fn any_request() -> impl Strategy<Value = Wish> {
    let count = prop_oneof![3 => 0..5u64, 1 => any::<u64>()];
    let wild = (0..3u8, count).prop_map(|(pile, count)| Wish::PlayWildly(take(pile, count)));
    let plain = [
        Request::Ask(LobbyRequest::Resign),
        Request::Ask(LobbyRequest::Again),
        Request::Return,
        Request::Ask(LobbyRequest::Wait),
        Request::Ask(LobbyRequest::WaitNoMore),
        Request::Ask(LobbyRequest::Claim),
        Request::Ask(LobbyRequest::Resume),
        Request::Ask(LobbyRequest::Leave),
        Request::Ask(LobbyRequest::Hint),
    ];
    let plain = proptest::sample::select(plain.to_vec()).prop_map(Wish::Ask);
    prop_oneof![
        6 => wild,
        4 => plain,
        2 => sit(),
        2 => loss(),
        1 => leave(),
        2 => offer(),
        2 => answer(),
        2 => watching()
    ]
}

/// Until the time of the absent player has run out.
fn to_the_end() -> impl Strategy<Value = Wait> {
    (-2..100i64).prop_map(Wait::ToEnd)
}

fn wait() -> impl Strategy<Value = Wait> {
    prop_oneof![
        2 => (0..400u64).prop_map(Wait::For),
        1 => (0..4_000u64).prop_map(Wait::For),
        2 => (-300..300i64).prop_map(Wait::ToDue),
        2 => (-2..2i64).prop_map(Wait::ToDue),
    ]
}
